/* SPDX-License-Identifier: GPL-2.0-only */
/* --hist of irq: whom a name finds, what is said of it, and what if it finds none. */
#include <errno.h>
#include <locale.h>
#include <time.h>
#include <unistd.h>

#include "golden.h"
#include "irq_build.h"

/* The exit code of a page with --hist, its text thrown away; what it says on stderr is in `told`. */
static int hist_error(const struct recording *r, const char *name, char *told, size_t bytes)
{
	FILE *page_file = fopen("/dev/null", "w"), *caught = tmpfile();
	int saved = dup(STDERR_FILENO), err;

	assert_non_null(page_file);
	assert_non_null(caught);
	assert_true(saved >= 0 && dup2(fileno(caught), STDERR_FILENO) >= 0);
	err = view_find("irq")->write(page_file, r, &(struct view_options){ .top = VIEW_TOP_AUTO, .hist = name });
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(caught);
	told[fread(told, 1, bytes - 1, caught)] = '\0';
	fclose(caught);
	fclose(page_file);
	return err;
}

static void test_hist(void **state)
{
	(void)state;
	check_golden("irq_hist", "irq", irq_network(),
		     (struct view_options){ .top = VIEW_TOP_AUTO, .width = 80, .hist = "NET_RX" });
	check_golden("irq_hist_line", "irq", irq_network(),
		     (struct view_options){ .top = VIEW_TOP_AUTO, .width = 80, .hist = "45" });
}

/* Sources by their titles, in the order of the page. */
static void finds(const struct recording *r, const char *name, const char *const *titles)
{
	char *text = build_view("irq", r, (struct view_options){ .top = VIEW_TOP_AUTO, .hist = name }), *at = text;
	unsigned n = 0, blocks = 0;

	for (; titles[n]; n++) {
		char line[64];

		snprintf(line, sizeof(line), "\n%s: ", titles[n]);
		at = strstr(at, line);
		if (!at)
			fail_msg("%s: no \"%s\" in:\n%s", name, titles[n], text);
	}
	for (at = text; (at = strstr(at, "  by CPU: ")); at++)
		blocks++;
	assert_int_equal(blocks, n);
	has_not(text, "verdict");
	has(text, "\nbooks: ");
	free(text);
}

#define FINDS(r, name, ...) finds((r), (name), (const char *const[]){ __VA_ARGS__, NULL })

static void test_hist_names(void **state)
{
	struct recording *r = irq_threads();
	int same = irq_line(r, 145, "45", "", "");

	(void)state;
	irq_ran(r, same, 0, 1000, 5);
	FINDS(r, "45", "IRQ 45 eth0", "irq/45-eth0"); /* a number is a line's, not a part of another's, nor a name */
	FINDS(r, "45 eth0", "IRQ 45 eth0");
	FINDS(r, "eth0", "IRQ 45 eth0", "irq/45-eth0");
	FINDS(r, "NET_RX", "softirq NET_RX");
	FINDS(r, "softirq NET_RX", "softirq NET_RX");
	FINDS(r, "net_rx", "softirq NET_RX");
	FINDS(r, "IRQ/", "irq/45-eth0", "irq/27-ahci");
	FINDS(r, "reschedule", "IPI reschedule");
	FINDS(r, "flush", "work flush_to_ldisc");
	recording_free(r);
}

static void test_hist_none(void **state)
{
	struct recording *r = irq_threads();
	char told[2048];

	(void)state;
	assert_int_equal(hist_error(r, "eth9", told, sizeof(told)), -EINVAL);
	has(told,
	    "--hist eth9: nothing of that name was measured (there are: 45 eth0, irq/45-eth0, irq/27-ahci, NET_RX, "
	    "flush_to_ldisc, ");
	assert_int_equal(hist_error(r, "7", told, sizeof(told)), -EINVAL); /* not a part of 27 */
	assert_int_equal(hist_error(r, "\033[2J", told, sizeof(told)), -EINVAL);
	has_not(told, "\033");
	has(told, "--hist \\x1b[2J: ");
	recording_free(r);
	r = irq_new(1);
	assert_int_equal(hist_error(r, "45", told, sizeof(told)), -EINVAL);
	has(told, "--hist 45: nothing was measured\n");
	recording_free(r);
	r = irq_many(); /* 66 of them: some are named */
	assert_int_equal(hist_error(r, "xyz", told, sizeof(told)), -EINVAL);
	has(told, ", ...)\n");
	assert_true(strlen(told) < 1000);
	recording_free(r);
}

/* Each of 400 CPUs in the list. */
static void test_hist_cpus(void **state)
{
	struct recording *r = irq_many();
	char *text = build_view("irq", r, (struct view_options){ .hist = "local timer" });

	(void)state;
	has(text, "\n  by CPU: 0: 2500, 1: 2500, ");
	has(text, " 398: 2500, 399: 2899\n"); /* 399 is a multiple of 7 */
	free(text);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hist),
		cmocka_unit_test(test_hist_names),
		cmocka_unit_test(test_hist_none),
		cmocka_unit_test(test_hist_cpus),
	};

	setlocale(LC_ALL, "C");
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
