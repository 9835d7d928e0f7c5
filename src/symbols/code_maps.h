/* SPDX-License-Identifier: GPL-2.0-only */
/* Executable mappings as events tell them, one by one; shared by a process and its children until one changes. */
#ifndef SYMBOLS_CODE_MAPS_H
#define SYMBOLS_CODE_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "symbols/maps.h"

#define CODE_FILE_BUCKETS 256
#define CODE_STORE_BYTES  (16 << 20) /* of everything in a store; a mapping takes 40, its file is there once */
#define CODE_MAPS_MAX	  16384	     /* of one process */

struct code_file {
	struct code_file *next; /* in its bucket */
	uint64_t dev, inode;
	unsigned users;
	char path[];
};

struct code_map {
	uint64_t start, end;
	uint64_t offset;   /* of start in the file */
	uint64_t since_ns; /* boot time at which it was mapped */
	struct code_file *file;
};

struct code_maps {
	unsigned users, n;
	size_t capacity;
	struct code_map *list; /* ascending, without overlap */
};

/* All zero: empty. */
struct code_store {
	struct code_file *buckets[CODE_FILE_BUCKETS];
	size_t bytes;
};

/*
 * One mapping more; what it covers of others goes. *maps may be NULL, which is none; if it is shared
 * *maps becomes a copy. 0, -ENOMEM, or -ENOSPC: no more is kept; then nothing has changed.
 */
int code_maps_add(struct code_store *store, struct code_maps **maps, const struct maps_line *m, uint64_t since_ns);
struct code_maps *code_maps_share(struct code_maps *maps);	      /* one user more; NULL gives NULL */
void code_maps_put(struct code_store *store, struct code_maps *maps); /* one user less; NULL is fine */

#endif
