/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Softirqs: from the first raise to the start, and how long they run. On PREEMPT_RT they belong to the task that runs
 * them and are preempted like it, so that several may be under way on a CPU: they are kept by task there.
 */
#ifndef IRQ_SOFT_BPF_H
#define IRQ_SOFT_BPF_H

#include "irq_cases.bpf.h"

static __always_inline bool soft_is_wanted(__u32 number)
{
	return number < IRQ_SOFTIRQS && config.softirqs >> number & 1;
}

/* In which context, and by whom. */
static __always_inline void soft_raiser(struct irq_raise *raise, const struct spans_cpu *spans)
{
	const struct span_open *hard = &spans->open[LEVEL_HARDIRQ], *soft = &spans->open[LEVEL_SOFTIRQ];

	if (hard->kind) {
		raise->by = IRQ_IN_HARDIRQ;
		raise->by_kind = hard->kind;
		raise->id = hard->id;
	} else if (soft->kind) {
		raise->by = IRQ_IN_SOFTIRQ;
		raise->by_kind = SPAN_SOFTIRQ;
		raise->id = soft->id;
	} else {
		raise->by = IRQ_IN_TASK;
		raise->by_kind = SPAN_NONE;
		raise->id = (__s32)bpf_get_current_pid_tgid();
		raise->task = bpf_get_current_task();
	}
}

/* Interrupts are off here. */
SEC("raw_tp/softirq_raise")
int BPF_PROG(on_softirq_raise, unsigned int number)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);
	struct irq_raise *raise;
	__u64 i = (__u32)number;

	KBPFPROF_ONE_REGISTER(i);
	if (!cpu || i >= IRQ_SOFTIRQS || !soft_is_wanted((__u32)i))
		return 0;
	raise = &cpu->raises[i];
	if (raise->ns) { /* the first one counts */
		raise->joined++;
		return 0;
	}
	soft_raiser(raise, &cpu->spans);
	barrier();
	raise->ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline bool soft_in_ksoftirqd(__u32 cpu_id)
{
	__u32 *tid = bpf_map_lookup_elem(&ksoftirqds, &cpu_id);

	return tid && *tid && *tid == (__u32)bpf_get_current_pid_tgid();
}

/* It begins at start_ns: what is to be known when it ends. */
static __always_inline void soft_begin(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, struct irq_soft *soft,
				       __u64 number, __u64 start_ns)
{
	struct irq_event e = { .measure = IRQ_WAIT };
	struct irq_raise *raise;

	soft->id = (__s32)number;
	soft->kind = soft_in_ksoftirqd(cpu_id) ? IRQ_KSOFTIRQD : IRQ_SOFTIRQ;
	soft->has_wait = 0;
	KBPFPROF_ONE_REGISTER(number);
	if (number >= IRQ_SOFTIRQS)
		return;
	raise = &cpu->raises[number];
	soft->joined = raise->joined;
	soft->by = raise->by;
	if (raise->ns) {
		if (raise->ns > start_ns)
			irq_count(IRQ_COUNT_CLOCK);
		soft->has_wait = 1;
		soft->wait_ns = spans_gap(raise->ns, start_ns);
		e.of = (struct irq_key){ .id = soft->id, .cpu = (__u16)cpu_id, .kind = soft->kind };
		e.total_ns = soft->wait_ns;
		e.end_ns = start_ns;
		e.raise = raise;
		irq_case_offer(ctx, cpu, &e, IRQ_WORST_RAISED, IRQ_IN_SOFTIRQ);
	}
	raise->joined = 0;
	barrier();
	raise->ns = 0; /* what is raised from here on is for the next time */
}

/* It ended: soft->run has its start and its net time. */
static __always_inline void soft_end(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, struct irq_soft *soft, __u64 end_ns)
{
	struct irq_event e = { .measure = IRQ_RUN };
	struct irq_row *row;
	__u64 by = soft->by;

	e.of = (struct irq_key){ .id = soft->id, .cpu = (__u16)cpu_id, .kind = soft->kind };
	e.total_ns = spans_gap(soft->run.start_ns, end_ns);
	e.net_ns = soft->run.net_ns;
	e.end_ns = end_ns;
	row = irq_row_of(&e.of, NULL);
	if (!row)
		return;
	irq_row_run(row, soft->run.start_ns, end_ns, soft->run.net_ns);
	row->joined += soft->joined;
	KBPFPROF_ONE_REGISTER(by);
	if (soft->has_wait && by < IRQ_CONTEXTS) {
		irq_row_wait(row, soft->wait_ns, soft->run.start_ns);
		row->by[by]++;
	} else {
		row->no_start++;
	}
	irq_case_offer(ctx, cpu, &e, IRQ_WORST_SOFT, IRQ_IN_SOFTIRQ);
}

/* --- PREEMPT_RT */

static __always_inline struct irq_soft *soft_of(struct irq_cpu *cpu, __u32 tid)
{
	for (__u32 i = 0; i < IRQ_SOFTS; i++)
		if (cpu->softs[i].tid == tid)
			return &cpu->softs[i];
	return NULL;
}

static __always_inline void soft_enter_rt(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, __u32 number)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct irq_soft *soft = soft_of(cpu, tid);
	__u64 now_ns, inner_ns;

	if (soft) /* its end was missed */
		irq_count(IRQ_COUNT_MISSED_END);
	else
		soft = soft_of(cpu, 0);
	if (!soft) {
		irq_count(IRQ_COUNT_OPEN_FULL);
		return;
	}
	now_ns = spans_moment(&cpu->spans, LEVEL_TASK, &inner_ns);
	pausable_begin(&soft->run, now_ns, inner_ns);
	soft_begin(ctx, cpu, cpu_id, soft, number, now_ns);
	soft->tid = tid;
}

static __always_inline void soft_exit_rt(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, __u32 number)
{
	struct irq_soft *soft = soft_of(cpu, (__u32)bpf_get_current_pid_tgid());
	__u64 now_ns, inner_ns;

	if (!soft || soft->id != (__s32)number) {
		irq_count(IRQ_COUNT_NO_ENTRY);
		return;
	}
	now_ns = spans_moment(&cpu->spans, LEVEL_TASK, &inner_ns);
	pausable_pause(&soft->run, now_ns, inner_ns);
	soft->tid = 0;
	soft_end(ctx, cpu, cpu_id, soft, now_ns);
}

/* The CPU goes from one task to another. */
static __always_inline void soft_switch(struct irq_cpu *cpu, __u32 prev_tid, __u32 next_tid, __u64 now_ns)
{
	__u64 inner_ns = cpu->spans.inner_ns[LEVEL_TASK]; /* interrupts are off */

	for (__u32 i = 0; i < IRQ_SOFTS; i++) {
		struct irq_soft *soft = &cpu->softs[i];

		if (soft->tid && soft->tid == prev_tid)
			pausable_pause(&soft->run, now_ns, inner_ns);
		else if (soft->tid && soft->tid == next_tid)
			pausable_resume(&soft->run, now_ns, inner_ns);
	}
}

/* --- Hooks */

SEC("raw_tp/softirq_entry")
int BPF_PROG(on_softirq_entry, unsigned int number)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);

	if (!cpu)
		return 0;
	if (config.softirqs_are_threads) {
		if (soft_is_wanted(number))
			soft_enter_rt(ctx, cpu, cpu_id, (__u32)number);
		return 0;
	}
	spans_softirq_enter(&cpu->spans, (__s32)number);
	if (soft_is_wanted(number))
		soft_begin(ctx, cpu, cpu_id, &cpu->softs[0], (__u32)number, cpu->spans.open[LEVEL_SOFTIRQ].start_ns);
	return 0;
}

SEC("raw_tp/softirq_exit")
int BPF_PROG(on_softirq_exit, unsigned int number)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);
	struct irq_soft *soft;
	struct span *span;

	if (!cpu)
		return 0;
	if (config.softirqs_are_threads) {
		if (soft_is_wanted(number))
			soft_exit_rt(ctx, cpu, cpu_id, (__u32)number);
		return 0;
	}
	span = spans_softirq_exit(&cpu->spans, (__s32)number);
	if (!soft_is_wanted(number))
		return 0;
	if (!span) {
		irq_count(IRQ_COUNT_NO_ENTRY);
		return 0;
	}
	soft = &cpu->softs[0];
	if (span->kind == SPAN_UNKNOWN || soft->id != (__s32)number)
		return 0;
	soft->run.start_ns = span->start_ns;
	soft->run.net_ns = span->net_ns;
	soft_end(ctx, cpu, cpu_id, soft, span->end_ns);
	return 0;
}

#endif
