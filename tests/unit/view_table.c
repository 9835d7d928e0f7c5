/* SPDX-License-Identifier: GPL-2.0-only */
/* The table: what a row is, which are shown, and how they add up. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

#include "view_build.h"

#define PROG "/usr/bin/prog"

static const struct view_options all_rows = { .top = 0 };

/* What `check` of the view says on stderr about these keys, and its result. */
static int check_sort(const char *keys, char *message, size_t bytes)
{
	const struct view_options o = { .sort = keys };
	int saved = dup(STDERR_FILENO), err;
	FILE *f = tmpfile();

	assert_non_null(f);
	dup2(fileno(f), STDERR_FILENO);
	err = view_find("table")->check(&o);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	message[fread(message, 1, bytes - 1, f)] = '\0';
	fclose(f);
	return err;
}

static void test_unknown_key(void **state)
{
	static const char *const bad[] = { "", "comm,", ",comm", "com", "comm,sym,size", "comm dso", "COMM" };
	static const char *const good[] = { NULL, "comm", "cpu,tid,pid,sym,dso,comm", "sym,sym" };
	char message[512];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(check_sort(bad[i], message, sizeof(message)), -EINVAL);
		has(message, "comm, dso, sym, pid, tid, cpu");
	}
	check_sort("comm,size,sym", message, sizeof(message));
	has(message, "'size'");
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(check_sort(good[i], message, sizeof(message)), 0);
		assert_string_equal(message, "");
	}
}

static void test_views(void **state)
{
	char names[VIEW_NAMES_BYTES];

	(void)state;
	assert_null(view_find("pie"));
	assert_string_equal(view_names(names, REC_SAMPLES), "flamegraph, folded, json, list, pprof, table");
	assert_string_equal(view_names(names, 0), "");
	assert_true(view_find("folded")->is_data);
	assert_true(view_find("json")->is_data);
	assert_true(view_find("pprof")->is_data);
	assert_true(view_find("pprof")->is_binary);
	assert_false(view_find("table")->is_data);
}

/* Two commands, two objects with a function of one name each, two threads on two CPUs: 1, 2, 4 and 8 samples. */
static struct recording *four(void)
{
	struct recording *r = build_new();
	struct rec_labels a = build_comm(r, "alpha"), b = build_comm(r, "beta");

	a.tgid = a.tid = 100;
	a.cpu = 0;
	BUILD_OF(r, a, 1, USER("f", "/lib/x.so"));
	a.tid = 101;
	a.cpu = 1;
	BUILD_OF(r, a, 2, USER("f", "/lib/y.so"));
	b.tgid = b.tid = 200;
	b.cpu = 1;
	BUILD_OF(r, b, 4, USER("f", "/lib/x.so"));
	BUILD_OF(r, b, 8, USER("g", "/lib/x.so"));
	build_balance(r, 15);
	return r;
}

static void rows_are(const char *sort, const char *want)
{
	struct recording *r = four();
	struct view_options o = all_rows;
	char *rows;

	o.sort = sort;
	rows = view_rows(r, o);
	assert_string_equal(rows, want);
	free(rows);
	recording_free(r);
}

/*
 * Of 15 samples 1 = 6.7 %, 2 = 13.3 %, 3 = 20.0 %, 4 = 26.7 %, 7 = 46.7 %, 8 = 53.3 %, 12 = 80.0 %, 13 = 86.7 %, 14
 * = 93.3 %. Bounds, 196 * sqrt(p (1 - p) / 15): of 1 and 14 12.62, of 2 and 13 17.20, of 3 and 12 20.24, of 4 22.38, of
 * 6 24.79, of 7 and 8 25.25.
 */
static void test_sort_keys(void **state)
{
	(void)state;
	rows_are("comm", "   80.0% +-20.3  beta\n"
			 "          53.3%    |- g\n"
			 "          26.7%    `- f\n"
			 "   20.0% +-20.3  alpha\n"
			 "          13.3%    |- f\n"
			 "           6.7%    `- [... 1 more]\n"); /* one sample alone is no branch */
	rows_are("dso", "   86.7% +-17.3  x.so\n"
			"          53.3%    |- g\n"
			"          33.3%    `- f\n"
			"   13.3% +-17.3  y.so\n"
			"                   f\n");
	rows_are("sym", "   53.3% +-25.3  [.] g\n"
			"   46.7% +-25.3  [.] f\n");
	rows_are("pid,sym", "   53.3% +-25.3  200  [.] g\n"
			    "   26.7% +-22.4  200  [.] f\n"
			    "   20.0% +-20.3  100  [.] f\n");
	rows_are("sym,tid", "   53.3% +-25.3  [.] g   200\n"
			    "   26.7% +-22.4  [.] f   200\n"
			    "   13.3% +-17.3  [.] f   101\n"
			    "    6.7% +-12.7  [.] f   100\n");
	rows_are("cpu,sym", "   53.3% +-25.3    1  [.] g\n"
			    "   40.0% +-24.8    1  [.] f\n"
			    "    6.7% +-12.7    0  [.] f\n");
	rows_are(NULL, "   53.3% +-25.3  beta     x.so    g\n"
		       "   26.7% +-22.4  beta     x.so    f\n"
		       "   13.3% +-17.3  alpha    y.so    f\n"
		       "    6.7% +-12.7  alpha    x.so    f\n");
}

/* Equal rows stand in the order of their names, not in that in which they came. */
static void test_ties(void **state)
{
	struct recording *r = build_new();
	char *rows;

	(void)state;
	BUILD(r, "b", 5, USER("f", PROG));
	BUILD(r, "a", 5, USER("g", PROG));
	BUILD(r, "a", 5, USER("f", PROG));
	BUILD(r, "a", 5, USER("f", "/usr/bin/a"));
	build_balance(r, 20);
	rows = view_rows(r, all_rows);
	assert_string_equal(rows, "   25.0% +-19.0  a        a       f\n"
				  "   25.0% +-19.0  a        prog    f\n"
				  "   25.0% +-19.0  a        prog    g\n"
				  "   25.0% +-19.0  b        prog    f\n");
	free(rows);
	recording_free(r);
}

/* Two containers' libraries of one name are one object, a module of that name is not. */
static void test_objects(void **state)
{
	struct recording *r = build_new();
	char *rows;

	(void)state;
	BUILD(r, "a", 50, USER("f", "/a/ext4"));
	BUILD(r, "a", 30, USER("f", "/b/ext4"));
	BUILD(r, "a", 20, { "f", "ext4", MAPPING_MODULE, WHY_NAMED, 1 });
	build_balance(r, 100);
	rows = view_rows(r, all_rows);
	assert_string_equal(rows, "   80.0%  +-7.9  a        ext4    f\n"
				  "   20.0%  +-7.9  a        [ext4]  f\n");
	free(rows);
	recording_free(r);
}

/* Is `name` among the frames? */
static bool calls(const struct recording *r, const struct rec_sample *s, const char *name, bool leaf)
{
	const struct rec_stack *stack = &r->stacks[s->stack];
	unsigned n = stack->kernel_frames + stack->user_frames;

	for (unsigned i = 0; i < (leaf && n ? 1 : n); i++)
		if (!strcmp(recording_str(r, r->locations[r->frames[stack->first + i]].name), name))
			return true;
	return !n && !strcmp(name, "[no stack]");
}

/* Each row against a count over all samples, and the rows of self against the whole. */
static void check_rows(const struct recording *r, char *rows)
{
	unsigned sum = 0;

	for (char *line = strtok(rows, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned all = 0, self = 0;
		char share[16], self_share[16], name[32];

		if (sscanf(line, " %15s %15s +-%*s [.] %31[^\n]", share, self_share, name) != 3)
			continue;
		for (size_t i = 0; i < r->n_samples; i++) {
			all += calls(r, &r->samples[i], name, false) ? (unsigned)r->samples[i].fires : 0;
			self += calls(r, &r->samples[i], name, true) ? (unsigned)r->samples[i].fires : 0;
		}
		assert_int_equal(tenths(share), all);
		assert_int_equal(tenths(self_share), self);
		sum += self;
	}
	assert_int_equal(sum, 1000);
}

static void test_rows_sum(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 20; seed++) {
		struct recording *r = random_thousand(seed);
		char *rows = view_rows(r, (struct view_options){ .sort = "sym", .children = true });

		check_rows(r, rows);
		free(rows);
		recording_free(r);
	}
}

/* However many rows are shown, they and the rest are what was kept. */
static void test_shown_and_left(void **state)
{
	struct recording *r = random_thousand(7);
	static const uint64_t tops[] = { 0, 1, 3, 1000, VIEW_TOP_AUTO };

	(void)state;
	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
		char *text = build_view("table", r, (struct view_options){ .top = tops[i] });
		unsigned shown, left, kept;

		assert_int_equal(sscanf(strstr(text, "table:"), "table: %u samples shown + %u left out = %u kept",
					&shown, &left, &kept),
				 3);
		assert_int_equal(shown + left, 1000);
		assert_int_equal(kept, 1000);
		assert_true(tops[i] || !left);
		assert_true(tops[i] != 1 || left);
		free(text);
	}
	recording_free(r);
}

/* A drain that lost rows does not go by unseen. */
static void test_missing_samples(void **state)
{
	struct recording *r = random_thousand(7);
	char *text;

	(void)state;
	r->sampling.kept = 1001;
	text = build_view("table", r, all_rows);
	has(text, "warning: the BPF program kept 1001, the table holds 1000");
	free(text);
	recording_free(r);
}

/* Nothing reaches 0.5 %: the first ten are shown all the same. */
static void test_many_small(void **state)
{
	struct recording *r = build_new();
	char *text;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%03d", i);
		BUILD(r, "a", 1, USER(name, PROG));
	}
	build_balance(r, 1000);
	text = build_view("table", r, (struct view_options){ .top = VIEW_TOP_AUTO });
	has(text, "f009\n");
	has_not(text, "f010");
	has(text, "   99.0%  in 990 more rows (--top 0 shows all)\n");
	has(text, "table: 10 samples shown + 990 left out = 1000 kept\n");
	free(text);
	recording_free(r);
}

/* 50 rows of 2 %: all are worth showing, but 40 are what a person reads. */
static void test_most_rows(void **state)
{
	struct recording *r = build_new();
	char *text;

	(void)state;
	for (int i = 0; i < 50; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%02d", i);
		BUILD(r, "a", 2, USER(name, PROG));
	}
	build_balance(r, 100);
	text = build_view("table", r, (struct view_options){ .top = VIEW_TOP_AUTO });
	has(text, "f39\n");
	has_not(text, "f40");
	has(text, "   20.0%  in 10 more rows (--top 0 shows all)\n");
	free(text);
	text = build_view("table", r, all_rows);
	has(text, "f49\n");
	has(text, "table: 100 samples shown + 0 left out = 100 kept\n");
	free(text);
	recording_free(r);
}

static void limit_is(struct recording *r, struct view_options o, const char *want)
{
	char *rows = view_rows(r, o);

	assert_string_equal(rows, want);
	free(rows);
}

/* Rows of 53.3, 26.7, 13.3 and 6.7 %, see test_sort_keys(). A limit is met by the very share. */
static void test_percent_limit(void **state)
{
	static const char two[] = "   53.3% +-25.3  beta     x.so    g\n"
				  "   26.7% +-22.4  beta     x.so    f\n"
				  "   20.0%  in 2 more rows (--percent-limit 0 shows all)\n";
	struct recording *r = four(), *fifty = build_new();
	char *text;

	(void)state;
	limit_is(r, (struct view_options){ .min_pct = 13.4 }, two);
	limit_is(r, (struct view_options){ .min_pct = 13.4, .top = VIEW_TOP_AUTO }, two);
	limit_is(r, (struct view_options){ .min_pct = 13.4, .top = 1 },
		 "   53.3% +-25.3  beta     x.so    g\n"
		 "   46.7%  in 3 more rows (--top 0 shows all)\n");
	limit_is(r, (struct view_options){ .min_pct = 100 },
		 "  100.0%  in 4 more rows (--percent-limit 0 shows all)\n");
	text = build_view("table", r, (struct view_options){ .min_pct = 13.4 });
	has(text, "table: 12 samples shown + 3 left out = 15 kept\n");
	free(text);
	recording_free(r);
	/* 0.7 % of 10 000 is 69.999... in binary; and with a limit there is no other. */
	for (int i = 0; i < 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%02d", i);
		BUILD(fifty, "a", i < 50 ? 70 : 130, USER(name, PROG));
	}
	build_balance(fifty, 10000);
	text = build_view("table", fifty, (struct view_options){ .min_pct = 0.7, .top = VIEW_TOP_AUTO });
	has(text, "table: 10 000 samples shown + 0 left out = 10 000 kept\n");
	free(text);
	text = build_view("table", fifty, (struct view_options){ .min_pct = 0.71, .top = VIEW_TOP_AUTO });
	has(text, "   35.0%  in 50 more rows (--percent-limit 0 shows all)\n");
	free(text);
	recording_free(fifty);
}

/* Sums beyond 2^31 and 2^32, whose difference as an int has the wrong sign. */
static void test_large_counts(void **state)
{
	static const uint64_t fires[] = { 3000000000, 1, 6000000000, 500000000 };
	struct recording *r = build_new();
	char *rows;

	(void)state;
	for (int i = 0; i < 4; i++) {
		char name[] = { (char)('a' + i), 0 };
		const struct build_frame f = USER(name, PROG);

		build_add(r, build_comm(r, "x"), build_stack(r, &f, 1), fires[i], fires[i] << 28);
	}
	build_balance(r, 9500000001);
	rows = view_rows(r, all_rows);
	assert_string_equal(rows, "   63.2%  +-0.1  x        prog    c\n"
				  "   31.6%  +-0.1  x        prog    a\n"
				  "    5.3%  +-0.1  x        prog    d\n"
				  "   <0.1%  +-0.1  x        prog    b\n");
	free(rows);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_key),	cmocka_unit_test(test_views),
		cmocka_unit_test(test_sort_keys),	cmocka_unit_test(test_ties),
		cmocka_unit_test(test_objects),		cmocka_unit_test(test_most_rows),
		cmocka_unit_test(test_rows_sum),	cmocka_unit_test(test_shown_and_left),
		cmocka_unit_test(test_missing_samples), cmocka_unit_test(test_many_small),
		cmocka_unit_test(test_large_counts),	cmocka_unit_test(test_percent_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
