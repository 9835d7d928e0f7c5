/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whom the time of a delay is charged to: the spans of the CPUs whose run queue the task stood in,
 * seen from the task. The parts are gathered in charge.parts of the CPU on which the wait ended.
 */
#ifndef CHARGE_BPF_H
#define CHARGE_BPF_H

#include "context.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__type(key, struct wake_cause_key);
	__type(value, struct wake_cause_sum);
} cause_sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WAKE_CAUSES);
	__type(key, __u32);
	__type(value, struct wake_short_sums);
} short_sums SEC(".maps");

/* Adds a part of a short delay to the sums. */
static __always_inline void sum_short(__u32 cause, __u64 quarter, __u32 preempted, __u64 spans, __u64 ns)
{
	struct wake_short_sums *sums = bpf_map_lookup_elem(&short_sums, &cause);

	KBPFPROF_ONE_REGISTER(quarter);
	if (!sums || quarter >= WAKE_SHORT_QUARTERS)
		return;
	sums->of[preempted & 1][quarter].spans += spans;
	sums->of[preempted & 1][quarter].ns += ns;
}

/* Adds a part of a delay to the sums; false: there is no room. */
static __always_inline bool sum_named(const struct wake_cause_key *key, __u64 spans, __u64 ns)
{
	struct wake_cause_sum *sum, first = { spans, ns };

	sum = bpf_map_lookup_elem(&cause_sums, key);
	if (!sum) {
		if (!bpf_map_update_elem(&cause_sums, key, &first, BPF_NOEXIST))
			return true;
		sum = bpf_map_lookup_elem(&cause_sums, key); /* another CPU was faster */
		if (!sum)
			return false;
	}
	sum->spans += spans;
	sum->ns += ns;
	return true;
}

static __always_inline bool name_equals(const char *a, const char *b)
{
	const __u64 *x = (const void *)a, *y = (const void *)b;

	return x[0] == y[0] && x[1] == y[1];
}

static __always_inline bool part_joins(const struct wake_part *part, __u8 cause, const struct span *s)
{
	return part->cause == cause && part->id == s->id && name_equals(part->name, s->name);
}

static __always_inline void charge_more(struct wake_parts *parts, __u8 cause, __u64 ns)
{
	if (!parts->has_more)
		__builtin_memset(parts->more_ns, 0, sizeof(parts->more_ns));
	parts->has_more = 1;
	if (cause < WAKE_CAUSES) /* for the verifier */
		parts->more_ns[cause] += ns;
}

/* Tasks and interrupts of a busy CPU take turns: most are among the latest parts. */
#define PARTS_SEARCHED 8

/* Adds time to one of the latest parts if that is the same, or as a new one; or to the sums at once. */
static __always_inline void charge_add(struct charge *to, __u8 cause, __u64 ns, const struct span *s)
{
	struct wake_parts *parts = &to->parts;
	struct wake_part *part;
	__u32 n = parts->n;

	if (!ns)
		return;
	if (to->is_direct) {
		sum_short(cause, to->quarter, to->preempted, 1, ns);
		return;
	}
#pragma unroll
	for (__u32 back = 1; back <= PARTS_SEARCHED; back++) {
		__u32 i = n - back;

		if (i >= WAKE_PARTS || !part_joins(&parts->part[i], cause, s))
			continue;
		parts->part[i].ns += ns;
		parts->part[i].spans++;
		return;
	}
	if (n >= WAKE_PARTS) {
		charge_more(parts, cause, ns);
		return;
	}
	part = &parts->part[n];
	part->cause = cause;
	part->unused = 0;
	part->prio = s->prio;
	part->id = s->id;
	part->spans = 1;
	part->ns = ns;
	__builtin_memcpy(part->name, s->name, sizeof(part->name));
	__builtin_memcpy(part->by, s->by, sizeof(part->by));
	parts->n = n + 1;
}

/*
 * Without a span. This and the other functions that are not inlined are global ones: the verifier looks at each by
 * itself, once, instead of at every way through it from every caller. They know a CPU by its id.
 */
__noinline int charge_plain(__u32 to, __u32 cause, __u64 ns)
{
	struct context_cpu *cpu = context_of(to);
	struct span none = {};

	if (cpu)
		charge_add(&cpu->charge, (__u8)cause, ns, &none);
	return 0;
}

static __always_inline __u8 cause_of_task(const struct charge *c, const struct span *s)
{
	if (s->prio > c->prio) {
		if (c->prio >= PRIO_FAIR_MIN)
			return c->idle_elsewhere ? CAUSE_AFFINITY : CAUSE_TASK_FAIR;
		if (c->throttled)
			return c->prio < 0 ? CAUSE_DL_BUDGET : CAUSE_RT_THROTTLED;
		if (s->flags & (SPAN_RT_THROTTLED | SPAN_FAIR_SERVER))
			return CAUSE_RT_THROTTLED;
		return CAUSE_TASK_WORSE;
	}
	if (s->flags & SPAN_BOOSTED)
		return CAUSE_TASK_BOOSTED;
	if (c->idle_elsewhere)
		return CAUSE_AFFINITY;
	if (c->prio >= PRIO_FAIR_MIN && s->prio >= PRIO_FAIR_MIN)
		return CAUSE_TASK_FAIR;
	return s->prio == c->prio ? CAUSE_TASK_SAME : CAUSE_TASK_BETTER;
}

static __always_inline __u8 cause_of(const struct charge *c, const struct span *s)
{
	switch (s->kind) {
	case SPAN_TASK:
		return cause_of_task(c, s);
	case SPAN_IDLE:
		if (c->throttled && c->prio < PRIO_FAIR_MIN)
			return c->prio < 0 ? CAUSE_DL_BUDGET : CAUSE_RT_THROTTLED;
		return CAUSE_IDLE;
	case SPAN_SWITCH:
		return CAUSE_SWITCH;
	case SPAN_SOFTIRQ:
		return CAUSE_SOFTIRQ;
	case SPAN_HARDIRQ:
		return CAUSE_HARDIRQ;
	case SPAN_VECTOR:
		return CAUSE_VECTOR;
	case SPAN_NMI:
		return CAUSE_NMI;
	default:
		return CAUSE_UNEXPLAINED;
	}
}

/* Of time in which other tasks ran or none: what the quota and the hypervisor took of it. Returns the rest. */
static __always_inline __u64 charge_held_back(__u32 to, struct charge *c, __u64 ns)
{
	__u64 quota_ns = c->quota_ns < ns ? c->quota_ns : ns, steal_ns;

	charge_plain(to, CAUSE_QUOTA, quota_ns);
	c->quota_ns -= quota_ns;
	ns -= quota_ns;
	steal_ns = c->steal_ns < ns ? c->steal_ns : ns;
	charge_plain(to, CAUSE_STEAL, steal_ns);
	c->steal_ns -= steal_ns;
	return ns - steal_ns;
}

/*
 * Sets charge.spans of CPU `to` by spans_since(), which may move charge.from_ns. Left in memory, since the verifier
 * would follow what comes behind the loop once for each number that it could be.
 */
__noinline int charge_find(__u32 to, __u32 of)
{
	struct context_cpu *cpu = context_of(to), *ring = context_of(of);

	if (cpu && ring)
		cpu->charge.spans = spans_since(&ring->spans, cpu->charge.head, &cpu->charge.from_ns);
	return 0;
}

/* Charges what lies in the window of one span of CPU `of`. */
__noinline int charge_span(__u32 to, __u32 of, __u32 index)
{
	struct context_cpu *cpu = context_of(to), *ring = context_of(of);
	const struct span *s;
	struct charge *c;
	__u64 ns;
	__u8 cause;

	if (!cpu || !ring)
		return 0;
	c = &cpu->charge;
	s = spans_slot(&ring->spans, index);
	ns = spans_part_ns(s, c->from_ns, c->to_ns, &c->used_ns);
	context_count(&c->covered, s->kind, s->prio, ns);
	cause = cause_of(c, s);
	if ((s->kind == SPAN_TASK || s->kind == SPAN_IDLE) && (c->quota_ns | c->steal_ns))
		ns = charge_held_back(to, c, ns);
	if (s->kind == SPAN_IDLE || s->kind == SPAN_SWITCH)
		charge_plain(to, cause, ns);
	else
		charge_add(c, cause, ns, s);
	return 0;
}

/*
 * Charges one segment of a wait, spent in the run queue of CPU `of`, to the parts of CPU `to`. What no span covers
 * is left over for the caller to see.
 */
__noinline int charge_segment(__u32 to, __u32 of)
{
	struct context_cpu *cpu = context_of(to), *ring = context_of(of);
	__u32 first, n;

	if (!cpu || !ring)
		return 0;
	cpu->charge.used_ns = 0;
	__builtin_memset(&cpu->charge.covered, 0, sizeof(cpu->charge.covered));
	cpu->charge.head = *(volatile __u32 *)&ring->spans.head;
	charge_find(to, of);
	n = cpu->charge.spans;
	first = cpu->charge.head - n;
	for (__u32 i = 0; i < SPANS_RING; i++) {
		if (i >= n)
			break;
		charge_span(to, of, first + i);
	}
	return 0;
}

#endif
