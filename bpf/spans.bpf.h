/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts and softirqs of a CPU as spans (include/kbpfprof/spans.h), whatever tool they are for. Each end returns
 * the span that was written, in the ring: it stays there until SPANS_RING others have been.
 */
#ifndef SPANS_BPF_H
#define SPANS_BPF_H

#include "kbpfprof/spans.h"
#include <bpf/bpf_helpers.h>

/* The end of an interrupt or softirq was missed: the tool counts it. */
static __always_inline void spans_count_missed(void);

/* Gives time that an interrupt took back to the level that it interrupted. */
static __always_inline void spans_give_back(struct spans_cpu *spans, __u32 level, __u64 gross_ns)
{
	if (level < LEVELS) /* for the verifier */
		__sync_fetch_and_add(&spans->inner_ns[level], gross_ns);
}

/* --- Hard interrupts: nothing of ours interrupts these but NMIs. */

static __always_inline struct span *spans_irq_end(struct spans_cpu *spans, __u64 now_ns, __u8 kind)
{
	__u32 inside = spans->open[LEVEL_HARDIRQ].inside;
	struct span *span = spans_next(spans);
	__u64 gross_ns = spans_close(spans, LEVEL_HARDIRQ, span, now_ns, spans->inner_ns[LEVEL_HARDIRQ], kind);

	if (kind == SPAN_UNKNOWN)
		spans_count_missed();
	spans_publish(spans);
	spans_give_back(spans, inside, gross_ns);
	return span;
}

/* The name is the caller's to fill, else it is "". */
static __always_inline struct span_open *spans_irq_enter(struct spans_cpu *spans, __u8 kind, __s32 id)
{
	__u64 now_ns = bpf_ktime_get_ns();
	struct span_open *open = &spans->open[LEVEL_HARDIRQ];

	if (open->kind) /* its exit was missed */
		spans_irq_end(spans, now_ns, SPAN_UNKNOWN);
	spans_enter(spans, LEVEL_HARDIRQ, kind, id, now_ns);
	__builtin_memset(open->name, 0, sizeof(open->name));
	spans->interrupts++;
	return open;
}

/* NULL: its entry was before we were there. SPAN_UNKNOWN: this is the end of another one than the last that began. */
static __always_inline struct span *spans_irq_exit(struct spans_cpu *spans, __u8 kind, __s32 id)
{
	struct span_open *open = &spans->open[LEVEL_HARDIRQ];
	struct span *span;

	if (!open->kind)
		return NULL;
	span = spans_irq_end(spans, bpf_ktime_get_ns(), spans_is_end(open, kind, id) ? SPAN_NONE : SPAN_UNKNOWN);
	spans->interrupts++;
	return span;
}

/* --- Softirqs: hard interrupts may come at any point of these two. */

#define SPANS_TRIES 3

/* What time it is, and how much interrupts have taken from `level` by then. */
static __always_inline __u64 spans_moment(struct spans_cpu *spans, __u32 level, __u64 *inner_ns)
{
	__u32 interrupts;
	__u64 now_ns;

#pragma unroll
	for (int i = 0; i < SPANS_TRIES; i++) {
		interrupts = spans->interrupts;
		barrier();
		now_ns = bpf_ktime_get_ns();
		*inner_ns = spans->inner_ns[level];
		barrier();
		if (interrupts == *(volatile __u32 *)&spans->interrupts)
			break;
	}
	return now_ns;
}

static __always_inline struct span *spans_softirq_end(struct spans_cpu *spans, __u8 kind)
{
	__u64 inner_ns, late_ns, now_ns = spans_moment(spans, LEVEL_SOFTIRQ, &inner_ns), gross_ns;
	struct span *span;

	if (kind == SPAN_UNKNOWN)
		spans_count_missed();
	spans->meanwhile = 0;
	barrier();
	spans->reserved = 1;
	barrier();
	span = spans_slot(spans, spans->head);
	gross_ns = spans_close(spans, LEVEL_SOFTIRQ, span, now_ns, inner_ns, kind);
	barrier();
	late_ns = spans->inner_ns[LEVEL_SOFTIRQ] - inner_ns; /* of interrupts that took it for running after that */
	spans_give_back(spans, LEVEL_TASK, gross_ns + late_ns);
	barrier();
	spans->head += 1 + spans->meanwhile;
	barrier();
	spans->reserved = 0; /* the span of an interrupt between these two is lost: no one is charged with its time */
	return span;
}

static __always_inline void spans_softirq_enter(struct spans_cpu *spans, __s32 id)
{
	__u64 inner_ns, now_ns;

	if (spans->open[LEVEL_HARDIRQ].kind) /* its exit was missed */
		spans_irq_end(spans, bpf_ktime_get_ns(), SPAN_UNKNOWN);
	if (spans->open[LEVEL_SOFTIRQ].kind)
		spans_softirq_end(spans, SPAN_UNKNOWN);
	now_ns = spans_moment(spans, LEVEL_TASK, &inner_ns);
	spans_enter(spans, LEVEL_SOFTIRQ, SPAN_SOFTIRQ, id, now_ns);
	barrier();
	/* Interrupts that did not see it yet took their time from the task: it began behind them. */
	spans->open[LEVEL_SOFTIRQ].start_ns += spans->inner_ns[LEVEL_TASK] - inner_ns;
}

/* As spans_irq_exit(). */
static __always_inline struct span *spans_softirq_exit(struct spans_cpu *spans, __s32 id)
{
	struct span_open *open = &spans->open[LEVEL_SOFTIRQ];

	if (!open->kind)
		return NULL;
	return spans_softirq_end(spans, open->id == id ? SPAN_NONE : SPAN_UNKNOWN);
}

/* --- NMIs: told when they are over; their programs may have interrupted any other one of this CPU. */

static __always_inline void spans_nmi(struct spans_cpu *spans, __u64 ns)
{
	struct span *span = spans_next(spans);
	__u32 level = spans->open[LEVEL_HARDIRQ].kind	? LEVEL_HARDIRQ
		      : spans->open[LEVEL_SOFTIRQ].kind ? LEVEL_SOFTIRQ
							: LEVEL_TASK;

	__builtin_memset(span, 0, sizeof(*span));
	span->end_ns = bpf_ktime_get_ns();
	span->start_ns = span->end_ns - ns;
	span->net_ns = ns;
	span->kind = SPAN_NMI;
	spans_publish(spans);
	spans_give_back(spans, level, ns);
}

/* --- Which interrupt it is */

/* By arm64's ipi_types[] of arch/arm64/kernel/smp.c, which /proc/interrupts prints as well; -1: another one. */
static __always_inline __s32 spans_ipi(const void *reason)
{
	char text[8] = "";

	bpf_probe_read_kernel(text, sizeof(text), reason);
	switch (text[0]) {
	case 'R': /* Rescheduling interrupts */
		return VECTOR_IPI_RESCHEDULE;
	case 'F': /* Function call interrupts */
		return VECTOR_IPI_CALL_FUNCTION;
	case 'T': /* Timer broadcast interrupts */
		return VECTOR_IPI_TIMER;
	case 'I': /* IRQ work interrupts */
		return VECTOR_IPI_IRQ_WORK;
	default: /* CPU wake-up interrupts, CPU stop interrupts and others of that kind */
		return text[4] == 'w' ? VECTOR_IPI_WAKEUP : text[4] == 's' ? VECTOR_IPI_STOP : -1;
	}
}

/* Numbers of x86's arch/x86/include/asm/irq_vectors.h; unchanged since 4.x. */
static __always_inline __s32 spans_vector(__u64 number)
{
	switch ((__u8)number) {
	case 0xec:
		return VECTOR_LOCAL_TIMER;
	case 0xfd:
		return VECTOR_RESCHEDULE;
	case 0xfc:
		return VECTOR_CALL_FUNCTION;
	case 0xfb:
		return VECTOR_CALL_FUNCTION_SINGLE;
	case 0xf6:
		return VECTOR_IRQ_WORK;
	case 0xf7:
		return VECTOR_PLATFORM_IPI;
	case 0xfa:
		return VECTOR_THERMAL;
	case 0xf9:
		return VECTOR_THRESHOLD;
	case 0xfe:
		return VECTOR_ERROR;
	default:
		return VECTOR_SPURIOUS;
	}
}

#endif
