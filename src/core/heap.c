/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/heap.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>

#define HEAP_BYTES	(16 << 20)
#define HUGE_PAGE_BYTES (2 << 20)

void heap_prepare(void)
{
	char *heap;
	uintptr_t aligned;

	mallopt(M_MMAP_THRESHOLD, 2 * HEAP_BYTES);
	mallopt(M_TRIM_THRESHOLD, 2 * HEAP_BYTES);
	heap = malloc(HEAP_BYTES);
	aligned = ((uintptr_t)heap + HUGE_PAGE_BYTES - 1) & ~(uintptr_t)(HUGE_PAGE_BYTES - 1);
	if (heap) /* it may fail: then the pages are small */
		madvise((void *)aligned, HEAP_BYTES - HUGE_PAGE_BYTES, MADV_HUGEPAGE);
	free(heap);
}

void heap_trim(void)
{
	malloc_trim(0);
}

#else

void heap_prepare(void)
{
}

void heap_trim(void)
{
}

#endif
