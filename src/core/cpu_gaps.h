/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times of a run in which a CPU was not measured, since it was offline: not at the start, or not any
 * more. They go into the recording, so that nothing is missing there in silence.
 */
#ifndef CORE_CPU_GAPS_H
#define CORE_CPU_GAPS_H

#include "core/cpu.h"
#include "core/recording.h"

struct cpu_gaps {
	const struct cpu_list *cpus; /* the caller's: all that may be measured */
	struct cpu_gap_state *states;
	uint64_t start_ns; /* of the run; all times are those of one clock */
	unsigned measured; /* how many of the CPUs were, at any time */
};

int cpu_gaps_open(struct cpu_gaps *g, const struct cpu_list *cpus); /* 0 or -ENOMEM */
/* The run begins: those that are not in `online` have a gap from here on. */
void cpu_gaps_start(struct cpu_gaps *g, const struct cpu_list *online, uint64_t now_ns);
/* CPU i of the list is not measured from that time on; nothing, if it is not anyway. */
void cpu_gaps_begin(struct cpu_gaps *g, size_t i, uint64_t ns);
/* It is measured again: its gap goes into the recording. 0 or -ENOMEM. */
int cpu_gaps_end(struct cpu_gaps *g, size_t i, uint64_t ns, struct recording *r);
bool cpu_gaps_is_open(const struct cpu_gaps *g, size_t i);
/* Both for all CPUs, by which are online now. */
int cpu_gaps_follow(struct cpu_gaps *g, const struct cpu_list *online, uint64_t now_ns, struct recording *r);
/* Puts what there is of gaps until now into the recording; they go on. 0 or -ENOMEM. */
int cpu_gaps_tell(struct cpu_gaps *g, uint64_t now_ns, struct recording *r);
void cpu_gaps_close(struct cpu_gaps *g);

#endif
