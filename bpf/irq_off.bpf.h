/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --off: where interrupts or preemption were off. Either the kernel tells of each section (tracepoints preemptirq:*,
 * CONFIG_PREEMPTIRQ_TRACEPOINTS), or a timer of each CPU, the one of a perf event cpu-clock, probes for them
 * (include/kbpfprof/off.h): it fires in a hard interrupt on PREEMPT_RT as well.
 */
#ifndef IRQ_OFF_BPF_H
#define IRQ_OFF_BPF_H

#include "cpu_state.bpf.h"
#include "irq_cases.bpf.h"
#include "irq_rows.bpf.h"
#include "kbpfprof/off.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPU ids */
	__type(key, __u32);
	__type(value, struct off_cpu);
} off_cpus SEC(".maps");

/* Allocated at load: programs of perf events may use no other, and this one runs in a hard interrupt. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1); /* by what memory allows */
	__type(key, struct irq_place_key);
	__type(value, struct irq_sum);
} places SEC(".maps");

static __always_inline void off_sum(struct irq_sum *sum, __u64 ns)
{
	sum->count++;
	sum->ns += ns;
	if (ns > sum->max_ns)
		sum->max_ns = ns;
}

/* Interrupts are off, or no other program of this CPU counts at places of this kind. */
static __always_inline void off_count_place(const struct irq_place_key *place, __u64 ns)
{
	struct irq_sum *sum = bpf_map_lookup_elem(&places, place), first = {};
	long err;

	if (sum) {
		off_sum(sum, ns);
		return;
	}
	off_sum(&first, ns);
	err = bpf_map_update_elem(&places, place, &first, BPF_NOEXIST);
	if (!err)
		return;
	sum = err == -EEXIST ? bpf_map_lookup_elem(&places, place) : NULL; /* another CPU was faster */
	if (sum)
		off_sum(sum, ns);
	else if (err == -E2BIG)
		irq_count(IRQ_COUNT_PLACE_FULL);
	else
		lost_count_update(err);
}

/* A section that was seen from start_ns to end_ns, of which net_ns were its own. */
static __always_inline void off_count_section(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, __u32 kind, __u64 start_ns,
					      __u64 end_ns, __u64 net_ns)
{
	struct irq_event e = { .measure = IRQ_RUN, .with_stack = 1 };
	struct irq_row *row;

	e.of.cpu = (__u16)cpu_id;
	e.of.kind = (__u8)kind;
	row = irq_row_make(&e.of, NULL);
	if (!row)
		return;
	irq_row_run(row, start_ns, end_ns, net_ns);
	if (kind != IRQ_IRQS_OFF) /* a list is written with interrupts off only */
		return;
	e.total_ns = e.net_ns = net_ns;
	e.end_ns = end_ns;
	irq_case_offer(ctx, cpu, &e, IRQ_WORST_OFF, IRQ_IN_HARDIRQ);
}

/*
 * off_hard_ns() of this CPU. A global function: the verifier looks at it once, not at all its ways after each other for
 * each way of the caller.
 */
__noinline __u64 off_hard_here(__u32 cpu_id, __u32 of_preemption, __u64 from_ns, __u64 to_ns)
{
	struct off_cpu *off = bpf_map_lookup_elem(&off_cpus, &cpu_id);
	struct irq_cpu *cpu = irq_cpu_of(cpu_id);

	return cpu && off ? off_hard_ns(&off->walk[of_preemption & 1], &cpu->spans, from_ns, to_ns) : 0;
}

/* --- By the probe. */

/* What the interrupt of the probe found. */
struct off_fire {
	__u64 due_ns, start_ns; /* of the timer, and of its interrupt */
	__u64 rest_ns;		/* that it was late by no known cause */
	__u32 count;		/* the preempt count */
	bool has_count, in_user, in_idle;
};

/*
 * The kernel gives programs of perf events another context than it hands over, which leads to the event, and so to
 * its timer; that is moved on to its next expiry only after us (perf_swevent_hrtimer() in kernel/events/core.c).
 */
static __always_inline __u64 off_due_ns(struct bpf_perf_event_data *ctx)
{
	struct bpf_perf_event_data_kern *data = (void *)ctx;

	return (__u64)BPF_CORE_READ(data, event, hw.hrtimer.node.expires);
}

/* Of a hard interrupt that is told of, where it began; else now. */
static __always_inline __u64 off_start_ns(const struct spans_cpu *spans)
{
	const struct span_open *open = &spans->open[LEVEL_HARDIRQ];

	return open->kind ? open->start_ns : bpf_ktime_get_ns();
}

static __always_inline void off_look(struct bpf_perf_event_data *ctx, struct irq_cpu *cpu, struct off_cpu *off,
				     struct off_fire *fire)
{
	const struct span_open *softirq = &cpu->spans.open[LEVEL_SOFTIRQ];
	struct task_struct *task = (void *)bpf_get_current_task();

	if (!off->rq && bpf_core_field_exists(task->se.cfs_rq))
		off->rq = (__u64)BPF_CORE_READ(task, se.cfs_rq, rq);
	fire->due_ns = off_due_ns(ctx);
	fire->start_ns = off_start_ns(&cpu->spans);
	fire->has_count = cpu_preempt_count((void *)off->rq, &fire->count);
	fire->in_user = !core_in_kernel(ctx);
	/* The way out of idle takes time. One of a softirq since then came late because of that as well. */
	fire->in_idle = !(__u32)bpf_get_current_pid_tgid() && !(softirq->kind && softirq->start_ns <= fire->due_ns);
}

/* What is left of its lateness by no known cause. */
static __always_inline __u64 off_rest_here(const struct off_fire *fire, struct off_cpu *off, __u32 cpu_id)
{
	__u64 late_ns = spans_gap(fire->due_ns, fire->start_ns); /* 0: due while the interrupt ran already */
	__u64 steal_ns = cpu_steal_ns((void *)off->rq), stolen_ns = spans_gap(off->steal_ns, steal_ns);

	off->steal_ns = steal_ns;
	if (late_ns >= config.off_least_ns)
		late_ns = off_rest_ns(late_ns, off_hard_here(cpu_id, 0, fire->due_ns, fire->start_ns), stolen_ns);
	return fire->in_idle ? 0 : off_section_ns(off, late_ns, fire->in_user);
}

SEC("perf_event")
int on_probe(struct bpf_perf_event_data *ctx)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);
	struct off_cpu *off = cpu ? bpf_map_lookup_elem(&off_cpus, &cpu_id) : NULL;
	struct irq_place_key place = { .kind = IRQ_IRQS_OFF };
	struct off_fire fire = {};
	bool is_late, is_preempt_off = false;

	if (!off)
		return 0;
	off_look(ctx, cpu, off, &fire);
	fire.rest_ns = off_rest_here(&fire, off, cpu_id);
	off->fires++;
	if (fire.in_idle)
		return 0;
	is_late = fire.rest_ns && fire.rest_ns >= config.off_least_ns;
	if (fire.in_user) {
		/* Interrupts are on there: it is no section, and no stack tells what it is. */
		if (fire.has_count)
			off->own_depth = (__u8)fire.count;
		if (is_late)
			off_count_place(&place, fire.rest_ns);
		return 0;
	}
	if (fire.has_count)
		is_preempt_off = off_preemption(fire.count, off->own_depth);
	if (!is_late && !is_preempt_off)
		return 0;
	if (bpf_get_stack(ctx, place.stack, sizeof(place.stack), 0) <= 0)
		place.stack[0] = core_ip(ctx);
	if (is_late) {
		off_count_place(&place, fire.rest_ns);
		off_count_section(ctx, cpu, cpu_id, IRQ_IRQS_OFF, fire.due_ns, fire.start_ns, fire.rest_ns);
	}
	if (is_preempt_off) {
		off->preempt_fires++;
		place.kind = IRQ_PREEMPT_OFF;
		off_count_place(&place, 0);
	}
	return 0;
}

/* --- By the kernel: `ip` is where it is switched, `parent` the caller of that function. */

static __always_inline struct off_cpu *off_cpu_here(struct irq_cpu **cpu, __u32 *cpu_id)
{
	*cpu = irq_cpu_here(cpu_id);
	return *cpu && !core_in_nmi() ? bpf_map_lookup_elem(&off_cpus, cpu_id) : NULL;
}

/* The idle task waits with interrupts and preemption off. */
static __always_inline bool off_in_idle(const struct irq_cpu *cpu)
{
	return !(__u32)bpf_get_current_pid_tgid() && !cpu->spans.open[LEVEL_SOFTIRQ].kind;
}

static __always_inline void off_end(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, __u32 kind, __u64 start_ns, __u64 ip,
				    __u64 parent)
{
	struct irq_place_key place = { .kind = kind, .is_exact = 1 };
	__u64 end_ns, net_ns;

	if (!start_ns)
		return;
	end_ns = bpf_ktime_get_ns();
	net_ns = spans_gap(start_ns, end_ns);
	if (net_ns >= config.off_least_ns)
		net_ns = off_rest_ns(net_ns, off_hard_here(cpu_id, kind == IRQ_PREEMPT_OFF, start_ns, end_ns), 0);
	if (!net_ns || net_ns < config.off_least_ns)
		return;
	place.stack[0] = ip;
	place.stack[1] = parent;
	off_count_place(&place, net_ns);
	off_count_section(ctx, cpu, cpu_id, kind, start_ns, end_ns, net_ns);
}

SEC("raw_tp/irq_disable")
int BPF_PROG(on_irq_disable, unsigned long ip, unsigned long parent)
{
	struct irq_cpu *cpu;
	__u32 cpu_id;
	struct off_cpu *off = off_cpu_here(&cpu, &cpu_id);

	if (off && !off_in_idle(cpu))
		off_section_begin(&off->irqs_ns, bpf_ktime_get_ns());
	return 0;
}

SEC("raw_tp/irq_enable")
int BPF_PROG(on_irq_enable, unsigned long ip, unsigned long parent)
{
	struct irq_cpu *cpu;
	__u32 cpu_id;
	struct off_cpu *off = off_cpu_here(&cpu, &cpu_id);

	if (off)
		off_end(ctx, cpu, cpu_id, IRQ_IRQS_OFF, off_section_end(&off->irqs_ns), ip, parent);
	return 0;
}

SEC("raw_tp/preempt_disable")
int BPF_PROG(on_preempt_disable, unsigned long ip, unsigned long parent)
{
	struct irq_cpu *cpu;
	__u32 cpu_id;
	struct off_cpu *off = off_cpu_here(&cpu, &cpu_id);

	if (off && !off_in_idle(cpu))
		off_section_begin(&off->preempt_ns, bpf_ktime_get_ns());
	return 0;
}

SEC("raw_tp/preempt_enable")
int BPF_PROG(on_preempt_enable, unsigned long ip, unsigned long parent)
{
	struct irq_cpu *cpu;
	__u32 cpu_id;
	struct off_cpu *off = off_cpu_here(&cpu, &cpu_id);

	if (off)
		off_end(ctx, cpu, cpu_id, IRQ_PREEMPT_OFF, off_section_end(&off->preempt_ns), ip, parent);
	return 0;
}

#endif
