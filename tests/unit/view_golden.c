/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Views byte for byte. The recordings are small enough to reckon every number by hand, which the
 * comments do. UPDATE_GOLDEN=1 writes the files anew: then read the difference.
 *
 * A bound is 1.96 * sqrt((1 - p) / n) * share, n being the row's samples and p = n / all samples.
 */
#include <locale.h>
#include <stdio.h>

#include "golden.h"

#define BURN "/usr/bin/burn"
#define LIBC "/usr/lib/x86_64-linux-gnu/libc.so.6"

/*
 * 2000 fires due in 10 s on 2 CPUs at 100 Hz = 1200 kept + 700 idle + 60 lost + 40 not delivered (2.0 %);
 * seen are 1960 in 20 s of running time: 98.0 Hz. Of what was due 1260 = 63.0 % were busy, the lost ones too, and 700 =
 * 35.0 % idle; lost 60 / 1260 = 4.8 %.
 *
 *	hot_a		480 = 40.0 %	sqrt(.6 / 480) = .035355	bound 2.77 -> 2.8
 *	copy_page	300 = 25.0 %	sqrt(.75 / 300) = .05		2.45 -> 2.5
 *	libfoo.so	180 = 15.0 %	sqrt(.85 / 180) = .068718	2.02 -> 2.1
 *	fib		174 = 14.5 %	sqrt(.855 / 174) = .070099	1.99 -> 2.0
 *	process gone	 60 =  5.0 %	sqrt(.95 / 60) = .125831	1.23 -> 1.3
 *	tiny_0 ... 5	  6 =  0.5 %, 0.08 % each: left out
 */
static struct recording *burn(void)
{
	struct recording *r = build_new();

	/* Callers of hot_a: 360 / 1200 = 30.0 %, 114 / 1200 = 9.5 %, 6 / 1200 = 0.5 %, less than a tenth of the row. */
	BUILD(r, "burn", 114, USER("hot_a", BURN), USER("retry", BURN), USER("work", BURN), USER("main", BURN));
	BUILD(r, "burn", 360, USER("hot_a", BURN), USER("work", BURN), USER("main", BURN));
	BUILD(r, "burn", 6, USER("hot_a", BURN), USER("debug", BURN), USER("main", BURN));
	BUILD(r, "burn", 300, KERNEL("copy_page"), KERNEL("vfs_read"), USER("read", LIBC), USER("main", BURN));
	/* Three addresses of a stripped library are one row. */
	BUILD(r, "burn", 100, STRIPPED("/opt/libfoo.so", 0x1000), USER("main", BURN));
	BUILD(r, "burn", 50, STRIPPED("/opt/libfoo.so", 0x1010), STRIPPED("/opt/libfoo.so", 0x1030),
	      USER("main", BURN));
	BUILD(r, "burn", 30, STRIPPED("/opt/libfoo.so", 0x1020), USER("main", BURN));
	BUILD(r, "sh", 60, NOWHERE(WHY_PROCESS_GONE, 0x7f0000001000));
	BUILD(r, "fib", 120, USER("fib", "/bin/fib"), USER("fib", "/bin/fib"), USER("main", "/bin/fib"));
	BUILD(r, "fib", 54, USER("fib", "/bin/fib"), USER("main", "/bin/fib"));
	for (char tiny[] = "tiny_0"; tiny[5] < '6'; tiny[5]++)
		BUILD(r, "burn", 1, USER(tiny, BURN), USER("main", BURN));
	r->sampling.idle = 700;
	r->lost.by_cause[LOST_MAP_FULL] = 50;
	r->lost.by_cause[LOST_MAP_BUSY] = 10;
	build_balance(r, 2000);
	return r;
}

static void test_table(void **state)
{
	(void)state;
	check_golden("table", "table", burn(), (struct view_options){ .top = VIEW_TOP_AUTO, .width = 80 });
}

/*
 * Cumulative: main is in all of burn's 966 samples: 80.5 %, of which work 474 = 39.5 %, read 300, libfoo.so
 * 180, and debug 6 with the six tiny ones 12 = 1.0 %, less than a tenth of the row each. Its bound: sqrt(.195 / 966) =
 * .014208, 2.24 -> 2.3. work has the bound sqrt(.605 / 474) = .035726, 2.77 -> 2.8; retry 114 = 9.5 %: sqrt(.905 / 114)
 * = .089099, 1.66 -> 1.7; debug 6: sqrt(.995 / 6) = .407226, 0.40 -> 0.4. fib calls itself, but counts once.
 */
static void test_children(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	check_golden("table_children", "table", burn(),
		     (struct view_options){ .children = true, .top = VIEW_TOP_AUTO, .width = 80 });
	setlocale(LC_CTYPE, "C");
}

/*
 * Of 1900 with idle: [idle] 700 = 36.8 %, sqrt((1 - .368421) / 700) = .030037, bound 2.17 -> 2.2; burn 966 = 50.8 %,
 * sqrt(.491579 / 966) = .022558, 2.25 -> 2.3. Red from 5 % on. The other two, 234 = 12.3 %, are cut by --top 2.
 */
static void test_idle(void **state)
{
	(void)state;
	check_golden("table_idle", "table", burn(),
		     (struct view_options){ .sort = "comm", .idle = true, .top = 2, .color = true, .width = 80 });
}

static void test_folded(void **state)
{
	(void)state;
	check_golden("folded", "folded", burn(), (struct view_options){ .idle = true, .top = VIEW_TOP_AUTO });
}

/*
 * A target, an event that is no time, and each note that the footer knows.
 * 998 due = 400 kept + 90 idle + 500 other tasks + 10 lost - 2 more than due (0.2 %). Of the 990 that were classified
 * 400 = 40.4 %, 500 = 50.5 %, 90 = 9.1 %. Lost 10 / 410 = 2.4 %. 1000 seen in 6.2 s of running time: 161.3 Hz.
 *
 * The periods vary: 60 samples in parse are 180 000 of 400 000 misses = 45.0 %: sqrt(.85 / 60) = .119024, bound
 * 10.498 -> 10.5; 40 whose kernel side failed 120 000 = 30.0 %: sqrt(.9 / 40) = .15, 8.82 -> 8.9; 300 in scan 100 000 =
 * 25.0 %: sqrt(.25 / 300) = .028868, 1.41 -> 1.5. In folded lines the mean period of 1000 is one: 180, 120, 100.
 * 300 of 400 samples are truncated = 75.0 %, 40 lack a side = 10.0 %. 80 ms / 100 000 = 800 ns a run; 80 ms and 50 ms
 * of 10 s are 0.8 % and 0.5 %. 3 / 400 = 0.75 %.
 */
static struct recording *misses(void)
{
	const struct build_frame parse[] = { NOWHERE(WHY_STACK_FAILED, 0), USER("parse", BURN), USER("main", BURN) };
	const struct build_frame scan[] = { USER("scan", BURN), USER("main", BURN), NOWHERE(WHY_TRUNCATED, 0) };
	struct recording *r = build_new();
	struct rec_sampling *s = &r->sampling;

	build_add(r, build_comm(r, "burn"), build_stack(r, parse + 1, 2), 60, 180000);
	build_add(r, build_comm(r, "burn"), build_stack(r, parse, 3), 40, 120000);
	build_add(r, build_comm(r, "burn"), build_stack(r, scan, 3), 300, 100000);
	strcpy(r->meta.target, "PID 812");
	strcpy(s->event, "cache-misses");
	strcpy(s->unit, "cache-misses");
	strcpy(s->fallback, "cycles: ENOENT");
	s->is_time = false;
	s->asked_hz = 0;
	s->asked_period = 100000;
	s->idle_is_guess = true;
	s->idle = 90;
	s->filtered = 500;
	s->enabled_ns = 10000000000;
	s->running_ns = 6200000000;
	s->user_stacks = 100;
	s->short_user_stacks = 62;
	r->lost.by_cause[LOST_MAP_FULL] = 1;
	r->lost.by_cause[LOST_MAP_BUSY] = 2;
	r->lost.by_cause[LOST_MAP_ERROR] = 3;
	r->lost.by_cause[LOST_COLLISION] = 4;
	r->lost.by_cause[LOST_TARGET_FULL] = 7;
	r->cost = (struct rec_cost){ true, 80000000, 100000, 50000000 };
	build_balance(r, 998);
	return r;
}

static void test_target(void **state)
{
	(void)state;
	check_golden("table_target", "table", misses(), (struct view_options){ .top = VIEW_TOP_AUTO, .width = 80 });
}

static void test_folded_weights(void **state)
{
	(void)state;
	check_golden("folded_weights", "folded", misses(), (struct view_options){ .top = VIEW_TOP_AUTO });
}

/* The same numbers again: 1200 kept of 2000, 12 s; and 400 of 998, 400 000 misses. */
static void test_json(void **state)
{
	(void)state;
	check_golden("json", "json", burn(), (struct view_options){ .top = VIEW_TOP_AUTO });
	check_golden("json_target", "json", misses(), (struct view_options){ .top = VIEW_TOP_AUTO });
}

/* Threads apart, in a pipe: nothing is cut, and long names push no other row aside. */
static void test_threads(void **state)
{
	static const char *const name = "std::vector<std::pair<std::string, std::shared_ptr<configuration::node>>>::"
					"_M_realloc_insert(iterator, value_type const&)";
	struct recording *r = build_new();
	struct rec_labels labels = build_comm(r, "worker");

	(void)state;
	labels.tgid = 812;
	for (labels.tid = 812; labels.tid < 816; labels.tid++) {
		labels.cpu = labels.tid == 815 ? 399 : labels.tid & 1;
		BUILD_OF(r, labels, 25, USER(name, BURN), USER("main", BURN));
	}
	r->sampling.running_ns = r->sampling.enabled_ns = 1000000000;
	build_balance(r, 100);
	check_golden("table_threads", "table", r,
		     (struct view_options){ .sort = "pid,tid,comm,sym,cpu", .top = VIEW_TOP_AUTO });
}

static void test_folded_threads(void **state)
{
	struct recording *r = build_new();
	struct rec_labels labels = build_comm(r, "worker");

	(void)state;
	labels.tgid = 812;
	BUILD_OF(r, labels, 5, USER("main", BURN));
	labels.tid = 813;
	BUILD_OF(r, labels, 6, KERNEL("schedule"), USER("main", BURN));
	BUILD_OF(r, labels, 7, KERNEL("schedule"));
	labels.cpu = 3; /* not told apart in a folded line: 7 + 2 = 9 */
	BUILD_OF(r, labels, 2, KERNEL("schedule"));
	build_add(r, labels, build_stack(r, NULL, 0), 4, 4 * PERIOD_NS);
	build_balance(r, 24);
	check_golden("folded_threads", "folded", r, (struct view_options){ .sort = "tid", .top = VIEW_TOP_AUTO });
}

static void test_empty(void **state)
{
	struct recording *r = build_new();

	(void)state;
	r->sampling.idle = 2000;
	build_balance(r, 2000);
	check_golden("table_empty", "table", r, (struct view_options){ .top = VIEW_TOP_AUTO, .width = 80 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	cmocka_unit_test(test_children),
		cmocka_unit_test(test_idle),	cmocka_unit_test(test_folded),
		cmocka_unit_test(test_target),	cmocka_unit_test(test_folded_weights),
		cmocka_unit_test(test_threads), cmocka_unit_test(test_folded_threads),
		cmocka_unit_test(test_empty),	cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
