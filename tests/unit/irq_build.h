/* SPDX-License-Identifier: GPL-2.0-only */
/* Small recordings of interrupts by hand, for the tests of their views. */
#ifndef IRQ_BUILD_H
#define IRQ_BUILD_H

#include "core/irq.h"
#include "core/latency.h"
#include "view_build.h"

#define IRQ_SECONDS    10
#define IRQ_START_UNIX 1700000000ull /* 2023-11-14 22:13:20 UTC */

enum { TIMER = 1, NET_TX = 2, NET_RX = 3, BLOCK = 4, SCHED = 7, RCU = 9 }; /* softirqs */

static inline struct recording *irq_new(unsigned cpus)
{
	struct recording *r = recording_new();

	assert_non_null(r);
	r->meta = (struct rec_meta){ .tool = "irq",
				     .target = "whole machine",
				     .kernel = "6.1.0-18-amd64 x86_64",
				     .start_unix_ns = IRQ_START_UNIX * 1000000000,
				     .duration_ns = IRQ_SECONDS * 1000000000ull,
				     .cpus = cpus };
	assert_non_null(irq_of(r));
	r->irq->worst = 5;
	r->irq->asked = r->irq->measured = REC_IRQ_HARD | REC_IRQ_VECTORS | REC_IRQ_SOFT;
	return r;
}

static inline int irq_named(struct recording *r, enum irq_kind kind, int number, const char *name)
{
	int source = irq_source(r->irq, kind, number, recording_string(r, name));

	assert_true(source >= 0);
	return source;
}

/* A line with its affinity. */
static inline int irq_line(struct recording *r, int number, const char *name, const char *affinity,
			   const char *effective)
{
	int source = irq_named(r, IRQ_LINE, number, name);

	r->irq->sources[source].affinity = recording_string(r, affinity);
	r->irq->sources[source].effective = recording_string(r, effective);
	return source;
}

static inline struct rec_irq_row *irq_on(struct recording *r, int source, unsigned cpu)
{
	struct rec_irq_row *row = irq_row(r->irq, source, cpu);

	assert_non_null(row);
	return row;
}

/* `times` values of `ns`. */
static inline void irq_values(struct recording *r, int source, unsigned cpu, enum irq_measure measure, uint64_t ns,
			      uint64_t times)
{
	struct rec_irq_row *row = irq_on(r, source, cpu);
	struct rec_irq_values more = { .count = times, .sum_ns = ns * times, .min_ns = ns, .max_ns = ns };

	more.buckets = calloc(HIST_BUCKETS, sizeof(*more.buckets));
	assert_non_null(more.buckets);
	more.buckets[hist_bucket(ns)] = times;
	assert_int_equal(irq_values_add(&row->of[measure], &more), 0);
	irq_values_free(&more);
	if (measure == IRQ_RUN)
		row->gross_ns += ns * times;
}

static inline void irq_ran(struct recording *r, int source, unsigned cpu, uint64_t ns, uint64_t times)
{
	irq_values(r, source, cpu, IRQ_RUN, ns, times);
}

static inline void irq_waited(struct recording *r, int source, unsigned cpu, uint64_t ns, uint64_t times)
{
	irq_values(r, source, cpu, IRQ_WAIT, ns, times);
}

/* So many in the second `second` of the run. */
static inline void irq_peak(struct recording *r, int source, unsigned cpu, uint64_t count, unsigned second,
			    uint64_t storms)
{
	struct rec_irq_row *row = irq_on(r, source, cpu);

	row->peak_count = count;
	row->peak_unix_ns = (IRQ_START_UNIX + second) * 1000000000;
	row->storms = storms;
}

/* On CPU 1; to be changed, filled with spans and given to irq_case(). */
static inline struct rec_irq_case irq_case_of(enum irq_list list, enum irq_measure measure, int source,
					      uint64_t total_ns)
{
	return (struct rec_irq_case){ .list = list,
				      .measure = measure,
				      .source = source,
				      .cpu = 1,
				      .total_ns = total_ns,
				      .unix_ns = 1700000003123456789, /* 22:13:23.123456 UTC */
				      .stack = -1 };
}

static inline struct rec_irq_task irq_task_of(struct recording *r, const char *comm, int tid, int prio)
{
	return (struct rec_irq_task){ .comm = recording_string(r, comm), .tgid = tid, .tid = tid, .prio = prio };
}

static inline void irq_span(struct recording *r, struct rec_irq_case *c, enum span_kind kind, int id, const char *name,
			    int64_t start_ns, int64_t end_ns)
{
	c->spans = realloc(c->spans, (c->n_spans + 1) * sizeof(*c->spans));
	assert_non_null(c->spans);
	c->spans[c->n_spans++] = (struct rec_irq_span){ .kind = kind,
							.id = id,
							.name = recording_string(r, name),
							.start_ns = start_ns,
							.end_ns = end_ns,
							.net_ns = (uint64_t)(end_ns - start_ns) };
}

static inline void irq_give(struct recording *r, struct rec_irq_case c)
{
	assert_int_equal(irq_case(r->irq, &c), 0);
}

static inline int irq_stack_of(struct recording *r, const char *const *names, unsigned n)
{
	struct build_frame frames[16];

	assert_true(n <= 16);
	for (unsigned i = 0; i < n; i++)
		frames[i] = (struct build_frame)KERNEL(names[i]);
	return build_stack(r, frames, n);
}

#define IRQ_STACK(r, ...)                                       \
	irq_stack_of((r), (const char *const[]){ __VA_ARGS__ }, \
		     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *const))

/* --- machines --- */

/* Two CPUs with little to do, 10 s: a tick now and then, a disk, a serial line that had one character. */
static inline struct recording *irq_idle(void)
{
	struct recording *r = irq_new(2);
	int tick = irq_named(r, IRQ_VECTOR, VECTOR_LOCAL_TIMER, ""), timer = irq_named(r, IRQ_SOFTIRQ, TIMER, ""),
	    rcu = irq_named(r, IRQ_SOFTIRQ, RCU, ""), disk = irq_line(r, 27, "virtio0-req.0", "0-1", "0"),
	    serial = irq_line(r, 4, "ttyS0", "0-1", "0"), block = irq_named(r, IRQ_SOFTIRQ, BLOCK, "");

	irq_ran(r, tick, 0, 3000, 400);
	irq_ran(r, tick, 1, 4000, 300);
	irq_ran(r, timer, 0, 2000, 200);
	irq_waited(r, timer, 0, 1500, 200);
	irq_ran(r, rcu, 1, 1000, 100);
	irq_waited(r, rcu, 1, 2500, 100);
	irq_ran(r, disk, 0, 5000, 20);
	irq_waited(r, disk, 0, 400000000, 19);
	irq_ran(r, block, 0, 6000, 20);
	irq_waited(r, block, 0, 900, 20);
	irq_ran(r, serial, 0, 9000, 1);
	irq_on(r, rcu, 1)->no_start = 1;
	r->irq->counts[IRQ_COUNT_NO_ENTRY] = 1;
	return r;
}

/*
 * A network card whose lines all come on CPU 1 of four, though they may come on any: 59 998 interrupts of 2 us and
 * packets that take 3 s there.
 */
static inline struct recording *irq_network(void)
{
	struct recording *r = irq_new(4);
	int rx0 = irq_line(r, 45, "eth0-rx-0", "0-3", "1"), rx1 = irq_line(r, 46, "eth0-tx-0", "0-3", "1"),
	    net = irq_named(r, IRQ_SOFTIRQ, NET_RX, ""), daemon = irq_named(r, IRQ_KSOFTIRQD, NET_RX, ""),
	    sent = irq_named(r, IRQ_SOFTIRQ, NET_TX, ""), tick = irq_named(r, IRQ_VECTOR, VECTOR_LOCAL_TIMER, ""),
	    disk = irq_line(r, 27, "nvme0q1", "0-3", "2");
	struct rec_irq_case c;

	for (unsigned cpu = 0; cpu < 4; cpu++)
		irq_ran(r, tick, cpu, 3000, 2500);
	irq_ran(r, rx0, 1, 2000, 49998);
	irq_waited(r, rx0, 1, 180000, 49997);
	irq_ran(r, rx1, 1, 2000, 10000);
	irq_ran(r, disk, 2, 4000, 3000);
	irq_ran(r, net, 1, 50000, 58000);
	irq_ran(r, net, 1, 150000, 599);
	irq_ran(r, net, 0, 20000, 10);
	irq_waited(r, net, 1, 1200, 58000);
	irq_waited(r, net, 1, 30000, 599);
	irq_ran(r, daemon, 1, 400000, 500);
	irq_waited(r, daemon, 1, 900000, 500);
	irq_ran(r, sent, 1, 7000, 400);
	irq_on(r, net, 1)->by[IRQ_IN_HARDIRQ] = 58590;
	irq_on(r, net, 1)->by[IRQ_IN_TASK] = 9;
	irq_on(r, net, 1)->joined = 1402;

	c = irq_case_of(IRQ_WORST_SOFT, IRQ_RUN, net, 187400);
	c.net_ns = 150000;
	c.task = irq_task_of(r, "motor_ctl", 812, 19);
	c.delayed = irq_task_of(r, "cyclictest", 99, 9);
	c.runnable = 3;
	irq_span(r, &c, SPAN_TASK, 812, "motor_ctl", -400000, -200400);
	irq_span(r, &c, SPAN_HARDIRQ, 45, "eth0-rx-0", -200400, -188400);
	irq_span(r, &c, SPAN_VECTOR, VECTOR_LOCAL_TIMER, "", -100000, -90000);
	irq_span(r, &c, SPAN_VECTOR, VECTOR_LOCAL_TIMER, "", -90000, -62600); /* 10.0 and 27.4 us */
	irq_span(r, &c, SPAN_SOFTIRQ, NET_RX, "", -187400, 0);		      /* it itself is told already */
	irq_give(r, c);

	c = irq_case_of(IRQ_WORST_RAISED, IRQ_WAIT, daemon, 900000);
	c.by = IRQ_IN_HARDIRQ;
	c.by_kind = SPAN_HARDIRQ;
	c.by_id = 45;
	c.task = irq_task_of(r, "iperf3", 4001, 120);
	irq_span(r, &c, SPAN_TASK, 4001, "iperf3", -880000, -4000);
	irq_give(r, c);
	return r;
}

/* A line that is never acknowledged, 4 s long. */
static inline struct recording *irq_storm(void)
{
	struct recording *r = irq_new(2);
	int line = irq_line(r, 19, "firewire_ohci", "0-1", "0"),
	    tick = irq_named(r, IRQ_VECTOR, VECTOR_LOCAL_TIMER, "");

	r->irq->storm_count = 10000;
	irq_ran(r, line, 0, 5000, 520000);
	irq_waited(r, line, 0, 7000, 519999);
	irq_peak(r, line, 0, 131072, 3, 4);
	irq_ran(r, tick, 0, 3000, 2500);
	irq_ran(r, tick, 1, 3000, 2500);
	irq_peak(r, tick, 0, 250, 0, 0);
	for (unsigned i = 0; i < IRQ_SECONDS; i++) {
		struct rec_irq_point p = { .start_ns = i * 1000000000ull, .duration_ns = 1000000000, .source = line };

		p.count = i >= 2 && i < 6 ? 130000 : 0;
		p.net_ns = p.count * 5000;
		p.max_ns = i == 2 ? 5000 : 0;
		assert_int_equal(irq_point(r->irq, &p), 0);
		p = (struct rec_irq_point){ p.start_ns, p.duration_ns, tick, 500, 1500000, i ? 0 : 3000 };
		assert_int_equal(irq_point(r->irq, &p), 0);
	}
	return r;
}

/* PREEMPT_RT: a threaded handler behind a hog, works, and IPIs. */
static inline struct recording *irq_threads(void)
{
	struct recording *r = irq_new(2);
	int line = irq_line(r, 45, "eth0", "0-1", "1"), thread = irq_named(r, IRQ_THREAD, 45, "eth0"),
	    other = irq_named(r, IRQ_THREAD, 27, "ahci"), net = irq_named(r, IRQ_SOFTIRQ, NET_RX, ""),
	    work = irq_named(r, IRQ_WORK, 0, "flush_to_ldisc"),
	    longer = irq_named(r, IRQ_WORK, 0, "mlx5e_tx_timeout_work_of_a_long_name"),
	    ipi = irq_named(r, IRQ_IPI, VECTOR_RESCHEDULE, "");
	struct rec_irq_behind behind = { thread, recording_string(r, "hog"), 0, 12, 31000000, 4000000 };
	struct rec_irq_sender sender = { .vector = VECTOR_RESCHEDULE, .stack = -1 };
	struct rec_irq_case c = irq_case_of(IRQ_WORST_THREADS, IRQ_WAIT, thread, 4000000);

	r->irq->softirqs_are_threads = true;
	r->irq->measured |= REC_IRQ_THREADS | REC_IRQ_WORK | REC_IRQ_IPIS;
	r->irq->asked = r->irq->measured | REC_IRQ_TASKLETS;
	r->irq->sources[thread].thread = 345;
	irq_ran(r, line, 1, 1500, 1000);
	irq_ran(r, thread, 1, 40000, 1000);
	irq_waited(r, thread, 1, 12000, 988);
	irq_waited(r, thread, 1, 2500000, 11);
	irq_waited(r, thread, 1, 4000000, 1);
	irq_ran(r, other, 0, 30000, 50);
	irq_waited(r, other, 0, 9000, 50);
	irq_ran(r, net, 1, 25000, 900);
	irq_waited(r, net, 1, 800, 900);
	irq_ran(r, work, 0, 15000, 70);
	irq_waited(r, work, 0, 22000, 70);
	irq_ran(r, longer, 1, 2000000, 3);
	irq_waited(r, longer, 1, 44000, 3);
	irq_waited(r, ipi, 0, 2200, 1200);
	irq_on(r, ipi, 0)->no_start = 7;
	assert_int_equal(irq_behind(r->irq, &behind), 0);
	behind = (struct rec_irq_behind){ other, recording_string(r, "fsck"), 2, 1, 60000, 60000 };
	assert_int_equal(irq_behind(r->irq, &behind), 0);
	sender.callsite = recording_string(r, "ttwu_queue_wakelist");
	sender.context = IRQ_IN_TASK;
	sender.comm = recording_string(r, "cc1");
	sender.count = 900;
	assert_int_equal(irq_sender(r->irq, &sender), 0);
	sender.context = IRQ_IN_HARDIRQ;
	sender.comm = 0;
	sender.count = 300;
	sender.stack = IRQ_STACK(r, "bpf_prog_1e81f3094b9915e1_on_ipi_send_cpu", "bpf_trace_run3",
				 "ttwu_queue_wakelist", "try_to_wake_up", "hrtimer_wakeup", "__hrtimer_run_queues",
				 "hrtimer_interrupt");
	assert_int_equal(irq_sender(r->irq, &sender), 0);
	c.task = irq_task_of(r, "hog", 900, 9);
	c.runnable = 2;
	irq_span(r, &c, SPAN_TASK, 900, "hog", -3990000, -3000);
	irq_give(r, c);
	return r;
}

/* --off: a driver that keeps interrupts off for 5.2 ms, seen three times by a probe each ms. */
static inline struct recording *irq_offs(void)
{
	struct recording *r = irq_new(2);
	int off = irq_named(r, IRQ_IRQS_OFF, 0, "");
	struct rec_irq_place place = {
		.kind = IRQ_IRQS_OFF, .stack = -1, .count = 3, .ns = 9000000, .max_ns = 5200000
	};
	struct rec_irq_case c = irq_case_of(IRQ_WORST_OFF, IRQ_RUN, off, 5200000);

	r->irq->asked = r->irq->measured = REC_IRQ_OFFS;
	r->irq->probe_ns = 1000000;
	r->irq->off_fires = 20000;
	r->irq->off_preempt_fires = 640;
	irq_ran(r, off, 1, 1900000, 2);
	irq_ran(r, off, 1, 5200000, 1);
	irq_ran(r, off, 0, 60000, 30);
	place.name = recording_string(r, "mydev_ioctl");
	place.stack = IRQ_STACK(r, "mydev_probe_timer", "asm_sysvec_apic_timer_interrupt", "pv_native_irq_enable",
				"_raw_spin_unlock_irqrestore", "mydev_ioctl", "__x64_sys_ioctl");
	assert_int_equal(irq_place(r->irq, &place), 0);
	c.task = irq_task_of(r, "stress", 77, 120);
	c.stack = place.stack;
	irq_give(r, c);
	place = (struct rec_irq_place){
		IRQ_IRQS_OFF, recording_string(r, "tick_nohz_idle_exit"), -1, false, 30, 1800000, 60000
	};
	assert_int_equal(irq_place(r->irq, &place), 0);
	place = (struct rec_irq_place){
		IRQ_PREEMPT_OFF, recording_string(r, "ext4_writepages"), -1, false, 600, 9000000, 800000
	};
	assert_int_equal(irq_place(r->irq, &place), 0);
	place.name = 0;
	place.count = 40;
	place.ns = place.max_ns = 0;
	assert_int_equal(irq_place(r->irq, &place), 0);
	return r;
}

/* 400 CPUs with ticks and 64 queues of a card, each on a CPU of its own. */
static inline struct recording *irq_many(void)
{
	struct recording *r = irq_new(400);
	int tick = irq_named(r, IRQ_VECTOR, VECTOR_LOCAL_TIMER, ""), net = irq_named(r, IRQ_SOFTIRQ, NET_RX, "");

	for (unsigned cpu = 0; cpu < 400; cpu++) {
		irq_ran(r, tick, cpu, 2000, 2500 + (cpu % 7 ? 0 : cpu));
		irq_ran(r, net, cpu, 20000, cpu < 64 ? 1000 + cpu : 1);
	}
	for (unsigned queue = 0; queue < 64; queue++) {
		char name[16], cpu[8];

		snprintf(name, sizeof(name), "eth0-rx-%u", queue);
		snprintf(cpu, sizeof(cpu), "%u", queue * 6);
		irq_ran(r, irq_line(r, 100 + (int)queue, name, "0-399", cpu), queue * 6, 1500, 1000 + queue);
	}
	return r;
}

/* --- pages; the caller frees them --- */

static inline char *irq_page(const struct recording *r)
{
	return build_view("irq", r, (struct view_options){ .top = VIEW_TOP_AUTO });
}

static inline void irq_page_has(const struct recording *r, const char *part)
{
	char *text = irq_page(r);

	has(text, part);
	free(text);
}

static inline void irq_page_has_not(const struct recording *r, const char *part)
{
	char *text = irq_page(r);

	has_not(text, part);
	free(text);
}

#endif
