/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/profile.bpf.c counts beside the samples themselves. */
#ifndef KBPFPROF_PROFILE_H
#define KBPFPROF_PROFILE_H

#include "types.h"

struct profile_tally {
	__u64 fires, period; /* runs of the program; what they stood for, in units of the event */
};

/* An element a CPU id of the map `books`, written by that CPU only (perf programs of one CPU do not nest). */
struct profile_books {
	struct profile_tally seen;     /* every run of the program */
	struct profile_tally idle;     /* of them: the idle task, outside of interrupt work */
	struct profile_tally filtered; /* of them: other tasks than those asked for */
	struct profile_tally kept;     /* of them: in the samples; the rest is in `losses` */
};

#if __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(struct profile_books) == 64, "a cache line, not shared");
#endif

#endif
