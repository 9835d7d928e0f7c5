/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kind `wakeup` of recording_make: latencies of motor_ctl (tid 812, FIFO 80), two intervals of 10 s.
 *
 * interval 1: 10 000 wakeups by a timer: 9 900 at ease, 99 behind one hard IRQ 45 eth0, 1 bad; 12 preemptions.
 * interval 2: 5 000 wakeups at ease.
 *   ns          timer   waking  activation  queue
 *   at ease      6000     3000        1000   2000    handler 3000, activation 1000, switch 2000
 *   behind      24900    21900        1000  20900    handler 3000, activation 1000, hard IRQ 18900, switch 2000
 *   bad        187400   171000        1000 170000    its parts are those below
 *   preempted   14000 each, by camera-svc, of better priority
 * cases: the bad one, then the first of those behind, then, above the limit of 100 us, the bad one once more:
 *   187.4 us = 88.2 softirq NET_RX (3) + 50.4 camera-svc kept the CPU + 30.0 hard IRQ 45 eth0 (3) + 12.1 timer late:
 *   interrupts off + 6.7 context switch; it let go in preempt_schedule < _raw_spin_unlock < drm_vblank_put
 *   < drm_ioctl, the timer's interrupt woke it: hrtimer_wakeup < __hrtimer_run_queues.
 */
#ifndef RECORDING_WAKEUP_H
#define RECORDING_WAKEUP_H

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/latency.h"
#include "db/db.h"

static const uint64_t wakeup_ns[3][LATENCY_QUEUE + 1] = {
	{ 6000, 3000, 1000, 2000 },
	{ 24900, 21900, 1000, 20900 },
	{ 187400, 171000, 1000, 170000 },
};

static inline void wakeup_must(int err)
{
	if (err < 0)
		errx(1, "latency: %s", strerror(-err));
}

static inline void wakeup_values(struct rec_latency *l, enum latency_kind kind, uint64_t ns, uint64_t n)
{
	struct rec_hist *h = latency_hist(l, 0, kind);
	static struct hist more;

	if (!h)
		err(1, "histogram");
	memset(&more, 0, sizeof(more));
	more.count = n;
	more.sum_ns = n * ns;
	more.min_ns = more.max_ns = ns;
	more.buckets[hist_bucket(ns)] = (uint32_t)n;
	latency_merge(h, &more);
}

static inline void wakeup_cause(struct recording *r, enum wake_cause cause, int id, const char *name, uint64_t delay_ns,
				uint64_t spans, uint64_t ns)
{
	struct rec_cause c = { .cause = cause,
			       .id = id,
			       .name = recording_string(r, name),
			       .quarter = hist_quarter(delay_ns),
			       .preempted = cause == CAUSE_TASK_BETTER,
			       .spans = spans,
			       .ns = ns };

	wakeup_must(latency_cause(r->latency, &c));
}

static inline void wakeup_at_ease(struct recording *r, uint64_t n)
{
	for (int kind = LATENCY_TIMER; kind <= LATENCY_QUEUE; kind++)
		wakeup_values(r->latency, (enum latency_kind)kind, wakeup_ns[0][kind], n);
	wakeup_cause(r, CAUSE_TIMER_HANDLER, 0, "", 6000, n, 3000 * n);
	wakeup_cause(r, CAUSE_ACTIVATION, 0, "", 6000, n, 1000 * n);
	wakeup_cause(r, CAUSE_SWITCH, 0, "", 6000, n, 2000 * n);
	r->latency->counts[WAKE_COUNT_WAKEUPS] += n;
	r->latency->counts[WAKE_COUNT_TIMERS] += n;
}

static inline void wakeup_behind(struct recording *r, uint64_t n)
{
	for (int kind = LATENCY_TIMER; kind <= LATENCY_QUEUE; kind++)
		wakeup_values(r->latency, (enum latency_kind)kind, wakeup_ns[1][kind], n);
	wakeup_cause(r, CAUSE_TIMER_HANDLER, 0, "", 24900, n, 3000 * n);
	wakeup_cause(r, CAUSE_ACTIVATION, 0, "", 24900, n, 1000 * n);
	wakeup_cause(r, CAUSE_HARDIRQ, 45, "eth0", 24900, n, 18900 * n);
	wakeup_cause(r, CAUSE_SWITCH, 0, "", 24900, n, 2000 * n);
	r->latency->counts[WAKE_COUNT_WAKEUPS] += n;
	r->latency->counts[WAKE_COUNT_TIMERS] += n;
}

/* Frames of the kernel by name, at addresses of their own. */
static inline int wakeup_stack(struct recording *r, const char *const *names, unsigned n)
{
	struct rec_mapping kernel = { .name = recording_string(r, "[kernel]"), .kind = MAPPING_KERNEL };
	int mapping = recording_mapping(r, &kernel);
	uint32_t frames[8];

	wakeup_must(mapping);
	for (unsigned i = 0; i < n; i++) {
		int name = recording_string(r, names[i]);
		int id = recording_location(r, mapping, 0xffffffff81100000u + 0x1000u * (unsigned)name, WHY_NAMED);

		wakeup_must(id);
		recording_name(r, id, name, 4, WHY_NAMED);
		frames[i] = (uint32_t)id;
	}
	return recording_stack(r, frames, n, 0);
}

static inline void wakeup_case(struct recording *r, uint64_t total_ns, bool above, const struct rec_part *parts,
			       size_t n_parts)
{
	static const char *const let_go[] = { "preempt_schedule", "_raw_spin_unlock", "drm_vblank_put", "drm_ioctl" };
	static const char *const woke[] = { "hrtimer_wakeup", "__hrtimer_run_queues" };
	bool bad = total_ns > 100000;
	struct rec_case c = { .kind = LATENCY_TIMER,
			      .above = above,
			      .total_ns = total_ns,
			      .unix_ns = 1700000005123456789,
			      .comm = recording_string(r, "motor_ctl"),
			      .tgid = 812,
			      .tid = 812,
			      .cpu = 1,
			      .prio = 19,
			      .normal_prio = 19,
			      .policy = 1,
			      .flags = WAKE_TIMER,
			      .expiry_ns = (int64_t)total_ns,
			      .irq_ns = (int64_t)total_ns - 12100,
			      .waking_ns = (int64_t)total_ns - 13000,
			      .queued_ns = (int64_t)total_ns - 14000,
			      .resched_ns = -1,
			      .context = SPAN_VECTOR,
			      .context_id = VECTOR_LOCAL_TIMER,
			      .waker_comm = recording_string(r, "swapper/1"),
			      .waker_cpu = 1,
			      .preempt_depth = 0,
			      .waker_stack = wakeup_stack(r, woke, 2),
			      .out_stack = bad ? wakeup_stack(r, let_go, 4) : -1,
			      .user_stack = -1,
			      .n_parts = n_parts,
			      .n_spans = 2 };

	c.parts = calloc(n_parts, sizeof(*c.parts));
	c.spans = calloc(2, sizeof(*c.spans));
	if (!c.parts || !c.spans)
		err(1, "case");
	memcpy(c.parts, parts, n_parts * sizeof(*parts));
	c.spans[0] = (struct rec_span){ SPAN_TASK,	   233,	 recording_string(r, "camera-svc"), 120, -60000,
					(int64_t)total_ns, 50400 };
	c.spans[1] = (struct rec_span){ SPAN_HARDIRQ, 45, recording_string(r, "eth0"), 0, 20000, 30000, 10000 };
	wakeup_must(latency_case(r->latency, &c));
}

static inline void wakeup_bad(struct recording *r, bool above)
{
	int camera = recording_string(r, "camera-svc"), eth0 = recording_string(r, "eth0");
	const struct rec_part parts[] = {
		{ .cause = CAUSE_SOFTIRQ, .id = 3, .spans = 3, .ns = 88200 },
		{ .cause = CAUSE_TASK_WORSE, .name = camera, .tid = 233, .prio = 120, .spans = 1, .ns = 50400 },
		{ .cause = CAUSE_HARDIRQ, .id = 45, .name = eth0, .spans = 3, .ns = 30000 },
		{ .cause = CAUSE_TIMER_IRQS_OFF, .spans = 1, .ns = 12100 },
		{ .cause = CAUSE_SWITCH, .spans = 1, .ns = 6700 },
	};

	wakeup_case(r, 187400, above, parts, sizeof(parts) / sizeof(parts[0]));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !above; i++)
		wakeup_cause(r, parts[i].cause, parts[i].id, recording_str(r, parts[i].name), 187400, parts[i].spans,
			     parts[i].ns);
}

static inline void wakeup_late(struct recording *r)
{
	const struct rec_part parts[] = {
		{ .cause = CAUSE_HARDIRQ, .id = 45, .name = recording_string(r, "eth0"), .spans = 1, .ns = 18900 },
		{ .cause = CAUSE_TIMER_HANDLER, .spans = 1, .ns = 3000 },
		{ .cause = CAUSE_SWITCH, .spans = 1, .ns = 2000 },
		{ .cause = CAUSE_ACTIVATION, .spans = 1, .ns = 1000 },
	};

	wakeup_case(r, 24900, false, parts, sizeof(parts) / sizeof(parts[0]));
}

static inline void wakeup_point(struct recording *r, unsigned interval, enum latency_kind kind, uint64_t count,
				uint64_t sum_ns, uint64_t max_ns)
{
	uint64_t usual_ns = hist_bucket_min_ns(hist_bucket(wakeup_ns[0][kind]) + 1) - 1;
	struct rec_point p = { .start_ns = interval * 10000000000u,
			       .duration_ns = 10000000000u,
			       .kind = kind,
			       .count = count,
			       .sum_ns = sum_ns,
			       .max_ns = max_ns,
			       .p50_ns = usual_ns < max_ns ? usual_ns : max_ns,
			       .p99_ns = usual_ns < max_ns ? usual_ns : max_ns };

	wakeup_must(latency_point(r->latency, &p));
}

static inline void wakeup_interval(struct recording *r, unsigned interval)
{
	struct rec_latency *l = r->latency;
	uint64_t sum_ns[LATENCY_QUEUE + 1];

	for (int kind = LATENCY_TIMER; kind <= LATENCY_QUEUE; kind++) {
		uint64_t all = interval ? 5000 : 10000, behind = interval ? 0 : 99, bad = !interval;

		sum_ns[kind] = (all - behind - bad) * wakeup_ns[0][kind] + behind * wakeup_ns[1][kind] +
			       bad * wakeup_ns[2][kind];
		wakeup_point(r, interval, (enum latency_kind)kind, all, sum_ns[kind],
			     wakeup_ns[interval ? 0 : 2][kind]);
	}
	if (interval) {
		wakeup_at_ease(r, 5000);
		return;
	}
	wakeup_at_ease(r, 9900);
	wakeup_behind(r, 99);
	for (int kind = LATENCY_TIMER; kind <= LATENCY_QUEUE; kind++)
		wakeup_values(l, (enum latency_kind)kind, wakeup_ns[2][kind], 1);
	l->counts[WAKE_COUNT_WAKEUPS]++;
	l->counts[WAKE_COUNT_TIMERS]++;
	l->counts[WAKE_COUNT_ABOVE]++;
	wakeup_values(l, LATENCY_PREEMPTED, 14000, 12);
	wakeup_cause(r, CAUSE_TASK_BETTER, 0, "camera-svc", 14000, 12, 12 * 14000);
	l->counts[WAKE_COUNT_PREEMPTIONS] += 12;
	wakeup_late(r);
	wakeup_bad(r, false);
	wakeup_bad(r, true);
}

static inline void make_wakeup(struct saver *s, struct recording *r)
{
	struct rec_latency *l = latency_of(r);

	if (!l)
		err(1, "latency");
	strcpy(r->meta.tool, "wakeup");
	strcpy(r->meta.command_line, "kbpfprof wakeup -p 812 --above 100us -o FILE");
	strcpy(r->meta.target, "PID 812");
	memset(&r->sampling, 0, sizeof(r->sampling));
	l->above_ns = 100000;
	l->worst = 5;
	l->no_nmi = LACK_KERNEL;
	strcpy(l->policy, "FIFO 80");
	for (unsigned i = 0; i < 2; i++) {
		wakeup_interval(r, i);
		r->meta.duration_ns = (i + 1) * 10000000000u;
		wakeup_must(saver_interval(s, r));
	}
}

#endif
