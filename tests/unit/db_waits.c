/* SPDX-License-Identifier: GPL-2.0-only */
/* Latencies on disk, beyond what db.c and its neighbours see of them: extremes of a part, cases that give way,
 * versions. */
#include <sqlite3.h>

#include "db/buckets.h"
#include "db/row.h"
#include "db/schema.h"
#include "db_build.h"

static void put_values(struct recording *r, const uint64_t *values, size_t n)
{
	struct hist more = { 0 };

	for (size_t i = 0; i < n; i++)
		hist_add(&more, values[i]);
	latency_merge(latency_hist(latency_of(r), 0, LATENCY_WAKING), &more);
	r->meta.duration_ns += SECOND_NS;
}

static void check_range(uint64_t from_s, uint64_t to_s, uint64_t count, uint64_t min_ns, uint64_t max_ns)
{
	struct load_range range = { from_s * SECOND_NS, to_s * SECOND_NS };
	const struct rec_hist *h;
	struct loaded l;

	assert_int_equal(recording_load(in_folder("r"), &range, &l), 0);
	h = latency_find(l.r->latency, 0, LATENCY_WAKING);
	assert_non_null(h);
	assert_int_equal(h->count, count);
	assert_int_equal(h->min_ns, min_ns);
	assert_int_equal(h->max_ns, max_ns);
	loaded_free(&l);
}

/* Known are the extremes since the start: of all intervals they are exact, of one to its bucket. */
static void extremes(void **state)
{
	static const uint64_t first[] = { 1000, 70000 }, second[] = { 5000, 6000 }, third[] = { 999, 69700 };
	struct recording *r = db_new();
	struct saver *s;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	put_values(r, first, 2);
	assert_int_equal(saver_interval(s, r), 0);
	put_values(r, second, 2);
	assert_int_equal(saver_interval(s, r), 0);
	put_values(r, third, 2);
	assert_int_equal(saver_interval(s, r), 0);
	assert_int_equal(saver_finish(s), 0);
	saver_close(s);
	check_range(0, 0, 6, 999, 70000);
	check_range(0, 1, 2, 1000, 70000);
	/* By hand: 5000 is in 256 * 19 to 20, 6000 in 256 * 23 to 24. */
	check_range(1, 2, 2, 4864, 6143);
	/* 999 is new; 69700 is in the bucket of 70000, the largest so far. */
	check_range(2, 3, 2, 999, 70000);
	recording_free(r);
	unlink(in_folder("r"));
}

/* A point says the largest of its interval exactly. */
static void extreme_of_a_point(void **state)
{
	static const uint64_t first[] = { 1000, 69500 }, second[] = { 5000, 66000 };
	struct recording *r = db_new();
	struct saver *s;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t *values = i ? second : first;

		put_values(r, values, 2);
		assert_int_equal(
			latency_point(r->latency,
				      &(struct rec_point){ i * SECOND_NS, SECOND_NS, LATENCY_WAKING, 2,
							   values[0] + values[1], values[1], values[0], values[1] }),
			0);
		assert_int_equal(saver_interval(s, r), 0);
	}
	saver_close(s);
	check_range(0, 0, 4, 1000, 69500);
	check_range(1, 2, 2, 4864, 66000);
	recording_free(r);
	unlink(in_folder("r"));
}

/*
 * Read while a CPU writes it, a histogram may have a value's extreme without its bucket, or the other
 * way round; the next time it has both.
 */
static void torn(void **state)
{
	static const uint64_t first[] = { 1000, 2000 };
	struct recording *r = db_new();
	struct rec_hist *h;
	struct saver *s;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	put_values(r, first, 2);
	h = latency_hist(r->latency, 0, LATENCY_WAKING);
	h->max_ns = 90001;
	h->count = 3;
	assert_int_equal(saver_interval(s, r), 0);
	h->buckets[hist_bucket(90001)]++;
	h->sum_ns += 90001;
	h->buckets[hist_bucket(500001)]++;
	h->buckets[hist_bucket(20)]++;
	r->meta.duration_ns += SECOND_NS;
	assert_int_equal(saver_interval(s, r), 0);
	h->max_ns = 500001;
	h->min_ns = 20;
	h->count = 6;
	h->sum_ns += 500021 + 2000;
	h->buckets[hist_bucket(2000)]++;
	r->meta.duration_ns += SECOND_NS;
	assert_int_equal(saver_interval(s, r), 0);
	saver_close(s);
	check_range(0, 0, 6, 20, 500001);
	recording_free(r);
	unlink(in_folder("r"));
}

static void check_same(struct recording *want)
{
	struct loaded l;

	assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
	assert_int_equal(l.n_damaged, 0);
	assert_same(l.r, want);
	loaded_free(&l);
}

/* The worst give way to worse ones, some before they were written, some after; of equal ones the first stays. */
static void worst_cases(void **state)
{
	static const uint64_t totals[][3] = { { 50, 30, 50 }, { 40, 60, 60 }, { 60, 10, 90 }, { 90, 60, 0 } };
	struct recording *r = db_new();
	struct saver *s;
	uint32_t frame = db_location(r, "/a", MAPPING_FILE, "f", 1);
	int stack = recording_stack(r, &frame, 0, 1);

	(void)state;
	assert_non_null(latency_of(r));
	r->latency->worst = 2;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned k = 0; k < 3; k++)
			if (totals[i][k])
				db_case(r, 3 * i + k, totals[i][k], k == 2 && i % 2, stack);
		r->meta.duration_ns += SECOND_NS;
		assert_int_equal(saver_interval(s, r), 0);
		check_same(r);
	}
	assert_int_equal(r->latency->n_cases, 3);
	saver_close(s);
	recording_free(r);
	unlink(in_folder("r"));
}

/* All there is to a case and a cause: a value of its own for each member, and the least and largest of some. */
static void odd_values(void **state)
{
	struct recording *r = db_new();
	struct rec_latency *l = latency_of(r);
	struct rec_case c = { .kind = LATENCY_WAKING,
			      .total_ns = 0,
			      .prio = -1,
			      .policy = 6,
			      .flags = 255,
			      .expiry_ns = -1,
			      .irq_ns = -1,
			      .context = SPAN_UNKNOWN,
			      .context_id = -3,
			      .waker_cpu = -1,
			      .preempt_depth = -1,
			      .waker_stack = -1,
			      .out_stack = -1,
			      .user_stack = -1 };
	struct saver *s;

	(void)state;
	assert_non_null(l);
	l->worst = 3;
	l->softirqs_are_threads = l->no_causes = true;
	l->no_timer = l->no_vectors = l->no_interrupts = LACK_CHOICE;
	l->no_switch_entry = l->no_boosts = LACK_KERNEL;
	assert_int_equal(latency_case(l, &c), 0);
	for (int i = 0; i < WAKE_CAUSES; i++)
		assert_int_equal(latency_cause(l, &(struct rec_cause){ .cause = (enum wake_cause)i,
								       .id = i % 2 ? INT32_MIN : INT32_MAX,
								       .quarter = i ? HIST_QUARTERS - 1 : 0,
								       .spans = 1,
								       .ns = (uint64_t)i }),
				 0);
	for (int i = 0; i < LATENCY_KINDS; i++) {
		struct hist more = { 0 };

		hist_add(&more, 0);
		hist_add(&more, 1ull << 45); /* beyond the last bucket's start */
		latency_merge(latency_hist(l, 0, (enum latency_kind)i), &more);
	}
	r->meta.duration_ns = SECOND_NS;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	assert_int_equal(saver_interval(s, r), 0);
	saver_close(s);
	check_same(r);
	recording_free(r);
	unlink(in_folder("r"));
}

static void run_sql(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
}

static void seal_meta(sqlite3 *db)
{
	struct db_value v[2];
	sqlite3_stmt *q;
	uint32_t crc = 0;
	char sql[96];

	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT * FROM meta WHERE key <> 'checksum' ORDER BY key", -1, &q, NULL),
		SQLITE_OK);
	while (sqlite3_step(q) == SQLITE_ROW) {
		int type = sqlite3_column_type(q, 1);

		row_read(q, 0, type == SQLITE_TEXT ? "tt" : type == SQLITE_FLOAT ? "tr" : "ti", v);
		crc = row_checksum(crc, "meta", v, 2);
	}
	sqlite3_finalize(q);
	snprintf(sql, sizeof(sql), "UPDATE meta SET value = %u WHERE key = 'checksum'", crc);
	run_sql(db, sql);
}

static void save_once(const struct recording *r)
{
	struct saver *s;

	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	assert_int_equal(saver_interval(s, r), 0);
	saver_close(s);
}

static struct recording *save_plain(void)
{
	struct recording *r = db_new();
	uint32_t frame = db_location(r, "/a", MAPPING_FILE, "f", 1);

	db_add(r, "prog", recording_stack(r, &frame, 0, 1), 7);
	r->meta.duration_ns = SECOND_NS;
	save_once(r);
	return r;
}

/* A recording without them is one without them: not one of nothing. */
static void none(void **state)
{
	struct recording *r = save_plain();
	struct loaded l;
	struct heard h;
	sqlite3 *db;

	(void)state;
	check_same(r);
	assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
	assert_null(l.r->latency);
	loaded_free(&l);
	/* Rows of them, all the same, cannot be. */
	assert_int_equal(sqlite3_open(in_folder("r"), &db), SQLITE_OK);
	run_sql(db, "INSERT INTO waits VALUES(1, 'clock', 5)");
	sqlite3_close(db);
	assert_int_equal(load_quiet(in_folder("r"), NULL, &l, &h), -EBADMSG);
	says(h.text, "interval 1");
	recording_free(r);
	unlink(in_folder("r"));
}

/* The file becomes one of an older version: without the tables from `first_table` on, and those keys. */
static void make_older(int version, int first_table, const char *keys)
{
	sqlite3 *db;
	char sql[256];

	assert_int_equal(sqlite3_open(in_folder("r"), &db), SQLITE_OK);
	for (int t = first_table; t < DB_TABLES; t++) {
		snprintf(sql, sizeof(sql), "DROP TABLE %s", db_tables[t].name);
		run_sql(db, sql);
	}
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d; DELETE FROM meta WHERE %s", version, keys);
	run_sql(db, sql);
	seal_meta(db);
	sqlite3_close(db);
}

#define IRQ_KEYS "key = 'irq' OR key LIKE 'irq\\_%' ESCAPE '\\'"

/* Version 1 had no latencies, neither their tables nor their keys. */
static void version_1(void **state)
{
	struct recording *r = save_plain();
	struct loaded l;
	struct heard h;

	(void)state;
	make_older(1, DB_TABLES_1, IRQ_KEYS);
	assert_int_equal(load_quiet(in_folder("r"), NULL, &l, &h), -EBADMSG); /* keys that it had not */
	make_older(1, DB_TABLES,
		   "key IN ('latency', 'above_ns', 'worst', 'per', 'policy', 'softirqs_are_threads') "
		   "OR key LIKE 'no\\_%' ESCAPE '\\'");
	check_same(r);
	recording_free(r);
	unlink(in_folder("r"));
}

/* Version 2 had no table of CPUs that were offline. */
static void version_2(void **state)
{
	struct recording *r = save_plain();

	(void)state;
	make_older(2, DB_TABLES_2, IRQ_KEYS);
	check_same(r);
	recording_free(r);
	unlink(in_folder("r"));
}

/* Version 3 had nothing of interrupts; all else it has. */
static void version_3(void **state)
{
	struct recording *r = db_new();
	struct loaded l;
	struct heard h;

	(void)state;
	db_grow(r, 0);
	irq_free(r->irq);
	r->irq = NULL;
	save_once(r);
	make_older(3, DB_TABLES_3, "key = 'irq'");
	assert_int_equal(load_quiet(in_folder("r"), NULL, &l, &h), -EBADMSG); /* keys that it had not */
	make_older(3, DB_TABLES, IRQ_KEYS);
	check_same(r);
	recording_free(r);
	unlink(in_folder("r"));
}

static void buckets(void **state)
{
	static uint64_t in[HIST_BUCKETS], out[HIST_BUCKETS];
	static uint8_t blob[BUCKETS_BLOB_BYTES_MAX];
	struct buckets_sum sum;
	size_t n;

	(void)state;
	assert_int_equal(buckets_encode(blob, in), 0);
	assert_true(buckets_decode(out, blob, 0, &sum));
	assert_int_equal(sum.count, 0);
	/* By hand: two empty, then 1; none, then 300 = 2 * 128 + 44; 580 = 4 * 128 + 68 empty, then 5. */
	in[2] = 1;
	in[3] = 300;
	in[584] = 5;
	n = buckets_encode(blob, in);
	assert_int_equal(n, 8);
	assert_memory_equal(blob, "\x02\x01\x00\xac\x02\xc4\x04\x05", 8);
	assert_true(buckets_decode(out, blob, n, &sum));
	assert_memory_equal(in, out, sizeof(in));
	assert_int_equal(sum.count, 306);
	assert_int_equal(sum.lowest, 2);
	assert_int_equal(sum.highest, 584);
	for (size_t i = 1; i < n; i++) /* whole pairs only */
		assert_int_equal(buckets_decode(NULL, blob, i, &sum), i == 2 || i == 5);
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		in[i] = INT64_MAX / HIST_BUCKETS;
	memset(out, 0, sizeof(out));
	n = buckets_encode(blob, in);
	assert_true(buckets_decode(out, blob, n, &sum));
	assert_memory_equal(in, out, sizeof(in));
	in[HIST_BUCKETS - 1] += HIST_BUCKETS;
	n = buckets_encode(blob, in);
	assert_false(buckets_decode(NULL, blob, n, &sum)); /* more than 63 bits */
}

static void words(void **state)
{
	(void)state;
	for (int i = 0; i < WAKE_CAUSES; i++)
		assert_int_equal(db_wake_cause_of(latency_cause_word((enum wake_cause)i)), i);
	for (int i = 0; i < LATENCY_KINDS; i++)
		assert_int_equal(db_latency_kind_of(latency_kind_word((enum latency_kind)i)), i);
	for (int i = 0; i <= SPAN_UNKNOWN; i++)
		assert_int_equal(db_span_kind_of(latency_span_word((enum span_kind)i)), i);
	for (int i = 0; i < WAKE_COUNTS; i++)
		assert_int_equal(db_wake_count_of(latency_count_word((enum wake_count)i)), i);
	assert_int_equal(db_wake_cause_of("?"), -1);
	assert_int_equal(db_latency_kind_of(""), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extremes),   cmocka_unit_test(extreme_of_a_point),
		cmocka_unit_test(torn),	      cmocka_unit_test(worst_cases),
		cmocka_unit_test(odd_values), cmocka_unit_test(none),
		cmocka_unit_test(version_1),  cmocka_unit_test(version_2),
		cmocka_unit_test(version_3),  cmocka_unit_test(buckets),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
