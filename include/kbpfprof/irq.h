/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/irq.bpf.c and src/tools/irq*.c share, and the kinds of work that recordings know as well. Times are ns,
 * moments of CLOCK_MONOTONIC.
 */
#ifndef KBPFPROF_IRQ_H
#define KBPFPROF_IRQ_H

#include "hist.h"
#include "spans.h"
#include "types.h"

/* What is measured. Numbers stay: recordings hold their words (core/irq.h). */
enum irq_kind {
	IRQ_LINE,      /* a hard interrupt's handler; id: the line, what: its irqaction: shared lines are apart */
	IRQ_VECTOR,    /* one without a line; id: enum span_vector */
	IRQ_NMI,       /* all of a CPU: x86's handlers */
	IRQ_SOFTIRQ,   /* id: its number; where an interrupt ends, or softirqs are enabled again */
	IRQ_KSOFTIRQD, /* the same, run by ksoftirqd */
	IRQ_THREAD,    /* a threaded handler; id: the line, what: its irqaction */
	IRQ_WORK,      /* of workqueues; what: address of the function */
	IRQ_TASKLET,   /* what: address of the function */
	IRQ_IPI,       /* id: enum span_vector; waits only */
	IRQ_IRQS_OFF,  /* sections with interrupts off: inferred by a probe timer, or exact */
	IRQ_PREEMPT_OFF,
	IRQ_KINDS,
};

/*
 * Each row has two histograms:
 *   run	how long it took, net of what interrupted it. Threads, works: from the start to the end, sleeping and
 *		preemption included. Sections: how long they were seen to last.
 *   wait	IRQ_LINE, IRQ_VECTOR: from the start of the one before to this one's
 *		softirqs: from the first raise to the start
 *		IRQ_THREAD: from the end of the hard handler to the thread running
 *		IRQ_WORK: from queueing to the start
 *		IRQ_IPI: from sending to the start of the interrupt
 */
enum irq_measure { IRQ_RUN, IRQ_WAIT, IRQ_MEASURES };

/* 16 bytes, no padding: it is hashed. */
struct irq_key {
	__u64 what; /* 0 where `id` says it all */
	__s32 id;
	__u16 cpu;
	__u8 kind; /* enum irq_kind */
	__u8 unused;
};

/*
 * Sources that each CPU has, and that come most often, have their rows in an array: softirqs, the usual vectors, NMIs.
 * Index within those of a CPU; IRQ_FIXED: the row of this one is in the table of all others.
 */
#define IRQ_FIXED_SOFTIRQS 10 /* NR_SOFTIRQS */
#define IRQ_FIXED_VECTORS  5  /* x86: local timer to IRQ work; arm64: the IPIs rescheduling to IRQ work */
#define IRQ_FIXED_NMI	   (2 * IRQ_FIXED_SOFTIRQS + IRQ_FIXED_VECTORS)
#define IRQ_FIXED	   (IRQ_FIXED_NMI + 1)

static inline __u32 irq_fixed(__u8 kind, __s32 id)
{
	__u32 number = (__u32)id;

	if (kind == IRQ_SOFTIRQ && number < IRQ_FIXED_SOFTIRQS)
		return number;
	if (kind == IRQ_KSOFTIRQD && number < IRQ_FIXED_SOFTIRQS)
		return IRQ_FIXED_SOFTIRQS + number;
	if (kind == IRQ_VECTOR && number >= VECTOR_IPIS)
		number -= VECTOR_IPIS;
	if (kind == IRQ_VECTOR && number < IRQ_FIXED_VECTORS)
		return 2 * IRQ_FIXED_SOFTIRQS + number;
	return kind == IRQ_NMI ? IRQ_FIXED_NMI : IRQ_FIXED;
}

enum irq_context { IRQ_IN_TASK, IRQ_IN_SOFTIRQ, IRQ_IN_HARDIRQ, IRQ_CONTEXTS };

#define IRQ_NAME_BYTES 32

/* Of one source on one CPU; written on that CPU only. What is touched at each event lies first. */
struct irq_row {
	__u64 gross_ns;			/* sum, with what interrupted it */
	__u64 last_ns;			/* start of the last one */
	__u64 second_ns;		/* start of the second that is counted: for rates and storms */
	__u32 second_count;		/* events in it so far */
	__u32 peak_count;		/* most in one second */
	__u64 peak_ns;			/* start of that second */
	__u64 storms;			/* seconds with at least config.storm_count */
	__u64 no_start;			/* events whose `wait` is not known: its beginning was not seen */
	__u64 joined;			/* requests while one waited already: raises, wakeups of the thread, IPIs */
	__u64 longest_ns[IRQ_MEASURES]; /* when the longest one ended */
	__u64 by[IRQ_CONTEXTS];		/* softirqs: raised in which context */
	struct hist of[IRQ_MEASURES];
	char name[IRQ_NAME_BYTES]; /* of a line's action, cut; else "" */
};

/* Counted beside the rows. */
enum irq_count {
	IRQ_COUNT_MISSED_END,	/* interrupts and softirqs whose end was not seen */
	IRQ_COUNT_NO_ENTRY,	/* ... whose beginning was not seen: they ran when measuring began */
	IRQ_COUNT_CLOCK,	/* negative times, taken as 0 */
	IRQ_COUNT_OPEN_FULL,	/* threads, softirqs of tasks or works that found no room among those under way */
	IRQ_COUNT_SENDER_FULL,	/* IPIs whose sender found no room */
	IRQ_COUNT_PLACE_FULL,	/* sections whose place found no room */
	IRQ_COUNT_BEHIND_FULL,	/* waits of threads whose cause found no room */
	IRQ_COUNT_ABOVE,	/* cases of --above */
	IRQ_COUNT_ABOVE_UNTOLD, /* of them: not told one by one, user space was not fast enough */
	IRQ_COUNTS,
};

/* Cases kept in full: the longest of each CPU and list. A list is written in one context only, so its slots need no
 * lock. */
enum irq_list {
	IRQ_WORST_HARD,	   /* handlers of hard interrupts, gross */
	IRQ_WORST_SOFT,	   /* softirqs and tasklets, gross */
	IRQ_WORST_RAISED,  /* softirqs: from the raise to the start */
	IRQ_WORST_THREADS, /* waits of threaded handlers */
	IRQ_WORST_WORKS,   /* waits of works */
	IRQ_WORST_IPIS,
	IRQ_WORST_OFF, /* sections */
	IRQ_LISTS,
};

#define IRQ_WORST_MAX	 16
#define IRQ_ABOVE_SLOTS	 8  /* a CPU */
#define IRQ_CASE_SPANS	 16 /* what ran on the CPU before its end */
#define IRQ_STACK_FRAMES 32

struct irq_task {
	__u32 tgid, tid;
	__s16 prio; /* the kernel's, see struct span */
	__u8 unused[6];
	char comm[KBPFPROF_COMM_BYTES];
};

struct irq_case {
	__u64 total_ns; /* gross run, or wait; 0: the slot is empty */
	__u64 net_ns;	/* of a run */
	__u64 end_ns;	/* the moment it ended */
	struct irq_key of;
	char name[IRQ_NAME_BYTES];
	__u8 list;     /* enum irq_list */
	__u8 measure;  /* enum irq_measure */
	__u8 complete; /* written to the end */
	__u8 by;       /* of a softirq's wait: enum irq_context of the raise ... */
	__s32 by_id;   /* ... number of the interrupt or softirq that raised it, with by_kind */
	__u8 by_kind;  /* enum span_kind; SPAN_NONE: not known */
	__u8 unused[3];
	__u32 runnable;		 /* tasks that wanted this CPU when it ended, the running one included; 0: not known */
	struct irq_task task;	 /* that it interrupted; of a wait: that had the CPU before, or that raised it */
	struct irq_task delayed; /* that was waiting for the CPU when it ended; tid 0: none, or not known */
	__u32 spans_kept;	 /* of spans, newest first */
	__u32 frames;		 /* of stack, leaf first; kernel */
	__u64 stack[IRQ_STACK_FRAMES];
	struct span spans[IRQ_CASE_SPANS];
};

/* Of a threaded handler, by tid. */
struct irq_thread {
	__u64 what;	/* its irqaction */
	__u64 woken_ns; /* end of the hard handler that wakes it; 0: none does */
	__u64 start_ns; /* it runs since then, preempted or not; 0: it sleeps */
	__u64 joined;	/* hard handlers that ended while it was woken, or ran */
	__s32 id;
	__u32 unused;
	char name[IRQ_NAME_BYTES];
};

/* For whom a thread waited: the task that ran on its CPU until it was switched in. */
struct irq_behind_key {
	__u64 what; /* of IRQ_THREAD's key */
	__s32 id;
	__u32 prio_class; /* 0: better priority, 1: same, 2: worse: it could not be preempted */
	char comm[KBPFPROF_COMM_BYTES];
};

struct irq_sum {
	__u64 count, ns, max_ns;
};

/* Who sends IPIs. */
struct irq_sender_key {
	__u64 callsite;			/* address in the kernel; 0: not told (arm64) */
	__s32 vector;			/* enum span_vector */
	__u32 in_context;		/* enum irq_context */
	char comm[KBPFPROF_COMM_BYTES]; /* of the running task, if in_context is IRQ_IN_TASK */
	__u64 stack[IRQ_STACK_FRAMES];	/* --stacks; else 0 */
};

/* Where sections with interrupts or preemption off ended: kernel addresses, leaf first, 0 at the end. */
#define IRQ_PLACE_FRAMES 12
struct irq_place_key {
	__u32 kind; /* IRQ_IRQS_OFF or IRQ_PREEMPT_OFF */
	__u32 is_exact;
	__u64 stack[IRQ_PLACE_FRAMES];
};

/* In .rodata. */
struct irq_config {
	__u64 above_ns;		   /* 0: no limit */
	__u64 probe_ns;		   /* --off: period of the probe timer */
	__u64 off_least_ns;	   /* --off: lateness below counts as none */
	__u32 storm_count;	   /* --storms: events a second; 0: not asked for */
	__u32 worst;		   /* cases kept a CPU and list, up to IRQ_WORST_MAX */
	__u32 cpus;		   /* possible ids */
	__u8 by_cpu;		   /* only events on `measured_cpus` */
	__u8 by_line;		   /* only lines of `wanted` (by number) or whose name is there */
	__u8 softirqs_are_threads; /* PREEMPT_RT: they are preempted like tasks */
	__u8 threads;		   /* threaded handlers are followed */
	__u8 stacks;		   /* of senders */
	__u8 switch_shift;	   /* sched_switch has an argument before its tasks */
	__u8 unused;
	__u32 softirqs; /* bits: those wanted */
	__u32 vectors;	/* bits: enum span_vector, those wanted */
};

#if __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(struct irq_key) == 16, "no padding: it is hashed");
_Static_assert(sizeof(struct irq_behind_key) == 32, "no padding: it is hashed");
_Static_assert(sizeof(struct irq_sender_key) == 32 + 8 * IRQ_STACK_FRAMES, "no padding: it is hashed");
#endif

#endif
