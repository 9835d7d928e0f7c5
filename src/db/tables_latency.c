/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of latencies: nothing in them may surprise who draws them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/intern.h"
#include "db/buckets.h"
#include "db/takers.h"

/* Columns of `cases`. */
enum {
	CASE_INTERVAL,
	CASE_ID,
	CASE_KIND,
	CASE_ABOVE,
	CASE_TOTAL,
	CASE_UNIX,
	CASE_COMM,
	CASE_TGID,
	CASE_TID,
	CASE_CPU,
	CASE_PRIO,
	CASE_NORMAL_PRIO,
	CASE_POLICY,
	CASE_FLAGS,
	CASE_MOVES,
	CASE_EXPIRY,
	CASE_IRQ,
	CASE_WAKING,
	CASE_QUEUED,
	CASE_RESCHED,
	CASE_CONTEXT,
	CASE_CONTEXT_NUMBER,
	CASE_CONTEXT_NAME,
	CASE_WAKER_COMM,
	CASE_WAKER_TGID,
	CASE_WAKER_TID,
	CASE_WAKER_CPU,
	CASE_PREEMPT_DEPTH,
	CASE_WAKER_STACK,
	CASE_OUT_STACK,
	CASE_USER_STACK,
};

#define FLAGS_ALL (2 * WAKE_PINNED - 1)

/* -1 stands for none. */
static bool is_id_or_none(const struct db_value *v)
{
	return v->i == -1 || is_id(v);
}

bool keep_blob(struct tables *t, const struct db_value *v, size_t *at)
{
	uint8_t *blobs = intern_grow(t->blobs, &t->blobs_max, t->blob_bytes + v->n + 1, 1);

	if (!blobs)
		return false;
	t->blobs = blobs;
	memcpy(blobs + t->blob_bytes, v->bytes, v->n);
	*at = t->blob_bytes;
	t->blob_bytes += v->n;
	return true;
}

bool is_histogram(const struct db_value *v, const struct db_value *blob, struct buckets_sum *sum)
{
	const struct db_value *count = &v[0], *least = &v[2], *largest = &v[3];

	return count->i > 0 && is_count(&v[1]) && is_count(least) && largest->i >= least->i &&
	       buckets_decode(NULL, blob->bytes, blob->n, sum) && sum->count == (uint64_t)count->i &&
	       hist_bucket((uint64_t)least->i) <= sum->lowest && hist_bucket((uint64_t)largest->i) >= sum->highest;
}

int take_histogram(struct tables *t, const struct db_value *v)
{
	int kind = db_latency_kind_of(v[2].bytes);
	struct histogram_row *row;
	struct buckets_sum sum;

	if (!is_id(&v[1]) || kind < 0 || !is_histogram(&v[3], &v[7], &sum))
		return ROW_BAD;
	row = rows_add(&t->histograms);
	if (!row || !keep_blob(t, &v[7], &row->blob))
		return -ENOMEM;
	row->blob_bytes = v[7].n;
	row->interval = (uint32_t)v[0].i;
	row->h = (struct rec_hist){ .group = (int)v[1].i,
				    .kind = (enum latency_kind)kind,
				    .count = sum.count,
				    .sum_ns = (uint64_t)v[4].i,
				    .min_ns = (uint64_t)v[5].i,
				    .max_ns = (uint64_t)v[6].i };
	return 0;
}

int take_cause(struct tables *t, const struct db_value *v)
{
	int cause = db_wake_cause_of(v[1].bytes);
	unsigned quarter = hist_quarter((uint64_t)v[5].i);
	struct cause_row *row;

	if (cause < 0 || !is_int(&v[2]) || !is_id(&v[3]) || !is_flag(&v[4]) || !is_count(&v[5]) ||
	    hist_quarter_min_ns(quarter) != (uint64_t)v[5].i || !is_count(&v[6]) || !is_count(&v[7]))
		return ROW_BAD;
	row = rows_add(&t->causes);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->c = (struct rec_cause){ .cause = (enum wake_cause)cause,
				     .id = (int)v[2].i,
				     .name = (int)v[3].i,
				     .preempted = v[4].i,
				     .quarter = quarter,
				     .spans = (uint64_t)v[6].i,
				     .ns = (uint64_t)v[7].i };
	return 0;
}

static bool is_stamp(const struct db_value *v)
{
	return v->i >= -1 && v->i <= INT64_MAX / 2;
}

static bool is_case(const struct db_value *v)
{
	return is_id(&v[CASE_ID]) && is_flag(&v[CASE_ABOVE]) && is_stamp(&v[CASE_TOTAL]) && is_count(&v[CASE_TOTAL]) &&
	       is_count(&v[CASE_UNIX]) && are_all(v, CASE_COMM, CASE_CPU, is_id) &&
	       are_all(v, CASE_PRIO, CASE_NORMAL_PRIO, is_priority) && is_id(&v[CASE_POLICY]) && v[CASE_FLAGS].i >= 0 &&
	       v[CASE_FLAGS].i <= FLAGS_ALL && is_id(&v[CASE_MOVES]) &&
	       are_all(v, CASE_EXPIRY, CASE_RESCHED, is_stamp) && is_int(&v[CASE_CONTEXT_NUMBER]) &&
	       are_all(v, CASE_CONTEXT_NAME, CASE_WAKER_TID, is_id) && is_id_or_none(&v[CASE_WAKER_CPU]) &&
	       is_id_or_none(&v[CASE_PREEMPT_DEPTH]) && are_all(v, CASE_WAKER_STACK, CASE_USER_STACK, is_stack);
}

static void fill_waker(struct rec_case *c, const struct db_value *v)
{
	c->context_id = (int)v[CASE_CONTEXT_NUMBER].i;
	c->context_name = (int)v[CASE_CONTEXT_NAME].i;
	c->waker_comm = (int)v[CASE_WAKER_COMM].i;
	c->waker_tgid = (int)v[CASE_WAKER_TGID].i;
	c->waker_tid = (int)v[CASE_WAKER_TID].i;
	c->waker_cpu = (int)v[CASE_WAKER_CPU].i;
	c->preempt_depth = (int)v[CASE_PREEMPT_DEPTH].i;
	c->waker_stack = stack_of(&v[CASE_WAKER_STACK]);
	c->out_stack = stack_of(&v[CASE_OUT_STACK]);
	c->user_stack = stack_of(&v[CASE_USER_STACK]);
}

static void fill_case(struct rec_case *c, const struct db_value *v)
{
	c->above = v[CASE_ABOVE].i;
	c->total_ns = (uint64_t)v[CASE_TOTAL].i;
	c->unix_ns = (uint64_t)v[CASE_UNIX].i;
	c->comm = (int)v[CASE_COMM].i;
	c->tgid = (int)v[CASE_TGID].i;
	c->tid = (int)v[CASE_TID].i;
	c->cpu = (int)v[CASE_CPU].i;
	c->prio = (int)v[CASE_PRIO].i;
	c->normal_prio = (int)v[CASE_NORMAL_PRIO].i;
	c->policy = (unsigned)v[CASE_POLICY].i;
	c->flags = (unsigned)v[CASE_FLAGS].i;
	c->moves = (unsigned)v[CASE_MOVES].i;
	c->expiry_ns = v[CASE_EXPIRY].i;
	c->irq_ns = v[CASE_IRQ].i;
	c->waking_ns = v[CASE_WAKING].i;
	c->queued_ns = v[CASE_QUEUED].i;
	c->resched_ns = v[CASE_RESCHED].i;
	fill_waker(c, v);
}

int take_case(struct tables *t, const struct db_value *v)
{
	int kind = db_latency_kind_of(v[CASE_KIND].bytes), context = db_span_kind_of(v[CASE_CONTEXT].bytes);
	struct case_row *row;

	if ((kind != LATENCY_TIMER && kind != LATENCY_WAKING && kind != LATENCY_PREEMPTED) || context < 0 ||
	    !is_case(v))
		return ROW_BAD;
	row = rows_add(&t->cases);
	if (!row)
		return -ENOMEM;
	row->row = (struct row){ .id = (uint32_t)v[CASE_ID].i, .interval = (uint32_t)v[CASE_INTERVAL].i, .to = -1 };
	row->c.kind = (enum latency_kind)kind;
	row->c.context = (enum span_kind)context;
	fill_case(&row->c, v);
	return 0;
}

int take_part(struct tables *t, const struct db_value *v)
{
	int cause = db_wake_cause_of(v[2].bytes);
	struct part_row *row;

	if (!is_id(&v[1]) || cause < 0 || !is_int(&v[3]) || !are_all(v, 4, 6, is_id) || !is_priority(&v[7]) ||
	    !are_all(v, 8, 9, is_count))
		return ROW_BAD;
	row = rows_add(&t->case_parts);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->of_case = (uint32_t)v[1].i;
	row->p = (struct rec_part){ .cause = (enum wake_cause)cause,
				    .id = (int)v[3].i,
				    .name = (int)v[4].i,
				    .by = (int)v[5].i,
				    .tid = (int)v[6].i,
				    .prio = (int)v[7].i,
				    .spans = (uint64_t)v[8].i,
				    .ns = (uint64_t)v[9].i };
	return 0;
}

int take_span(struct tables *t, const struct db_value *v)
{
	int kind = db_span_kind_of(v[2].bytes);
	struct span_row *row;

	if (!is_id(&v[1]) || kind < 0 || !is_int(&v[3]) || !is_id(&v[4]) || !is_priority(&v[5]) ||
	    !are_all(v, 6, 7, is_moment) || v[7].i < v[6].i || v[8].i < 0 || v[8].i > v[7].i - v[6].i)
		return ROW_BAD;
	row = rows_add(&t->case_spans);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->of_case = (uint32_t)v[1].i;
	row->s = (struct rec_span){ .kind = (enum span_kind)kind,
				    .id = (int)v[3].i,
				    .name = (int)v[4].i,
				    .prio = (int)v[5].i,
				    .start_ns = v[6].i,
				    .end_ns = v[7].i,
				    .net_ns = (uint64_t)v[8].i };
	return 0;
}

int take_point(struct tables *t, const struct db_value *v)
{
	int kind = db_latency_kind_of(v[3].bytes);
	struct point_row *row;

	if (!are_all(v, 1, 2, is_count) || v[1].i > INT64_MAX - v[2].i || kind < 0 || !are_all(v, 4, 8, is_count) ||
	    v[7].i > v[8].i || v[8].i > v[6].i)
		return ROW_BAD;
	row = rows_add(&t->points);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->p = (struct rec_point){ .start_ns = (uint64_t)v[1].i,
				     .duration_ns = (uint64_t)v[2].i,
				     .kind = (enum latency_kind)kind,
				     .count = (uint64_t)v[4].i,
				     .sum_ns = (uint64_t)v[5].i,
				     .max_ns = (uint64_t)v[6].i,
				     .p50_ns = (uint64_t)v[7].i,
				     .p99_ns = (uint64_t)v[8].i };
	return 0;
}

int take_wait(struct tables *t, const struct db_value *v)
{
	int what = db_wake_count_of(v[1].bytes);
	struct part *p = &t->parts[v[0].i];

	if (what < 0 || v[2].i <= 0 || p->waits[what])
		return ROW_BAD;
	p->waits[what] = (uint64_t)v[2].i;
	return 0;
}

/* --- what they say of each other --- */

/* The case of this interval, or NULL: then the interval is damaged. */
static struct case_row *case_of(struct tables *t, uint32_t id, uint32_t interval)
{
	struct case_row *c = rows_find(&t->cases, id);

	if (c && c->row.interval == interval)
		return c;
	t->parts[interval].bad_row = true;
	return NULL;
}

static void count_parts(struct tables *t)
{
	const struct part_row *parts = (const struct part_row *)t->case_parts.items;
	const struct span_row *spans = (const struct span_row *)t->case_spans.items;

	for (size_t i = 0; i < t->case_parts.n; i++) {
		struct case_row *c = case_of(t, parts[i].of_case, parts[i].interval);

		if (!c)
			continue;
		c->c.n_parts++;
		if (__builtin_add_overflow(c->parts_ns, parts[i].p.ns, &c->parts_ns))
			c->parts_ns = UINT64_MAX;
	}
	for (size_t i = 0; i < t->case_spans.n; i++) {
		struct case_row *c = case_of(t, spans[i].of_case, spans[i].interval);

		if (c)
			c->c.n_spans++;
	}
}

void latency_rows_check(struct tables *t)
{
	const struct case_row *cases = (const struct case_row *)t->cases.items;

	count_parts(t);
	for (size_t i = 0; i < t->cases.n; i++) /* none at all if causes were not asked for */
		if (cases[i].c.n_parts && cases[i].parts_ns != cases[i].c.total_ns)
			t->parts[cases[i].row.interval].bad_row = true;
}

void latency_rows_free(struct tables *t)
{
	struct case_row *cases = (struct case_row *)t->cases.items;

	for (size_t i = 0; i < t->cases.n; i++) { /* of a loading that failed */
		free(cases[i].c.parts);
		free(cases[i].c.spans);
	}
	free(t->histograms.items);
	free(t->causes.items);
	free(t->cases.items);
	free(t->case_parts.items);
	free(t->case_spans.items);
	free(t->points.items);
	free(t->blobs);
}
