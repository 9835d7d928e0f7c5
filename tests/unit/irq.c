/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording holds of interrupts: identities, values, totals, which cases are kept, words. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/irq.h"

static struct rec_irq *new_irq(struct recording **r)
{
	*r = recording_new();
	assert_non_null(*r);
	assert_non_null(irq_of(*r));
	assert_ptr_equal(irq_of(*r), (*r)->irq);
	return (*r)->irq;
}

static void set(struct rec_irq_values *v, size_t n, const uint64_t *ns)
{
	struct hist h = { 0 };

	for (size_t i = 0; i < n; i++)
		hist_add(&h, ns[i]);
	assert_int_equal(irq_values_set(v, &h), 0);
}
#define SET(v, ...) set((v), sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), (const uint64_t[]){ __VA_ARGS__ })

/* --- sources and rows --- */

static void test_a_source_is_its_kind_number_and_name(void **state)
{
	struct recording *r;
	struct rec_irq *q = new_irq(&r);
	int eth = recording_string(r, "eth0"), usb = recording_string(r, "usb");
	int a = irq_source(q, IRQ_LINE, 45, eth), b = irq_source(q, IRQ_LINE, 45, usb);
	int c = irq_source(q, IRQ_THREAD, 45, eth), d = irq_source(q, IRQ_LINE, 46, eth);

	(void)state;
	assert_int_equal(q->n_sources, 4);
	assert_true(a != b && a != c && a != d && b != c && b != d && c != d);
	for (int i = 0; i < 5000; i++) /* many: the arrays and their index grow */
		assert_int_equal(irq_source(q, IRQ_WORK, i, 0), 4 + i);
	assert_int_equal(irq_source(q, IRQ_LINE, 45, eth), a);
	assert_int_equal(irq_source(q, IRQ_LINE, 45, usb), b);
	assert_int_equal(irq_source(q, IRQ_THREAD, 45, eth), c);
	assert_int_equal(irq_source(q, IRQ_LINE, 46, eth), d);
	assert_int_equal(irq_source(q, IRQ_WORK, 4321, 0), 4325);
	assert_int_equal(q->n_sources, 5004);
	recording_free(r);
}

static void test_a_row_is_a_source_on_a_cpu(void **state)
{
	struct recording *r;
	struct rec_irq *q = new_irq(&r);

	(void)state;
	for (unsigned cpu = 0; cpu < 300; cpu++)
		for (int source = 0; source < 4; source++)
			irq_row(q, source, cpu)->gross_ns += cpu * 10 + (unsigned)source;
	for (unsigned cpu = 0; cpu < 300; cpu++)
		for (int source = 0; source < 4; source++)
			assert_int_equal(irq_row(q, source, cpu)->gross_ns, cpu * 10 + (unsigned)source);
	assert_int_equal(q->n_rows, 1200);
	recording_free(r);
}

/* --- values --- */

static void test_values_are_those_of_the_histogram(void **state)
{
	struct rec_irq_values v = { 0 };

	(void)state;
	SET(&v, 700, 90, 90, 1000000);
	assert_int_equal(v.count, 4);
	assert_int_equal(v.sum_ns, 1000880);
	assert_int_equal(v.min_ns, 90);
	assert_int_equal(v.max_ns, 1000000);
	assert_int_equal(v.buckets[hist_bucket(90)], 2);
	SET(&v, 5); /* they replace */
	assert_int_equal(v.count, 1);
	assert_int_equal(v.max_ns, 5);
	assert_int_equal(v.buckets[hist_bucket(90)], 0);
	assert_int_equal(irq_values_set(&v, &(struct hist){ 0 }), 0);
	assert_int_equal(v.count, 0);
	assert_null(v.buckets);
}

/* hist_add() writes the extremes and the count before the bucket. */
static void test_a_histogram_that_was_being_written_counts_by_its_buckets(void **state)
{
	struct rec_irq_values v = { 0 };
	struct hist h = { 0 }, first = { .count = 1, .sum_ns = 50, .min_ns = 50, .max_ns = 50 };

	(void)state;
	assert_int_equal(irq_values_set(&v, &first), 0);
	assert_int_equal(v.count, 0);
	assert_null(v.buckets);
	hist_add(&h, 100);
	h.count++;
	assert_int_equal(irq_values_set(&v, &h), 0);
	assert_int_equal(v.count, 1);
	h.count = 0;
	h.min_ns = 5000; /* of another moment than the bucket of 100, 100 to 103 */
	h.max_ns = 0;
	assert_int_equal(irq_values_set(&v, &h), 0);
	assert_int_equal(v.count, 1);
	assert_true(v.min_ns <= v.max_ns);
	assert_in_range(v.min_ns, 100, 103);
	assert_in_range(v.max_ns, 100, 103);
	irq_values_free(&v);
}

static void test_adding_values_keeps_the_extremes(void **state)
{
	struct rec_irq_values a = { 0 }, b = { 0 }, none = { 0 };

	(void)state;
	assert_int_equal(irq_values_add(&a, &none), 0);
	assert_null(a.buckets);
	SET(&b, 40, 900);
	assert_int_equal(irq_values_add(&a, &b), 0);
	assert_int_equal(a.min_ns, 40);
	SET(&b, 7, 40);
	assert_int_equal(irq_values_add(&a, &b), 0);
	assert_int_equal(irq_values_add(&a, &none), 0);
	assert_int_equal(a.count, 4);
	assert_int_equal(a.sum_ns, 987);
	assert_int_equal(a.min_ns, 7);
	assert_int_equal(a.max_ns, 900);
	assert_int_equal(a.buckets[hist_bucket(40)], 2);
	irq_values_free(&a);
	irq_values_free(&b);
}

static void test_quantiles(void **state)
{
	struct rec_irq_values v = { 0 };

	(void)state;
	assert_int_equal(irq_quantile(&v, 500), 0);
	SET(&v, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000);
	assert_int_equal(irq_quantile(&v, 500), 5); /* below 16 buckets are exact */
	assert_int_equal(irq_quantile(&v, 900), 9);
	assert_int_equal(irq_quantile(&v, 901), 1000);
	irq_values_free(&v);
}

static void test_a_total_is_of_all_cpus(void **state)
{
	struct recording *r;
	struct rec_irq *q = new_irq(&r);
	struct rec_irq_row *row, total;
	int wanted = irq_source(q, IRQ_SOFTIRQ, 3, 0), other = irq_source(q, IRQ_SOFTIRQ, 1, 0);

	(void)state;
	SET(&irq_row(q, other, 2)->of[IRQ_RUN], 100000);
	row = irq_row(q, wanted, 2);
	SET(&row->of[IRQ_RUN], 300, 500);
	SET(&row->of[IRQ_WAIT], 9000);
	*row = (struct rec_irq_row){ .source = wanted,
				     .cpu = 2,
				     .gross_ns = 1000,
				     .peak_count = 70,
				     .peak_unix_ns = 7,
				     .storms = 2,
				     .no_start = 3,
				     .joined = 4,
				     .longest_unix_ns = { 11, 12 },
				     .by = { 5, 6, 7 },
				     .of = { row->of[0], row->of[1] } };
	row = irq_row(q, wanted, 5);
	SET(&row->of[IRQ_RUN], 800);
	SET(&row->of[IRQ_WAIT], 10);
	*row = (struct rec_irq_row){ .source = wanted,
				     .cpu = 5,
				     .gross_ns = 900,
				     .peak_count = 60,
				     .peak_unix_ns = 6,
				     .storms = 1,
				     .no_start = 1,
				     .joined = 1,
				     .longest_unix_ns = { 21, 22 },
				     .by = { 1, 1, 1 },
				     .of = { row->of[0], row->of[1] } };
	assert_int_equal(irq_total(q, wanted, &total), 0);
	assert_int_equal(total.source, wanted);
	assert_int_equal(total.cpu, 5); /* of the longest run, though the longest wait is on the other */
	assert_int_equal(total.of[IRQ_RUN].count, 3);
	assert_int_equal(total.of[IRQ_RUN].sum_ns, 1600);
	assert_int_equal(total.of[IRQ_RUN].max_ns, 800);
	assert_int_equal(total.of[IRQ_WAIT].max_ns, 9000);
	assert_int_equal(total.longest_unix_ns[IRQ_RUN], 21);
	assert_int_equal(total.longest_unix_ns[IRQ_WAIT], 12);
	assert_int_equal(total.gross_ns, 1900);
	assert_int_equal(total.peak_count, 70);
	assert_int_equal(total.peak_unix_ns, 7);
	assert_int_equal(total.storms, 3);
	assert_int_equal(total.no_start, 4);
	assert_int_equal(total.joined, 5);
	assert_int_equal(total.by[IRQ_IN_TASK], 6);
	assert_int_equal(total.by[IRQ_IN_HARDIRQ], 8);
	irq_values_free(&total.of[IRQ_RUN]);
	irq_values_free(&total.of[IRQ_WAIT]);
	recording_free(r);
}

static void test_a_total_of_waits_alone_is_where_the_longest_was(void **state)
{
	struct recording *r;
	struct rec_irq *q = new_irq(&r);
	struct rec_irq_row total;
	int ipi = irq_source(q, IRQ_IPI, VECTOR_RESCHEDULE, 0), nothing = irq_source(q, IRQ_IPI, 2, 0);

	(void)state;
	SET(&irq_row(q, ipi, 0)->of[IRQ_WAIT], 30, 40);
	SET(&irq_row(q, ipi, 1)->of[IRQ_WAIT], 50);
	SET(&irq_row(q, ipi, 3)->of[IRQ_WAIT], 20);
	assert_int_equal(irq_total(q, ipi, &total), 0);
	assert_int_equal(total.cpu, 1);
	assert_int_equal(total.of[IRQ_WAIT].count, 4);
	assert_null(total.of[IRQ_RUN].buckets);
	irq_values_free(&total.of[IRQ_WAIT]);
	assert_int_equal(irq_total(q, nothing, &total), 0);
	assert_int_equal(total.of[IRQ_WAIT].count, 0);
	assert_null(total.of[IRQ_WAIT].buckets);
	recording_free(r);
}

/* --- cases --- */

static void give(struct rec_irq *q, enum irq_list list, uint64_t total_ns, bool above)
{
	struct rec_irq_case c = { .list = list, .total_ns = total_ns, .above = above, .stack = -1 };

	c.spans = calloc(1, sizeof(*c.spans));
	c.n_spans = 1;
	assert_non_null(c.spans);
	assert_int_equal(irq_case(q, &c), 0);
}

static void test_each_list_keeps_its_worst_and_all_that_are_above(void **state)
{
	static const struct {
		enum irq_list list;
		uint64_t total_ns, number;
		bool above;
	} left[] = { { IRQ_WORST_HARD, 50, 0, false }, { IRQ_WORST_THREADS, 3, 1, false },
		     { IRQ_WORST_HARD, 1, 2, true },   { IRQ_WORST_THREADS, 9, 5, false },
		     { IRQ_WORST_HARD, 80, 6, false }, { IRQ_WORST_OFF, 1, 8, false } };
	struct recording *r;
	struct rec_irq *q = new_irq(&r);

	(void)state;
	q->worst = 2;
	give(q, IRQ_WORST_HARD, 50, false);
	give(q, IRQ_WORST_THREADS, 3, false);
	give(q, IRQ_WORST_HARD, 1, true);
	give(q, IRQ_WORST_HARD, 40, false);
	give(q, IRQ_WORST_THREADS, 2, false);
	give(q, IRQ_WORST_THREADS, 9, false);
	give(q, IRQ_WORST_HARD, 80, false);
	give(q, IRQ_WORST_HARD, 50, false); /* as bad as one that was there before */
	give(q, IRQ_WORST_OFF, 1, false);
	assert_int_equal(q->n_cases, sizeof(left) / sizeof(*left));
	for (size_t i = 0; i < q->n_cases; i++) {
		assert_int_equal(q->cases[i].list, left[i].list);
		assert_int_equal(q->cases[i].total_ns, left[i].total_ns);
		assert_int_equal(q->cases[i].number, left[i].number);
		assert_int_equal(q->cases[i].above, left[i].above);
	}
	assert_int_equal(q->n_given, 9);
	recording_free(r);
}

static void test_no_case_is_kept_if_none_is_asked_for(void **state)
{
	struct recording *r;
	struct rec_irq *q = new_irq(&r);

	(void)state;
	give(q, IRQ_WORST_HARD, 50, false);
	assert_int_equal(q->n_cases, 0);
	give(q, IRQ_WORST_HARD, 50, true);
	assert_int_equal(q->n_cases, 1);
	recording_free(r);
}

/* --- beside the rows --- */

static void test_equals_are_replaced(void **state)
{
	struct recording *r;
	struct rec_irq *q = new_irq(&r);
	struct rec_irq_behind b = { .source = 1, .comm = 2, .prio_class = 1, .count = 3, .ns = 30, .max_ns = 20 };
	struct rec_irq_sender s = { .vector = 1, .callsite = 2, .context = IRQ_IN_TASK, .comm = 3, .stack = -1 };
	struct rec_irq_place p = { .kind = IRQ_IRQS_OFF, .name = 4, .stack = 1, .count = 1, .ns = 9, .max_ns = 9 };

	(void)state;
	assert_int_equal(irq_behind(q, &b), 0);
	b.count = 4;
	assert_int_equal(irq_behind(q, &b), 0);
	assert_int_equal(q->n_behind, 1);
	assert_int_equal(q->behind[0].count, 4);
	b.prio_class = 2;
	assert_int_equal(irq_behind(q, &b), 0);
	assert_int_equal(q->n_behind, 2);

	assert_int_equal(irq_sender(q, &s), 0);
	s.count = 8;
	assert_int_equal(irq_sender(q, &s), 0);
	assert_int_equal(q->n_senders, 1);
	assert_int_equal(q->senders[0].count, 8);
	s.stack = 5;
	assert_int_equal(irq_sender(q, &s), 0);
	s.context = IRQ_IN_HARDIRQ;
	assert_int_equal(irq_sender(q, &s), 0);
	assert_int_equal(q->n_senders, 3);

	assert_int_equal(irq_place(q, &p), 0);
	p.stack = 7; /* of another section, the longest by now */
	p.max_ns = 12;
	assert_int_equal(irq_place(q, &p), 0);
	assert_int_equal(q->n_places, 1);
	assert_int_equal(q->places[0].stack, 7);
	assert_int_equal(q->places[0].max_ns, 12);
	p.exact = true;
	assert_int_equal(irq_place(q, &p), 0);
	p.kind = IRQ_PREEMPT_OFF;
	assert_int_equal(irq_place(q, &p), 0);
	assert_int_equal(q->n_places, 3);

	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(irq_point(q, &(struct rec_irq_point){ .start_ns = i }), 0);
	assert_int_equal(q->n_points, 100);
	assert_int_equal(q->points[99].start_ns, 99);
	recording_free(r);
}

static void test_the_share_lost_is_of_all_events(void **state)
{
	struct recording *r;
	struct rec_irq *q = new_irq(&r);
	struct rec_irq_row *row = irq_row(q, irq_source(q, IRQ_LINE, 1, 0), 0);

	(void)state;
	assert_true(recording_lost_pct(r) == 0);
	SET(&row->of[IRQ_RUN], 1, 2);
	SET(&row->of[IRQ_WAIT], 5, 5, 5); /* of the same events */
	row = irq_row(q, irq_source(q, IRQ_IPI, 1, 0), 0);
	SET(&row->of[IRQ_WAIT], 5);
	r->lost.by_cause[LOST_MAP_FULL] = 1;
	assert_true(recording_lost_pct(r) == 25);
	recording_free(r);
}

/* --- words --- */

static void test_words(void **state)
{
	(void)state;
	assert_string_equal(irq_kind_word(IRQ_LINE), "line");
	assert_string_equal(irq_kind_word(IRQ_PREEMPT_OFF), "preempt_off");
	assert_null(irq_kind_word(IRQ_KINDS));
	assert_string_equal(irq_measure_word(IRQ_WAIT), "wait");
	assert_null(irq_measure_word(IRQ_MEASURES));
	assert_string_equal(irq_context_word(IRQ_IN_HARDIRQ), "hardirq");
	assert_null(irq_context_word(IRQ_CONTEXTS));
	assert_string_equal(irq_list_word(IRQ_WORST_OFF), "off");
	assert_null(irq_list_word(IRQ_LISTS));
	assert_string_equal(irq_count_word(IRQ_COUNT_ABOVE_UNTOLD), "above_untold");
	assert_null(irq_count_word(IRQ_COUNTS));
	for (unsigned g = 1; g < REC_IRQ_GROUPS_END; g <<= 1)
		assert_non_null(irq_group_word((enum rec_irq_group)g));
	assert_string_equal(irq_group_word(REC_IRQ_OFFS_EXACT), "off_exact");
	assert_null(irq_group_word(REC_IRQ_GROUPS_END));
	assert_null(irq_group_word(REC_IRQ_HARD | REC_IRQ_SOFT));
}

static void test_texts_of_sources(void **state)
{
	static const struct {
		enum irq_kind kind;
		int number;
		const char *name, *text;
	} cases[] = {
		{ IRQ_LINE, 45, "eth0", "45 eth0" },
		{ IRQ_LINE, 45, "", "45" },
		{ IRQ_VECTOR, VECTOR_LOCAL_TIMER, "", "local timer" },
		{ IRQ_VECTOR, 99, "", "vector 99" },
		{ IRQ_NMI, 0, "perf_event_nmi_handler", "perf_event_nmi_handler" },
		{ IRQ_NMI, 0, "", "NMI" },
		{ IRQ_SOFTIRQ, 3, "", "NET_RX" },
		{ IRQ_SOFTIRQ, 31, "", "softirq 31" },
		{ IRQ_KSOFTIRQD, 3, "", "NET_RX in ksoftirqd" },
		{ IRQ_THREAD, 45, "eth0", "irq/45-eth0" },
		{ IRQ_WORK, 0, "vmstat_update", "vmstat_update" },
		{ IRQ_WORK, 0, "", "unknown function" },
		{ IRQ_IPI, VECTOR_RESCHEDULE, "", "reschedule" },
		{ IRQ_IRQS_OFF, 0, "", "interrupts off" },
		{ IRQ_PREEMPT_OFF, 0, "", "preemption off" },
	};
	struct recording *r = recording_new();
	char buf[IRQ_SOURCE_BYTES], *large = malloc(2000);
	struct rec_irq_source s = { .kind = IRQ_LINE };

	(void)state;
	assert_non_null(r);
	assert_non_null(large);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		s = (struct rec_irq_source){ .kind = cases[i].kind,
					     .number = cases[i].number,
					     .name = recording_string(r, cases[i].name) };
		assert_string_equal(irq_source_text(buf, r, &s), cases[i].text);
	}
	memset(large, 'x', 1999);
	large[1999] = '\0';
	s.name = recording_string(r, large);
	for (unsigned k = 0; k < IRQ_KINDS; k++) {
		s.kind = (enum irq_kind)k;
		assert_true(strlen(irq_source_text(buf, r, &s)) < sizeof(buf));
		assert_true(*irq_kind_text(s.kind) && *irq_kind_text(s.kind) != '?');
	}
	free(large);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_source_is_its_kind_number_and_name),
		cmocka_unit_test(test_a_row_is_a_source_on_a_cpu),
		cmocka_unit_test(test_values_are_those_of_the_histogram),
		cmocka_unit_test(test_a_histogram_that_was_being_written_counts_by_its_buckets),
		cmocka_unit_test(test_adding_values_keeps_the_extremes),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_a_total_is_of_all_cpus),
		cmocka_unit_test(test_a_total_of_waits_alone_is_where_the_longest_was),
		cmocka_unit_test(test_each_list_keeps_its_worst_and_all_that_are_above),
		cmocka_unit_test(test_no_case_is_kept_if_none_is_asked_for),
		cmocka_unit_test(test_equals_are_replaced),
		cmocka_unit_test(test_the_share_lost_is_of_all_events),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_texts_of_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
