/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Works, replayed in the order in which kernel/workqueue.c tells of them. Waits and runs are known from the times in
 * the replay.
 */
#include "irq_work_host.h"

static struct task_struct idle = { .comm = "swapper", .se.cfs_rq = &cfs_rq };
static struct work_struct twin = { .func = &flush };

static void waits_and_runs_by_function(void **state)
{
	const struct irq_row *row;

	(void)state;
	start_over();
	queue(1000, &work);
	queue(1100, &twin);
	queue(1200, &second);
	start(1500, &work);
	end(1700, &work);
	start(1800, &twin);
	end(2800, &twin);
	start(2900, &second);
	end(2950, &second);
	row = row_of(IRQ_WORK, &flush, 0);
	assert_hist(&row->of[IRQ_WAIT], 2, 500 + 700, 700);
	assert_hist(&row->of[IRQ_RUN], 2, 200 + 1000, 1000);
	assert_int_equal(row->gross_ns, 1200);
	assert_int_equal(row->longest_ns[IRQ_WAIT], 1800);
	assert_int_equal(row->longest_ns[IRQ_RUN], 2800);
	assert_int_equal(row->no_start + row->joined, 0);
	assert_hist(&row_of(IRQ_WORK, &reset, 0)->of[IRQ_WAIT], 1, 1700, 1700);
	assert_int_equal(fake.n_rows, 2);
	assert_int_equal(fake.n_queued, 3); /* and their places are used again */
	queue(3000, &work);
	assert_int_equal(fake.n_queued, 3);
	assert_nothing_missed();
}

/* It queues itself anew while it runs: from then on it waits for the next time. */
static void requeues_while_it_runs(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	start(1300, &work);
	queue(1400, &work);
	end(1600, &work);
	start(1900, &work);
	end(2000, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 2, 300 + 500, 500);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_RUN], 2, 300 + 100, 300);
	assert_nothing_missed();
}

/* Another CPU queues it when a worker has taken it and not yet told that it starts. */
static void queued_just_before_the_start(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	takes(&work);
	queue(1290, &work);
	tells(1300, &work);
	end(1600, &work);
	start(1990, &work);
	end(2000, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 2, 300 + 700, 700);
	assert_int_equal(row_of(IRQ_WORK, &flush, 0)->no_start, 0);
	assert_nothing_missed();
}

/* The kernel does not tell of it. It does not wait since before that. */
static void cancelled(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	work.data.counter = 0;
	queue(9000, &work);
	start(9100, &work);
	end(9200, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 1, 100, 100);
	/* Likewise if it is queued once more just before it starts. */
	queue(10000, &work);
	work.data.counter = 0;
	queue(20000, &work);
	takes(&work);
	queue(20200, &work);
	tells(20300, &work);
	end(20400, &work);
	start(20600, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 3, 100 + 300 + 400, 400);
	assert_nothing_missed();
}

static void two_cpus_at_once(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	queue(1000, &second);
	start(1100, &work);
	fake.cpu = 1;
	fake.current = &other;
	start(1200, &second);
	fake.cpu = 0;
	fake.current = &worker;
	end(1400, &work);
	fake.cpu = 1;
	fake.current = &other;
	end(1800, &second);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_RUN], 1, 300, 300);
	assert_hist(&row_of(IRQ_WORK, &reset, 1)->of[IRQ_RUN], 1, 600, 600);
	assert_int_equal(fake.n_rows, 2);
	assert_nothing_missed();
}

/* Waits count where it starts, runs where it ends. */
static void moves_to_another_cpu(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	start(1100, &work);
	fake.cpu = 1;
	end(1400, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 1, 100, 100);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_RUN], 0, 0, 0);
	assert_hist(&row_of(IRQ_WORK, &flush, 1)->of[IRQ_RUN], 1, 300, 300);
	assert_nothing_missed();
}

/* Works of softirqs interrupt another work in the same task, and the idle tasks of two CPUs, which share a tid. */
static void works_within_works(void **state)
{
	(void)state;
	start_over();
	start(1000, &work);
	start(1100, &in_softirq);
	end(1200, &in_softirq);
	end(1500, &work);
	assert_hist(&row_of(IRQ_WORK, &bottom, 0)->of[IRQ_RUN], 1, 100, 100);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_RUN], 1, 500, 500);
	fake.current = &idle;
	start(2000, &in_softirq);
	fake.cpu = 1;
	start(2100, &second);
	fake.cpu = 0;
	end(2300, &in_softirq);
	fake.cpu = 1;
	end(2600, &second);
	assert_hist(&row_of(IRQ_WORK, &bottom, 0)->of[IRQ_RUN], 2, 100 + 300, 300);
	assert_hist(&row_of(IRQ_WORK, &reset, 1)->of[IRQ_RUN], 1, 500, 500);
	assert_nothing_missed();
}

static void beginnings_and_ends_unseen(void **state)
{
	(void)state;
	start_over();
	start(1000, &work); /* queued before we were there */
	assert_int_equal(row_of(IRQ_WORK, &flush, 0)->no_start, 1);
	end(1100, &work);
	end(1200, &second); /* began before that */
	assert_int_equal(fake.counts[IRQ_COUNT_NO_ENTRY], 1);
	start(2000, &work); /* does not end ... */
	start(2100, &second);
	end(2200, &second);
	assert_hist(&row_of(IRQ_WORK, &reset, 0)->of[IRQ_RUN], 1, 100, 100);
	start(2300, &second); /* ... nor this */
	start(2400, &in_softirq);
	assert_int_equal(fake.counts[IRQ_COUNT_MISSED_END], 1);
	end(2500, &in_softirq);
	assert_hist(&row_of(IRQ_WORK, &bottom, 0)->of[IRQ_RUN], 1, 100, 100);
	enabled = 0;
	queue(3000, &work);
	start(3100, &work);
	end(3200, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_RUN], 1, 100, 100);
}

/* Clocks of two CPUs may differ. */
static void negative_times(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	start(990, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 1, 0, 0);
	assert_int_equal(fake.counts[IRQ_COUNT_CLOCK], 1);
}

static void full_tables(void **state)
{
	(void)state;
	start_over();
	fake.fails = -E2BIG;
	queue(1000, &work);
	assert_int_equal(fake.counts[IRQ_COUNT_OPEN_FULL], 1);
	start(1100, &work);
	assert_int_equal(fake.counts[IRQ_COUNT_OPEN_FULL], 2);
	assert_int_equal(row_of(IRQ_WORK, &flush, 0)->no_start, 1);
	end(1200, &work);
	assert_int_equal(fake.counts[IRQ_COUNT_NO_ENTRY], 1);
	fake.fails = -EBUSY;
	queue(2000, &work);
	assert_int_equal(fake.lost[LOST_MAP_BUSY], 1);
	assert_int_equal(fake.counts[IRQ_COUNT_OPEN_FULL], 2);
}

/* -C is for where it runs, wherever it was queued. */
static void of_one_cpu(void **state)
{
	(void)state;
	start_over();
	settings()->by_cpu = 1;
	fake.measured[1] = 1;
	queue(1000, &work);
	queue(1000, &second);
	start(1100, &second);
	end(1200, &second);
	fake.cpu = 1;
	start(1500, &work);
	end(1600, &work);
	assert_int_equal(fake.n_rows, 1);
	assert_hist(&row_of(IRQ_WORK, &flush, 1)->of[IRQ_WAIT], 1, 500, 500);
	/* What started unmeasured leaves no stamp. */
	queue(2000, &second);
	start(2300, &second);
	assert_hist(&row_of(IRQ_WORK, &reset, 1)->of[IRQ_WAIT], 1, 300, 300);
	assert_nothing_missed();
}

static void worst_waits_are_kept(void **state)
{
	(void)state;
	start_over();
	settings()->above_ns = 600;
	for (unsigned i = 1; i <= 3; i++) {
		queue(10000 * i, &work);
		start(10000 * i + 100 * i + 400, &work);
		end(10000 * i + 5000, &work);
	}
	assert_int_equal(worst_of(IRQ_WORST_WORKS, 0)->total_ns + worst_of(IRQ_WORST_WORKS, 1)->total_ns, 700 + 600);
	assert_int_equal(worst_of(IRQ_WORST_WORKS, 0)->measure, IRQ_WAIT);
	assert_int_equal(worst_of(IRQ_WORST_WORKS, 0)->of.kind, IRQ_WORK);
	assert_int_equal(worst_of(IRQ_WORST_WORKS, 0)->of.what, (__u64)(uintptr_t)&flush);
	assert_int_equal(worst_of(IRQ_WORST_WORKS, 0)->task.tid, 41);
	assert_int_equal(fake.counts[IRQ_COUNT_ABOVE], 2);
	assert_int_equal(fake.above[0].total_ns, 600);
	assert_int_equal(fake.offers[0], 0);
	/* One that a softirq starts while a case is written to that list is in the histograms only. */
	fake.offers[0] = 1;
	queue(50000, &in_softirq);
	start(100000, &in_softirq);
	assert_hist(&row_of(IRQ_WORK, &bottom, 0)->of[IRQ_WAIT], 1, 50000, 50000);
	assert_int_equal(fake.offers[0], 1);
	assert_true(worst_of(IRQ_WORST_WORKS, 0)->total_ns + worst_of(IRQ_WORST_WORKS, 1)->total_ns == 700 + 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_and_runs_by_function),
		cmocka_unit_test(requeues_while_it_runs),
		cmocka_unit_test(queued_just_before_the_start),
		cmocka_unit_test(cancelled),
		cmocka_unit_test(two_cpus_at_once),
		cmocka_unit_test(moves_to_another_cpu),
		cmocka_unit_test(works_within_works),
		cmocka_unit_test(beginnings_and_ends_unseen),
		cmocka_unit_test(negative_times),
		cmocka_unit_test(full_tables),
		cmocka_unit_test(of_one_cpu),
		cmocka_unit_test(worst_waits_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
