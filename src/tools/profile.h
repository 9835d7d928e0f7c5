/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of `profile` share: profile.c (options, events), profile_maps.c (sizes, swap, drain), profile_books.c.
 */
#ifndef TOOLS_PROFILE_H
#define TOOLS_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/event.h"
#include "core/grace.h"
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
	struct grace grace;
	struct symbols *symbols;

	uint64_t asked_hz, asked_period; /* one of them is 0 */
	uint64_t rate_hz;		 /* fires per second and busy CPU, if known beforehand */
	char fallback[128];
	bool by_tgid;
	bool idle_is_guess;
	unsigned max_depth;

	struct profile_cpu *cpus; /* by CPU id, shared with the program */
	size_t cpus_bytes;
	char *arenas; /* likewise */
	size_t arenas_bytes;
	uint32_t *looked_at;	/* bytes of each CPU's active arena that tick() has seen, by position in session.cpus */
	uint64_t active_stacks; /* records in the active set, as tick() saw it */
	uint64_t user_stacks, short_user_stacks; /* weighted by fires */
};

/* Before load: how large the maps are. */
int profile_maps_size(struct session *s);
/* After load: shares them. */
int profile_maps_map(struct session *s);
void profile_maps_unmap(struct profile_state *p);

int profile_tick(struct session *s, struct recording *r);
int profile_drain(struct session *s, struct recording *r);
int profile_finish(struct session *s, struct recording *r);

#endif
