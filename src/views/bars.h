/* SPDX-License-Identifier: GPL-2.0-only */
/* A histogram as people see it: a line a power of two. */
#ifndef VIEWS_BARS_H
#define VIEWS_BARS_H

#include <stdio.h>

#include "core/tool.h"
#include "kbpfprof/hist.h"

/* Of HIST_BUCKETS, from the first with a value to the last. False: there is none, nothing was written. */
bool bars_write(FILE *f, const struct view_options *o, const uint64_t *buckets, const char *title);

#endif
