/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of `profile` share: profile.c (options, events), profile_samples.c (looks, drain), profile_cpus.c
 * (CPUs that come and go), profile_books.c.
 */
#ifndef TOOLS_PROFILE_H
#define TOOLS_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/event.h"
#include "core/samples.h"
#include "core/session.h"
#include "kbpfprof/profile.h"
#include "symbols/symbols.h"

#include "profile.skel.h"

struct profile_options {
	const char *freq, *event;
	uint64_t count;
	uint64_t max_stacks;
	bool kernel_only, user_only;
};

struct profile_state {
	struct profile_bpf *skeleton;
	struct event event;
	struct event_set events;
	struct event_totals totals; /* once stopped */
	struct samples samples;
	struct symbols *symbols;

	uint64_t asked_hz, asked_period; /* one of them is 0 */
	uint64_t rate_hz;		 /* fires per second and busy CPU, if known beforehand */
	char fallback[128];
	bool by_tgid;
	bool idle_is_guess;
	unsigned max_depth;

	struct profile_books *books; /* by CPU id, shared with the program */
	size_t books_bytes;
	uint64_t events_look_ns; /* CLOCK_MONOTONIC: when they are asked next whether they still count */
	uint64_t drained_fires, drained_weight;
	uint64_t user_stacks, short_user_stacks; /* weighted by fires */
};

/* Before and after load: the map of books. 0 or -errno. */
int profile_books_size(struct profile_state *p);
int profile_books_map(struct profile_state *p);
void profile_books_unmap(struct profile_state *p);

/* Events follow CPUs that go offline and come back. 0 or -errno after a message. */
int profile_follow_cpus(struct session *s, struct recording *r, bool changed);
void profile_cpus_end(struct session *s); /* at the end of the run, before the events are disabled */

/* Processes that begin and end are watched, if that can be had and user stacks are wanted. */
void profile_watch_open(struct session *s);
int profile_watch_start(struct session *s);
int profile_tick(struct session *s, struct recording *r);
int profile_drain(struct session *s, struct recording *r);
uint64_t profile_count(struct session *s);
int profile_settle(struct session *s, struct recording *r, bool last);

#endif
