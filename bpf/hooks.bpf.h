/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs that follow what CPUs do while measured tasks wait: interrupts, softirqs, timers, the scheduler. */
#ifndef HOOKS_BPF_H
#define HOOKS_BPF_H

#include "context.bpf.h"

/* A task is being woken: need_resched is set before it is told to be in a run queue. A hint, not locked. */
volatile __u32 is_waking = 0;

static __always_inline void note_waking(__u32 now)
{
	if (config.details)
		is_waking = now;
}

SEC("raw_tp/irq_handler_entry")
int BPF_PROG(on_irq_entry, int irq, struct irqaction *action)
{
	struct context_cpu *cpu;
	struct span_open *open;

	if (core_in_nmi()) {
		cpu = context_here();
		if (cpu)
			cpu->nmi_ns = bpf_ktime_get_ns();
		return 0;
	}
	open = context_irq_enter(SPAN_HARDIRQ, irq);
	if (open)
		bpf_probe_read_kernel_str(open->name, sizeof(open->name), core_read(action, name));
	return 0;
}

SEC("raw_tp/irq_handler_exit")
int BPF_PROG(on_irq_exit, int irq)
{
	struct context_cpu *cpu;

	if (!core_in_nmi()) {
		context_irq_exit(SPAN_HARDIRQ, irq);
		return 0;
	}
	cpu = context_here();
	if (!cpu || !cpu->nmi_ns) /* it began before we were there */
		return 0;
	spans_nmi(&cpu->spans, spans_gap(cpu->nmi_ns, bpf_ktime_get_ns()));
	cpu->nmi_ns = 0;
	return 0;
}

SEC("raw_tp/ipi_entry")
int BPF_PROG(on_ipi_entry, const char *reason)
{
	struct context_cpu *cpu = context_here();
	struct span_open *open;
	__s32 ipi;

	if (!cpu || core_in_nmi())
		return 0;
	open = &cpu->spans.open[LEVEL_HARDIRQ];
	ipi = spans_ipi(reason);
	if (open->kind == SPAN_HARDIRQ && ipi >= 0)
		spans_enter_ipi(open, ipi);
	return 0;
}

/* Of all tracepoints irq_vectors:*_entry: they do not interrupt each other. */
SEC("raw_tp")
int on_vector_entry(struct bpf_raw_tracepoint_args *ctx)
{
	context_irq_enter(SPAN_VECTOR, spans_vector(ctx->args[0]));
	return 0;
}

SEC("raw_tp")
int on_vector_exit(struct bpf_raw_tracepoint_args *ctx)
{
	context_irq_exit(SPAN_VECTOR, spans_vector(ctx->args[0]));
	return 0;
}

SEC("raw_tp/softirq_entry")
int BPF_PROG(on_softirq_entry, unsigned int number)
{
	context_softirq_enter((__u32)number);
	return 0;
}

SEC("raw_tp/softirq_exit")
int BPF_PROG(on_softirq_exit, unsigned int number)
{
	context_softirq_exit((__u32)number);
	return 0;
}

/* x86: told after the fact, for each handler. */
SEC("raw_tp/nmi_handler")
int BPF_PROG(on_nmi, void *handler, __s64 ns)
{
	struct context_cpu *cpu = context_here();

	if (cpu && ns > 0)
		spans_nmi(&cpu->spans, (__u64)ns);
	return 0;
}

/* Expiries are in the clock of the timer: seen from the clock that its base has `offset` to. */
SEC("raw_tp/hrtimer_expire_entry")
int BPF_PROG(on_timer_entry, struct hrtimer *timer)
{
	struct context_cpu *cpu = context_here();
	struct hrtimer_clock_base *base;
	__s64 offset_ns;

	if (!cpu)
		return 0;
	base = core_read(timer, base);
	offset_ns = core_read(base, offset);
	context_timer_begin(cpu, core_read(timer, _softexpires) - offset_ns,
			    core_read(timer, node.expires) - offset_ns);
	return 0;
}

SEC("raw_tp/hrtimer_expire_exit")
int BPF_PROG(on_timer_exit, struct hrtimer *timer)
{
	struct context_cpu *cpu = context_here();

	if (!cpu)
		return 0;
	context_timer_end(cpu);
	if (steal_from_rq_bytes)
		cpu->steal_ns = context_steal_ns(cpu);
	return 0;
}

SEC("raw_tp/sched_entry_tp")
int on_schedule(void *ctx)
{
	struct context_cpu *cpu = following ? context_here() : NULL;

	if (!cpu || !cpu->waiting)
		return 0;
	cpu->entry_ns = bpf_ktime_get_ns();
	cpu->entry_inner_ns = cpu->spans.inner_ns[LEVEL_TASK];
	return 0;
}

SEC("raw_tp/sched_set_need_resched_tp")
int BPF_PROG(on_resched, struct task_struct *task, int cpu_id)
{
	struct context_cpu *cpu = following || is_waking ? context_of((__u32)cpu_id) : NULL;

	if (cpu && (cpu->waiting || is_waking))
		cpu->resched_ns = bpf_ktime_get_ns();
	return 0;
}

/* A task's priority is lent by `waiter`, or given back: what it did so far, it did with the old one. */
SEC("raw_tp/sched_pi_setprio")
int BPF_PROG(on_pi_setprio, struct task_struct *task, struct task_struct *waiter)
{
	struct context_cpu *cpu = enabled ? context_of(core_task_cpu(task)) : NULL;

	if (!cpu)
		return 0;
	if (cpu->waiting && context_runs_here(task))
		context_task_end(cpu, task, bpf_ktime_get_ns());
	if (waiter)
		context_name_boost(cpu, waiter);
	return 0;
}

#endif
