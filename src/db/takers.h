/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of tables.h: each takes one row of its table into memory. */
#ifndef DB_TAKERS_H
#define DB_TAKERS_H

#include <limits.h>

#include "db/row.h"
#include "db/tables.h"

/* Takes one row whose columns are of the right types; ROW_BAD: they cannot be right. -ENOMEM ends it all. */
typedef int row_fn(struct tables *t, const struct db_value *v);
#define ROW_BAD 1

static inline bool is_id(const struct db_value *v)
{
	return v->i >= 0 && v->i <= INT_MAX;
}

static inline bool is_count(const struct db_value *v)
{
	return v->i >= 0;
}

row_fn take_histogram, take_cause, take_case, take_part, take_span, take_point, take_wait;

/* What rows of latencies say of each other: parts and spans of their case. */
void latency_rows_check(struct tables *t);
void latency_rows_free(struct tables *t);

#endif
