// SPDX-License-Identifier: GPL-2.0-only
/*
 * chorus THREADS ROUNDS SECONDS: THREADS threads that all sleep to the same moment of CLOCK_MONOTONIC, ROUNDS times,
 * half a second apart; the first one SECONDS from the start. So one timer interrupt wakes all of them. Prints how many
 * such wakeups there were when all is over.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct timespec first;
static long rounds;

static void *sing(void *unused)
{
	struct timespec due = first;

	for (long i = 0; i < rounds; i++) {
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
		due.tv_nsec += 500000000;
		due.tv_sec += due.tv_nsec / 1000000000;
		due.tv_nsec %= 1000000000;
	}
	return unused;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 200;
	pthread_t *t = calloc((size_t)threads, sizeof(*t));
	pthread_attr_t small;

	rounds = argc > 2 ? atol(argv[2]) : 4;
	clock_gettime(CLOCK_MONOTONIC, &first);
	first.tv_sec += argc > 3 ? atol(argv[3]) : 2;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (long i = 0; i < threads; i++)
		if (!t || pthread_create(&t[i], &small, sing, NULL))
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", threads * rounds);
	return 0;
}
