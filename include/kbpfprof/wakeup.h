/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/wakeup.bpf.c and src/tools/wakeup*.c share, and the causes of a delay, which recordings know as well. */
#ifndef KBPFPROF_WAKEUP_H
#define KBPFPROF_WAKEUP_H

#include "hist.h"
#include "spans.h"
#include "types.h"
#include "wake.h"

/* What is measured, each with a histogram of its own; S is the switch to the task. */
enum latency_kind {
	LATENCY_TIMER,	    /* programmed expiry of the timer that woke it -> S: what cyclictest shows */
	LATENCY_WAKING,	    /* sched_waking -> S */
	LATENCY_ACTIVATION, /* sched_waking -> sched_wakeup: until it stood in a run queue */
	LATENCY_QUEUE,	    /* sched_wakeup -> S */
	LATENCY_PREEMPTED,  /* switched out while runnable -> S */
	LATENCY_KINDS,
};

struct wake_hists {
	struct hist of[LATENCY_KINDS];
};

/*
 * Where the time of a delay went. The parts of one delay add up to it:
 *   [timer ...]  from the programmed expiry to the waking
 *   [activation] from the waking to the run queue
 *   [the rest]   from the run queue to the switch
 */
enum wake_cause {
	CAUSE_NONE,
	/* E to W */
	CAUSE_TIMER_PAST,     /* the task programmed it when its time was past, or ran on until then */
	CAUSE_TIMER_SLACK,    /* the kernel may fire it so much later: timer slack */
	CAUSE_TIMER_IRQS_OFF, /* its interrupt came late: interrupts were off */
	CAUSE_TIMER_IDLE,     /* its interrupt came late: the CPU had to leave an idle state */
	CAUSE_TIMER_HARDWARE, /* its interrupt came late, although a program ran and interrupts were on: the
				 hypervisor, or firmware */
	CAUSE_TIMER_BEHIND,   /* its interrupt came late: another interrupt or NMI (name) ran */
	CAUSE_TIMER_HANDLER,  /* from the interrupt's entry to the waking */
	CAUSE_TIMER_SOFTIRQ,  /* it expires in a softirq or thread: from the expiry to there */
	/* W to Q */
	CAUSE_ACTIVATION,	 /* by the waker itself */
	CAUSE_ACTIVATION_REMOTE, /* by an interrupt of the CPU it is to run on */
	/* Q to S */
	CAUSE_HARDIRQ, /* id: line, name: its handler */
	CAUSE_VECTOR,  /* id: enum span_vector */
	CAUSE_NMI,
	CAUSE_SOFTIRQ,	    /* id: its number */
	CAUSE_TASK_BETTER,  /* name ran with a better priority */
	CAUSE_TASK_SAME,    /* name ran with the same realtime priority */
	CAUSE_TASK_FAIR,    /* name shared the CPU by the fair scheduler */
	CAUSE_TASK_WORSE,   /* name, of worse priority, kept the CPU: a section that cannot be preempted */
	CAUSE_TASK_BOOSTED, /* name ran with a priority lent by `by`, which waits for a lock it holds */
	CAUSE_RT_THROTTLED, /* realtime tasks had used up sched_rt_runtime_us, or ordinary ones had the fair server */
	CAUSE_QUOTA,	    /* the CPU quota of its cgroup was used up */
	CAUSE_DL_BUDGET,    /* its DEADLINE budget was used up */
	CAUSE_AFFINITY,	    /* name ran here, while a CPU that it is not allowed on was idle */
	CAUSE_IDLE,	    /* the CPU left an idle state */
	CAUSE_STEAL,	    /* the hypervisor ran something else */
	CAUSE_SWITCH,	    /* the scheduler itself */
	CAUSE_CORE_SCHED,   /* label only: core scheduling */
	CAUSE_SCHED_EXT,    /* label only: sched_ext */
	/* not known */
	CAUSE_UNEXPLAINED,	    /* no span covers it: a missed event */
	CAUSE_UNEXPLAINED_SNAPSHOT, /* spans of another CPU were being written, or gone from its ring */
	WAKE_CAUSES,
};

/* Counted beside the histograms. */
enum wake_count {
	WAKE_COUNT_WAKEUPS,	  /* samples of LATENCY_WAKING */
	WAKE_COUNT_PREEMPTIONS,	  /* of LATENCY_PREEMPTED */
	WAKE_COUNT_TIMERS,	  /* of LATENCY_TIMER */
	WAKE_COUNT_NEW,		  /* of the wakeups: first runs */
	WAKE_COUNT_RACED,	  /* of the wakeups: woken before they slept */
	WAKE_COUNT_RTLOCK,	  /* of the wakeups: from a lock of PREEMPT_RT */
	WAKE_COUNT_MIGRATED,	  /* of all: moved while waiting */
	WAKE_COUNT_REDUNDANT,	  /* wakings of tasks that waited already */
	WAKE_COUNT_SELF,	  /* wakings of the running task */
	WAKE_COUNT_NO_START,	  /* waits whose start was not seen: in no histogram */
	WAKE_COUNT_FIRST_SIGHT,	  /* tasks running when first seen: likewise */
	WAKE_COUNT_CLOCK,	  /* negative times, taken as 0 */
	WAKE_COUNT_SNAPSHOT,	  /* delays with a part in CAUSE_UNEXPLAINED_SNAPSHOT */
	WAKE_COUNT_MISSED_END,	  /* interrupts and softirqs whose end was missed */
	WAKE_COUNT_ABOVE,	  /* delays at or above the limit of --above or --fail-above */
	WAKE_COUNT_ABOVE_UNTOLD,  /* of them: not printed one by one, the rate limit was reached */
	WAKE_COUNT_GROUP_FULL,	  /* waits of tasks for which --per has no room: only in the sum of all */
	WAKE_COUNT_UNPAIRED_PART, /* causes that found no room in their table: only in the histograms */
	WAKE_COUNTS,
};

/* Which groups have histograms of their own: --per. */
enum wake_per {
	WAKE_PER_NONE,
	WAKE_PER_TASK, /* tid and comm */
	WAKE_PER_COMM,
	WAKE_PER_CPU,
	WAKE_PER_PRIO,
	WAKE_PER_CGROUP, /* its id */
};

struct wake_group_key {
	__u64 id;			/* tid, CPU, priority + 1, cgroup; 0 of comm */
	char comm[KBPFPROF_COMM_BYTES]; /* of tasks and comm, else 0 */
	__u32 kind;			/* enum latency_kind */
	__u32 unused;
};

struct wake_cause_key {
	__u8 cause;	/* enum wake_cause */
	__u8 quarter;	/* hist_quarter() of the delay that it is a part of */
	__u8 preempted; /* the delay is one after a preemption */
	__u8 unused;
	__s32 id;
	char name[KBPFPROF_COMM_BYTES];
};

struct wake_cause_sum {
	__u64 spans, ns;
};

/*
 * The causes of short delays, below 16 us, are not told apart by name: their sums stand in an array by cause, those of
 * longer ones in a table by wake_cause_key.
 */
#define WAKE_SHORT_QUARTERS 44
#define WAKE_ID_ANY	    (-2) /* of a line, vector or softirq that is not told apart */

struct wake_short_sums {
	struct wake_cause_sum of[2][WAKE_SHORT_QUARTERS]; /* after a wakeup and after a preemption */
};

/* Parts of one delay, neighbours of one cause and name joined. */
#define WAKE_PARTS 48

struct wake_part {
	__u8 cause; /* enum wake_cause */
	__u8 unused;
	__s16 prio; /* of the task */
	__s32 id;   /* of a task: its tid */
	char name[KBPFPROF_COMM_BYTES];
	char by[KBPFPROF_COMM_BYTES];
	__u64 spans, ns;
};

struct wake_parts {
	__u32 n, has_more;
	struct wake_part part[WAKE_PARTS];
	__u64 more_ns[WAKE_CAUSES]; /* of has_more: what found no room, by cause alone */
};

#define WAKE_STACK_FRAMES 48

struct wake_stack {
	__u32 frames;
	__u32 unused;
	__u64 frame[WAKE_STACK_FRAMES]; /* leaf first */
};

/* Who woke it, and how things stood; kept from the waking to the switch. */
struct wake_waker {
	__u64 expiry_ns; /* E, on CLOCK_MONOTONIC; 0: no timer */
	__u64 irq_ns;	 /* I: entry of the interrupt that woke it; 0: none */
	__u64 past_ns;	 /* parts of E to W, see enum wake_cause; the rest is the handler */
	__u64 slack_ns;
	__u64 behind_ns;
	__u64 late_ns;
	__u64 steal_ns;	    /* of late_ns */
	__u64 resched_ns;   /* N; 0: not seen */
	__u8 late_cause;    /* CAUSE_TIMER_IRQS_OFF, _IDLE or _SOFTIRQ */
	__u8 context;	    /* enum span_kind: SPAN_TASK, SPAN_SOFTIRQ, SPAN_HARDIRQ, SPAN_VECTOR */
	__u8 preempt_count; /* of the waker, without bits of interrupts; 255: not known */
	__u8 unused;
	__s32 context_id; /* of the softirq, line or vector */
	__u32 tgid, tid;  /* the waker, or whom the interrupt interrupted */
	__u64 task;	  /* its task_struct, while it lives: the name is looked up when it is wanted */
	char comm[KBPFPROF_COMM_BYTES];
	char irq_name[KBPFPROF_COMM_BYTES];    /* SPAN_HARDIRQ */
	char behind_name[KBPFPROF_COMM_BYTES]; /* of the interrupt that held it up; "": a vector or NMI ... */
	__s32 behind_id;		       /* ... then which vector, -1: an NMI; else the line */
	__u32 cpu;			       /* of the waking */
	__u32 unused2;
};

/* What is left of E to W: from the interrupt's entry to the waking, or to `start_ns`. */
static inline __u64 wake_handler_ns(const struct wake_waker *w, __u64 start_ns)
{
	__u64 known_ns = w->past_ns + w->slack_ns + w->behind_ns + w->late_ns + w->steal_ns;

	return spans_gap(w->expiry_ns + known_ns, start_ns);
}

/* A delay in full: one of the worst of a CPU, or one above the limit. */
struct wake_case {
	__u64 total_ns;	 /* of LATENCY_TIMER, else of LATENCY_WAKING or LATENCY_PREEMPTED; 0: the slot is empty */
	__u64 in_ns;	 /* S, CLOCK_MONOTONIC */
	__u32 kind;	 /* enum latency_kind: LATENCY_TIMER, LATENCY_WAKING or LATENCY_PREEMPTED */
	__u32 cpu;	 /* it ran on */
	__u32 tgid, tid; /* the wakee, as the caller sees it */
	__s16 prio, normal_prio;
	__u16 policy;
	__u8 idle_elsewhere; /* a CPU that it may not use was idle */
	__u8 complete;	     /* written to the end */
	__u32 cpus_allowed;  /* how many it may run on */
	__u64 start_ns_boot; /* the wakee's process, to name its frames */
	__u32 exec_id;
	__u32 spans_kept; /* the newest ones of `spans` */
	__u32 head;	  /* of `spans` */
	char comm[KBPFPROF_COMM_BYTES];
	struct wake_task task;	 /* its times and segments */
	struct wake_parts parts; /* of the time in the queue */
	struct wake_waker waker;
	struct wake_stack waker_stack; /* kernel */
	struct wake_stack out_stack;   /* kernel, of the task that ran before it: where that let go */
	struct wake_stack user_stack;  /* of the wakee, where it began to wait */
	struct span spans[SPANS_RING]; /* the ring of `cpu` */
};

#define WAKE_WORST_MAX 16
/* Slots a CPU for delays above the limit: as many can be told in one look of user space. */
#define WAKE_ABOVE_SLOTS 8

/* In .rodata. */
struct wakeup_config {
	__u64 above_ns;	 /* 0: no limit */
	__u32 worst;	 /* cases kept a CPU, up to WAKE_WORST_MAX */
	__u32 self_tgid; /* of the first pid namespace: its tasks are left out */
	__u32 cpus;	 /* possible ids */
	__u32 cpus_online;
	__u8 per;		   /* enum wake_per */
	__u8 causes;		   /* decompose */
	__u8 rt_only;		   /* wakees with a realtime or DEADLINE priority */
	__u8 softirqs_are_threads; /* PREEMPT_RT */
	__u8 task_storage;
	__u8 by_cpu;  /* only waits that end on one of `measured_cpus` */
	__u8 details; /* of few tasks: need_resched, the scheduler's entry, the waker's preempt count */
	__u8 waker_stacks, user_stacks;
	__u8 switch_shift; /* sched_switch has an argument before its tasks (some 5.15 and 5.18-rc) */
};

#if __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(struct span) == 64, "a cache line");
_Static_assert(sizeof(struct wake_cause_key) == 24, "no padding: it is hashed");
_Static_assert(sizeof(struct wake_group_key) == 32, "no padding: it is hashed");
#endif

#endif
