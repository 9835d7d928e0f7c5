/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * deep SECONDS [DEPTH [WORKERS]]: the load of the benchmark. Each worker recurses to many depths up to DEPTH by
 * changing paths, and there computes, reads /dev/zero, maps pages or asks the time: mixed user
 * and kernel time under deep stacks. Prints the rounds done: what a profiler slows down.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;
static int zero_fd;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void compute(int n)
{
	uint64_t x = sink | 1;

	for (int i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
}

static void leaf(unsigned path)
{
	static char buf[65536];
	void *pages;

	compute(2000);
	if (path % 3 == 0 && read(zero_fd, buf, sizeof(buf)) < 0)
		exit(1);
	if (path % 7 == 0) {
		pages = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1,
			     0);
		if (pages != MAP_FAILED)
			munmap(pages, 16 * 4096);
	}
}

__attribute__((noinline)) void left(unsigned path, int depth);
__attribute__((noinline)) void right(unsigned path, int depth);

static inline __attribute__((always_inline)) void descend(unsigned path, int depth)
{
	if (!depth)
		leaf(path);
	else if (path >> (depth % 16) & 1)
		left(path, depth - 1);
	else
		right(path, depth - 1);
	sink++;
}

void left(unsigned path, int depth)
{
	descend(path, depth);
}

void right(unsigned path, int depth)
{
	descend(path, depth);
}

static unsigned long work(double seconds, int max_depth)
{
	double end_s = now_s() + seconds;
	unsigned long rounds = 0;
	unsigned path = (unsigned)getpid();

	while (now_s() < end_s)
		for (int i = 0; i < 64; i++, rounds++) {
			path = path * 1664525 + 1013904223;
			/* 512 paths, so that most stacks come again */
			descend(path >> 23, max_depth / 2 + (int)(path >> 16) % (max_depth / 2 + 1));
		}
	return rounds;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	int depth = argc > 2 ? atoi(argv[2]) : 60;
	int workers = argc > 3 ? atoi(argv[3]) : (int)sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long rounds, sum = 0;
	int results[2];

	zero_fd = open("/dev/zero", O_RDONLY);
	if (zero_fd < 0 || pipe(results))
		return 1;
	for (int i = 0; i < workers; i++) {
		if (fork())
			continue;
		rounds = work(seconds, depth);
		return write(results[1], &rounds, sizeof(rounds)) != sizeof(rounds);
	}
	for (int i = 0; i < workers; i++)
		if (read(results[0], &rounds, sizeof(rounds)) == sizeof(rounds))
			sum += rounds;
	while (wait(NULL) > 0)
		;
	printf("%lu\n", sum);
	return 0;
}
