/* SPDX-License-Identifier: GPL-2.0-only */
/* include/kbpfprof/hist.h: boundaries against a list made by steps that double, values worked out by hand. */
#include <string.h>

#include "unit.h"

#include "kbpfprof/hist.h"

#define STEPS_PER_DOUBLING 16 /* 1 / 16 = 6.25 % */
#define BUCKETS		   592

/* Where bucket i begins: 0 to 15 by 1, 16 to 31 by 1, 32 to 62 by 2, 64 to 124 by 4 ... to 2^40. */
static void bounds_make(uint64_t bounds[BUCKETS + 1])
{
	uint64_t at = 0, step = 1;
	unsigned n = 0;

	for (unsigned i = 0; i < STEPS_PER_DOUBLING; i++)
		bounds[n++] = at++;
	for (unsigned doublings = 0; n < BUCKETS; doublings++) {
		for (unsigned i = 0; i < STEPS_PER_DOUBLING; i++, at += step)
			bounds[n++] = at;
		step *= 2;
	}
	bounds[n] = at;
}

static void buckets_begin_and_end(void **state)
{
	uint64_t bounds[BUCKETS + 1];

	(void)state;
	bounds_make(bounds);
	assert_int_equal(HIST_BUCKETS, BUCKETS);
	for (unsigned i = 0; i < BUCKETS; i++) {
		assert_int_equal(hist_bucket(bounds[i]), i);
		assert_int_equal(hist_bucket(bounds[i + 1] - 1), i);
		assert_int_equal(hist_bucket(bounds[i] + (bounds[i + 1] - bounds[i]) / 2), i);
		assert_int_equal(hist_bucket_min_ns(i), bounds[i]);
	}
	assert_int_equal(bounds[BUCKETS], 1099511627776); /* 2^40: 18 minutes */
	assert_int_equal(hist_bucket_min_ns(BUCKETS), bounds[BUCKETS]);
}

static void values_by_hand(void **state)
{
	static const struct {
		uint64_t ns;
		unsigned bucket;
		uint64_t min_ns;
	} cases[] = {
		{ 0, 0, 0 },
		{ 1, 1, 1 },
		{ 15, 15, 15 },
		{ 16, 16, 16 },
		{ 31, 31, 31 },
		{ 32, 32, 32 },
		{ 33, 32, 32 },
		{ 34, 33, 34 },
		{ 63, 47, 62 },
		{ 1000, 111, 992 }, /* 992 = 31 * 32 */
		{ 1024, 112, 1024 },
		{ 187400, 230, 180224 },	       /* 22 * 2^13, the next one 188416 */
		{ 1000000, 270, 983040 },	       /* 30 * 2^15 */
		{ 1000000000, 429, 973078528 },	       /* 29 * 2^25 */
		{ 60000000000, 523, 57982058496 },     /* 27 * 2^31 */
		{ 1065151889407, 590, 1030792151040 }, /* 2^40 - 2^35 - 1; 30 * 2^35 */
		{ 1065151889408, 591, 1065151889408 }, /* 31 * 2^35: all from here on */
		{ 1099511627776, 591, 1065151889408 },
		{ 9223372036854775808ull, 591, 1065151889408 },
		{ UINT64_MAX, 591, 1065151889408 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(hist_bucket(cases[i].ns), cases[i].bucket);
		assert_int_equal(hist_bucket_min_ns(cases[i].bucket), cases[i].min_ns);
	}
}

static void position_of_the_highest_bit(void **state)
{
	(void)state;
	assert_int_equal(hist_log2(0), 0);
	for (unsigned bit = 0; bit < 64; bit++) {
		assert_int_equal(hist_log2(1ull << bit), bit);
		assert_int_equal(hist_log2((1ull << bit) | (0x5555555555555555ull & ((1ull << bit) - 1))), bit);
		assert_int_equal(hist_log2(UINT64_MAX >> (63 - bit)), bit);
	}
}

/* Up to the last bucket a value and its bucket's begin differ by 6.25 % at most, and order is kept. */
static void error_and_order(void **state)
{
	uint64_t step = 1;
	unsigned last = 0;

	(void)state;
	for (uint64_t ns = 0; ns < 1065151889408; ns += step) {
		unsigned bucket = hist_bucket(ns);
		uint64_t min_ns = hist_bucket_min_ns(bucket), width_ns = hist_bucket_min_ns(bucket + 1) - min_ns;

		assert_true(bucket >= last);
		assert_true(min_ns <= ns && ns < min_ns + width_ns);
		assert_true(ns < 16 ? width_ns == 1 : width_ns * 16 <= ns);
		last = bucket;
		step = 1 + ns / 1009; /* no divisor of a bound */
	}
	assert_int_equal(last, BUCKETS - 2); /* the last one has no end */
}

static void quarters(void **state)
{
	(void)state;
	assert_int_equal(HIST_QUARTERS, 148);
	assert_int_equal(hist_quarter(3), 0);
	assert_int_equal(hist_quarter(4), 1);
	assert_int_equal(hist_quarter(1023), 27);
	assert_int_equal(hist_quarter(1024), 28);
	assert_int_equal(hist_quarter(1279), 28);
	assert_int_equal(hist_quarter(1280), 29);
	assert_int_equal(hist_quarter(UINT64_MAX), 147);
	assert_int_equal(hist_quarter_min_ns(28), 1024);
	assert_int_equal(hist_quarter_min_ns(29), 1280);
	assert_int_equal(hist_quarter_min_ns(148), 1099511627776);
}

static void beside_the_buckets(void **state)
{
	static const uint64_t values[] = { 700, 12, 0, 12, 5000000000000, 33 };
	static struct hist h;
	uint64_t all = 0;

	(void)state;
	hist_add(&h, 1000);
	assert_int_equal(h.min_ns, 1000); /* the first one is both, though they were 0 */
	assert_int_equal(h.max_ns, 1000);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		hist_add(&h, values[i]);
	assert_int_equal(h.count, 7);
	assert_int_equal(h.sum_ns, 5000000001757);
	assert_int_equal(h.min_ns, 0);
	assert_int_equal(h.max_ns, 5000000000000); /* exact also above the last bucket's begin */
	assert_int_equal(h.buckets[12], 2);
	assert_int_equal(h.buckets[32], 1);
	assert_int_equal(h.buckets[591], 1);
	for (unsigned i = 0; i < BUCKETS; i++)
		all += h.buckets[i];
	assert_int_equal(all, h.count);
	memset(&h, 0, sizeof(h));
	hist_add(&h, 0);
	hist_add(&h, 9);
	assert_int_equal(h.min_ns, 0);
	assert_int_equal(h.max_ns, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_begin_and_end),
		cmocka_unit_test(values_by_hand),
		cmocka_unit_test(position_of_the_highest_bit),
		cmocka_unit_test(error_and_order),
		cmocka_unit_test(quarters),
		cmocka_unit_test(beside_the_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
