/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel tells of every process as it happens: fork, exec, executable mappings, exit. So a
 * process has names that is gone before anybody could read its maps. One perf event a CPU without
 * samples of its own (PERF_COUNT_SW_DUMMY), its records taken in the order of their times, of all CPUs.
 */
#ifndef SYMBOLS_SIDEBAND_H
#define SYMBOLS_SIDEBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"
#include "core/perf_ring.h"
#include "symbols/generations.h"

#define SIDEBAND_RECORD_BYTES 8192 /* the longest, of a mapping with a path of PATH_MAX, has some 4200 */

/* A ring, and what is known of its records. */
struct sideband_cpu {
	struct perf_ring ring;
	unsigned id;
	uint64_t next_ns; /* time of the next record; UINT64_MAX: there is none */
	uint64_t last_ns; /* of the last one taken, or when the run began */
	bool was_full;	  /* when it was fetched */
};

/* All zero: closed, no event is ever seen. */
struct sideband {
	struct sideband_cpu *cpus;
	size_t n, max, ring_bytes;
	struct generations generations;
	int64_t boottime_offset_ns;
	uint64_t lost; /* events that found no room in a ring, or were not understood */
	char *record;  /* SIDEBAND_RECORD_BYTES: one that wraps around */
};

/* Opens the events of all online CPUs; nothing is told yet. 0 or -errno: then it is closed. */
int sideband_open(struct sideband *b);
/* From here on. 0 or -errno. */
int sideband_start(struct sideband *b);
/*
 * Events go with their CPUs, for good. Gives one to each that is in `online` and has none, or to all anew; what those
 * may have told since `since_ns` is not known.
 */
void sideband_follow(struct sideband *b, const struct cpu_list *online, uint64_t since_ns, bool anew);
void sideband_close(struct sideband *b);

/* Takes in all that was told until now. */
void sideband_read(struct sideband *b);
/* Likewise, of the n rings that were fetched, what is not later than `until_ns`. */
void sideband_merge(struct sideband *b, uint64_t until_ns);

/* Boot time as the kernel has it, in no namespace. */
uint64_t sideband_now_ns(const struct sideband *b);

#endif
