/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts for the tests of files. Included by db_build.h. */
#ifndef DB_IRQ_H
#define DB_IRQ_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/irq.h"
#include "db_latency.h"
#include "unit.h"

#define DB_IRQ_UNIX_NS 1700000007000000000ull

static inline void db_irq_values(struct rec_irq_row *row, enum irq_measure m, uint64_t small_ns, uint64_t big_ns,
				 uint64_t unix_ns)
{
	struct rec_irq_values more = { 0 };
	struct hist h = { 0 };

	for (int i = 0; i < 20; i++)
		hist_add(&h, small_ns);
	hist_add(&h, big_ns);
	assert_int_equal(irq_values_set(&more, &h), 0);
	assert_int_equal(irq_values_add(&row->of[m], &more), 0);
	irq_values_free(&more);
	row->longest_unix_ns[m] = unix_ns;
}

/* Interval i: all of it longer, and busier, than what was before. */
static inline void db_irq_row(struct rec_irq *q, int source, unsigned cpu, unsigned i, bool runs)
{
	struct rec_irq_row *row = irq_row(q, source, cpu);

	assert_non_null(row);
	if (runs)
		db_irq_values(row, IRQ_RUN, 1ull << (8 + i), 1ull << (16 + i), DB_IRQ_UNIX_NS + i);
	db_irq_values(row, IRQ_WAIT, 3ull << (8 + i), 3ull << (16 + i), DB_IRQ_UNIX_NS + 10 + i);
	row->gross_ns += 1000 + i;
	row->peak_count = 100 + i;
	row->peak_unix_ns = DB_IRQ_UNIX_NS + 20 + i;
	row->storms += i;
	row->no_start += cpu + 1;
	row->joined += 3 + i;
	for (unsigned c = 0; c < IRQ_CONTEXTS; c++)
		row->by[c] += c + i;
}

static inline void db_irq_case(struct recording *r, const struct rec_irq_case *from, uint64_t total_ns, bool above,
			       int stack)
{
	struct rec_irq_case c = *from;

	c.measure = IRQ_WAIT;
	c.above = above;
	c.cpu = 1;
	c.total_ns = total_ns;
	c.net_ns = total_ns / 2;
	c.unix_ns = DB_IRQ_UNIX_NS + total_ns;
	c.by = IRQ_IN_SOFTIRQ;
	c.by_kind = SPAN_HARDIRQ;
	c.by_id = 45;
	c.runnable = 3;
	c.task = (struct rec_irq_task){ recording_string(r, "ran"), 8, 9, -1 };
	c.delayed = (struct rec_irq_task){ recording_string(r, "waited"), 18, 19, 49 };
	c.stack = stack;
	c.n_spans = 2;
	c.spans = calloc(2, sizeof(*c.spans));
	assert_non_null(c.spans);
	c.spans[0] = (struct rec_irq_span){ SPAN_TASK, 9, recording_string(r, "ran"), -900, -300, 550 };
	c.spans[1] = (struct rec_irq_span){ SPAN_VECTOR, VECTOR_RESCHEDULE, 0, -300, 0, 300 };
	assert_int_equal(irq_case(r->irq, &c), 0);
}

static inline void db_irq_beside(struct recording *r, int thread, unsigned i, int stack)
{
	struct rec_irq_behind b = { thread, recording_string(r, "hog"), 2, i + 1, 100ull << i, 60ull << i };
	struct rec_irq_sender s = { VECTOR_RESCHEDULE,
				    recording_string(r, "ttwu_queue"),
				    IRQ_IN_TASK,
				    recording_string(r, "prog"),
				    stack,
				    7 + i };
	struct rec_irq_place p = { .kind = IRQ_IRQS_OFF,
				   .name = recording_string(r, "spin_unlock"),
				   .stack = stack,
				   .exact = true,
				   .count = 5,
				   .ns = 900ull << i,
				   .max_ns = 500ull << i };

	assert_int_equal(irq_behind_add(r->irq, &b), 0);
	b.comm = recording_string(r, "other");
	assert_int_equal(irq_behind_add(r->irq, &b), 0);
	assert_int_equal(irq_sender_add(r->irq, &s), 0);
	s.stack = -1;
	s.context = IRQ_IN_HARDIRQ;
	assert_int_equal(irq_sender_add(r->irq, &s), 0);
	assert_int_equal(irq_place_add(r->irq, &p), 0);
	p.kind = IRQ_PREEMPT_OFF;
	p.exact = false;
	p.stack = -1;
	assert_int_equal(irq_place_add(r->irq, &p), 0);
}

static inline void db_grow_irq(struct recording *r, unsigned i, int stack)
{
	struct rec_irq *q = irq_of(r);
	int eth = recording_string(r, "eth0"), line, thread;
	char name[16];

	assert_non_null(q);
	line = irq_source(q, IRQ_LINE, 45, eth);
	thread = irq_source(q, IRQ_THREAD, 45, eth);
	q->above_ns = 7000;
	q->storm_count = 1000;
	q->probe_ns = 100000;
	q->worst = 2;
	q->measured = REC_IRQ_HARD | REC_IRQ_SOFT | REC_IRQ_OFFS_EXACT;
	q->asked = q->measured | REC_IRQ_NMIS;
	q->no_preempt_depth = true;
	strcpy(q->filter, "irq 45");
	db_irq_row(q, line, 1, i, true);
	db_irq_row(q, thread, 1, i, true);
	db_irq_row(q, irq_source(q, IRQ_IPI, VECTOR_RESCHEDULE, 0), 3, i, false);
	snprintf(name, sizeof(name), "work%u", i);
	db_irq_row(q, irq_source(q, IRQ_WORK, 0, recording_string(r, name)), 2 + i, i, true);
	snprintf(name, sizeof(name), "0-%u", i);
	q->sources[line].affinity = recording_string(r, name);
	q->sources[line].effective = recording_string(r, "1");
	q->sources[thread].thread = 200 + (int)i;
	for (unsigned list = 0; list < IRQ_LISTS; list += 3)
		db_irq_case(r, &(struct rec_irq_case){ .list = (enum irq_list)list, .source = thread },
			    5000 + 10 * i + list, false, stack);
	db_irq_case(r, &(struct rec_irq_case){ .list = IRQ_WORST_SOFT, .source = line }, 7001 + i, true, -1);
	db_irq_beside(r, thread, i, stack);
	for (int k = 0; k < 2; k++)
		assert_int_equal(
			irq_point(q, &(struct rec_irq_point){ i * 10000000000ull, 10000000000ull, k ? thread : line, 21,
							      4000 + i, 1ull << (16 + i) }),
			0);
	for (unsigned k = 0; k < IRQ_COUNTS; k++)
		q->counts[k] += k == IRQ_COUNT_CLOCK ? 0 : k + i + 1;
	q->off_fires += 1000;
	q->off_preempt_fires += 10 + i;
}

static inline void print_values(FILE *f, const struct rec_irq_values *v)
{
	fprintf(f, " [%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, v->count, v->sum_ns, v->min_ns, v->max_ns);
	for (unsigned b = 0; v->buckets && b < HIST_BUCKETS; b++)
		if (v->buckets[b])
			fprintf(f, " %u:%" PRIu64, b, v->buckets[b]);
	fprintf(f, "]");
}

static inline void print_leaf(FILE *f, const struct recording *r, int stack)
{
	const struct rec_stack *s = stack < 0 ? NULL : &r->stacks[stack];

	fprintf(f, " %s", s ? recording_str(r, r->locations[r->frames[s->first]].name) : "-");
}

static inline void print_source(FILE *f, const struct recording *r, int id)
{
	const struct rec_irq_source *s = &r->irq->sources[id];

	fprintf(f, " %d/%d/%s(%s,%s,%d)", s->kind, s->number, recording_str(r, s->name), recording_str(r, s->affinity),
		recording_str(r, s->effective), s->thread);
}

static inline void print_irq_task(FILE *f, const struct recording *r, const struct rec_irq_task *t)
{
	fprintf(f, " %s/%d/%d/%d", recording_str(r, t->comm), t->tgid, t->tid, t->prio);
}

static inline void print_row(FILE *f, const struct recording *r, const struct rec_irq_row *row)
{
	fprintf(f, "row");
	print_source(f, r, row->source);
	fprintf(f, " %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, row->cpu, row->gross_ns,
		row->peak_count, row->peak_unix_ns, row->storms, row->no_start, row->joined);
	for (unsigned c = 0; c < IRQ_CONTEXTS; c++)
		fprintf(f, " %" PRIu64, row->by[c]);
	for (unsigned m = 0; m < IRQ_MEASURES; m++) {
		fprintf(f, " %" PRIu64, row->longest_unix_ns[m]);
		print_values(f, &row->of[m]);
	}
}

static inline void print_irq_case(FILE *f, const struct recording *r, const struct rec_irq_case *c)
{
	fprintf(f, "irq case %d %d %d", c->list, c->measure, c->above);
	print_source(f, r, c->source);
	fprintf(f, " %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %d %u", c->cpu, c->total_ns, c->net_ns, c->unix_ns,
		c->by, c->by_kind, c->by_id, c->runnable);
	print_irq_task(f, r, &c->task);
	print_irq_task(f, r, &c->delayed);
	print_leaf(f, r, c->stack);
	for (size_t i = 0; i < c->n_spans; i++)
		fprintf(f, "\n span %d %d %s %" PRId64 " %" PRId64 " %" PRIu64, c->spans[i].kind, c->spans[i].id,
			recording_str(r, c->spans[i].name), c->spans[i].start_ns, c->spans[i].end_ns,
			c->spans[i].net_ns);
	fputc('\n', f);
}

static inline void print_irq_sum(FILE *f, const struct recording *r, size_t i)
{
	const struct rec_irq *q = r->irq;

	if (i < q->n_rows) {
		print_row(f, r, &q->rows[i]);
		return;
	}
	i -= q->n_rows;
	if (i < q->n_behind) {
		const struct rec_irq_behind *b = &q->behind[i];

		fprintf(f, "behind");
		print_source(f, r, b->source);
		fprintf(f, " %s %u %" PRIu64 " %" PRIu64 " %" PRIu64, recording_str(r, b->comm), b->prio_class,
			b->count, b->ns, b->max_ns);
		return;
	}
	i -= q->n_behind;
	if (i < q->n_senders) {
		const struct rec_irq_sender *s = &q->senders[i];

		fprintf(f, "sender %d %s %d %s %" PRIu64, s->vector, recording_str(r, s->callsite), s->context,
			recording_str(r, s->comm), s->count);
		print_leaf(f, r, s->stack);
	} else {
		const struct rec_irq_place *p = &q->places[i - q->n_senders];

		fprintf(f, "place %d %s %d %" PRIu64 " %" PRIu64 " %" PRIu64, p->kind, recording_str(r, p->name),
			p->exact, p->count, p->ns, p->max_ns);
		print_leaf(f, r, p->stack);
	}
}

/* Rows and what is beside them in any order: which came first is known of cases and points only. */
static inline void print_irq_sums(FILE *out, const struct recording *r)
{
	const struct rec_irq *q = r->irq;
	size_t n = q->n_rows + q->n_behind + q->n_senders + q->n_places, bytes;
	char **lines = calloc(n + 1, sizeof(*lines));

	for (size_t i = 0; i < n; i++) {
		FILE *f = open_memstream(&lines[i], &bytes);

		print_irq_sum(f, r, i);
		fclose(f);
	}
	qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
}

static inline void print_irq(FILE *f, const struct recording *r)
{
	const struct rec_irq *q = r->irq;

	fprintf(f, "irq %x %x %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %u %s\n", q->measured,
		q->asked, q->softirqs_are_threads, q->above_ns, q->storm_count, q->probe_ns, q->off_fires,
		q->off_preempt_fires, q->no_preempt_depth, q->worst, q->filter);
	print_irq_sums(f, r);
	for (size_t i = 0; i < q->n_cases; i++)
		print_irq_case(f, r, &q->cases[i]);
	for (size_t i = 0; i < q->n_points; i++) {
		const struct rec_irq_point *p = &q->points[i];

		fprintf(f, "irq point %" PRIu64 " %" PRIu64, p->start_ns, p->duration_ns);
		print_source(f, r, p->source);
		fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", p->count, p->net_ns, p->max_ns);
	}
	for (unsigned i = 0; i < IRQ_COUNTS; i++)
		fprintf(f, " %" PRIu64, q->counts[i]);
	fputc('\n', f);
}

#endif
