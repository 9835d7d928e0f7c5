/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of `wakeup` share: wakeup.c (options, run), wakeup_programs.c (which programs and maps this kernel
 * gets), wakeup_drain.c (maps to histograms and causes), wakeup_cases.c (delays in full).
 */
#ifndef TOOLS_WAKEUP_H
#define TOOLS_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/latency.h"
#include "core/session.h"
#include "core/trace_programs.h"
#include "kbpfprof/wakeup.h"
#include "symbols/symbols.h"

#include "wakeup.skel.h"

struct wakeup_options {
	bool realtime;
	const char *per;
	uint64_t worst;
	const char *above, *fail_above;
	bool user_stacks, no_causes, no_stacks;
};

/* What a histogram held when the last point of the series was made. */
struct wakeup_seen {
	struct hist hists[LATENCY_KINDS];
	uint64_t end_ns; /* since the start of the run */
};

struct wakeup_state {
	struct wakeup_bpf *skeleton;
	struct wakeup_config *config; /* in .rodata */
	struct symbols *symbols;
	enum wake_per per;
	unsigned possible_cpus;
	uint64_t above_ns, fail_above_ns;
	uint64_t next_point_ns; /* CLOCK_MONOTONIC: without a sink the series is ours to time */
	int64_t realtime_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	int64_t boottime_ns;	/* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	struct trace_vectors vectors;
	struct wake_case *above; /* by CPU, WAKE_ABOVE_SLOTS each; shared with the programs */
	size_t above_bytes;
	bool by_btf;	      /* programs on tracepoints are BTF ones */
	uint64_t *seen_cases; /* in_ns of the case last taken of each slot of worst_cases */
	void *values;	      /* of all CPUs, for one lookup of a per-CPU map: struct wake_hists is the largest */
	struct wake_case *a_case;
	struct wakeup_seen *seen;
	uint64_t above_told;	       /* lines printed */
	enum rec_lack lacks[FEATURES]; /* of what tracepoints_has() */
};

/* Before load: programs and maps by what the kernel has. 0 or -errno after a message. */
int wakeup_programs_choose(struct session *s);
/* What they do not show. */
void wakeup_programs_describe(const struct wakeup_state *w, struct rec_latency *l);
/* Why one of them is left out, a constant; NULL: it is not. */
const char *wakeup_programs_left_out(const struct wakeup_state *w, const char *program);

/* Histograms, causes and counts as they are now. 0 or -errno. */
int wakeup_drain_sums(struct wakeup_state *w, struct recording *r);
/* Wakeups so far. */
uint64_t wakeup_drain_count(struct wakeup_state *w);
/* Closes an interval of the series at `end_ns` since the start. */
int wakeup_drain_points(struct wakeup_state *w, struct recording *r, uint64_t end_ns);

/* New cases among the worst. */
int wakeup_drain_worst(struct wakeup_state *w, struct recording *r);
/* Cases above the limit, each told on stderr unless `quiet`. */
int wakeup_drain_above(struct wakeup_state *w, struct recording *r, bool quiet);

/* CPUs that came or went. 0 or -errno after a message. */
int wakeup_follow_cpus(struct session *s, struct recording *r, bool changed);

#endif
