/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of wakeup. Byte for byte where every number can be reckoned by hand (UPDATE_GOLDEN=1
 * writes the files anew: then read the difference), and piece by piece.
 */
#include <locale.h>
#include <time.h>

#include "golden.h"
#include "latency_build.h"

/*
 * 1000 wakeups in 60 s, 990 of them by a timer, and 12 preemptions. Quantiles are ends of buckets:
 *	timer	6000 in [5888, 6144) 6.1 us, 11000 in [10752, 11264) 11.3 us; p99 is the 981st, 891 + 90 = 981; 990 have
 *no p99.9 waking	3000 in [2944, 3072) 3.1 us, 6000 6.1 us, 20000 in [19456, 20480) 20.5 us; p99 the 990th, p99.9
 *the 999th preempted	14000 in [13824, 14336) 14.3 us, p90 the 11th Bars: 891 = 40 stars, 90 / 891 * 40 = 4.04, 8 and
 *1 less than half a star.
 *
 * Delays as long as 3000, 6000, 11000, 38000 and 187400 lie in quarters from 2560, 5120, 10240, 32768 and 163840 on. Of
 * 990 timers 9 is a hundredth, and from 32768 on there are 9: p99.09. Of the wakings one is as long, and it may
 * be one of the 10 that no timer caused: 9 to 10. The limit of 100 us lies in the quarter from 98304 on.
 *
 *			all 6 857 400 ns	>= 32.8 us 491 400	>= 98.3 us 187 400
 *	handler		4 000 000 58.33 -> 58
 *	switch		1 876 700 27.37 -> 28	110 700 22.53 -> 23	 6 700  3.58 ->  4
 *	NET_RX		  688 200 10.04 -> 10	 88 200 17.95 -> 18	88 200 47.07 -> 47
 *	IRQ 45		  230 000  3.35 ->  3	230 000 46.80 -> 47	30 000 16.01 -> 16
 *	camera-svc	   50 400  0.73 ->  1	 50 400 10.26 -> 10	50 400 26.89 -> 27
 *	interrupts off	   12 100  0.18 ->  0	 12 100  2.46 ->  2	12 100  6.46 ->  6
 */
static void add_delays(struct recording *r)
{
	latency_add(r, "", LATENCY_TIMER, 6000, 891);
	latency_add(r, "", LATENCY_TIMER, 11000, 90);
	latency_add(r, "", LATENCY_TIMER, 38000, 8);
	latency_add(r, "", LATENCY_TIMER, 187400, 1);
	latency_add(r, "", LATENCY_WAKING, 3000, 900);
	latency_add(r, "", LATENCY_WAKING, 6000, 90);
	latency_add(r, "", LATENCY_WAKING, 20000, 9);
	latency_add(r, "", LATENCY_WAKING, 171000, 1);
	latency_add(r, "", LATENCY_ACTIVATION, 900, 1000);
	latency_add(r, "", LATENCY_QUEUE, 2100, 999);
	latency_add(r, "", LATENCY_QUEUE, 169000, 1);
	latency_add(r, "", LATENCY_PREEMPTED, 14000, 11);
	latency_add(r, "", LATENCY_PREEMPTED, 40300, 1);
	latency_took(r, 3000, CAUSE_SWITCH, 0, "", 30000);
	latency_took(r, 6000, CAUSE_TIMER_HANDLER, 0, "", 4000000);
	latency_took(r, 6000, CAUSE_SWITCH, 0, "", 1346000);
	latency_took(r, 11000, CAUSE_SOFTIRQ, 3, "", 600000);
	latency_took(r, 11000, CAUSE_SWITCH, 0, "", 390000);
	latency_took(r, 38000, CAUSE_HARDIRQ, 45, "eth0", 200000);
	latency_took(r, 38000, CAUSE_SWITCH, 0, "", 104000);
	latency_took(r, 187400, CAUSE_TIMER_IRQS_OFF, 0, "", 12100);
	latency_took(r, 187400, CAUSE_SOFTIRQ, 3, "", 88200);
	latency_took(r, 187400, CAUSE_HARDIRQ, 45, "eth0", 30000);
	latency_took(r, 187400, CAUSE_TASK_WORSE, 0, "camera-svc", 50400);
	latency_took(r, 187400, CAUSE_SWITCH, 0, "", 6700);
	latency_preempted_took(r, 14000, CAUSE_TASK_BETTER, "logger", 154000);
	latency_preempted_took(r, 40300, CAUSE_TASK_BETTER, "logger", 40300);
}

/* 12.1 of 187.4 us are 6 %, 88.2 47 %, 30.0 16 %, 50.4 27 %, 6.7 4 %. */
static void add_worst(struct recording *r)
{
	struct rec_case c = latency_case_of(r, LATENCY_TIMER, 187400);

	c.irq_ns = 175300;
	c.waking_ns = 171000;
	c.queued_ns = 169000;
	c.resched_ns = 169100;
	c.flags = WAKE_TIMER | WAKE_PINNED;
	c.waker_stack = LATENCY_STACK(r, "try_to_wake_up", "hrtimer_wakeup", "__hrtimer_run_queues",
				      "hrtimer_interrupt", "__sysvec_apic_timer_interrupt",
				      "sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt",
				      "pv_native_irq_enable", "_raw_spin_unlock_irqrestore", "uart_write", "tty_write");
	c.out_stack = LATENCY_STACK(r, "__schedule", "preempt_schedule", "_raw_spin_unlock", "drm_vblank_put",
				    "drm_ioctl");
	latency_part(r, &c, CAUSE_SOFTIRQ, 3, "", 3, 88200);
	latency_part(r, &c, CAUSE_TASK_WORSE, 0, "camera-svc", 1, 50400);
	c.parts[1].tid = 233;
	c.parts[1].prio = 120;
	latency_part(r, &c, CAUSE_HARDIRQ, 45, "eth0", 3, 30000);
	latency_part(r, &c, CAUSE_TIMER_IRQS_OFF, 0, "", 1, 12100);
	latency_part(r, &c, CAUSE_SWITCH, 0, "", 1, 6700);
	latency_span(r, &c, SPAN_TASK, 233, "camera-svc", -200000, 180700);
	latency_span(r, &c, SPAN_HARDIRQ, 45, "eth0", 20000, 30000);
	latency_span(r, &c, SPAN_SOFTIRQ, 3, "", 30000, 118200);
	latency_span(r, &c, SPAN_SWITCH, 0, "", 180700, 187400);
	assert_int_equal(latency_case(r->latency, &c), 0);
}

static void add_preempted(struct recording *r)
{
	struct rec_case c = latency_case_of(r, LATENCY_PREEMPTED, 40300);

	c.context = SPAN_NONE;
	c.queued_ns = 40300;
	c.preempt_depth = -1;
	latency_part(r, &c, CAUSE_TASK_BETTER, 0, "logger", 1, 40300);
	assert_int_equal(latency_case(r->latency, &c), 0);
}

static struct recording *motor(void)
{
	struct recording *r = latency_new();

	strcpy(r->latency->policy, "FIFO 80");
	r->latency->above_ns = 100000;
	r->latency->worst = 2;
	r->latency->counts[WAKE_COUNT_ABOVE] = 1;
	r->latency->counts[WAKE_COUNT_NO_START] = 1;
	r->latency->counts[WAKE_COUNT_REDUNDANT] = 40;
	add_delays(r);
	add_worst(r);
	add_preempted(r);
	return r;
}

static void test_page(void **state)
{
	(void)state;
	check_golden("latency", "latency", motor(), (struct view_options){ .top = VIEW_TOP_AUTO });
	check_golden("latency_narrow", "latency", motor(), (struct view_options){ .top = VIEW_TOP_AUTO, .width = 80 });
}

static void test_json(void **state)
{
	(void)state;
	check_golden("latency_json", "json", motor(), (struct view_options){ .top = VIEW_TOP_AUTO });
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_json),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
