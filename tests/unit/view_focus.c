/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of one function: --callers and --callees. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "view_build.h"

#define PROG "/usr/bin/prog"

/* The rows and what is below, up to the line of the sum and with it. */
static void table_is(struct recording *r, struct view_options o, const char *want)
{
	char *text = build_view("table", r, o), *start = strstr(text, "\n\n") + 2, *end = strstr(start, "\nbooks:");

	assert_non_null(end);
	end[1] = '\0';
	assert_string_equal(start, want);
	free(text);
}

#define SUM(in, elsewhere) "\ntable: " #in " samples in it + " #elsewhere " elsewhere = 100 kept\n"
#define CALLERS		   "   total   self  +-95%  symbol, callers below\n"
#define CALLEES		   "   total   self  +-95%  symbol, callees below\n"

static struct recording *hundred(void)
{
	struct recording *r = build_new();

	BUILD(r, "x", 60, USER("a", PROG), USER("b", PROG), USER("m", PROG));
	BUILD(r, "y", 25, USER("a", PROG), USER("c", PROG), USER("m", PROG));
	BUILD(r, "y", 15, USER("b", PROG), USER("m", PROG));
	build_balance(r, 100);
	return r;
}

/* Bounds: 196 * sqrt(p (1 - p) / 100): of 85 % 6.999, of 75 % 8.487, of 25 % 8.487, of 60 % 9.602. */
static void test_one(void **state)
{
	struct recording *r = hundred();

	(void)state;
	table_is(r, (struct view_options){ .callers = "a" },
		 CALLERS "   85.0%  85.0%  +-7.0  [.] a\n"
			 "          60.0%    |- b < m\n"
			 "          25.0%    `- c < m\n" SUM(85, 15));
	table_is(r, (struct view_options){ .callees = "b" },
		 CALLEES "   75.0%  15.0%  +-8.5  [.] b\n"
			 "          60.0%    |- a\n"
			 "          15.0%    `- [self]\n" SUM(75, 25));
	table_is(r, (struct view_options){ .callers = "m", .children = true },
		 CALLERS "  100.0%   0.0%  +-0.0  [.] m\n" SUM(100, 0));
	table_is(r, (struct view_options){ .callees = "m", .depth = 1 },
		 CALLEES "  100.0%   0.0%  +-0.0  [.] m\n"
			 "          75.0%    |- b\n"
			 "          15.0%    |  |- [self]\n"
			 "          60.0%    |  `- [... deeper]\n"
			 "          25.0%    `- c [... deeper]\n" SUM(100, 0));
	recording_free(r);
}

/* Told apart by other keys it has a row for each; without its name in a column the tree begins with it. */
static void test_keys(void **state)
{
	struct recording *r = hundred();

	(void)state;
	table_is(r, (struct view_options){ .callers = "a", .sort = "comm" },
		 "   total   self  +-95%  command, callers below\n"
		 "   60.0%  60.0%  +-9.7  x\n"
		 "                   a < b < m\n"
		 "   25.0%  25.0%  +-8.5  y\n"
		 "                   a < c < m\n" SUM(85, 15));
	table_is(r, (struct view_options){ .callees = "b", .sort = "comm,sym" },
		 "   total   self  +-95%  command  symbol, callees below\n"
		 "   60.0%   0.0%  +-9.7  x        [.] b\n"
		 "                   > a\n"
		 "   15.0%  15.0%  +-7.0  y        [.] b\n" SUM(75, 25));
	recording_free(r);
}

/* 40 samples of r s r m and 60 of r m: each counts once, and what r calls is seen from its first call on. */
static void test_recursion(void **state)
{
	struct recording *r = build_new();

	(void)state;
	BUILD(r, "x", 40, USER("r", PROG), USER("s", PROG), USER("r", PROG), USER("m", PROG));
	BUILD(r, "x", 60, USER("r", PROG), USER("m", PROG));
	build_balance(r, 100);
	table_is(r, (struct view_options){ .callers = "r" },
		 CALLERS "  100.0% 100.0%  +-0.0  [.] r\n"
			 "                   < m\n" SUM(100, 0));
	table_is(r, (struct view_options){ .callees = "r" },
		 CALLEES "  100.0% 100.0%  +-0.0  [.] r\n"
			 "          40.0%    |- s > r\n"
			 "          60.0%    `- [self]\n" SUM(100, 0));
	recording_free(r);
}

/* One name on both sides, and in several objects. */
static void test_sides(void **state)
{
	struct recording *r = build_new();

	(void)state;
	BUILD(r, "x", 30, KERNEL("read"), USER("read", "/lib/a.so"), USER("m", PROG));
	BUILD(r, "x", 20, USER("read", "/lib/b.so"), USER("m", PROG));
	BUILD(r, "x", 50, USER("m", PROG));
	build_balance(r, 100);
	table_is(r, (struct view_options){ .callers = "read" },
		 CALLERS "   50.0%  20.0%  +-9.8  [.] read\n"
			 "                   < m\n"
			 "   30.0%  30.0%  +-9.0  [k] read\n"
			 "                   < read < m\n" SUM(50, 50));
	recording_free(r);
}

/* A name is a pattern only if no function has it. */
static void test_patterns(void **state)
{
	struct recording *r = build_new();

	(void)state;
	BUILD(r, "x", 30, USER("operator*", PROG), USER("m", PROG));
	BUILD(r, "x", 20, USER("operator+", PROG), USER("m", PROG));
	BUILD(r, "x", 40, STRIPPED("/lib/libfoo.so", 0x10), USER("m", PROG));
	BUILD(r, "x", 10, STRIPPED("/lib/libfoo.so", 0x20), USER("m", PROG));
	build_balance(r, 100);
	table_is(r, (struct view_options){ .callers = "operator*" },
		 CALLERS "   30.0%  30.0%  +-9.0  [.] operator*\n"
			 "                   < m\n" SUM(30, 70));
	table_is(r, (struct view_options){ .callers = "oper*" },
		 CALLERS "   30.0%  30.0%  +-9.0  [.] operator*\n"
			 "                   < m\n"
			 "   20.0%  20.0%  +-7.9  [.] operator+\n"
			 "                   < m\n" SUM(50, 50));
	table_is(r, (struct view_options){ .callers = "libfoo.so [stripped]" },
		 CALLERS "   50.0%  50.0%  +-9.8  [.] libfoo.so [stripped]\n"
			 "                   < m\n" SUM(50, 50));
	recording_free(r);
}

/* However rare it is, who calls it is what was asked for: branches of 1 % of its samples, but not of a single one. */
static void test_rare(void **state)
{
	struct recording *r = build_new();
	char *text;

	(void)state;
	BUILD(r, "x", 97, USER("f", PROG), USER("a", PROG), USER("m", PROG));
	BUILD(r, "x", 2, USER("f", PROG), USER("b", PROG), USER("m", PROG));
	BUILD(r, "x", 1, USER("f", PROG), USER("c", PROG), USER("m", PROG));
	BUILD(r, "x", 98, USER("g", PROG), USER("a", PROG));
	BUILD(r, "x", 102, USER("g", PROG), USER("b", PROG));
	BUILD(r, "x", 1, USER("h", PROG), USER("b", PROG), USER("m", PROG));
	BUILD(r, "x", 99699, USER("m", PROG));
	build_balance(r, 100000);
	text = build_view("table", r, (struct view_options){ .callers = "g" });
	has(text, "  [.] g\n"
		  "           0.1%    |- b\n"
		  "           0.1%    `- a\n");
	free(text);
	text = build_view("table", r, (struct view_options){ .callers = "f" });
	has(text, "  [.] f\n"
		  "           0.1%    |- a < m\n"
		  "          <0.1%    |- b < m\n"
		  "          <0.1%    `- [... 1 more]\n");
	free(text);
	text = build_view("table", r, (struct view_options){ .callers = "h" });
	has(text, "  [.] h\n                   < b < m\n");
	free(text);
	recording_free(r);
}

static void not_found_is(struct recording *r, const char *name, const char *want)
{
	char *text = build_view("table", r, (struct view_options){ .callees = name });

	has(text, want);
	has(text, SUM(0, 100));
	has_not(text, "total   self");
	free(text);
}

static void test_not_found(void **state)
{
	struct recording *r = build_new();

	(void)state;
	BUILD(r, "x", 10, USER("parse_json", PROG), USER("parse_jsonl", PROG), USER("main", PROG));
	BUILD(r, "x", 10, USER("parse_xml", PROG), USER("main", PROG));
	BUILD(r, "x", 80, USER("ns::Reader::parse_number(char const*)", PROG), USER("main", PROG));
	build_balance(r, 100);
	not_found_is(r, "parse_jsn",
		     "no function 'parse_jsn' in any stack (similar: parse_json, parse_jsonl, parse_xml)\n");
	not_found_is(r, "Parse_Number", "(similar: ns::Reader::parse_number(char const*))\n");
	not_found_is(r, "main ", "(similar: main)\n");
	not_found_is(r, "something_else", "no function 'something_else' in any stack\n");
	not_found_is(r, "", "no function '' in any stack\n");
	not_found_is(r, "\x1b[2J", "no function '\\x1b[2J' in any stack");
	recording_free(r);
}

static void test_none_at_all(void **state)
{
	struct recording *r = build_new();
	char *text;

	(void)state;
	r->sampling.idle = 2000;
	build_balance(r, 2000);
	text = build_view("table", r, (struct view_options){ .callers = "a" });
	has(text, "no samples: the CPUs were idle");
	free(text);
	recording_free(r);
}

/* Idle time is a part of what shares are of, but no row. */
static void test_idle(void **state)
{
	struct recording *r = hundred();
	char *text;

	(void)state;
	r->sampling.idle = 100;
	build_balance(r, 200);
	text = build_view("table", r, (struct view_options){ .callers = "a", .idle = true });
	has(text, "\n   42.5%  42.5%  +-6.9  [.] a\n"); /* 196 * sqrt(.425 * .575 / 200) = 6.851 */
	has_not(text, "[idle]");
	has(text, SUM(85, 15));
	free(text);
	recording_free(r);
}

static void test_both(void **state)
{
	const struct view_options o = { .callers = "a", .callees = "b", .min_pct = -1 };
	int saved = dup(STDERR_FILENO), err;
	char message[256] = "";
	FILE *f = tmpfile();

	(void)state;
	dup2(fileno(f), STDERR_FILENO);
	err = view_find("table")->check(&o);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	message[fread(message, 1, sizeof(message) - 1, f)] = '\0';
	fclose(f);
	assert_int_equal(err, -EINVAL);
	has(message, "--callers and --callees");
}

/* Samples whose stack has the function, and those that end in it. */
static void count(const struct recording *r, const char *name, unsigned *all, unsigned *self)
{
	*all = *self = 0;
	for (size_t i = 0; i < r->n_samples; i++) {
		const struct rec_stack *stack = &r->stacks[r->samples[i].stack];
		bool is_in = false, is_leaf = false;

		for (unsigned j = 0; j < stack->kernel_frames + stack->user_frames; j++) {
			const struct rec_location *l = &r->locations[r->frames[stack->first + j]];
			bool is_it = !strcmp(recording_str(r, l->name), name);

			is_in |= is_it;
			is_leaf |= is_it && !j;
		}
		*all += is_in ? (unsigned)r->samples[i].fires : 0;
		*self += is_leaf ? (unsigned)r->samples[i].fires : 0;
	}
}

/* What begins one level deep adds up to the row, or there is only a chain. */
static void check_table(const char *text, unsigned all, unsigned self)
{
	const char *row = strstr(text, "below\n") + 6;
	char total_text[16], self_text[16];
	unsigned sum = 0, parts = 0;

	assert_int_equal(sscanf(row, " %15s %15s", total_text, self_text), 2);
	assert_int_equal(tenths(total_text), all);
	assert_int_equal(tenths(self_text), self);
	for (const char *line = strchr(row, '\n') + 1; *line != '\n'; line = strchr(line, '\n') + 1) {
		size_t blank = strspn(line, " ");

		if (blank > 15 || (strncmp(line + 19, "|- ", 3) != 0 && strncmp(line + 19, "`- ", 3) != 0))
			continue;
		sum += tenths(line + blank);
		parts++;
	}
	if (parts)
		assert_int_equal(sum, all);
}

static void test_random(void **state)
{
	unsigned n_tables = 0;

	(void)state;
	for (unsigned seed = 100; seed < 130; seed++) {
		struct recording *r = random_thousand(seed);

		for (char name[] = "a"; name[0] < 'e'; name[0]++) {
			unsigned all, self;
			char *text;

			count(r, name, &all, &self);
			if (!all)
				continue;
			text = build_view("table", r,
					  (struct view_options){ .callers = seed & 1 ? name : NULL,
								 .callees = seed & 1 ? NULL : name,
								 .depth = seed % 5,
								 .min_pct = seed & 8 ? PCT_ZERO : 0 });
			check_table(text, all, self);
			free(text);
			n_tables++;
		}
		recording_free(r);
	}
	assert_true(n_tables > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),	    cmocka_unit_test(test_keys),     cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_sides),	    cmocka_unit_test(test_patterns), cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_none_at_all), cmocka_unit_test(test_idle),     cmocka_unit_test(test_both),
		cmocka_unit_test(test_random),	    cmocka_unit_test(test_rare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
