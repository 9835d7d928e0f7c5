/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands around the table: the reason when there is nothing, and books that show a fault. */
#include <stdio.h>

#include "view_build.h"

#define PROG "/usr/bin/prog"

static void expect(struct recording *r, struct view_options o, const char *want, const char *not_wanted)
{
	char *text = build_view("table", r, o);

	if (want && !strstr(text, want))
		fail_msg("no \"%s\" in:\n%s", want, text);
	if (not_wanted && strstr(text, not_wanted))
		fail_msg("\"%s\" in:\n%s", not_wanted, text);
	if (strstr(text, "nan") || strstr(text, "inf "))
		fail_msg("no number in:\n%s", text);
	free(text);
}

static void says(struct recording *r, const char *want)
{
	expect(r, (struct view_options){ 0 }, want, NULL);
}

static void says_not(struct recording *r, const char *not_wanted)
{
	expect(r, (struct view_options){ 0 }, NULL, not_wanted);
}

static void test_no_samples(void **state)
{
	struct recording *r = build_new();
	char *text;

	(void)state;
	build_balance(r, 0);
	says(r, "no samples: cpu-clock did not come often enough");
	build_balance(r, 2000);
	says(r, "no samples: none of the 2000 that were due was delivered");
	r->sampling.idle = 1990;
	build_balance(r, 2000);
	says(r, "no samples: the CPUs were idle (1990 samples, --idle shows them)");
	r->sampling.filtered = 8;
	build_balance(r, 2000);
	says(r, "no samples: the target did not run when one was taken (8 of other tasks, 1990 idle)");
	r->lost.by_cause[LOST_MAP_FULL] = 2;
	build_balance(r, 2000);
	says(r, "no samples: 2 were lost");
	r->sampling.running_ns = 0;
	says(r, "no samples: cpu-clock never counted");
	says_not(r, "overhead");
	says_not(r, "rare:");
	text = build_view("folded", r, (struct view_options){ 0 });
	assert_string_equal(text, "");
	free(text);
	recording_free(r);
}

static void test_only_idle(void **state)
{
	struct recording *r = build_new();
	char *text;

	(void)state;
	r->sampling.idle = 2000;
	build_balance(r, 2000);
	expect(r, (struct view_options){ .idle = true }, "  100.0%  +-0.0  [idle]\n", "no samples");
	expect(r, (struct view_options){ .idle = true },
	       "table: 2000 samples shown + 0 left out = 0 kept + 2000 idle\n", NULL);
	text = build_view("folded", r, (struct view_options){ .idle = true });
	assert_string_equal(text, "[idle] 2000\n");
	free(text);
	recording_free(r);
}

/* A period of 0 is nonsense, but no reason for one. */
static void test_no_weight(void **state)
{
	const struct build_frame frames[] = { USER("f", PROG), USER("main", PROG) };
	struct recording *r = build_new();
	char *text;

	(void)state;
	build_add(r, build_comm(r, "a"), build_stack(r, frames, 2), 10, 0);
	build_balance(r, 10);
	says(r, "    0.0%  +-0.0  a        prog    f\n");
	says(r, "table: 10 samples shown + 0 left out = 10 kept\n");
	text = build_view("folded", r, (struct view_options){ 0 });
	assert_string_equal(text, "a;main;f 10\n");
	free(text);
	recording_free(r);
}

static struct recording *hundred(void)
{
	struct recording *r = build_new();

	BUILD(r, "a", 100, USER("f", PROG));
	build_balance(r, 100);
	return r;
}

static void test_books(void **state)
{
	struct recording *r = hundred();

	(void)state;
	says(r, "books: 100 due = 100 kept + 0 idle + 0 lost + 0 not delivered (0.0 %)\n");
	says(r, "lost: 0\n");
	says_not(r, "not delivered: ");
	build_balance(r, 101); /* 1 of 101 is 0.99 %: too little to explain */
	says(r, "+ 1 not delivered (1.0 %)\n");
	says_not(r, "not delivered: ");
	build_balance(r, 102);
	says(r, "+ 2 not delivered (2.0 %)\n");
	says(r, "not delivered: ");
	build_balance(r, 98);
	says(r, "- 2 more than due (2.0 %)\n");
	says_not(r, "not delivered: ");
	recording_free(r);
}

/* No share claims what was not delivered; below 1 % of what was due it is not worth the words. */
static void test_shares(void **state)
{
	struct recording *r = hundred();

	(void)state;
	r->sampling.idle = 100;
	build_balance(r, 202); /* 2 of 202 are 0.99 % */
	says(r, "CPU time: 50.0 % busy, 50.0 % idle; lost: 0 (0.0 %)\n");
	r->sampling.idle = 4;
	build_balance(r, 200); /* 96 */
	says(r, "CPU time: 50.0 % busy, 2.0 % idle, 48.0 % not delivered; lost: 0 (0.0 %)\n");
	r->lost.by_cause[LOST_MAP_BUSY] = 10; /* busy they were: 110 of 200; 10 of the 110 are lost */
	build_balance(r, 200);
	says(r, "CPU time: 55.0 % busy, 2.0 % idle, 43.0 % not delivered; lost: 10 (9.1 %)\n");
	r->sampling.filtered = 60;
	build_balance(r, 200);
	says(r, "CPU time: 55.0 % target, 30.0 % other tasks, 2.0 % idle, 13.0 % not delivered; lost: 10 (9.1 %)\n");
	recording_free(r);
}

static bool is_of_b(const struct recording *r, const struct rec_sample *s, void *arg)
{
	(void)arg;
	return !strcmp(recording_str(r, s->labels.comm), "b");
}

/* Of 140 samples kept 40 are shown, half of them cut: all that is said of the result is said of these. */
static void test_selection(void **state)
{
	struct recording *r = hundred();

	(void)state;
	BUILD(r, "b", 20, USER("g", PROG));
	BUILD(r, "b", 20, USER("h", PROG), NOWHERE(WHY_TRUNCATED, 0));
	build_balance(r, 140);
	says_not(r, "shown: 1");
	says_not(r, "selected");
	recording_select(r, is_of_b, NULL);
	strcpy(r->selection.text, "comm=b");
	says(r, "profile of whole machine: 140 samples in");
	says(r, "\nshown: 40 of 140 samples kept (comm=b)\n");
	says(r, "   50.0% +-15.5  b        prog    g\n");
	says(r, "table: 40 samples shown + 0 left out + 100 not selected = 140 kept\n");
	says(r, "books: 140 due = 140 kept (40 shown + 100 not) + 0 idle + 0 lost + 0 not delivered");
	says(r, "shares: of 400.0 ms CPU time without idle\n");
	says(r, "stacks: 50.0 % are cut");
	says(r, "never seen in 40 samples may still hold up to 7.5 % (3/N");
	says_not(r, "warning");
	recording_free(r);
}

static bool is_none(const struct recording *r, const struct rec_sample *s, void *arg)
{
	(void)r;
	(void)s;
	(void)arg;
	return false;
}

static void test_nothing_selected(void **state)
{
	struct recording *r = hundred();

	(void)state;
	recording_select(r, is_none, NULL);
	strcpy(r->selection.text, "comm=zz");
	says(r, "no samples: none of the 100 kept has comm=zz\n");
	says(r, "books: 100 due = 100 kept (0 shown + 100 not)");
	says_not(r, "rare:");
	recording_free(r);
}

/* What the program saw and counted nowhere, or twice, is not hidden by the sum. */
static void test_unexplained(void **state)
{
	struct recording *r = hundred();

	(void)state;
	says_not(r, "unexplained");
	r->sampling.seen += 7;
	says(r, "+ 0 lost + 7 unexplained + 0 not delivered");
	r->sampling.seen -= 10;
	says(r, "+ 0 lost - 3 unexplained + 0 not delivered");
	recording_free(r);
}

/* A child that is not followed is no sample: the books balance without it. */
static void test_not_followed(void **state)
{
	struct recording *r = hundred();

	(void)state;
	says_not(r, "not followed");
	r->lost.by_cause[LOST_TARGET_FULL] = 3;
	says(r, "not followed: 3 children of the target");
	says(r, "lost: 0\n");
	says_not(r, "unexplained");
	recording_free(r);
}

static void test_every_loss(void **state)
{
	(void)state;
	for (int cause = 0; cause < LOST_CAUSES; cause++) {
		struct recording *r = hundred();

		r->lost.by_cause[cause] = 100;
		build_balance(r, cause == LOST_TARGET_FULL ? 100 : 200);
		says(r, lost_name((enum lost_cause)cause));
		says_not(r, "unexplained");
		if (cause != LOST_TARGET_FULL)
			says(r, "(50.0 % of 200)\n");
		recording_free(r);
	}
}

static void test_notes(void **state)
{
	struct recording *r = hundred();
	struct rec_sampling *s = &r->sampling;

	(void)state;
	/* 3 / 100 */
	says(r, "a function never seen in 100 samples may still hold up to 3 % (3/N");
	says(r, "skid: cpu-clock is a timer");
	strcpy(s->event, "task-clock:u");
	says(r, "skid: task-clock:u is a timer");
	strcpy(s->event, "cpu-clocks");
	says_not(r, "skid");
	strcpy(s->event, "cycles:k");
	strcpy(r->meta.kernel, "6.1.0 x86_64");
	says_not(r, "skid");
	strcpy(r->meta.kernel, "6.1.0 aarch64");
	says(r, "skid: time with interrupts off is shown where they are enabled again, unless arm64's PMU");
	strcpy(s->event, "page-faults");
	says_not(r, "skid");
	s->user_stacks = 100;
	s->short_user_stacks = 20;
	says_not(r, "user stacks");
	s->short_user_stacks = 21;
	says(r, "user stacks: 21.0 % have two frames or fewer");
	s->running_ns = s->enabled_ns - s->enabled_ns / 2000; /* 0.05 %: the time between two reads */
	says_not(r, "counted:");
	s->running_ns = s->enabled_ns / 2;
	says(r, "counted: 50.0 % of the time");
	says_not(r, "own cost");
	r->cost.known = true;
	says(r, "own cost: 0 ns a BPF run");
	recording_free(r);
}

/* Lines are broken between words, but numbers stay whole; in a pipe not at all. */
static void test_wrapping(void **state)
{
	struct recording *r = hundred();

	(void)state;
	r->sampling.filtered = 1234567;
	build_balance(r, 1234667);
	expect(r, (struct view_options){ .width = 40 },
	       "books: 1 234 667 due = 100 kept + 0 idle\n  + 1 234 567 other tasks + 0 lost + 0\n  not delivered (0.0 "
	       "%)\n",
	       NULL);
	expect(r, (struct view_options){ 0 },
	       "books: 1 234 667 due = 100 kept + 0 idle + 1 234 567 other tasks + 0 lost + 0 not delivered (0.0 %)\n",
	       NULL);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_samples),  cmocka_unit_test(test_only_idle),
		cmocka_unit_test(test_no_weight),   cmocka_unit_test(test_books),
		cmocka_unit_test(test_unexplained), cmocka_unit_test(test_not_followed),
		cmocka_unit_test(test_every_loss),  cmocka_unit_test(test_notes),
		cmocka_unit_test(test_wrapping),    cmocka_unit_test(test_shares),
		cmocka_unit_test(test_selection),   cmocka_unit_test(test_nothing_selected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
