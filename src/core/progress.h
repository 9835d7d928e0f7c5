/* SPDX-License-Identifier: GPL-2.0-only */
/* One line on stderr that tells how a run goes, only if that is a terminal. */
#ifndef CORE_PROGRESS_H
#define CORE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool on;
	uint64_t next_ns, start_ns, start_cpu_ns; /* CLOCK_MONOTONIC; own CPU time when the run began */
	uint64_t duration_ns;			  /* of the whole run; 0: until Ctrl-C */
};

/* What a line tells; counts are from the start of the run. */
struct progress_news {
	const char *what; /* "samples" */
	uint64_t kept, lost;
};

void progress_start(struct progress *p, bool wanted, uint64_t duration_ns);
/* Is it time for another line? */
bool progress_is_due(const struct progress *p);
void progress_show(struct progress *p, const struct progress_news *news);
/* Wipes the line, so that what follows on stderr begins on an empty one. */
void progress_end(struct progress *p);

/* Own user and system CPU time so far. */
uint64_t progress_cpu_ns(void);

#endif
