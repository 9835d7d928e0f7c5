/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sleeps N: sleeps N times for a millisecond. Prints what the kernel counted for it meanwhile:
 * voluntary and involuntary context switches (getrusage(2)); every sleep is a voluntary one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static volatile int sink;

__attribute__((noinline)) void nap(void);

/* The C library calls the kernel without a frame: its caller is missing in stacks, and that should not be main(). */
void nap(void)
{
	struct timespec millisecond = { 0, 1000000 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &millisecond, NULL);
	sink++; /* no tail call */
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < n; i++)
		nap();
	getrusage(RUSAGE_SELF, &after);
	printf("%ld %ld\n", after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw);
	return 0;
}
