/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of the saver: saver.c has the database, saver_rows.c what goes into it. */
#ifndef DB_SAVER_H
#define DB_SAVER_H

#include <sqlite3.h>

#include "core/intern.h"
#include "db/db.h"
#include "db/place.h"
#include "db/schema.h"

/* Of a sample: what of it is in the file. */
struct grown {
	uint64_t fires, weight;
	int labels; /* the file's id, or -1: it has not been written yet */
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

	/* Of the interval being written. */
	uint32_t crc, dictionary_crc;
	uint8_t *blob; /* room for one stack */
};

#define SAVER_BLOB_BYTES (2 * UINT16_MAX * ROW_VARINT_BYTES_MAX)

/* Writes one interval, in a transaction that is open. SQLITE_OK or SQLite's error; then the saver is of no more use. */
int saver_put_interval(struct saver *s, const struct recording *r);

#endif
