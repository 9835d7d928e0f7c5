/* SPDX-License-Identifier: GPL-2.0-only */
/* Latencies of a recording: quantiles against a sort of the values, sums, which cases are kept, words. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/latency.h"

static struct rec_latency *new_latency(struct recording **r)
{
	*r = recording_new();
	assert_non_null(*r);
	assert_non_null(latency_of(*r));
	assert_ptr_equal(latency_of(*r), (*r)->latency);
	return (*r)->latency;
}

/* --- histograms --- */

#define VALUES 5000

/* xorshift (Marsaglia 2003): values over many powers of two. */
static uint64_t next_value(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 25) >> (*state % 39); /* below the last bucket, which has no end */
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void assert_quantile(const struct rec_hist *h, const uint64_t *sorted, size_t n, unsigned permille)
{
	size_t rank = (n * permille + 999) / 1000; /* the smallest count of values that is no less than the share */
	uint64_t right = sorted[rank ? rank - 1 : 0], told = latency_quantile(h, permille);

	assert_true(told >= right);
	assert_true(told <= sorted[n - 1]);
	assert_true(told - right <= right / 16); /* a bucket is 1/16 of its power of two */
}

static void test_quantiles_are_those_of_the_sorted_values(void **state)
{
	static const unsigned permilles[] = { 0, 1, 10, 250, 500, 900, 990, 999, 1000 };
	static uint64_t values[VALUES];
	uint64_t seed = 88172645463325252u;
	struct recording *r;
	struct rec_latency *l = new_latency(&r);
	struct rec_hist *h = latency_hist(l, 0, LATENCY_WAKING);

	(void)state;
	for (size_t n = 1; n <= VALUES; n = n * 3 + 1) {
		struct hist fresh = { 0 };

		memset(h->buckets, 0, HIST_BUCKETS * sizeof(*h->buckets));
		h->count = h->sum_ns = h->min_ns = h->max_ns = 0;
		for (size_t i = 0; i < n; i++) {
			values[i] = next_value(&seed);
			hist_add(&fresh, values[i]);
		}
		latency_merge(h, &fresh);
		qsort(values, n, sizeof(*values), by_value);
		for (size_t i = 0; i < sizeof(permilles) / sizeof(*permilles); i++)
			assert_quantile(h, values, n, permilles[i]);
		assert_int_equal(latency_quantile(h, 1000), values[n - 1]);
	}
	recording_free(r);
}

static void test_quantiles_stay_within_the_values(void **state)
{
	struct recording *r;
	struct rec_latency *l = new_latency(&r);
	struct rec_hist *h = latency_hist(l, 0, LATENCY_TIMER);
	struct hist one = { 0 }, beyond = { 0 };

	(void)state;
	assert_int_equal(latency_quantile(h, 500), 0); /* empty */
	hist_add(&one, 1000003);
	latency_merge(h, &one);
	assert_int_equal(latency_quantile(h, 1), 1000003);
	assert_int_equal(latency_quantile(h, 500), 1000003);
	h = latency_hist(l, 0, LATENCY_QUEUE);
	hist_add(&beyond, 7ull << 45); /* more than the last bucket tells apart */
	latency_merge(h, &beyond);
	assert_int_equal(latency_quantile(h, 990), 7ull << 45);
	recording_free(r);
}

static void test_a_quantile_of_very_many_does_not_overflow(void **state)
{
	struct recording *r;
	struct rec_hist *h = latency_hist(new_latency(&r), 0, LATENCY_WAKING);

	(void)state;
	h->count = (uint64_t)1 << 62;
	h->buckets[3] = h->count / 1000 * 995;
	h->buckets[9] = h->count - h->buckets[3];
	h->min_ns = 3;
	h->max_ns = 9;
	assert_int_equal(latency_quantile(h, 990), 3);
	assert_int_equal(latency_quantile(h, 996), 9);
	recording_free(r);
}

static void test_merging_adds_and_keeps_the_extremes(void **state)
{
	struct recording *r;
	struct rec_hist *h = latency_hist(new_latency(&r), 0, LATENCY_WAKING);
	struct hist a = { 0 }, b = { 0 }, none = { 0 };

	(void)state;
	hist_add(&a, 100);
	hist_add(&a, 700);
	hist_add(&b, 90);
	hist_add(&b, 100);
	none.min_ns = 5; /* of nothing: it means nothing */
	latency_merge(h, &none);
	latency_merge(h, &a);
	latency_merge(h, &none);
	assert_int_equal(h->min_ns, 100);
	latency_merge(h, &b);
	assert_int_equal(h->count, 4);
	assert_int_equal(h->sum_ns, 990);
	assert_int_equal(h->min_ns, 90);
	assert_int_equal(h->max_ns, 700);
	assert_int_equal(h->buckets[hist_bucket(100)], 2);
	assert_int_equal(h->buckets[hist_bucket(90)], 1);
	assert_int_equal(h->buckets[hist_bucket(700)], 1);
	recording_free(r);
}

static void test_groups_and_kinds_have_their_own(void **state)
{
	struct recording *r;
	struct rec_latency *l = new_latency(&r);
	int groups[300];

	(void)state;
	for (int i = 0; i < 300; i++) {
		char name[32];

		snprintf(name, sizeof(name), "task-%d", i);
		groups[i] = recording_string(r, name);
		for (int kind = 0; kind < LATENCY_KINDS; kind++)
			latency_hist(l, groups[i], (enum latency_kind)kind)->count = (uint64_t)(10 * i + kind);
	}
	assert_int_equal(l->n_hists, 300 * LATENCY_KINDS);
	for (int i = 0; i < 300; i++)
		for (int kind = 0; kind < LATENCY_KINDS; kind++)
			assert_int_equal(latency_find(l, groups[i], (enum latency_kind)kind)->count, 10 * i + kind);
	assert_null(latency_find(l, 0, LATENCY_WAKING));
	recording_free(r);
}

/* --- causes --- */

static const struct rec_cause *find_cause(const struct rec_latency *l, const struct rec_cause *like)
{
	const struct rec_cause *found = NULL;

	for (size_t i = 0; i < l->n_causes; i++) {
		const struct rec_cause *c = &l->causes[i];

		if (c->cause != like->cause || c->id != like->id || c->name != like->name ||
		    c->quarter != like->quarter || c->preempted != like->preempted)
			continue;
		assert_null(found);
		found = c;
	}
	return found;
}

static void test_causes_add_up_by_their_first_members(void **state)
{
	struct recording *r;
	struct rec_latency *l = new_latency(&r);
	const struct rec_cause base = { CAUSE_HARDIRQ, 45, recording_string(r, "eth0"), 20, false, 1, 100 };
	struct rec_cause others[5];

	(void)state;
	for (int i = 0; i < 5; i++)
		others[i] = base;
	others[0].cause = CAUSE_SOFTIRQ;
	others[1].id = 46;
	others[2].name = 0;
	others[3].quarter = 21;
	others[4].preempted = true;
	for (int round = 0; round < 3; round++) {
		assert_int_equal(latency_cause(l, &base), 0);
		for (int i = 0; i < 5; i++) {
			others[i].spans = 2;
			others[i].ns = 1000 + (uint64_t)i;
			assert_int_equal(latency_cause(l, &others[i]), 0);
		}
	}
	assert_int_equal(l->n_causes, 6);
	assert_int_equal(find_cause(l, &base)->ns, 300);
	assert_int_equal(find_cause(l, &base)->spans, 3);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(find_cause(l, &others[i])->ns, 3 * (1000 + i));
		assert_int_equal(find_cause(l, &others[i])->spans, 6);
	}
	recording_free(r);
}

/* --- cases --- */

static void give(struct rec_latency *l, uint64_t total_ns, bool above, int cpu)
{
	struct rec_case c = { .kind = LATENCY_WAKING, .above = above, .total_ns = total_ns, .cpu = cpu };

	c.n_parts = c.n_spans = 1;
	c.parts = calloc(1, sizeof(*c.parts));
	c.spans = calloc(1, sizeof(*c.spans));
	assert_non_null(c.parts);
	assert_non_null(c.spans);
	c.parts->cause = CAUSE_SWITCH;
	c.parts->ns = total_ns;
	assert_int_equal(latency_case(l, &c), 0);
}

static void assert_cases(const struct rec_latency *l, const uint64_t *totals, const int *cpus, size_t n)
{
	assert_int_equal(l->n_cases, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(l->cases[i].total_ns, totals[i]);
		assert_int_equal(l->cases[i].cpu, cpus[i]);
		assert_int_equal(l->cases[i].parts->ns, totals[i]); /* its own, not another's */
	}
}

static void test_the_worst_are_kept_worst_first(void **state)
{
	struct recording *r;
	struct rec_latency *l = new_latency(&r);

	(void)state;
	l->worst = 3;
	give(l, 50, false, 0);
	give(l, 10, false, 1);
	give(l, 90, false, 2);
	assert_cases(l, (uint64_t[]){ 90, 50, 10 }, (int[]){ 2, 0, 1 }, 3);
	give(l, 5, false, 3);  /* none of the worst three */
	give(l, 10, false, 4); /* as bad as the last: who came first stays */
	assert_cases(l, (uint64_t[]){ 90, 50, 10 }, (int[]){ 2, 0, 1 }, 3);
	give(l, 90, false, 5);
	assert_cases(l, (uint64_t[]){ 90, 90, 50 }, (int[]){ 2, 5, 0 }, 3);
	assert_int_equal(l->n_given, 6);
	assert_int_equal(l->cases[1].number, 5);
	recording_free(r);
}

static void test_those_above_a_limit_all_stay_in_their_order(void **state)
{
	struct recording *r;
	struct rec_latency *l = new_latency(&r);

	(void)state;
	l->worst = 1;
	give(l, 20, true, 0);
	give(l, 50, false, 1);
	give(l, 30, true, 2);
	give(l, 60, false, 3);
	give(l, 10, true, 4);
	assert_cases(l, (uint64_t[]){ 60, 20, 30, 10 }, (int[]){ 3, 0, 2, 4 }, 4);
	l->worst = 0; /* from now on none */
	give(l, 70, false, 5);
	assert_int_equal(l->cases[0].cpu, 3);
	assert_int_equal(l->n_cases, 4);
	recording_free(r);
}

static void test_without_worst_none_is_kept(void **state)
{
	struct recording *r;
	struct rec_latency *l = new_latency(&r);

	(void)state;
	give(l, 70, false, 5);
	assert_int_equal(l->n_cases, 0);
	recording_free(r);
}

static void test_points_stay_in_their_order(void **state)
{
	struct recording *r;
	struct rec_latency *l = new_latency(&r);

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		struct rec_point p = { .start_ns = i, .duration_ns = 1, .kind = LATENCY_TIMER, .count = 2 * i };

		assert_int_equal(latency_point(l, &p), 0);
	}
	assert_int_equal(l->n_points, 100);
	assert_int_equal(l->points[77].count, 154);
	recording_free(r);
}

/* --- words --- */

typedef const char *word_fn(int value);

static const char *cause_word(int value)
{
	return latency_cause_word((enum wake_cause)value);
}

static const char *kind_word(int value)
{
	return latency_kind_word((enum latency_kind)value);
}

static const char *span_word(int value)
{
	return latency_span_word((enum span_kind)value);
}

static const char *count_word(int value)
{
	return latency_count_word((enum wake_count)value);
}

/* All values have a word that no other has, and there is none beyond. */
static void assert_words(word_fn *word, int n)
{
	for (int i = 0; i < n; i++) {
		assert_non_null(word(i));
		assert_true(*word(i) != '\0');
		assert_int_equal(strspn(word(i), "abcdefghijklmnopqrstuvwxyz_"), strlen(word(i)));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(word(i), word(j));
	}
	assert_null(word(n));
	assert_null(word(-1));
}

static void test_words_are_complete_and_distinct(void **state)
{
	(void)state;
	assert_words(cause_word, WAKE_CAUSES);
	assert_words(kind_word, LATENCY_KINDS);
	assert_words(span_word, SPAN_UNKNOWN + 1);
	assert_words(count_word, WAKE_COUNTS);
}

static void test_names_of_vectors_and_softirqs(void **state)
{
	FILE *f = fopen("/proc/softirqs", "re");
	char line[4096], name[32];
	int i = 0;

	(void)state;
	for (int v = 0; v < SPAN_VECTORS; v++)
		assert_non_null(latency_vector_name(v));
	assert_null(latency_vector_name(SPAN_VECTORS));
	assert_null(latency_vector_name(-1));
	assert_null(latency_softirq_name(-1));
	assert_null(latency_softirq_name(1000));
	/* The kernel prints them in the order of their numbers. */
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f)); /* CPUs */
	for (; fgets(line, sizeof(line), f); i++) {
		assert_int_equal(sscanf(line, " %31[^:]:", name), 1);
		assert_string_equal(latency_softirq_name(i), name);
	}
	assert_null(latency_softirq_name(i));
	fclose(f);
}

static void test_texts_are_for_people(void **state)
{
	static const struct {
		enum wake_cause cause;
		int id;
		const char *name, *by, *text;
	} rows[] = {
		{ CAUSE_SOFTIRQ, 3, "", "", "softirq NET_RX" },
		{ CAUSE_SOFTIRQ, 40, "", "", "softirq 40" },
		{ CAUSE_HARDIRQ, 45, "eth0", "", "hard IRQ 45 eth0" },
		{ CAUSE_HARDIRQ, 9, "", "", "hard IRQ 9" },
		{ CAUSE_VECTOR, VECTOR_LOCAL_TIMER, "", "", "local timer interrupt" },
		{ CAUSE_VECTOR, 99, "", "", "interrupt vector 99" },
		{ CAUSE_VECTOR, VECTOR_IPI_CALL_FUNCTION, "", "", "IPI Function call interrupts" },
		{ CAUSE_TIMER_BEHIND, VECTOR_IPI_IRQ_WORK, "", "", "timer late: behind IPI IRQ work interrupts" },
		{ CAUSE_TIMER_BEHIND, VECTOR_IRQ_WORK, "", "", "timer late: behind IRQ work interrupt" },
		{ CAUSE_NMI, 0, "", "", "NMI" },
		{ CAUSE_TASK_BETTER, 0, "camera-svc", "", "camera-svc (better priority)" },
		{ CAUSE_TASK_SAME, 0, "camera-svc", "", "camera-svc (same priority)" },
		{ CAUSE_TASK_FAIR, 0, "camera-svc", "", "camera-svc shared the CPU" },
		{ CAUSE_TASK_WORSE, 0, "camera-svc", "", "camera-svc kept the CPU (not preemptible)" },
		{ CAUSE_TASK_BOOSTED, 0, "low", "high", "low (priority lent by high)" },
		{ CAUSE_TASK_BOOSTED, 0, "low", "", "low (priority lent by a waiter)" },
		{ CAUSE_TIMER_BEHIND, 0, "eth0", "", "timer late: behind eth0" },
		{ CAUSE_TIMER_IRQS_OFF, 0, "", "", "timer late: interrupts off" },
		{ CAUSE_AFFINITY, 0, "hog", "", "hog ran here, idle CPUs forbidden by affinity" },
		{ CAUSE_SWITCH, 0, "", "", "context switch" },
		{ CAUSE_UNEXPLAINED_SNAPSHOT, 0, "", "", "unexplained (snapshot)" },
	};
	struct recording *r = recording_new();
	char buf[LATENCY_CAUSE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(latency_cause_text(buf, r, rows[i].cause, rows[i].id,
						       recording_string(r, rows[i].name),
						       recording_string(r, rows[i].by)),
				    rows[i].text);
	recording_free(r);
}

static void test_every_cause_has_a_text(void **state)
{
	struct recording *r = recording_new();
	char text[WAKE_CAUSES][LATENCY_CAUSE_BYTES], longest[201];
	int name;

	(void)state;
	memset(longest, 'x', 200);
	longest[200] = '\0';
	name = recording_string(r, longest);
	for (int i = 0; i < WAKE_CAUSES; i++) {
		/* A recording of others may hold any name: it is cut. */
		latency_cause_text(text[i], r, (enum wake_cause)i, 1, name, name);
		assert_true(strlen(text[i]) < LATENCY_CAUSE_BYTES);
		assert_string_not_equal(text[i], "?");
		for (int j = 0; j < i; j++)
			assert_string_not_equal(text[i], text[j]);
	}
	assert_string_equal(latency_cause_text(text[0], r, WAKE_CAUSES, 0, 0, 0), "?");
	recording_free(r);
}

static void test_priorities(void **state)
{
	static const struct {
		int prio;
		const char *text;
	} rows[] = { { -1, "DEADLINE" },       { 0, "FIFO 99" }, { 19, "FIFO 80" },
		     { 98, "FIFO 1" },	       { 120, "OTHER" }, { 100, "OTHER nice -20" },
		     { 139, "OTHER nice 19" }, { 140, "idle" },	 { 4711, "priority 4711" } };
	char buf[32];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(latency_prio_text(buf, rows[i].prio), rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles_are_those_of_the_sorted_values),
		cmocka_unit_test(test_quantiles_stay_within_the_values),
		cmocka_unit_test(test_a_quantile_of_very_many_does_not_overflow),
		cmocka_unit_test(test_merging_adds_and_keeps_the_extremes),
		cmocka_unit_test(test_groups_and_kinds_have_their_own),
		cmocka_unit_test(test_causes_add_up_by_their_first_members),
		cmocka_unit_test(test_the_worst_are_kept_worst_first),
		cmocka_unit_test(test_those_above_a_limit_all_stay_in_their_order),
		cmocka_unit_test(test_without_worst_none_is_kept),
		cmocka_unit_test(test_points_stay_in_their_order),
		cmocka_unit_test(test_words_are_complete_and_distinct),
		cmocka_unit_test(test_names_of_vectors_and_softirqs),
		cmocka_unit_test(test_texts_are_for_people),
		cmocka_unit_test(test_every_cause_has_a_text),
		cmocka_unit_test(test_priorities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
