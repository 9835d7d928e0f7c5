/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of the saver: saver.c has the database, saver_rows.c what goes into it. */
#ifndef DB_SAVER_H
#define DB_SAVER_H

#include <sqlite3.h>

#include "core/intern.h"
#include "db/db.h"
#include "db/place.h"
#include "db/row.h"
#include "db/schema.h"

/* Of a sample: what of it is in the file. */
struct grown {
	uint64_t fires, weight;
	int labels; /* the file's id, or -1: it has not been written yet */
};

/* Of latencies: what of them is in the file, by the recording's indexes. */
struct grown_latency {
	struct rec_irq_values *hists;
	size_t n_hists, max_hists;
	struct rec_cause *causes;
	size_t n_causes, max_causes;
	size_t n_points;
	uint64_t n_given; /* cases that the recording was given */
	uint64_t n_cases; /* of them in the file */
	uint64_t counts[WAKE_COUNTS];
};

/* Likewise of interrupts. */
struct grown_irq {
	size_t n_sources; /* written */
	struct rec_irq_source *settings;
	struct rec_irq_row *rows;
	struct rec_irq_behind *behind;
	struct rec_irq_sender *senders;
	struct rec_irq_place *places;
	size_t n_settings, n_rows, n_behind, n_senders, n_places;
	size_t max_settings, max_rows, max_behind, max_senders, max_places;
	size_t n_points;
	uint64_t n_given, n_cases;
	uint64_t counts[DB_IRQ_COUNTS];
};

struct saver {
	sqlite3 *db;
	sqlite3_stmt *insert[DB_TABLES], *insert_meta;
	struct place place;
	bool in_memory; /* stdout gets it at the end */
	char *name;	/* as the user gave it, for messages */
	int failed;	/* -errno: it has been told, nothing more is written */

	/* What the file holds. */
	int64_t intervals;
	uint64_t end_ns;
	uint64_t bytes;
	size_t n_mappings, n_locations, n_stacks, n_strings;
	int *string_ids; /* by the recording's id: the file's + 1, or 0 */
	size_t string_ids_max;
	struct grown *samples; /* by the recording's id */
	size_t samples_max, n_samples;
	struct rec_labels *labels; /* by the file's id; comm is the recording's */
	size_t labels_max, n_labels;
	struct intern label_ids;
	struct db_sums sums;
	struct rec_cost cost;
	struct rec_lost lost;
	size_t n_gaps;
	struct grown_latency latency;
	struct grown_irq irq;

	/* Of the interval being written. */
	uint32_t crc, dictionary_crc;
	uint8_t *blob; /* room for one stack, or one histogram */
};

#define SAVER_BLOB_BYTES (2 * UINT16_MAX * ROW_VARINT_BYTES_MAX)

/* Writes one interval, in a transaction that is open. SQLITE_OK or SQLite's error; then the saver is of no more use. */
int saver_put_interval(struct saver *s, const struct recording *r);

/* For those of the rows that saver_latency.c and saver_irq.c write. A row of a table; both SQLITE_OK or SQLite's error.
 */
int saver_put(struct saver *s, enum db_table t, uint32_t *crc, const struct db_value *row);
/* Sees to it that a string is in the file, */
int saver_note_string(struct saver *s, const struct recording *r, int id);
/* where it has this id then. */
struct db_value saver_string_id(const struct saver *s, int id);

/* Room in `have` for n of the recording's; new ones are empty. SQLITE_OK or SQLITE_NOMEM. */
#define SAVER_FOLLOW(have, n_have, max_have, n)                                                   \
	({                                                                                        \
		void *grown_ = intern_grow((have), &(max_have), (n), sizeof(*(have)));            \
                                                                                                  \
		if (grown_) {                                                                     \
			(have) = grown_;                                                          \
			if ((n) > (n_have))                                                       \
				memset((have) + (n_have), 0, ((n) - (n_have)) * sizeof(*(have))); \
			(n_have) = (n);                                                           \
		}                                                                                 \
		grown_ || !(n) ? SQLITE_OK : SQLITE_NOMEM;                                        \
	})

/* A span as the loader believes it: it ends after it starts and is no longer than that, whatever clocks did. */
struct saver_span {
	int64_t start_ns, end_ns;
	uint64_t net_ns;
};
struct saver_span saver_span(int64_t start_ns, int64_t end_ns, uint64_t net_ns);

struct db_value saver_interval_id(const struct saver *s);
struct db_value saver_stack_id(int stack); /* NULL: there is none */

/* What came to a histogram in an interval. */
struct saver_values {
	uint64_t count, sum_ns, min_ns, max_ns;
	unsigned lowest, highest; /* buckets */
	bool is_longest;	  /* max_ns is the largest value so far */
	struct db_value blob;	  /* lies in s->blob */
};

/* false: nothing did. */
bool saver_values_since(struct saver *s, const struct rec_irq_values *now, const struct rec_irq_values *told,
			struct saver_values *more);
/* Once it is written. SQLITE_OK or SQLite's error. */
int saver_values_told(struct rec_irq_values *told, const struct rec_irq_values *now, const struct saver_values *more);

/* Sources are names. All four: nothing, if the recording has no interrupts. */
int saver_note_irq_strings(struct saver *s, const struct recording *r);
int saver_put_irq_sources(struct saver *s, const struct recording *r);
int saver_put_irq(struct saver *s, const struct recording *r);
void saver_free_irq(struct saver *s);

/* All three: nothing, if the recording has no latencies. */
int saver_note_latency_strings(struct saver *s, const struct recording *r);
int saver_put_latency(struct saver *s, const struct recording *r);
void saver_free_latency(struct saver *s);

#endif
