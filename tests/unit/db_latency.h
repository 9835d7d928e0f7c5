/* SPDX-License-Identifier: GPL-2.0-only */
/* Latencies for the tests of files. Included by db_build.h. */
#ifndef DB_LATENCY_H
#define DB_LATENCY_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/latency.h"
#include "unit.h"

static inline void db_hist(struct rec_latency *l, int group, enum latency_kind kind, uint64_t small_ns, uint64_t big_ns)
{
	struct rec_hist *h = latency_hist(l, group, kind);
	struct hist more = { 0 };

	assert_non_null(h);
	for (int i = 0; i < 300; i++)
		hist_add(&more, small_ns);
	hist_add(&more, big_ns);
	latency_merge(h, &more);
}

static inline void db_case(struct recording *r, unsigned i, uint64_t total_ns, bool above, int stack)
{
	char name[16];
	struct rec_case c = { .kind = above ? LATENCY_PREEMPTED : LATENCY_TIMER,
			      .above = above,
			      .total_ns = total_ns,
			      .unix_ns = 1700000005123456789 + i,
			      .comm = recording_string(r, "prog"),
			      .tgid = 10,
			      .tid = 11,
			      .cpu = 1,
			      .prio = 19,
			      .normal_prio = 120,
			      .policy = 1,
			      .flags = WAKE_TIMER | WAKE_PINNED,
			      .moves = 2,
			      .expiry_ns = (int64_t)total_ns,
			      .irq_ns = 900,
			      .waking_ns = 800,
			      .queued_ns = 700,
			      .resched_ns = -1,
			      .context = SPAN_HARDIRQ,
			      .context_id = 45,
			      .context_name = recording_string(r, "eth0"),
			      .waker_comm = recording_string(r, "swapper"),
			      .waker_tgid = 1,
			      .waker_tid = 2,
			      .waker_cpu = 3,
			      .preempt_depth = 4,
			      .waker_stack = stack,
			      .out_stack = -1,
			      .user_stack = above ? stack : -1,
			      .n_parts = 2,
			      .n_spans = 2 };

	snprintf(name, sizeof(name), "hog%u", i);
	c.parts = calloc(2, sizeof(*c.parts));
	c.spans = calloc(2, sizeof(*c.spans));
	assert_true(c.parts && c.spans);
	c.parts[0] = (struct rec_part){
		CAUSE_TASK_BOOSTED, 0, recording_string(r, name), recording_string(r, "lender"), 77, 20, 3, total_ns - 5
	};
	c.parts[1] = (struct rec_part){ CAUSE_SOFTIRQ, 3, 0, 0, 0, 0, 1, 5 };
	c.spans[0] = (struct rec_span){ SPAN_VECTOR, VECTOR_RESCHEDULE, 0, 0, -700, -600, 100 };
	c.spans[1] = (struct rec_span){ SPAN_TASK, 77, recording_string(r, name), -1, -600, (int64_t)total_ns, 9 };
	assert_int_equal(latency_case(r->latency, &c), 0);
}

/* Interval i: each is worse than the one before, by a power of two, so that each has extremes of its own. */
static inline void db_grow_latency(struct recording *r, unsigned i, int stack)
{
	uint64_t big_ns = 1ull << (16 + i);
	struct rec_latency *l = latency_of(r);
	char name[16];

	assert_non_null(l);
	l->above_ns = 100000;
	l->worst = 2;
	strcpy(l->per, "task");
	strcpy(l->policy, "FIFO 80");
	l->no_nmi = LACK_KERNEL;
	l->no_resched = LACK_UNSAFE;
	l->no_preempt_depth = LACK_CHOICE;
	db_hist(l, 0, LATENCY_WAKING, 1ull << (8 + i), big_ns);
	db_hist(l, 0, LATENCY_PREEMPTED, 0, big_ns);
	snprintf(name, sizeof(name), "group%u", i % 2);
	db_hist(l, recording_string(r, name), LATENCY_WAKING, 1ull << (8 + i), big_ns);
	snprintf(name, sizeof(name), "only%u", i);
	for (unsigned k = 0; k < 2; k++) {
		struct rec_cause
			hog = { CAUSE_TASK_WORSE, 0, recording_string(r, name), hist_quarter(big_ns), k, 1, big_ns },
			irq = { CAUSE_HARDIRQ, 45, recording_string(r, "eth0"), 20, k, 2 + i, 500 };

		assert_int_equal(latency_cause(l, &hog), 0);
		assert_int_equal(latency_cause(l, &irq), 0);
	}
	db_case(r, i, big_ns, false, stack);
	db_case(r, i, 3000 - i, true, stack);
	assert_int_equal(latency_point(l, &(struct rec_point){ i * 10000000000ull, 10000000000ull, LATENCY_WAKING, 301,
							       300ull << (8 + i), big_ns, 1ull << (8 + i), big_ns }),
			 0);
	for (unsigned k = 0; k < WAKE_COUNTS; k++)
		l->counts[k] += k == WAKE_COUNT_CLOCK ? 0 : k + i + 1;
}

static inline void print_case(FILE *f, const struct recording *r, const struct rec_case *c)
{
	fprintf(f, "case %d %d %" PRIu64 " %" PRIu64 " %s %d %d %d", c->kind, c->above, c->total_ns, c->unix_ns,
		recording_str(r, c->comm), c->tgid, c->tid, c->cpu);
	fprintf(f, " %d %d %u %u %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, c->prio, c->normal_prio,
		c->policy, c->flags, c->moves, c->expiry_ns, c->irq_ns, c->waking_ns, c->queued_ns, c->resched_ns);
	fprintf(f, " %d %d %s %s %d %d %d %d", c->context, c->context_id, recording_str(r, c->context_name),
		recording_str(r, c->waker_comm), c->waker_tgid, c->waker_tid, c->waker_cpu, c->preempt_depth);
	for (int i = 0; i < 3; i++) {
		int stack = i ? i > 1 ? c->user_stack : c->out_stack : c->waker_stack;
		const struct rec_stack *s = stack < 0 ? NULL : &r->stacks[stack];

		fprintf(f, " %s", s ? recording_str(r, r->locations[r->frames[s->first]].name) : "-");
	}
	for (size_t i = 0; i < c->n_parts; i++)
		fprintf(f, "\n part %d %d %s %s %d %d %" PRIu64 " %" PRIu64, c->parts[i].cause, c->parts[i].id,
			recording_str(r, c->parts[i].name), recording_str(r, c->parts[i].by), c->parts[i].tid,
			c->parts[i].prio, c->parts[i].spans, c->parts[i].ns);
	for (size_t i = 0; i < c->n_spans; i++)
		fprintf(f, "\n span %d %d %s %d %" PRId64 " %" PRId64 " %" PRIu64, c->spans[i].kind, c->spans[i].id,
			recording_str(r, c->spans[i].name), c->spans[i].prio, c->spans[i].start_ns, c->spans[i].end_ns,
			c->spans[i].net_ns);
	fputc('\n', f);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In any order: which came first is known of cases and points only. */
static inline void print_sums(FILE *out, const struct recording *r)
{
	const struct rec_latency *l = r->latency;
	size_t n = l->n_hists + l->n_causes, bytes;
	char **lines = calloc(n + 1, sizeof(*lines));

	for (size_t i = 0; i < n; i++) {
		FILE *f = open_memstream(&lines[i], &bytes);
		const struct rec_hist *h = l->hists + i;
		const struct rec_cause *c = l->causes + (i < l->n_hists ? 0 : i - l->n_hists);

		if (i < l->n_hists) {
			fprintf(f, "hist %s %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
				recording_str(r, h->group), h->kind, h->count, h->sum_ns, h->min_ns, h->max_ns);
			for (unsigned b = 0; b < HIST_BUCKETS; b++)
				if (h->buckets[b])
					fprintf(f, " %u:%" PRIu64, b, h->buckets[b]);
		} else {
			fprintf(f, "cause %d %d %s %u %d %" PRIu64 " %" PRIu64, c->cause, c->id,
				recording_str(r, c->name), c->quarter, c->preempted, c->spans, c->ns);
		}
		fclose(f);
	}
	qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
}

static inline void print_latency(FILE *f, const struct recording *r)
{
	const struct rec_latency *l = r->latency;

	fprintf(f, "latency %" PRIu64 " %u %s %s %u%u%u%u%u%u%u%u%d%d\n", l->above_ns, l->worst, l->per, l->policy,
		l->no_timer, l->no_resched, l->no_switch_entry, l->no_vectors, l->no_nmi, l->no_interrupts,
		l->no_boosts, l->no_preempt_depth, l->softirqs_are_threads, l->no_causes);
	print_sums(f, r);
	for (size_t i = 0; i < l->n_cases; i++)
		print_case(f, r, &l->cases[i]);
	for (size_t i = 0; i < l->n_points; i++) {
		const struct rec_point *p = &l->points[i];

		fprintf(f,
			"point %" PRIu64 " %" PRIu64 " %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			"\n",
			p->start_ns, p->duration_ns, p->kind, p->count, p->sum_ns, p->max_ns, p->p50_ns, p->p99_ns);
	}
	for (unsigned i = 0; i < WAKE_COUNTS; i++)
		fprintf(f, " %" PRIu64, l->counts[i]);
	fputc('\n', f);
}

#endif
