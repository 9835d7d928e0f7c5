/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events kept in full: the worst of each CPU and list, and those above the limit until user space has fetched them.
 * No lock: a CPU writes its own slots, each list from one level of context only, and user space takes a slot only when
 * it is complete.
 */
#ifndef IRQ_CASES_BPF_H
#define IRQ_CASES_BPF_H

#include "irq_rows.bpf.h"
#include "waiting.bpf.h"

/* By CPU, then list, then slot. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct irq_case);
} worst_cases SEC(".maps");

/* By CPU, then level of context (enum irq_context), then slot. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct irq_case);
} above_cases SEC(".maps");

/* An event that may be worth keeping: all of it before irq_case_offer(). */
struct irq_event {
	struct irq_key of;
	__u64 total_ns, net_ns, end_ns;
	__u8 measure;
	__u8 with_stack;	       /* of the kernel, from where `ctx` is */
	const char *name;	       /* the kernel's; NULL: none */
	const struct irq_raise *raise; /* of a softirq's wait; else NULL */
	struct task_struct *task;      /* the one it is about, of a tracepoint's argument; NULL: the running one */
};

static __always_inline void irq_case_task(struct irq_task *to, struct task_struct *task)
{
	to->tgid = BPF_CORE_READ(task, tgid);
	to->tid = BPF_CORE_READ(task, pid);
	to->prio = (__s16)BPF_CORE_READ(task, prio);
	bpf_probe_read_kernel(to->comm, sizeof(to->comm), (void *)task + bpf_core_field_offset(task->comm));
}

static __always_inline void irq_case_raise(struct irq_case *c, const struct irq_raise *raise)
{
	c->by = IRQ_IN_TASK;
	c->by_kind = SPAN_NONE;
	c->by_id = 0;
	if (!raise)
		return;
	c->by = raise->by;
	c->by_kind = raise->by_kind;
	c->by_id = raise->id;
	if (raise->by != IRQ_IN_TASK)
		return;
	irq_case_task(&c->task, (void *)raise->task);
	if (c->task.tid == (__u32)raise->id)
		return;
	__builtin_memset(&c->task, 0, sizeof(c->task)); /* it is gone */
	c->task.tid = (__u32)raise->id;
}

/* What ran before, newest first. */
static __always_inline void irq_case_spans(struct irq_case *c, struct spans_cpu *spans)
{
	__u32 head = spans->head;

	c->spans_kept = IRQ_CASE_SPANS;
	for (__u32 i = 0; i < IRQ_CASE_SPANS; i++)
		c->spans[i] = *spans_slot(spans, head - 1 - i);
}

/* `ctx`: of the program. */
static __always_inline void irq_case_fill(void *ctx, struct irq_case *c, struct irq_cpu *cpu, const struct irq_event *e,
					  __u32 list)
{
	struct task_struct *running = (void *)bpf_get_current_task(), *waiting;
	long bytes;

	c->complete = 0;
	barrier();
	c->total_ns = e->total_ns;
	c->net_ns = e->net_ns;
	c->end_ns = e->end_ns;
	c->of = e->of;
	c->list = (__u8)list;
	c->measure = e->measure;
	__builtin_memset(c->name, 0, sizeof(c->name));
	if (e->name)
		bpf_probe_read_kernel_str(c->name, sizeof(c->name), e->name);
	irq_case_task(&c->task, e->task ? e->task : running);
	irq_case_raise(c, e->raise);
	waiting = waiting_task(running, &c->runnable);
	if (waiting)
		irq_case_task(&c->delayed, waiting);
	else
		c->delayed.tid = 0;
	irq_case_spans(c, &cpu->spans);
	bytes = e->with_stack ? bpf_get_stack(ctx, c->stack, sizeof(c->stack), 0) : 0;
	c->frames = bytes > 0 ? (__u32)bytes / 8 : 0;
	barrier();
	c->complete = 1;
}

/* The slot of the smallest of a list's worst, whose time is noted. */
static __always_inline __u32 irq_case_smallest(struct irq_cpu *cpu, __u32 list)
{
	__u64 least_ns = cpu->worst_ns[list][0];
	__u32 slot = 0;

	for (__u32 i = 1; i < IRQ_WORST_MAX; i++) {
		if (i >= config.worst)
			break;
		if (cpu->worst_ns[list][i] >= least_ns)
			continue;
		least_ns = cpu->worst_ns[list][i];
		slot = i;
	}
	cpu->least_worst_ns[list] = least_ns;
	return slot;
}

static __always_inline void irq_case_worst(void *ctx, struct irq_cpu *cpu, const struct irq_event *e, __u32 list)
{
	__u64 slot = irq_case_smallest(cpu, list);
	__u32 at = (e->of.cpu * IRQ_LISTS + list) * config.worst + slot;
	struct irq_case *c = bpf_map_lookup_elem(&worst_cases, &at);

	KBPFPROF_ONE_REGISTER(slot);
	if (!c || slot >= IRQ_WORST_MAX)
		return;
	cpu->worst_ns[list][slot] = e->total_ns;
	irq_case_fill(ctx, c, cpu, e, list);
	irq_case_smallest(cpu, list);
}

/* --above: a slot that user space has emptied. */
static __always_inline void irq_case_above(void *ctx, struct irq_cpu *cpu, const struct irq_event *e, __u32 list,
					   __u32 level)
{
	irq_count(IRQ_COUNT_ABOVE);
	for (__u32 i = 0; i < IRQ_ABOVE_SLOTS; i++) {
		__u32 at = (e->of.cpu * IRQ_CONTEXTS + level) * IRQ_ABOVE_SLOTS + i;
		struct irq_case *c = bpf_map_lookup_elem(&above_cases, &at);

		if (!c || c->total_ns)
			continue;
		irq_case_fill(ctx, c, cpu, e, list);
		return;
	}
	irq_count(IRQ_COUNT_ABOVE_UNTOLD);
}

/* `list`, a constant: old verifiers would not know it if it came out of memory. `level`: the context that the program
 * runs in. */
static __always_inline void irq_case_offer(void *ctx, struct irq_cpu *cpu, const struct irq_event *e, __u32 list,
					   __u32 level)
{
	if (e->total_ns > cpu->least_worst_ns[list] && config.worst)
		irq_case_worst(ctx, cpu, e, list);
	if (config.above_ns && e->total_ns >= config.above_ns)
		irq_case_above(ctx, cpu, e, list, level);
}

#endif
