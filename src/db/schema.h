/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording on disk looks like, for the saver and the loader alike; kbpfprof-recording(5) says what it means. */
#ifndef DB_SCHEMA_H
#define DB_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/latency.h"
#include "db/irq_rows.h"

/* In the order in which they are made, and in which their rows go into checksums. */
enum db_table {
	DB_INTERVALS,
	DB_STRINGS,
	DB_MAPPINGS,
	DB_LOCATIONS,
	DB_STACKS,
	DB_LABELS,
	DB_LOSSES,
	DB_COUNTS,
	DB_TABLES_1, /* how many version 1 had; of latencies: */
	DB_HISTOGRAMS = DB_TABLES_1,
	DB_CAUSES,
	DB_CASES,
	DB_PARTS,
	DB_SPANS,
	DB_POINTS,
	DB_WAITS,
	DB_TABLES_2, /* likewise version 2 */
	DB_OFFLINE = DB_TABLES_2,
	DB_TABLES_3, /* version 3; of interrupts: */
	DB_IRQ_SOURCES = DB_TABLES_3,
	DB_IRQ_SETTINGS,
	DB_IRQ_ROWS,
	DB_IRQ_HISTOGRAMS,
	DB_IRQ_CASES,
	DB_IRQ_SPANS,
	DB_IRQ_BEHIND,
	DB_IRQ_SENDERS,
	DB_IRQ_PLACES,
	DB_IRQ_POINTS,
	DB_IRQ_EVENTS,
	DB_TABLES,
};

#define DB_COLUMNS_MAX	    32
#define DB_STRING_BYTES_MAX 4096 /* as recording_string() cuts them */

struct db_table_def {
	const char *name;
	const char *create; /* as sqlite_schema has it */
	const char *types;  /* a letter for each column: i integer, t text, b blob; I integer or NULL */
	unsigned interval;  /* the column that says which interval a row belongs to; 1: rows are names */
};

extern const struct db_table_def db_tables[DB_TABLES];
/* Of db_tables how many a file of this version has, from the first. */
unsigned db_tables_of(uint32_t version);
extern const char db_create_meta[];    /* made before them */
extern const char db_create_samples[]; /* the view `samples`, made after them: for those who ask, not read by us */

/* Words that stand for numbers of ours, which may change while recordings last. NULL, or -1: there is none. */
const char *db_mapping_kind(enum mapping_kind kind);
const char *db_why(enum why why); /* "" for WHY_NAMED */
const char *db_lost_cause(enum lost_cause cause);
int db_mapping_kind_of(const char *word);
int db_why_of(const char *word);
int db_lost_cause_of(const char *word);
/* Those of latencies are in core/latency.h. */
int db_latency_kind_of(const char *word);
int db_wake_cause_of(const char *word);
int db_span_kind_of(const char *word);
int db_wake_count_of(const char *word);
/* And of interrupts in core/irq.h, but those of enum DB_IRQ_COUNTS. */
int db_irq_kind_of(const char *word);
int db_irq_measure_of(const char *word);
int db_irq_context_of(const char *word);
int db_irq_list_of(const char *word);
const char *db_irq_count(unsigned count);
int db_irq_count_of(const char *word);
#define DB_IRQ_GROUPS_BYTES 128
/* "hard soft off_exact", of enum rec_irq_group; returns buf. false: one of the words is no group. */
char *db_irq_groups(char buf[DB_IRQ_GROUPS_BYTES], unsigned groups);
bool db_irq_groups_of(const char *words, unsigned *groups);

/* The columns of `intervals` that are members of rec_sampling; they begin at DB_SUMS_COLUMN. */
#define DB_SUMS	       13
#define DB_SUMS_COLUMN 3
enum { /* those of them that somebody asks for */
       DB_SUM_EXPECTED = 0,
       DB_SUM_KEPT = 2,
       DB_SUM_NOT_DELIVERED = 5,
};
struct db_sums {
	int64_t of[DB_SUMS];
};
struct db_sums db_sums_of(const struct rec_sampling *s);
void db_sums_to(struct rec_sampling *s, const struct db_sums *sums);
bool db_sum_may_shrink(unsigned i);
/* The other columns of `intervals`. */
enum {
	DB_INTERVAL_ID,
	DB_INTERVAL_START,
	DB_INTERVAL_DURATION,
	DB_INTERVAL_PERIOD = DB_SUMS_COLUMN + DB_SUMS,
	DB_INTERVAL_COST_KNOWN,
	DB_INTERVAL_BPF_NS,
	DB_INTERVAL_BPF_RUNS,
	DB_INTERVAL_USER_NS,
	DB_INTERVAL_DICTIONARY_CHECKSUM,
	DB_INTERVAL_CHECKSUM,
	DB_INTERVAL_COLUMNS,
};

#endif
