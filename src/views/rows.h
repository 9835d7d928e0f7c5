/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples summed up by the sort keys, largest first, and the stacks of each row. */
#ifndef VIEWS_ROWS_H
#define VIEWS_ROWS_H

#include "core/intern.h"
#include "views/functions.h"
#include "views/keys.h"
#include "views/tree.h"

/* What is no sort key is 0; -1 in the row of idle time. */
struct row_key {
	int comm, object, tgid, tid, cpu;
	int64_t function;
};

struct row {
	struct row_key key;
	bool idle;
	uint64_t fires, weight;		  /* with --children: of the function and all it calls */
	uint64_t self_fires, self_weight; /* of the leaf alone; without --children the same */
	uint64_t base_fires, base_weight; /* as fires and weight, in the baseline */
	/* private to rows.c */
	size_t n_paths, first_path;
	size_t last_sample;
};

struct rows {
	const struct recording *r;
	struct functions fs;
	struct sort_keys keys;
	bool children;
	bool callees;	  /* paths lead to callees, not to callers */
	bool *focus;	  /* by function: only these have rows, wherever they stand in a stack; NULL: all */
	struct row *list; /* largest first, after rows_open() */
	size_t n;
	uint64_t kept_fires;		    /* of all samples, without idle */
	uint64_t total_fires, total_weight; /* with the row of idle time, if there is one */
	uint64_t focus_fires;		    /* of samples with a function in focus */
	uint64_t base_total_fires, base_total_weight;

	size_t capacity; /* private from here on */
	struct intern ids;
	uint32_t *ranks; /* by order of arrival: place in the list */
	struct tree_path *paths;
};

/* 0 or -ENOMEM; rows_close() is due either way. */
int rows_open(struct rows *rows, const struct recording *r, const struct sort_keys *keys, bool children, bool idle);
/*
 * Rows of the functions that `pattern` names alone (focus.h), each with the samples whose stack holds
 * it: once however often it calls itself. Paths begin at its outermost call. None found: rows->n is 0.
 */
int rows_open_focus(struct rows *rows, const struct recording *r, const struct sort_keys *keys, const char *pattern,
		    bool callees, bool idle);
void rows_close(struct rows *rows);

/* Collects the paths of the first `n` rows: callers of the row's function, or callees. 0 or -ENOMEM. */
int rows_trace(struct rows *rows, size_t n);
/* After rows_trace(); the caller may sort them. */
struct tree_path *rows_paths(const struct rows *rows, const struct row *row, size_t *n);

#endif
