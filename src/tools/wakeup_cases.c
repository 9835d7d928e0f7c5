/* SPDX-License-Identifier: GPL-2.0-only */
/* Delays in full: from the slots that the programs fill to cases of the recording. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/text.h"
#include "core/units.h"
#include "tools/wakeup.h"

#define STACK_FRAMES_CHECKED(n) ((n) > WAKE_STACK_FRAMES ? WAKE_STACK_FRAMES : (n))

static int string_of(struct recording *r, const char comm[KBPFPROF_COMM_BYTES])
{
	char text[KBPFPROF_COMM_BYTES + 1] = "";

	memcpy(text, comm, KBPFPROF_COMM_BYTES);
	return recording_string(r, text);
}

static int kernel_stack(struct wakeup_state *w, struct recording *r, const struct wake_stack *stack)
{
	struct raw_stack raw = { .kernel = (const uint64_t *)stack->frame,
				 .kernel_frames = STACK_FRAMES_CHECKED(stack->frames),
				 .max_frames = WAKE_STACK_FRAMES };

	return raw.kernel_frames ? symbols_stack(w->symbols, r, &raw) : -1;
}

static int user_stack(struct wakeup_state *w, struct recording *r, const struct wake_case *c)
{
	struct raw_stack raw = { .process = { (int)c->tgid, c->exec_id, c->start_ns_boot },
				 .seen_ns = c->in_ns + (uint64_t)w->boottime_ns,
				 .user = (const uint64_t *)c->user_stack.frame,
				 .user_frames = STACK_FRAMES_CHECKED(c->user_stack.frames),
				 .max_frames = WAKE_STACK_FRAMES };

	if (!raw.user_frames)
		return -1;
	symbols_watch(w->symbols);
	symbols_learn(w->symbols, &raw);
	return symbols_stack(w->symbols, r, &raw);
}

static bool is_task_cause(unsigned cause)
{
	return cause >= CAUSE_TASK_BETTER && cause <= CAUSE_TASK_BOOSTED;
}

static bool has_id(unsigned cause)
{
	return cause == CAUSE_HARDIRQ || cause == CAUSE_VECTOR || cause == CAUSE_SOFTIRQ || cause == CAUSE_TIMER_BEHIND;
}

/* Adds a part of the program's, joined with an equal one. `parts` has room for all. */
static int add_part(struct recording *r, struct rec_case *to, const struct wake_part *part)
{
	bool is_task = is_task_cause(part->cause) || part->cause == CAUSE_AFFINITY ||
		       part->cause == CAUSE_RT_THROTTLED || part->cause == CAUSE_DL_BUDGET;
	struct rec_part p = { .cause = part->cause,
			      .id = has_id(part->cause) ? part->id : 0,
			      .name = string_of(r, part->name),
			      .by = string_of(r, part->by),
			      .tid = is_task && *part->name ? part->id : 0,
			      .prio = is_task && *part->name ? part->prio : 0,
			      .spans = part->spans,
			      .ns = part->ns };

	if (p.name < 0 || p.by < 0)
		return -ENOMEM;
	for (size_t i = 0; i < to->n_parts; i++) {
		struct rec_part *q = &to->parts[i];

		if (q->cause != p.cause || q->id != p.id || q->name != p.name || q->tid != p.tid)
			continue;
		q->spans += p.spans;
		q->ns += p.ns;
		return 0;
	}
	to->parts[to->n_parts++] = p;
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const struct rec_part *x = a, *y = b;

	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : (int)x->cause - (int)y->cause;
}

/* From the expiry to the queue. */
static int add_early_parts(struct recording *r, struct rec_case *to, const struct wake_case *c)
{
	bool has_timer = c->kind == LATENCY_TIMER;
	const struct wake_waker *w = &c->waker;
	const struct {
		__u32 cause;
		__u64 ns;
	} early[] = {
		{ c->task.flags & WAKE_REMOTE ? CAUSE_ACTIVATION_REMOTE : CAUSE_ACTIVATION,
		  c->task.queued_ns - c->task.start_ns },
		{ CAUSE_TIMER_PAST, has_timer ? w->past_ns : 0 },
		{ CAUSE_TIMER_SLACK, has_timer ? w->slack_ns : 0 },
		{ CAUSE_TIMER_BEHIND, has_timer ? w->behind_ns : 0 },
		{ w->late_cause, has_timer ? w->late_ns : 0 },
		{ CAUSE_STEAL, has_timer ? w->steal_ns : 0 },
		{ CAUSE_TIMER_HANDLER, has_timer ? wake_handler_ns(w, c->task.start_ns) : 0 },
	};
	int err = 0;

	if (c->kind == LATENCY_PREEMPTED)
		return 0;
	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]) && !err; i++) {
		struct wake_part part = { .cause = (__u8)early[i].cause, .spans = 1, .ns = early[i].ns };

		if (part.cause == CAUSE_TIMER_BEHIND) {
			part.id = w->behind_id;
			memcpy(part.name, w->behind_name, sizeof(part.name));
		}
		if (part.ns && part.cause < WAKE_CAUSES)
			err = add_part(r, to, &part);
	}
	return err;
}

static int add_parts(struct recording *r, struct rec_case *to, const struct wake_case *c)
{
	const struct wake_parts *parts = &c->parts;
	unsigned n = parts->n < WAKE_PARTS ? parts->n : WAKE_PARTS;
	int err;

	to->parts = calloc(WAKE_PARTS + 2 * WAKE_CAUSES, sizeof(*to->parts));
	if (!to->parts)
		return -ENOMEM;
	err = add_early_parts(r, to, c);
	for (unsigned i = 0; i < n && !err; i++)
		if (parts->part[i].cause < WAKE_CAUSES)
			err = add_part(r, to, &parts->part[i]);
	for (unsigned i = 0; parts->has_more && i < WAKE_CAUSES && !err; i++) {
		struct wake_part more = {
			.cause = (__u8)i, .id = has_id(i) ? WAKE_ID_ANY : 0, .spans = 1, .ns = parts->more_ns[i]
		};

		if (more.ns)
			err = add_part(r, to, &more);
	}
	qsort(to->parts, to->n_parts, sizeof(*to->parts), by_size);
	return err;
}

/* When the wait began, on CLOCK_MONOTONIC: the moment that spans are told from. */
static uint64_t began_ns(const struct wake_case *c)
{
	return c->in_ns - c->total_ns;
}

static int add_span(struct recording *r, struct rec_case *to, const struct wake_case *c, const struct span *s)
{
	struct rec_span *span = &to->spans[to->n_spans++];

	*span = (struct rec_span){ .kind = s->kind,
				   .id = s->id,
				   .name = string_of(r, s->name),
				   .prio = s->prio,
				   .start_ns = (int64_t)(s->start_ns - began_ns(c)),
				   .end_ns = (int64_t)(s->end_ns - began_ns(c)),
				   .net_ns = s->net_ns };
	return span->name < 0 ? -ENOMEM : 0;
}

/* Those that reach into the wait, oldest first. */
static int add_spans(struct recording *r, struct rec_case *to, const struct wake_case *c)
{
	unsigned most = c->spans_kept < SPANS_RING ? c->spans_kept : SPANS_RING, n = c->head < most ? c->head : most;
	int err = 0;

	to->spans = calloc(SPANS_RING, sizeof(*to->spans));
	if (!to->spans)
		return -ENOMEM;
	for (unsigned i = 0; i < n && !err; i++) {
		const struct span *s = &c->spans[(c->head - n + i) & (SPANS_RING - 1)];

		if (s->end_ns > began_ns(c) && s->end_ns <= c->in_ns && s->start_ns <= s->end_ns)
			err = add_span(r, to, c, s);
	}
	return err;
}

/* How long before `in_ns` it was. */
static int64_t ago_ns(const struct wake_case *c, uint64_t stamp_ns)
{
	return stamp_ns && stamp_ns <= c->in_ns ? (int64_t)(c->in_ns - stamp_ns) : -1;
}

static void add_waker(struct recording *r, struct rec_case *to, const struct wake_case *c)
{
	const struct wake_waker *w = &c->waker;

	to->context = w->context;
	to->context_id = w->context_id;
	to->context_name = string_of(r, w->context == SPAN_HARDIRQ ? w->irq_name : (char[KBPFPROF_COMM_BYTES]){ 0 });
	to->waker_comm = string_of(r, w->comm);
	to->waker_tgid = (int)w->tgid;
	to->waker_tid = (int)w->tid;
	to->waker_cpu = (int)w->cpu;
	to->preempt_depth = w->preempt_count == 255 ? -1 : w->preempt_count;
}

static void add_stamps(struct rec_case *to, const struct wake_case *c)
{
	bool preempted = c->kind == LATENCY_PREEMPTED;

	to->expiry_ns = c->kind == LATENCY_TIMER ? ago_ns(c, c->waker.expiry_ns) : -1;
	to->irq_ns = preempted ? -1 : ago_ns(c, c->waker.irq_ns);
	to->waking_ns = preempted ? -1 : ago_ns(c, c->task.waking_ns);
	to->queued_ns = ago_ns(c, c->task.queued_ns);
	to->resched_ns = ago_ns(c, c->waker.resched_ns);
}

static int fill_case(struct wakeup_state *w, struct recording *r, struct rec_case *to, const struct wake_case *c)
{
	int err;

	*to = (struct rec_case){ .kind = c->kind,
				 .total_ns = c->total_ns,
				 .unix_ns = c->in_ns + (uint64_t)w->realtime_ns,
				 .comm = string_of(r, c->comm),
				 .tgid = (int)c->tgid,
				 .tid = (int)c->tid,
				 .cpu = (int)c->cpu,
				 .prio = c->prio,
				 .normal_prio = c->normal_prio,
				 .policy = c->policy,
				 .flags = c->task.flags,
				 .moves = c->task.moves,
				 .waker_stack = -1,
				 .user_stack = user_stack(w, r, c),
				 .out_stack = kernel_stack(w, r, &c->out_stack) };
	add_stamps(to, c);
	to->context = SPAN_NONE;
	to->preempt_depth = -1;
	if (c->kind != LATENCY_PREEMPTED) {
		add_waker(r, to, c);
		to->waker_stack = kernel_stack(w, r, &c->waker_stack);
	}
	err = w->config->causes ? add_parts(r, to, c) : 0;
	if (!err && w->config->causes)
		err = add_spans(r, to, c);
	return to->comm < 0 ? -ENOMEM : err;
}

static int take_case(struct wakeup_state *w, struct recording *r, const struct wake_case *c, bool above)
{
	struct rec_latency *l = latency_of(r);
	struct rec_case to;
	int err;

	if (!l)
		return -ENOMEM;
	l->worst = w->config->worst;
	err = fill_case(w, r, &to, c);
	to.above = above;
	if (!err)
		return latency_case(l, &to);
	free(to.parts);
	free(to.spans);
	return err;
}

int wakeup_drain_worst(struct wakeup_state *w, struct recording *r)
{
	int fd = bpf_map__fd(w->skeleton->maps.worst_cases), err = 0;
	__u32 n = w->possible_cpus * w->config->worst;

	for (__u32 i = 0; i < n && !err; i++) {
		struct wake_case *c = w->a_case;

		if (bpf_map_lookup_elem(fd, &i, c))
			return -errno;
		if (!c->complete || !c->total_ns || c->in_ns == w->seen_cases[i] || c->kind >= LATENCY_KINDS)
			continue;
		w->seen_cases[i] = c->in_ns;
		err = take_case(w, r, c, false);
	}
	symbols_learnt(w->symbols);
	symbols_age(w->symbols);
	return err;
}

/* Lines and cases beyond this many are only counted: a terminal and memory have an end. */
#define ABOVE_TOLD_MAX 1000

/* One line, as it happens: "12:01:33.123456 CPU 1 motor_ctl-812 187.4 us: softirq NET_RX 88.2 us, ...". */
static void tell_above(const struct recording *r, const struct rec_case *c)
{
	time_t s = (time_t)(c->unix_ns / 1000000000);
	char clock[16] = "", ns[UNITS_BYTES], text[LATENCY_CAUSE_BYTES], inert[LATENCY_CAUSE_BYTES * TEXT_ESCAPE_BYTES];
	bool utf8 = text_is_utf8();
	struct tm tm;

	if (localtime_r(&s, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	text_inert(inert, sizeof(inert), recording_str(r, c->comm), utf8);
	fprintf(stderr, "%s.%06u CPU %d %s-%d %s", clock, (unsigned)(c->unix_ns % 1000000000 / 1000), c->cpu, inert,
		c->tid, units_duration(ns, c->total_ns));
	for (size_t i = 0; i < c->n_parts && i < 3; i++) {
		const struct rec_part *p = &c->parts[i];

		latency_cause_text(text, r, p->cause, p->id, p->name, p->by);
		text_inert(inert, sizeof(inert), text, utf8);
		fprintf(stderr, "%s %s %s", i ? "," : ":", inert, units_duration(ns, p->ns));
	}
	fputc('\n', stderr);
}

static int take_above(struct wakeup_state *w, struct recording *r, const struct wake_case *c, bool quiet)
{
	struct rec_latency *l = latency_of(r);
	int err = take_case(w, r, c, true);

	w->above_told++;
	if (!err && !quiet)
		tell_above(r, &l->cases[l->n_cases - 1]);
	return err;
}

int wakeup_drain_above(struct wakeup_state *w, struct recording *r, bool quiet)
{
	int err = 0;

	for (size_t i = 0; w->above && i < (size_t)w->possible_cpus * WAKE_ABOVE_SLOTS && !err; i++) {
		struct wake_case *c = &w->above[i];

		if (!__atomic_load_n(&c->complete, __ATOMIC_ACQUIRE) || c->kind >= LATENCY_KINDS)
			continue;
		if (w->above_told == ABOVE_TOLD_MAX) /* the slots stay full, the program counts */
			return 0;
		err = take_above(w, r, c, quiet);
		c->complete = 0;
		__atomic_store_n(&c->total_ns, 0, __ATOMIC_RELEASE);
	}
	return err;
}
