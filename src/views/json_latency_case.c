/* SPDX-License-Identifier: GPL-2.0-only */
/* One delay in full: a line of its own for each part and span. */
#include "views/json_latency_case.h"

#include "views/json_values.h"

void json_latency_id(struct json *j, enum wake_cause cause, int id)
{
	if (cause == CAUSE_HARDIRQ || cause == CAUSE_VECTOR || cause == CAUSE_SOFTIRQ || cause == CAUSE_TIMER_BEHIND)
		json_int(j, "id", id);
	else
		json_null(j, "id");
}

static void write_string(struct json *j, const char *key, const struct recording *r, int string)
{
	json_string(j, key, string ? recording_str(r, string) : NULL);
}

/* The kernel's number, and as users know it. */
static void write_prio(struct json *j, bool known, int prio)
{
	char text[32];

	if (known)
		json_int(j, "prio", prio);
	else
		json_null(j, "prio");
	json_string(j, "prio_text", known ? latency_prio_text(text, prio) : NULL);
}

static void write_part(struct json *j, const struct recording *r, const struct rec_part *p)
{
	char text[LATENCY_CAUSE_BYTES];

	json_line(j, NULL);
	json_string(j, "cause", latency_cause_word(p->cause));
	json_string(j, "text", latency_cause_text(text, r, p->cause, p->id, p->name, p->by));
	json_latency_id(j, p->cause, p->id);
	write_string(j, "name", r, p->name);
	write_string(j, "by", r, p->by);
	json_known(j, "tid", p->tid > 0, (uint64_t)p->tid);
	write_prio(j, p->tid > 0, p->prio);
	json_uint(j, "spans", p->spans);
	json_uint(j, "ns", p->ns);
	json_line_end(j);
}

static void write_span(struct json *j, const struct recording *r, const struct rec_span *s)
{
	json_line(j, NULL);
	json_string(j, "kind", latency_span_word(s->kind));
	json_int(j, "id", s->id);
	write_string(j, "name", r, s->name);
	write_prio(j, s->kind == SPAN_TASK, s->prio);
	json_int(j, "start_ns", s->start_ns);
	json_int(j, "end_ns", s->end_ns);
	json_uint(j, "net_ns", s->net_ns);
	json_line_end(j);
}

static void write_flags(struct json *j, unsigned flags)
{
	static const struct {
		unsigned flag;
		const char *word;
	} words[] = {
		{ WAKE_NEW, "new" },	   { WAKE_RACED, "raced" },	    { WAKE_TIMER, "timer" },
		{ WAKE_RTLOCK, "rtlock" }, { WAKE_THROTTLED, "throttled" }, { WAKE_CLOCK, "clock" },
		{ WAKE_REMOTE, "remote" }, { WAKE_PINNED, "pinned" },
	};

	json_line_array(j, "flags");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (flags & words[i].flag)
			json_string(j, NULL, words[i].word);
	json_line_array_end(j);
}

/* After the moment that total_ns is counted from. The kind of stamp that there is not, or is not known, is null. */
static void write_stamp(struct json *j, const char *key, const struct rec_case *c, int64_t ago_ns)
{
	if (ago_ns < 0)
		json_null(j, key);
	else
		json_int(j, key, (int64_t)(c->total_ns - (uint64_t)ago_ns));
}

static void write_stamps(struct json *j, const struct rec_case *c)
{
	json_line(j, "stamps");
	write_stamp(j, "expiry_ns", c, c->expiry_ns);
	write_stamp(j, "interrupt_ns", c, c->irq_ns);
	write_stamp(j, "waking_ns", c, c->waking_ns);
	write_stamp(j, "queued_ns", c, c->queued_ns);
	write_stamp(j, "need_resched_ns", c, c->resched_ns);
	write_stamp(j, "running_ns", c, 0);
	json_line_end(j);
}

static void write_waker(struct json *j, const struct recording *r, const struct rec_case *c)
{
	if (c->kind == LATENCY_PREEMPTED) {
		json_null(j, "waker");
		return;
	}
	json_line(j, "waker");
	json_string(j, "context", latency_span_word(c->context));
	json_int(j, "id", c->context_id);
	write_string(j, "name", r, c->context_name);
	write_string(j, "comm", r, c->waker_comm);
	json_known(j, "pid", c->waker_tgid > 0, (uint64_t)c->waker_tgid);
	json_known(j, "tid", c->waker_tid > 0, (uint64_t)c->waker_tid);
	json_int(j, "cpu", c->waker_cpu);
	json_known(j, "preempt_depth", c->preempt_depth >= 0, (uint64_t)c->preempt_depth);
	json_line_end(j);
}

static void write_whose(struct json *j, const struct recording *r, const struct rec_case *c)
{
	json_string(j, "kind", latency_kind_word(c->kind));
	json_bool(j, "above", c->above);
	json_uint(j, "total_ns", c->total_ns);
	json_time(j, "time", c->unix_ns);
	write_string(j, "comm", r, c->comm);
	json_int(j, "pid", c->tgid);
	json_int(j, "tid", c->tid);
	json_int(j, "cpu", c->cpu);
	write_prio(j, true, c->prio);
	json_int(j, "normal_prio", c->normal_prio);
	json_uint(j, "policy", c->policy);
	write_flags(j, c->flags);
	json_uint(j, "moves", c->moves);
}

void json_latency_case(struct json *j, const struct recording *r, const struct rec_case *c,
		       const struct json_frames *frames)
{
	json_object(j, NULL);
	write_whose(j, r, c);
	json_array(j, "parts");
	for (size_t i = 0; i < c->n_parts; i++)
		write_part(j, r, &c->parts[i]);
	json_array_end(j);
	write_stamps(j, c);
	write_waker(j, r, c);
	json_frames_stack(frames, j, "waker_stack", c->waker_stack);
	json_frames_stack(frames, j, "out_stack", c->out_stack);
	json_frames_stack(frames, j, "user_stack", c->user_stack);
	json_array(j, "spans");
	for (size_t i = 0; i < c->n_spans; i++)
		write_span(j, r, &c->spans[i]);
	json_array_end(j);
	json_object_end(j);
}
