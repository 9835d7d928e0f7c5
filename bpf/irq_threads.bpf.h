/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threaded handlers: from the end of the hard handler that woke the thread to the thread running, and to the end of
 * its work, which is when it sleeps again.
 */
#ifndef IRQ_THREADS_BPF_H
#define IRQ_THREADS_BPF_H

#include "irq_cases.bpf.h"

#define IRQ_WAKE_THREAD 2 /* include/linux/irqreturn.h; unchanged since 2.6.30 */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* by what the machine has */
	__type(key, __u32);	/* tid */
	__type(value, struct irq_thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__type(key, struct irq_behind_key);
	__type(value, struct irq_sum);
} behind SEC(".maps");

/* Threads that were woken and do not sleep again yet, of all CPUs: while there is none, a switch costs a look at this.
 */
volatile __u64 threads_awake = 0;

static __always_inline struct irq_thread *thread_make(__u32 tid, int irq, struct irqaction *action)
{
	struct irq_thread *t = bpf_map_lookup_elem(&threads, &tid), fresh = {};

	if (t && t->what == (__u64)action)
		return t;
	fresh.what = (__u64)action;
	fresh.id = irq;
	bpf_probe_read_kernel_str(fresh.name, sizeof(fresh.name), core_read(action, name));
	if (bpf_map_update_elem(&threads, &tid, &fresh, 0)) {
		irq_count(IRQ_COUNT_OPEN_FULL);
		return NULL;
	}
	return bpf_map_lookup_elem(&threads, &tid);
}

/* A hard handler ended at now_ns and has woken its thread. */
static __always_inline void thread_woken(int irq, struct irqaction *action, __u64 now_ns)
{
	struct task_struct *task = core_read(action, thread);
	struct irq_thread *t;

	if (!task)
		return;
	t = thread_make((__u32)core_read(task, pid), irq, action);
	if (!t)
		return;
	if (t->woken_ns) {
		t->joined++;
		return;
	}
	if (!t->start_ns)
		__sync_fetch_and_add(&threads_awake, 1);
	t->woken_ns = now_ns;
}

/* What the CPU did meanwhile, as far as that is the task that had it last. */
static __always_inline void thread_behind(const struct irq_cpu *cpu, const struct irq_thread *t,
					  struct task_struct *prev, struct task_struct *next, __u64 now_ns)
{
	__u64 from_ns = cpu->switch_ns > t->woken_ns ? cpu->switch_ns : t->woken_ns;
	struct irq_behind_key key = { .what = t->what, .id = t->id };
	struct irq_sum fresh = { 1, now_ns - from_ns, now_ns - from_ns }, *sum;
	int prio = core_read(prev, prio), own_prio = core_read(next, prio);

	if (!core_read(prev, pid)) /* the idle task */
		return;
	key.prio_class = prio < own_prio ? 0 : prio == own_prio ? 1 : 2;
	core_read_comm(key.comm, prev);
	sum = bpf_map_lookup_elem(&behind, &key);
	if (!sum) {
		if (!bpf_map_update_elem(&behind, &key, &fresh, BPF_NOEXIST))
			return;
		sum = bpf_map_lookup_elem(&behind, &key); /* another CPU was faster */
	}
	if (!sum) {
		irq_count(IRQ_COUNT_BEHIND_FULL);
		return;
	}
	sum->count++;
	sum->ns += fresh.ns;
	if (fresh.ns > sum->max_ns)
		sum->max_ns = fresh.ns;
}

static __always_inline struct irq_row *thread_row(struct irq_event *e, const struct irq_thread *t, __u32 cpu_id)
{
	e->of = (struct irq_key){ .what = t->what, .id = t->id, .cpu = (__u16)cpu_id, .kind = IRQ_THREAD };
	e->name = t->name;
	return irq_row_make(&e->of, t->name);
}

static __always_inline void thread_begins(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, struct irq_thread *t,
					  struct task_struct *prev, struct task_struct *next, __u64 now_ns)
{
	struct irq_event e = { .measure = IRQ_WAIT, .task = prev, .end_ns = now_ns };
	struct irq_row *row;

	if (t->start_ns || !t->woken_ns) /* it goes on; or it was woken by another than a hard handler */
		return;
	row = thread_row(&e, t, cpu_id);
	e.total_ns = spans_gap(t->woken_ns, now_ns);
	thread_behind(cpu, t, prev, next, now_ns);
	t->start_ns = now_ns;
	t->woken_ns = 0;
	if (!row)
		return;
	irq_row_wait(row, e.total_ns, now_ns);
	irq_case_offer(ctx, cpu, &e, IRQ_WORST_THREADS, IRQ_IN_TASK);
}

static __always_inline void thread_ends(__u32 cpu_id, struct irq_thread *t, struct task_struct *task, __u64 now_ns)
{
	struct irq_event e = {};
	struct irq_row *row;

	if (!t->start_ns || core_is_runnable(task)) /* preempted */
		return;
	row = thread_row(&e, t, cpu_id);
	if (row) {
		irq_row_run(row, t->start_ns, now_ns, now_ns - t->start_ns);
		row->joined += t->joined + !!t->woken_ns; /* the last one came while it ran: it did its work, too */
	}
	t->joined = 0;
	t->woken_ns = 0;
	t->start_ns = 0;
	__sync_fetch_and_add(&threads_awake, -1);
}

static __always_inline void thread_switch(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, struct task_struct *prev,
					  struct task_struct *next, __u64 now_ns)
{
	__u32 prev_tid = (__u32)core_read(prev, pid), next_tid = (__u32)core_read(next, pid);
	struct irq_thread *t;

	if (core_read(prev, flags) & PF_KTHREAD) {
		t = bpf_map_lookup_elem(&threads, &prev_tid);
		if (t)
			thread_ends(cpu_id, t, prev, now_ns);
	}
	if (core_read(next, flags) & PF_KTHREAD) {
		t = bpf_map_lookup_elem(&threads, &next_tid);
		if (t)
			thread_begins(ctx, cpu, cpu_id, t, prev, next, now_ns);
	}
	cpu->switch_ns = now_ns;
}

#endif
