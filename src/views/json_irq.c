/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/json_irq.h"

#include "core/irq.h"
#include "core/latency.h"
#include "views/json_irq_case.h"
#include "views/json_values.h"

static void write_string(struct json *j, const char *key, const struct recording *r, int string)
{
	json_string(j, key, string ? recording_str(r, string) : NULL);
}

/* --- what was measured --- */

static void write_groups(struct json *j, const char *key, unsigned groups)
{
	json_line_array(j, key);
	for (unsigned g = 1; g < REC_IRQ_GROUPS_END; g <<= 1)
		if (groups & g)
			json_string(j, NULL, irq_group_word((enum rec_irq_group)g));
	json_line_array_end(j);
}

static void write_run(struct json *j, const struct rec_irq *q)
{
	bool has_depth = q->probe_ns && !q->no_preempt_depth;

	write_groups(j, "measured", q->measured);
	write_groups(j, "not_shown", q->asked & ~q->measured);
	json_bool(j, "softirqs_are_threads", q->softirqs_are_threads);
	json_string(j, "filter", *q->filter ? q->filter : NULL);
	json_known(j, "above_ns", q->above_ns, q->above_ns);
	json_known(j, "storm_count", q->storm_count, q->storm_count);
	json_known(j, "probe_ns", q->probe_ns, q->probe_ns);
	json_known(j, "probe_fires", q->probe_ns, q->off_fires);
	json_known(j, "probe_preempt_fires", has_depth, q->off_preempt_fires);
	json_object(j, "counts");
	for (int i = 0; i < IRQ_COUNTS; i++)
		json_uint(j, irq_count_word((enum irq_count)i), q->counts[i]);
	json_object_end(j);
}

/* --- sources and rows --- */

static bool has_number(enum irq_kind kind)
{
	return kind == IRQ_LINE || kind == IRQ_THREAD || kind == IRQ_VECTOR || kind == IRQ_IPI || kind == IRQ_SOFTIRQ ||
	       kind == IRQ_KSOFTIRQD;
}

static void write_source(struct json *j, const struct recording *r, const struct rec_irq_source *s)
{
	char text[IRQ_SOURCE_BYTES];

	json_line(j, NULL);
	json_string(j, "kind", irq_kind_word(s->kind));
	if (has_number(s->kind))
		json_int(j, "number", s->number);
	else
		json_null(j, "number");
	write_string(j, "name", r, s->name);
	json_string(j, "text", irq_source_text(text, r, s));
	write_string(j, "affinity", r, s->affinity);
	write_string(j, "effective_affinity", r, s->effective);
	json_known(j, "tid", s->thread > 0, (uint64_t)s->thread);
	json_line_end(j);
}

/* As in the page for people: a quantile wants a value beyond it. */
static void write_quantile(struct json *j, const char *key, const struct rec_irq_values *v, unsigned permille)
{
	json_known(j, key, v->count >= 1000 / (1000 - permille), irq_quantile(v, permille));
}

static void write_values(struct json *j, const char *key, const struct rec_irq_values *v, uint64_t longest_unix_ns)
{
	if (!v->count) {
		json_null(j, key);
		return;
	}
	json_line(j, key);
	json_uint(j, "count", v->count);
	json_uint(j, "sum_ns", v->sum_ns);
	json_uint(j, "min_ns", v->min_ns);
	json_uint(j, "max_ns", v->max_ns);
	if (longest_unix_ns)
		json_time(j, "max_time", longest_unix_ns);
	else
		json_null(j, "max_time");
	write_quantile(j, "p50_ns", v, 500);
	write_quantile(j, "p90_ns", v, 900);
	write_quantile(j, "p99_ns", v, 990);
	write_quantile(j, "p99_9_ns", v, 999);
	json_buckets(j, v->buckets);
	json_line_end(j);
}

static void write_row(struct json *j, const struct rec_irq *q, const struct rec_irq_row *row)
{
	enum irq_kind kind = q->sources[row->source].kind;

	json_object(j, NULL);
	json_int(j, "source", row->source);
	json_uint(j, "cpu", row->cpu);
	json_uint(j, "count", row->of[irq_counted_by(kind)].count);
	json_uint(j, "gross_ns", row->gross_ns);
	json_known(j, "peak_count", row->peak_count, row->peak_count);
	if (row->peak_count)
		json_time(j, "peak_time", row->peak_unix_ns);
	else
		json_null(j, "peak_time");
	json_known(j, "storms", q->storm_count, row->storms);
	json_uint(j, "no_start", row->no_start);
	json_uint(j, "joined", row->joined);
	json_line(j, "raised_in");
	for (unsigned c = 0; c < IRQ_CONTEXTS; c++)
		json_uint(j, irq_context_word((enum irq_context)c), row->by[c]);
	json_line_end(j);
	for (unsigned m = 0; m < IRQ_MEASURES; m++)
		write_values(j, irq_measure_word((enum irq_measure)m), &row->of[m], row->longest_unix_ns[m]);
	json_object_end(j);
}

/* --- beside the rows --- */

static void write_behind(struct json *j, const struct recording *r, const struct rec_irq_behind *b)
{
	static const char *const classes[] = { "better", "same", "worse" };

	json_line(j, NULL);
	json_int(j, "source", b->source);
	write_string(j, "comm", r, b->comm);
	json_string(j, "priority",
		    b->prio_class < sizeof(classes) / sizeof(classes[0]) ? classes[b->prio_class] : NULL);
	json_uint(j, "count", b->count);
	json_uint(j, "ns", b->ns);
	json_known(j, "max_ns", b->max_ns, b->max_ns);
	json_line_end(j);
}

static void write_sender(struct json *j, const struct recording *r, const struct rec_irq_sender *s,
			 const struct json_frames *frames)
{
	json_line(j, NULL);
	json_int(j, "number", s->vector);
	json_string(j, "text", latency_vector_name(s->vector));
	write_string(j, "callsite", r, s->callsite);
	json_string(j, "context", irq_context_word(s->context));
	write_string(j, "comm", r, s->comm);
	json_uint(j, "count", s->count);
	json_frames_stack(frames, j, "stack", s->stack);
	json_line_end(j);
}

static void write_place(struct json *j, const struct recording *r, const struct rec_irq_place *p,
			const struct json_frames *frames)
{
	json_line(j, NULL);
	json_string(j, "kind", irq_kind_word(p->kind));
	write_string(j, "name", r, p->name);
	json_bool(j, "exact", p->exact);
	json_uint(j, "count", p->count);
	json_uint(j, "ns", p->ns);
	json_known(j, "max_ns", p->max_ns, p->max_ns);
	json_frames_stack(frames, j, "stack", p->stack);
	json_line_end(j);
}

static void write_point(struct json *j, const struct rec_irq_point *p)
{
	json_line(j, NULL);
	json_uint(j, "start_ns", p->start_ns);
	json_uint(j, "duration_ns", p->duration_ns);
	json_int(j, "source", p->source);
	json_uint(j, "count", p->count);
	json_uint(j, "ns", p->net_ns);
	json_known(j, "max_ns", p->max_ns, p->max_ns);
	json_line_end(j);
}

static void write_lists(struct json *j, const struct recording *r, const struct json_frames *frames)
{
	const struct rec_irq *q = r->irq;

	json_array(j, "sources");
	for (size_t i = 0; i < q->n_sources; i++)
		write_source(j, r, &q->sources[i]);
	json_array_end(j);
	json_array(j, "rows");
	for (size_t i = 0; i < q->n_rows; i++)
		write_row(j, q, &q->rows[i]);
	json_array_end(j);
	json_array(j, "behind");
	for (size_t i = 0; i < q->n_behind; i++)
		write_behind(j, r, &q->behind[i]);
	json_array_end(j);
	json_array(j, "senders");
	for (size_t i = 0; i < q->n_senders; i++)
		write_sender(j, r, &q->senders[i], frames);
	json_array_end(j);
	json_array(j, "places");
	for (size_t i = 0; i < q->n_places; i++)
		write_place(j, r, &q->places[i], frames);
	json_array_end(j);
	json_array(j, "intervals");
	for (size_t i = 0; i < q->n_points; i++)
		write_point(j, &q->points[i]);
	json_array_end(j);
	json_array(j, "cases");
	for (size_t i = 0; i < q->n_cases; i++)
		json_irq_case(j, r, &q->cases[i], frames);
	json_array_end(j);
}

void json_irq_use(const struct recording *r, struct json_frames *frames)
{
	const struct rec_irq *q = r->irq;

	for (size_t i = 0; q && i < q->n_cases; i++)
		json_frames_use(frames, q->cases[i].stack);
	for (size_t i = 0; q && i < q->n_senders; i++)
		json_frames_use(frames, q->senders[i].stack);
	for (size_t i = 0; q && i < q->n_places; i++)
		json_frames_use(frames, q->places[i].stack);
}

void json_irq(struct json *j, const struct recording *r, const struct json_frames *frames)
{
	if (!r->irq) {
		json_null(j, "irq");
		return;
	}
	json_object(j, "irq");
	write_run(j, r->irq);
	write_lists(j, r, frames);
	json_object_end(j);
}
