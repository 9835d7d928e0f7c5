/* SPDX-License-Identifier: GPL-2.0-only */
/* From the maps of histograms, causes and counts to the recording. They only grow: each look takes all of it. */
#include <bpf/bpf.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/cgroup.h"
#include "core/clock.h"
#include "tools/wakeup.h"

/* Adds up one histogram of every CPU; the first one's is at `first`, each other `stride` bytes behind. */
static void sum_hist(const struct wakeup_state *w, struct hist *sum, const void *first, size_t stride)
{
	memset(sum, 0, sizeof(*sum));
	for (unsigned cpu = 0; cpu < w->possible_cpus; cpu++) {
		const struct hist *h = (const void *)((const char *)first + cpu * stride);

		if (!h->count)
			continue;
		if (!sum->count || h->min_ns < sum->min_ns)
			sum->min_ns = h->min_ns;
		if (h->max_ns > sum->max_ns)
			sum->max_ns = h->max_ns;
		sum->count += h->count;
		sum->sum_ns += h->sum_ns;
		for (unsigned i = 0; i < HIST_BUCKETS; i++)
			sum->buckets[i] += h->buckets[i];
	}
}

/*
 * A CPU may have been in the middle of adding a value: what the buckets hold is taken, so that a histogram is
 * never at odds with itself. The value comes whole with the next look.
 */
static int set_hist(struct rec_latency *l, int group, enum latency_kind kind, const struct hist *sum)
{
	struct rec_hist *h;

	if (!sum->count)
		return 0;
	h = latency_hist(l, group, kind);
	if (!h)
		return -ENOMEM;
	h->count = 0;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		h->count += h->buckets[i] = sum->buckets[i];
	h->sum_ns = sum->sum_ns;
	h->min_ns = sum->min_ns;
	h->max_ns = sum->max_ns;
	return 0;
}

static int drain_hists(struct wakeup_state *w, struct rec_latency *l)
{
	int fd = bpf_map__fd(w->skeleton->maps.hists), err = 0;
	const struct wake_hists *per_cpu = w->values;
	__u32 zero = 0;
	struct hist sum;

	if (bpf_map_lookup_elem(fd, &zero, w->values))
		return -errno;
	for (unsigned kind = 0; kind < LATENCY_KINDS && !err; kind++) {
		sum_hist(w, &sum, &per_cpu->of[kind], sizeof(*per_cpu));
		err = set_hist(l, 0, kind, &sum);
	}
	return err;
}

/* Of tasks without a name: no group may be "", which is all of them, and no task's name is that long. */
#define NO_COMM "[task without a name]"

static int group_name(const struct wakeup_state *w, struct recording *r, const struct wake_group_key *key)
{
	char name[4096], path[4000];

	switch (w->per) {
	case WAKE_PER_TASK:
		snprintf(name, sizeof(name), "%.16s-%" PRIu64, key->comm, (uint64_t)key->id);
		break;
	case WAKE_PER_COMM:
		if (!*key->comm)
			return recording_string(r, NO_COMM);
		snprintf(name, sizeof(name), "%.16s", key->comm);
		break;
	case WAKE_PER_CPU:
		snprintf(name, sizeof(name), "CPU %" PRIu64, (uint64_t)key->id);
		break;
	case WAKE_PER_PRIO:
		return recording_string(r, latency_prio_text(name, (int)key->id - 1));
	default:
		if (cgroup_path(key->id, path, sizeof(path)))
			snprintf(path, sizeof(path), "cgroup %" PRIu64 " (gone)", (uint64_t)key->id);
		snprintf(name, sizeof(name), "%s", path);
	}
	return recording_string(r, name);
}

static int drain_groups(struct wakeup_state *w, struct recording *r, struct rec_latency *l)
{
	int fd = bpf_map__fd(w->skeleton->maps.group_hists), err = 0;
	struct wake_group_key key, *before = NULL;
	struct hist sum;

	if (w->per == WAKE_PER_NONE)
		return 0;
	while (!err && !bpf_map_get_next_key(fd, before, &key)) {
		int name = group_name(w, r, &key);

		before = &key;
		if (name < 0)
			return name;
		if (bpf_map_lookup_elem(fd, &key, w->values))
			continue;
		sum_hist(w, &sum, w->values, sizeof(struct hist));
		err = key.kind < LATENCY_KINDS ? set_hist(l, name, key.kind, &sum) : 0;
	}
	return err;
}

static int add_cause(struct recording *r, struct rec_latency *l, const struct wake_cause_key *key,
		     const struct wake_cause_sum *sum)
{
	struct rec_cause cause = { .cause = key->cause,
				   .id = key->id,
				   .quarter = key->quarter,
				   .preempted = key->preempted,
				   .spans = sum->spans,
				   .ns = sum->ns };
	char name[KBPFPROF_COMM_BYTES + 1] = "";

	if (!sum->spans || key->cause >= WAKE_CAUSES || key->quarter >= HIST_QUARTERS)
		return 0;
	memcpy(name, key->name, KBPFPROF_COMM_BYTES);
	cause.name = recording_string(r, name);
	return cause.name < 0 ? cause.name : latency_cause(l, &cause);
}

/* Of all CPUs; the first one's is at `first`, each other `stride` bytes behind. */
static struct wake_cause_sum sum_cause(const struct wakeup_state *w, const void *first, size_t stride)
{
	struct wake_cause_sum sum = { 0 };

	for (unsigned cpu = 0; cpu < w->possible_cpus; cpu++) {
		const struct wake_cause_sum *one = (const void *)((const char *)first + cpu * stride);

		sum.spans += one->spans;
		sum.ns += one->ns;
	}
	return sum;
}

static int drain_causes(struct wakeup_state *w, struct recording *r, struct rec_latency *l)
{
	int fd = bpf_map__fd(w->skeleton->maps.cause_sums), err = 0;
	struct wake_cause_key key, *before = NULL;
	struct wake_cause_sum sum;

	for (size_t i = 0; i < l->n_causes; i++)
		l->causes[i].spans = l->causes[i].ns = 0;
	while (!err && !bpf_map_get_next_key(fd, before, &key)) {
		before = &key;
		if (bpf_map_lookup_elem(fd, &key, w->values))
			continue;
		sum = sum_cause(w, w->values, sizeof(sum));
		err = add_cause(r, l, &key, &sum);
	}
	return err;
}

static int drain_short(struct wakeup_state *w, struct recording *r, struct rec_latency *l, __u32 cause)
{
	const struct wake_short_sums *per_cpu = w->values;
	bool has_id = cause == CAUSE_HARDIRQ || cause == CAUSE_VECTOR || cause == CAUSE_SOFTIRQ ||
		      cause == CAUSE_TIMER_BEHIND;
	int err = 0;

	for (unsigned i = 0; i < 2 * WAKE_SHORT_QUARTERS && !err; i++) {
		struct wake_cause_key key = { .cause = (__u8)cause,
					      .id = has_id ? WAKE_ID_ANY : 0,
					      .quarter = (__u8)(i % WAKE_SHORT_QUARTERS),
					      .preempted = i >= WAKE_SHORT_QUARTERS };
		struct wake_cause_sum sum = sum_cause(w, &per_cpu->of[key.preempted][key.quarter], sizeof(*per_cpu));

		err = add_cause(r, l, &key, &sum);
	}
	return err;
}

static int drain_shorts(struct wakeup_state *w, struct recording *r, struct rec_latency *l)
{
	int fd = bpf_map__fd(w->skeleton->maps.short_sums), err = 0;

	for (__u32 cause = 0; cause < WAKE_CAUSES && !err; cause++) {
		if (bpf_map_lookup_elem(fd, &cause, w->values))
			return -errno;
		err = drain_short(w, r, l, cause);
	}
	return err;
}

/* Counts that are those of a histogram. */
static void count_waits(struct rec_latency *l)
{
	static const struct {
		enum wake_count count;
		enum latency_kind kind;
	} of[] = { { WAKE_COUNT_WAKEUPS, LATENCY_WAKING },
		   { WAKE_COUNT_PREEMPTIONS, LATENCY_PREEMPTED },
		   { WAKE_COUNT_TIMERS, LATENCY_TIMER } };

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const struct rec_hist *h = latency_find(l, 0, of[i].kind);

		l->counts[of[i].count] = h ? h->count : 0;
	}
}

static int drain_counts(struct wakeup_state *w, struct rec_latency *l)
{
	int fd = bpf_map__fd(w->skeleton->maps.counts);
	const __u64 *per_cpu = w->values;

	for (__u32 i = 0; i < WAKE_COUNTS; i++) {
		if (bpf_map_lookup_elem(fd, &i, w->values))
			return -errno;
		l->counts[i] = 0;
		for (unsigned cpu = 0; cpu < w->possible_cpus; cpu++)
			l->counts[i] += per_cpu[cpu];
	}
	count_waits(l);
	return 0;
}

int wakeup_drain_sums(struct wakeup_state *w, struct recording *r)
{
	struct rec_latency *l = latency_of(r);
	int err = l ? drain_hists(w, l) : -ENOMEM;

	if (!err)
		err = drain_groups(w, r, l);
	if (!err && w->config->causes)
		err = drain_causes(w, r, l);
	if (!err && w->config->causes)
		err = drain_shorts(w, r, l);
	return err ? err : drain_counts(w, l);
}

uint64_t wakeup_drain_count(struct wakeup_state *w)
{
	const struct wake_hists *per_cpu = w->values;
	uint64_t sum = 0;
	__u32 zero = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(w->skeleton->maps.hists), &zero, w->values))
		return 0;
	for (unsigned cpu = 0; cpu < w->possible_cpus; cpu++)
		sum += per_cpu[cpu].of[LATENCY_WAKING].count;
	return sum;
}

/* --- The series. */

/* What came to a histogram since `seen`, as one of its own. The extremes are those of the buckets, unless they are new.
 */
static void grown(struct rec_hist *more, uint64_t *buckets, const struct rec_hist *now, const struct hist *seen)
{
	*more = (struct rec_hist){ .buckets = buckets, .min_ns = now->min_ns };
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		buckets[i] = now->buckets[i] - seen->buckets[i];
		more->count += buckets[i];
		if (buckets[i])
			more->max_ns = hist_bucket_min_ns(i + 1) - 1;
	}
	if (now->max_ns > seen->max_ns || more->max_ns > now->max_ns)
		more->max_ns = now->max_ns;
	more->sum_ns = now->sum_ns - seen->sum_ns;
}

static void remember(struct hist *seen, const struct rec_hist *now)
{
	seen->count = now->count;
	seen->sum_ns = now->sum_ns;
	seen->max_ns = now->max_ns;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		seen->buckets[i] = (__u32)now->buckets[i];
}

int wakeup_drain_points(struct wakeup_state *w, struct recording *r, uint64_t end_ns)
{
	struct rec_latency *l = latency_of(r);
	uint64_t buckets[HIST_BUCKETS];
	int err = 0;

	if (!l || end_ns <= w->seen->end_ns)
		return l ? 0 : -ENOMEM;
	for (unsigned kind = 0; kind < LATENCY_KINDS && !err; kind++) {
		const struct rec_hist *now = latency_find(l, 0, kind);
		struct rec_point point = { .start_ns = w->seen->end_ns,
					   .duration_ns = end_ns - w->seen->end_ns,
					   .kind = kind };
		struct rec_hist more;

		if (!now)
			continue;
		grown(&more, buckets, now, &w->seen->hists[kind]);
		remember(&w->seen->hists[kind], now);
		point.count = more.count;
		point.sum_ns = more.sum_ns;
		point.max_ns = more.max_ns;
		point.p50_ns = latency_quantile(&more, 500);
		point.p99_ns = latency_quantile(&more, 990);
		err = latency_point(l, &point);
	}
	w->seen->end_ns = end_ns;
	return err;
}

int wakeup_follow_cpus(struct session *s, struct recording *r, bool changed)
{
	struct wakeup_state *w = s->state;
	uint64_t now_ns;
	int err;

	if (!changed)
		return 0;
	now_ns = clock_ns(CLOCK_MONOTONIC);
	symbols_watch_cpus(w->symbols, &s->watch.online, now_ns - s->watched_ns, false);
	err = cpu_gaps_follow(&s->gaps, &s->watch.online, now_ns, r);
	if (err)
		warnx("cannot note which CPUs are offline: %s", strerror(-err));
	return err;
}
