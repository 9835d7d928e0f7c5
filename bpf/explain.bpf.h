/* SPDX-License-Identifier: GPL-2.0-only */
/* A delay from its expiry or waking to the switch, part by part; what spans explain of it is in charge.bpf.h. */
#ifndef EXPLAIN_BPF_H
#define EXPLAIN_BPF_H

#include "charge.bpf.h"
#include "counts.bpf.h"
#include "waits.bpf.h"

/* More CPUs than this are not searched for an idle one. */
#define IDLE_SEARCH_MAX 64
/* Shorter waits are not worth the search. */
#define IDLE_SEARCH_MIN_NS 50000

/* Was another CPU than `here` idle for the last `wait_ns`? A global function, see charge_plain(). */
__noinline int is_idle_elsewhere(__u32 here, __u64 wait_ns)
{
	struct context_cpu *cpu = context_of(here);
	struct rq *rq = cpu ? cpu->rq : NULL;
	__u64 now_ns, since_ns;

	if (!rq || !bpf_core_field_exists(rq->idle_stamp))
		return 0;
	now_ns = BPF_CORE_READ(rq, clock);
	for (__u32 i = 0; i < IDLE_SEARCH_MAX; i++) {
		if (i >= config.cpus)
			break;
		cpu = context_of(i);
		rq = cpu ? cpu->rq : NULL;
		if (!rq || i == here || BPF_CORE_READ(rq, curr, pid))
			continue;
		since_ns = BPF_CORE_READ(rq, idle_stamp);
		if (since_ns && since_ns + wait_ns <= now_ns)
			return 1;
	}
	return 0;
}

/* Did a task of which the user chose the CPUs wait long, while another CPU was idle? */
static __always_inline bool is_held_by_affinity(struct task_struct *task, const struct wait *wait,
						const struct wait_end *end)
{
	__u64 wait_ns = end->now_ns - wait->task.queued_ns;

	return !(core_read(task, flags) & PF_KTHREAD) && (__u32)core_read(task, nr_cpus_allowed) < config.cpus_online &&
	       wait_ns >= IDLE_SEARCH_MIN_NS && is_idle_elsewhere(end->cpu_id, wait_ns);
}

/* Adds a part to the sums of all delays. */
static __always_inline void sum_part(const struct charge *c, struct wake_cause_key *key, __u64 spans, __u64 ns)
{
	if (!ns)
		return;
	if (c->quarter < WAKE_SHORT_QUARTERS) {
		sum_short(key->cause, c->quarter, c->preempted, spans, ns);
		return;
	}
	key->quarter = (__u8)c->quarter;
	key->preempted = c->preempted;
	if (!sum_named(key, spans, ns))
		count(WAKE_COUNT_UNPAIRED_PART);
}

/* Likewise, without a name, of the delay that ended on CPU `cpu_id`. */
__noinline int sum_plain(__u32 cpu_id, __u32 cause, __u64 ns)
{
	struct context_cpu *cpu = context_of(cpu_id);
	struct wake_cause_key key = { .cause = (__u8)cause };

	if (cpu)
		sum_part(&cpu->charge, &key, 1, ns);
	return 0;
}

/* What came before the queue goes to the sums alone; of cases user space knows it from the stamps. */
static __always_inline void sum_timer(const struct charge *c, const struct wait *wait, __u32 cpu_id)
{
	const struct wake_waker *w = &wait->waker;
	struct wake_cause_key behind = { .cause = CAUSE_TIMER_BEHIND, .id = w->behind_id };

	if (w->past_ns)
		sum_plain(cpu_id, CAUSE_TIMER_PAST, w->past_ns);
	if (w->slack_ns)
		sum_plain(cpu_id, CAUSE_TIMER_SLACK, w->slack_ns);
	if (w->steal_ns)
		sum_plain(cpu_id, CAUSE_STEAL, w->steal_ns);
	sum_plain(cpu_id, w->late_cause, w->late_ns);
	sum_plain(cpu_id, CAUSE_TIMER_HANDLER, wake_handler_ns(w, wait->task.start_ns));
	__builtin_memcpy(behind.name, w->behind_name, sizeof(behind.name));
	sum_part(c, &behind, 1, w->behind_ns);
}

static __always_inline void sum_before_queue(const struct charge *c, const struct wait *wait,
					     const struct wait_end *end)
{
	sum_plain(end->cpu_id, wait->task.flags & WAKE_REMOTE ? CAUSE_ACTIVATION_REMOTE : CAUSE_ACTIVATION,
		  wait->task.queued_ns - wait->task.start_ns);
	if (end->kind == LATENCY_TIMER)
		sum_timer(c, wait, end->cpu_id);
}

/*
 * Why time in the queue of CPU `of` has no span: it is gone from a ring that is full of later ones, or the CPU is
 * another one whose spans were being written; else an event was missed.
 */
static __always_inline __u8 cause_of_gap(const struct charge *c, __u32 here, __u32 of)
{
	return of != here || c->spans == SPANS_RING ? CAUSE_UNEXPLAINED_SNAPSHOT : CAUSE_UNEXPLAINED;
}

/* Of time that is known by the class of the tasks that ran alone. */
static __always_inline __u32 cause_of_class(const struct charge *c, __u32 class)
{
	if (class == CLASS_IDLE)
		return CAUSE_IDLE;
	if (class == CLASS_SWITCH)
		return CAUSE_SWITCH;
	if (class == CLASS_FAIR)
		return c->prio < PRIO_FAIR_MIN ? CAUSE_TASK_WORSE : CAUSE_TASK_FAIR;
	/* Better or the same: of realtime tasks among each other that is not known. */
	return c->prio < PRIO_FAIR_MIN ? CAUSE_UNEXPLAINED_SNAPSHOT : CAUSE_TASK_BETTER;
}

/*
 * Charges charge.gap_ns, for which the ring of CPU `here` is too short, to the classes of tasks that ran meanwhile. A
 * task that ran when the wait began counts in full, so there may be less left than they add up to.
 */
__noinline int charge_classes(__u32 here)
{
	struct context_cpu *cpu = context_of(here);
	struct charge *c;

	if (!cpu)
		return 0;
	c = &cpu->charge;
	for (__u32 i = 0; i < CONTEXT_CLASSES; i++) {
		__u64 ns = spans_gap(c->before.ns[i] + c->covered.ns[i], cpu->totals.ns[i]);

		ns = ns < c->gap_ns ? ns : c->gap_ns;
		if (!ns)
			continue;
		charge_plain(here, cause_of_class(c, i), ns);
		c->gap_ns -= ns;
	}
	return 0;
}

/* Charges what no span explains of the time in the queue of CPU `of`. A task that was held back was so all the time. */
static __always_inline void charge_gap(struct charge *c, const struct wait *wait, __u32 here, __u32 of, __u64 ns)
{
	__u8 cause = cause_of_gap(c, here, of);
	__u64 quota_ns = c->quota_ns < ns ? c->quota_ns : ns;

	if (!ns)
		return;
	if (quota_ns)
		charge_plain(here, CAUSE_QUOTA, quota_ns);
	c->quota_ns -= quota_ns;
	c->gap_ns = ns - quota_ns;
	if (c->throttled && c->prio < PRIO_FAIR_MIN) {
		cause = c->prio < 0 ? CAUSE_DL_BUDGET : CAUSE_RT_THROTTLED;
	} else if (of == here && c->spans == SPANS_RING && !wait->task.moves) {
		c->before = wait->totals;
		charge_classes(here);
	}
	if (!c->gap_ns)
		return;
	charge_plain(here, cause, c->gap_ns);
	if (cause == CAUSE_UNEXPLAINED_SNAPSHOT)
		count(WAKE_COUNT_SNAPSHOT);
}

static __always_inline void charge_queue(struct context_cpu *cpu, const struct wait *wait, const struct wait_end *end)
{
	const struct wake_task *t = &wait->task;
	struct charge *c = &cpu->charge;

#pragma unroll
	for (__u32 i = 0; i < WAKE_SEGMENTS; i++) {
		__u32 of = t->segment[i].cpu;

		if (i >= t->segments)
			break;
		c->from_ns = t->segment[i].from_ns;
		c->to_ns = wake_segment_end_ns(t, i, end->now_ns);
		if (c->to_ns <= c->from_ns)
			continue;
		charge_segment(end->cpu_id, of);
		charge_gap(c, wait, end->cpu_id, of, spans_gap(t->segment[i].from_ns + c->used_ns, c->to_ns));
	}
	charge_gap(c, wait, end->cpu_id, ~0U, t->lost_ns);
}

static __always_inline void charge_begin(struct context_cpu *cpu, struct task_struct *task, const struct wait *wait,
					 const struct wait_end *end, bool is_wanted)
{
	struct charge *c = &cpu->charge;
	__u64 quota_ns = wait->moved_quota_ns;
	int prio = core_read(task, prio);

	if (prio >= PRIO_FAIR_MIN && wait->quota_ns != ~0ULL)
		quota_ns += spans_gap(wait->quota_ns, core_quota_ns(task));
	c->quota_ns = quota_ns;
	c->steal_ns = wait->task.moves ? 0 : spans_gap(wait->steal_ns, context_steal_ns(cpu));
	c->prio = prio;
	c->quarter = hist_quarter(end->total_ns);
	c->preempted = end->kind == LATENCY_PREEMPTED;
	c->is_direct = !is_wanted && c->quarter < WAKE_SHORT_QUARTERS;
	c->throttled = !!(wait->task.flags & WAKE_THROTTLED);
	c->idle_elsewhere = is_held_by_affinity(task, wait, end);
	c->spans = 0;
	c->parts.n = 0;
	c->parts.has_more = 0;
}

/* Adds one of the parts gathered on CPU `cpu_id` to the sums. */
__noinline int sum_one(__u32 cpu_id, __u32 index)
{
	struct context_cpu *cpu = context_of(cpu_id);
	struct wake_cause_key key = {};
	const struct wake_part *part;
	__u64 i = index;

	KBPFPROF_ONE_REGISTER(i);
	if (!cpu || i >= WAKE_PARTS)
		return 0;
	part = &cpu->charge.parts.part[i];
	key.cause = part->cause;
	if (part->cause == CAUSE_HARDIRQ || part->cause == CAUSE_VECTOR || part->cause == CAUSE_SOFTIRQ)
		key.id = part->id;
	__builtin_memcpy(key.name, part->name, sizeof(key.name));
	sum_part(&cpu->charge, &key, part->spans, part->ns);
	return 0;
}

/* Adds all of them, and what found no room among them. */
__noinline int sum_all(__u32 cpu_id)
{
	struct context_cpu *cpu = context_of(cpu_id);
	__u32 n;

	if (!cpu)
		return 0;
	n = cpu->charge.parts.n;
	for (__u32 i = 0; i < WAKE_PARTS; i++) {
		if (i >= n)
			break;
		sum_one(cpu_id, i);
	}
	if (!cpu->charge.parts.has_more)
		return 0;
	for (__u32 i = 0; i < WAKE_CAUSES; i++)
		sum_plain(cpu_id, i, cpu->charge.parts.more_ns[i]);
	return 0;
}

/* `is_wanted`: the delay may be kept in full, with the parts gathered here. */
static __always_inline void explain(struct context_cpu *cpu, struct task_struct *task, const struct wait *wait,
				    const struct wait_end *end, bool is_wanted)
{
	charge_begin(cpu, task, wait, end, is_wanted);
	if (end->kind != LATENCY_PREEMPTED)
		sum_before_queue(&cpu->charge, wait, end);
	charge_queue(cpu, wait, end);
	if (!cpu->charge.is_direct)
		sum_all(end->cpu_id);
}

#endif
