/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "core/options.h"

struct sample_options {
	bool flag;
	const char *text, *choice;
	uint64_t count, time_ns;
	double pct;
};

static const struct option_def defs[] = {
	OPT_FLAG('x', "flag", struct sample_options, flag, "h"),
	OPT_STRING('s', "text", struct sample_options, text, "T", "h"),
	OPT_COUNT('n', "count", struct sample_options, count, "N", 2, 9, "h"),
	OPT_DURATION('d', "time", struct sample_options, time_ns, "TIME", "h"),
	OPT_CHOICE('w', "when", struct sample_options, choice, "WHEN", "auto,always,no", "h"),
	OPT_PCT(0, "pct", struct sample_options, pct, "PCT", "h"),
	OPT_IGNORED('g', "ignored", "h"),
	OPT_END,
};

static struct sample_options got;

/* The answer of options_parse() to the words; messages go nowhere. */
static int parse(int argc, const char **words, int *rest)
{
	struct option_group group = { "t", defs, &got };
	int null_fd = dup(STDERR_FILENO), answer;

	memset(&got, 0, sizeof(got));
	close(STDERR_FILENO);
	answer = options_parse(&group, 1, argc, (char **)words, "kbpfprof test", false, rest);
	dup2(null_fd, STDERR_FILENO);
	close(null_fd);
	return answer;
}

#define PARSE(rest, ...)                                                               \
	parse((int)(sizeof((const char *[]){ "test", __VA_ARGS__ }) / sizeof(char *)), \
	      (const char *[]){ "test", __VA_ARGS__, NULL }, rest)

static void all_types(void **state)
{
	int rest;

	(void)state;
	assert_int_equal(PARSE(&rest, "-xgs", "a b", "-n9", "--time=200us", "--pct", "2.5%", "--ignored"), 0);
	assert_true(got.flag);
	assert_string_equal(got.text, "a b");
	assert_int_equal(got.count, 9);
	assert_int_equal(got.time_ns, 200000);
	assert_true(got.pct > 2.49 && got.pct < 2.51);
	assert_int_equal(rest, 8);
}

static void choices(void **state)
{
	char buf[OPTION_HELP_BYTES];
	const char *const wrong[] = { "", "a", "auto,", "auto,always", ",", "Auto", "none", "o" };
	int rest;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(PARSE(&rest, "-w", wrong[i]), -EINVAL);
	assert_null(got.choice);
	assert_int_equal(PARSE(&rest, "--when=always"), 0);
	assert_string_equal(got.choice, "always");
	assert_int_equal(PARSE(&rest, "-wno"), 0);
	assert_string_equal(got.choice, "no");
	for (size_t i = 0; defs[i].name; i++)
		assert_string_equal(option_help(buf, &defs[i]), defs[i].choices ? "h: auto, always or no" : "h");
}

static void long_names_may_be_cut(void **state)
{
	int rest;

	(void)state;
	assert_int_equal(PARSE(&rest, "--cou", "3"), 0);
	assert_int_equal(got.count, 3);
}

static void usage_errors(void **state)
{
	int rest;

	(void)state;
	assert_int_equal(PARSE(&rest, "-y"), -EINVAL);
	assert_int_equal(PARSE(&rest, "--nothing"), -EINVAL);
	assert_int_equal(PARSE(&rest, "-n"), -EINVAL);
	assert_int_equal(PARSE(&rest, "-n", "1"), -EINVAL);
	assert_int_equal(PARSE(&rest, "-n", "10"), -EINVAL);
	assert_int_equal(PARSE(&rest, "-n", "3x"), -EINVAL);
	assert_int_equal(PARSE(&rest, "-d", "0"), -EINVAL);
	assert_int_equal(PARSE(&rest, "-d", "5 parsecs"), -EINVAL);
	assert_int_equal(PARSE(&rest, "--pct", "101"), -EINVAL);
	assert_int_equal(PARSE(&rest, "--pct", "-1"), -EINVAL);
	assert_int_equal(PARSE(&rest, "--pct", "x"), -EINVAL);
	assert_int_equal(PARSE(&rest, "--pct", "nan"), -EINVAL);
	assert_int_equal(PARSE(&rest, "--flag=1"), -EINVAL);
}

static void command_is_left_alone(void **state)
{
	int rest;

	(void)state;
	assert_int_equal(PARSE(&rest, "-x", "--", "ls", "-n", "1"), 0);
	assert_int_equal(rest, 3);
	assert_int_equal(got.count, 0);
	assert_int_equal(PARSE(&rest, "ls", "-n", "1"), 0);
	assert_int_equal(rest, 1);
}

static void help(void **state)
{
	int rest;

	(void)state;
	assert_int_equal(PARSE(&rest, "-x", "--help", "-y"), 1);
	assert_int_equal(PARSE(&rest, "-h"), 1);
}

/* One letter has one meaning: no two rows of the shared groups share a letter or a name. */
static void shared_rows_are_distinct(void **state)
{
	const struct option_def *groups[] = { target_option_defs, time_option_defs, view_option_defs, run_option_defs };
	const struct option_def *all[64];
	size_t n = 0;

	(void)state;
	for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
		for (const struct option_def *def = groups[g]; def->name; def++)
			all[n++] = def;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			assert_string_not_equal(all[i]->name, all[j]->name);
			assert_true(!all[i]->letter || all[i]->letter != all[j]->letter);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_types),
		cmocka_unit_test(choices),
		cmocka_unit_test(long_names_may_be_cut),
		cmocka_unit_test(usage_errors),
		cmocka_unit_test(command_is_left_alone),
		cmocka_unit_test(help),
		cmocka_unit_test(shared_rows_are_distinct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
