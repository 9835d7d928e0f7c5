/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Works of workqueues: from queueing to the start, and how long they run; tasklets: how long they run. By function,
 * not by work: a driver may have thousands of the latter.
 *
 * The kernel tells of a queueing only if the work was not queued yet, so none is told twice. One that was told and has
 * not started is told again in two cases. It was cancelled meanwhile, of which the kernel says nothing. Or it is about
 * to start: it may be queued again from the moment that a worker took it out of its list, and that is before
 * workqueue_execute_start (process_one_work() of kernel/workqueue.c). Which of the two it was shows when it starts:
 * only in the second case it is in a list again, by a bit in it.
 *
 * Works that were cancelled and freed stay in the table until it is full: then it gives up those not seen for longest.
 * If that was one that waits all the same, its start counts in irq_row.no_start. So do barriers, by which flush_work()
 * waits: they are queued untold (wq_barrier_func).
 */
#ifndef IRQ_WORK_BPF_H
#define IRQ_WORK_BPF_H

#include "irq_cases.bpf.h"

#define WORK_STRUCT_PWQ (1UL << 2) /* include/linux/workqueue.h; unchanged since 3.8: it is in a list */

struct irq_queued {
	__u64 ns;	 /* 0: it started */
	__u64 before_ns; /* when it was queued before that, if it had not started then; else 0 */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* by CPUs */
	__type(key, __u64);	/* address of the work */
	__type(value, struct irq_queued);
} works_queued SEC(".maps");

struct irq_run {
	__u64 work;	/* address; of tasklets: 0 */
	__u64 function; /* likewise */
	__u64 start_ns; /* 0: none */
	__u64 inner_ns; /* of tasklets: of spans_cpu.inner_ns[level] */
	__u32 level, unused;
};

/*
 * What a task runs. Works of WQ_BH (6.9) run in softirqs, and so within whatever task is there: one that runs another
 * work, perhaps.
 */
struct irq_runs {
	struct irq_run of[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* by CPUs */
	__type(key, __u64);	/* run_key() */
	__type(value, struct irq_runs);
} works_running SEC(".maps");

/* Is a case being written to IRQ_WORST_WORKS? By CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} work_offers SEC(".maps");

#define RUN_OF_CPU (1U << 31) /* above all tids */

/* By task, of which each CPU has an idle one of tid 0; softirqs, unless they are tasks' work: by CPU. */
static __always_inline __u64 run_key(__u8 kind, __u32 cpu_id)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	bool by_cpu = kind == IRQ_TASKLET && !config.softirqs_are_threads;

	return (__u64)kind << 32 | (tid && !by_cpu ? tid : RUN_OF_CPU | cpu_id);
}

static __always_inline void work_count_full(long err)
{
	if (err == -EBUSY)
		lost_count_update(err);
	else
		irq_count(IRQ_COUNT_OPEN_FULL);
}

static __always_inline struct irq_runs *runs_make(__u64 key)
{
	struct irq_runs *runs = bpf_map_lookup_elem(&works_running, &key), fresh = {};
	long err;

	if (runs)
		return runs;
	err = bpf_map_update_elem(&works_running, &key, &fresh, 0);
	if (err)
		work_count_full(err);
	return err ? NULL : bpf_map_lookup_elem(&works_running, &key);
}

/* --- Works. They are queued on any CPU for any other one, so -C is for where they run. */

SEC("raw_tp/workqueue_queue_work")
int BPF_PROG(on_work_queued, int cpu_wanted, void *pwq, struct work_struct *work)
{
	struct irq_queued fresh = {}, *queued;
	__u64 key = (__u64)work;
	long err;

	if (!enabled)
		return 0;
	queued = bpf_map_lookup_elem(&works_queued, &key);
	if (queued) {
		queued->before_ns = queued->ns;
		queued->ns = bpf_ktime_get_ns();
		return 0;
	}
	fresh.ns = bpf_ktime_get_ns();
	err = bpf_map_update_elem(&works_queued, &key, &fresh, 0);
	if (err)
		work_count_full(err);
	return 0;
}

/* When the work that starts was queued; 0: not known. Told once. */
static __always_inline __u64 work_queued_ns(struct work_struct *work)
{
	__u64 key = (__u64)work, ns;
	struct irq_queued *queued = bpf_map_lookup_elem(&works_queued, &key);

	if (!queued)
		return 0;
	if ((__u64)core_read(work, data.counter) & WORK_STRUCT_PWQ) { /* for its next run */
		ns = queued->before_ns;
	} else {
		ns = queued->ns;
		queued->ns = 0;
	}
	queued->before_ns = 0;
	return ns;
}

/*
 * A work in a softirq may interrupt this in the midst of it; that one is not kept in full. `busy` is the only thing
 * that both write, the inner one leaves it as it was.
 */
static __always_inline void work_offer(void *ctx, struct irq_cpu *cpu, const struct irq_event *e)
{
	__u32 cpu_id = e->of.cpu, *busy = bpf_map_lookup_elem(&work_offers, &cpu_id);

	if (!busy || *(volatile __u32 *)busy)
		return;
	*busy = 1;
	barrier();
	irq_case_offer(ctx, cpu, e, IRQ_WORST_WORKS,
		       cpu->spans.open[LEVEL_SOFTIRQ].kind ? IRQ_IN_SOFTIRQ : IRQ_IN_TASK);
	barrier();
	*busy = 0;
}

static __always_inline void work_waited(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, __u64 function, __u64 queued_ns,
					__u64 now_ns)
{
	struct irq_key key = { .what = function, .cpu = (__u16)cpu_id, .kind = IRQ_WORK };
	struct irq_event e = { .of = key, .measure = IRQ_WAIT, .end_ns = now_ns };
	struct irq_row *row = irq_row_make(&key, NULL);

	if (!row)
		return;
	if (!queued_ns) {
		row->no_start++;
		return;
	}
	if (queued_ns > now_ns)
		irq_count(IRQ_COUNT_CLOCK);
	e.total_ns = spans_gap(queued_ns, now_ns);
	irq_row_wait(row, e.total_ns, now_ns);
	work_offer(ctx, cpu, &e);
}

static __always_inline void work_runs(struct work_struct *work, __u64 function, __u32 cpu_id, __u64 now_ns)
{
	struct irq_runs *runs = runs_make(run_key(IRQ_WORK, cpu_id));
	struct irq_run *run;

	if (!runs)
		return;
	run = &runs->of[0];
	if (run->start_ns)
		run = &runs->of[1];
	if (run->start_ns)
		irq_count(IRQ_COUNT_MISSED_END);
	run->work = (__u64)work;
	run->function = function;
	run->start_ns = now_ns;
}

SEC("raw_tp/workqueue_execute_start")
int BPF_PROG(on_work_start, struct work_struct *work)
{
	__u64 now_ns, queued_ns, function;
	struct irq_cpu *cpu;
	__u32 cpu_id;

	if (!enabled)
		return 0;
	now_ns = bpf_ktime_get_ns();
	queued_ns = work_queued_ns(work);
	function = (__u64)core_read(work, func);
	work_runs(work, function, bpf_get_smp_processor_id(), now_ns);
	cpu = irq_cpu_here(&cpu_id);
	if (cpu)
		work_waited(ctx, cpu, cpu_id, function, queued_ns, now_ns);
	return 0;
}

/* The run that ends; NULL: it began before we were there. */
static __always_inline struct irq_run *work_run(struct work_struct *work, __u32 cpu_id)
{
	__u64 key = run_key(IRQ_WORK, cpu_id);
	struct irq_runs *runs = bpf_map_lookup_elem(&works_running, &key);

	if (!runs)
		return NULL;
	if (runs->of[1].start_ns) {
		if (runs->of[1].work == (__u64)work)
			return &runs->of[1];
		irq_count(IRQ_COUNT_MISSED_END);
		runs->of[1].start_ns = 0;
	}
	return runs->of[0].start_ns && runs->of[0].work == (__u64)work ? &runs->of[0] : NULL;
}

/* The work itself may be gone by now, and its function, an argument too, is nothing that a BTF program may read. */
SEC("raw_tp/workqueue_execute_end")
int BPF_PROG(on_work_end, struct work_struct *work)
{
	struct irq_key key = { .kind = IRQ_WORK };
	struct irq_run *run;
	struct irq_row *row;
	__u64 start_ns = 0, now_ns;
	__u32 cpu_id;

	if (!enabled)
		return 0;
	run = work_run(work, bpf_get_smp_processor_id());
	if (run) {
		key.what = run->function;
		start_ns = run->start_ns;
		run->start_ns = 0;
	}
	if (!irq_cpu_here(&cpu_id))
		return 0;
	if (!run) {
		irq_count(IRQ_COUNT_NO_ENTRY);
		return 0;
	}
	key.cpu = (__u16)cpu_id;
	row = irq_row_make(&key, NULL);
	if (!row)
		return 0;
	now_ns = bpf_ktime_get_ns();
	irq_row_run(row, start_ns, now_ns, now_ns - start_ns);
	return 0;
}

/*
 * --- Tasklets. They run within softirqs, whose wait is theirs: of the scheduling of a tasklet alone the kernel does
 * not tell.
 */

SEC("raw_tp/tasklet_entry")
int BPF_PROG(on_tasklet_entry, void *tasklet, void *function)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);
	struct irq_runs *runs;
	struct irq_run *run;

	runs = cpu ? runs_make(run_key(IRQ_TASKLET, cpu_id)) : NULL;
	if (!runs)
		return 0;
	run = &runs->of[0];
	if (run->start_ns)
		irq_count(IRQ_COUNT_MISSED_END);
	run->work = 0;
	run->function = (__u64)function;
	run->level = cpu->spans.open[LEVEL_SOFTIRQ].kind ? LEVEL_SOFTIRQ : LEVEL_TASK;
	if (run->level == LEVEL_SOFTIRQ)
		run->start_ns = spans_moment(&cpu->spans, LEVEL_SOFTIRQ, &run->inner_ns);
	else
		run->start_ns = spans_moment(&cpu->spans, LEVEL_TASK, &run->inner_ns);
	return 0;
}

static __always_inline void tasklet_ran(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, const struct irq_run *run)
{
	struct irq_key key = { .what = run->function, .cpu = (__u16)cpu_id, .kind = IRQ_TASKLET };
	struct irq_event e = { .of = key, .measure = IRQ_RUN };
	struct irq_row *row = irq_row_make(&key, NULL);
	__u64 inner_ns;

	if (!row)
		return;
	if (run->level == LEVEL_SOFTIRQ)
		e.end_ns = spans_moment(&cpu->spans, LEVEL_SOFTIRQ, &inner_ns);
	else
		e.end_ns = spans_moment(&cpu->spans, LEVEL_TASK, &inner_ns);
	e.total_ns = spans_gap(run->start_ns, e.end_ns);
	e.net_ns = spans_gap(inner_ns - run->inner_ns, e.total_ns);
	irq_row_run(row, run->start_ns, e.end_ns, e.net_ns);
	irq_case_offer(ctx, cpu, &e, IRQ_WORST_SOFT, IRQ_IN_SOFTIRQ);
}

SEC("raw_tp/tasklet_exit")
int BPF_PROG(on_tasklet_exit, void *tasklet, void *function)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);
	struct irq_runs *runs;
	__u64 key;

	if (!cpu)
		return 0;
	key = run_key(IRQ_TASKLET, cpu_id);
	runs = bpf_map_lookup_elem(&works_running, &key);
	if (!runs || !runs->of[0].start_ns || runs->of[0].function != (__u64)function) {
		irq_count(IRQ_COUNT_NO_ENTRY);
		return 0;
	}
	tasklet_ran(ctx, cpu, cpu_id, &runs->of[0]);
	runs->of[0].start_ns = 0;
	return 0;
}

#endif
