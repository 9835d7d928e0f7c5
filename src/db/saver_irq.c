/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts and their work into a recording: of each interval what came to them. */
#include <stdlib.h>

#include "db/saver.h"

static bool is_new(const struct saver *s, const struct rec_irq_case *c)
{
	return c->number >= s->irq.n_given;
}

/* --- strings and sources --- */

static int note_case_strings(struct saver *s, const struct recording *r, const struct rec_irq_case *c)
{
	int rc = saver_note_string(s, r, c->task.comm);

	if (rc == SQLITE_OK)
		rc = saver_note_string(s, r, c->delayed.comm);
	for (size_t i = 0; i < c->n_spans && rc == SQLITE_OK; i++)
		rc = saver_note_string(s, r, c->spans[i].name);
	return rc;
}

/* Affinities may change. */
static int note_source_strings(struct saver *s, const struct recording *r)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < r->irq->n_sources && rc == SQLITE_OK; i++) {
		const struct rec_irq_source *source = &r->irq->sources[i];

		rc = saver_note_string(s, r, source->name);
		if (rc == SQLITE_OK)
			rc = saver_note_string(s, r, source->affinity);
		if (rc == SQLITE_OK)
			rc = saver_note_string(s, r, source->effective);
	}
	return rc;
}

int saver_note_irq_strings(struct saver *s, const struct recording *r)
{
	const struct rec_irq *q = r->irq;
	int rc;

	if (!q)
		return SQLITE_OK;
	rc = note_source_strings(s, r);
	for (size_t i = s->irq.n_behind; i < q->n_behind && rc == SQLITE_OK; i++)
		rc = saver_note_string(s, r, q->behind[i].comm);
	for (size_t i = s->irq.n_senders; i < q->n_senders && rc == SQLITE_OK; i++) {
		rc = saver_note_string(s, r, q->senders[i].callsite);
		if (rc == SQLITE_OK)
			rc = saver_note_string(s, r, q->senders[i].comm);
	}
	for (size_t i = s->irq.n_places; i < q->n_places && rc == SQLITE_OK; i++)
		rc = saver_note_string(s, r, q->places[i].name);
	for (size_t i = 0; i < q->n_cases && rc == SQLITE_OK; i++)
		if (is_new(s, &q->cases[i]))
			rc = note_case_strings(s, r, &q->cases[i]);
	return rc;
}

int saver_put_irq_sources(struct saver *s, const struct recording *r)
{
	int rc = SQLITE_OK;

	for (; r->irq && s->irq.n_sources < r->irq->n_sources && rc == SQLITE_OK; s->irq.n_sources++) {
		const struct rec_irq_source *source = &r->irq->sources[s->irq.n_sources];

		rc = saver_put(s, DB_IRQ_SOURCES, &s->dictionary_crc,
			       (struct db_value[]){ row_int(s->irq.n_sources), saver_interval_id(s),
						    row_text(irq_kind_word(source->kind)), row_signed(source->number),
						    saver_string_id(s, source->name) });
	}
	return rc;
}

/* --- what grows --- */

static int follow(struct grown_irq *g, const struct rec_irq *q)
{
	int rc = SAVER_FOLLOW(g->settings, g->n_settings, g->max_settings, q->n_sources);

	if (rc == SQLITE_OK)
		rc = SAVER_FOLLOW(g->rows, g->n_rows, g->max_rows, q->n_rows);
	if (rc == SQLITE_OK)
		rc = SAVER_FOLLOW(g->behind, g->n_behind, g->max_behind, q->n_behind);
	if (rc == SQLITE_OK)
		rc = SAVER_FOLLOW(g->senders, g->n_senders, g->max_senders, q->n_senders);
	return rc == SQLITE_OK ? SAVER_FOLLOW(g->places, g->n_places, g->max_places, q->n_places) : rc;
}

/* Does the source have something in this interval? What it is set to is told with it. */
static bool has_events(const struct saver *s, const struct rec_irq *q, size_t source)
{
	for (size_t i = 0; i < q->n_rows; i++)
		for (unsigned m = 0; m < IRQ_MEASURES && q->rows[i].source == (int)source; m++)
			if (q->rows[i].of[m].count > s->irq.rows[i].of[m].count)
				return true;
	return false;
}

static int put_settings(struct saver *s, const struct rec_irq *q)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < q->n_sources && rc == SQLITE_OK; i++) {
		const struct rec_irq_source *now = &q->sources[i];
		struct rec_irq_source *told = &s->irq.settings[i];
		bool same = now->affinity == told->affinity && now->effective == told->effective &&
			    now->thread == told->thread;

		if ((!now->affinity && !now->effective && !now->thread && same) || (same && !has_events(s, q, i)))
			continue;
		*told = *now;
		rc = saver_put(s, DB_IRQ_SETTINGS, &s->crc,
			       (struct db_value[]){ saver_interval_id(s), row_int(i), saver_string_id(s, now->affinity),
						    saver_string_id(s, now->effective), row_signed(now->thread) });
	}
	return rc;
}

/* The busiest second is told where it was the busiest so far. */
static int put_row(struct saver *s, const struct rec_irq_row *now, struct rec_irq_row *told)
{
	bool is_peak = now->peak_count > told->peak_count, has_more = is_peak;
	const uint64_t more[] = { now->gross_ns - told->gross_ns,
				  is_peak ? now->peak_count : 0,
				  is_peak ? now->peak_unix_ns : 0,
				  now->storms - told->storms,
				  now->no_start - told->no_start,
				  now->joined - told->joined,
				  now->by[IRQ_IN_TASK] - told->by[IRQ_IN_TASK],
				  now->by[IRQ_IN_SOFTIRQ] - told->by[IRQ_IN_SOFTIRQ],
				  now->by[IRQ_IN_HARDIRQ] - told->by[IRQ_IN_HARDIRQ] };
	struct db_value row[3 + sizeof(more) / sizeof(more[0])] = { saver_interval_id(s), row_signed(now->source),
								    row_int(now->cpu) };
	struct rec_irq_values of[IRQ_MEASURES] = { told->of[IRQ_RUN], told->of[IRQ_WAIT] };

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		row[3 + i] = row_int(more[i]);
		has_more |= more[i] != 0;
	}
	if (!has_more)
		return SQLITE_OK;
	*told = *now;
	for (unsigned m = 0; m < IRQ_MEASURES; m++)
		told->of[m] = of[m];
	return saver_put(s, DB_IRQ_ROWS, &s->crc, row);
}

static int put_values(struct saver *s, const struct rec_irq_row *row, enum irq_measure m, struct rec_irq_values *told)
{
	const struct rec_irq_values *now = &row->of[m];
	struct saver_values more;
	int rc;

	if (!saver_values_since(s, now, told, &more))
		return SQLITE_OK;
	rc = saver_put(s, DB_IRQ_HISTOGRAMS, &s->crc,
		       (struct db_value[]){ saver_interval_id(s), row_signed(row->source), row_int(row->cpu),
					    row_text(irq_measure_word(m)), row_int(more.count), row_int(more.sum_ns),
					    row_int(more.min_ns), row_int(more.max_ns),
					    row_int(more.is_longest ? row->longest_unix_ns[m] : 0), more.blob });
	return rc == SQLITE_OK ? saver_values_told(told, now, &more) : rc;
}

static int put_rows(struct saver *s, const struct rec_irq *q)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < q->n_rows && rc == SQLITE_OK; i++)
		rc = put_row(s, &q->rows[i], &s->irq.rows[i]);
	for (size_t i = 0; i < q->n_rows; i++)
		for (unsigned m = 0; m < IRQ_MEASURES && rc == SQLITE_OK; m++)
			rc = put_values(s, &q->rows[i], (enum irq_measure)m, &s->irq.rows[i].of[m]);
	return rc;
}

/* --- cases --- */

static int put_case(struct saver *s, const struct rec_irq_case *c, uint64_t id)
{
	const struct db_value row[] = {
		saver_interval_id(s),
		row_int(id),
		row_text(irq_list_word(c->list)),
		row_text(irq_measure_word(c->measure)),
		row_int(c->above),
		row_signed(c->source),
		row_int(c->cpu),
		row_int(c->total_ns),
		row_int(c->net_ns),
		row_int(c->unix_ns),
		row_text(irq_context_word(c->by)),
		row_text(latency_span_word(c->by_kind)),
		row_signed(c->by_id),
		row_int(c->runnable),
		saver_string_id(s, c->task.comm),
		row_signed(c->task.tgid),
		row_signed(c->task.tid),
		row_signed(c->task.prio),
		saver_string_id(s, c->delayed.comm),
		row_signed(c->delayed.tgid),
		row_signed(c->delayed.tid),
		row_signed(c->delayed.prio),
		saver_stack_id(c->stack),
	};

	return saver_put(s, DB_IRQ_CASES, &s->crc, row);
}

static int put_span(struct saver *s, const struct rec_irq_span *p, uint64_t of_case)
{
	struct saver_span span = saver_span(p->start_ns, p->end_ns, p->net_ns);

	return saver_put(s, DB_IRQ_SPANS, &s->crc,
			 (struct db_value[]){ saver_interval_id(s), row_int(of_case),
					      row_text(latency_span_word(p->kind)), row_signed(p->id),
					      saver_string_id(s, p->name), row_signed(span.start_ns),
					      row_signed(span.end_ns), row_int(span.net_ns) });
}

/* Cases, then their spans: table by table, as checksums go. */
static int put_cases(struct saver *s, const struct rec_irq *q)
{
	uint64_t first = s->irq.n_cases, id = first;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < q->n_cases && rc == SQLITE_OK; i++)
		if (is_new(s, &q->cases[i]))
			rc = put_case(s, &q->cases[i], id++);
	s->irq.n_cases = id;
	id = first;
	for (size_t i = 0; i < q->n_cases; i++) {
		const struct rec_irq_case *c = &q->cases[i];

		if (!is_new(s, c))
			continue;
		for (size_t k = 0; k < c->n_spans && rc == SQLITE_OK; k++)
			rc = put_span(s, &c->spans[k], id);
		id++;
	}
	return rc;
}

/* --- the rest --- */

static int put_behind(struct saver *s, const struct rec_irq_behind *now, struct rec_irq_behind *told)
{
	uint64_t count = now->count - told->count, ns = now->ns - told->ns;
	uint64_t max_ns = now->max_ns > told->max_ns ? now->max_ns : 0;

	if (!count && !ns && !max_ns)
		return SQLITE_OK;
	*told = *now;
	return saver_put(s, DB_IRQ_BEHIND, &s->crc,
			 (struct db_value[]){ saver_interval_id(s), row_signed(now->source),
					      saver_string_id(s, now->comm), row_int(now->prio_class), row_int(count),
					      row_int(ns), row_int(max_ns) });
}

static int put_sender(struct saver *s, const struct rec_irq_sender *now, struct rec_irq_sender *told)
{
	uint64_t count = now->count - told->count;

	if (!count)
		return SQLITE_OK;
	*told = *now;
	return saver_put(s, DB_IRQ_SENDERS, &s->crc,
			 (struct db_value[]){ saver_interval_id(s), row_signed(now->vector),
					      saver_string_id(s, now->callsite),
					      row_text(irq_context_word(now->context)), saver_string_id(s, now->comm),
					      saver_stack_id(now->stack), row_int(count) });
}

static int put_place(struct saver *s, const struct rec_irq_place *now, struct rec_irq_place *told)
{
	uint64_t count = now->count - told->count, ns = now->ns - told->ns;
	uint64_t max_ns = now->max_ns > told->max_ns ? now->max_ns : 0;

	if (!count && !ns && !max_ns)
		return SQLITE_OK;
	*told = *now;
	return saver_put(s, DB_IRQ_PLACES, &s->crc,
			 (struct db_value[]){ saver_interval_id(s), row_text(irq_kind_word(now->kind)),
					      saver_string_id(s, now->name), row_int(now->exact),
					      saver_stack_id(now->stack), row_int(count), row_int(ns),
					      row_int(max_ns) });
}

static int put_sums(struct saver *s, const struct rec_irq *q)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < q->n_behind && rc == SQLITE_OK; i++)
		rc = put_behind(s, &q->behind[i], &s->irq.behind[i]);
	for (size_t i = 0; i < q->n_senders && rc == SQLITE_OK; i++)
		rc = put_sender(s, &q->senders[i], &s->irq.senders[i]);
	for (size_t i = 0; i < q->n_places && rc == SQLITE_OK; i++)
		rc = put_place(s, &q->places[i], &s->irq.places[i]);
	return rc;
}

static int put_points(struct saver *s, const struct rec_irq *q)
{
	int rc = SQLITE_OK;

	for (; s->irq.n_points < q->n_points && rc == SQLITE_OK; s->irq.n_points++) {
		const struct rec_irq_point *p = &q->points[s->irq.n_points];

		rc = saver_put(s, DB_IRQ_POINTS, &s->crc,
			       (struct db_value[]){ saver_interval_id(s), row_int(p->start_ns), row_int(p->duration_ns),
						    row_signed(p->source), row_int(p->count), row_int(p->net_ns),
						    row_int(p->max_ns) });
	}
	return rc;
}

static uint64_t count_of(const struct rec_irq *q, unsigned i)
{
	if (i == DB_IRQ_PROBE_FIRES)
		return q->off_fires;
	return i == DB_IRQ_PROBE_PREEMPT_FIRES ? q->off_preempt_fires : q->counts[i];
}

static int put_counts(struct saver *s, const struct rec_irq *q)
{
	int rc = SQLITE_OK;

	for (unsigned i = 0; i < DB_IRQ_COUNTS && rc == SQLITE_OK; i++) {
		uint64_t now = count_of(q, i), count = now - s->irq.counts[i];

		if (count)
			rc = saver_put(
				s, DB_IRQ_EVENTS, &s->crc,
				(struct db_value[]){ saver_interval_id(s), row_text(db_irq_count(i)), row_int(count) });
		s->irq.counts[i] = now;
	}
	return rc;
}

int saver_put_irq(struct saver *s, const struct recording *r)
{
	int rc;

	if (!r->irq)
		return SQLITE_OK;
	rc = follow(&s->irq, r->irq);
	if (rc == SQLITE_OK)
		rc = put_settings(s, r->irq);
	if (rc == SQLITE_OK)
		rc = put_rows(s, r->irq);
	if (rc == SQLITE_OK)
		rc = put_cases(s, r->irq);
	if (rc == SQLITE_OK)
		rc = put_sums(s, r->irq);
	if (rc == SQLITE_OK)
		rc = put_points(s, r->irq);
	if (rc == SQLITE_OK)
		rc = put_counts(s, r->irq);
	s->irq.n_given = r->irq->n_given;
	return rc;
}

void saver_free_irq(struct saver *s)
{
	for (size_t i = 0; i < s->irq.n_rows; i++)
		for (unsigned m = 0; m < IRQ_MEASURES; m++)
			irq_values_free(&s->irq.rows[i].of[m]);
	free(s->irq.settings);
	free(s->irq.rows);
	free(s->irq.behind);
	free(s->irq.senders);
	free(s->irq.places);
}
