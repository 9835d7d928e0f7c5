/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How names are looked up: not by loading a symbol table, but by holding the few addresses wanted,
 * sorted, against the table as it streams by. Memory follows the addresses, not the table.
 */
#ifndef SYMBOLS_WANTED_H
#define SYMBOLS_WANTED_H

#include <stddef.h>
#include <stdint.h>

#include "core/recording.h"

struct wanted {
	uint64_t address;
	uint32_t id; /* of the caller's */
};

/* Valid during the call only. */
struct found {
	const char *name;   /* as the table has it; NULL: see why */
	const char *module; /* kernel only: "bpf" for BPF programs, NULL for the kernel proper */
	uint64_t offset;    /* from the start of the symbol */
	enum why why;	    /* WHY_NAMED with a name */
};

/* Called once for each wanted address, in their order. 0 or -errno, which ends the search. */
typedef int found_fn(void *ctx, uint32_t id, const struct found *f);

/* Index of the first address at or above `address`, n if there is none. */
static inline size_t wanted_lower_bound(const struct wanted *w, size_t n, uint64_t address)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (w[middle].address < address)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

#endif
