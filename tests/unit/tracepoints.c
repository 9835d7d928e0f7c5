/* SPDX-License-Identifier: GPL-2.0-only */
/* What kernels show of waits: on kernels made of nothing but the BTF that is asked for. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "core/tracepoints.h"
#include "tools/wakeup.h"

/* Kernels from 6.17 on, without CONFIG_PREEMPT_RCU, have all of these. */
static const char *const all[] = {
	"sched_waking",		 "sched_wakeup",
	"sched_wakeup_new",	 "sched_switch",
	"sched_migrate_task",	 "irq_handler_entry",
	"irq_handler_exit",	 "softirq_entry",
	"softirq_exit",		 "local_timer_entry",
	"local_timer_exit",	 "nmi_handler",
	"sched_entry_tp",	 "sched_set_need_resched_tp",
	"sched_pi_setprio",	 "hrtimer_expire_entry",
	"hrtimer_expire_exit",	 "ipi_entry",
	"workqueue_queue_work",	 "workqueue_execute_start",
	"workqueue_execute_end", "tasklet_entry",
	"tasklet_exit",		 "ipi_send_cpu",
	"ipi_send_cpumask",	 "ipi_raise",
};

#define ALL (sizeof(all) / sizeof(all[0]))

enum task {
	TASK_ABSENT,
	TASK_PLAIN,
	TASK_OF_PREEMPT_RCU, /* has the member that is there with CONFIG_PREEMPT_RCU only (include/linux/sched.h) */
};

static void add_task(struct btf *btf, enum task task)
{
	int type = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);

	if (task == TASK_ABSENT)
		return;
	assert_true(btf__add_struct(btf, "task_struct", 8) > 0);
	assert_int_equal(btf__add_field(btf, "prio", type, 0, 0), 0);
	if (task == TASK_OF_PREEMPT_RCU)
		assert_int_equal(btf__add_field(btf, "rcu_read_lock_nesting", type, 32, 0), 0);
}

/* The per-CPU variables behind the preempt count of x86. */
static void add_percpu(struct btf *btf)
{
	int type = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	int rq = btf__add_var(btf, "runqueues", BTF_VAR_GLOBAL_ALLOCATED, type);
	int count = btf__add_var(btf, "__preempt_count", BTF_VAR_GLOBAL_ALLOCATED, type);

	assert_true(btf__add_datasec(btf, ".data..percpu", 64) > 0);
	assert_int_equal(btf__add_datasec_var_info(btf, rq, 8, 8), 0);
	assert_int_equal(btf__add_datasec_var_info(btf, count, 32, 8), 0);
}

/* A kernel with all tracepoints but `without` (NULL: none is left out). */
static struct btf *kernel(const char *without, enum task task, bool percpu)
{
	struct btf *btf = btf__new_empty();
	char name[64];

	assert_non_null(btf);
	for (size_t i = 0; i < ALL; i++) {
		if (without && !strcmp(all[i], without))
			continue;
		snprintf(name, sizeof(name), "btf_trace_%s", all[i]);
		assert_true(btf__add_typedef(btf, name, btf__add_ptr(btf, btf__add_func_proto(btf, 0))) > 0);
	}
	add_task(btf, task);
	if (percpu)
		add_percpu(btf);
	return btf;
}

static enum rec_lack lack_of(struct btf *btf, enum feature id)
{
	const char *missing;

	return tracepoints_lack(btf, id, &missing);
}

static void all_is_shown(void **state)
{
	struct btf *btf = kernel(NULL, TASK_PLAIN, true);
	unsigned n = 0;

	(void)state;
	for (enum feature id = 0; id < FEATURES; id++) {
		if (!tracepoints_has(id))
			continue;
		n++;
		assert_int_equal(lack_of(btf, id), LACK_NONE);
		assert_int_equal(tracepoints_shows(id) == NULL, id == FEATURE_TRACE_WAITS);
	}
	assert_int_equal(n, 12);
	assert_false(tracepoints_has(FEATURES));
	btf__free(btf);
}

static void nothing_is_shown(void **state)
{
	struct btf *btf = btf__new_empty();
	bool is_x86 = false;

	(void)state;
#if defined(__x86_64__)
	is_x86 = true;
#endif
	for (enum feature id = 0; id < FEATURES; id++)
		if (tracepoints_has(id))
			assert_int_equal(lack_of(btf, id),
					 is_x86 || (id != FEATURE_TRACE_NMIS && id != FEATURE_PREEMPT_DEPTH)
						 ? LACK_KERNEL
						 : LACK_NONE);
	btf__free(btf);
}

/* With each one gone, what is shown by it is gone, and nothing else. */
static void one_is_missing(void **state)
{
	static const struct {
		const char *tracepoint, *why;
		enum feature feature;
	} rows[] = {
		{ "sched_migrate_task", "no tracepoints sched:*", FEATURE_TRACE_WAITS },
		{ "softirq_exit", "no tracepoints irq:*", FEATURE_TRACE_IRQS },
		{ "irq_handler_entry", "no tracepoints irq:*", FEATURE_TRACE_IRQS },
		{ "hrtimer_expire_entry", "no tracepoints hrtimer_expire_*", FEATURE_TRACE_TIMERS },
		{ "sched_entry_tp", "from 6.15 on", FEATURE_TRACE_SCHEDULE },
		{ "sched_set_need_resched_tp", "from 6.17 on", FEATURE_TRACE_RESCHED },
		{ "sched_pi_setprio", "no tracepoint sched_pi_setprio", FEATURE_TRACE_BOOSTS },
		{ "workqueue_execute_end", "no tracepoints workqueue:*", FEATURE_TRACE_WORKS },
		{ "tasklet_exit", "from 6.3 on", FEATURE_TRACE_TASKLETS },
#if defined(__x86_64__)
		{ "local_timer_entry", "no tracepoints irq_vectors:*", FEATURE_TRACE_VECTORS },
		{ "nmi_handler", "no tracepoint nmi_handler", FEATURE_TRACE_NMIS },
		{ "ipi_send_cpumask", "from 6.4 on", FEATURE_TRACE_IPIS },
#else
		{ "ipi_entry", "no tracepoint ipi_entry", FEATURE_TRACE_VECTORS },
#endif
	};
	const char *missing;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct btf *btf = kernel(rows[i].tracepoint, TASK_PLAIN, true);

		for (enum feature id = 0; id < FEATURES; id++)
			if (tracepoints_has(id) && id != rows[i].feature)
				assert_int_equal(lack_of(btf, id), LACK_NONE);
		assert_int_equal(tracepoints_lack(btf, rows[i].feature, &missing), LACK_KERNEL);
		assert_string_equal(missing, rows[i].tracepoint);
		assert_string_equal(tracepoints_why(rows[i].feature, LACK_KERNEL), rows[i].why);
		btf__free(btf);
	}
}

/* It is there, and used only where that is known to be safe. */
static void need_resched_can_crash(void **state)
{
	static const struct {
		const char *without;
		enum task task;
		enum rec_lack lack;
	} rows[] = {
		{ NULL, TASK_PLAIN, LACK_NONE },
		{ NULL, TASK_OF_PREEMPT_RCU, LACK_UNSAFE },
		{ NULL, TASK_ABSENT, LACK_UNSAFE },
		{ "sched_set_need_resched_tp", TASK_OF_PREEMPT_RCU, LACK_KERNEL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct btf *btf = kernel(rows[i].without, rows[i].task, true);

		assert_int_equal(lack_of(btf, FEATURE_TRACE_RESCHED), rows[i].lack);
		assert_int_equal(lack_of(btf, FEATURE_TRACE_SCHEDULE), LACK_NONE);
		btf__free(btf);
	}
	assert_non_null(strstr(tracepoints_why(FEATURE_TRACE_RESCHED, LACK_UNSAFE), "CONFIG_PREEMPT_RCU"));
}

#if defined(__x86_64__)
/* As on 5.10, whose BTF has no variables. */
static void preempt_depth_needs_variables(void **state)
{
	struct btf *btf = kernel(NULL, TASK_PLAIN, false);

	(void)state;
	assert_int_equal(lack_of(btf, FEATURE_PREEMPT_DEPTH), LACK_KERNEL);
	assert_int_equal(lack_of(btf, FEATURE_TRACE_WAITS), LACK_NONE);
	btf__free(btf);
}
#endif

#if defined(__x86_64__)
#define FOREIGN "ipi_entry"
#else
#define FOREIGN "nmi_handler"
#endif

static const char *program_tracepoint(const struct bpf_program *p)
{
	const char *section = bpf_program__section_name(p);

	return strncmp(bpf_program__name(p), "on_", 3) || strncmp(section, "raw_tp/", 7) ? NULL : section + 7;
}

/* Without the tracepoint of any program, something is told to be missing: a program nobody asks for would not load. */
static void every_program_is_known(void **state)
{
	struct wakeup_bpf *skeleton = wakeup_bpf__open();
	struct bpf_program *p;
	unsigned n = 0;

	(void)state;
	assert_non_null(skeleton);
	bpf_object__for_each_program(p, skeleton->obj)
	{
		const char *tracepoint = program_tracepoint(p), *missing;
		bool is_told = false;
		struct btf *btf;

		if (!tracepoint || !strcmp(tracepoint, "sched_process_free")) /* is in all kernels */
			continue;
		if (!strcmp(tracepoint, FOREIGN)) /* not loaded */
			continue;
		btf = kernel(tracepoint, TASK_PLAIN, true);
		for (enum feature id = 0; id < FEATURES; id++)
			is_told |= tracepoints_has(id) && tracepoints_lack(btf, id, &missing) == LACK_KERNEL &&
				   missing && !strcmp(missing, tracepoint);
		if (!is_told)
			print_error("%s\n", tracepoint);
		assert_true(is_told);
		btf__free(btf);
		n++;
	}
	assert_true(n >= 15);
	wakeup_bpf__destroy(skeleton);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_shown),
		cmocka_unit_test(nothing_is_shown),
		cmocka_unit_test(one_is_missing),
		cmocka_unit_test(need_resched_can_crash),
#if defined(__x86_64__)
		cmocka_unit_test(preempt_depth_needs_variables),
#endif
		cmocka_unit_test(every_program_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
