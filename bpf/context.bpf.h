/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each CPU does, kept by the tracepoints of interrupts, softirqs and switches as spans
 * (include/kbpfprof/spans.h). Tasks are followed only while one that is measured waits for the CPU.
 */
#ifndef CONTEXT_BPF_H
#define CONTEXT_BPF_H

#include "core.bpf.h"
#include "counts.bpf.h"
#include "cpu_state.bpf.h"
#include "kbpfprof/wakeup.h"
#include "spans.bpf.h"

const volatile struct wakeup_config config = { .causes = 1, .task_storage = 1 };

/*
 * A timer's function runs: since when it was due. Its end may go unseen, and a thread that runs it be preempted: what
 * it wakes is known by `of`.
 */
struct context_timer {
	__u64 expiry_ns, hard_expiry_ns; /* without and with slack, CLOCK_MONOTONIC */
	__u64 of;			 /* context_timer_of(); 0: it is over */
};

/* What tasks a CPU ran, roughly: for the part of a wait that its ring does not reach back to. */
enum context_class { CLASS_FAIR, CLASS_RT, CLASS_IDLE, CLASS_SWITCH, CONTEXT_CLASSES };

struct context_totals {
	__u64 ns[CONTEXT_CLASSES];
};

/* CONTEXT_CLASSES: an interrupt or softirq. */
static __always_inline __u32 context_class(__u8 kind, __s32 prio)
{
	if (kind == SPAN_TASK)
		return prio < PRIO_FAIR_MIN ? CLASS_RT : CLASS_FAIR;
	return kind == SPAN_IDLE ? CLASS_IDLE : kind == SPAN_SWITCH ? CLASS_SWITCH : CONTEXT_CLASSES;
}

static __always_inline void context_count(struct context_totals *totals, __u8 kind, __s32 prio, __u64 ns)
{
	__u64 class = context_class(kind, prio);

	KBPFPROF_ONE_REGISTER(class);
	if (class < CONTEXT_CLASSES)
		totals->ns[class] += ns;
}

/* Results of the walk over a wait, see charge.bpf.h. */
struct charge {
	__u64 from_ns, to_ns, used_ns; /* the segment that is looked at, and what spans explained of it */
	__u32 head, spans;	       /* of its CPU's ring: where it ends, how many concern the segment */
	__u64 quota_ns, steal_ns;      /* still to be charged to these */
	__u64 gap_ns;		       /* before the oldest span of a full ring: not charged yet */
	struct context_totals covered; /* by spans, of the segment */
	struct context_totals before;  /* the CPU's totals when the wait began */
	__s32 prio;		       /* of the task that waited */
	__u32 quarter;		       /* hist_quarter() of the delay */
	__u8 preempted;
	__u8 is_direct; /* a short delay, of no further interest: parts are not gathered */
	__u8 throttled, idle_elsewhere;
	struct wake_parts parts;
};

/* What is touched together lies together; the ring of spans, 16 KiB, last. */
struct context_cpu {
	struct charge charge;
	__u64 worst_ns[WAKE_WORST_MAX]; /* total_ns of its cases */
	char boosted_by[KBPFPROF_COMM_BYTES];
	struct rq *rq;
	__u64 least_worst_ns; /* the smallest of worst_ns */
	__u64 waiting;	      /* measured tasks in this CPU's run queue: its tasks are followed while there is one */
	__u64 entry_ns;	      /* of the scheduler, while followed; the switch takes it */
	__u64 entry_inner_ns;
	__u64 resched_ns;   /* need_resched was set */
	__u64 nmi_ns;	    /* arm64: when the NMI that is being handled began */
	__u64 steal_ns;	    /* as it was at the last timer interrupt */
	__u8 task_flags;    /* enum span_flags of the running task, known when it began */
	__u8 own_depth;	    /* what a tracepoint and its program add to the preempt count */
	__u8 has_rt_waiter; /* one of those that wait, or waited since the last time that none did, is a realtime task
			     */
	__u8 unused[5];
	struct context_totals totals;
	struct context_timer timers[2]; /* in softirq (PREEMPT_RT: thread) and in hard IRQ */
	struct spans_cpu spans;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPU ids */
	__type(key, __u32);
	__type(value, struct context_cpu);
} contexts SEC(".maps");

/* Flipped when everything is attached; nothing is kept before. */
volatile __u32 enabled = 0;

/*
 * Measured tasks that wait for any CPU, where few are measured (config.details): what is wanted only while one waits
 * then costs one look at this.
 */
volatile __u64 following = 0;

static __always_inline struct context_cpu *context_of(__u32 cpu_id)
{
	return bpf_map_lookup_elem(&contexts, &cpu_id);
}

static __always_inline struct context_cpu *context_here(void)
{
	return enabled ? context_of(bpf_get_smp_processor_id()) : NULL;
}

/* In what a timer's function runs: the interrupt that began at irq_ns, or, if that is 0, this thread. */
static __always_inline __u64 context_timer_of(__u64 irq_ns, __u32 tid)
{
	return irq_ns ? irq_ns : 1ULL << 63 | tid;
}

static __always_inline __u64 context_irq_ns(const struct context_cpu *cpu)
{
	const struct span_open *open = &cpu->spans.open[LEVEL_HARDIRQ];

	return open->kind ? open->start_ns : 0;
}

static __always_inline void context_timer_begin(struct context_cpu *cpu, __u64 expiry_ns, __u64 hard_expiry_ns)
{
	__u64 irq_ns = context_irq_ns(cpu);
	struct context_timer *t = &cpu->timers[irq_ns ? 1 : 0];

	t->of = 0;
	t->expiry_ns = expiry_ns;
	t->hard_expiry_ns = hard_expiry_ns;
	barrier();
	t->of = context_timer_of(irq_ns, (__u32)bpf_get_current_pid_tgid());
}

static __always_inline void context_timer_end(struct context_cpu *cpu)
{
	cpu->timers[cpu->spans.open[LEVEL_HARDIRQ].kind ? 1 : 0].of = 0;
}

/* Does a timer's function run in the interrupt that began at irq_ns, or in this thread? `t` is that of timers[]. */
static __always_inline bool context_timer_runs(const struct context_timer *t, __u64 irq_ns, __u32 tid)
{
	return t->of == context_timer_of(irq_ns, tid);
}

/* Is this the task that runs here? */
static __always_inline bool context_runs_here(struct task_struct *task)
{
	return (__u32)bpf_get_current_pid_tgid() == (__u32)core_read(task, pid);
}

static __always_inline __u64 context_steal_ns(const struct context_cpu *cpu)
{
	return cpu_steal_ns(cpu->rq);
}

/* The preempt count here, without what marks interrupts; 255: not known. */
static __always_inline __u8 context_preempt_depth(const struct context_cpu *cpu)
{
	__u32 count;

	return cpu_preempt_count(cpu->rq, &count) ? (__u8)count : 255;
}

/* sched_switch comes from a depth of 1, whatever the kernel's configuration. */
static __always_inline void context_know(struct context_cpu *cpu, struct task_struct *next)
{
	__u8 depth;

	cpu->rq = core_task_rq(next);
	depth = context_preempt_depth(cpu);
	cpu->own_depth = depth && depth != 255 ? depth - 1 : 0;
}

static __always_inline void spans_count_missed(void)
{
	count(WAKE_COUNT_MISSED_END);
}

/* NULL: not measured yet. */
static __always_inline struct span_open *context_irq_enter(__u8 kind, __s32 id)
{
	struct context_cpu *cpu = context_here();

	return cpu ? spans_irq_enter(&cpu->spans, kind, id) : NULL;
}

static __always_inline void context_irq_exit(__u8 kind, __s32 id)
{
	struct context_cpu *cpu = context_here();

	if (cpu)
		spans_irq_exit(&cpu->spans, kind, id);
}

static __always_inline void context_softirq_enter(__s32 id)
{
	struct context_cpu *cpu = context_here();

	if (cpu)
		spans_softirq_enter(&cpu->spans, id);
}

static __always_inline void context_softirq_exit(__s32 id)
{
	struct context_cpu *cpu = context_here();

	if (cpu)
		spans_softirq_exit(&cpu->spans, id);
}

/* --- Tasks. */

/* From now on a measured task waits for this CPU. */
static __always_inline void context_follow(struct context_cpu *cpu, struct task_struct *task, __u64 now_ns)
{
	if (!cpu->waiting) {
		cpu->has_rt_waiter = 0;
		cpu->spans.open[LEVEL_TASK].start_ns = now_ns;
		cpu->spans.open[LEVEL_TASK].inner_ns = cpu->spans.inner_ns[LEVEL_TASK];
		cpu->entry_ns = 0;
	}
	if (core_read(task, prio) < PRIO_FAIR_MIN)
		cpu->has_rt_waiter = 1;
	__sync_fetch_and_add(&cpu->waiting, 1);
	if (config.details)
		__sync_fetch_and_add(&following, 1);
}

static __always_inline void context_unfollow(__u32 cpu_id)
{
	struct context_cpu *cpu = context_of(cpu_id);

	if (!cpu || !cpu->waiting)
		return;
	__sync_fetch_and_add(&cpu->waiting, -1);
	if (config.details)
		__sync_fetch_and_add(&following, -1);
}

static __always_inline void context_name_boost(struct context_cpu *cpu, struct task_struct *waiter)
{
	bpf_probe_read_kernel(cpu->boosted_by, sizeof(cpu->boosted_by),
			      (void *)waiter + bpf_core_field_offset(waiter->comm));
}

/* Writes the span of the running task, which ends now, or of the scheduler behind it. */
static __always_inline void context_task_span(struct context_cpu *cpu, struct task_struct *task, __u64 now_ns,
					      __u64 inner_ns, __u8 kind)
{
	struct spans_cpu *spans = &cpu->spans;
	struct span_open *open = &spans->open[LEVEL_TASK];
	struct span *span = spans_next(spans);
	int prio = core_read(task, prio);

	open->id = core_read(task, pid);
	open->kind = kind;
	spans_close(spans, LEVEL_TASK, span, now_ns, inner_ns, SPAN_NONE);
	if (kind == SPAN_TASK)
		core_read_comm(span->name, task);
	span->prio = (__s16)prio;
	span->flags = cpu->task_flags;
	if (kind == SPAN_TASK && prio < core_read(task, normal_prio)) {
		span->flags |= SPAN_BOOSTED;
		__builtin_memcpy(span->by, cpu->boosted_by, sizeof(span->by));
	}
	context_count(&cpu->totals, kind, prio, span->net_ns);
	spans_publish(spans);
	open->start_ns = now_ns;
	open->inner_ns = inner_ns;
}

/* An interrupt cannot be open here, on PREEMPT_RT not even a softirq is looked at: its end was missed. */
static __always_inline void context_close_missed(struct spans_cpu *spans, __u64 now_ns)
{
	if (spans->open[LEVEL_HARDIRQ].kind)
		spans_irq_end(spans, now_ns, SPAN_UNKNOWN);
	if (spans->open[LEVEL_SOFTIRQ].kind)
		spans_softirq_end(spans, SPAN_UNKNOWN);
}

/* The running task is `task`; it lets go, or changes its priority. */
static __always_inline void context_task_end(struct context_cpu *cpu, struct task_struct *task, __u64 now_ns)
{
	__u8 kind = core_read(task, pid) ? SPAN_TASK : SPAN_IDLE;

	context_close_missed(&cpu->spans, now_ns);
	if (cpu->entry_ns > cpu->spans.open[LEVEL_TASK].start_ns) {
		context_task_span(cpu, task, cpu->entry_ns, cpu->entry_inner_ns, kind);
		kind = SPAN_SWITCH;
	}
	cpu->entry_ns = 0;
	context_task_span(cpu, task, now_ns, cpu->spans.inner_ns[LEVEL_TASK], kind);
}

/* `task` is switched in: what is to be known of it when its span ends. */
static __always_inline void context_task_begin(struct context_cpu *cpu, struct task_struct *task)
{
	struct rq *rq = cpu->rq; /* a copy: CO-RE would take it for a field of the kernel's */
	struct task_struct *waiter;
	int prio = core_read(task, prio);

	cpu->task_flags = 0;
	if (cpu->has_rt_waiter && prio >= PRIO_FAIR_MIN) {
		if (rq && bpf_core_field_exists(rq->rt.rt_throttled) && BPF_CORE_READ(rq, rt.rt_throttled))
			cpu->task_flags |= SPAN_RT_THROTTLED;
		if (core_by_fair_server(task))
			cpu->task_flags |= SPAN_FAIR_SERVER;
	}
	if (prio < core_read(task, normal_prio) && bpf_core_field_exists(task->pi_top_task)) {
		waiter = core_read(task, pi_top_task);
		if (waiter)
			context_name_boost(cpu, waiter);
	}
}

#endif
