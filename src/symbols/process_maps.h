/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the mappings of a process come from; the parts of process.c that know of /proc and of events. */
#ifndef SYMBOLS_PROCESS_MAPS_H
#define SYMBOLS_PROCESS_MAPS_H

#include "symbols/process.h"

void process_drop_maps(struct processes *p, struct process *process);

/*
 * Replaces the mappings of the process by those it has now, as events or /proc tell; if neither can, it
 * keeps the old ones. 0 or -ENOMEM.
 */
int process_read(struct processes *p, struct process *process, uint64_t seen_ns);

/* By events alone. 1: they are as events tell; 0: no event tells of it; -ENOMEM. */
int process_update(struct processes *p, struct process *process, uint64_t seen_ns);

#endif
