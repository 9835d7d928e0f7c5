/* SPDX-License-Identifier: GPL-2.0-only */
/* One event in full: a line of its own for each span. */
#include "views/json_irq_case.h"

#include "core/latency.h"
#include "views/json_values.h"

static void write_task(struct json *j, const char *key, const struct recording *r, const struct rec_irq_task *t)
{
	char text[32];

	if (!t->tid && !t->comm) {
		json_null(j, key);
		return;
	}
	json_line(j, key);
	json_string(j, "comm", t->comm ? recording_str(r, t->comm) : NULL);
	json_int(j, "pid", t->tgid);
	json_int(j, "tid", t->tid);
	json_int(j, "prio", t->prio);
	json_string(j, "prio_text", latency_prio_text(text, t->prio));
	json_line_end(j);
}

/* Softirqs are raised by somebody, other work is not. */
static bool has_raiser(const struct rec_irq_case *c, const struct rec_irq_source *s)
{
	return c->measure == IRQ_WAIT && (s->kind == IRQ_SOFTIRQ || s->kind == IRQ_KSOFTIRQD);
}

static void write_raiser(struct json *j, const struct recording *r, const struct rec_irq_case *c)
{
	if (!has_raiser(c, &r->irq->sources[c->source])) {
		json_null(j, "raised_by");
		return;
	}
	json_line(j, "raised_by");
	json_string(j, "context", irq_context_word(c->by));
	json_string(j, "kind", c->by_kind == SPAN_NONE ? NULL : latency_span_word(c->by_kind));
	if (c->by_kind == SPAN_NONE)
		json_null(j, "number");
	else
		json_int(j, "number", c->by_id);
	json_line_end(j);
}

static void write_span(struct json *j, const struct recording *r, const struct rec_irq_span *s)
{
	json_line(j, NULL);
	json_string(j, "kind", latency_span_word(s->kind));
	json_int(j, "id", s->id);
	json_string(j, "name", s->name ? recording_str(r, s->name) : NULL);
	json_int(j, "start_ns", s->start_ns);
	json_int(j, "end_ns", s->end_ns);
	json_uint(j, "net_ns", s->net_ns);
	json_line_end(j);
}

void json_irq_case(struct json *j, const struct recording *r, const struct rec_irq_case *c,
		   const struct json_frames *frames)
{
	json_object(j, NULL);
	json_string(j, "list", irq_list_word(c->list));
	json_string(j, "measure", irq_measure_word(c->measure));
	json_bool(j, "above", c->above);
	json_int(j, "source", c->source);
	json_uint(j, "cpu", c->cpu);
	json_uint(j, "total_ns", c->total_ns);
	json_known(j, "net_ns", c->measure == IRQ_RUN, c->net_ns);
	json_time(j, "time", c->unix_ns);
	write_raiser(j, r, c);
	json_known(j, "runnable", c->runnable, c->runnable);
	write_task(j, "task", r, &c->task);
	write_task(j, "delayed", r, &c->delayed);
	json_frames_stack(frames, j, "stack", c->stack);
	json_array(j, "spans");
	for (size_t i = 0; i < c->n_spans; i++)
		write_span(j, r, &c->spans[i]);
	json_array_end(j);
	json_object_end(j);
}
