/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ran on a CPU: a ring of spans, each the time of one task, softirq or interrupt, net of what
 * interrupted it. A span is written when it ends, so the ring is sorted by end; because spans nest
 * or follow each other, their net times fill every moment once, and a stretch of time is explained by
 * the spans that end in it or reach out of it. Nothing is copied at the start of a wait, hence
 * nothing can be torn: the reader is the CPU itself, when the wait is over.
 *
 * Pure C: bpf/wakeup.bpf.c, user space and the unit tests run the same lines. Times are ns of CLOCK_MONOTONIC.
 */
#ifndef KBPFPROF_SPANS_H
#define KBPFPROF_SPANS_H

#include "types.h"

#define SPANS_RING 256 /* a power of two */

enum span_kind {
	SPAN_NONE,
	SPAN_TASK,    /* id: tid */
	SPAN_IDLE,    /* the idle task */
	SPAN_SWITCH,  /* from the entry of the scheduler to the switch; known where sched_entry_tp exists (6.15) */
	SPAN_SOFTIRQ, /* id: its number, enum of include/linux/interrupt.h */
	SPAN_HARDIRQ, /* id: number of the line */
	SPAN_VECTOR,  /* id: enum span_vector */
	SPAN_NMI,     /* id: 0 */
	SPAN_UNKNOWN, /* an interrupt's or softirq's end was missed: when it ended is not known */
};

/* Interrupts that /proc/interrupts lists by name: of x86 (tracepoints irq_vectors:*), and IPIs of arm64 (ipi_entry). */
enum span_vector {
	VECTOR_LOCAL_TIMER,
	VECTOR_RESCHEDULE,
	VECTOR_CALL_FUNCTION,
	VECTOR_CALL_FUNCTION_SINGLE,
	VECTOR_IRQ_WORK,
	VECTOR_PLATFORM_IPI,
	VECTOR_THERMAL,
	VECTOR_THRESHOLD,
	VECTOR_ERROR,
	VECTOR_SPURIOUS,
	VECTOR_IPI_RESCHEDULE,
	VECTOR_IPI_CALL_FUNCTION,
	VECTOR_IPI_TIMER,
	VECTOR_IPI_IRQ_WORK,
	VECTOR_IPI_WAKEUP, /* until 6.11 */
	VECTOR_IPI_STOP,
	SPAN_VECTORS,
	VECTOR_IPIS = VECTOR_IPI_RESCHEDULE, /* the first */
};

enum span_flags {
	SPAN_BOOSTED = 1 << 0,	    /* ran at a priority that a waiter lent it: `by` */
	SPAN_RT_THROTTLED = 1 << 1, /* meanwhile the CPU's realtime tasks were throttled */
	SPAN_FAIR_SERVER = 1 << 2,  /* ran on the budget kept for ordinary tasks (6.8) */
	SPAN_KERNEL = 1 << 3,	    /* a kernel thread */
};

/* 64 bytes: one cache line. */
struct span {
	__u64 start_ns, end_ns;
	__u64 net_ns; /* without what interrupted it */
	__s32 id;
	__s16 prio; /* of tasks, the kernel's: -1 DEADLINE, 0-98 FIFO and RR 99-1, 100-139 nice -20 to 19, 140 idle */
	__u8 kind;  /* enum span_kind */
	__u8 flags; /* enum span_flags */
	char name[KBPFPROF_COMM_BYTES]; /* comm; of a line: its handler's name, cut */
	char by[KBPFPROF_COMM_BYTES];	/* SPAN_BOOSTED: comm of the waiter */
};

enum span_level {
	LEVEL_TASK,
	LEVEL_SOFTIRQ,
	LEVEL_HARDIRQ,
	LEVELS,
};

/* A span that has not ended. */
struct span_open {
	__u64 start_ns;
	__u64 inner_ns; /* spans_cpu.inner_ns of its level at the start */
	__s32 id;
	__u8 kind;   /* SPAN_NONE: none is open */
	__u8 inside; /* the level that it interrupted */
	__u8 unused[2];
	char name[KBPFPROF_COMM_BYTES];
};

/*
 * Of one CPU; written on that CPU only. Tracepoints of tasks come with interrupts off; those of softirqs do not, so
 * an interrupt's may run in the middle of them, and only of them.
 */
struct spans_cpu {
	__u64 inner_ns[LEVELS]; /* per level: all time so far that interrupts took from it; only grows */
	__u32 head;		/* spans written so far; the next one goes to head % SPANS_RING */
	__u32 reserved;		/* a softirq's span is being written at `head` ... */
	__u32 meanwhile;	/* ... and interrupts put so many behind it */
	__u32 interrupts;	/* entries and exits so far: tells a softirq's program that it was interrupted */
	struct span_open open[LEVELS];
	struct span ring[SPANS_RING];
};

static inline struct span *spans_slot(struct spans_cpu *cpu, __u32 index)
{
	return &cpu->ring[index & (SPANS_RING - 1)];
}

/* Where an interrupt or a switch writes. spans_publish() is due once it is written. */
static inline struct span *spans_next(struct spans_cpu *cpu)
{
	return spans_slot(cpu, cpu->head + (cpu->reserved ? 1 + cpu->meanwhile : 0));
}

static inline void spans_publish(struct spans_cpu *cpu)
{
	if (cpu->reserved)
		cpu->meanwhile++;
	else
		cpu->head++;
}

static inline __u64 spans_gap(__u64 from_ns, __u64 to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/*
 * Ends the open span of `level` at `now_ns` in `to`; inner_ns is what was in spans_cpu.inner_ns[level] at that
 * moment. `kind` replaces its own, if not SPAN_NONE. Returns its gross time, which the level it interrupted
 * has lost: the caller adds it to inner_ns[open->inside] by an atomic.
 */
static inline __u64 spans_close(struct spans_cpu *cpu, __u32 level, struct span *to, __u64 now_ns, __u64 inner_ns,
				__u8 kind)
{
	struct span_open *open = &cpu->open[level];
	__u64 gross_ns = spans_gap(open->start_ns, now_ns);

	to->start_ns = open->start_ns;
	to->end_ns = now_ns;
	to->net_ns = spans_gap(inner_ns - open->inner_ns, gross_ns);
	to->id = open->id;
	to->prio = 0;
	to->kind = kind ? kind : open->kind;
	to->flags = 0;
	__builtin_memcpy(to->name, open->name, sizeof(to->name));
	__builtin_memset(to->by, 0, sizeof(to->by));
	open->kind = SPAN_NONE;
	return gross_ns;
}

/* Begins a span; the caller has seen to it that none is open at this level. */
static inline void spans_enter(struct spans_cpu *cpu, __u32 level, __u8 kind, __s32 id, __u64 now_ns)
{
	struct span_open *open = &cpu->open[level];

	open->start_ns = now_ns;
	open->inner_ns = cpu->inner_ns[level];
	open->id = id;
	open->inside = level == LEVEL_HARDIRQ && cpu->open[LEVEL_SOFTIRQ].kind ? LEVEL_SOFTIRQ : LEVEL_TASK;
	asm volatile("" : : : "memory"); /* last: from here on interrupts take it for running */
	open->kind = kind;
}

/*
 * Every IPI of arm64 is a line of its own, but all are called "IPI": which one it is turns out inside of its handler,
 * when the span of the line is open.
 */
static inline void spans_enter_ipi(struct span_open *open, __s32 ipi)
{
	open->kind = SPAN_VECTOR;
	open->id = ipi;
	__builtin_memset(open->name, 0, sizeof(open->name));
}

/* Is this the end of that span? */
static inline int spans_is_end(const struct span_open *open, __u8 kind, __s32 id)
{
	if (open->kind == SPAN_VECTOR && open->id >= VECTOR_IPIS)
		return kind == SPAN_HARDIRQ;
	return open->kind == kind && open->id == id;
}

/*
 * How many of the newest spans before `head` end after *from_ns. SPANS_RING: the ring does not reach back so far,
 * and *from_ns becomes the end of its oldest span: what was before may have been a span's that is gone.
 */
static inline __u32 spans_since(struct spans_cpu *cpu, __u32 head, __u64 *from_ns)
{
	__u32 n;

	for (n = 0; n < SPANS_RING; n++)
		if (spans_slot(cpu, head - 1 - n)->end_ns <= *from_ns)
			return n;
	*from_ns = spans_slot(cpu, head)->end_ns;
	return SPANS_RING;
}

/*
 * How much of a span lies in the window from `from_ns` to `to_ns`, given that the spans of the ring that
 * ended in the window before it took *used_ns of it. To be called for each in the order of the ring, from
 * the first that ends after `from_ns`. A span that was running when the window began had all of the
 * window up to its end, but for what others took meanwhile. Adds its part to *used_ns.
 */
static inline __u64 spans_part_ns(const struct span *s, __u64 from_ns, __u64 to_ns, __u64 *used_ns)
{
	__u64 end_ns = s->end_ns < to_ns ? s->end_ns : to_ns, left_ns = spans_gap(*used_ns, to_ns - from_ns), part_ns;

	if (s->end_ns <= from_ns || s->start_ns >= to_ns)
		return 0;
	if (s->start_ns <= from_ns)
		part_ns = spans_gap(from_ns + *used_ns, end_ns);
	else if (s->end_ns > to_ns) /* it goes on, and interrupts of it are in the window as well: an upper bound */
		part_ns = s->net_ns < to_ns - s->start_ns ? s->net_ns : to_ns - s->start_ns;
	else
		part_ns = s->net_ns;
	if (part_ns > left_ns)
		part_ns = left_ns;
	*used_ns += part_ns;
	return part_ns;
}

#endif
