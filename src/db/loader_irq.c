/* SPDX-License-Identifier: GPL-2.0-only */
/* From rows of interrupts and their work to what a recording holds of them. */
#include <errno.h>
#include <stdlib.h>

#include "db/buckets.h"
#include "db/loader.h"

#define ROWS_MAX (1 << 16) /* each takes 10 KiB, however little a file says of it */

#define EACH(table, type, row)                                                                                       \
	(const type *row = (const type *)l->tables.irq.table.items, *end_ = row + l->tables.irq.table.n; row < end_; \
	 row++)

/* --- what may be used --- */

static bool usable_source(const struct tables *t, int id)
{
	const struct irq_source_row *s = rows_find(&t->irq.sources, (uint64_t)id);

	return s && !t->parts[s->row.interval].bad_names && usable_string(t, s->s.name);
}

static bool usable_stack_or_none(const struct tables *t, int id)
{
	return id < 0 || usable_stack(t, (uint32_t)id);
}

static bool case_is_usable(const struct tables *t, const struct rec_irq_case *c)
{
	return usable_source(t, c->source) && usable_string(t, c->task.comm) && usable_string(t, c->delayed.comm) &&
	       usable_stack_or_none(t, c->stack);
}

/* Marks the intervals of which a row refers to what cannot be used. */
#define CHECK(table, type, row, ok)                                             \
	do {                                                                    \
		const type *row = (const type *)t->irq.table.items;             \
                                                                                \
		for (size_t i_ = 0; i_ < t->irq.table.n; i_++, row++)           \
			if (!(ok))                                              \
				t->parts[(row)->interval].bad_reference = true; \
	} while (0)

void usable_irq(struct tables *t)
{
	const struct irq_case_row *cases = (const struct irq_case_row *)t->irq.cases.items;

	for (size_t i = 0; i < t->irq.cases.n; i++)
		if (!case_is_usable(t, &cases[i].c))
			t->parts[cases[i].row.interval].bad_reference = true;
	CHECK(settings, struct irq_setting_row, s,
	      usable_source(t, s->source) && usable_string(t, s->s.affinity) && usable_string(t, s->s.effective));
	CHECK(rows, struct irq_row_row, r, usable_source(t, r->r.source));
	CHECK(histograms, struct irq_histogram_row, h, usable_source(t, h->source));
	CHECK(spans, struct irq_span_row, s, usable_string(t, s->s.name));
	CHECK(behind, struct irq_behind_row, b, usable_source(t, b->b.source) && usable_string(t, b->b.comm));
	CHECK(senders, struct irq_sender_row, s,
	      usable_string(t, s->s.callsite) && usable_string(t, s->s.comm) && usable_stack_or_none(t, s->s.stack));
	CHECK(places, struct irq_place_row, p, usable_string(t, p->p.name) && usable_stack_or_none(t, p->p.stack));
	CHECK(points, struct irq_point_row, p, usable_source(t, p->p.source));
}

/* --- ids of the file become those of the recording: 0 or -ENOMEM --- */

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

static int turn_source(struct loading *l, int *id)
{
	struct irq_source_row *s = rows_find(&l->tables.irq.sources, (uint64_t)*id);
	int name;

	if (s->row.to < 0) {
		name = loading_string(l, s->s.name);
		s->row.to = name < 0 ? name : irq_source(l->r->irq, s->s.kind, s->s.number, name);
	}
	*id = s->row.to;
	return *id < 0 ? *id : 0;
}

/* NULL: no memory, or too many to be true. */
static struct rec_irq_row *row_of(struct loading *l, int source, unsigned cpu)
{
	struct rec_irq_row *row = turn_source(l, &source) ? NULL : irq_row(l->r->irq, source, cpu);

	return l->r->irq->n_rows > ROWS_MAX ? NULL : row;
}

/* --- rows --- */

static bool add_numbers(struct loading *l, struct rec_irq_row *to, const struct rec_irq_row *more)
{
	/* No row has more than all together, of all CPUs and sources. */
	bool good = loading_add(&l->irq_ns, more->gross_ns) && loading_add(&l->irq_counts, more->storms) &&
		    loading_add(&l->irq_counts, more->no_start) && loading_add(&l->irq_counts, more->joined);

	to->gross_ns += more->gross_ns;
	to->storms += more->storms;
	to->no_start += more->no_start;
	to->joined += more->joined;
	for (unsigned c = 0; c < IRQ_CONTEXTS; c++) {
		good = good && loading_add(&l->irq_counts, more->by[c]);
		to->by[c] += more->by[c];
	}
	if (more->peak_count > to->peak_count) {
		to->peak_count = more->peak_count;
		to->peak_unix_ns = more->peak_unix_ns;
	}
	return good;
}

static int add_rows(struct loading *l)
{
	for
		EACH(rows, struct irq_row_row, row)
		{
			struct rec_irq_row *to;

			if (!loading_uses(l, row->interval - 1))
				continue;
			to = row_of(l, row->r.source, row->r.cpu);
			if (!to)
				return -ENOMEM;
			if (!add_numbers(l, to, &row->r))
				return loading_too_large(l);
		}
	return 0;
}

/* When the longest ended; of two alike the first. It is not known of all parts. */
static void add_longest(struct rec_irq_row *to, const struct irq_histogram_row *more)
{
	const struct rec_irq_values *have = &to->of[more->measure];
	uint64_t *longest_unix_ns = &to->longest_unix_ns[more->measure];

	if (!have->count || more->v.max_ns > have->max_ns || (more->v.max_ns == have->max_ns && !*longest_unix_ns))
		*longest_unix_ns = more->longest_unix_ns;
}

static int add_histogram(struct loading *l, const struct irq_histogram_row *row)
{
	struct rec_irq_row *to = row_of(l, row->source, row->cpu);
	struct rec_irq_values more = row->v;
	struct buckets_sum sum;
	int err;

	if (!to)
		return -ENOMEM;
	if (!loading_add(&l->irq_counts, more.count) || !loading_add(&l->irq_ns, more.sum_ns))
		return loading_too_large(l);
	more.buckets = calloc(HIST_BUCKETS, sizeof(*more.buckets));
	if (!more.buckets)
		return -ENOMEM;
	buckets_decode(more.buckets, l->tables.blobs + row->blob, row->blob_bytes, &sum);
	add_longest(to, row);
	err = irq_values_add(&to->of[row->measure], &more);
	free(more.buckets);
	return err;
}

static int add_histograms(struct loading *l)
{
	int err = 0;

	for
		EACH(histograms, struct irq_histogram_row, row)
		{
			if (!err && loading_uses(l, row->interval - 1))
				err = add_histogram(l, row);
		}
	return err;
}

/* --- cases --- */

static int make_room(struct loading *l)
{
	struct irq_case_row *cases = (struct irq_case_row *)l->tables.irq.cases.items;

	for (size_t i = 0; i < l->tables.irq.cases.n; i++) {
		struct rec_irq_case *c = &cases[i].c;

		if (!loading_uses(l, cases[i].row.interval - 1))
			continue;
		c->spans = calloc(c->n_spans + 1, sizeof(*c->spans));
		if (!c->spans)
			return -ENOMEM;
	}
	return 0;
}

static int fill_spans(struct loading *l)
{
	int err = 0;

	for
		EACH(spans, struct irq_span_row, row)
		{
			struct irq_case_row *c = rows_find(&l->tables.irq.cases, row->of_case);
			struct rec_irq_span *to;

			if (err || !loading_uses(l, row->interval - 1))
				continue;
			to = &c->c.spans[c->got_spans++];
			*to = row->s;
			err = turn_string(l, &to->name);
		}
	return err;
}

static int turn_case(struct loading *l, struct rec_irq_case *c)
{
	int err = turn_source(l, &c->source);

	if (!err)
		err = turn_string(l, &c->task.comm);
	if (!err)
		err = turn_string(l, &c->delayed.comm);
	return err ? err : turn_stack(l, &c->stack);
}

static int add_cases(struct loading *l)
{
	struct irq_case_row *cases = (struct irq_case_row *)l->tables.irq.cases.items;
	int err = make_room(l);

	if (!err)
		err = fill_spans(l);
	for (size_t i = 0; i < l->tables.irq.cases.n && !err; i++) {
		struct rec_irq_case *c = &cases[i].c, given;

		if (!loading_uses(l, cases[i].row.interval - 1))
			continue;
		err = turn_case(l, c);
		if (err)
			break;
		given = *c;
		c->spans = NULL; /* it takes them over */
		err = irq_case(l->r->irq, &given);
	}
	return err;
}

/* --- beside the rows --- */

static int add_behind(struct loading *l)
{
	for
		EACH(behind, struct irq_behind_row, row)
		{
			struct rec_irq_behind b = row->b;

			if (!loading_uses(l, row->interval - 1))
				continue;
			if (!loading_add(&l->irq_counts, b.count) || !loading_add(&l->irq_ns, b.ns))
				return loading_too_large(l);
			if (turn_source(l, &b.source) || turn_string(l, &b.comm) || irq_behind_add(l->r->irq, &b))
				return -ENOMEM;
		}
	return 0;
}

static int add_senders(struct loading *l)
{
	for
		EACH(senders, struct irq_sender_row, row)
		{
			struct rec_irq_sender s = row->s;

			if (!loading_uses(l, row->interval - 1))
				continue;
			if (!loading_add(&l->irq_counts, s.count))
				return loading_too_large(l);
			if (turn_string(l, &s.callsite) || turn_string(l, &s.comm) || turn_stack(l, &s.stack) ||
			    irq_sender_add(l->r->irq, &s))
				return -ENOMEM;
		}
	return 0;
}

static int add_places(struct loading *l)
{
	for
		EACH(places, struct irq_place_row, row)
		{
			struct rec_irq_place p = row->p;

			if (!loading_uses(l, row->interval - 1))
				continue;
			if (!loading_add(&l->irq_counts, p.count) || !loading_add(&l->irq_ns, p.ns))
				return loading_too_large(l);
			if (turn_string(l, &p.name) || turn_stack(l, &p.stack) || irq_place_add(l->r->irq, &p))
				return -ENOMEM;
		}
	return 0;
}

/* Times are from the start of what is shown. */
static int add_points(struct loading *l)
{
	uint64_t first_ns = loading_first_ns(l);

	for
		EACH(points, struct irq_point_row, row)
		{
			struct rec_irq_point p = row->p;

			if (!loading_uses(l, row->interval - 1))
				continue;
			p.start_ns = p.start_ns > first_ns ? p.start_ns - first_ns : 0;
			if (turn_source(l, &p.source) || irq_point(l->r->irq, &p))
				return -ENOMEM;
		}
	return 0;
}

/* As at the end of what is shown, of the sources in it. */
static int add_settings(struct loading *l)
{
	for
		EACH(settings, struct irq_setting_row, row)
		{
			struct rec_irq_source s = row->s, *to;
			int source = row->source;

			if (!loading_uses(l, row->interval - 1))
				continue;
			if (turn_source(l, &source) || turn_string(l, &s.affinity) || turn_string(l, &s.effective))
				return -ENOMEM;
			to = &l->r->irq->sources[source];
			to->affinity = s.affinity;
			to->effective = s.effective;
			to->thread = s.thread;
		}
	return 0;
}

static int add_counts(struct loading *l)
{
	struct rec_irq *q = l->r->irq;

	for (size_t i = 0; i < l->tables.n_parts; i++) {
		for (unsigned k = 0; k < DB_IRQ_COUNTS && loading_uses(l, i); k++) {
			uint64_t *to = k == DB_IRQ_PROBE_FIRES		 ? &q->off_fires
				       : k == DB_IRQ_PROBE_PREEMPT_FIRES ? &q->off_preempt_fires
									 : &q->counts[k];

			if (!loading_add(to, l->tables.parts[i + 1].irq_counts[k]))
				return loading_too_large(l);
		}
	}
	return 0;
}

int loading_add_irq(struct loading *l)
{
	static int (*const adds[])(struct loading * l) = { add_rows,   add_histograms, add_cases,
							   add_behind, add_senders,    add_places,
							   add_points, add_settings,   add_counts };
	int err = 0;

	for (size_t i = 0; l->r->irq && i < sizeof(adds) / sizeof(adds[0]) && !err; i++)
		err = adds[i](l);
	return err;
}
