/* SPDX-License-Identifier: GPL-2.0-only */
/* The file that a recording is written to: nobody else's is overwritten, nobody but its user may read it. */
#ifndef DB_PLACE_H
#define DB_PLACE_H

#include <limits.h>

struct place {
	int fd; /* of the file, locked while it is written; close it after SQLite's, whose locks it shares */
	char path[PATH_MAX]; /* for SQLite: no symbolic link in it */
};

/* 0 or -errno after a message on stderr; then nothing is open. */
int place_open(struct place *p, const char *path);
/* Is it still at its path? */
int place_check(const struct place *p);
void place_close(struct place *p);

#endif
