/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user-space half of bpf/samples.bpf.h: how large its maps are, swapped when, read how. While
 * one set is read programs fill the other, so nothing is missed and nothing is counted twice.
 */
#ifndef CORE_SAMPLES_H
#define CORE_SAMPLES_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/cpu.h"
#include "kbpfprof/samples.h"

/* Starts as zeros. */
struct samples {
	const struct cpu_list *cpus;   /* those that are measured; the caller's */
	struct samples_config *config; /* in the skeleton's .rodata */
	volatile uint32_t *active_set; /* in its .bss, once loaded */
	struct bpf_map *cpus_map, *arenas_map, *index_maps[SAMPLE_SETS], *outer_map;
	struct samples_cpu *by_cpu; /* by CPU id, shared with the programs */
	char *arenas;		    /* likewise */
	size_t by_cpu_bytes, arenas_bytes;
	uint32_t *looked_at, *marked; /* bytes of each CPU's active arena that samples_look() has seen, and may see, by
					 position in cpus */
	uint64_t active;	      /* records in the active set, as it saw them */
};

/* `sums` is NULL in samples_look(), where the record is not counted yet. 0 or -errno, which ends the walk. */
typedef int samples_fn(void *arg, const struct sample_record *record, const struct sample_sums *sums);

/* Before load. `stacks`: distinct samples a set holds; 0: the default for this many CPUs. 0 or -errno. */
int samples_size(struct samples *m, struct bpf_object *object, struct samples_config *config,
		 const struct cpu_list *cpus, uint64_t stacks);
/* How often to look, so that no arena can fill in between at this rate a CPU (0: not known), even with the deepest
 * stacks. */
uint64_t samples_look_ns(const struct samples *m, uint64_t rate_hz);
/* After load: shares the maps with the programs. 0 or -errno. */
int samples_map(struct samples *m, volatile uint32_t *active_set);
/* Takes note of what there is, without a system call: what is learnt from now on is newer. */
void samples_mark(struct samples *m);
/* Shows the records marked that the last look did not, without a system call. *filling: time to drain. */
int samples_look(struct samples *m, samples_fn *fn, void *arg, bool *filling);
/* Swaps the sets and hands over everything counted since the last drain. What is there before `fn` is first called is
 * all there will be. */
int samples_drain(struct samples *m, samples_fn *fn, void *arg);
void samples_close(struct samples *m);

#endif
