/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of tables.h: each takes one row of its table into memory. */
#ifndef DB_TAKERS_H
#define DB_TAKERS_H

#include <limits.h>

#include "db/buckets.h"
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

static inline bool is_int(const struct db_value *v)
{
	return v->i >= INT_MIN && v->i <= INT_MAX;
}

static inline bool is_flag(const struct db_value *v)
{
	return v->i == 0 || v->i == 1;
}

static inline bool is_priority(const struct db_value *v)
{
	return v->i >= INT16_MIN && v->i <= INT16_MAX;
}

/* Relative to a case: the difference of two can be told. */
static inline bool is_moment(const struct db_value *v)
{
	return v->i >= -(INT64_MAX / 2) && v->i <= INT64_MAX / 2;
}

static inline bool is_stack(const struct db_value *v)
{
	return v->type == SQLITE_NULL || is_id(v);
}

static inline int stack_of(const struct db_value *v)
{
	return v->type == SQLITE_NULL ? -1 : (int)v->i;
}

static inline bool are_all(const struct db_value *v, int first, int last, bool (*is)(const struct db_value *v))
{
	for (int i = first; i <= last; i++)
		if (!is(&v[i]))
			return false;
	return true;
}

/* A blob of its own, since most buckets are empty: where it lies in t->blobs. false: no memory. */
bool keep_blob(struct tables *t, const struct db_value *v, size_t *at);
/* Are `v` the count, sum, least and largest of a histogram, and `blob` its buckets? */
bool is_histogram(const struct db_value *v, const struct db_value *blob, struct buckets_sum *sum);

row_fn take_histogram, take_cause, take_case, take_part, take_span, take_point, take_wait;

/* What rows of latencies say of each other: parts and spans of their case. */
void latency_rows_check(struct tables *t);
void latency_rows_free(struct tables *t);

row_fn take_irq_source, take_irq_setting, take_irq_row, take_irq_histogram, take_irq_case, take_irq_span,
	take_irq_behind, take_irq_sender, take_irq_place, take_irq_point, take_irq_count;
void irq_rows_begin(struct tables *t);
/* Likewise: spans of their case. */
void irq_rows_check(struct tables *t);
void irq_rows_free(struct tables *t);

#endif
