/* SPDX-License-Identifier: GPL-2.0-only */
/* A CPU that tells include/kbpfprof/spans.h what it does, as tracepoints would. */
#ifndef SPANS_DRIVER_H
#define SPANS_DRIVER_H

#include "kbpfprof/spans.h"

static inline void driver_close(struct spans_cpu *cpu, uint32_t level, uint64_t now, uint8_t kind)
{
	uint32_t inside = cpu->open[level].inside;
	uint64_t gross = spans_close(cpu, level, spans_next(cpu), now, cpu->inner_ns[level], kind);

	spans_publish(cpu);
	if (level != LEVEL_TASK)
		cpu->inner_ns[inside] += gross;
}

/* What is open at this level has ended, and nobody saw it. */
static inline void driver_missed(struct spans_cpu *cpu, uint32_t level, uint64_t now)
{
	if (cpu->open[level].kind)
		driver_close(cpu, level, now, SPAN_UNKNOWN);
}

static inline void driver_irq(struct spans_cpu *cpu, int32_t id, uint64_t now)
{
	driver_missed(cpu, LEVEL_HARDIRQ, now);
	spans_enter(cpu, LEVEL_HARDIRQ, SPAN_HARDIRQ, id, now);
}

static inline void driver_irq_end(struct spans_cpu *cpu, uint64_t now)
{
	driver_close(cpu, LEVEL_HARDIRQ, now, SPAN_NONE);
}

static inline void driver_softirq(struct spans_cpu *cpu, int32_t id, uint64_t now)
{
	driver_missed(cpu, LEVEL_HARDIRQ, now);
	driver_missed(cpu, LEVEL_SOFTIRQ, now);
	spans_enter(cpu, LEVEL_SOFTIRQ, SPAN_SOFTIRQ, id, now);
}

static inline void driver_softirq_end(struct spans_cpu *cpu, uint64_t now)
{
	driver_missed(cpu, LEVEL_HARDIRQ, now);
	driver_close(cpu, LEVEL_SOFTIRQ, now, SPAN_NONE);
}

/* An NMI is told when it is over. */
static inline void driver_nmi(struct spans_cpu *cpu, int32_t id, uint64_t ns, uint64_t now)
{
	uint32_t inside = cpu->open[LEVEL_HARDIRQ].kind	  ? LEVEL_HARDIRQ
			  : cpu->open[LEVEL_SOFTIRQ].kind ? LEVEL_SOFTIRQ
							  : LEVEL_TASK;

	*spans_next(
		cpu) = (struct span){ .start_ns = now - ns, .end_ns = now, .net_ns = ns, .id = id, .kind = SPAN_NMI };
	spans_publish(cpu);
	cpu->inner_ns[inside] += ns;
}

static inline void driver_switch(struct spans_cpu *cpu, int32_t id, uint64_t now)
{
	driver_missed(cpu, LEVEL_HARDIRQ, now);
	driver_missed(cpu, LEVEL_SOFTIRQ, now);
	if (cpu->open[LEVEL_TASK].kind)
		driver_close(cpu, LEVEL_TASK, now, SPAN_NONE);
	spans_enter(cpu, LEVEL_TASK, SPAN_TASK, id, now);
}

#endif
