/* SPDX-License-Identifier: GPL-2.0-only */
/* Latencies into a recording: of each interval what came to them. */
#include <stdlib.h>

#include "db/saver.h"

/* Recordings have them as numbers. */
_Static_assert(WAKE_NEW == 1 && WAKE_RACED == 2 && WAKE_TIMER == 4 && WAKE_RTLOCK == 8 && WAKE_THROTTLED == 16 &&
		       WAKE_CLOCK == 32 && WAKE_REMOTE == 64 && WAKE_PINNED == 128,
	       "flags of cases in kbpfprof-recording(5)");

static bool is_new(const struct saver *s, const struct rec_case *c)
{
	return c->number >= s->latency.n_given;
}

/* --- strings --- */

static int note_case_strings(struct saver *s, const struct recording *r, const struct rec_case *c)
{
	const int own[] = { c->comm, c->context_name, c->waker_comm };
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && rc == SQLITE_OK; i++)
		rc = saver_note_string(s, r, own[i]);
	for (size_t i = 0; i < c->n_parts && rc == SQLITE_OK; i++) {
		rc = saver_note_string(s, r, c->parts[i].name);
		if (rc == SQLITE_OK)
			rc = saver_note_string(s, r, c->parts[i].by);
	}
	for (size_t i = 0; i < c->n_spans && rc == SQLITE_OK; i++)
		rc = saver_note_string(s, r, c->spans[i].name);
	return rc;
}

int saver_note_latency_strings(struct saver *s, const struct recording *r)
{
	const struct rec_latency *l = r->latency;
	int rc = SQLITE_OK;

	if (!l)
		return SQLITE_OK;
	for (size_t i = s->latency.n_hists; i < l->n_hists && rc == SQLITE_OK; i++)
		rc = saver_note_string(s, r, l->hists[i].group);
	for (size_t i = s->latency.n_causes; i < l->n_causes && rc == SQLITE_OK; i++)
		rc = saver_note_string(s, r, l->causes[i].name);
	for (size_t i = 0; i < l->n_cases && rc == SQLITE_OK; i++)
		if (is_new(s, &l->cases[i]))
			rc = note_case_strings(s, r, &l->cases[i]);
	return rc;
}

/* --- histograms and causes --- */

/* The one point of this kind that came since the last interval, if it has as many values; else NULL. */
static const struct rec_point *point_of(const struct saver *s, const struct rec_latency *l, const struct rec_hist *h,
					uint64_t count)
{
	const struct rec_point *found = NULL;

	for (size_t i = s->latency.n_points; i < l->n_points; i++) {
		if (l->points[i].kind != h->kind)
			continue;
		if (found)
			return NULL;
		found = &l->points[i];
	}
	return found && !h->group && found->count == count ? found : NULL;
}

static int put_hist(struct saver *s, const struct recording *r, size_t i)
{
	const struct rec_hist *h = &r->latency->hists[i];
	const struct rec_irq_values now = { h->count, h->sum_ns, h->min_ns, h->max_ns, h->buckets };
	const struct rec_point *point;
	struct saver_values more;
	int rc;

	if (!saver_values_since(s, &now, &s->latency.hists[i], &more))
		return SQLITE_OK;
	point = point_of(s, r->latency, h, more.count);
	if (point && hist_bucket(point->max_ns) == more.highest && point->max_ns <= more.max_ns)
		more.max_ns = point->max_ns;
	rc = saver_put(s, DB_HISTOGRAMS, &s->crc,
		       (struct db_value[]){ saver_interval_id(s), saver_string_id(s, h->group),
					    row_text(latency_kind_word(h->kind)), row_int(more.count),
					    row_int(more.sum_ns), row_int(more.min_ns), row_int(more.max_ns),
					    more.blob });
	return rc == SQLITE_OK ? saver_values_told(&s->latency.hists[i], &now, &more) : rc;
}

static int put_cause(struct saver *s, const struct rec_cause *now, struct rec_cause *told)
{
	uint64_t spans = now->spans - told->spans, ns = now->ns - told->ns;

	if (!spans && !ns)
		return SQLITE_OK;
	*told = *now;
	return saver_put(s, DB_CAUSES, &s->crc,
			 (struct db_value[]){ saver_interval_id(s), row_text(latency_cause_word(now->cause)),
					      row_signed(now->id), saver_string_id(s, now->name),
					      row_int(now->preempted), row_int(hist_quarter_min_ns(now->quarter)),
					      row_int(spans), row_int(ns) });
}

static int put_sums(struct saver *s, const struct recording *r)
{
	const struct rec_latency *l = r->latency;
	struct grown_latency *g = &s->latency;
	int rc = SAVER_FOLLOW(g->hists, g->n_hists, g->max_hists, l->n_hists);

	if (rc == SQLITE_OK)
		rc = SAVER_FOLLOW(g->causes, g->n_causes, g->max_causes, l->n_causes);
	for (size_t i = 0; i < l->n_hists && rc == SQLITE_OK; i++)
		rc = put_hist(s, r, i);
	for (size_t i = 0; i < l->n_causes && rc == SQLITE_OK; i++)
		rc = put_cause(s, &l->causes[i], &s->latency.causes[i]);
	return rc;
}

/* --- cases --- */

static int put_case(struct saver *s, const struct rec_case *c, uint64_t id)
{
	const struct db_value row[] = {
		saver_interval_id(s),
		row_int(id),
		row_text(latency_kind_word(c->kind)),
		row_int(c->above),
		row_int(c->total_ns),
		row_int(c->unix_ns),
		saver_string_id(s, c->comm),
		row_signed(c->tgid),
		row_signed(c->tid),
		row_signed(c->cpu),
		row_signed(c->prio),
		row_signed(c->normal_prio),
		row_int(c->policy),
		row_int(c->flags),
		row_int(c->moves),
		row_signed(c->expiry_ns),
		row_signed(c->irq_ns),
		row_signed(c->waking_ns),
		row_signed(c->queued_ns),
		row_signed(c->resched_ns),
		row_text(latency_span_word(c->context)),
		row_signed(c->context_id),
		saver_string_id(s, c->context_name),
		saver_string_id(s, c->waker_comm),
		row_signed(c->waker_tgid),
		row_signed(c->waker_tid),
		row_signed(c->waker_cpu),
		row_signed(c->preempt_depth),
		saver_stack_id(c->waker_stack),
		saver_stack_id(c->out_stack),
		saver_stack_id(c->user_stack),
	};

	return saver_put(s, DB_CASES, &s->crc, row);
}

static int put_part(struct saver *s, const struct rec_part *p, uint64_t of_case)
{
	return saver_put(
		s, DB_PARTS, &s->crc,
		(struct db_value[]){ saver_interval_id(s), row_int(of_case), row_text(latency_cause_word(p->cause)),
				     row_signed(p->id), saver_string_id(s, p->name), saver_string_id(s, p->by),
				     row_signed(p->tid), row_signed(p->prio), row_int(p->spans), row_int(p->ns) });
}

static int put_span(struct saver *s, const struct rec_span *p, uint64_t of_case)
{
	struct saver_span span = saver_span(p->start_ns, p->end_ns, p->net_ns);

	return saver_put(
		s, DB_SPANS, &s->crc,
		(struct db_value[]){ saver_interval_id(s), row_int(of_case), row_text(latency_span_word(p->kind)),
				     row_signed(p->id), saver_string_id(s, p->name), row_signed(p->prio),
				     row_signed(span.start_ns), row_signed(span.end_ns), row_int(span.net_ns) });
}

/* Cases, then their parts, then their spans: table by table, as checksums go. */
static int put_cases(struct saver *s, const struct rec_latency *l)
{
	uint64_t first = s->latency.n_cases, id = first;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < l->n_cases && rc == SQLITE_OK; i++)
		if (is_new(s, &l->cases[i]))
			rc = put_case(s, &l->cases[i], id++);
	s->latency.n_cases = id;
	id = first;
	for (size_t i = 0; i < l->n_cases; i++) {
		const struct rec_case *c = &l->cases[i];

		if (!is_new(s, c))
			continue;
		for (size_t k = 0; k < c->n_parts && rc == SQLITE_OK; k++)
			rc = put_part(s, &c->parts[k], id);
		id++;
	}
	id = first;
	for (size_t i = 0; i < l->n_cases; i++) {
		const struct rec_case *c = &l->cases[i];

		if (!is_new(s, c))
			continue;
		for (size_t k = 0; k < c->n_spans && rc == SQLITE_OK; k++)
			rc = put_span(s, &c->spans[k], id);
		id++;
	}
	return rc;
}

/* --- the rest --- */

static int put_points(struct saver *s, const struct rec_latency *l)
{
	int rc = SQLITE_OK;

	for (; s->latency.n_points < l->n_points && rc == SQLITE_OK; s->latency.n_points++) {
		const struct rec_point *p = &l->points[s->latency.n_points];

		rc = saver_put(s, DB_POINTS, &s->crc,
			       (struct db_value[]){ saver_interval_id(s), row_int(p->start_ns), row_int(p->duration_ns),
						    row_text(latency_kind_word(p->kind)), row_int(p->count),
						    row_int(p->sum_ns), row_int(p->max_ns), row_int(p->p50_ns),
						    row_int(p->p99_ns) });
	}
	return rc;
}

static int put_waits(struct saver *s, const struct rec_latency *l)
{
	int rc = SQLITE_OK;

	for (unsigned i = 0; i < WAKE_COUNTS && rc == SQLITE_OK; i++) {
		uint64_t count = l->counts[i] - s->latency.counts[i];

		if (count)
			rc = saver_put(s, DB_WAITS, &s->crc,
				       (struct db_value[]){ saver_interval_id(s),
							    row_text(latency_count_word((enum wake_count)i)),
							    row_int(count) });
		s->latency.counts[i] = l->counts[i];
	}
	return rc;
}

int saver_put_latency(struct saver *s, const struct recording *r)
{
	int rc;

	if (!r->latency)
		return SQLITE_OK;
	rc = put_sums(s, r);
	if (rc == SQLITE_OK)
		rc = put_cases(s, r->latency);
	if (rc == SQLITE_OK)
		rc = put_points(s, r->latency);
	if (rc == SQLITE_OK)
		rc = put_waits(s, r->latency);
	s->latency.n_given = r->latency->n_given;
	return rc;
}

void saver_free_latency(struct saver *s)
{
	for (size_t i = 0; i < s->latency.n_hists; i++)
		free(s->latency.hists[i].buckets);
	free(s->latency.hists);
	free(s->latency.causes);
}
