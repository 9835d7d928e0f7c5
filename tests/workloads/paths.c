/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * paths N [ROUNDS [PAUSE_MS]]: calls touch() once a round through each of N different stacks, and
 * touch() makes exactly one page fault. The stack of path i is the binary digits of i: zero() and
 * one() call each other. It rests for PAUSE_MS after each round.
 * Sampled with `-e page-faults -c 1`, touch() has N stacks of ROUNDS samples each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DIGITS 20

static volatile char *pages;
static long page_bytes;
static volatile int sink;

__attribute__((noinline)) void touch(unsigned path);
__attribute__((noinline)) void zero(unsigned path, int digits);
__attribute__((noinline)) void one(unsigned path, int digits);

void touch(unsigned path)
{
	/* gcc gives a leaf no frame, whatever the options, unless its address is wanted; without one the caller is
	 * missing. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");
	pages[path * page_bytes] = 1;
	sink++;
}

static inline __attribute__((always_inline)) void descend(unsigned path, int digits)
{
	if (!digits)
		touch(path);
	else if (path >> (digits - 1) & 1)
		one(path, digits - 1);
	else
		zero(path, digits - 1);
	sink++; /* no tail call: the caller stays on the stack */
}

void zero(unsigned path, int digits)
{
	descend(path, digits);
}

void one(unsigned path, int digits)
{
	descend(path, digits);
}

/* Gives the pages back, so that the next round faults again. */
static void rest(size_t bytes, unsigned pause_ms)
{
	madvise((void *)pages, bytes, MADV_DONTNEED);
	usleep(pause_ms * 1000);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 5000;
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
	unsigned pause_ms = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	size_t bytes;

	page_bytes = sysconf(_SC_PAGESIZE);
	bytes = (n + 1) * (size_t)page_bytes;
	pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	madvise((void *)pages, bytes, MADV_NOHUGEPAGE); /* or one fault may serve 512 pages */
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned path = 0; path < n; path++)
			descend(path, DIGITS);
		rest(bytes, pause_ms);
	}
	return 0;
}
