/* SPDX-License-Identifier: GPL-2.0-only */
/* From what a symbol table says to the names of a recording, the same wherever the table came from. */
#ifndef SYMBOLS_NAMER_H
#define SYMBOLS_NAMER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/recording.h"
#include "symbols/demangle.h"
#include "symbols/wanted.h"

#define NAMER_RAW_BYTES 4097 /* longest name of elf.c, and NUL */

/* Gives names, demangled, to locations; neighbours often share one. */
struct namer {
	struct recording *r;
	int last; /* string of the name in `raw`, -1: none */
	char raw[NAMER_RAW_BYTES];
	char demangled[DEMANGLE_BYTES];
};

void namer_init(struct namer *n, struct recording *r);
/* A found_fn, ctx being the namer and ids those of locations. */
int namer_name(void *ctx, uint32_t id, const struct found *f);
/* For all of them the same reason why they have no name. 0 or fn's error. */
int namer_fail(const struct wanted *w, size_t n, found_fn *fn, void *ctx, enum why why);

/* Ids of some locations, sorted by mapping and address. */
struct located {
	struct wanted *list;
	size_t n;
};

/* Those that `takes` takes. 0 or -ENOMEM; list is the caller's to free. */
int namer_find(struct located *found, struct recording *r,
	       bool (*takes)(const struct recording *r, const struct rec_location *l, const void *arg),
	       const void *arg);
/* Index behind the locations of the same mapping as that at `first`. */
size_t namer_next_mapping(const struct located *found, const struct recording *r, size_t first);

#endif
