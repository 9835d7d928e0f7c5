/* SPDX-License-Identifier: GPL-2.0-only */
/* A private copy of a recording, in a folder below $TMPDIR that nobody else may enter. */
#ifndef DB_SCRATCH_H
#define DB_SCRATCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: there is none. */
struct scratch {
	bool exists;
	char folder[PATH_MAX - 32];
};

/* All three: 0 or -errno after a message that names `name`. */
int scratch_make(struct scratch *s);
/* What `fd` has from where it stands to its end, -EFBIG above `bytes_max`. */
int scratch_copy(const struct scratch *s, const char *file, int fd, uint64_t bytes_max, const char *name);
/* Puts the number of pages that are there in place of the one that should be there. */
int scratch_set_pages(const struct scratch *s, const char *file, uint32_t pages, const char *name);
void scratch_path(const struct scratch *s, const char *file, char path[PATH_MAX]);
void scratch_remove(struct scratch *s); /* who has a file open keeps it */

#define SCRATCH_DB	"recording"
#define SCRATCH_JOURNAL "recording-journal"

#endif
