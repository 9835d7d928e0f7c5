/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * share SECONDS: spends 40, 30, 20 and 10 % of its time in burn_40, burn_30, burn_20 and burn_10.
 * Truth: each runs the same loop, in rounds short against any sampling period, a number of times
 * in that proportion.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUND 200 /* iterations a percent: some 100 us for all four */

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void work(int percent)
{
	uint64_t x = sink | 1;

	for (int i = 0; i < percent * ROUND; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
}

#define BURN(percent)                                                                                       \
	__attribute__((noinline, optimize("align-functions=64,align-loops=64"))) void burn_##percent(void); \
	void burn_##percent(void)                                                                           \
	{                                                                                                   \
		work(percent);                                                                              \
	}

BURN(40)
BURN(30)
BURN(20)
BURN(10)

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end_s = now_s() + (argc > 1 ? atof(argv[1]) : 1);

	while (now_s() < end_s)
		for (int i = 0; i < 100; i++) {
			burn_40();
			burn_30();
			burn_20();
			burn_10();
		}
	return 0;
}
