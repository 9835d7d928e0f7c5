/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of a table that name a row: one per sort key, as wide as needed or as there is room. */
#ifndef VIEWS_COLUMNS_H
#define VIEWS_COLUMNS_H

#include <stdio.h>

#include "views/rows.h"

struct columns {
	const struct rows *rows;
	unsigned widths[SORT_KEYS]; /* in the order of rows->keys.list */
	bool cut;		    /* texts wider than their column are cut */
};

/* For the first `n` rows. `room`: columns of the terminal that are free; 0: no terminal. */
void columns_fit(struct columns *c, const struct rows *rows, size_t n, unsigned room);
/* Both end without a newline; the last column is not padded. */
void columns_write_names(FILE *f, const struct columns *c);
void columns_write_row(FILE *f, const struct columns *c, const struct row *row);

#endif
