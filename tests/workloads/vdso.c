/* SPDX-License-Identifier: GPL-2.0-only */
/* vdso SECONDS: asks the coarse clock without a pause, which the vdso answers without the kernel on every machine. */
#include <stdlib.h>
#include <time.h>

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end_s = now_s() + (argc > 1 ? atof(argv[1]) : 1);

	while (now_s() < end_s)
		;
	return 0;
}
