/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the report of `kbpfprof wakeup`, in the order of the page: src/views/latency.c puts them there. */
#ifndef VIEWS_LATENCY_VIEW_H
#define VIEWS_LATENCY_VIEW_H

#include <stdio.h>

#include "core/latency.h"
#include "core/tool.h"
#include "core/units.h"

struct causes;

struct latency_page {
	FILE *f;
	const struct recording *r;
	const struct rec_latency *l;
	const struct view_options *o;
	enum latency_kind headline; /* bars and intervals are of it */
};

/* "6.1 us"; "-" if there are too few values: one at least must lie beyond. Returns `buf`. */
char *latency_quantile_text(char buf[UNITS_BYTES], const struct rec_hist *h, unsigned permille);
/* "waking -> running" */
const char *latency_kind_name(enum latency_kind kind);
/* "PID 812, FIFO 80" is the longest of its kind. */
#define LATENCY_WHO_BYTES 160

/* Each begins with an empty line, or writes nothing if there is nothing of its kind. */
void latency_write_kinds(const struct latency_page *p); /* this one without */
void latency_write_bars(const struct latency_page *p);
int latency_write_groups(const struct latency_page *p); /* 0 or -ENOMEM */
void latency_write_series(const struct latency_page *p);
void latency_write_causes(const struct latency_page *p, const struct causes *c);
void latency_write_cases(const struct latency_page *p);

#endif
