/* SPDX-License-Identifier: GPL-2.0-only */
/* Who woke a task, from where, and by which timer: noted at the waking, and told of delays that turn out long. */
#ifndef WAKER_BPF_H
#define WAKER_BPF_H

#include "context.bpf.h"
#include "waits.bpf.h"

static __always_inline void note_context(struct wake_waker *w, const struct context_cpu *cpu)
{
	const struct span_open *open = &cpu->spans.open[LEVEL_HARDIRQ];

	w->context = SPAN_TASK;
	w->context_id = 0;
	w->irq_ns = context_irq_ns(cpu);
	if (!open->kind)
		open = &cpu->spans.open[LEVEL_SOFTIRQ];
	if (!open->kind)
		return;
	w->context = open->kind;
	w->context_id = open->id;
	if (open->kind == SPAN_HARDIRQ)
		__builtin_memcpy(w->irq_name, open->name, sizeof(w->irq_name));
}

/* Of the waker, without what this program adds. */
static __always_inline __u8 note_depth(const struct context_cpu *cpu)
{
	__u8 depth = context_preempt_depth(cpu);

	return depth == 255 || depth < cpu->own_depth ? depth : depth - cpu->own_depth;
}

/* Interrupts that ended between the moment the timer was due and its own interrupt: they held it up. */
#define BEHIND_MAX 8

static __always_inline __u64 behind_ns(struct wake_waker *w, struct spans_cpu *spans, __u64 from_ns, __u64 to_ns)
{
	__u64 ns = 0, longest_ns = 0, part_ns;

#pragma unroll
	for (__u32 i = 1; i <= BEHIND_MAX; i++) {
		const struct span *s = spans_slot(spans, spans->head - i);

		if (s->end_ns <= from_ns || s->end_ns > to_ns)
			break;
		if (s->kind != SPAN_HARDIRQ && s->kind != SPAN_VECTOR && s->kind != SPAN_NMI)
			continue;
		part_ns = s->end_ns - (s->start_ns > from_ns ? s->start_ns : from_ns);
		ns += part_ns;
		if (part_ns <= longest_ns)
			continue;
		longest_ns = part_ns;
		w->behind_id = s->kind == SPAN_NMI ? -1 : s->id;
		__builtin_memcpy(w->behind_name, s->name, sizeof(w->behind_name));
	}
	return ns;
}

/* Splits the time from the expiry to the interrupt. `from_ns`: when the task slept at last. */
static __always_inline void note_lateness(struct wake_waker *w, struct context_cpu *cpu, __u64 from_ns, __u64 hard_ns,
					  __u64 now_ns)
{
	__u64 at_ns = w->irq_ns ? w->irq_ns : now_ns, due_ns = w->expiry_ns, steal_ns;

	if (from_ns > due_ns) {
		w->past_ns = spans_gap(due_ns, from_ns < at_ns ? from_ns : at_ns);
		due_ns += w->past_ns;
	}
	if (hard_ns > due_ns) {
		w->slack_ns = spans_gap(due_ns, hard_ns < at_ns ? hard_ns : at_ns);
		due_ns += w->slack_ns;
	}
	w->late_ns = spans_gap(due_ns, at_ns);
	if (!w->irq_ns) {
		w->late_cause = CAUSE_TIMER_SOFTIRQ;
		return;
	}
	w->late_cause = !w->tid				? CAUSE_TIMER_IDLE
			: cpu_interrupted_user(cpu->rq) ? CAUSE_TIMER_HARDWARE
							: CAUSE_TIMER_IRQS_OFF;
	w->behind_ns = behind_ns(w, &cpu->spans, due_ns, at_ns);
	if (w->behind_ns > w->late_ns)
		w->behind_ns = w->late_ns;
	w->late_ns -= w->behind_ns;
	steal_ns = spans_gap(cpu->steal_ns, context_steal_ns(cpu));
	w->steal_ns = steal_ns < w->late_ns ? steal_ns : w->late_ns;
	w->late_ns -= w->steal_ns;
}

static __always_inline void note_timer(struct wait *wait, struct context_cpu *cpu, __u64 now_ns)
{
	struct wake_waker *w = &wait->waker;
	const struct context_timer *timer = &cpu->timers[w->irq_ns ? 1 : 0];

	w->expiry_ns = 0;
	if (!context_timer_runs(timer, w->irq_ns, w->tid) || !timer->expiry_ns || timer->expiry_ns > now_ns)
		return;
	w->expiry_ns = timer->expiry_ns;
	w->past_ns = w->slack_ns = w->behind_ns = w->late_ns = w->steal_ns = 0;
	note_lateness(w, cpu, wait->task.out_ns, timer->hard_expiry_ns, now_ns);
}

static __always_inline void note_waker(void *ctx, struct task_struct *task, struct wait *wait, __u64 now_ns)
{
	__u32 cpu_id = bpf_get_smp_processor_id();
	struct context_cpu *cpu = context_of(cpu_id);
	struct wake_waker *w = &wait->waker;
	struct wait_stacks *stacks;
	__u64 id;

	if (!cpu)
		return;
	w->cpu = cpu_id;
	id = bpf_get_current_pid_tgid();
	w->tgid = id >> 32;
	w->tid = (__u32)id;
	w->task = bpf_get_current_task();
	w->preempt_count = config.details ? note_depth(cpu) : 255;
	note_context(w, cpu);
	note_timer(wait, cpu, now_ns);
	if (!config.waker_stacks)
		return;
	stacks = wait_stacks_make(task);
	if (stacks)
		wait_stack_get(ctx, &stacks->waker, 0);
}

#endif
