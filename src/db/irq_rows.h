/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of interrupts and their work, in memory. Strings, sources and stacks are ids of the file. */
#ifndef DB_IRQ_ROWS_H
#define DB_IRQ_ROWS_H

#include "core/irq.h"
#include "db/rows.h"

/* What recordings count beside the rows: enum irq_count, then what the probe of --off did. */
enum {
	DB_IRQ_PROBE_FIRES = IRQ_COUNTS,
	DB_IRQ_PROBE_PREEMPT_FIRES,
	DB_IRQ_COUNTS,
};

struct irq_source_row {
	struct row row;
	struct rec_irq_source s; /* without what may change */
};

struct irq_setting_row {
	uint32_t interval;
	struct rec_irq_source s; /* what may change */
	int source;
};

struct irq_row_row {
	uint32_t interval;
	struct rec_irq_row r; /* without values */
};

struct irq_histogram_row {
	uint32_t interval;
	int source;
	unsigned cpu;
	enum irq_measure measure;
	struct rec_irq_values v; /* without buckets: those are a blob */
	uint64_t longest_unix_ns;
	size_t blob, blob_bytes;
};

struct irq_case_row {
	struct row row;	       /* its interval is the one that it is of */
	struct rec_irq_case c; /* without spans, but with how many there are */
	size_t got_spans;      /* for who puts them together */
};

struct irq_span_row {
	uint32_t interval, of_case;
	struct rec_irq_span s;
};

struct irq_behind_row {
	uint32_t interval;
	struct rec_irq_behind b;
};

struct irq_sender_row {
	uint32_t interval;
	struct rec_irq_sender s;
};

struct irq_place_row {
	uint32_t interval;
	struct rec_irq_place p;
};

struct irq_point_row {
	uint32_t interval;
	struct rec_irq_point p;
};

struct irq_tables {
	struct rows sources, settings, rows, histograms, cases, spans, behind, senders, places, points;
};

#endif
