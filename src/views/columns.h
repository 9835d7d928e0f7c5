/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of a table that name a row: one per sort key, as wide as needed or as there is room. */
#ifndef VIEWS_COLUMNS_H
#define VIEWS_COLUMNS_H

#include <stdio.h>

#include "views/rows.h"

struct columns {
	const struct rows *rows;
	unsigned widths[SORT_KEYS]; /* in the order of rows->keys.list */
	unsigned room;		    /* columns of the terminal for them: texts are cut; 0: no terminal */
};

/* For the first `n` rows. */
void columns_fit(struct columns *c, const struct rows *rows, size_t n, unsigned room);
/* Both end without a newline; the last column is not padded. The remark follows the names where there is room. */
void columns_write_names(FILE *f, const struct columns *c, const char *remark);
void columns_write_row(FILE *f, const struct columns *c, const struct row *row);

#endif
