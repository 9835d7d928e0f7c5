/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of irq. Byte for byte of machines whose numbers can be reckoned by hand (UPDATE_GOLDEN=1 writes the files
 * anew: then read the difference), and piece by piece.
 */
#include <locale.h>
#include <time.h>

#include "golden.h"
#include "irq_build.h"

#define AUTO                         \
	(struct view_options)        \
	{                            \
		.top = VIEW_TOP_AUTO \
	}

/*
 * irq_idle: 10 s on 2 CPUs are 20 s. Hard IRQs: ticks 400 * 3 us + 300 * 4 us = 2.4 ms, disk 20 * 5 us = 100 us, serial
 * line 9 us: 2 509 us, 0.0125 %. Softirqs: 200 * 2 us + 100 * 1 us + 20 * 6 us = 620 us, 0.0031 %. On CPU 0 the ticks
 * took 1.2 ms of 10 s, on CPU 1 as much: the first stays.
 *
 * irq_network: of 40 s hard IRQs 4 * 2 500 * 3 us + 59 998 * 2 us + 3 000 * 4 us = 161 996 us, 0.4 %; NET_RX 2 900 000
 * + 89 850 + 200 us, in ksoftirqd 200 000 us, NET_TX 2 800 us: 3 192 850 us, 8.0 %; together 3 354 846 us, 8.4 %. On
 * CPU 1 of 10 s NET_RX took 2 989 850 us, 29.9 %. Its p99: of 58 609 runs the 58 023rd, 10 + 58 000 = 58 010 are
 * shorter, so 150 us; its bucket, 147 456 to 155 647 ns, ends above the longest. p50: 50 us lie in 49 152 to 51 199.
 *
 * irq_storm: 520 000 * 5 us = 2.6 s of CPU 0's 10 s. Intervals 2 to 5: 130 000 * 5 us and 1.5 ms of 2 s are 32.6 %, the
 * line alone 32.5 %; else 1.5 ms of 2 s, 0.1 %.
 *
 * irq_threads: hard IRQs 1 000 * 1.5 us, softirqs 900 * 25 us of 20 s: <0.1 % and 0.1 %.
 *
 * irq_offs: of 20 000 fires 3, 30, 600 and 40: <0.1 %, 0.1 % (0.15), 3.0 %, 0.2 %.
 */
static void check_machine(const char *name, struct recording *(*make)(void))
{
	char path[64];

	snprintf(path, sizeof(path), "irq_%s", name);
	check_golden(path, "irq", make(), (struct view_options){ .top = VIEW_TOP_AUTO, .width = 80 });
	snprintf(path, sizeof(path), "irq_%s_matrix", name);
	check_golden(path, "matrix", make(), (struct view_options){ .top = VIEW_TOP_AUTO, .width = 80 });
}

static void test_idle(void **state)
{
	(void)state;
	check_machine("idle", irq_idle);
	check_golden("irq_idle_piped", "irq", irq_idle(), AUTO);
}

static void test_network(void **state)
{
	(void)state;
	check_machine("network", irq_network);
}

static void test_storm(void **state)
{
	(void)state;
	check_machine("storm", irq_storm);
}

static void test_threads(void **state)
{
	(void)state;
	check_machine("threads", irq_threads);
}

static void test_off(void **state)
{
	(void)state;
	check_machine("off", irq_offs);
}

static void test_many(void **state)
{
	(void)state;
	check_machine("many", irq_many);
}

/* Bytes are columns here. */
static void check_width(const char *view, struct recording *r, unsigned width, const char *hist)
{
	char *text = build_view(view, r, (struct view_options){ .top = VIEW_TOP_AUTO, .width = width, .hist = hist });

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strlen(line) > 80)
			fail_msg("%s: %zu columns: %s", view, strlen(line), line);
	free(text);
	recording_free(r);
}

static void test_width(void **state)
{
	struct recording *(*const machines[])(void) = { irq_idle,    irq_network, irq_storm,
							irq_threads, irq_offs,	  irq_many };

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		check_width("irq", machines[i](), 80, NULL);
		check_width("matrix", machines[i](), 80, NULL);
	}
	check_width("irq", irq_many(), 80, "local timer");
	check_width("irq", irq_network(), 80, "NET_RX");
}

/* A screen that is wider leaves the columns of CPUs room, and a narrow one makes a list. */
static void test_matrix_room(void **state)
{
	struct recording *r = irq_network();
	char *text = build_view("matrix", r, (struct view_options){ .width = 50 });

	(void)state;
	has(text, "IRQ 45 eth0-rx-0: 49 998 on CPU 1, allowed 0-3,\n  effective 1\n");
	has(text, "    0:10, 1:58 599\n");
	has(text, "    0-3:2500\n");
	free(text);
	text = build_view("matrix", r, (struct view_options){ .width = 0 });
	has(text, "  IRQ 45 eth0-rx-0         . 49 998      .      .  0-3 (1)\n");
	free(text);
	recording_free(r);
}

/* Not one CPU of 400 is left out, nor any counted twice. */
static void test_matrix_complete(void **state)
{
	struct recording *r = irq_many();
	char *text = build_view("matrix", r, (struct view_options){ .width = 80 }),
	     *list = strstr(text, "\n    0-6:2500"), *item;
	bool seen[400] = { false };
	unsigned cpus = 0;

	(void)state;
	assert_non_null(list);
	*strstr(list, "\nsoftirq") = '\0';
	for (item = strtok(list, ",\n"); item; item = strtok(NULL, ",\n")) {
		unsigned first, last;
		int n = sscanf(item, " %u-%u:", &first, &last);

		assert_true(n >= 1);
		for (unsigned cpu = first; cpu <= (n == 2 ? last : first); cpu++) {
			assert_true(cpu < 400 && !seen[cpu]);
			seen[cpu] = true;
			cpus++;
		}
	}
	assert_int_equal(cpus, 400);
	free(text);
	recording_free(r);
}

/* Three sources of 5, 4 and 1 ms on CPU 1, and one of 1 ms on CPU 0. */
static void test_top(void **state)
{
	struct recording *r = irq_new(2);
	char *text;

	(void)state;
	irq_ran(r, irq_named(r, IRQ_LINE, 10, "a"), 1, 5000, 1000);
	irq_ran(r, irq_named(r, IRQ_LINE, 11, "b"), 1, 4000, 1000);
	irq_ran(r, irq_named(r, IRQ_LINE, 12, "c"), 1, 100000, 10);
	irq_ran(r, irq_named(r, IRQ_LINE, 13, "d"), 0, 50000, 20);
	text = build_view("irq", r, (struct view_options){ .top = 2 });
	has(text, "  IRQ 10 a ");
	has(text, "  IRQ 11 b ");
	has_not(text, "  IRQ 12 c ");
	/* 10 + 20 in 10 s; of CPU 1 1 ms of 10 s, as much as of CPU 0, which is first */
	has(text, "  2 more           30     3.0   <0.1    0        -        - 100.0 us\n");
	has(text, "--top 0 shows all");
	free(text);
	text = build_view("irq", r, (struct view_options){ .top = 0 });
	has(text, "  IRQ 13 d ");
	has_not(text, " more ");
	free(text);
	recording_free(r);
}

/* One of 25 takes 98 %, the others less than 0.1 % each; one of these once took 100 us. */
static void test_top_auto(void **state)
{
	struct recording *r = irq_new(1);

	(void)state;
	for (int i = 0; i < 25; i++) {
		char name[16];

		snprintf(name, sizeof(name), "dev%d", i);
		irq_ran(r, irq_named(r, IRQ_LINE, 10 + i, name), 0, i ? 1000 + (unsigned)i : 1000000, 100);
	}
	irq_page_has(r, "  24 more        ");
	irq_ran(r, irq_named(r, IRQ_LINE, 12, "dev2"), 0, 100000, 1);
	irq_page_has(r, "  IRQ 12 dev2  ");
	irq_page_has(r, "  23 more        ");
	recording_free(r);
}

/* Half of the run a CPU was offline: shares are of the other half. */
static void test_gap(void **state)
{
	struct recording *r = irq_new(2);
	struct rec_gap gap = { .cpu = 1, .start_ns = 1000000000, .duration_ns = 5000000000 };

	(void)state;
	irq_ran(r, irq_named(r, IRQ_LINE, 10, "a"), 1, 1000000, 1500); /* 1.5 of 15 s in all, of 5 s there */
	irq_page_has(r, "10.0 s, 2 CPUs: 7.5 % of CPU time (hard IRQs 7.5 %, softirqs 0.0 %), 0 lost\n");
	assert_int_equal(recording_gap(r, &gap), 0);
	irq_page_has(r, "10.0 s, 2 CPUs: 10.0 % of CPU time (hard IRQs 10.0 %, softirqs 0.0 %), 0 lost\n");
	irq_page_has(r, "  1500     150   30.0    1 ");
	irq_page_has(r, "CPU 1 was offline for 5.0 s of the run");
	recording_free(r);
}

static void test_empty(void **state)
{
	struct recording *r = irq_new(2);

	(void)state;
	irq_page_has(r, "no interrupt and no softirq came in this time\n");
	irq_page_has(r, "\nlost: 0\n");
	irq_page_has_not(r, "verdict");
	strcpy(r->irq->filter, "irq 45,eth0");
	irq_page_has(r, "interrupts of whole machine (irq 45,eth0), 10.0 s, 2 CPUs: 0.0 % of");
	irq_page_has(r, "nothing that was asked for (irq 45,eth0) came in this time\n");
	recording_free(r);
}

static void test_empty_matrix(void **state)
{
	struct recording *r = irq_new(2);
	char *text;

	(void)state;
	irq_line(r, 45, "eth0", "0-1", "1"); /* known, but it never came */
	irq_waited(r, irq_named(r, IRQ_IPI, VECTOR_RESCHEDULE, ""), 0, 1000, 5);
	text = build_view("matrix", r, (struct view_options){ .width = 80 });
	has(text, "no interrupts or softirqs were measured in this time\n");
	has_not(text, "eth0");
	free(text);
	recording_free(r);
}

/* What was not measured has no share of 0 %. */
static void test_header_of_a_part(void **state)
{
	struct recording *r = irq_new(1);

	(void)state;
	r->irq->measured = r->irq->asked = REC_IRQ_SOFT;
	irq_ran(r, irq_named(r, IRQ_SOFTIRQ, NET_RX, ""), 0, 1000000, 500);
	irq_page_has(r, "1 CPU: 5.0 % of CPU time (softirqs 5.0 %), 0 lost\n");
	recording_free(r);
}

static void test_books(void **state)
{
	struct recording *r = irq_threads();
	char *text;

	(void)state;
	r->irq->counts[IRQ_COUNT_MISSED_END] = 12;
	r->irq->counts[IRQ_COUNT_NO_ENTRY] = 2;
	r->irq->counts[IRQ_COUNT_OPEN_FULL] = 3;
	r->irq->counts[IRQ_COUNT_ABOVE_UNTOLD] = 4;
	r->lost.by_cause[LOST_MAP_FULL] = 373;
	text = irq_page(r);
	has(text, ", 373 lost\n");
	has(text, "books: measured 1000 hard IRQs of lines, 0 interrupts without a line, 900 softirqs, 1050 interrupt "
		  "threads, 73 works, 1200 sent IPIs; not measured: 12 whose end was not seen, 2 that ran already\n");
	has(text, "lost: 373 "); /* 1000 + 900 + 1050 + 73 + 1200 = 4223, and 373 are 4596: 8.1 % */
	has(text, "(8.1 % of 4596)\n");
	has(text, "\n3 found no room among what was under way");
	has(text, "\n4 above the limit were not told one by one");
	has(text, "not to be had on this kernel: tasklets (tracepoints irq:tasklet_*)\n");
	free(text);
	recording_free(r);
}

/* Names that others wrote do nothing on a terminal. */
static void test_inert(void **state)
{
	const char *const evil = "\033[2J\nforged";
	struct recording *r = irq_new(2);
	int line = irq_line(r, 45, evil, evil, evil), thread = irq_named(r, IRQ_THREAD, 45, evil),
	    work = irq_named(r, IRQ_WORK, 0, evil);
	struct rec_irq_behind behind = { thread, recording_string(r, evil), 0, 12, 31000000, 4000000 };
	struct rec_irq_sender sender = { .vector = 1, .callsite = recording_string(r, evil), .stack = -1, .count = 1 };
	struct rec_irq_place place = {
		.kind = IRQ_IRQS_OFF, .name = recording_string(r, evil), .stack = -1, .count = 1
	};
	struct rec_irq_case c = irq_case_of(IRQ_WORST_HARD, IRQ_RUN, line, 9000);
	static const char *const shown[] = { "irq", "matrix" };

	(void)state;
	sender.comm = recording_string(r, evil);
	snprintf(r->meta.target, sizeof(r->meta.target), "%s", evil);
	snprintf(r->irq->filter, sizeof(r->irq->filter), "%s", evil);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		irq_ran(r, line, cpu, 9000, 6000);
		irq_ran(r, thread, cpu, 9000, 10);
		irq_waited(r, thread, cpu, 9000, 10);
		irq_ran(r, work, cpu, 9000, 10);
	}
	irq_peak(r, line, 0, 5000, 1, 0);
	assert_int_equal(irq_behind(r->irq, &behind), 0);
	assert_int_equal(irq_sender(r->irq, &sender), 0);
	assert_int_equal(irq_place(r->irq, &place), 0);
	c.task = irq_task_of(r, evil, 5, 120);
	c.delayed = irq_task_of(r, evil, 6, 120);
	irq_span(r, &c, SPAN_TASK, 5, evil, -100000, -9000);
	irq_give(r, c);
	for (size_t i = 0; i < 2; i++)
		for (unsigned width = 0; width <= 80; width += 80) {
			char *text = build_view(shown[i], r, (struct view_options){ .top = 0, .width = width });

			has_not(text, "\033");
			has_not(text, "\nforged");
			has(text, "\\x1b[2J\\x0aforged");
			free(text);
		}
	recording_free(r);
}

/* A name too long for its column has a line of its own, whole. */
static void test_long_name(void **state)
{
	struct recording *r = irq_threads();
	int work = irq_named(r, IRQ_WORK, 0, "a_work_function_whose_name_is_forty_two_ch");
	char *text;

	(void)state;
	irq_ran(r, work, 0, 1000, 1);
	text = build_view("irq", r, (struct view_options){ .top = 0, .width = 80 });
	has(text, "\n  mlx5e_tx_timeout_work_of_a_long_name\n                      ");
	has(text, "\n  irq/45-eth0           ");
	free(text);
	text = build_view("irq", r, (struct view_options){ .top = 0 }); /* in a pipe up to 40 columns */
	has(text, "\n  mlx5e_tx_timeout_work_of_a_long_name              3  ");
	has(text, "\n  a_work_function_whose_name_is_forty_two_ch\n             ");
	free(text);
	recording_free(r);
}

static void test_above(void **state)
{
	struct recording *r = irq_idle();
	int serial = irq_named(r, IRQ_LINE, 4, "ttyS0");
	char *text;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct rec_irq_case c = irq_case_of(IRQ_WORST_HARD, IRQ_RUN, serial, 9000 - i);

		c.above = i > 0;
		irq_give(r, c);
	}
	irq_page_has(r, "longest hard IRQs, with what interrupted them\n     9.0 us  IRQ 4 ttyS0 at ");
	irq_page_has(r, "\n  2 more are recorded in full (--top 0 shows all)\n");
	text = build_view("irq", r, (struct view_options){ .top = 0 });
	has(text, "above the limit: IRQ 4 ttyS0 at ");
	has_not(text, "recorded in full");
	free(text);
	recording_free(r);
}

/* Of seven that ran before the five newest are told, those of a kind together. */
static void test_spans(void **state)
{
	struct recording *r = irq_idle();
	struct rec_irq_case c = irq_case_of(IRQ_WORST_HARD, IRQ_RUN, irq_named(r, IRQ_LINE, 4, "ttyS0"), 9000);

	(void)state;
	for (int i = 0; i < 7; i++) {
		irq_span(r, &c, SPAN_SOFTIRQ, i, "", -100000 + i * 10000, -99000 + i * 10000);
		irq_span(r, &c, SPAN_SOFTIRQ, i, "", -98000 + i * 10000, -96000 + i * 10000);
	}
	irq_give(r, c);
	irq_page_has(r,
		     " on CPU 1; before it: softirq NET_TX (2 times) 3.0 us, softirq NET_RX (2 times) 3.0 us, softirq "
		     "BLOCK (2 times) 3.0 us, softirq IRQ_POLL (2 times) 3.0 us, softirq TASKLET (2 times) 3.0 us\n");
	recording_free(r);
}

/* What a damaged file may hold: numbers that mean nothing. */
static void test_nonsense(void **state)
{
	struct recording *r = irq_idle();
	struct rec_irq_case c = irq_case_of(IRQ_WORST_RAISED, IRQ_WAIT, irq_named(r, IRQ_SOFTIRQ, 4000, ""),
					    UINT64_MAX);
	struct rec_irq_behind behind = { 99, 0, 7, 0, UINT64_MAX, UINT64_MAX };
	struct rec_irq_point point = { .source = 99, .net_ns = UINT64_MAX };
	struct rec_irq_sender sender = {
		.vector = -5, .context = (enum irq_context)9, .stack = 1000, .count = UINT64_MAX
	};
	struct rec_gap gap = { .cpu = 7, .duration_ns = UINT64_MAX };
	char *text;

	(void)state;
	c.by = (enum irq_context)9;
	c.by_kind = (enum span_kind)99;
	c.by_id = -1;
	c.stack = 1000;
	c.task.tid = -1;
	c.delayed.prio = 100000;
	irq_span(r, &c, (enum span_kind)99, -1, "", INT64_MIN, INT64_MIN);
	irq_span(r, &c, SPAN_SOFTIRQ, -1, "", INT64_MAX, INT64_MAX);
	irq_give(r, c);
	c = irq_case_of(IRQ_WORST_HARD, IRQ_RUN, 99, 0);
	irq_give(r, c);
	irq_ran(r, irq_named(r, IRQ_LINE, INT32_MIN, ""), UINT32_MAX, UINT64_MAX, 3);
	irq_ran(r, irq_named(r, IRQ_VECTOR, -1, ""), 3, 0, UINT64_MAX);
	irq_ran(r, irq_line(r, 3, "x-", "9-,,4-1,99999999999999999999-5", "-"), 1, 1000000, 2000);
	irq_on(r, irq_named(r, IRQ_LINE, 4, "ttyS0"), 0)->peak_unix_ns = UINT64_MAX;
	assert_int_equal(irq_behind(r->irq, &behind), 0);
	assert_int_equal(irq_point(r->irq, &point), 0);
	assert_int_equal(irq_sender(r->irq, &sender), 0);
	assert_int_equal(recording_gap(r, &gap), 0);
	free(build_view("irq", r, (struct view_options){ .top = 0, .width = 1 }));
	text = build_view("irq", r, (struct view_options){ .top = 0 });
	has(text, "a thread waited 0 times behind");
	has_not(text, "nan");
	free(text);
	free(build_view("matrix", r, (struct view_options){ .width = 1 }));
	recording_free(r);
}

/* Without --storms a peak is told where it is far above the mean: 1000 a second and ten times as much. */
static void test_bursts(void **state)
{
	struct recording *r = irq_new(1);
	int line = irq_named(r, IRQ_LINE, 10, "a"); /* 100 a second */

	(void)state;
	irq_ran(r, line, 0, 1000, 1000);
	irq_peak(r, line, 0, 999, 1, 0);
	irq_page_has_not(r, "bursts");
	irq_peak(r, line, 0, 1000, 1, 0);
	irq_page_has(r, "\nbursts\n  IRQ 10 a: 1000 in one second at ");
	irq_page_has(r, " on CPU 0, the mean is 100/s of all CPUs\n");
	irq_ran(r, line, 0, 1000, 100);
	irq_page_has_not(r, "bursts");
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_network),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_matrix_room),
		cmocka_unit_test(test_matrix_complete),
		cmocka_unit_test(test_top),
		cmocka_unit_test(test_top_auto),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_empty_matrix),
		cmocka_unit_test(test_header_of_a_part),
		cmocka_unit_test(test_books),
		cmocka_unit_test(test_inert),
		cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_above),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_spans),
	};

	setlocale(LC_ALL, "C");
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
