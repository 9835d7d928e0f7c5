/* SPDX-License-Identifier: GPL-2.0-only */
/* Events in full: from the slots that the programs fill to cases of the recording. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/text.h"
#include "core/units.h"
#include "tools/irq.h"

static int comm_of(struct recording *r, const char comm[KBPFPROF_COMM_BYTES])
{
	char text[KBPFPROF_COMM_BYTES + 1] = "";

	memcpy(text, comm, KBPFPROF_COMM_BYTES);
	return recording_string(r, text);
}

/* 0 or -ENOMEM. */
static int set_task(struct recording *r, struct rec_irq_task *to, const struct irq_task *task)
{
	to->tgid = (int)task->tgid;
	to->tid = (int)task->tid;
	to->prio = task->prio;
	to->comm = comm_of(r, task->comm);
	return to->comm < 0 ? to->comm : 0;
}

static int set_span(const struct irq_state *q, struct recording *r, struct rec_irq_span *to, const struct span *s,
		    uint64_t end_ns)
{
	to->kind = s->kind;
	to->id = s->id;
	to->start_ns = (int64_t)(s->start_ns - end_ns);
	to->end_ns = (int64_t)(s->end_ns - end_ns);
	to->net_ns = s->net_ns;
	to->name = s->kind == SPAN_HARDIRQ ? irq_lines_name(&q->lines, r, s->id) : 0;
	return to->name < 0 ? to->name : 0;
}

/* What ended before the case began is told, as far as it is near; what it is made of is in its own numbers. */
#define SPANS_NEAR_NS 10000000

static int set_spans(const struct irq_state *q, struct recording *r, struct rec_irq_case *to, const struct irq_case *c)
{
	unsigned kept = c->spans_kept < IRQ_CASE_SPANS ? c->spans_kept : IRQ_CASE_SPANS;
	int err = 0;

	to->spans = calloc(kept + 1, sizeof(*to->spans));
	if (!to->spans)
		return -ENOMEM;
	for (unsigned i = kept; i-- > 0 && !err;) { /* they came newest first */
		const struct span *s = &c->spans[i];

		if (!s->kind || s->kind > SPAN_UNKNOWN || s->end_ns > c->end_ns || s->start_ns > s->end_ns ||
		    s->end_ns + c->total_ns + SPANS_NEAR_NS < c->end_ns || s->net_ns > s->end_ns - s->start_ns)
			continue;
		err = set_span(q, r, &to->spans[to->n_spans++], s, c->end_ns);
	}
	return err;
}

static int stack_of(const struct irq_state *q, struct recording *r, const struct irq_case *c)
{
	struct raw_stack raw = { .kernel = (const uint64_t *)c->stack,
				 .kernel_frames = c->frames < IRQ_STACK_FRAMES ? c->frames : IRQ_STACK_FRAMES,
				 .max_frames = IRQ_STACK_FRAMES };

	return raw.kernel_frames ? symbols_stack(q->symbols, r, &raw) : -1;
}

static int fill(struct irq_state *q, struct recording *r, struct rec_irq_case *to, const struct irq_case *c)
{
	int err = 0;

	*to = (struct rec_irq_case){ .list = c->list,
				     .measure = c->measure,
				     .source = irq_source_of(q, r, &c->of, c->name),
				     .cpu = c->of.cpu,
				     .total_ns = c->total_ns,
				     .net_ns = c->net_ns < c->total_ns ? c->net_ns : c->total_ns,
				     .unix_ns = (uint64_t)((int64_t)c->end_ns + q->realtime_ns),
				     .by = c->by,
				     .by_kind = c->by_kind,
				     .by_id = c->by_id,
				     .runnable = c->runnable,
				     .stack = stack_of(q, r, c) };
	if (to->source < 0)
		return to->source;
	if (to->stack < -1)
		return to->stack;
	err = set_task(r, &to->task, &c->task);
	if (!err && c->delayed.tid)
		err = set_task(r, &to->delayed, &c->delayed);
	return err ? err : set_spans(q, r, to, c);
}

/* Written to the end, and of what was asked for? */
static bool is_good(const struct session *s, const struct irq_case *c)
{
	char name[IRQ_NAME_BYTES + 1] = "";

	memcpy(name, c->name, IRQ_NAME_BYTES);
	return c->total_ns && c->complete && c->list < IRQ_LISTS && c->measure < IRQ_MEASURES && c->by < IRQ_CONTEXTS &&
	       c->by_kind <= SPAN_UNKNOWN && c->of.kind < IRQ_KINDS && irq_is_selected(s, c->of.kind, c->of.id, name);
}

static int add(struct session *s, struct recording *r, const struct irq_case *c, bool above)
{
	struct irq_state *q = s->state;
	struct rec_irq_case to;
	int err = fill(q, r, &to, c);

	to.above = above;
	if (!err)
		return irq_case(r->irq, &to);
	free(to.spans);
	return err;
}

int irq_drain_worst(struct session *s, struct recording *r)
{
	struct irq_state *q = s->state;
	int fd = bpf_map__fd(q->skeleton->maps.worst_cases), err = 0;
	__u32 n = q->config->cpus * IRQ_LISTS * q->config->worst;

	for (__u32 i = 0; i < n && !err; i++) {
		if (bpf_map_lookup_elem(fd, &i, q->a_case))
			return -errno;
		if (q->a_case->end_ns == q->seen_cases[i] || !is_good(s, q->a_case))
			continue;
		q->seen_cases[i] = q->a_case->end_ns;
		err = add(s, r, q->a_case, false);
	}
	return err;
}

/* "12:01:33.123456  CPU 1  softirq NET_RX took 187.4 us (motor_ctl-812)" */
static void tell(const struct irq_state *q, const struct recording *r, const struct irq_case *c, int source)
{
	uint64_t unix_ns = (uint64_t)((int64_t)c->end_ns + q->realtime_ns);
	time_t seconds = (time_t)(unix_ns / 1000000000);
	char clock[16], took[UNITS_BYTES], name[IRQ_SOURCE_BYTES], line[512], inert[sizeof(line)];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(line, sizeof(line), "%s.%06u  CPU %u  %s %s %s %s (%.16s-%u)", clock,
		 (unsigned)(unix_ns / 1000 % 1000000), c->of.cpu, irq_kind_text(c->of.kind),
		 irq_source_text(name, r, &r->irq->sources[source]), c->measure == IRQ_RUN ? "took" : "waited",
		 units_duration(took, c->total_ns), c->task.comm, c->task.tid);
	text_inert(inert, sizeof(inert), line, text_is_utf8());
	fprintf(stderr, "%s\n", inert);
}

int irq_drain_above(struct session *s, struct recording *r)
{
	struct irq_state *q = s->state;
	size_t n = (size_t)q->config->cpus * IRQ_CONTEXTS * IRQ_ABOVE_SLOTS;
	int err = 0, source;

	if (q->above && !irq_of(r))
		return -ENOMEM;
	for (size_t i = 0; q->above && i < n && !err; i++) {
		struct irq_case *c = &q->above[i];

		if (!*(volatile __u64 *)&c->total_ns || !*(volatile __u8 *)&c->complete)
			continue;
		*q->a_case = *c;
		c->complete = 0;
		__sync_synchronize();
		c->total_ns = 0; /* the program's again */
		if (!is_good(s, q->a_case))
			continue;
		err = add(s, r, q->a_case, true);
		source = err ? err : irq_source_of(q, r, &q->a_case->of, q->a_case->name);
		if (source >= 0 && !s->quiet)
			tell(q, r, q->a_case, source);
	}
	return err;
}
