/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * share SECONDS: spends 40, 30, 20 and 10 % of its time in burn_40, burn_30, burn_20 and burn_10.
 * Truth: each runs the same loop, in rounds short against any sampling period, a number of times
 * in that proportion. At the end it prints the CPU time in ns that it used since it began.
 */
#include <inttypes.h>
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
		/* A leaf has no frame unless its address is wanted; without one the caller is missing. */  \
		__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");                        \
		work(percent);                                                                              \
	}

BURN(40)
BURN(30)
BURN(20)
BURN(10)

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t end_ns = now_ns(CLOCK_MONOTONIC) + (uint64_t)((argc > 1 ? atof(argv[1]) : 1) * 1e9);
	uint64_t cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);

	while (now_ns(CLOCK_MONOTONIC) < end_ns)
		for (int i = 0; i < 100; i++) {
			burn_40();
			burn_30();
			burn_20();
			burn_10();
		}
	printf("%" PRIu64 "\n", now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns);
	return 0;
}
