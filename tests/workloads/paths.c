/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * paths N: calls touch() once through each of N different stacks, and touch() makes exactly one page
 * fault. The stack of path i is the binary digits of i: zero() and one() call each other.
 * Sampled with `-e page-faults -c 1`, touch() has N samples in N stacks of one sample each.
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

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 5000;
	size_t bytes;

	page_bytes = sysconf(_SC_PAGESIZE);
	bytes = (n + 1) * (size_t)page_bytes;
	pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	madvise((void *)pages, bytes, MADV_NOHUGEPAGE); /* or one fault may serve 512 pages */
	for (unsigned path = 0; path < n; path++)
		descend(path, DIGITS);
	return 0;
}
