/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files edited by somebody who knows the checksums, as whoever can write a file may: what is
 * impossible in itself is found all the same.
 */
#include "db/row.h"
#include "db/schema.h"
#include "db_faults.h"

static void checksum_of(sqlite3 *db, enum db_table t, int interval, unsigned columns, uint32_t *crc)
{
	struct db_value v[DB_COLUMNS_MAX];
	sqlite3_stmt *q;
	char sql[128];

	snprintf(sql, sizeof(sql), "SELECT * FROM %s WHERE %s = %d ORDER BY rowid", db_tables[t].name,
		 t == DB_INTERVALS ? "id" : "interval", interval);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	while (sqlite3_step(q) == SQLITE_ROW) {
		row_read(q, 0, db_tables[t].types, v);
		*crc = row_checksum(*crc, db_tables[t].name, v,
				    columns ? columns : (unsigned)strlen(db_tables[t].types));
	}
	sqlite3_finalize(q);
}

static void set_number(sqlite3 *db, const char *column, uint32_t number, int interval)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "UPDATE intervals SET %s = %u WHERE id = %d", column, number, interval);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void seal(sqlite3 *db)
{
	for (int i = 1; i <= INTERVALS; i++) {
		uint32_t crc = 0;

		for (int t = DB_STRINGS; t < DB_TABLES; t++)
			if (db_tables[t].interval == 1)
				checksum_of(db, (enum db_table)t, i, 0, &crc);
		set_number(db, "dictionary_checksum", crc, i);
		crc = 0;
		checksum_of(db, DB_INTERVALS, i, DB_INTERVAL_CHECKSUM, &crc);
		for (int t = DB_LOSSES; t < DB_TABLES; t++)
			if (db_tables[t].interval != 1)
				checksum_of(db, (enum db_table)t, i, 0, &crc);
		set_number(db, "checksum", crc, i);
	}
}

static void sealed_nonsense(void **state)
{
	static const char *const edits[] = {
		"UPDATE counts SET fires = -1, rest = 5000 WHERE rowid = 1",
		"UPDATE counts SET rest = -fires * 1000 - 1 WHERE rowid = 1", /* weight -1 */
		"UPDATE counts SET stack = 99 WHERE rowid = 1",
		"UPDATE counts SET stack = 1 << 40 WHERE rowid = 1",
		"UPDATE counts SET labels = 99 WHERE rowid = 1",
		"UPDATE counts SET labels = -1 WHERE rowid = 1",
		"UPDATE counts SET labels = 1 << 40 WHERE rowid = 1",
		"UPDATE labels SET comm = 99",
		"UPDATE labels SET comm = -1",
		"UPDATE labels SET tgid = -5",
		"UPDATE labels SET tid = 1 << 31",
		"UPDATE labels SET cpu = -2",
		"UPDATE labels SET id = 1",
		"DELETE FROM labels",
		"UPDATE counts SET fires = 9223372036854775807 WHERE interval = 1",
		"UPDATE counts SET rest = 9223372036854775807 WHERE interval = 1",
		"UPDATE counts SET fires = 4611686018427387904, rest = 0 WHERE rowid = 1", /* weight wraps to 0 */
		"UPDATE intervals SET period = -1000 WHERE id = 1",
		"UPDATE intervals SET period = 1 << 62 WHERE id = 1", /* 10 * period wraps */
		"UPDATE intervals SET sideband_lost = -1 WHERE id = 1",
		"UPDATE stacks SET frames = x'' WHERE id = 1",
		"UPDATE stacks SET frames = frames || x'00' WHERE id = 1",
		"UPDATE stacks SET leaf = -1 WHERE id = 1",
		"UPDATE stacks SET leaf = 1 << 31, frames = x'ffffffff0f' WHERE id = 1", /* and back to 0 */
		"UPDATE stacks SET user_frames = 65536 WHERE id = 1",
		"UPDATE stacks SET user_frames = -1, kernel_frames = 3 WHERE id = 1",
		"UPDATE stacks SET leaf = NULL WHERE id = 1",
		"UPDATE stacks SET leaf = 99 WHERE id = 1",
		"UPDATE stacks SET leaf = NULL, user_frames = 0, kernel_frames = 0 WHERE id = 1",
		"UPDATE stacks SET user_frames = 0, kernel_frames = 0, frames = x'' WHERE id = 1",
		"UPDATE stacks SET frames = x'feffffff0f' WHERE id = 1", /* 2147483647 on */
		"UPDATE locations SET mapping = 99 WHERE id = 1",
		"UPDATE locations SET mapping = -1 WHERE id = 1",
		"UPDATE locations SET name = 99 WHERE id = 1",
		"UPDATE locations SET why = 'because' WHERE id = 1",
		"UPDATE mappings SET kind = 'what' WHERE id = 0",
		"UPDATE mappings SET path = 99 WHERE id = 0",
		"UPDATE mappings SET build_id = 'xy' WHERE id = 0",
		"UPDATE mappings SET build_id = '123' WHERE id = 0",
		"UPDATE mappings SET build_id = printf('%.*c', 66, 'a') WHERE id = 0",
		"UPDATE strings SET text = printf('%.*c', 5000, 'a') WHERE text = 'main'",
		"UPDATE strings SET text = CAST(x'610062' AS TEXT) WHERE text = 'main'",
		"UPDATE intervals SET seen = -1 WHERE id = 1",
		"UPDATE intervals SET start_ns = -1 WHERE id = 1",
		"UPDATE intervals SET bpf_ns = -1 WHERE id = 1",
		"INSERT INTO losses VALUES(1, 'map_full', -5)",
		"INSERT INTO losses VALUES(1, 'gremlins', 5)",
		"INSERT INTO losses VALUES(1, 'map_full', 5), (1, 'map_full', 5)",
		"DELETE FROM strings WHERE text = 'f0'",
		"DELETE FROM locations WHERE id = 0",
		"UPDATE intervals SET kept = 9223372036854775807",
		"UPDATE intervals SET expected = -9223372036854775807",
		"UPDATE intervals SET duration_ns = 9223372036854775807",
		"UPDATE histograms SET count = count + 1 WHERE rowid = 1", /* its buckets have less */
		"UPDATE histograms SET count = 0, buckets = x'' WHERE rowid = 1",
		"UPDATE histograms SET buckets = buckets || x'0001' WHERE rowid = 1",
		"UPDATE histograms SET buckets = substr(buckets, 1, length(buckets) - 1) WHERE rowid = 1",
		"UPDATE histograms SET buckets = x'0000' || buckets WHERE rowid = 1", /* an empty one */
		/* A bucket behind the last, which is 591. */
		"UPDATE histograms SET count = 1, buckets = x'd00401', max_ns = 1 << 50 WHERE rowid = 1",
		"UPDATE histograms SET count = 1, buckets = x'ffff01', max_ns = 1 << 50 WHERE rowid = 1",
		"UPDATE histograms SET count = -1 WHERE rowid = 1",
		"UPDATE histograms SET count = -1, buckets = x'00ffffffffffffffffff01' WHERE rowid = 1",
		"UPDATE histograms SET sum_ns = -1 WHERE rowid = 1",
		"UPDATE histograms SET sum_ns = 9223372036854775807",
		"UPDATE histograms SET min_ns = -1 WHERE rowid = 1",
		"UPDATE histograms SET min_ns = max_ns + 1 WHERE rowid = 1",
		"UPDATE histograms SET min_ns = max_ns WHERE rowid = 1", /* a bucket below has values */
		"UPDATE histograms SET max_ns = min_ns WHERE rowid = 1",
		"UPDATE histograms SET kind = 'none' WHERE rowid = 1",
		"UPDATE histograms SET of_group = 99 WHERE rowid = 1",
		"UPDATE histograms SET of_group = -1 WHERE rowid = 1",
		"UPDATE causes SET cause = 'gremlins' WHERE rowid = 1",
		"UPDATE causes SET number = 1 << 31 WHERE rowid = 1",
		"UPDATE causes SET name = 99 WHERE rowid = 1",
		"UPDATE causes SET preempted = 2 WHERE rowid = 1",
		"UPDATE causes SET delay_ns = delay_ns + 1 WHERE rowid = 1", /* no quarter begins there */
		"UPDATE causes SET delay_ns = -1 WHERE rowid = 1",
		"UPDATE causes SET spans = -1 WHERE rowid = 1",
		"UPDATE causes SET ns = -1 WHERE rowid = 1",
		"UPDATE causes SET ns = 9223372036854775807",
		"UPDATE cases SET kind = 'queue' WHERE id = 1",
		"UPDATE cases SET total_ns = total_ns + 1 WHERE id = 1", /* its parts have less */
		"UPDATE cases SET total_ns = -1 WHERE id = 1",
		"UPDATE cases SET above = 2 WHERE id = 1",
		"UPDATE cases SET unix_ns = -1 WHERE id = 1",
		"UPDATE cases SET comm = 99 WHERE id = 1",
		"UPDATE cases SET context_name = 99 WHERE id = 1",
		"UPDATE cases SET waker_comm = -1 WHERE id = 1",
		"UPDATE cases SET tid = -1 WHERE id = 1",
		"UPDATE cases SET cpu = -1 WHERE id = 1",
		"UPDATE cases SET prio = 32768 WHERE id = 1",
		"UPDATE cases SET policy = -1 WHERE id = 1",
		"UPDATE cases SET flags = 256 WHERE id = 1",
		"UPDATE cases SET flags = -1 WHERE id = 1",
		"UPDATE cases SET moves = -1 WHERE id = 1",
		"UPDATE cases SET irq_ns = -2 WHERE id = 1",
		"UPDATE cases SET expiry_ns = 9223372036854775807 WHERE id = 1",
		"UPDATE cases SET context = 'dream' WHERE id = 1",
		"UPDATE cases SET context_number = 1 << 31 WHERE id = 1",
		"UPDATE cases SET waker_cpu = -2 WHERE id = 1",
		"UPDATE cases SET preempt_depth = -2 WHERE id = 1",
		"UPDATE cases SET waker_stack = 99 WHERE id = 1",
		"UPDATE cases SET out_stack = -1 WHERE id = 1",
		"UPDATE cases SET user_stack = 1 << 40 WHERE id = 1",
		"UPDATE cases SET id = 1 << 40 WHERE id = 1",
		"UPDATE cases SET id = -1 WHERE id = 1",
		"DELETE FROM cases WHERE id = 1",
		"UPDATE parts SET ns = ns + 1 WHERE rowid = 1",
		"UPDATE parts SET ns = ns + 9223372036854775807, spans = 0 WHERE rowid = 1",
		"UPDATE parts SET ns = -1 WHERE rowid = 1",
		"UPDATE parts SET spans = -1 WHERE rowid = 1",
		"UPDATE parts SET of_case = 99 WHERE rowid = 1",
		"UPDATE parts SET of_case = -1 WHERE rowid = 1",
		"UPDATE parts SET of_case = 2 WHERE rowid = 1", /* of another interval */
		"UPDATE parts SET cause = '' WHERE rowid = 1",
		"UPDATE parts SET name = 99 WHERE rowid = 1",
		"UPDATE parts SET lender = 99 WHERE rowid = 1",
		"UPDATE parts SET tid = -1 WHERE rowid = 1",
		"UPDATE parts SET prio = -32769 WHERE rowid = 1",
		"DELETE FROM parts WHERE rowid = 1",
		"INSERT INTO parts VALUES(1, 0, 'hardirq', 1, 0, 0, 0, 0, 1, 9223372036854775807)",
		"UPDATE spans SET kind = 'x' WHERE rowid = 1",
		"UPDATE spans SET of_case = 99 WHERE rowid = 1",
		"UPDATE spans SET of_case = 2 WHERE rowid = 1",
		"UPDATE spans SET end_ns = start_ns - 1 WHERE rowid = 1",
		"UPDATE spans SET start_ns = -9223372036854775807 WHERE rowid = 1",
		"UPDATE spans SET net_ns = end_ns - start_ns + 1 WHERE rowid = 1",
		"UPDATE spans SET net_ns = -1 WHERE rowid = 1",
		"UPDATE spans SET name = 99 WHERE rowid = 1",
		"UPDATE points SET kind = 'x' WHERE rowid = 1",
		"UPDATE points SET count = -1 WHERE rowid = 1",
		"UPDATE points SET p50_ns = p99_ns + 1 WHERE rowid = 1",
		"UPDATE points SET p99_ns = max_ns + 1 WHERE rowid = 1",
		"UPDATE points SET start_ns = -1 WHERE rowid = 1",
		"UPDATE points SET start_ns = 9223372036854775807 WHERE rowid = 1", /* it ends beyond */
		"INSERT INTO waits VALUES(1, 'clock', -5)",
		"INSERT INTO waits VALUES(1, 'gremlins', 5)",
		"INSERT INTO waits VALUES(1, 'clock', 5), (1, 'clock', 5)",
		"UPDATE waits SET count = 9223372036854775807",
		"UPDATE irq_sources SET kind = 'dream' WHERE id = 0",
		"UPDATE irq_sources SET name = 99 WHERE id = 0",
		"UPDATE irq_sources SET number = 1 << 31 WHERE id = 0",
		"UPDATE irq_sources SET id = -1 WHERE id = 0",
		"DELETE FROM irq_sources WHERE id = 0",
		"UPDATE irq_settings SET source = 99 WHERE rowid = 1",
		"UPDATE irq_settings SET affinity = 99 WHERE rowid = 1",
		"UPDATE irq_settings SET effective = -1 WHERE rowid = 1",
		"UPDATE irq_settings SET tid = 1 << 31 WHERE rowid = 1",
		"UPDATE irq_rows SET source = 99 WHERE rowid = 1",
		"UPDATE irq_rows SET source = -1 WHERE rowid = 1",
		"UPDATE irq_rows SET cpu = -1 WHERE rowid = 1",
		"UPDATE irq_rows SET cpu = 1 << 30 WHERE rowid = 1",
		"UPDATE irq_rows SET gross_ns = -1 WHERE rowid = 1",
		"UPDATE irq_rows SET gross_ns = 9223372036854775807",
		"UPDATE irq_rows SET peak = -1 WHERE rowid = 1",
		"UPDATE irq_rows SET peak_unix_ns = -1 WHERE rowid = 1",
		"UPDATE irq_rows SET storms = 9223372036854775807",
		"UPDATE irq_rows SET no_start = -1 WHERE rowid = 1",
		"UPDATE irq_rows SET joined = -1 WHERE rowid = 1",
		"UPDATE irq_rows SET by_hardirq = -1 WHERE rowid = 1",
		"UPDATE irq_histograms SET source = 99 WHERE rowid = 1",
		"UPDATE irq_histograms SET cpu = -1 WHERE rowid = 1",
		"UPDATE irq_histograms SET measure = 'walk' WHERE rowid = 1",
		"UPDATE irq_histograms SET count = count + 1 WHERE rowid = 1",
		"UPDATE irq_histograms SET count = 0, buckets = x'' WHERE rowid = 1",
		"UPDATE irq_histograms SET count = 1, buckets = x'd00401', max_ns = 1 << 50 WHERE rowid = 1",
		"UPDATE irq_histograms SET sum_ns = -1 WHERE rowid = 1",
		"UPDATE irq_histograms SET sum_ns = 9223372036854775807",
		"UPDATE irq_histograms SET min_ns = max_ns WHERE rowid = 1",
		"UPDATE irq_histograms SET max_ns = min_ns WHERE rowid = 1",
		"UPDATE irq_histograms SET longest_unix_ns = -1 WHERE rowid = 1",
		"UPDATE irq_cases SET id = -1 WHERE id = 1",
		"UPDATE irq_cases SET list = 'x' WHERE id = 1",
		"UPDATE irq_cases SET measure = 'x' WHERE id = 1",
		"UPDATE irq_cases SET above = 2 WHERE id = 1",
		"UPDATE irq_cases SET source = 99 WHERE id = 1",
		"UPDATE irq_cases SET cpu = -1 WHERE id = 1",
		"UPDATE irq_cases SET total_ns = -1 WHERE id = 1",
		"UPDATE irq_cases SET total_ns = 9223372036854775807 WHERE id = 1",
		"UPDATE irq_cases SET net_ns = -1 WHERE id = 1",
		"UPDATE irq_cases SET unix_ns = -1 WHERE id = 1",
		"UPDATE irq_cases SET context = 'x' WHERE id = 1",
		"UPDATE irq_cases SET raiser = 'x' WHERE id = 1",
		"UPDATE irq_cases SET raiser_number = 1 << 31 WHERE id = 1",
		"UPDATE irq_cases SET runnable = -1 WHERE id = 1",
		"UPDATE irq_cases SET comm = 99 WHERE id = 1",
		"UPDATE irq_cases SET tid = -1 WHERE id = 1",
		"UPDATE irq_cases SET prio = 32768 WHERE id = 1",
		"UPDATE irq_cases SET delayed_comm = -1 WHERE id = 1",
		"UPDATE irq_cases SET delayed_tgid = -1 WHERE id = 1",
		"UPDATE irq_cases SET delayed_prio = -32769 WHERE id = 1",
		"UPDATE irq_cases SET stack = 99 WHERE id = 1",
		"UPDATE irq_cases SET stack = -1 WHERE id = 1",
		"DELETE FROM irq_cases WHERE id = 1",
		"UPDATE irq_spans SET kind = 'x' WHERE rowid = 1",
		"UPDATE irq_spans SET number = 1 << 31 WHERE rowid = 1",
		"UPDATE irq_spans SET of_case = 99 WHERE rowid = 1",
		"UPDATE irq_spans SET of_case = (SELECT id FROM irq_cases WHERE interval = 2) WHERE rowid = 1",
		"UPDATE irq_spans SET name = 99 WHERE rowid = 1",
		"UPDATE irq_spans SET end_ns = start_ns - 1 WHERE rowid = 1",
		"UPDATE irq_spans SET start_ns = -9223372036854775807 WHERE rowid = 1",
		"UPDATE irq_spans SET net_ns = end_ns - start_ns + 1 WHERE rowid = 1",
		"UPDATE irq_behind SET source = 99 WHERE rowid = 1",
		"UPDATE irq_behind SET comm = 99 WHERE rowid = 1",
		"UPDATE irq_behind SET prio_class = 3 WHERE rowid = 1",
		"UPDATE irq_behind SET count = -1 WHERE rowid = 1",
		"UPDATE irq_behind SET ns = 9223372036854775807",
		"UPDATE irq_behind SET max_ns = -1 WHERE rowid = 1",
		"UPDATE irq_senders SET vector = 1 << 31 WHERE rowid = 1",
		"UPDATE irq_senders SET callsite = 99 WHERE rowid = 1",
		"UPDATE irq_senders SET context = '' WHERE rowid = 1",
		"UPDATE irq_senders SET comm = -1 WHERE rowid = 1",
		"UPDATE irq_senders SET stack = 99 WHERE rowid = 1",
		"UPDATE irq_senders SET count = 9223372036854775807",
		"UPDATE irq_places SET kind = 'line' WHERE rowid = 1", /* no section */
		"UPDATE irq_places SET name = 99 WHERE rowid = 1",
		"UPDATE irq_places SET exact = 2 WHERE rowid = 1",
		"UPDATE irq_places SET stack = -1 WHERE rowid = 1",
		"UPDATE irq_places SET count = -1 WHERE rowid = 1",
		"UPDATE irq_places SET ns = 9223372036854775807",
		"UPDATE irq_places SET max_ns = -1 WHERE rowid = 1",
		"UPDATE irq_points SET source = 99 WHERE rowid = 1",
		"UPDATE irq_points SET start_ns = 9223372036854775807 WHERE rowid = 1",
		"UPDATE irq_points SET duration_ns = -1 WHERE rowid = 1",
		"UPDATE irq_points SET count = -1 WHERE rowid = 1",
		"UPDATE irq_points SET max_ns = -1 WHERE rowid = 1",
		"INSERT INTO irq_events VALUES(1, 'clock', -5)",
		"INSERT INTO irq_events VALUES(1, 'gremlins', 5)",
		"INSERT INTO irq_events VALUES(1, 'clock', 5), (1, 'clock', 5)",
		"UPDATE irq_events SET count = 9223372036854775807",
	};
	char path[128];

	(void)state;
	strcpy(path, in_folder("r"));
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		sqlite3 *db = open_edited(path);

		if (sqlite3_exec(db, edits[i], NULL, NULL, NULL) != SQLITE_OK || !sqlite3_changes(db))
			fail_msg("no edit: %s: %s", edits[i], sqlite3_errmsg(db));
		seal(db);
		sqlite3_close(db);
		if (outcome_of(path, edits[i]) == SAME)
			fail_msg("not seen: %s", edits[i]);
	}
	unlink(path);
}

/* The seal itself is right: without an edit it changes nothing. */
static void sealed_truth(void **state)
{
	char path[128];
	sqlite3 *db;

	(void)state;
	strcpy(path, in_folder("r"));
	db = open_edited(path);
	set_number(db, "checksum", 5, 1);
	seal(db);
	sqlite3_close(db);
	assert_int_equal(outcome_of(path, "sealed"), SAME);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sealed_truth), cmocka_unit_test(sealed_nonsense) };

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
