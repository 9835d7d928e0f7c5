/* SPDX-License-Identifier: GPL-2.0-only */
/* Small recordings of latencies by hand, for the tests of their views. */
#ifndef LATENCY_BUILD_H
#define LATENCY_BUILD_H

#include <sched.h>

#include "core/latency.h"
#include "view_build.h"

static inline struct recording *latency_new(void)
{
	struct recording *r = recording_new();

	assert_non_null(r);
	r->meta = (struct rec_meta){ .tool = "wakeup",
				     .target = "motor_ctl (PID 812)",
				     .kernel = "6.1.0-18-rt-amd64 x86_64",
				     .start_unix_ns = 1700000000ull * 1000000000, /* 2023-11-14 22:13:20 UTC */
				     .duration_ns = 60ull * 1000000000,
				     .cpus = 2 };
	assert_non_null(latency_of(r));
	r->latency->worst = 5;
	return r;
}

/* `times` delays of `ns`; of group "" they are counted. */
static inline void latency_add(struct recording *r, const char *group, enum latency_kind kind, uint64_t ns,
			       unsigned times)
{
	struct rec_hist *h = latency_hist(r->latency, recording_string(r, group), kind);
	struct hist more = { 0 };

	assert_non_null(h);
	for (unsigned i = 0; i < times; i++)
		hist_add(&more, ns);
	latency_merge(h, &more);
	if (*group)
		return;
	r->latency->counts[WAKE_COUNT_TIMERS] += kind == LATENCY_TIMER ? times : 0;
	r->latency->counts[WAKE_COUNT_WAKEUPS] += kind == LATENCY_WAKING ? times : 0;
	r->latency->counts[WAKE_COUNT_PREEMPTIONS] += kind == LATENCY_PREEMPTED ? times : 0;
}

/* What a cause took of the delays as long as `delay_ns`. */
static inline void latency_took(struct recording *r, uint64_t delay_ns, enum wake_cause cause, int id, const char *name,
				uint64_t ns)
{
	struct rec_cause more = { .cause = cause,
				  .id = id,
				  .name = recording_string(r, name),
				  .quarter = hist_quarter(delay_ns),
				  .spans = 1,
				  .ns = ns };

	assert_int_equal(latency_cause(r->latency, &more), 0);
}

static inline void latency_preempted_took(struct recording *r, uint64_t delay_ns, enum wake_cause cause,
					  const char *name, uint64_t ns)
{
	struct rec_cause more = { .cause = cause,
				  .name = recording_string(r, name),
				  .quarter = hist_quarter(delay_ns),
				  .preempted = true,
				  .spans = 1,
				  .ns = ns };

	assert_int_equal(latency_cause(r->latency, &more), 0);
}

/* Of motor_ctl, woken by the timer's interrupt on CPU 1; to be changed, filled with parts, and given to latency_case().
 */
static inline struct rec_case latency_case_of(struct recording *r, enum latency_kind kind, uint64_t total_ns)
{
	struct rec_case c = { .kind = kind,
			      .total_ns = total_ns,
			      .unix_ns = 1700000013123456789, /* 22:13:33.123456 UTC */
			      .comm = recording_string(r, "motor_ctl"),
			      .tgid = 812,
			      .tid = 812,
			      .cpu = 1,
			      .prio = 19,
			      .normal_prio = 19,
			      .policy = SCHED_FIFO,
			      .expiry_ns = kind == LATENCY_TIMER ? (int64_t)total_ns : -1,
			      .irq_ns = -1,
			      .waking_ns = kind == LATENCY_WAKING ? (int64_t)total_ns : -1,
			      .queued_ns = -1,
			      .resched_ns = -1,
			      .context = SPAN_VECTOR,
			      .context_id = VECTOR_LOCAL_TIMER,
			      .waker_comm = recording_string(r, "camera-svc"),
			      .waker_tgid = 230,
			      .waker_tid = 233,
			      .waker_cpu = 1,
			      .preempt_depth = 1,
			      .waker_stack = -1,
			      .out_stack = -1,
			      .user_stack = -1 };

	return c;
}

static inline void latency_part(struct recording *r, struct rec_case *c, enum wake_cause cause, int id,
				const char *name, uint64_t spans, uint64_t ns)
{
	c->parts = realloc(c->parts, (c->n_parts + 1) * sizeof(*c->parts));
	assert_non_null(c->parts);
	c->parts[c->n_parts++] = (struct rec_part){
		.cause = cause, .id = id, .name = recording_string(r, name), .spans = spans, .ns = ns
	};
}

static inline void latency_span(struct recording *r, struct rec_case *c, enum span_kind kind, int id, const char *name,
				int64_t start_ns, int64_t end_ns)
{
	c->spans = realloc(c->spans, (c->n_spans + 1) * sizeof(*c->spans));
	assert_non_null(c->spans);
	c->spans[c->n_spans++] = (struct rec_span){ .kind = kind,
						    .id = id,
						    .name = recording_string(r, name),
						    .prio = kind == SPAN_TASK ? 120 : 0,
						    .start_ns = start_ns,
						    .end_ns = end_ns,
						    .net_ns = (uint64_t)(end_ns - start_ns) };
}

static inline int latency_stack(struct recording *r, const char *const *names, unsigned n)
{
	struct build_frame frames[16];

	assert_true(n <= 16);
	for (unsigned i = 0; i < n; i++)
		frames[i] = (struct build_frame)KERNEL(names[i]);
	return build_stack(r, frames, n);
}

#define LATENCY_STACK(r, ...)                                    \
	latency_stack((r), (const char *const[]){ __VA_ARGS__ }, \
		      sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *const))

/* Its page; the caller frees it. */
static inline char *page(const struct recording *r)
{
	return build_view("latency", r, (struct view_options){ .top = VIEW_TOP_AUTO });
}

static inline void page_has(const struct recording *r, const char *part)
{
	char *text = page(r);

	has(text, part);
	free(text);
}

static inline void page_has_not(const struct recording *r, const char *part)
{
	char *text = page(r);

	has_not(text, part);
	free(text);
}

#endif
