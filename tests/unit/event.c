/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "unit.h"

#include "core/event.h"

static void names(void **state)
{
	struct event e;

	(void)state;
	assert_int_equal(event_parse("cycles", &e), 0);
	assert_int_equal(e.attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(e.attr.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_false(e.is_time);
	assert_int_equal(event_parse("cpu-clock", &e), 0);
	assert_int_equal(e.attr.type, PERF_TYPE_SOFTWARE);
	assert_true(e.is_time);
	assert_int_equal(event_parse("r1a8", &e), 0);
	assert_int_equal(e.attr.type, PERF_TYPE_RAW);
	assert_int_equal(e.attr.config, 0x1a8);
	assert_int_equal(e.attr.disabled, 1);
}

static void modifiers(void **state)
{
	struct event e;

	(void)state;
	assert_int_equal(event_parse("cycles:u", &e), 0);
	assert_true(e.attr.exclude_kernel && !e.attr.exclude_user);
	assert_int_equal(event_parse("cpu-clock:k", &e), 0);
	assert_true(e.attr.exclude_user && !e.attr.exclude_kernel);
	assert_true(e.is_time);
	assert_string_equal(e.name, "cpu-clock:k");
	assert_int_equal(event_parse("cycles:uk", &e), 0);
	assert_true(!e.attr.exclude_user && !e.attr.exclude_kernel);
	assert_int_equal(event_parse("cycles:x", &e), -EINVAL);
	assert_int_equal(event_parse("cycles:", &e), -EINVAL);
}

static void unknown_names(void **state)
{
	static const char *const bad[] = { "",	      "cycle", "cycles,instructions", "rxyz", "nopmu/event/", "../x/y/",
					   "a/../b/", "." };
	struct event e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(event_parse(bad[i], &e) < 0);
	assert_int_equal(
		event_parse("a-name-that-is-longer-than-any-event-of-any-pmu-that-was-ever-made-by-anyone", &e),
		-EINVAL);
}

/* The software PMU needs no file but its type; breakpoint and tracepoint PMUs exist everywhere too. */
static void pmu_terms(void **state)
{
	struct event e;

	(void)state;
	assert_int_equal(event_parse("software/config=1/", &e), 0);
	assert_int_equal(e.attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(e.attr.config, 1);
	assert_int_equal(event_parse("software/nothing=1/", &e), -EINVAL);
	assert_int_equal(event_parse("software/config=?/", &e), -EINVAL);
}

/* Documentation of perf_event_open(2) and hypervisors seen: each of them means that there is no such event. */
static void absent(void **state)
{
	(void)state;
	assert_true(event_errno_is_absent(-ENOENT));
	assert_true(event_errno_is_absent(-ENODEV));
	assert_true(event_errno_is_absent(-ENXIO));
	assert_true(event_errno_is_absent(-EOPNOTSUPP));
	assert_false(event_errno_is_absent(-EPERM));
	assert_false(event_errno_is_absent(-EINVAL));
	assert_false(event_errno_is_absent(-EBUSY));
}

static void rates_in_step(void **state)
{
	(void)state;
	assert_true(event_rate_beats(100, 250));
	assert_true(event_rate_beats(1000, 250));
	assert_true(event_rate_beats(50, 250));
	assert_true(event_rate_beats(4000, 250));
	assert_true(event_rate_beats(300, 300));
	assert_false(event_rate_beats(300, 0) && event_rate_beats(99, 0));
	assert_false(event_rate_beats(99, 250));
	assert_false(event_rate_beats(999, 250));
	assert_false(event_rate_beats(997, 1000));
	assert_false(event_rate_beats(0, 250));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),     cmocka_unit_test(modifiers), cmocka_unit_test(unknown_names),
		cmocka_unit_test(pmu_terms), cmocka_unit_test(absent),	  cmocka_unit_test(rates_in_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
