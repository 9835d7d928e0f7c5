/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kind `irq` of recording_make: interrupts of two CPUs, two intervals of 10 s.
 *
 *                                 interval 1                          interval 2
 *   line 45 eth0, CPU 1           9 000 of 2 us, one of 90 us         5 000 of 2 us     affinity 0-1, effective 1
 *   softirq NET_RX, CPU 1         4 000 of 50 us, raised 1.5 us       -
 *                                 before by hard interrupts
 *   NET_RX in ksoftirqd, CPU 1    -                                   10 of 400 us
 *   thread irq/45-eth0, CPU 1     ran 100 of 7 us and one of 8 us,    -
 *                                 waited 100 times 12 us and once
 *                                 300 us, behind camera-svc
 *   IPI reschedule, CPU 0         waited 700 times 0.8 us; sent by    -
 *                                 worker < ttwu_queue_wakelist
 *   interrupts off                -                                   3 in uart_write, 120 us, the longest 60 us
 * Gross runs of the line are 100 ns longer each. One storm, of 3 000 in the second 3.
 * cases: the thread's wait of 300 us, as the worst and once more as above the limit of 100 us.
 */
#ifndef RECORDING_IRQ_H
#define RECORDING_IRQ_H

#include "core/irq.h"
#include "recording_wakeup.h"

#define IRQ_MAKE_UNIX_NS 1700000003123456789u

static inline void irq_make_values(struct rec_irq *q, int source, unsigned cpu, enum irq_measure m, uint64_t ns,
				   uint32_t n)
{
	struct rec_irq_row *row = irq_row(q, source, cpu);
	struct rec_irq_values more = { 0 };
	static struct hist h;

	if (!row)
		err(1, "row");
	memset(&h, 0, sizeof(h));
	h.sum_ns = n * ns;
	h.min_ns = h.max_ns = ns;
	h.buckets[hist_bucket(ns)] = n;
	if (row->of[m].max_ns < ns)
		row->longest_unix_ns[m] = IRQ_MAKE_UNIX_NS;
	wakeup_must(irq_values_set(&more, &h));
	wakeup_must(irq_values_add(&row->of[m], &more));
	irq_values_free(&more);
	if (m == IRQ_RUN)
		row->gross_ns += n * (ns + (q->sources[source].kind == IRQ_LINE ? 100 : 0));
}

static inline void irq_make_case(struct recording *r, int source, bool above)
{
	struct rec_irq_case c = { .list = IRQ_WORST_THREADS,
				  .measure = IRQ_WAIT,
				  .above = above,
				  .source = source,
				  .cpu = 1,
				  .total_ns = 300000,
				  .unix_ns = IRQ_MAKE_UNIX_NS,
				  .runnable = 2,
				  .task = { recording_string(r, "camera-svc"), 230, 233, 120 },
				  .delayed = { recording_string(r, "motor_ctl"), 812, 812, 19 },
				  .stack = -1,
				  .n_spans = 2 };

	c.spans = calloc(2, sizeof(*c.spans));
	if (!c.spans)
		err(1, "case");
	c.spans[0] = (struct rec_irq_span){ SPAN_HARDIRQ, 45, recording_string(r, "eth0"), -302000, -300000, 2000 };
	c.spans[1] = (struct rec_irq_span){ SPAN_TASK, 233, recording_string(r, "camera-svc"), -900000, 0, 898000 };
	wakeup_must(irq_case(r->irq, &c));
}

static inline void irq_make_thread(struct recording *r, int thread)
{
	struct rec_irq_behind b = { .source = thread,
				    .comm = recording_string(r, "camera-svc"),
				    .prio_class = 2,
				    .count = 1,
				    .ns = 300000,
				    .max_ns = 300000 };

	irq_make_values(r->irq, thread, 1, IRQ_RUN, 7000, 100);
	irq_make_values(r->irq, thread, 1, IRQ_RUN, 8000, 1);
	irq_make_values(r->irq, thread, 1, IRQ_WAIT, 12000, 100);
	irq_make_values(r->irq, thread, 1, IRQ_WAIT, 300000, 1);
	r->irq->sources[thread].thread = 177;
	wakeup_must(irq_behind(r->irq, &b));
	irq_make_case(r, thread, false);
	irq_make_case(r, thread, true);
}

static inline void irq_make_first(struct recording *r, int line, int thread, int net)
{
	static const char *const sent[] = { "ttwu_queue_wakelist", "try_to_wake_up" };
	struct rec_irq *q = r->irq;
	struct rec_irq_sender s = { .vector = VECTOR_RESCHEDULE,
				    .callsite = recording_string(r, sent[0]),
				    .context = IRQ_IN_TASK,
				    .comm = recording_string(r, "worker"),
				    .stack = wakeup_stack(r, sent, 2),
				    .count = 700 };

	irq_make_values(q, line, 1, IRQ_RUN, 2000, 9000);
	irq_make_values(q, line, 1, IRQ_RUN, 90000, 1);
	irq_row(q, line, 1)->peak_count = 3000;
	irq_row(q, line, 1)->peak_unix_ns = 1700000003000000000u;
	irq_row(q, line, 1)->storms = 1;
	irq_make_values(q, net, 1, IRQ_RUN, 50000, 4000);
	irq_make_values(q, net, 1, IRQ_WAIT, 1500, 4000);
	irq_row(q, net, 1)->by[IRQ_IN_HARDIRQ] = 4000;
	irq_row(q, net, 1)->joined = 5000;
	irq_make_thread(r, thread);
	irq_make_values(q, irq_source(q, IRQ_IPI, VECTOR_RESCHEDULE, 0), 0, IRQ_WAIT, 800, 700);
	wakeup_must(irq_sender(q, &s));
	q->counts[IRQ_COUNT_NO_ENTRY] = 1;
	q->counts[IRQ_COUNT_ABOVE] = 1;
}

static inline void irq_make_second(struct recording *r, int line)
{
	static const char *const off[] = { "_raw_spin_unlock_irqrestore", "uart_write" };
	struct rec_irq *q = r->irq;
	struct rec_irq_place p = { .kind = IRQ_IRQS_OFF,
				   .name = recording_string(r, "uart_write"),
				   .stack = wakeup_stack(r, off, 2),
				   .count = 3,
				   .ns = 120000,
				   .max_ns = 60000 };

	irq_make_values(q, line, 1, IRQ_RUN, 2000, 5000);
	irq_make_values(q, irq_source(q, IRQ_KSOFTIRQD, 3, 0), 1, IRQ_RUN, 400000, 10);
	irq_make_values(q, irq_source(q, IRQ_IRQS_OFF, 0, 0), 0, IRQ_RUN, 30000, 2);
	irq_make_values(q, irq_source(q, IRQ_IRQS_OFF, 0, 0), 0, IRQ_RUN, 60000, 1);
	wakeup_must(irq_place(q, &p));
	q->off_fires = 100000;
}

static inline void irq_make_point(struct rec_irq *q, int source, unsigned interval, uint64_t count, uint64_t net_ns,
				  uint64_t max_ns)
{
	struct rec_irq_point p = { interval * 10000000000u, 10000000000u, source, count, net_ns, max_ns };

	wakeup_must(irq_point(q, &p));
}

static inline void make_irq(struct saver *s, struct recording *r)
{
	struct rec_irq *q = irq_of(r);
	int eth0 = recording_string(r, "eth0"), line, thread, net;

	if (!q)
		err(1, "interrupts");
	strcpy(r->meta.tool, "irq");
	strcpy(r->meta.command_line, "kbpfprof irq --off --ipi -d 20s -I 10s -o irq.kbpf");
	strcpy(r->meta.target, "whole machine");
	r->meta.cpus = 2;
	memset(&r->sampling, 0, sizeof(r->sampling));
	q->asked = REC_IRQ_HARD | REC_IRQ_SOFT | REC_IRQ_THREADS | REC_IRQ_IPIS | REC_IRQ_OFFS | REC_IRQ_NMIS;
	q->measured = q->asked & ~(unsigned)REC_IRQ_NMIS;
	q->above_ns = 100000;
	q->storm_count = 1000;
	q->probe_ns = 100000;
	q->worst = 5;
	line = irq_source(q, IRQ_LINE, 45, eth0);
	thread = irq_source(q, IRQ_THREAD, 45, eth0);
	net = irq_source(q, IRQ_SOFTIRQ, 3, 0);
	q->sources[line].affinity = recording_string(r, "0-1");
	q->sources[line].effective = recording_string(r, "1");
	irq_make_first(r, line, thread, net);
	irq_make_point(q, line, 0, 9001, 18090000, 90000);
	r->meta.duration_ns = 10000000000u;
	wakeup_must(saver_interval(s, r));
	irq_make_second(r, line);
	irq_make_point(q, line, 1, 5000, 10000000, 0);
	r->meta.duration_ns = 20000000000u;
	wakeup_must(saver_interval(s, r));
}

#endif
