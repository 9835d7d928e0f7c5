/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of wakeup. Byte for byte where every number can be reckoned by hand (UPDATE_GOLDEN=1
 * writes the files anew: then read the difference), and piece by piece.
 */
#include <locale.h>
#include <time.h>

#include "golden.h"
#include "latency_build.h"
#include "views/latency_causes.h"

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
/* On a terminal no line is wider than it, if words allow. */
static void test_width(void **state)
{
	struct recording *r = motor();
	char *text = build_view("latency", r, (struct view_options){ .top = VIEW_TOP_AUTO, .width = 80 });

	(void)state;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strlen(line) > 80)
			fail_msg("%zu columns: %s", strlen(line), line);
	free(text);
	recording_free(r);
}

/* A quantile wants a value beyond it: one of 2, of 10, of 100, of 1000. */
static void test_quantiles(void **state)
{
	static const struct {
		unsigned n;
		const char *row;
	} rows[] = {
		{ 1, "  waking -> running          1         -         -         -         -    5.0 us" },
		{ 2, "  waking -> running          2    5.0 us         -         -         -    5.0 us" },
		{ 9, "  waking -> running          9    5.0 us         -         -         -    5.0 us" },
		{ 10, "  waking -> running         10    5.0 us    5.0 us         -         -    5.0 us" },
		{ 99, "  waking -> running         99    5.0 us    5.0 us         -         -    5.0 us" },
		{ 100, "  waking -> running        100    5.0 us    5.0 us    5.0 us         -    5.0 us" },
		{ 999, "  waking -> running        999    5.0 us    5.0 us    5.0 us         -    5.0 us" },
		{ 1000, "  waking -> running       1000    5.0 us    5.0 us    5.0 us    5.0 us    5.0 us" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct recording *r = latency_new();

		latency_add(r, "", LATENCY_WAKING, 5000, rows[i].n);
		page_has(r, rows[i].row);
		page_has_not(r, "timer ->");
		recording_free(r);
	}
}

/* 110 + 20 wakeups, and 5 more whose group found no room. b is worst by its timer, c had preemptions only. */
static void test_groups(void **state)
{
	struct recording *r = latency_new();
	char *text;

	(void)state;
	strcpy(r->latency->per, "task");
	latency_add(r, "", LATENCY_WAKING, 5000, 135);
	latency_add(r, "a-1", LATENCY_WAKING, 5000, 109);
	latency_add(r, "a-1", LATENCY_WAKING, 80000, 1);
	latency_add(r, "b-2", LATENCY_WAKING, 9000, 20);
	latency_add(r, "b-2", LATENCY_TIMER, 90000, 20);
	latency_add(r, "c-3", LATENCY_PREEMPTED, 4000000, 1);
	text = page(r);
	has(text, "  task                        wakeups       p50       p99     p99.9       max       max       max\n"
		  "  b-2                              20    9.0 us         -         -    9.0 us   90.0 us         -\n"
		  "  a-1                             110    5.1 us    5.1 us         -   80.0 us         -         -\n"
		  "  c-3                               0         -         -         -         -         -    4.0 ms\n"
		  "wakeups: 130 in 3 shown + 0 in 0 left out + 5 in no group = 135\n");
	free(text);
	text = build_view("latency", r, (struct view_options){ .top = 1 });
	has(text, "  b-2  ");
	has_not(text, "  a-1  ");
	has(text, "wakeups: 20 in 1 shown + 110 in 2 left out (--top 0 shows all) + 5 in no group = 135\n");
	free(text);
	recording_free(r);
}

static void test_intervals(void **state)
{
	struct recording *r = latency_new();
	struct rec_point point = { .kind = LATENCY_WAKING, .duration_ns = 1000000000, .count = 100, .sum_ns = 500000 };

	(void)state;
	latency_add(r, "", LATENCY_WAKING, 5000, 101);
	point.p50_ns = 5119;
	point.p99_ns = 6143;
	point.max_ns = 7000;
	assert_int_equal(latency_point(r->latency, &point), 0);
	point.kind = LATENCY_QUEUE; /* not the headline's */
	point.p50_ns = 1;
	assert_int_equal(latency_point(r->latency, &point), 0);
	point = (struct rec_point){ .kind = LATENCY_WAKING, .start_ns = 1000000000, .count = 1, .max_ns = 5000 };
	assert_int_equal(latency_point(r->latency, &point), 0);
	page_has(r, "by interval, waking -> running\n"
		    "      start      count       p50       p99       max\n"
		    "       0 ns        100    5.1 us    6.1 us    7.0 us\n"
		    "      1.0 s          1         -         -    5.0 us\n\n");
	recording_free(r);
}

/* 30 tasks of 0.9 % each are a row together: 27 %. An IRQ of 0.4 % and one of 0.5 % stay below 1 % even so. */
static void test_small_causes(void **state)
{
	struct recording *r = latency_new();
	char name[] = "task-A";

	(void)state;
	latency_add(r, "", LATENCY_WAKING, 5000, 200);
	for (; name[5] < 'A' + 30; name[5]++)
		latency_took(r, 5000, CAUSE_TASK_FAIR, 0, name, 9000);
	latency_took(r, 5000, CAUSE_HARDIRQ, 7, "ata", 4000);
	latency_took(r, 5000, CAUSE_NMI, 0, "", 5000);
	latency_took(r, 5000, CAUSE_SWITCH, 0, "", 721000);
	page_has(r, "         72 %        72 %  context switch\n"
		    "         27 %        27 %  others that shared the CPU (30)\n"
		    "          1 %         1 %  other causes\n");
	page_has_not(r, "ata");
	recording_free(r);
}

/* Whatever the numbers, what is printed adds up. */
static void test_percents(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 300; round++) {
		struct recording *r = latency_new();
		unsigned n = 1 + (unsigned)rand() % 20, sum = 0;
		struct causes c;

		latency_add(r, "", LATENCY_WAKING, 5000, 1000);
		for (unsigned i = 0; i < n; i++)
			latency_took(r, 5000, CAUSE_HARDIRQ, (int)i, "",
				     1 + (uint64_t)rand() % (rand() % 2 ? 100 : 1000000));
		assert_int_equal(causes_open(&c, r->latency), 0);
		for (size_t i = 0; i < c.n; i++) {
			double right = 100 * (double)c.rows[i].ns[COLUMN_WAKEUPS] /
				       (double)c.columns[COLUMN_WAKEUPS].ns;

			sum += c.rows[i].pct[COLUMN_WAKEUPS];
			assert_true(right - c.rows[i].pct[COLUMN_WAKEUPS] < 1 &&
				    right - c.rows[i].pct[COLUMN_WAKEUPS] > -1);
		}
		assert_int_equal(sum, 100);
		causes_close(&c);
		recording_free(r);
	}
}

/* The names of tasks that merely ran meanwhile tell no other cause. */
static void test_names_of_causes(void **state)
{
	struct recording *r = latency_new();

	(void)state;
	latency_add(r, "", LATENCY_WAKING, 5000, 10);
	latency_took(r, 5000, CAUSE_RT_THROTTLED, 0, "spin", 20000);
	latency_took(r, 5000, CAUSE_RT_THROTTLED, 0, "burn", 30000);
	page_has(r, "        100 %  RT throttling\n");
	recording_free(r);
}

/*
 * How many delays are that long: of 10 wakeups by timers and 10 others, 3 and 2 histogram values lie above. Two of the
 * latter may be of the former: 3 to 5. Once fewer worst cases are as long as are kept, they tell.
 */
static void test_how_many(void **state)
{
	struct recording *r = latency_new();
	struct causes c;

	(void)state;
	latency_add(r, "", LATENCY_TIMER, 5000, 7);
	latency_add(r, "", LATENCY_TIMER, 90000, 3);
	latency_add(r, "", LATENCY_WAKING, 5000, 18);
	latency_add(r, "", LATENCY_WAKING, 80000, 2);
	latency_took(r, 90000, CAUSE_STEAL, 0, "", 400000);
	r->latency->above_ns = 70000;
	assert_int_equal(causes_open(&c, r->latency), 0);
	assert_int_equal(c.columns[COLUMN_ABOVE].from_ns, 65536);
	assert_int_equal(c.columns[COLUMN_ABOVE].at_least, 3);
	assert_int_equal(c.columns[COLUMN_ABOVE].at_most, 5);
	causes_close(&c);
	for (int i = 0; i < 4; i++) {
		struct rec_case one = latency_case_of(r, i < 3 ? LATENCY_TIMER : LATENCY_WAKING, i < 3 ? 90000 : 80000);

		assert_int_equal(latency_case(r->latency, &one), 0);
	}
	assert_int_equal(causes_open(&c, r->latency), 0);
	assert_int_equal(c.columns[COLUMN_ABOVE].at_least, 4);
	assert_int_equal(c.columns[COLUMN_ABOVE].at_most, 4);
	causes_close(&c);
	r->latency->worst = 4; /* then a fifth may have found no room */
	assert_int_equal(causes_open(&c, r->latency), 0);
	assert_int_equal(c.columns[COLUMN_ABOVE].at_most, 5);
	causes_close(&c);
	recording_free(r);
}

static void test_nothing(void **state)
{
	struct recording *r = latency_new();

	(void)state;
	page_has(
		r,
		"0 wakeups, 0 preemptions, 0 lost\nno delays: no task of the target was woken in this time\n\nbooks: ");
	r->latency->counts[WAKE_COUNT_FIRST_SIGHT] = 1;
	page_has(r, "no delays: the target ran, but it neither slept nor was it preempted\n");
	r->latency->counts[WAKE_COUNT_NO_START] = 3;
	page_has(r, "no delays: of 3 waits the start was not seen, no other ended in this time\n");
	page_has_not(r, "verdict");
	page_has_not(r, "p99");
	page_has_not(r, "nan");
	recording_free(r);
}

/* Each count and each thing that the kernel does not show is said, and only then. */
static void test_notes(void **state)
{
	static const char *const texts[] = {
		"whose start was not seen",
		"running when first seen",
		"first runs",
		"woken before they slept",
		"1 from a lock of PREEMPT_RT",
		"moved to another CPU",
		"of tasks that waited already",
		"of the running task itself",
		"times were negative",
		"gone from its ring",
		"missed: the end of",
		"were not told one by one",
		"found no room: they",
		"their groups found no room",
		"stack map full",
		"not shown on this kernel: expiry of timers (no timer -> running): no tracepoints hrtimer_expire_*; ",
		"; need_resched (when a switch was first wanted): from 6.17 on; ",
		"; entry of the scheduler (its time counts as the task's before): from 6.15 on; ",
		"; interrupts and softirqs (their time counts as what they interrupted): no tracepoints irq:*; ",
		"; interrupts without a line (their time counts as what they interrupted): no tracepoints "
		"irq_vectors:*; ",
		"; NMIs (their time counts as what they interrupted): no tracepoint nmi_handler; ",
		"; priorities lent to a running task (all its time counts as with the last one): no tracepoint "
		"sched_pi_setprio; ",
		"; preempt depth of wakers: the kernel's BTF lacks per-CPU variables\n",
		"PREEMPT_RT: softirqs run in threads",
		"causes: not recorded",
		"own cost: 500 ns a BPF run",
	};
	struct recording *r = latency_new();
	struct rec_latency *l = r->latency;

	(void)state;
	latency_add(r, "", LATENCY_WAKING, 5000, 10);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		page_has_not(r, texts[i]);
	page_has(r, "lost: 0\n");
	for (int i = WAKE_COUNT_NEW; i < WAKE_COUNTS; i++)
		l->counts[i] = 1;
	r->lost.by_cause[LOST_MAP_FULL] = 10;
	r->cost = (struct rec_cost){ true, 5000, 10, 1 };
	l->no_timer = l->no_resched = l->no_switch_entry = l->no_vectors = l->no_nmi = LACK_KERNEL;
	l->no_interrupts = l->no_boosts = l->no_preempt_depth = LACK_KERNEL;
	l->softirqs_are_threads = l->no_causes = true;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		page_has(r, texts[i]);
	page_has(r, "lost: 10 stack map full (50.0 % of 20)\n");
	page_has_not(r, "idle");
	page_has_not(r, "shares: ");
	recording_free(r);
}

/* What the kernel cannot do and what was not asked for are two things. */
static void test_why_not_shown(void **state)
{
	struct recording *r = latency_new();
	struct rec_latency *l = r->latency;

	(void)state;
	latency_add(r, "", LATENCY_WAKING, 5000, 10);
	l->no_resched = LACK_UNSAFE;
	page_has(r,
		 "\nnot shown on this kernel: need_resched (when a switch was first wanted): programs there can crash "
		 "a kernel with CONFIG_PREEMPT_RCU\n");
	page_has_not(r, "6.17");
	page_has_not(r, "shown of chosen tasks only");
	l->no_switch_entry = l->no_preempt_depth = LACK_CHOICE;
	page_has(r, "CONFIG_PREEMPT_RCU\nshown of chosen tasks only (-p, --rt ...): entry of the scheduler (its time "
		    "counts as the task's before); preempt depth of wakers\n");
	page_has_not(r, "6.15");
	l->no_timer = LACK_CHOICE;
	l->no_causes = true;
	page_has(r, "CONFIG_PREEMPT_RCU\ncauses: not recorded\n");
	page_has_not(r, "expiry of timers");
	recording_free(r);
}

/* Samples are drawn by other views than latencies; JSON has both. */
static void test_which_view(void **state)
{
	static const struct {
		const char *view;
		bool samples, latency, comparison;
	} rows[] = {
		{ "table", true, false, false },   { "folded", true, false, true },	{ "pprof", true, false, false },
		{ "latency", false, true, false }, { "json", true, true, true },	{ "list", true, true, false },
		{ "changes", false, false, true }, { "flamegraph", true, false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct view *view = view_find(rows[i].view);

		assert_non_null(view);
		assert_int_equal(view_can_show(view, REC_SAMPLES), rows[i].samples);
		assert_int_equal(view_can_show(view, REC_LATENCY), rows[i].latency);
		assert_int_equal(view_can_show(view, REC_SAMPLES | REC_BASELINE), rows[i].comparison);
		assert_true(view_can_show(view, REC_SAMPLES | REC_LATENCY) == (rows[i].samples || rows[i].latency));
		assert_false(view_can_show(view, 0));
	}
}

/* What it holds, without books of samples. */
static void test_list(void **state)
{
	struct recording *r = motor();
	char *text;

	(void)state;
	r->intervals = calloc(1, sizeof(*r->intervals));
	r->intervals[0].duration_ns = 1000000000;
	r->intervals[0].fires = 1012;
	r->n_intervals = 1;
	text = build_view("list", r, (struct view_options){ 0 });
	has(text, "wakeup of motor_ctl (PID 812): 1000 wakeups, 12 preemptions in 60.0 s on 2 CPUs\n");
	has(text, "histograms: 5; causes by length of the delay: 14; delays in full: 2\n");
	has(text, "interval        from          to      delays\n       1        0 ns       1.0 s        1012\n");
	has(text, "books: measured 1000 wakeups");
	has_not(text, " Hz");
	has_not(text, "idle");
	free(text);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_small_causes),
		cmocka_unit_test(test_percents),
		cmocka_unit_test(test_names_of_causes),
		cmocka_unit_test(test_how_many),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_why_not_shown),
		cmocka_unit_test(test_which_view),
		cmocka_unit_test(test_list),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
