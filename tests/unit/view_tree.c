/* SPDX-License-Identifier: GPL-2.0-only */
/* The call tree under a row: its chains, what is too small for a branch, and that nothing is missing. */
#include <locale.h>
#include <stdio.h>

#include "view_build.h"

#define PROG "/usr/bin/prog"

#define TREE_INDENT "                   "

/* `count` samples of a stack of one-letter functions, leaf first; a capital is an object without symbols. */
static void add(struct recording *r, uint64_t count, const char *stack)
{
	struct build_frame frames[64];
	char texts[64][16];
	unsigned n = 0;

	for (; stack[n]; n++) {
		bool is_stripped = stack[n] >= 'A' && stack[n] <= 'Z';

		snprintf(texts[n], sizeof(texts[n]), is_stripped ? "/lib/%c" : "%c", stack[n]);
		frames[n] = is_stripped ? (struct build_frame)STRIPPED(texts[n], 0x10)
					: (struct build_frame)USER(texts[n], PROG);
	}
	build_add(r, build_comm(r, "x"), build_stack(r, frames, n), count, count * PERIOD_NS);
}

/* The lines below the first row. */
static void tree_is(struct recording *r, struct view_options o, const char *want)
{
	char *rows, *tree;

	build_balance(r, r->sampling.kept);
	rows = view_rows(r, o);
	tree = strchr(rows, '\n') + 1;
	assert_string_equal(tree, want);
	free(rows);
	recording_free(r);
}

struct stack_count {
	uint64_t count;
	const char *stack;
};

#define TREE_OF(options, want, ...)                                               \
	do {                                                                      \
		const struct stack_count stacks_[] = { __VA_ARGS__ };             \
		struct recording *r_ = build_new();                               \
                                                                                  \
		for (size_t i = 0; i < sizeof(stacks_) / sizeof(stacks_[0]); i++) \
			add(r_, stacks_[i].count, stacks_[i].stack);              \
		tree_is(r_, options, want);                                       \
	} while (0)
#define TREE_IS(want, ...) TREE_OF(((struct view_options){ 0 }), want, __VA_ARGS__)

/* 9 + 1 + 3 links are written, of 14 or more the first 9 and the last 3. A line holds 80 columns. */
static void test_chain_cut(void **state)
{
	(void)state;
	TREE_IS(TREE_INDENT "< b < c < d < e < f < g < h < i < j < k < l < m < n\n", { 1, "abcdefghijklmn" });
	TREE_IS(TREE_INDENT "< b < c < d < e < f < g < h < i < j < [... 2 functions] < m\n" TREE_INDENT "< n < o\n",
		{ 1, "abcdefghijklmno" });
	TREE_IS(TREE_INDENT "< b < c < d < e < f < g < h < i < j < [... 13 functions] < x\n" TREE_INDENT "< y < z\n",
		{ 1, "abcdefghijklmnopqrstuvwxyz" });
}

#define A20 "aaaaaaaaaaaaaaaaaaaa"
#define B20 "bbbbbbbbbbbbbbbbbbbb"

/* 19 columns of indent, 22 and 23 of these names and their signs: 16 are left for a third, 13 of them for its name. */
static void check_wrap(const char *name, bool fits, unsigned width)
{
	struct recording *r = build_new();
	char want[512];

	BUILD(r, "x", 1, USER("leaf", PROG), USER(A20, PROG), USER(B20, PROG), USER(name, PROG));
	snprintf(want, sizeof(want), TREE_INDENT "< " A20 " < " B20 "%s< %s\n", fits ? " " : "\n" TREE_INDENT, name);
	tree_is(r, (struct view_options){ .width = width }, want);
}

static void test_wrap(void **state)
{
	static const struct {
		const char *name;
		bool fits;
	} names[] = {
		{ "0123456789abc", true }, /* 13 columns */
		{ "0123456789abcd", false },
		{ "0123456789\303\244\303\266\303\274", true }, /* three umlauts */
		{ "0123456789\303\244\303\266\303\274d", false },
		{ "0123456789a\350\252\236", true }, /* a character of two columns */
		{ "0123456789ab\350\252\236", false },
	};

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		check_wrap(names[i].name, names[i].fits, 0);
		check_wrap(names[i].name, names[i].fits, 80);
		check_wrap(names[i].name, true, 81);
	}
	setlocale(LC_CTYPE, "C");
}

/* However narrow, a function has 16 columns: 7 + 2 + 7. */
static void test_narrow(void **state)
{
	(void)state;
	for (unsigned width = 1; width <= 37; width += 4) {
		struct recording *r = build_new();

		BUILD(r, "x", 1, USER("leaf", PROG), USER(A20, PROG), USER(B20, PROG));
		tree_is(r, (struct view_options){ .width = width },
			TREE_INDENT "< aaaaaaa..aaaaaaa\n" TREE_INDENT "< bbbbbbb..bbbbbbb\n");
	}
}

/* A branch has a tenth of its row, 0.5 % of all, and two samples: the largest of these. */
static void test_branches(void **state)
{
	struct recording *r = build_new();
	char *rows;

	(void)state;
	TREE_IS("          80.0%    |- b\n"
		"          10.0%    |- c\n"
		"          10.0%    `- [... 2 more]\n",
		{ 800, "ab" }, { 100, "ac" }, { 99, "ad" }, { 1, "ae" });
	add(r, 9799, "z");
	add(r, 100, "fa"); /* row f: 200 of 10 000, a tenth are 20, 0.5 % of all are 50 */
	add(r, 50, "fb");
	add(r, 49, "fc");
	add(r, 1, "fd");
	add(r, 1, "hab"); /* a single sample, but all of its row */
	build_balance(r, 10000);
	rows = view_rows(r, (struct view_options){ 0 });
	has(rows, " f\n           1.0%    |- a\n           0.5%    |- b\n           0.5%    `- [... 2 more]\n");
	has(rows, " h\n" TREE_INDENT "< a < b\n");
	free(rows);
	recording_free(r);
}

/* Of 100 samples a branch has 10; a chain may lose 10 as well. */
static void test_chain_loss(void **state)
{
	(void)state;
	TREE_IS(TREE_INDENT "< g < m [5.0% elsewhere]\n", { 95, "fgm" }, { 5, "fhm" });
	TREE_IS(TREE_INDENT "< g < m [10.0% elsewhere]\n", { 90, "fgm" }, { 5, "fhm" }, { 5, "fgkm" });
	/* 5 left before g, 6 before m: together they are too many. */
	TREE_IS(TREE_INDENT "< g\n"
			    "          89.0%    |- m\n"
			    "          11.0%    `- [... 2 more]\n",
		{ 89, "fgm" }, { 5, "fhm" }, { 6, "fgkm" });
	/* A branch of 20 may lose 2 only. */
	TREE_IS("          80.0%    |- h\n"
		"          20.0%    `- g\n"
		"          17.0%       |- m\n"
		"           3.0%       `- [... 1 more]\n",
		{ 80, "fh" }, { 17, "fgm" }, { 3, "fgk" });
	TREE_IS("          80.0%    |- h\n"
		"          20.0%    `- g < m [2.0% elsewhere]\n",
		{ 80, "fh" }, { 18, "fgm" }, { 2, "fgk" });
}

static void test_chain_end(void **state)
{
	(void)state;
	TREE_IS("", { 100, "f" });
	TREE_IS(TREE_INDENT "[5.0% elsewhere]\n", { 95, "f" }, { 5, "fm" });
	TREE_IS("          11.0%    |- m\n"
		"          89.0%    `- [no caller]\n",
		{ 89, "f" }, { 11, "fm" });
	TREE_IS("          86.0%    |- [no caller]\n"
		"          14.0%    `- [... 2 more]\n",
		{ 86, "f" }, { 7, "fm" }, { 7, "fn" });
	/* 12 of 8 or 9 each: none is a branch. */
	TREE_IS(TREE_INDENT "< g [12 branches]\n", { 8, "fga" }, { 8, "fgb" }, { 8, "fgc" }, { 8, "fgd" }, { 8, "fge" },
		{ 8, "fgh" }, { 8, "fgi" }, { 8, "fgj" }, { 9, "fgk" }, { 9, "fgl" }, { 9, "fgm" }, { 9, "fg" });
}

#define DEPTH(n) ((struct view_options){ .depth = n })

/* What is cut is a part as any other: it adds up. */
static void test_depth(void **state)
{
	(void)state;
	TREE_OF(DEPTH(1), TREE_INDENT "< b [... deeper]\n", { 100, "abcd" });
	TREE_OF(DEPTH(2), TREE_INDENT "< b < c [... deeper]\n", { 100, "abcd" });
	TREE_OF(DEPTH(3), TREE_INDENT "< b < c < d\n", { 100, "abcd" });
	TREE_OF(DEPTH(99), TREE_INDENT "< b < c < d\n", { 100, "abcd" });
	/* Cut and ended, both worth a line; one of them less than a tenth. */
	TREE_OF(DEPTH(1),
		TREE_INDENT "< b\n"
			    "          60.0%    |- [no caller]\n"
			    "          40.0%    `- [... deeper]\n",
		{ 40, "abc" }, { 60, "ab" });
	TREE_OF(DEPTH(1), TREE_INDENT "< b [... deeper] [5.0% elsewhere]\n", { 95, "abc" }, { 5, "ab" });
	TREE_OF(DEPTH(1), TREE_INDENT "< b [5.0% elsewhere]\n", { 5, "abc" }, { 95, "ab" });
	TREE_OF(DEPTH(1),
		TREE_INDENT "< b\n"
			    "          84.0%    |- [... deeper]\n"
			    "          16.0%    `- [... 2 more]\n",
		{ 84, "abc" }, { 8, "ab" }, { 8, "a" });
	TREE_OF(DEPTH(1),
		"          60.0%    |- b [... deeper]\n"
		"          30.0%    |- c\n"
		"          10.0%    `- [no caller]\n",
		{ 50, "abx" }, { 10, "aby" }, { 30, "ac" }, { 10, "a" });
	/* A recursion is one function deep. */
	TREE_OF(DEPTH(2), TREE_INDENT "< b (recursive) < c [... deeper]\n", { 100, "abbbbcd" });
}

#define LIMIT(pct) ((struct view_options){ .min_pct = pct })

/* The same stacks as in test_chain_loss() and test_branches(): now nothing that reaches the limit is summed up. */
static void test_limit(void **state)
{
	(void)state;
	TREE_OF(LIMIT(PCT_ZERO),
		TREE_INDENT "< g < m\n"
			    "          95.0%    |- n\n"
			    "           5.0%    `- [no caller]\n",
		{ 95, "fgmn" }, { 5, "fgm" });
	TREE_OF(LIMIT(PCT_ZERO),
		"          95.0%    |- g < m\n"
		"           5.0%    `- h < m\n",
		{ 95, "fgm" }, { 5, "fhm" });
	TREE_OF(LIMIT(5),
		"          95.0%    |- g < m\n"
		"           5.0%    `- h < m\n",
		{ 95, "fgm" }, { 5, "fhm" });
	TREE_OF(LIMIT(5.01), TREE_INDENT "< g < m [5.0% elsewhere]\n", { 95, "fgm" }, { 5, "fhm" });
	TREE_OF(LIMIT(PCT_ZERO),
		"          80.0%    |- b\n"
		"          10.0%    |- c\n"
		"           9.9%    |- d\n"
		"           0.1%    `- e\n",
		{ 800, "ab" }, { 100, "ac" }, { 99, "ad" }, { 1, "ae" });
	TREE_OF(LIMIT(50),
		"          80.0%    |- b\n"
		"          20.0%    `- [... 3 more]\n",
		{ 800, "ab" }, { 100, "ac" }, { 99, "ad" }, { 1, "ae" });
	TREE_OF(((struct view_options){ .min_pct = PCT_ZERO, .depth = 1 }),
		TREE_INDENT "< b\n"
			    "           1.0%    |- [no caller]\n"
			    "          99.0%    `- [... deeper]\n",
		{ 99, "abc" }, { 1, "ab" });
}

/* With -s comm the tree begins with the function itself. */
static void path_is(const char *stack, const char *want)
{
	struct recording *r = build_new();

	add(r, 1, stack);
	tree_is(r, (struct view_options){ .sort = "comm" }, want);
}

/* A function or a group of up to 8 that calls itself stands there once. */
static void test_groups(void **state)
{
	(void)state;
	path_is("abc", TREE_INDENT "a < b < c\n");
	path_is("aac", TREE_INDENT "a (recursive) < c\n");
	path_is("ababc", TREE_INDENT "a < b (recursive) < c\n");
	path_is("abababababc", TREE_INDENT "a < b (recursive) < c\n");
	path_is("xbabac", TREE_INDENT "x < b < a (recursive) < c\n");
	path_is("ababac", TREE_INDENT "a < b (recursive) < a < c\n");
	path_is("aabaabc", TREE_INDENT "a (recursive) < b (recursive) < c\n");
	path_is("abac", TREE_INDENT "a < b < a < c\n");
	path_is("abcdefghabcdefghi", TREE_INDENT "a < b < c < d < e < f < g < h (recursive) < i\n");
	path_is("abcdefghiabcdefghi",
		TREE_INDENT "a < b < c < d < e < f < g < h < i < [... 6 functions] < g < h\n" TREE_INDENT "< i\n");
	/* What has no name may be many functions. */
	path_is("AABABc", TREE_INDENT "A+0x10 [stripped] < B+0x10 [stripped] < c\n");
	path_is("aBaBc", TREE_INDENT "a < B+0x10 [stripped] (recursive) < c\n");
}

/* Stacks that differ by how deep the recursion went are one branch. */
static void test_depths(void **state)
{
	(void)state;
	TREE_IS(TREE_INDENT "< a < b (recursive) < m\n", { 40, "fabm" }, { 30, "fababm" }, { 30, "fabababm" });
}

/*
 * a and b call each other: 10 times a b a b a, leaf first; 30 times a b; 60 times c. a and b are in 40 samples each,
 * however often in one stack. a b a b a is a b a, b being marked: below the outermost a is b a or, when only b called
 * a, nothing.
 */
static void test_children_count_once(void **state)
{
	struct recording *r = build_new();
	struct view_options o = { .sort = "sym", .children = true };
	char *rows;

	(void)state;
	BUILD(r, "x", 10, USER("a", PROG), USER("b", PROG), USER("a", PROG), USER("b", PROG), USER("a", PROG));
	BUILD(r, "x", 30, USER("a", PROG), USER("b", PROG));
	BUILD(r, "x", 60, USER("c", PROG));
	build_balance(r, 100);
	rows = view_rows(r, o);
	assert_string_equal(rows, "   60.0%  60.0%  +-9.7  [.] c\n"
				  "   40.0%  40.0%  +-9.7  [.] a\n"
				  "          10.0%    |- b (recursive) > a\n"
				  "          30.0%    `- [self]\n"
				  "   40.0%   0.0%  +-9.7  [.] b\n"
				  "                   > a\n");
	free(rows);
	recording_free(r);
}

struct tree_line {
	int level; /* -1: a row */
	unsigned fires;
};

/* The rows, and the lines of trees where a branch begins. */
static size_t read_lines(char *rows, struct tree_line *lines, size_t max)
{
	size_t n = 0;

	for (char *line = strtok(rows, "\n"); line; line = strtok(NULL, "\n")) {
		char *branch = strstr(line, "|- ") ? strstr(line, "|- ") : strstr(line, "`- ");
		size_t blank = strspn(line, " ");

		assert_true(n < max);
		if (strstr(line, "+-") && blank < 8)
			lines[n++] = (struct tree_line){ -1, tenths(line + blank) };
		else if (branch)
			lines[n++] = (struct tree_line){ (int)(branch - line - 19) / 3, tenths(line + blank) };
	}
	return n;
}

/* What begins below a line, one level deeper, adds up to it. */
static void check_tree_sums(char *rows)
{
	static struct tree_line lines[100000];
	size_t n = read_lines(rows, lines, sizeof(lines) / sizeof(lines[0]));

	for (size_t i = 0; i < n; i++) {
		unsigned sum = 0, parts = 0;

		for (size_t j = i + 1; j < n && lines[j].level > lines[i].level; j++) {
			sum += lines[j].level == lines[i].level + 1 ? lines[j].fires : 0;
			parts += lines[j].level == lines[i].level + 1;
		}
		if (parts)
			assert_int_equal(sum, lines[i].fires);
	}
}

static void test_tree_sums(void **state)
{
	static const char *const sorts[] = { NULL, "comm", "sym", "dso,comm" };

	(void)state;
	for (unsigned seed = 0; seed < 80; seed++) {
		struct recording *r = random_thousand(seed);
		struct view_options o = { .sort = sorts[seed % 4],
					  .children = seed & 4,
					  .width = seed & 8 ? 48 : 0,
					  .depth = seed & 16 ? seed % 5 : 0,
					  .min_pct = seed & 32 ? PCT_ZERO : 0 };
		char *rows = view_rows(r, o);

		if (o.min_pct == PCT_ZERO && !o.width) {
			has_not(rows, "elsewhere");
			has_not(rows, " more]");
			has_not(rows, "branches");
		}
		check_tree_sums(rows);
		free(rows);
		recording_free(r);
	}
}

/*
 * 125 callers in a row, 8 of 1000 samples ending at each. A chain may lose a tenth of its weight, so the first has 12
 * links (96 of 100 lost) and the next begins with f13: 1000 - 13 * 8 = 896. It may lose 89, and has 11 links more (88)
 * up to f24; f25 has 1000 - 25 * 8 = 800. In 40 columns there is room for one fork; in fewer f13, the end at f12 and
 * the 12 before it are 14 branches.
 */
static void test_staircase(void **state)
{
	struct recording *r = build_new();
	struct build_frame frames[125];
	char names[125][8];

	(void)state;
	for (unsigned i = 0; i < 125; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		frames[i] = (struct build_frame)USER(names[i], PROG);
		build_add(r, build_comm(r, "x"), build_stack(r, frames, i + 1), 8, 8 * PERIOD_NS);
	}
	build_balance(r, 1000);
	for (unsigned width = 0; width <= 400; width += 20) {
		char *rows = view_rows(r, (struct view_options){ .width = width });

		if (width && width < 40)
			has(rows, "\n" TREE_INDENT "[14 branches]\n");
		else
			has(rows, "f12\n          89.6%    |- f13 < f14");
		if (width == 40)
			has_not(rows, "|  |- ");
		else if (!width || width > 60)
			has(rows, "< f24\n          80.0%    |  |- f25 < f26");
		check_tree_sums(rows);
		free(rows);
	}
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain_cut),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_chain_loss),
		cmocka_unit_test(test_chain_end),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_depths),
		cmocka_unit_test(test_children_count_once),
		cmocka_unit_test(test_tree_sums),
		cmocka_unit_test(test_staircase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
