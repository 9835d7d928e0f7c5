/* SPDX-License-Identifier: GPL-2.0-only */
/* Hard interrupts, by line and action or by vector, and NMIs: how long they run, and how far they are apart. */
#ifndef IRQ_HARD_BPF_H
#define IRQ_HARD_BPF_H

#include "irq_cases.bpf.h"
#include "irq_ipi.bpf.h"
#include "irq_threads.bpf.h"

/* --irq: lines, by number. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} wanted_lines SEC(".maps");

static __always_inline bool line_is_wanted(__u32 irq)
{
	return !config.by_line || bpf_map_lookup_elem(&wanted_lines, &irq);
}

/* The span of a hard interrupt, which has just ended. */
static __always_inline void hard_count(void *ctx, struct irq_cpu *cpu, const struct span *span,
				       const struct irq_key *key, const char *name)
{
	struct irq_event e = { .of = *key, .measure = IRQ_RUN, .name = name };
	struct irq_row *row = irq_row_of(key, name);

	if (!row)
		return;
	if (row->last_ns)
		irq_row_wait(row, spans_gap(row->last_ns, span->start_ns), span->start_ns);
	row->last_ns = span->start_ns;
	irq_row_run(row, span->start_ns, span->end_ns, span->net_ns);
	e.total_ns = span->end_ns - span->start_ns;
	e.net_ns = span->net_ns;
	e.end_ns = span->end_ns;
	irq_case_offer(ctx, cpu, &e, IRQ_WORST_HARD, IRQ_IN_HARDIRQ);
}

/* The end of a span, or NULL, that is counted unless its beginning or end was missed. */
static __always_inline bool hard_is_whole(const struct span *span)
{
	if (!span)
		irq_count(IRQ_COUNT_NO_ENTRY);
	return span && span->kind != SPAN_UNKNOWN;
}

SEC("raw_tp/irq_handler_entry")
int BPF_PROG(on_irq_entry, int irq)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);

	if (!cpu)
		return 0;
	if (core_in_nmi())
		cpu->nmi_ns = bpf_ktime_get_ns();
	else
		spans_irq_enter(&cpu->spans, SPAN_HARDIRQ, irq);
	return 0;
}

/* arm64: an NMI that has a line. */
static __always_inline void nmi_line_end(struct irq_cpu *cpu)
{
	if (cpu->nmi_ns) /* else it began before we were there */
		spans_nmi(&cpu->spans, spans_gap(cpu->nmi_ns, bpf_ktime_get_ns()));
	cpu->nmi_ns = 0;
}

SEC("raw_tp/irq_handler_exit")
int BPF_PROG(on_irq_exit, int irq, struct irqaction *action, int ret)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);
	struct irq_key key = { .id = irq };
	struct span *span;

	if (!cpu)
		return 0;
	if (core_in_nmi()) {
		nmi_line_end(cpu);
		return 0;
	}
	key.cpu = (__u16)cpu_id;
	span = spans_irq_exit(&cpu->spans, SPAN_HARDIRQ, irq);
	if (!hard_is_whole(span))
		return 0;
	if (span->kind == SPAN_VECTOR) { /* an IPI of arm64 */
		key.kind = IRQ_VECTOR;
		key.id = span->id;
		if (config.vectors >> (key.id & 31) & 1)
			hard_count(ctx, cpu, span, &key, NULL);
		return 0;
	}
	if (!line_is_wanted((__u32)irq))
		return 0;
	key.kind = IRQ_LINE;
	key.what = (__u64)action;
	hard_count(ctx, cpu, span, &key, core_read(action, name));
	if (config.threads && ret == IRQ_WAKE_THREAD)
		thread_woken(irq, action, span->end_ns);
	return 0;
}

SEC("raw_tp/ipi_entry")
int BPF_PROG(on_ipi_entry, const char *reason)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);
	struct span_open *open;
	__s32 ipi;

	if (!cpu || core_in_nmi())
		return 0;
	open = &cpu->spans.open[LEVEL_HARDIRQ];
	ipi = spans_ipi(reason);
	if (open->kind != SPAN_HARDIRQ || ipi < 0)
		return 0;
	spans_enter_ipi(open, ipi);
	irq_ipi_arrived(ctx, cpu, cpu_id, ipi, open->start_ns);
	return 0;
}

/* Of all tracepoints irq_vectors:*_entry: they do not interrupt each other. */
SEC("raw_tp")
int on_vector_entry(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);
	struct span_open *open;

	if (!cpu)
		return 0;
	open = spans_irq_enter(&cpu->spans, SPAN_VECTOR, spans_vector(ctx->args[0]));
	irq_ipi_arrived(ctx, cpu, cpu_id, open->id, open->start_ns);
	return 0;
}

SEC("raw_tp")
int on_vector_exit(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);
	struct irq_key key = { .kind = IRQ_VECTOR };
	struct span *span;

	if (!cpu)
		return 0;
	key.id = spans_vector(ctx->args[0]);
	key.cpu = (__u16)cpu_id;
	span = spans_irq_exit(&cpu->spans, SPAN_VECTOR, key.id);
	if (hard_is_whole(span) && config.vectors >> key.id & 1)
		hard_count(ctx, cpu, span, &key, NULL);
	return 0;
}

/* x86: told after the fact, for each handler. */
SEC("raw_tp/nmi_handler")
int BPF_PROG(on_nmi, void *handler, __s64 ns)
{
	__u32 cpu_id;
	struct irq_cpu *cpu = irq_cpu_here(&cpu_id);
	struct irq_key key = { .kind = IRQ_NMI };
	struct irq_row *row;
	__u64 now_ns;

	if (!cpu || ns < 0)
		return 0;
	spans_nmi(&cpu->spans, (__u64)ns);
	key.cpu = (__u16)cpu_id;
	row = irq_row_of(&key, NULL);
	if (!row)
		return 0;
	now_ns = bpf_ktime_get_ns();
	irq_row_run(row, now_ns - (__u64)ns, now_ns, (__u64)ns);
	return 0;
}

#endif
