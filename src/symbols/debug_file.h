/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Separate debug files, which hold the symbol table that an object was stripped of. Looked for as
 * GDB does ("Debugging Information in Separate Files"): by build-id, then by .gnu_debuglink, whose
 * CRC-32 must be that of the whole debug file. What a debug file itself links to is never followed.
 */
#ifndef SYMBOLS_DEBUG_FILE_H
#define SYMBOLS_DEBUG_FILE_H

#include "core/recording.h"
#include "symbols/offline_tell.h"

struct debug_places {
	int root;	       /* objects, and what lies beside them, are below it: see root.h */
	const char *root_name; /* what stands before such a path in messages */
	int dir_root;	       /* the debug directory is below that one; -1: there is none */
	const char *dir;       /* its path there */
	const char *dir_name;  /* and in messages */
	struct offline_tell *tell;
};

/*
 * A descriptor of a debug file with .symtab, or -ENOENT. `object` is the stripped file, -1: it is
 * not there; `path` where it should be below the root; `id` its build-id, of 0 bytes: it has none.
 * A debug file of another build is told and not used.
 */
int debug_file_find(const struct debug_places *p, int object, const char *path, const struct build_id *id);

#endif
