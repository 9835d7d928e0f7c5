/* SPDX-License-Identifier: GPL-2.0-only */
/* include/kbpfprof/off.h: what of a late timer is a section with interrupts off. */
#include "kbpfprof/off.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static struct off_cpu cpu;
static struct spans_cpu spans;

static int clear(void **state)
{
	(void)state;
	memset(&cpu, 0, sizeof(cpu));
	memset(&spans, 0, sizeof(spans));
	return 0;
}

static void add(__u8 kind, __u64 start_ns, __u64 end_ns)
{
	struct span *s = spans_next(&spans);

	s->kind = kind;
	s->start_ns = start_ns;
	s->end_ns = end_ns;
	spans_publish(&spans);
}

static __u64 hard(__u64 from_ns, __u64 to_ns)
{
	return off_hard_ns(&cpu.walk[0], &spans, from_ns, to_ns);
}

/* --- What a machine takes for every timer. */

static void least_before_user_code(void **state)
{
	(void)state;
	assert_int_equal(off_section_ns(&cpu, 5000, 0), 0); /* the first one is what all have */
	assert_int_equal(off_section_ns(&cpu, 505000, 0), 500000);
	assert_int_equal(off_section_ns(&cpu, 3000, 0), 0);
	assert_int_equal(off_section_ns(&cpu, 503000, 0), 500000);
	/* One that was due while its interrupt ran already tells nothing of it. */
	assert_int_equal(off_section_ns(&cpu, 0, 0), 0);
	assert_int_equal(off_section_ns(&cpu, 503000, 0), 500000);
}

static int by_size(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* Of latenesses of any shape, what is learnt is near their true 90 % quantile. */
static void learns_what_is_usual(void **state)
{
	enum { FIRES = 20000 };
	static const struct {
		__u64 least_ns, spread_ns;
		unsigned power;
	} shapes[] = { { 1000, 1000, 1 }, { 40000, 30000, 1 }, { 2000, 800000, 6 }, { 300, 5000, 2 } };
	static __u64 late[FIRES];

	(void)state;
	srandom(20261130);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		unsigned above = 0;

		clear(NULL);
		for (unsigned j = 0; j < FIRES; j++) {
			double x = 1;

			for (unsigned k = 0; k < shapes[i].power; k++)
				x *= (double)random() / RAND_MAX;
			late[j] = shapes[i].least_ns + (__u64)(x * (double)shapes[i].spread_ns);
			above += j >= FIRES / 2 && late[j] > cpu.usual_ns;
			off_section_ns(&cpu, late[j], 1);
		}
		/* One in ten is above it. */
		assert_in_range(above, FIRES / 2 / 10 * 85 / 100, FIRES / 2 / 10 * 115 / 100);
		qsort(late, FIRES, sizeof(*late), by_size);
		assert_in_range(cpu.usual_ns, late[FIRES * 80 / 100], late[FIRES * 97 / 100]);
	}
}

/* What sections are is not learnt from where they may be. */
static void kernel_code_teaches_nothing(void **state)
{
	(void)state;
	for (int i = 0; i < 2000; i++)
		off_section_ns(&cpu, 2000, 1);
	for (int i = 0; i < 100000; i++)
		assert_in_range(off_section_ns(&cpu, 700000, 0), 697000, 699000);
}

/* --- Other interrupts. */

static void overlapping_interrupts(void **state)
{
	(void)state;
	add(SPAN_HARDIRQ, 100, 200);
	add(SPAN_SOFTIRQ, 200, 250);
	add(SPAN_VECTOR, 300, 400);
	assert_int_equal(hard(0, 1000), 200);
	assert_int_equal(hard(150, 1000), 150); /* it was running then */
	assert_int_equal(hard(150, 350), 100);	/* cut at both ends */
	assert_int_equal(hard(200, 300), 0);	/* a softirq has interrupts on */
	assert_int_equal(hard(400, 1000), 0);
	assert_int_equal(hard(500, 400), 0);
}

static void nmi_in_an_interrupt_counts_once(void **state)
{
	(void)state;
	add(SPAN_NMI, 10, 20);
	add(SPAN_NMI, 120, 140);
	add(SPAN_HARDIRQ, 100, 200);
	add(SPAN_NMI, 190, 230); /* began in it */
	assert_int_equal(hard(0, 1000), 10 + 130);
}

static void missed_end_has_all_of_its_time(void **state)
{
	(void)state;
	add(SPAN_UNKNOWN, 100, 900);
	assert_int_equal(hard(0, 1000), 800);
}

/* A probe in the midst of the program at a softirq's end: its slot holds anything. */
static void half_written_softirq(void **state)
{
	struct span *slot;

	(void)state;
	add(SPAN_HARDIRQ, 100, 200);
	slot = spans_slot(&spans, spans.head);
	slot->kind = SPAN_HARDIRQ;
	slot->start_ns = 0;
	slot->end_ns = 1000;
	spans.reserved = 1;
	add(SPAN_VECTOR, 300, 400);
	add(SPAN_VECTOR, 500, 600);
	assert_int_equal(hard(0, 1000), 300);
	spans.meanwhile = 0;
	assert_int_equal(hard(0, 1000), 100);
}

/* Against a line of moments, each had by an interrupt or not. */
static void random_interrupts(void **state)
{
	static char taken[20000];

	(void)state;
	srandom(7);
	for (int round = 0; round < 300; round++) {
		__u64 now = 0, from, to, sum = 0;

		clear(NULL);
		memset(taken, 0, sizeof(taken));
		for (int i = 0; i < 30; i++) {
			__u64 start = now + (__u64)(random() % 60), end = start + (__u64)(random() % 90);
			static const __u8 kinds[] = { SPAN_HARDIRQ, SPAN_VECTOR, SPAN_SOFTIRQ };
			__u8 kind = kinds[random() % 3];

			if (kind != SPAN_SOFTIRQ && end > start + 10 && random() % 2)
				add(SPAN_NMI, start + 2, start + 6); /* inside, so it ends before */
			add(kind, start, end);
			for (__u64 at = start; kind != SPAN_SOFTIRQ && at < end; at++)
				taken[at] = 1;
			now = end;
		}
		assert_in_range(spans.head, 30, OFF_SPANS); /* it looks at no more */
		from = (__u64)random() % (now + 1);
		to = from + (__u64)random() % 3000;
		for (__u64 at = from; at < to; at++)
			sum += (__u64)taken[at];
		assert_int_equal(hard(from, to), sum);
	}
}

static void known_causes_are_taken_off(void **state)
{
	(void)state;
	assert_int_equal(off_rest_ns(500, 100, 50), 350);
	assert_int_equal(off_rest_ns(500, 400, 200), 0); /* of steal only the sum since the last fire is known */
}

/* --- The preempt count. Of include/linux/preempt.h: PREEMPT_OFFSET 1, SOFTIRQ_OFFSET 0x100 where one is served and
 * SOFTIRQ_DISABLE_OFFSET 0x200 where they are disabled, HARDIRQ_OFFSET 0x10000, NMI_OFFSET 0x100000. */
static void preempt_counts(void **state)
{
	static const struct {
		__u32 count;
		__u8 own;
		int is_off;
	} cases[] = {
		{ 0x10000, 0, 0 },					     /* an interrupt in preemptible code */
		{ 0x10001, 0, 1 },  { 0x10003, 0, 1 },	  { 0x10001, 1, 0 }, /* the probe's own */
		{ 0x10002, 1, 1 },  { 0x80010000, 0, 0 }, /* x86: PREEMPT_NEED_RESCHED is inverted, set where no switch
							     is wanted */
		{ 0x10200, 0, 1 },			  /* local_bh_disable() */
		{ 0x10400, 0, 1 },  { 0x10100, 0, 0 },	  /* a softirq */
		{ 0x10101, 0, 0 },  { 0x10301, 0, 0 },	  { 0x20001, 0, 0 }, /* an interrupt in an interrupt */
		{ 0x110001, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (off_preemption(cases[i].count, cases[i].own) != cases[i].is_off)
			fail_msg("count %x, own %u", cases[i].count, cases[i].own);
}

static void sections_of_the_kernel(void **state)
{
	__u64 since_ns = 0;

	(void)state;
	assert_int_equal(off_section_end(&since_ns), 0); /* its beginning was not seen */
	off_section_begin(&since_ns, 100);
	off_section_begin(&since_ns, 200); /* inside of it */
	assert_int_equal(off_section_end(&since_ns), 100);
	assert_int_equal(off_section_end(&since_ns), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(least_before_user_code, clear),
		cmocka_unit_test_setup(learns_what_is_usual, clear),
		cmocka_unit_test_setup(kernel_code_teaches_nothing, clear),
		cmocka_unit_test_setup(overlapping_interrupts, clear),
		cmocka_unit_test_setup(nmi_in_an_interrupt_counts_once, clear),
		cmocka_unit_test_setup(missed_end_has_all_of_its_time, clear),
		cmocka_unit_test_setup(half_written_softirq, clear),
		cmocka_unit_test_setup(random_interrupts, clear),
		cmocka_unit_test_setup(known_causes_are_taken_off, clear),
		cmocka_unit_test(preempt_counts),
		cmocka_unit_test(sections_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
