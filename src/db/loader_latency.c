/* SPDX-License-Identifier: GPL-2.0-only */
/* From rows of latencies to what a recording holds of them. */
#include <errno.h>
#include <stdlib.h>

#include "db/buckets.h"
#include "db/loader.h"

#define HISTS_MAX (1 << 16) /* each takes 5 KiB, however little a file says of it */

#define ITEMS(rows, type) ((type *)(rows).items)

/* --- what may be used --- */

static bool case_is_usable(const struct tables *t, const struct rec_case *c)
{
	const int stacks[] = { c->waker_stack, c->out_stack, c->user_stack };

	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
		if (stacks[i] >= 0 && !usable_stack(t, (uint32_t)stacks[i]))
			return false;
	return usable_string(t, c->comm) && usable_string(t, c->context_name) && usable_string(t, c->waker_comm);
}

static void check(struct tables *t, uint32_t interval, bool usable)
{
	if (!usable)
		t->parts[interval].bad_reference = true;
}

void usable_latency(struct tables *t)
{
	const struct histogram_row *hists = ITEMS(t->histograms, const struct histogram_row);
	const struct cause_row *causes = ITEMS(t->causes, const struct cause_row);
	const struct case_row *cases = ITEMS(t->cases, const struct case_row);
	const struct part_row *parts = ITEMS(t->case_parts, const struct part_row);
	const struct span_row *spans = ITEMS(t->case_spans, const struct span_row);

	for (size_t i = 0; i < t->histograms.n; i++)
		check(t, hists[i].interval, usable_string(t, hists[i].h.group));
	for (size_t i = 0; i < t->causes.n; i++)
		check(t, causes[i].interval, usable_string(t, causes[i].c.name));
	for (size_t i = 0; i < t->cases.n; i++)
		check(t, cases[i].row.interval, case_is_usable(t, &cases[i].c));
	for (size_t i = 0; i < t->case_parts.n; i++)
		check(t, parts[i].interval, usable_string(t, parts[i].p.name) && usable_string(t, parts[i].p.by));
	for (size_t i = 0; i < t->case_spans.n; i++)
		check(t, spans[i].interval, usable_string(t, spans[i].s.name));
}

/* --- histograms, causes, counts --- */

static int add_hist(struct loading *l, const struct histogram_row *row)
{
	struct rec_latency *latency = l->r->latency;
	int group = loading_string(l, row->h.group);
	struct rec_hist *h = group < 0 ? NULL : latency_hist(latency, group, row->h.kind);
	struct buckets_sum sum;

	if (!h || latency->n_hists > HISTS_MAX)
		return -ENOMEM;
	if (!h->count || row->h.min_ns < h->min_ns)
		h->min_ns = row->h.min_ns;
	if (row->h.max_ns > h->max_ns)
		h->max_ns = row->h.max_ns;
	if (!loading_add(&h->count, row->h.count) || !loading_add(&h->sum_ns, row->h.sum_ns))
		return loading_too_large(l);
	buckets_decode(h->buckets, l->tables.blobs + row->blob, row->blob_bytes, &sum);
	return 0;
}

static int add_hists(struct loading *l)
{
	const struct histogram_row *rows = ITEMS(l->tables.histograms, const struct histogram_row);
	int err = 0;

	for (size_t i = 0; i < l->tables.histograms.n && !err; i++)
		if (loading_uses(l, rows[i].interval - 1))
			err = add_hist(l, &rows[i]);
	return err;
}

static int add_causes(struct loading *l)
{
	const struct cause_row *rows = ITEMS(l->tables.causes, const struct cause_row);
	uint64_t spans = 0, ns = 0; /* no cause has more than all together */
	int err = 0;

	for (size_t i = 0; i < l->tables.causes.n && !err; i++) {
		struct rec_cause cause = rows[i].c;

		if (!loading_uses(l, rows[i].interval - 1))
			continue;
		if (!loading_add(&spans, cause.spans) || !loading_add(&ns, cause.ns))
			return loading_too_large(l);
		cause.name = loading_string(l, cause.name);
		err = cause.name < 0 ? cause.name : latency_cause(l->r->latency, &cause);
	}
	return err;
}

static int add_waits(struct loading *l)
{
	for (size_t i = 0; i < l->tables.n_parts; i++)
		for (unsigned k = 0; k < WAKE_COUNTS && loading_uses(l, i); k++)
			if (!loading_add(&l->r->latency->counts[k], l->tables.parts[i + 1].waits[k]))
				return loading_too_large(l);
	return 0;
}

/* --- the series --- */

/* Times are from the start of what is shown. */
static int add_points(struct loading *l)
{
	const struct point_row *rows = ITEMS(l->tables.points, const struct point_row);
	uint64_t first_ns = loading_first_ns(l);
	int err = 0;

	for (size_t i = 0; i < l->tables.points.n && !err; i++) {
		struct rec_point p = rows[i].p;

		if (!loading_uses(l, rows[i].interval - 1))
			continue;
		p.start_ns = p.start_ns > first_ns ? p.start_ns - first_ns : 0;
		err = latency_point(l->r->latency, &p);
	}
	return err;
}

/* --- cases --- */

/* Ids of the file become those of the recording; 0 or -ENOMEM. */
static int turn_string(struct loading *l, int *id)
{
	*id = loading_string(l, *id);
	return *id < 0 ? *id : 0;
}

static int turn_stack(struct loading *l, int *id)
{
	if (*id < 0)
		return 0;
	*id = loading_stack(l, (uint32_t)*id);
	return *id < 0 ? *id : 0;
}

static int turn_case(struct loading *l, struct rec_case *c)
{
	int *strings[] = { &c->comm, &c->context_name, &c->waker_comm };
	int *stacks[] = { &c->waker_stack, &c->out_stack, &c->user_stack };
	int err = 0;

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]) && !err; i++)
		err = turn_string(l, strings[i]);
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]) && !err; i++)
		err = turn_stack(l, stacks[i]);
	return err;
}

static int make_room(struct loading *l)
{
	struct case_row *cases = ITEMS(l->tables.cases, struct case_row);

	for (size_t i = 0; i < l->tables.cases.n; i++) {
		struct rec_case *c = &cases[i].c;

		if (!loading_uses(l, cases[i].row.interval - 1))
			continue;
		c->parts = calloc(c->n_parts + 1, sizeof(*c->parts));
		c->spans = calloc(c->n_spans + 1, sizeof(*c->spans));
		if (!c->parts || !c->spans)
			return -ENOMEM;
	}
	return 0;
}

static int fill_parts(struct loading *l)
{
	const struct part_row *rows = ITEMS(l->tables.case_parts, const struct part_row);
	int err = 0;

	for (size_t i = 0; i < l->tables.case_parts.n && !err; i++) {
		struct case_row *c = rows_find(&l->tables.cases, rows[i].of_case);
		struct rec_part *to;

		if (!loading_uses(l, rows[i].interval - 1))
			continue;
		to = &c->c.parts[c->got_parts++];
		*to = rows[i].p;
		err = turn_string(l, &to->name);
		if (!err)
			err = turn_string(l, &to->by);
	}
	return err;
}

static int fill_spans(struct loading *l)
{
	const struct span_row *rows = ITEMS(l->tables.case_spans, const struct span_row);
	int err = 0;

	for (size_t i = 0; i < l->tables.case_spans.n && !err; i++) {
		struct case_row *c = rows_find(&l->tables.cases, rows[i].of_case);
		struct rec_span *to;

		if (!loading_uses(l, rows[i].interval - 1))
			continue;
		to = &c->c.spans[c->got_spans++];
		*to = rows[i].s;
		err = turn_string(l, &to->name);
	}
	return err;
}

static int add_cases(struct loading *l)
{
	struct case_row *cases = ITEMS(l->tables.cases, struct case_row);
	int err = make_room(l);

	if (!err)
		err = fill_parts(l);
	if (!err)
		err = fill_spans(l);
	for (size_t i = 0; i < l->tables.cases.n && !err; i++) {
		struct rec_case *c = &cases[i].c, given;

		if (!loading_uses(l, cases[i].row.interval - 1))
			continue;
		err = turn_case(l, c);
		if (err)
			break;
		given = *c;
		c->parts = NULL; /* it takes them over */
		c->spans = NULL;
		err = latency_case(l->r->latency, &given);
	}
	return err;
}

int loading_add_latency(struct loading *l)
{
	int err;

	if (!l->r->latency)
		return 0;
	err = add_hists(l);
	if (!err)
		err = add_causes(l);
	if (!err)
		err = add_waits(l);
	if (!err)
		err = add_points(l);
	return err ? err : add_cases(l);
}
