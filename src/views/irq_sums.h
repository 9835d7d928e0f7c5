/* SPDX-License-Identifier: GPL-2.0-only */
/* Every source with its CPUs added up, and what share of a CPU's time it took. The views of interrupts begin here. */
#ifndef VIEWS_IRQ_SUMS_H
#define VIEWS_IRQ_SUMS_H

#include "core/irq.h"
#include "core/units.h"

/* Sets of enum irq_kind. */
#define IRQ_KIND(kind) (1u << (kind))
#define IRQ_HARD_KINDS (IRQ_KIND(IRQ_LINE) | IRQ_KIND(IRQ_VECTOR) | IRQ_KIND(IRQ_NMI))
#define IRQ_SOFT_KINDS (IRQ_KIND(IRQ_SOFTIRQ) | IRQ_KIND(IRQ_KSOFTIRQD))
/* Whose runs are time of a CPU, each moment in one of them. */
#define IRQ_CPU_KINDS (IRQ_HARD_KINDS | IRQ_SOFT_KINDS)
/* Tasklets run in a softirq, threads and works in tasks: their time is in others as well. */
#define IRQ_TASK_KINDS (IRQ_KIND(IRQ_THREAD) | IRQ_KIND(IRQ_WORK) | IRQ_KIND(IRQ_TASKLET))
#define IRQ_OFF_KINDS  (IRQ_KIND(IRQ_IRQS_OFF) | IRQ_KIND(IRQ_PREEMPT_OFF))

struct irq_whole {
	const struct rec_irq_source *source;
	struct rec_irq_row total; /* irq_total() */
	uint64_t count;		  /* runs; waits where the kind has no runs */
	double share;		  /* of the time of the CPU on which it took most: 0 to 1 */
	unsigned cpu;		  /* that one */
};

struct irq_sums {
	const struct recording *r;
	const struct rec_irq *q;
	struct irq_whole *list; /* one a source, in their order */
	size_t n;
};

/* 0 or -ENOMEM. `r` has an irq and outlives it. */
int irq_sums_open(struct irq_sums *s, const struct recording *r);
void irq_sums_close(struct irq_sums *s);

/* Time that this CPU was measured. */
uint64_t irq_measured_ns(const struct recording *r, unsigned cpu);
/* Of all CPUs together. */
uint64_t irq_cpu_time_ns(const struct recording *r);
/* Net time of the runs of these kinds. */
uint64_t irq_kinds_ns(const struct irq_sums *s, unsigned kinds);
bool irq_has_kind(const struct rec_irq_source *source, unsigned kinds);
/*
 * Share of the CPU's time that the runs of the sources took together, `chosen` having an element for each; of the CPU
 * where it is most. 0 or -ENOMEM.
 */
int irq_busiest(const struct irq_sums *s, const bool *chosen, double *share, unsigned *cpu);
/* So many events in the run: how many a second, of all CPUs together. */
double irq_rate_hz(const struct irq_sums *s, uint64_t count);

#define IRQ_LABEL_BYTES (IRQ_SOURCE_BYTES + 16)
/* "IRQ 45 eth0", "local timer", "softirq NET_RX": with the kind where the name does not say it. Not inert. */
char *irq_label(char buf[IRQ_LABEL_BYTES], const struct recording *r, const struct rec_irq_source *source);
/* "motor_ctl-812 (FIFO 80)", "the idle task"; "": not known. Not inert. */
#define IRQ_TASK_BYTES 96
char *irq_task_text(char buf[IRQ_TASK_BYTES], const struct recording *r, const struct rec_irq_task *task);
/* "6.1 us"; "-" if there are too few values: one at least must lie beyond. */
char *irq_quantile_text(char buf[UNITS_BYTES], const struct rec_irq_values *v, unsigned permille);
char *irq_max_text(char buf[UNITS_BYTES], const struct rec_irq_values *v);
/* "23 112", "0.2": a second. */
char *irq_rate_text(char buf[UNITS_BYTES], double rate_hz);
/* "raise -> start"; NULL: there is no wait. */
const char *irq_wait_name(enum irq_kind kind);

#endif
