/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each process maps executable, learnt once and kept while stacks come from it: from the events
 * that told of it as it happened, or, of processes older than those, from /proc.
 */
#ifndef SYMBOLS_PROCESS_H
#define SYMBOLS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/object.h"
#include "symbols/sideband.h"
#include "symbols/symbols.h"

#define PROCESS_BUCKETS	 1024
#define PROCESSES_MAX	 4096
#define PROCESS_MAPS_MAX 16384 /* of one process; more are left out */

struct process_map {
	uint64_t start, end;
	uint64_t offset; /* of start in the file */
	struct object *object;
};

struct process {
	struct process *next; /* in its bucket */
	struct process_id id;
	enum why why;	  /* WHY_NAMED: the maps are known; else why none of its addresses can be named */
	bool gone;	  /* it ended since: maps cannot be read again */
	bool by_events;	  /* the maps are of a generation, ... */
	bool is_complete; /* ... which knows them all ... */
	unsigned version; /* ... as they were at that version */
	unsigned round_used;
	uint64_t read_ns, pause_ns; /* CLOCK_MONOTONIC_COARSE: last read; how long not to read again for a caller */
	unsigned n_maps;
	struct process_map *maps; /* ascending */
};

struct processes {
	struct process *buckets[PROCESS_BUCKETS];
	unsigned n;
	unsigned round;
	struct sideband sideband;
	int64_t boottime_offset_ns;
	struct objects objects;
};

int processes_init(struct processes *p);
void processes_free(struct processes *p);

/* `seen_ns` is always when the sample in question was first seen (boot time), 0: not known. */

/* Known already, or NULL. */
struct process *processes_find(struct processes *p, const struct process_id *id, uint64_t seen_ns);
/* Known or read now; NULL: no memory. */
struct process *processes_get(struct processes *p, const struct process_id *id, uint64_t seen_ns);
/* No further process should be taken in before others are forgotten. */
bool processes_full(const struct processes *p);

/*
 * The mapping of an address, or NULL. If there is none the maps are read again, it may be of a library
 * loaded since. The leaf of a stack surely is code; callers found by frame pointers are often no
 * addresses at all, so for them the pause between two reads grows while they are in vain.
 */
const struct process_map *process_map(struct processes *p, struct process *process, uint64_t address, bool is_leaf,
				      uint64_t seen_ns);

/* Takes in what events told until now, and reads the mappings of older processes that forked: children have them. */
void processes_watch(struct processes *p);
/* A process that is older than the events, and will be asked for: reads its mappings, opens nothing. */
void processes_adopt(struct processes *p, int tgid);

/* Forgets processes not used for `rounds` rounds. */
void processes_evict(struct processes *p, unsigned rounds);

#endif
