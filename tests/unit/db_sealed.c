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

		for (int t = DB_STRINGS; t <= DB_LABELS; t++)
			checksum_of(db, (enum db_table)t, i, 0, &crc);
		set_number(db, "dictionary_checksum", crc, i);
		crc = 0;
		checksum_of(db, DB_INTERVALS, i, DB_INTERVAL_CHECKSUM, &crc);
		checksum_of(db, DB_LOSSES, i, 0, &crc);
		checksum_of(db, DB_COUNTS, i, 0, &crc);
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
