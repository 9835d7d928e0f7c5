/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A call tree drawn from paths, each path a walk away from the row's function: to its callers or
 * to its callees. Functions that follow each other without a fork are a chain, written in a row. The
 * parts of a fork add up to it: what is too small is summed as "[... N more]". A chain that ends in
 * small parts only says how many, "[N branches]"; one that lost some on its way how much, "[0.2% elsewhere]".
 * Paths that are cut, all after the same number of elements, end in "[... deeper]".
 */
#ifndef VIEWS_TREE_H
#define VIEWS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "views/functions.h"

struct tree_path {
	const uint32_t *first; /* elements of a struct path ... */
	int step;	       /* ... walked in this direction, 1 or -1 ... */
	unsigned n;	       /* ... this far; 0: the row's function was the end */
	uint64_t weight;
	bool is_cut; /* it goes on, but shall not be drawn further */
};

struct tree_style {
	const struct functions *fs;
	uint64_t total;	  /* what shares are of */
	uint64_t min;	  /* parts below it are summed */
	bool strict;	  /* nothing that reaches the minimum is left to "elsewhere" */
	unsigned columns; /* of the terminal; 0: none, nothing is cut */
	const char *link; /* before a function of a chain: "< " calls the one before it, "> " is called by it */
	bool own;	  /* the paths begin with functions of the row itself, which no column names */
	const char *end;  /* the part of a function where paths end: "[no caller]", "[self]" */
};

/* Of the total: smaller rows and branches are left out, but counted. */
#define TREE_MIN_SHARE 200 /* one 200th, 0.5 % */

/* "40.1%", "<0.1%"; "0.0%" of nothing. Returns `buf`. */
#define SHARE_BYTES 16
char *share_text(char buf[SHARE_BYTES], uint64_t part, uint64_t total);
/* The least part that is not too small. */
uint64_t share_min(uint64_t total);

/* Sorts the paths. 0 or -ENOMEM. Nothing is written when no path has an element. */
int tree_write(FILE *f, const struct tree_style *style, struct tree_path *paths, size_t n);

#endif
