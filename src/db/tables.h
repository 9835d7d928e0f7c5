/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All rows of a recording in memory, each checked by itself and summed up for the checksums. What a
 * row refers to may be missing: that is for loader.c to see.
 */
#ifndef DB_TABLES_H
#define DB_TABLES_H

#include "core/latency.h"
#include "db/db.h"
#include "db/irq_rows.h"
#include "db/rows.h"
#include "db/schema.h"
#include "db/source.h"

struct string_row {
	struct row row;
	uint32_t n;
	uint64_t at; /* in tables.text; ends with NUL */
};

struct mapping_row {
	struct row row;
	struct rec_mapping m; /* its name is an id of the file */
};

struct location_row {
	struct row row;
	struct rec_location l; /* likewise its mapping and name */
};

struct stack_row {
	struct row row;
	uint64_t first; /* in tables.frames, which are ids of the file */
	uint16_t kernel_frames, user_frames;
};

struct label_row {
	struct row row;
	struct rec_labels l; /* likewise its comm */
};

struct count_row {
	uint32_t interval;
	uint32_t stack, labels; /* ids of the file */
	uint64_t fires, weight;
};

/* Of latencies; strings, and the stacks of cases, are ids of the file. */
struct histogram_row {
	uint32_t interval;
	struct rec_hist h; /* without buckets: those are a blob */
	size_t blob, blob_bytes;
};

struct cause_row {
	uint32_t interval;
	struct rec_cause c;
};

struct case_row {
	struct row row;		     /* its interval is the one that it is of */
	struct rec_case c;	     /* without parts and spans, but with how many there are */
	uint64_t parts_ns;	     /* their sum; UINT64_MAX: too large */
	size_t got_parts, got_spans; /* for who puts them together */
};

struct part_row {
	uint32_t interval, of_case;
	struct rec_part p;
};

struct span_row {
	uint32_t interval, of_case;
	struct rec_span s;
};

struct point_row {
	uint32_t interval;
	struct rec_point p;
};

struct gap_row {
	uint32_t interval;
	struct rec_gap g;
};

struct part {
	bool exists;	/* its row does */
	bool bad_row;	/* one of its rows cannot be right */
	bool bad_names; /* one of the names and stacks that it brought cannot be right; then none is used */
	uint32_t crc, dictionary_crc;
	int64_t checksum, dictionary_checksum;
	uint64_t start_ns, duration_ns;
	struct db_sums sums;
	bool cost_known;
	uint64_t period;
	uint64_t bpf_ns, bpf_runs, user_ns;
	uint64_t lost[LOST_CAUSES];
	uint64_t waits[WAKE_COUNTS];
	uint64_t irq_counts[DB_IRQ_COUNTS];
	uint64_t irq_events;	/* of its histograms, each event once */
	uint64_t fires, weight; /* of its counts */
	bool bad_reference;	/* something refers to what cannot be used */
};

struct tables {
	struct source *source;
	struct part *parts; /* intervals 1 and on */
	size_t n_parts;
	struct rows strings, mappings, locations, stacks, labels;
	char *text;
	size_t text_bytes, text_max;
	uint32_t *frames;
	size_t n_frames, frames_max;
	struct count_row *counts;
	size_t n_counts, counts_max;
	struct rows gaps;	   /* without ids */
	bool has_latency, has_irq; /* else there must be none */
	struct rows histograms, causes, cases, case_parts, case_spans, points;
	struct irq_tables irq;
	uint8_t *blobs;
	size_t blob_bytes, blobs_max;
	bool cut_short; /* SQLite could not read everything; told */
};

/* `n_parts` intervals should be there, with rows of latencies and interrupts if `r` has those. 0, -ENOMEM after a
 * message, or -EBADMSG: that many cannot be. free() in any case. */
int tables_read(struct tables *t, struct source *s, int64_t n_parts, const struct recording *r);
void tables_free(struct tables *t);

#endif
