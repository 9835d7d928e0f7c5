/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the very file that a process has mapped, and no other of the same name. */
#ifndef SYMBOLS_OPEN_H
#define SYMBOLS_OPEN_H

#include <stdint.h>
#include <sys/stat.h>

#include "core/recording.h"
#include "symbols/maps.h"

/*
 * Tried in turn: /proc/PID/map_files (needs CAP_CHECKPOINT_RESTORE; reaches deleted files and every
 * mount namespace), /proc/PID/root and the path, the path alone. Of a mapping that is past the first is
 * left out: by now something else may be mapped there. A descriptor, or -1 and *why.
 */
int open_mapped(int tgid, const struct maps_line *m, struct stat *st, enum why *why);

static inline uint64_t open_changed_ns(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

/* Raised by every change, and when the number of the inode is given to another file; nobody can set it. */
static inline uint64_t open_born_ns(const struct stat *st)
{
	return (uint64_t)st->st_ctim.tv_sec * 1000000000u + (uint64_t)st->st_ctim.tv_nsec;
}

#endif
