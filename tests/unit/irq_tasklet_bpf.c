/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasklets: how long they run without what interrupts them, which is known from the times in the replay. */
#include "irq_work_host.h"

static void tasklets_net_of_interrupts(void **state)
{
	struct spans_cpu *spans = &fake.cpus[0].spans;

	(void)state;
	start_over();
	fake.now = 1000;
	spans_softirq_enter(spans, 6);
	fake.now = 1100;
	on_tasklet_entry(NULL, NULL, &flush);
	fake.now = 1200;
	spans_irq_enter(spans, SPAN_HARDIRQ, 45);
	fake.now = 1450;
	spans_irq_exit(spans, SPAN_HARDIRQ, 45);
	fake.now = 1600;
	on_tasklet_exit(NULL, NULL, &flush);
	on_tasklet_entry(NULL, NULL, &reset);
	fake.now = 1640;
	on_tasklet_exit(NULL, NULL, &reset);
	spans_softirq_exit(spans, 6);
	assert_hist(&row_of(IRQ_TASKLET, &flush, 0)->of[IRQ_RUN], 1, 500 - 250, 250);
	assert_int_equal(row_of(IRQ_TASKLET, &flush, 0)->gross_ns, 500);
	assert_hist(&row_of(IRQ_TASKLET, &flush, 0)->of[IRQ_WAIT], 0, 0, 0);
	assert_int_equal(row_of(IRQ_TASKLET, &flush, 0)->no_start, 0);
	assert_hist(&row_of(IRQ_TASKLET, &reset, 0)->of[IRQ_RUN], 1, 40, 40);
	assert_int_equal(worst_of(IRQ_WORST_SOFT, 0)->total_ns, 500);
	assert_int_equal(worst_of(IRQ_WORST_SOFT, 0)->net_ns, 250);
	assert_nothing_missed();
}

/* Where softirqs are not followed the interrupts are those of the task. */
static void tasklets_alone(void **state)
{
	struct spans_cpu *spans = &fake.cpus[0].spans;

	(void)state;
	start_over();
	fake.now = 1100;
	on_tasklet_entry(NULL, NULL, &flush);
	fake.now = 1200;
	spans_irq_enter(spans, SPAN_VECTOR, 0);
	fake.now = 1300;
	spans_irq_exit(spans, SPAN_VECTOR, 0);
	fake.now = 1500;
	on_tasklet_exit(NULL, NULL, &flush);
	assert_hist(&row_of(IRQ_TASKLET, &flush, 0)->of[IRQ_RUN], 1, 300, 300);
	on_tasklet_exit(NULL, NULL, &flush);
	assert_int_equal(fake.counts[IRQ_COUNT_NO_ENTRY], 1);
	on_tasklet_entry(NULL, NULL, &flush);
	on_tasklet_entry(NULL, NULL, &reset);
	assert_int_equal(fake.counts[IRQ_COUNT_MISSED_END], 1);
	on_tasklet_exit(NULL, NULL, &flush);
	assert_int_equal(fake.counts[IRQ_COUNT_NO_ENTRY], 2);
}

/* PREEMPT_RT: one task's is preempted by another one's. */
static void tasklets_of_tasks(void **state)
{
	(void)state;
	start_over();
	settings()->softirqs_are_threads = 1;
	fake.now = 1000;
	on_tasklet_entry(NULL, NULL, &flush);
	fake.current = &other;
	fake.now = 1100;
	on_tasklet_entry(NULL, NULL, &reset);
	fake.now = 1200;
	on_tasklet_exit(NULL, NULL, &reset);
	fake.current = &worker;
	fake.now = 1700;
	on_tasklet_exit(NULL, NULL, &flush);
	assert_hist(&row_of(IRQ_TASKLET, &reset, 0)->of[IRQ_RUN], 1, 100, 100);
	assert_hist(&row_of(IRQ_TASKLET, &flush, 0)->of[IRQ_RUN], 1, 700, 700);
	assert_nothing_missed();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasklets_net_of_interrupts),
		cmocka_unit_test(tasklets_alone),
		cmocka_unit_test(tasklets_of_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
