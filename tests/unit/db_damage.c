/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files with faults: what is loaded from one is exactly what some of its intervals hold, those left
 * out are named, or all of it is refused. Never another number.
 */
#include <sys/mman.h>

#include "db/schema.h"
#include "db_faults.h"

/* Far inside of what a page has not used: one of many alike. */
static bool is_void(size_t i)
{
	static const char zeros[33];

	return i > 16 && i + 17 < whole.n && !memcmp(whole.bytes + i - 16, zeros, sizeof(zeros)) && i % 8;
}

static void every_byte(void **state)
{
	unsigned seen[OUTCOMES] = { 0 };
	char path[128], fault[64];
	int fd;

	(void)state;
	strcpy(path, in_folder("r"));
	write_file(path, whole.n);
	fd = open(path, O_WRONLY);
	for (size_t i = 0; i < whole.n; i++) {
		/* All bits of a byte that says something, or one after the other where most are zero. */
		char flipped = (char)(whole.bytes[i] ^ (i % 9 ? 1 << i % 8 : 0xff));

		if (is_void(i))
			continue;
		snprintf(fault, sizeof(fault), "byte %zu is %02x", i, (unsigned char)flipped);
		assert_int_equal(pwrite(fd, &flipped, 1, (off_t)i), 1);
		seen[outcome_of(path, fault)]++;
		assert_int_equal(pwrite(fd, &whole.bytes[i], 1, (off_t)i), 1);
	}
	close(fd);
	print_message("# of %zu bytes flipped %u change nothing, %u cost intervals, %u the file\n", whole.n, seen[SAME],
		      seen[DROPPED], seen[REFUSED]);
	assert_true(seen[SAME] && seen[DROPPED] && seen[REFUSED]);
	assert_int_equal(outcome_of(path, "none"), SAME);
	unlink(path);
}

static void every_length(void **state)
{
	unsigned seen[OUTCOMES] = { 0 };
	char path[128], fault[64];

	(void)state;
	strcpy(path, in_folder("r"));
	for (size_t n = 0; n < whole.n; n += n < 256 || n % 512 > 508 || n % 512 < 2 ? 1 : 97) {
		snprintf(fault, sizeof(fault), "%zu bytes", n);
		write_file(path, n);
		seen[outcome_of(path, fault)]++;
	}
	assert_int_equal(seen[SAME], 0);
	unlink(path);
}

/* The first intervals of a longer recording outlive the loss of its end. */
static void lost_end(void **state)
{
	char path[128];
	struct loaded l;
	struct heard h;
	struct stat st;
	struct recording *r = db_new(), *want = db_new();
	struct saver *s;

	(void)state;
	strcpy(path, in_folder("r"));
	assert_int_equal(saver_open(&s, path), 0);
	for (unsigned i = 0; i < 2; i++) {
		db_grow(r, i);
		if (!i)
			db_grow(want, i);
		for (unsigned k = 0; i && k < 2000; k++) {
			uint32_t f = db_location(r, "/bin/more", MAPPING_FILE, "more", 0x10000 + k);

			db_add(r, "more", recording_stack(r, &f, 0, 1), 1);
		}
		assert_int_equal(saver_interval(s, r), 0);
	}
	saver_close(s);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size * 9 / 10), 0);
	assert_int_equal(load_quiet(path, NULL, &l, &h), 0);
	says(h.text, "lost its end");
	says(h.text, "interval 2");
	assert_int_equal(l.n_used, 1);
	assert_int_equal(l.n_damaged, 1);
	assert_same(l.r, want);
	loaded_free(&l);
	recording_free(r);
	recording_free(want);
	unlink(path);
}

/* Three intervals with `n` functions of their own each, "part<i>_<k>". What interval i + 1 is alone, if `only` is i. */
static struct recording *save_parts(const char *path, unsigned n, unsigned only)
{
	struct recording *r = db_new();
	struct saver *s = NULL;

	if (path)
		assert_int_equal(saver_open(&s, path), 0);
	for (unsigned i = 0; i < INTERVALS; i++) {
		for (unsigned k = 0; k < n && (path || i == only); k++) {
			char name[32];
			uint32_t f;

			snprintf(name, sizeof(name), "part%u_%u", i, k);
			f = db_location(r, "/bin/prog", MAPPING_FILE, name, 0x10000 * i + k);
			db_add(r, "prog", recording_stack(r, &f, 0, 1), i + 1);
		}
		r->meta.duration_ns += SECOND_NS;
		if (path)
			assert_int_equal(saver_interval(s, r), 0);
	}
	saver_close(s);
	return r;
}

#define PAGE_BYTES 1024

static uint8_t *map_file(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDWR);
	struct stat st;
	uint8_t *at;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	*bytes = (size_t)st.st_size;
	at = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(at != MAP_FAILED);
	close(fd);
	return at;
}

/* A page of names that only interval 2 uses is gone: 1 and 3 are read. */
static void lost_page(void **state)
{
	char path[128], *have_text, *want_text;
	struct recording *want;
	size_t bytes;
	uint8_t *file, *page;
	struct loaded l;
	struct heard h;

	(void)state;
	strcpy(path, in_folder("r"));
	recording_free(save_parts(path, 500, 0));
	file = map_file(path, &bytes);
	page = memmem(file, bytes, "part1_250", 9);
	assert_non_null(page);
	page = file + (size_t)(page - file) / PAGE_BYTES * PAGE_BYTES;
	assert_int_equal(page[0], 13); /* a leaf of a table */
	memset(page, 0, PAGE_BYTES);
	munmap(file, bytes);
	for (unsigned i = 0; i < INTERVALS; i += 2) {
		struct load_range range = { i * SECOND_NS, (i + 1) * SECOND_NS };

		assert_int_equal(load_quiet(path, &range, &l, &h), 0);
		says(h.text, "intervals that can be read whole are used");
		says(h.text, "interval 2 (1.0 s to 2.0 s)");
		assert_int_equal(l.n_damaged, 1);
		want = save_parts(NULL, 500, i);
		have_text = samples_text(l.r);
		want_text = samples_text(want);
		assert_string_equal(have_text, want_text);
		free(have_text);
		free(want_text);
		recording_free(want);
		loaded_free(&l);
	}
	unlink(path);
}

/*
 * Pages of a tree that all lead to one and the same: read to the end there would be more rows than
 * the file has bytes. An inner page is 5, flags and counts to byte 12, then the places of its cells,
 * each of which begins with the number of a page.
 */
static void endless_tree(void **state)
{
	char path[128];
	size_t bytes;
	uint8_t *file;
	unsigned inner = 0;
	struct loaded l;
	struct heard h;

	(void)state;
	strcpy(path, in_folder("r"));
	recording_free(save_parts(path, 2000, 0));
	file = map_file(path, &bytes);
	for (uint8_t *page = file + PAGE_BYTES; page < file + bytes; page += PAGE_BYTES) {
		unsigned cells = (unsigned)page[3] << 8 | page[4];
		uint8_t *first = page + ((unsigned)page[12] << 8 | page[13]);

		if (page[0] != 5 || cells < 5)
			continue;
		inner++;
		for (unsigned i = 1; i < cells; i++)
			memcpy(page + ((unsigned)page[12 + 2 * i] << 8 | page[13 + 2 * i]), first, 4);
	}
	assert_true(inner > 3);
	munmap(file, bytes);
	assert_int_equal(load_quiet(path, NULL, &l, &h), -EBADMSG);
	says(h.text, "nothing of it can be used");
	unlink(path);
}

/* --- by SQL --- */

/* false: SQLite refuses such an edit itself. */
static bool edit(const char *path, const char *sql)
{
	sqlite3 *db = open_edited(path);
	bool done = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK && sqlite3_changes(db) > 0;

	sqlite3_close(db);
	return done;
}

static unsigned edit_columns(const char *path, const char *table, const char *row)
{
	static const char *const values[] = { "%s + 1", "%s - 1", "-1",	   "9223372036854775807",
					      "NULL",	"'x'",	  "x'00'", "%s || x'ff'",
					      "1.5",	"1 << 31" };
	char sql[256], query[64], value[64];
	unsigned edits = 0;
	sqlite3_stmt *q;
	sqlite3 *db; /* with the same tables: the file is changed below */

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	sqlite3_exec(db, db_create_meta, NULL, NULL, NULL);
	for (int t = 0; t < DB_TABLES; t++)
		sqlite3_exec(db, db_tables[t].create, NULL, NULL, NULL);

	snprintf(query, sizeof(query), "PRAGMA table_info(%s)", table);
	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &q, NULL), SQLITE_OK);
	while (sqlite3_step(q) == SQLITE_ROW)
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			const char *column = (const char *)sqlite3_column_text(q, 1);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(value, sizeof(value), values[i], column);
#pragma GCC diagnostic pop
			snprintf(sql, sizeof(sql), "UPDATE %s SET %s = %s WHERE %s AND %s IS NOT %s", table, column,
				 value, row, column, value);
			if (!edit(path, sql))
				continue;
			edits++;
			if (outcome_of(path, sql) == SAME)
				fail_msg("not seen: %s", sql);
		}
	sqlite3_finalize(q);
	sqlite3_close(db);
	return edits;
}

static void edited_rows(void **state)
{
	static const char *const rows[][2] = {
		{ "meta", "key = 'cpus'" },    { "meta", "key = 'intervals'" },
		{ "meta", "key = 'event'" },   { "meta", "key = 'achieved_hz'" },
		{ "intervals", "id = 2" },     { "strings", "id = 2" },
		{ "mappings", "id = 0" },      { "locations", "id = 1" },
		{ "stacks", "id = 1" },	       { "labels", "id = 0" },
		{ "counts", "rowid = 3" },     { "meta", "key = 'above_ns'" },
		{ "meta", "key = 'latency'" }, { "meta", "key = 'per'" },
		{ "histograms", "rowid = 1" }, { "causes", "rowid = 2" },
		{ "cases", "id = 3" },	       { "parts", "rowid = 2" },
		{ "spans", "rowid = 2" },      { "points", "rowid = 1" },
		{ "waits", "rowid = 1" },
	};
	static const char *const others[] = {
		"DELETE FROM counts WHERE rowid = 3",
		"DELETE FROM histograms WHERE rowid = 3",
		"DELETE FROM causes",
		"DELETE FROM cases WHERE id = 1",
		"DELETE FROM cases",
		"DELETE FROM parts WHERE of_case = 1",
		"DELETE FROM spans WHERE rowid = 1",
		"DELETE FROM points",
		"DELETE FROM waits WHERE rowid = 1",
		"UPDATE cases SET id = id + 10 WHERE id = 3",
		"DELETE FROM counts",
		"DELETE FROM labels",
		"DELETE FROM intervals WHERE id = 3",
		"DELETE FROM intervals WHERE id = 2",
		"DELETE FROM intervals",
		"DELETE FROM strings WHERE id = 2",
		"DELETE FROM mappings",
		"DELETE FROM locations WHERE id = 0",
		"DELETE FROM stacks WHERE id = 2",
		"DELETE FROM meta WHERE key = 'cpus'",
		"DELETE FROM meta",
		"INSERT INTO counts SELECT * FROM counts WHERE rowid = 1",
		"INSERT INTO losses VALUES(2, 'map_full', 5)",
		"INSERT INTO losses VALUES(2, 'none', 5)",
		"INSERT INTO meta VALUES('extra', 1)",
		"INSERT INTO strings VALUES(77, 1, 'more')",
		"UPDATE counts SET interval = 4 - interval",
		"UPDATE counts SET fires = 22 - fires WHERE rowid < 3",
	};
	char path[128];

	(void)state;
	strcpy(path, in_folder("r"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (edit_columns(path, rows[i][0], rows[i][1]) <= 5)
			fail_msg("too few edits of %s, %s", rows[i][0], rows[i][1]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_true(edit(path, others[i]));
		if (outcome_of(path, others[i]) == SAME)
			fail_msg("not seen: %s", others[i]);
	}
	unlink(path);
}

/* A name used by all intervals costs all; one that only interval 2 uses costs that. */
static void only_what_refers(void **state)
{
	char path[128];

	(void)state;
	strcpy(path, in_folder("r"));
	assert_true(edit(path, "UPDATE strings SET text = 'other' WHERE text = 'main'"));
	assert_int_equal(outcome_of(path, "main"), REFUSED);
	assert_true(edit(path, "UPDATE strings SET text = 'other' WHERE text = 'f1'"));
	assert_int_equal(outcome_of(path, "f1"), DROPPED);
	assert_true(edit(path, "UPDATE intervals SET kept = kept + 1 WHERE id = 2"));
	assert_int_equal(outcome_of(path, "kept"), DROPPED);
	unlink(path);
}

/* Other tables, views, triggers: nothing of it is run, since the file is not looked into. */
static void other_schema(void **state)
{
	static const char *const schemas[] = {
		"CREATE TABLE more(x)",
		"CREATE VIEW v AS SELECT * FROM samples",
		"CREATE INDEX i ON counts(fires)",
		"CREATE TRIGGER t AFTER INSERT ON counts BEGIN DELETE FROM counts; END",
		"CREATE TRIGGER t INSTEAD OF INSERT ON samples BEGIN DELETE FROM counts; END",
		"DROP TABLE losses",
		"DROP VIEW samples",
		"DROP VIEW samples; CREATE VIEW samples AS SELECT * FROM counts",
		"DROP VIEW samples; CREATE TABLE samples(interval, stack, comm, tgid, tid, cpu, fires, weight)",
		"ALTER TABLE counts RENAME TO counts2; CREATE VIEW counts AS SELECT * FROM counts2",
		"ALTER TABLE counts ADD COLUMN x",
		"DROP TABLE counts; CREATE VIRTUAL TABLE counts USING fts5(fires)",
		"PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql = replace(sql, 'rest', 'more') WHERE name = "
		"'counts'",
		"PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql = replace(sql, '+', '-') WHERE name = "
		"'samples'",
		"PRAGMA application_id = 1",
		"PRAGMA user_version = 0",
		"PRAGMA user_version = 1",
		"PRAGMA user_version = 2",
		"PRAGMA user_version = 3",
		"PRAGMA user_version = 5",
		"PRAGMA journal_mode = WAL",
		"PRAGMA encoding = 'UTF-16'; VACUUM",
	};
	char path[128];

	(void)state;
	strcpy(path, in_folder("r"));
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]) - 1; i++) {
		sqlite3 *db = open_edited(path);

		sqlite3_exec(db, schemas[i], NULL, NULL, NULL);
		sqlite3_close(db);
		assert_int_equal(outcome_of(path, schemas[i]), REFUSED);
	}
	unlink(path);
}

/* Trees that share pages, or are each other's. */
static void other_roots(void **state)
{
	char path[128], sql[256];
	unsigned seen[OUTCOMES] = { 0 };

	(void)state;
	strcpy(path, in_folder("r"));
	for (int a = 0; a < DB_TABLES; a++)
		for (int b = 0; b < DB_TABLES; b++) {
			sqlite3 *db = open_edited(path);

			snprintf(sql, sizeof(sql),
				 "PRAGMA writable_schema=1; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM "
				 "sqlite_schema WHERE name = '%s') WHERE name = '%s'",
				 db_tables[a].name, db_tables[b].name);
			assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
			sqlite3_close(db);
			seen[outcome_of(path, sql)]++;
		}
	/* Itself, and a table without rows that gets such as belong to no interval. */
	assert_int_equal(seen[SAME], DB_TABLES + 7);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte),	    cmocka_unit_test(every_length), cmocka_unit_test(lost_end),
		cmocka_unit_test(lost_page),	    cmocka_unit_test(endless_tree), cmocka_unit_test(edited_rows),
		cmocka_unit_test(only_what_refers), cmocka_unit_test(other_schema), cmocka_unit_test(other_roots),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
