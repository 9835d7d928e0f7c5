/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/schema.h"

#include <string.h>

#include "db/db.h"

/* Plain types and no constraint that would need an index: rows come in the order of their ids. */
const char db_create_meta[] = "CREATE TABLE meta(key TEXT NOT NULL PRIMARY KEY, value NOT NULL) WITHOUT ROWID";

const struct db_table_def db_tables[DB_TABLES] = {
	[DB_INTERVALS] = { .name = "intervals",
			   .create = "CREATE TABLE intervals(id INTEGER PRIMARY KEY, start_ns INTEGER NOT NULL, "
				     "duration_ns INTEGER NOT NULL, expected INTEGER NOT NULL, seen INTEGER NOT NULL, "
				     "kept INTEGER NOT NULL, idle INTEGER NOT NULL, filtered INTEGER NOT NULL, "
				     "not_delivered INTEGER NOT NULL, kept_weight INTEGER NOT NULL, "
				     "idle_weight INTEGER NOT NULL, enabled_ns INTEGER NOT NULL, "
				     "running_ns INTEGER NOT NULL, user_stacks INTEGER NOT NULL, "
				     "short_user_stacks INTEGER NOT NULL, sideband_lost INTEGER NOT NULL, "
				     "period INTEGER NOT NULL, cost_known INTEGER NOT NULL, "
				     "bpf_ns INTEGER NOT NULL, bpf_runs INTEGER NOT NULL, user_ns INTEGER NOT NULL, "
				     "dictionary_checksum INTEGER NOT NULL, checksum INTEGER NOT NULL)",
			   .types = "iiiiiiiiiiiiiiiiiiiiiii",
			   .interval = 0 },
	[DB_STRINGS] = { .name = "strings",
			 .create = "CREATE TABLE strings(id INTEGER PRIMARY KEY, interval INTEGER NOT NULL, "
				   "text TEXT NOT NULL)",
			 .types = "iit",
			 .interval = 1 },
	[DB_MAPPINGS] = { .name = "mappings",
			  .create = "CREATE TABLE mappings(id INTEGER PRIMARY KEY, interval INTEGER NOT NULL, "
				    "kind TEXT NOT NULL, path INTEGER NOT NULL REFERENCES strings, "
				    "build_id TEXT NOT NULL, dev INTEGER NOT NULL, inode INTEGER NOT NULL, "
				    "changed_ns INTEGER NOT NULL, start INTEGER NOT NULL, bytes INTEGER NOT NULL)",
			  .types = "iititiiiii",
			  .interval = 1 },
	[DB_LOCATIONS] = { .name = "locations",
			   .create = "CREATE TABLE locations(id INTEGER PRIMARY KEY, interval INTEGER NOT NULL, "
				     "mapping INTEGER NOT NULL REFERENCES mappings, address INTEGER NOT NULL, "
				     "offset INTEGER NOT NULL, name INTEGER NOT NULL REFERENCES strings, "
				     "why TEXT NOT NULL)",
			   .types = "iiiiiit",
			   .interval = 1 },
	[DB_STACKS] = { .name = "stacks",
			.create = "CREATE TABLE stacks(id INTEGER PRIMARY KEY, interval INTEGER NOT NULL, "
				  "kernel_frames INTEGER NOT NULL, user_frames INTEGER NOT NULL, "
				  "leaf INTEGER REFERENCES locations, frames BLOB NOT NULL)",
			.types = "iiiiIb",
			.interval = 1 },
	[DB_LABELS] = { .name = "labels",
			.create = "CREATE TABLE labels(id INTEGER PRIMARY KEY, interval INTEGER NOT NULL, "
				  "comm INTEGER NOT NULL REFERENCES strings, tgid INTEGER NOT NULL, "
				  "tid INTEGER NOT NULL, cpu INTEGER NOT NULL)",
			.types = "iiiiii",
			.interval = 1 },
	[DB_LOSSES] = { .name = "losses",
			.create = "CREATE TABLE losses(interval INTEGER NOT NULL REFERENCES intervals, "
				  "cause TEXT NOT NULL, count INTEGER NOT NULL)",
			.types = "iti",
			.interval = 0 },
	[DB_COUNTS] = { .name = "counts",
			.create = "CREATE TABLE counts(interval INTEGER NOT NULL REFERENCES intervals, "
				  "stack INTEGER NOT NULL REFERENCES stacks, "
				  "labels INTEGER NOT NULL REFERENCES labels, fires INTEGER NOT NULL, "
				  "rest INTEGER NOT NULL)",
			.types = "iiiii",
			.interval = 0 },
	[DB_HISTOGRAMS] = { .name = "histograms",
			    .create = "CREATE TABLE histograms(interval INTEGER NOT NULL REFERENCES intervals, "
				      "of_group INTEGER NOT NULL REFERENCES strings, kind TEXT NOT NULL, "
				      "count INTEGER NOT NULL, sum_ns INTEGER NOT NULL, min_ns INTEGER NOT NULL, "
				      "max_ns INTEGER NOT NULL, buckets BLOB NOT NULL)",
			    .types = "iitiiiib",
			    .interval = 0 },
	[DB_CAUSES] = { .name = "causes",
			.create = "CREATE TABLE causes(interval INTEGER NOT NULL REFERENCES intervals, "
				  "cause TEXT NOT NULL, number INTEGER NOT NULL, "
				  "name INTEGER NOT NULL REFERENCES strings, preempted INTEGER NOT NULL, "
				  "delay_ns INTEGER NOT NULL, spans INTEGER NOT NULL, ns INTEGER NOT NULL)",
			.types = "itiiiiii",
			.interval = 0 },
	[DB_CASES] = { .name = "cases",
		       .create = "CREATE TABLE cases(interval INTEGER NOT NULL REFERENCES intervals, "
				 "id INTEGER PRIMARY KEY, kind TEXT NOT NULL, above INTEGER NOT NULL, "
				 "total_ns INTEGER NOT NULL, unix_ns INTEGER NOT NULL, "
				 "comm INTEGER NOT NULL REFERENCES strings, tgid INTEGER NOT NULL, "
				 "tid INTEGER NOT NULL, cpu INTEGER NOT NULL, prio INTEGER NOT NULL, "
				 "normal_prio INTEGER NOT NULL, policy INTEGER NOT NULL, flags INTEGER NOT NULL, "
				 "moves INTEGER NOT NULL, expiry_ns INTEGER NOT NULL, irq_ns INTEGER NOT NULL, "
				 "waking_ns INTEGER NOT NULL, queued_ns INTEGER NOT NULL, "
				 "resched_ns INTEGER NOT NULL, context TEXT NOT NULL, "
				 "context_number INTEGER NOT NULL, "
				 "context_name INTEGER NOT NULL REFERENCES strings, "
				 "waker_comm INTEGER NOT NULL REFERENCES strings, waker_tgid INTEGER NOT NULL, "
				 "waker_tid INTEGER NOT NULL, waker_cpu INTEGER NOT NULL, "
				 "preempt_depth INTEGER NOT NULL, waker_stack INTEGER REFERENCES stacks, "
				 "out_stack INTEGER REFERENCES stacks, user_stack INTEGER REFERENCES stacks)",
		       .types = "iitiiiiiiiiiiiiiiiiitiiiiiiiIII",
		       .interval = 0 },
	[DB_PARTS] = { .name = "parts",
		       .create = "CREATE TABLE parts(interval INTEGER NOT NULL REFERENCES intervals, "
				 "of_case INTEGER NOT NULL REFERENCES cases, cause TEXT NOT NULL, "
				 "number INTEGER NOT NULL, name INTEGER NOT NULL REFERENCES strings, "
				 "lender INTEGER NOT NULL REFERENCES strings, tid INTEGER NOT NULL, "
				 "prio INTEGER NOT NULL, spans INTEGER NOT NULL, ns INTEGER NOT NULL)",
		       .types = "iitiiiiiii",
		       .interval = 0 },
	[DB_SPANS] = { .name = "spans",
		       .create = "CREATE TABLE spans(interval INTEGER NOT NULL REFERENCES intervals, "
				 "of_case INTEGER NOT NULL REFERENCES cases, kind TEXT NOT NULL, "
				 "number INTEGER NOT NULL, name INTEGER NOT NULL REFERENCES strings, "
				 "prio INTEGER NOT NULL, start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, "
				 "net_ns INTEGER NOT NULL)",
		       .types = "iitiiiiii",
		       .interval = 0 },
	[DB_POINTS] = { .name = "points",
			.create = "CREATE TABLE points(interval INTEGER NOT NULL REFERENCES intervals, "
				  "start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, kind TEXT NOT NULL, "
				  "count INTEGER NOT NULL, sum_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL, "
				  "p50_ns INTEGER NOT NULL, p99_ns INTEGER NOT NULL)",
			.types = "iiitiiiii",
			.interval = 0 },
	[DB_WAITS] = { .name = "waits",
		       .create = "CREATE TABLE waits(interval INTEGER NOT NULL REFERENCES intervals, "
				 "what TEXT NOT NULL, count INTEGER NOT NULL)",
		       .types = "iti",
		       .interval = 0 },
	[DB_OFFLINE] = { .name = "offline",
			 .create = "CREATE TABLE offline(interval INTEGER NOT NULL REFERENCES intervals, "
				   "cpu INTEGER NOT NULL, start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL)",
			 .types = "iiii",
			 .interval = 0 },
	[DB_IRQ_SOURCES] = { .name = "irq_sources",
			     .create = "CREATE TABLE irq_sources(id INTEGER PRIMARY KEY, interval INTEGER NOT NULL, "
				       "kind TEXT NOT NULL, number INTEGER NOT NULL, "
				       "name INTEGER NOT NULL REFERENCES strings)",
			     .types = "iitii",
			     .interval = 1 },
	[DB_IRQ_SETTINGS] = { .name = "irq_settings",
			      .create = "CREATE TABLE irq_settings(interval INTEGER NOT NULL REFERENCES intervals, "
					"source INTEGER NOT NULL REFERENCES irq_sources, "
					"affinity INTEGER NOT NULL REFERENCES strings, "
					"effective INTEGER NOT NULL REFERENCES strings, tid INTEGER NOT NULL)",
			      .types = "iiiii",
			      .interval = 0 },
	[DB_IRQ_ROWS] = { .name = "irq_rows",
			  .create = "CREATE TABLE irq_rows(interval INTEGER NOT NULL REFERENCES intervals, "
				    "source INTEGER NOT NULL REFERENCES irq_sources, cpu INTEGER NOT NULL, "
				    "gross_ns INTEGER NOT NULL, peak INTEGER NOT NULL, "
				    "peak_unix_ns INTEGER NOT NULL, storms INTEGER NOT NULL, "
				    "no_start INTEGER NOT NULL, joined INTEGER NOT NULL, "
				    "by_task INTEGER NOT NULL, by_softirq INTEGER NOT NULL, "
				    "by_hardirq INTEGER NOT NULL)",
			  .types = "iiiiiiiiiiii",
			  .interval = 0 },
	[DB_IRQ_HISTOGRAMS] = { .name = "irq_histograms",
				.create = "CREATE TABLE irq_histograms("
					  "interval INTEGER NOT NULL REFERENCES intervals, "
					  "source INTEGER NOT NULL REFERENCES irq_sources, cpu INTEGER NOT NULL, "
					  "measure TEXT NOT NULL, count INTEGER NOT NULL, sum_ns INTEGER NOT NULL, "
					  "min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL, "
					  "longest_unix_ns INTEGER NOT NULL, buckets BLOB NOT NULL)",
				.types = "iiitiiiiib",
				.interval = 0 },
	[DB_IRQ_CASES] = { .name = "irq_cases",
			   .create = "CREATE TABLE irq_cases(interval INTEGER NOT NULL REFERENCES intervals, "
				     "id INTEGER PRIMARY KEY, list TEXT NOT NULL, measure TEXT NOT NULL, "
				     "above INTEGER NOT NULL, source INTEGER NOT NULL REFERENCES irq_sources, "
				     "cpu INTEGER NOT NULL, total_ns INTEGER NOT NULL, net_ns INTEGER NOT NULL, "
				     "unix_ns INTEGER NOT NULL, context TEXT NOT NULL, raiser TEXT NOT NULL, "
				     "raiser_number INTEGER NOT NULL, runnable INTEGER NOT NULL, "
				     "comm INTEGER NOT NULL REFERENCES strings, tgid INTEGER NOT NULL, "
				     "tid INTEGER NOT NULL, prio INTEGER NOT NULL, "
				     "delayed_comm INTEGER NOT NULL REFERENCES strings, "
				     "delayed_tgid INTEGER NOT NULL, delayed_tid INTEGER NOT NULL, "
				     "delayed_prio INTEGER NOT NULL, stack INTEGER REFERENCES stacks)",
			   .types = "iittiiiiiittiiiiiiiiiiI",
			   .interval = 0 },
	[DB_IRQ_SPANS] = { .name = "irq_spans",
			   .create = "CREATE TABLE irq_spans(interval INTEGER NOT NULL REFERENCES intervals, "
				     "of_case INTEGER NOT NULL REFERENCES irq_cases, kind TEXT NOT NULL, "
				     "number INTEGER NOT NULL, name INTEGER NOT NULL REFERENCES strings, "
				     "start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, net_ns INTEGER NOT NULL)",
			   .types = "iitiiiii",
			   .interval = 0 },
	[DB_IRQ_BEHIND] = { .name = "irq_behind",
			    .create = "CREATE TABLE irq_behind(interval INTEGER NOT NULL REFERENCES intervals, "
				      "source INTEGER NOT NULL REFERENCES irq_sources, "
				      "comm INTEGER NOT NULL REFERENCES strings, prio_class INTEGER NOT NULL, "
				      "count INTEGER NOT NULL, ns INTEGER NOT NULL, max_ns INTEGER NOT NULL)",
			    .types = "iiiiiii",
			    .interval = 0 },
	[DB_IRQ_SENDERS] = { .name = "irq_senders",
			     .create = "CREATE TABLE irq_senders(interval INTEGER NOT NULL REFERENCES intervals, "
				       "vector INTEGER NOT NULL, callsite INTEGER NOT NULL REFERENCES strings, "
				       "context TEXT NOT NULL, comm INTEGER NOT NULL REFERENCES strings, "
				       "stack INTEGER REFERENCES stacks, count INTEGER NOT NULL)",
			     .types = "iiitiIi",
			     .interval = 0 },
	[DB_IRQ_PLACES] = { .name = "irq_places",
			    .create = "CREATE TABLE irq_places(interval INTEGER NOT NULL REFERENCES intervals, "
				      "kind TEXT NOT NULL, name INTEGER NOT NULL REFERENCES strings, "
				      "exact INTEGER NOT NULL, stack INTEGER REFERENCES stacks, "
				      "count INTEGER NOT NULL, ns INTEGER NOT NULL, max_ns INTEGER NOT NULL)",
			    .types = "itiiIiii",
			    .interval = 0 },
	[DB_IRQ_POINTS] = { .name = "irq_points",
			    .create = "CREATE TABLE irq_points(interval INTEGER NOT NULL REFERENCES intervals, "
				      "start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, "
				      "source INTEGER NOT NULL REFERENCES irq_sources, count INTEGER NOT NULL, "
				      "net_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL)",
			    .types = "iiiiiii",
			    .interval = 0 },
	[DB_IRQ_EVENTS] = { .name = "irq_events",
			    .create = "CREATE TABLE irq_events(interval INTEGER NOT NULL REFERENCES intervals, "
				      "what TEXT NOT NULL, count INTEGER NOT NULL)",
			    .types = "iti",
			    .interval = 0 },
};

unsigned db_tables_of(uint32_t version)
{
	static const unsigned tables[DB_VERSION + 1] = { 0, DB_TABLES_1, DB_TABLES_2, DB_TABLES_3, DB_TABLES };

	return tables[version];
}

/* Left joins: SQLite leaves those out of which a query uses no column. */
const char db_create_samples[] =
	"CREATE VIEW samples AS SELECT c.interval AS interval, c.stack AS stack, l.comm AS comm, l.tgid AS tgid, "
	"l.tid AS tid, l.cpu AS cpu, c.fires AS fires, c.fires * i.period + c.rest AS weight "
	"FROM counts c LEFT JOIN labels l ON l.id = c.labels LEFT JOIN intervals i ON i.id = c.interval";

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/*
 * What is due is estimated, for PMU events by the mean period so far: the estimate may shrink from
 * one interval to the next. Everything else is counted.
 */
static const struct {
	size_t offset;
	bool may_shrink;
} sums[] = {
#define SUM(member, may_shrink)                                   \
	{                                                         \
		offsetof(struct rec_sampling, member), may_shrink \
	}
	SUM(expected, true),	   SUM(seen, false),	     SUM(kept, false),	      SUM(idle, false),
	SUM(filtered, false),	   SUM(not_delivered, true), SUM(kept_weight, false), SUM(idle_weight, false),
	SUM(enabled_ns, false),	   SUM(running_ns, false),   SUM(user_stacks, false), SUM(short_user_stacks, false),
	SUM(sideband_lost, false),
#undef SUM
};
_Static_assert(COUNT(sums) == DB_SUMS, "one column for each");

struct db_sums db_sums_of(const struct rec_sampling *s)
{
	struct db_sums out;

	for (unsigned i = 0; i < DB_SUMS; i++)
		memcpy(&out.of[i], (const char *)s + sums[i].offset, sizeof(out.of[i]));
	return out;
}

void db_sums_to(struct rec_sampling *s, const struct db_sums *in)
{
	for (unsigned i = 0; i < DB_SUMS; i++)
		memcpy((char *)s + sums[i].offset, &in->of[i], sizeof(in->of[i]));
}

bool db_sum_may_shrink(unsigned i)
{
	return sums[i].may_shrink;
}
