/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where interrupts or preemption were off, seen by a timer: it is due at a known moment, and an interrupt that came
 * later had to wait. What kept it waiting is part known (other interrupts, the hypervisor), part the way from any timer
 * to us, which is the same each time; the rest is the end of a section with interrupts off.
 *
 * Pure C: bpf/irq_off.bpf.h, user space and the unit tests run the same lines. Times are ns of CLOCK_MONOTONIC.
 */
#ifndef KBPFPROF_OFF_H
#define KBPFPROF_OFF_H

#include "spans.h"
#include "types.h"

/* Of a walk over interrupts from the newest on; in memory, see off_hard_ns(). */
struct off_walk {
	__u64 from_ns;	 /* what ended by then does not count */
	__u64 before_ns; /* all behind it is added up: the ring of spans is sorted by end */
	__u64 sum_ns;
};

/* Of one CPU; written on that CPU only. */
struct off_cpu {
	__u64 fires;	     /* of the probe */
	__u64 preempt_fires; /* of them: where it interrupted kernel code that had preemption off */
	__u64 least_ns;	     /* that a late fire was late */
	__u64 usual_ns;	     /* nine of ten fires in user code were late by less */
	__u64 steal_ns;	     /* the hypervisor's, as it was at the last fire */
	__u64 rq;	     /* address of the CPU's run queue */
	__u64 irqs_ns;	     /* where the kernel tells of each section: when the one that goes on began; 0: none does */
	__u64 preempt_ns;    /* likewise */
	struct off_walk walk[2]; /* of programs about interrupts, and about preemption: one may interrupt the other */
	__u8 own_depth; /* what the probe itself adds to the preempt count: seen where it interrupted user code */
	__u8 unused[7];
};

/* What is left of a lateness, by known causes. */
static inline __u64 off_rest_ns(__u64 late_ns, __u64 hard_ns, __u64 steal_ns)
{
	return spans_gap(hard_ns + steal_ns, late_ns);
}

/*
 * Moves usual_ns to where nine of ten fires are not above it, by small steps: nine up where one is, one down where
 * it is not.
 */
static inline void off_learn(struct off_cpu *cpu, __u64 late_ns)
{
	__u64 step_ns = (cpu->usual_ns >> 9) + 4;

	if (late_ns > cpu->usual_ns)
		cpu->usual_ns += 9 * step_ns;
	else
		cpu->usual_ns = spans_gap(step_ns, cpu->usual_ns);
}

/*
 * What is left of a lateness that no cause is known of, without what is usual on this CPU: the way from any timer to
 * us and, in virtual machines, what the hypervisor takes for it. In user code interrupts are always on, so that shows
 * it; before any fire found the CPU there, the least of all fires does. A section is so at least as long.
 */
static inline __u64 off_section_ns(struct off_cpu *cpu, __u64 late_ns, int in_user)
{
	if (late_ns && (!cpu->least_ns || late_ns < cpu->least_ns))
		cpu->least_ns = late_ns;
	if (in_user)
		off_learn(cpu, late_ns);
	return spans_gap(cpu->usual_ns > cpu->least_ns ? cpu->usual_ns : cpu->least_ns, late_ns);
}

/* Interrupts that are looked at: in the time of one period there are not so many. */
#define OFF_SPANS 64

static inline int off_is_hard(const struct span *s)
{
	return s->kind == SPAN_HARDIRQ || s->kind == SPAN_VECTOR || s->kind == SPAN_NMI || s->kind == SPAN_UNKNOWN;
}

/* Adds the part of a span that is not added yet. */
static inline void off_walk_span(struct off_walk *w, const struct span *s)
{
	__u64 end_ns = s->end_ns < w->before_ns ? s->end_ns : w->before_ns;
	__u64 start_ns = s->start_ns > w->from_ns ? s->start_ns : w->from_ns;

	if (start_ns >= end_ns)
		return;
	w->sum_ns += end_ns - start_ns;
	w->before_ns = start_ns;
}

/*
 * How much of the time from `from_ns` to `to_ns` hard interrupts and NMIs had, each moment once: they keep others
 * waiting, but have a place of their own. An interrupt whose end was missed had all of its time.
 */
static inline __u64 off_hard_ns(struct off_walk *w, struct spans_cpu *spans, __u64 from_ns, __u64 to_ns)
{
	w->from_ns = from_ns;
	w->before_ns = to_ns;
	w->sum_ns = 0;
	for (__u32 i = 1; i <= OFF_SPANS; i++) {
		/* A softirq's slot that is being written is not looked at. */
		__u32 behind = spans->reserved ? 1 + spans->meanwhile : 0;
		const struct span *s = spans_slot(spans, spans->head + behind - i);

		asm volatile("" : : : "memory"); /* from memory each time: else the verifier has no end */
		if (i == behind)
			continue;
		if (s->end_ns <= w->from_ns)
			break;
		if (off_is_hard(s))
			off_walk_span(w, s);
	}
	return w->sum_ns;
}

/*
 * Bits of the preempt count, include/linux/preempt.h; unchanged since 4.x. Of softirqs the lowest is set where one
 * runs, the others where they are disabled.
 */
#define OFF_PREEMPT_BITS 0xffU
#define OFF_SOFTIRQ_RUNS 0x100U
#define OFF_SOFTIRQ_BITS 0xff00U
#define OFF_HARDIRQ_ONE	 0x10000U
#define OFF_HARDIRQ_BITS 0xf0000U
#define OFF_NMI_BITS	 0xf00000U

/*
 * Had the kernel code that an interrupt found preemption off, by the count in that interrupt? Softirqs and interrupts
 * keep it off as well: they are told apart, as such.
 */
static inline int off_preemption(__u32 count, __u8 own_depth)
{
	if ((count & OFF_NMI_BITS) || (count & OFF_HARDIRQ_BITS) > OFF_HARDIRQ_ONE || (count & OFF_SOFTIRQ_RUNS))
		return 0;
	return (count & OFF_PREEMPT_BITS) > own_depth || (count & OFF_SOFTIRQ_BITS);
}

/* A section begins, unless one goes on. */
static inline void off_section_begin(__u64 *since_ns, __u64 now_ns)
{
	if (!*since_ns)
		*since_ns = now_ns;
}

/* It ends: when it began; 0: that was not seen, or is not wanted. */
static inline __u64 off_section_end(__u64 *since_ns)
{
	__u64 start_ns = *since_ns;

	*since_ns = 0;
	return start_ns;
}

#endif
