/* SPDX-License-Identifier: GPL-2.0-only */
/* The second step: names for the locations of a recording that have none yet. */
#ifndef SYMBOLS_RESOLVE_H
#define SYMBOLS_RESOLVE_H

#include <stddef.h>

#include "core/recording.h"
#include "symbols/object.h"

/* All zero at first; belongs to one recording. */
struct resolver {
	size_t stacks_trimmed;	   /* stacks below this id are done */
	size_t mappings_described; /* likewise mappings */
};

/* Locations in files. 0 or -ENOMEM. Afterwards no object is pending. */
int resolve_files(struct objects *objects, struct recording *r);
/* Locations in the kernel; then takes the profiler's own frames from the leaves of stacks. 0 or -ENOMEM. */
int resolve_kernel(struct resolver *resolver, struct recording *r);

#endif
