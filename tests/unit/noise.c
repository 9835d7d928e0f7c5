/* SPDX-License-Identifier: GPL-2.0-only */
/* The noise bound against the normal distribution's tables, and against chance itself. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "views/changes.h"
#include "views/noise.h"

#define SECOND_NS 1000000000ull

static struct rec_baseline baseline;
static struct recording recording;

static const struct recording *compared(bool by_time, uint64_t before_ns, uint64_t after_ns)
{
	baseline = (struct rec_baseline){ .by_time = by_time, .meta.duration_ns = before_ns };
	recording = (struct recording){ .baseline = &baseline, .meta.duration_ns = after_ns };
	return &recording;
}

static void z_is_that_of_the_tables(void **state)
{
	static const struct {
		size_t rows;
		double z; /* two-sided 5 % / rows */
	} table[] = { { 1, 1.959964 }, { 10, 2.807034 }, { 100, 3.480756 }, { 1000, 4.055627 } };

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct noise_scale s = noise_scale(compared(false, 1, 1), 10, 10, 10, 10, table[i].rows);

		assert_true(fabs(s.z - table[i].z) < 1e-5);
	}
}

/* 1.96 * sqrt(0.1 * 0.9 * (1 / 1000 + 1 / 4000)), each sample worth 7 units of weight. */
static void bound_of_shares(void **state)
{
	struct noise_scale s = noise_scale(compared(false, 1, 1), 1000, 7000, 4000, 28000, 1);

	(void)state;
	assert_true(fabs(noise_bound(&s, 100, 400) - 1.959964 * sqrt(0.1 * 0.9 * (1 / 1000.0 + 1 / 4000.0))) < 1e-6);
}

/* Samples of 10 ms: 100 in 10 s are 10 % of a CPU, +- 1.96 * sqrt(100) samples on either side. */
static void bound_of_rates(void **state)
{
	struct noise_scale s = noise_scale(compared(true, 10 * SECOND_NS, 10 * SECOND_NS), 1000, 10 * SECOND_NS, 1000,
					   10 * SECOND_NS, 1);

	(void)state;
	assert_true(fabs(noise_bound(&s, 100, 100) - 1.959964 * sqrt(200) * 0.01 / 10) < 1e-6);
}

/* Another sampling rate makes no change, only more noise on its side. */
static void rates_with_other_periods(void **state)
{
	/* 99 Hz against 990 Hz, 10 s, half of one CPU */
	struct noise_scale s = noise_scale(compared(true, 10 * SECOND_NS, 10 * SECOND_NS), 990, 10 * SECOND_NS, 9900,
					   10 * SECOND_NS, 1);
	struct change c = change_of(&s, 495, 5 * SECOND_NS, 4950, 5 * SECOND_NS);
	double before = 10.0 / 990, after = 10.0 / 9900; /* seconds a sample */

	(void)state;
	assert_true(c.is_noise);
	assert_true(fabs(c.by) < 1e-9);
	assert_true(fabs(c.before - 0.5) < 1e-9);
	assert_true(fabs(c.bound - 1.959964 * sqrt(495 * before * before + 4950 * after * after) / 10) < 1e-6);
}

static void nothing_on_one_side(void **state)
{
	struct noise_scale s = noise_scale(compared(false, 1, 1), 0, 0, 100, 100, 1);

	(void)state;
	assert_true(isfinite(noise_bound(&s, 0, 50)));
	s = noise_scale(compared(true, 0, 0), 0, 0, 0, 0, 0);
	assert_true(noise_bound(&s, 0, 0) == 0);
}

#define PARTS	  20
#define ROUNDS	  2000
#define SAMPLES_A 1000
#define SAMPLES_B 3000

static void draw(unsigned counts[PARTS], unsigned n)
{
	for (unsigned i = 0; i < PARTS; i++)
		counts[i] = 0;
	/* part i has a share in proportion to i + 1 */
	while (n--) {
		unsigned at = (unsigned)(random() % (PARTS * (PARTS + 1) / 2)), i = 0;

		while (at >= i + 1)
			at -= ++i;
		counts[i]++;
	}
}

/* Two samplings of one truth: in at most 5 % of the rounds any part may seem to have changed. */
static void equal_loads_rarely_differ(void **state)
{
	unsigned wrong = 0;

	(void)state;
	srandom(1);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct noise_scale s = noise_scale(compared(false, 1, 1), SAMPLES_A, SAMPLES_A, SAMPLES_B, SAMPLES_B,
						   PARTS);
		unsigned a[PARTS], b[PARTS], changed = 0;

		draw(a, SAMPLES_A);
		draw(b, SAMPLES_B);
		for (unsigned i = 0; i < PARTS; i++)
			changed += !change_of(&s, a[i], a[i], b[i], b[i]).is_noise;
		wrong += changed > 0;
	}
	assert_in_range(wrong, ROUNDS / 200, ROUNDS * 7 / 100); /* 5 %, less for dependence, more for small counts */
}

/* A part that doubles from 5 % to 10 % is seen with a thousand samples a side, among 20 others. */
static void a_change_is_one(void **state)
{
	struct noise_scale s = noise_scale(compared(false, 1, 1), 1000, 1000, 1000, 1000, PARTS);

	(void)state;
	assert_false(change_of(&s, 50, 50, 100, 100).is_noise);
	assert_true(change_of(&s, 50, 50, 60, 60).is_noise);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(z_is_that_of_the_tables), cmocka_unit_test(bound_of_shares),
		cmocka_unit_test(bound_of_rates),	   cmocka_unit_test(rates_with_other_periods),
		cmocka_unit_test(nothing_on_one_side),	   cmocka_unit_test(equal_loads_rarely_differ),
		cmocka_unit_test(a_change_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
