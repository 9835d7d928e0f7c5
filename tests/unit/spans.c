/* SPDX-License-Identifier: GPL-2.0-only */
/* include/kbpfprof/spans.h: who had which part of a window, on timelines that are drawn below. */
#include <string.h>

#include "unit.h"

#include "spans_driver.h"

#define KINDS (SPAN_UNKNOWN + 1)

struct parts {
	uint64_t of_kind[KINDS];
	__u64 used;
	__u64 from; /* where the ring reaches back to */
};

static struct parts explain(struct spans_cpu *cpu, uint64_t from, uint64_t to)
{
	struct parts p = { .from = from };
	uint32_t n = spans_since(cpu, cpu->head, &p.from);

	for (uint32_t i = 0; i < n; i++) {
		const struct span *s = spans_slot(cpu, cpu->head - n + i);

		p.of_kind[s->kind] += spans_part_ns(s, p.from, to, &p.used);
	}
	return p;
}

static const struct span *newest(struct spans_cpu *cpu, uint32_t back)
{
	return spans_slot(cpu, cpu->head - 1 - back);
}

/*
 * 0         100    120    140    145    150       180     200
 * task 7 ----|                                     |-------|
 *            softirq 3 ---|                |-------|
 *                         hard IRQ 45 -|  |-|
 *                                      NMI
 */
static void nested(struct spans_cpu *cpu)
{
	driver_switch(cpu, 7, 0);
	driver_softirq(cpu, 3, 100);
	driver_irq(cpu, 45, 120);
	driver_nmi(cpu, 0, 5, 145);
	driver_irq_end(cpu, 150);
	driver_softirq_end(cpu, 180);
	driver_switch(cpu, 8, 200);
}

static void windows_of_nested_contexts(void **state)
{
	static const struct {
		uint64_t from, to, task, softirq, hardirq, nmi;
	} cases[] = {
		{ 0, 200, 120, 50, 25, 5 },
		{ 50, 200, 70, 50, 25, 5 },
		{ 100, 200, 20, 50, 25, 5 },
		{ 110, 200, 20, 40, 25, 5 },
		{ 120, 200, 20, 30, 25, 5 },
		{ 130, 200, 20, 30, 15, 5 }, /* inside all of them */
		{ 140, 200, 20, 30, 5, 5 },
		{ 143, 200, 20, 30, 5, 2 },
		{ 145, 200, 20, 30, 5, 0 },
		{ 149, 200, 20, 30, 1, 0 },
		{ 150, 200, 20, 30, 0, 0 },
		{ 160, 200, 20, 20, 0, 0 },
		{ 180, 200, 20, 0, 0, 0 },
		{ 199, 200, 1, 0, 0, 0 },
		{ 200, 200, 0, 0, 0, 0 },
		{ 130, 145, 0, 0, 10, 5 }, /* it ends while they run: where spans ended in it, their parts are exact */
	};
	static struct spans_cpu cpu;

	(void)state;
	nested(&cpu);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parts p = explain(&cpu, cases[i].from, cases[i].to);

		assert_int_equal(p.from, cases[i].from);
		assert_int_equal(p.used, cases[i].to - cases[i].from);
		assert_int_equal(p.of_kind[SPAN_TASK], cases[i].task);
		assert_int_equal(p.of_kind[SPAN_SOFTIRQ], cases[i].softirq);
		assert_int_equal(p.of_kind[SPAN_HARDIRQ], cases[i].hardirq);
		assert_int_equal(p.of_kind[SPAN_NMI], cases[i].nmi);
	}
}

static void spans_as_written(void **state)
{
	static struct spans_cpu cpu;

	(void)state;
	memset(cpu.ring, 0xff, sizeof(cpu.ring)); /* what an older span left */
	strcpy(cpu.open[LEVEL_HARDIRQ].name, "eth0");
	nested(&cpu);
	assert_int_equal(cpu.head, 4);
	assert_int_equal(newest(&cpu, 0)->kind, SPAN_TASK);
	assert_int_equal(newest(&cpu, 0)->id, 7);
	assert_int_equal(newest(&cpu, 0)->start_ns, 0);
	assert_int_equal(newest(&cpu, 0)->end_ns, 200);
	assert_int_equal(newest(&cpu, 0)->net_ns, 120);
	assert_int_equal(newest(&cpu, 0)->prio, 0);
	assert_int_equal(newest(&cpu, 0)->flags, 0);
	assert_string_equal(newest(&cpu, 0)->by, "");
	assert_int_equal(newest(&cpu, 1)->kind, SPAN_SOFTIRQ);
	assert_int_equal(newest(&cpu, 1)->net_ns, 50);
	assert_int_equal(newest(&cpu, 2)->kind, SPAN_HARDIRQ);
	assert_int_equal(newest(&cpu, 2)->id, 45);
	assert_int_equal(newest(&cpu, 2)->net_ns, 25);
	assert_string_equal(newest(&cpu, 2)->name, "eth0");
	assert_int_equal(newest(&cpu, 3)->kind, SPAN_NMI);
	assert_int_equal(cpu.open[LEVEL_SOFTIRQ].kind, SPAN_NONE);
	assert_int_equal(cpu.open[LEVEL_HARDIRQ].kind, SPAN_NONE);
	assert_int_equal(cpu.open[LEVEL_TASK].kind, SPAN_TASK); /* task 8 */
}

/* Three hundred hard IRQs of 3 ns each, every 10 ns: the ring holds the newest 255 of them, and the task. */
static void older_than_the_ring(void **state)
{
	static struct spans_cpu cpu;
	struct parts p;

	(void)state;
	driver_switch(&cpu, 7, 0);
	for (unsigned i = 1; i <= 300; i++) {
		driver_irq(&cpu, 45, 10 * i);
		driver_irq_end(&cpu, 10 * i + 3);
	}
	driver_switch(&cpu, 8, 3010);
	p = explain(&cpu, 5, 3010);
	assert_int_equal(p.from, 463);			    /* the end of the 46th */
	assert_int_equal(p.of_kind[SPAN_HARDIRQ], 254 * 3); /* without the 46th, and not given to the task either */
	assert_int_equal(p.of_kind[SPAN_TASK], 3010 - 463 - 254 * 3);
	assert_int_equal(p.used, 3010 - 463);
	p = explain(&cpu, 463, 3010); /* reaches back just so far */
	assert_int_equal(p.from, 463);
	assert_int_equal(p.used, 3010 - 463);
	p = explain(&cpu, 3005, 3010);
	assert_int_equal(p.used, 5);
	assert_int_equal(p.of_kind[SPAN_TASK], 5);
}

static void before_the_first_span(void **state)
{
	static struct spans_cpu cpu;
	struct parts p = explain(&cpu, 0, 100);

	(void)state;
	assert_int_equal(p.used, 0);
	assert_int_equal(p.from, 0);
	driver_switch(&cpu, 7, 40);
	driver_switch(&cpu, 8, 90);
	p = explain(&cpu, 10, 90);
	assert_int_equal(p.from, 10);
	assert_int_equal(p.of_kind[SPAN_TASK], 50); /* 30 are not explained */
	assert_int_equal(p.used, 50);
}

static void head_wraps(void **state)
{
	static struct spans_cpu cpu;
	struct parts p;

	(void)state;
	cpu.head = UINT32_MAX - 1;
	nested(&cpu);
	assert_int_equal(cpu.head, 2);
	p = explain(&cpu, 130, 200);
	assert_int_equal(p.used, 70);
	assert_int_equal(p.of_kind[SPAN_HARDIRQ], 15);
}

/* Line 45 ends at 12, which is missed. It is noticed at 30, when line 46 comes; how long it was is not known. */
static void missed_end_of_an_interrupt(void **state)
{
	static struct spans_cpu cpu;
	struct parts p;

	(void)state;
	driver_switch(&cpu, 7, 0);
	driver_irq(&cpu, 45, 10);
	driver_irq(&cpu, 46, 30);
	driver_irq_end(&cpu, 33);
	driver_switch(&cpu, 8, 50);
	p = explain(&cpu, 0, 50);
	assert_int_equal(p.of_kind[SPAN_UNKNOWN], 20);
	assert_int_equal(p.of_kind[SPAN_HARDIRQ], 3); /* of line 46: nothing is charged to 45 */
	assert_int_equal(p.of_kind[SPAN_TASK], 27);
	assert_int_equal(newest(&cpu, 2)->id, 45);
	assert_int_equal(newest(&cpu, 2)->kind, SPAN_UNKNOWN);
}

/* arm64: line 2 turns out to be an IPI; the end of the line is the end of that. */
static void ipi_is_told_inside_of_its_line(void **state)
{
	static struct spans_cpu cpu;
	struct span_open *open = &cpu.open[LEVEL_HARDIRQ];
	struct parts p;

	(void)state;
	driver_switch(&cpu, 7, 0);
	driver_irq(&cpu, 2, 10);
	strcpy(open->name, "IPI");
	assert_true(spans_is_end(open, SPAN_HARDIRQ, 2));
	assert_false(spans_is_end(open, SPAN_HARDIRQ, 3));
	assert_false(spans_is_end(open, SPAN_VECTOR, 2));
	spans_enter_ipi(open, VECTOR_IPI_CALL_FUNCTION);
	assert_true(spans_is_end(open, SPAN_HARDIRQ, 2));
	assert_false(spans_is_end(open, SPAN_VECTOR, VECTOR_RESCHEDULE));
	driver_irq_end(&cpu, 15);
	driver_switch(&cpu, 8, 50);
	assert_int_equal(newest(&cpu, 1)->kind, SPAN_VECTOR);
	assert_int_equal(newest(&cpu, 1)->id, VECTOR_IPI_CALL_FUNCTION);
	assert_string_equal(newest(&cpu, 1)->name, "");
	p = explain(&cpu, 0, 50);
	assert_int_equal(p.of_kind[SPAN_VECTOR], 5);
	assert_int_equal(p.of_kind[SPAN_TASK], 45);
}

/* A vector of x86 is not ended by a line of the same number. */
static void vector_is_ended_by_itself(void **state)
{
	static struct spans_cpu cpu;
	struct span_open *open = &cpu.open[LEVEL_HARDIRQ];

	(void)state;
	spans_enter(&cpu, LEVEL_HARDIRQ, SPAN_VECTOR, VECTOR_LOCAL_TIMER, 0);
	assert_true(spans_is_end(open, SPAN_VECTOR, VECTOR_LOCAL_TIMER));
	assert_false(spans_is_end(open, SPAN_VECTOR, VECTOR_RESCHEDULE));
	assert_false(spans_is_end(open, SPAN_HARDIRQ, VECTOR_LOCAL_TIMER));
}

/* The same of a softirq, noticed at the switch, and of an interrupt in it. */
static void missed_ends_at_the_switch(void **state)
{
	static struct spans_cpu cpu;
	struct parts p;

	(void)state;
	driver_switch(&cpu, 7, 0);
	driver_softirq(&cpu, 3, 10);
	driver_irq(&cpu, 45, 20);
	driver_switch(&cpu, 8, 50);
	p = explain(&cpu, 5, 50);
	assert_int_equal(p.of_kind[SPAN_UNKNOWN], 40);
	assert_int_equal(p.of_kind[SPAN_SOFTIRQ] + p.of_kind[SPAN_HARDIRQ], 0);
	assert_int_equal(p.of_kind[SPAN_TASK], 5);
	assert_int_equal(p.used, 45);
}

/*
 * A softirq ended at 100; while its span is being written two hard IRQs come and go. Theirs are behind it in the ring,
 * none is lost, and it is whole.
 */
static void interrupts_while_a_softirq_is_written(void **state)
{
	static struct spans_cpu cpu;
	uint64_t gross;
	struct parts p;

	(void)state;
	driver_switch(&cpu, 7, 0);
	driver_softirq(&cpu, 3, 60);
	cpu.reserved = 1;
	gross = spans_close(&cpu, LEVEL_SOFTIRQ, spans_slot(&cpu, cpu.head), 100, cpu.inner_ns[LEVEL_SOFTIRQ],
			    SPAN_NONE);
	driver_irq(&cpu, 45, 101);
	driver_irq_end(&cpu, 104);
	assert_int_equal(cpu.head, 0);
	driver_irq(&cpu, 46, 105);
	driver_irq_end(&cpu, 111);
	assert_int_equal(cpu.meanwhile, 2);
	cpu.inner_ns[LEVEL_TASK] += gross;
	cpu.head += 1 + cpu.meanwhile;
	cpu.meanwhile = cpu.reserved = 0;
	driver_switch(&cpu, 8, 120);
	assert_int_equal(cpu.head, 4);
	assert_int_equal(newest(&cpu, 3)->kind, SPAN_SOFTIRQ);
	assert_int_equal(newest(&cpu, 2)->id, 45);
	assert_int_equal(newest(&cpu, 1)->id, 46);
	assert_int_equal(newest(&cpu, 0)->net_ns, 120 - 40 - 3 - 6);
	p = explain(&cpu, 80, 120);
	assert_int_equal(p.of_kind[SPAN_SOFTIRQ], 20);
	assert_int_equal(p.of_kind[SPAN_HARDIRQ], 9);
	assert_int_equal(p.of_kind[SPAN_TASK], 11);
}

/* Neither a clock that steps back nor more inner time than there was makes a span longer than it was. */
static void times_that_cannot_be(void **state)
{
	static struct spans_cpu cpu;
	__u64 used = 0;

	(void)state;
	driver_switch(&cpu, 7, 100);
	driver_irq(&cpu, 45, 150);
	driver_irq_end(&cpu, 149);
	assert_int_equal(newest(&cpu, 0)->net_ns, 0);
	cpu.inner_ns[LEVEL_TASK] += 1000;
	driver_switch(&cpu, 8, 200);
	assert_int_equal(newest(&cpu, 0)->net_ns, 0);
	assert_int_equal(spans_part_ns(newest(&cpu, 0), 120, 110, &used), 0); /* no window */
	assert_int_equal(spans_part_ns(newest(&cpu, 0), 120, 200, &used), 80);
	assert_int_equal(spans_part_ns(newest(&cpu, 0), 120, 200, &used), 0); /* nothing is left */
	assert_int_equal(used, 80);
}

/* Remote windows: a task that goes on after the window, and softirqs in and behind it, get no more than is there. */
static void window_ends_before_its_spans(void **state)
{
	static struct spans_cpu cpu;
	struct parts p;

	(void)state;
	driver_switch(&cpu, 7, 0);
	driver_switch(&cpu, 8, 100);
	driver_softirq(&cpu, 3, 110);
	driver_softirq_end(&cpu, 130);
	driver_softirq(&cpu, 3, 150);
	driver_softirq_end(&cpu, 190);
	driver_switch(&cpu, 9, 200);
	p = explain(&cpu, 90, 140);
	assert_int_equal(p.of_kind[SPAN_SOFTIRQ], 20);
	assert_int_equal(p.of_kind[SPAN_TASK], 30);
	p = explain(&cpu, 90, 160); /* 20 and 10 of softirqs */
	assert_int_equal(p.of_kind[SPAN_SOFTIRQ], 30);
	assert_int_equal(p.of_kind[SPAN_TASK], 40);
	p = explain(&cpu, 120, 125);
	assert_int_equal(p.of_kind[SPAN_SOFTIRQ], 5);
	assert_int_equal(p.used, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_of_nested_contexts),
		cmocka_unit_test(spans_as_written),
		cmocka_unit_test(older_than_the_ring),
		cmocka_unit_test(before_the_first_span),
		cmocka_unit_test(head_wraps),
		cmocka_unit_test(missed_end_of_an_interrupt),
		cmocka_unit_test(ipi_is_told_inside_of_its_line),
		cmocka_unit_test(vector_is_ended_by_itself),
		cmocka_unit_test(missed_ends_at_the_switch),
		cmocka_unit_test(interrupts_while_a_softirq_is_written),
		cmocka_unit_test(times_that_cannot_be),
		cmocka_unit_test(window_ends_before_its_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
