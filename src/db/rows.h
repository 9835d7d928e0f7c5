/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays of rows in memory. */
#ifndef DB_ROWS_H
#define DB_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Sorted by id. Only what is there takes room: ids of a damaged file may be anything. */
struct rows {
	char *items;
	size_t n, max, item_bytes;
};

enum usable {
	USABLE_UNKNOWN,
	USABLE_YES,
	USABLE_NO,
};

/* What rows of names and stacks begin with. */
struct row {
	uint32_t id;
	uint32_t interval; /* which brought it */
	int to;		   /* id in the recording that is made, or -1 */
	enum usable usable;
};

/* Room for one more, all zero; NULL: no memory. */
void *rows_add(struct rows *rows);
/* NULL: there is none. */
void *rows_find(const struct rows *rows, uint64_t id);

#endif
