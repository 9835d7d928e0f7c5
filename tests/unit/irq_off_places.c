/* SPDX-License-Identifier: GPL-2.0-only */
/* What a place where interrupts or preemption were off is called: the first function that is no helper. */
#include <stdlib.h>
#include <string.h>

#include "core/recording.h"
#include "symbols/section_end.h"
#include "tools/irq_off.h"
#include "unit.h"

static struct recording *r;
static int kernel, module;

static int open_recording(void **state)
{
	struct rec_mapping k = { .kind = MAPPING_KERNEL }, m = { .kind = MAPPING_MODULE };

	(void)state;
	r = recording_new();
	k.name = recording_string(r, "[kernel]");
	m.name = recording_string(r, "mydev");
	kernel = recording_mapping(r, &k);
	module = recording_mapping(r, &m);
	return 0;
}

static int close_recording(void **state)
{
	(void)state;
	recording_free(r);
	return 0;
}

/* Of a function; "" has no name; "mydev:f" is the module's. */
static uint32_t frame(const char *function)
{
	static uint64_t address = 0xffffffff81000000;
	bool is_module = !strncmp(function, "mydev:", 6);
	int location = recording_location(r, is_module ? module : kernel, address += 64, WHY_UNRESOLVED);

	if (*function)
		recording_name(r, location, recording_string(r, function + (is_module ? 6 : 0)), 4, WHY_NAMED);
	else
		recording_name(r, location, 0, 0, WHY_NO_SYMBOL);
	return (uint32_t)location;
}

/* Functions leaf first, separated by blanks; "-" is one without a name. */
static const char *name_of(const char *functions)
{
	char text[512], *save = NULL;
	uint32_t frames[16];
	unsigned n = 0;
	int stack;

	strcpy(text, functions);
	for (char *f = strtok_r(text, " ", &save); f; f = strtok_r(NULL, " ", &save))
		frames[n++] = frame(strcmp(f, "-") ? f : "");
	stack = recording_stack(r, frames, n, 0);
	assert_true(stack >= 0);
	return recording_str(r, irq_off_name(r, stack));
}

static void first_that_is_no_helper(void **state)
{
	(void)state;
	assert_string_equal(name_of("pvm_irq_enable _raw_spin_unlock_irq uart_write tty_write"), "uart_write");
	assert_string_equal(name_of("_raw_spin_unlock_irqrestore uart_write"), "uart_write");
	assert_string_equal(name_of("native_restore_fl __raw_callee_save_x uart_write"), "uart_write");
	assert_string_equal(name_of("raw_spin_rq_unlock_irq finish_task_switch.isra.0 __schedule"),
			    "finish_task_switch.isra.0");
	assert_string_equal(name_of("uart_write _raw_spin_unlock_irq"), "uart_write");
}

static void spinning_is_for_the_caller(void **state)
{
	(void)state;
	assert_string_equal(name_of("native_queued_spin_lock_slowpath _raw_spin_lock uart_write"), "uart_write");
	assert_string_equal(name_of("_raw_spin_lock_irqsave uart_write"), "uart_write");
}

static void modules_are_named(void **state)
{
	(void)state;
	assert_string_equal(name_of("mydev:noise_fn kthread"), "noise_fn [mydev]");
	assert_string_equal(name_of("_raw_spin_unlock mydev:noise_fn kthread"), "noise_fn [mydev]");
}

static void nothing_better(void **state)
{
	(void)state;
	assert_string_equal(name_of("_raw_spin_unlock local_bh_enable"), "_raw_spin_unlock");
	assert_string_equal(name_of("- uart_write"), ""); /* whose caller is not its place */
	assert_string_equal(name_of("_raw_spin_unlock - uart_write"), "_raw_spin_unlock");
}

static void longest_names(void **state)
{
	char function[4000], module_name[4000], *text;
	struct rec_mapping m = { .kind = MAPPING_MODULE };
	uint32_t location;

	(void)state;
	memset(function, 'f', sizeof(function) - 1);
	memset(module_name, 'm', sizeof(module_name) - 1);
	function[sizeof(function) - 1] = module_name[sizeof(module_name) - 1] = '\0';
	m.name = recording_string(r, module_name);
	location = (uint32_t)recording_location(r, recording_mapping(r, &m), 64, WHY_UNRESOLVED);
	recording_name(r, (int)location, recording_string(r, function), 0, WHY_NAMED);
	text = strdup(recording_str(r, irq_off_name(r, recording_stack(r, &location, 1, 0))));
	assert_non_null(text);
	assert_int_equal(strlen(text), 400 + 2 + 100 + 1);
	free(text);
}

/* Those that nothing may be named after, and those that look like them. */
static void helpers(void **state)
{
	static const char *const ends[] = { "_raw_spin_unlock_irqrestore", "_raw_read_unlock_bh", "rt_spin_unlock",
					    "__local_bh_enable_ip",	   "native_irq_enable",	  "pvm_irq_enable",
					    "xen_restore_fl_direct",	   "migrate_enable",	  "__rcu_read_unlock",
					    "raw_spin_rq_unlock_irq",	   "preempt_count_sub",	  "trace_hardirqs_on" };
	static const char *const none[] = { "finish_task_switch.isra.0",
					    "handle_softirqs",
					    "do_raw_something",
					    "xen_blkif_schedule",
					    "rcu_core",
					    "spin_unlock_page",
					    "mutex_unlock",
					    "up_write",
					    "" };

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		assert_true(section_is_end(ends[i]));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(section_is_end(none[i]) || section_is_lock(none[i]));
	assert_true(section_is_lock("_raw_spin_lock_irq") && section_is_lock("__pv_queued_spin_lock_slowpath"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_recording, close_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(first_that_is_no_helper), TEST(spinning_is_for_the_caller),
		TEST(modules_are_named),       TEST(nothing_better),
		TEST(longest_names),	       cmocka_unit_test(helpers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
