/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording somebody else may have made, opened so that nothing in it can do harm. */
#ifndef DB_SOURCE_H
#define DB_SOURCE_H

#include <sqlite3.h>
#include <stdint.h>

#include "db/scratch.h"

struct source {
	sqlite3 *db; /* within a read transaction; its tables are those of db/schema.h */
	int fd;	     /* of the same file: SQLite's locks go with any descriptor of it, so this one goes last */
	const char *name;
	uint32_t version; /* 1 to DB_VERSION */
	uint64_t file_bytes;
	/* How much can be in it: no more rows or bytes are believed. A hole in the file holds nothing. */
	uint64_t data_bytes;
	struct scratch scratch;
	int64_t old_heap_limit;
};

/* 0; -EBADMSG: it is no recording, or of a newer version; or -errno; all after a message. close() is due in any case.
 */
int source_open(struct source *s, const char *path);
void source_close(struct source *s);

#endif
