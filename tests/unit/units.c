/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>

#include "unit.h"

#include "core/units.h"

static void durations_with_units(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{ "5s", 5000000000 },
		{ "200us", 200000 },
		{ "1.5 ms", 1500000 },
		{ "2m", 120000000000 },
		{ "1h", 3600000000000 },
		{ "7ns", 7 },
		{ "0.5s", 500000000 },
		{ "2000us", 2000000 },
		{ "2ms", 2000000 },
		{ "9", 9000000000 },
		{ "0", 0 },
	};
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(units_parse_duration(cases[i].text, true, &ns), 0);
		assert_int_equal(ns, cases[i].ns);
	}
}

static void durations_refused(void **state)
{
	static const char *const bad[] = { "",	  " ",	 "s",	"-1s",	"+1s",	 "1x",
					   "1s2", "nan", "inf", "0x10", "1 s s", "1e400s" };
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(units_parse_duration(bad[i], true, &ns) < 0);
	assert_int_equal(units_parse_duration("9", false, &ns), -EINVAL); /* a threshold needs its unit */
	assert_int_equal(units_parse_duration("3000000h", true, &ns), -ERANGE);
}

static void counts(void **state)
{
	uint64_t n;

	(void)state;
	assert_int_equal(units_parse_count("18446744073709551615", &n), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(units_parse_count("18446744073709551616", &n), -ERANGE);
	assert_int_equal(units_parse_count("-1", &n), -EINVAL);
	assert_int_equal(units_parse_count("1k", &n), -EINVAL);
	assert_int_equal(units_parse_count("", &n), -EINVAL);
}

static void texts(void **state)
{
	char buf[UNITS_BYTES];

	(void)state;
	assert_string_equal(units_count(buf, 0), "0");
	assert_string_equal(units_count(buf, 9999), "9999");
	assert_string_equal(units_count(buf, 59998), "59 998");
	assert_string_equal(units_count(buf, 1234567), "1 234 567");
	assert_string_equal(units_count(buf, UINT64_MAX), "18 446 744 073 709 551 615");
	assert_string_equal(units_duration(buf, 999), "999 ns");
	assert_string_equal(units_duration(buf, 187400), "187.4 us");
	assert_string_equal(units_duration(buf, 60000000000), "60.0 s");
	assert_string_equal(units_pct(buf, 401, 1000), "40.1 %");
	assert_string_equal(units_pct(buf, 1, 100000), "<0.1 %");
	assert_string_equal(units_pct(buf, 0, 100), "0.0 %");
	assert_string_equal(units_pct(buf, 1, 0), "0.0 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_with_units),
		cmocka_unit_test(durations_refused),
		cmocka_unit_test(counts),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
