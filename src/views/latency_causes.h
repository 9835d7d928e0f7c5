/* SPDX-License-Identifier: GPL-2.0-only */
/* The causes of a run's delays, added up over delays of some length: what the table of shares and the verdict are
 * made of. */
#ifndef VIEWS_LATENCY_CAUSES_H
#define VIEWS_LATENCY_CAUSES_H

#include "core/latency.h"

enum causes_column {
	COLUMN_WAKEUPS,	  /* all of them */
	COLUMN_TOP,	  /* the longest hundredth of the wakeups, or as near to it as recordings tell */
	COLUMN_PREEMPTED, /* all waits after a preemption */
	COLUMN_ABOVE,	  /* delays of any kind from the limit of --above on */
	CAUSES_COLUMNS,
};

/*
 * Recordings keep causes apart by quarters of a power of two, so a column begins where a quarter does. How
 * many delays it has is known to lie between two numbers: wakeups by timers are in two histograms.
 */
struct causes_of {
	bool is_there;
	unsigned quarter;
	uint64_t from_ns;
	uint64_t at_least, at_most;
	uint64_t ns;	   /* of all rows */
	double percentile; /* COLUMN_TOP: 99, or what is nearest */
};

/* A cause, or several that are small. */
struct cause_row {
	enum wake_cause cause; /* CAUSE_NONE: causes of several kinds */
	int id, name;
	unsigned others; /* 0: it is one; else it stands for so many of this kind */
	uint64_t ns[CAUSES_COLUMNS];
	unsigned pct[CAUSES_COLUMNS]; /* whole percents, that add up to 100 */
};

struct causes {
	struct causes_of columns[CAUSES_COLUMNS];
	struct cause_row *rows; /* largest first, by `strictest` */
	size_t n;
	enum causes_column strictest;
};

/* Is it another cause with another name? Of the rest a name is of who ran meanwhile, and no matter. */
bool cause_has_name(enum wake_cause cause);

/* 0 or -ENOMEM; to be closed after either. */
int causes_open(struct causes *c, const struct rec_latency *l);
void causes_close(struct causes *c);

#endif
