/* SPDX-License-Identifier: GPL-2.0-only */
/* Which samples of a recording its reader wants: the filters of `report` and `diff`. */
#ifndef TOOLS_SELECT_H
#define TOOLS_SELECT_H

#include "core/options.h"
#include "core/recording.h"

struct select_options {
	const char *comms, *dsos, *sym; /* shell patterns; the first two are lists */
	const char *pids, *tids, *cpus; /* lists of numbers */
};

/* Rows of an option table for a `struct select_options` member named `select` of struct s. */
#define SELECT_OPTIONS(s)                                                                                     \
	OPT_STRING(0, "comm", s, select.comms, "NAME,...", "only commands of these names (shell patterns)"),  \
		OPT_STRING(0, "dso", s, select.dsos, "NAME,...", "only what ran in these objects: libc.so*"), \
		OPT_STRING(0, "sym", s, select.sym, "NAME", "only what ran in these functions: 'tcp_*'"),     \
		OPT_STRING(0, "pid", s, select.pids, "PID,...", "only these processes"),                      \
		OPT_STRING(0, "tid", s, select.tids, "TID,...", "only these threads"),                        \
		OPT_STRING(0, "cpu", s, select.cpus, "LIST", "only what ran on these CPUs, like 0-3,7")

/* The first filter that was given, "--comm"; NULL: none. */
const char *select_given(const struct select_options *o);
/*
 * Takes the other samples out, see rec_selection. 0; -EINVAL: usage; -ENODATA: nothing is left or the
 * recording does not tell that apart; after a message that names `what` was read.
 */
int select_samples(struct recording *r, const struct select_options *o, const char *what);

#endif
