/* SPDX-License-Identifier: GPL-2.0-only */
/* The two ways to a recording: a collector's run, or files. Both end in a view. */
#ifndef COLLECT_H
#define COLLECT_H

#include "invocation.h"

/* Runs the tool's collector, into a file (-o), a view, or both. The exit code. */
int collect(const struct invocation *in);
/* Shows what the tool loads. The exit code. */
int load_and_show(const struct invocation *in);

#endif
