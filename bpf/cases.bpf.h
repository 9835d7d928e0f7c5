/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delays kept in full: the worst of each CPU, and those above the limit until user space has fetched them. No
 * lock: a CPU writes its own slots, and user space takes a slot only when it is complete.
 */
#ifndef CASES_BPF_H
#define CASES_BPF_H

#include "context.bpf.h"
#include "filter.bpf.h"
#include "waits.bpf.h"

/* By CPU, then slot. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wake_case);
} worst_cases SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wake_case);
} above_cases SEC(".maps");

/* What is known of a wait that is over. */
struct wait_end {
	__u64 now_ns, total_ns;
	__u32 cpu_id, kind;
};

static __always_inline void case_stacks(void *ctx, struct wake_case *c, struct task_struct *task)
{
	struct wait_stacks *stacks = NULL;

	c->waker_stack.frames = 0;
	c->user_stack.frames = 0;
	if (config.waker_stacks || config.user_stacks)
		stacks = wait_stacks_find(task);
	if (stacks) {
		bpf_probe_read_kernel(&c->waker_stack, sizeof(c->waker_stack), &stacks->waker);
		bpf_probe_read_kernel(&c->user_stack, sizeof(c->user_stack), &stacks->user);
	}
	c->out_stack.frames = 0;
	if (config.causes)
		wait_stack_get(ctx, &c->out_stack, 0);
}

/* Copied one by one; if more concern the wait the whole ring is. */
#define CASE_SPANS_FEW 32
/* Of the time before the task stood in the queue. */
#define CASE_SPANS_BEFORE 4

/* What the task waits for, having been switched in, is all that happens here: most waits concern few spans. */
static __always_inline void case_spans(struct wake_case *c, struct context_cpu *cpu)
{
	__u32 n = cpu->charge.spans + CASE_SPANS_BEFORE;

	c->spans_kept = n <= CASE_SPANS_FEW ? n : SPANS_RING;
	if (n > CASE_SPANS_FEW) {
		bpf_probe_read_kernel(c->spans, sizeof(c->spans), cpu->spans.ring);
		return;
	}
	for (__u32 i = 1; i <= CASE_SPANS_FEW; i++) {
		__u32 at = (cpu->spans.head - i) & (SPANS_RING - 1);

		if (i > n)
			break;
		c->spans[at] = cpu->spans.ring[at];
	}
}

/* The waker's name, if it still lives. */
static __always_inline void case_name_waker(struct wake_waker *w)
{
	struct task_struct *task = (void *)w->task;

	__builtin_memset(w->comm, 0, sizeof(w->comm));
	if (task && BPF_CORE_READ(task, pid) == (int)w->tid)
		bpf_probe_read_kernel(w->comm, sizeof(w->comm), (void *)task + bpf_core_field_offset(task->comm));
}

static __always_inline void case_fill(void *ctx, struct wake_case *c, struct context_cpu *cpu, struct task_struct *task,
				      const struct wait *wait, const struct wait_end *end)
{
	c->complete = 0;
	barrier();
	c->total_ns = end->total_ns;
	c->in_ns = end->now_ns;
	c->kind = end->kind;
	c->cpu = end->cpu_id;
	c->tgid = filter_tgid(task);
	c->tid = filter_tid(task);
	c->prio = (__s16)core_read(task, prio);
	c->normal_prio = (__s16)core_read(task, normal_prio);
	c->policy = (__u16)core_read(task, policy);
	c->idle_elsewhere = cpu->charge.idle_elsewhere;
	c->cpus_allowed = core_read(task, nr_cpus_allowed);
	c->start_ns_boot = BPF_CORE_READ(task, group_leader, start_boottime);
	c->exec_id = (__u32)BPF_CORE_READ(task, self_exec_id);
	c->head = cpu->spans.head;
	bpf_probe_read_kernel(c->comm, sizeof(c->comm), (void *)task + bpf_core_field_offset(task->comm));
	bpf_probe_read_kernel(&c->task, sizeof(c->task), &wait->task);
	bpf_probe_read_kernel(&c->waker, sizeof(c->waker), &wait->waker);
	case_name_waker(&c->waker);
	if (config.causes) {
		bpf_probe_read_kernel(&c->parts, sizeof(c->parts), &cpu->charge.parts);
		case_spans(c, cpu);
	}
	case_stacks(ctx, c, task);
	barrier();
	c->complete = 1;
}

/* The slot of the smallest of the worst of a CPU, whose time is noted. A global function, see charge_plain(). */
__noinline int case_smallest(__u32 cpu_id)
{
	struct context_cpu *cpu = context_of(cpu_id);
	__u64 least_ns;
	int slot = 0;

	if (!cpu)
		return 0;
	least_ns = cpu->worst_ns[0];
	for (__u32 i = 1; i < WAKE_WORST_MAX; i++) {
		if (i >= config.worst)
			break;
		if (cpu->worst_ns[i] >= least_ns)
			continue;
		least_ns = cpu->worst_ns[i];
		slot = (int)i;
	}
	cpu->least_worst_ns = least_ns;
	return slot;
}

static __always_inline void case_worst(void *ctx, struct context_cpu *cpu, struct task_struct *task,
				       const struct wait *wait, const struct wait_end *end)
{
	__u64 slot = (__u32)case_smallest(end->cpu_id);
	__u32 at = end->cpu_id * config.worst + slot;
	struct wake_case *c;

	KBPFPROF_ONE_REGISTER(slot);
	if (slot >= WAKE_WORST_MAX)
		return;
	c = bpf_map_lookup_elem(&worst_cases, &at);
	if (!c)
		return;
	cpu->worst_ns[slot] = end->total_ns;
	case_fill(ctx, c, cpu, task, wait, end);
	case_smallest(end->cpu_id);
}

/* A slot of a CPU that user space has emptied, by its index; -1: all wait to be fetched. A global function. */
__noinline int case_free(__u32 cpu_id)
{
	for (__u32 i = 0; i < WAKE_ABOVE_SLOTS; i++) {
		__u32 at = cpu_id * WAKE_ABOVE_SLOTS + i;
		struct wake_case *c = bpf_map_lookup_elem(&above_cases, &at);

		if (c && !c->total_ns)
			return (int)at;
	}
	return -1;
}

/* False: there is no room for it. */
static __always_inline bool case_above(void *ctx, struct context_cpu *cpu, struct task_struct *task,
				       const struct wait *wait, const struct wait_end *end)
{
	__u32 at = (__u32)case_free(end->cpu_id);
	struct wake_case *c = bpf_map_lookup_elem(&above_cases, &at);

	if (!c)
		return false;
	case_fill(ctx, c, cpu, task, wait, end);
	return true;
}

#endif
