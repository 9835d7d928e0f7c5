/* SPDX-License-Identifier: GPL-2.0-only */
/* What is saved is what is loaded: whole, in parts, from a file and from stdin. */
#include <sqlite3.h>

#include "db/row.h"
#include "db/schema.h"
#include "db_build.h"

/* Every member of every struct has a value of its own. */
static struct recording *full(void)
{
	struct recording *r = db_new();
	struct rec_mapping kernel = { .name = recording_string(r, "[kernel]"), .kind = MAPPING_KERNEL };
	struct rec_mapping lib = { .name = recording_string(r, "/usr/lib/lib\xff\x01.so"),
				   .kind = MAPPING_FILE,
				   .dev = 0xfd01,
				   .inode = 0xfedcba9876543210,
				   .changed_ns = 1699999999123456789 };
	struct build_id id = { .n = 20, .bytes = { 0x00, 0xde, 0xad, 0xbe, 0xef, [19] = 0xff } };
	uint32_t frames[5];
	int k = recording_mapping(r, &kernel), m = recording_mapping(r, &lib), stacks[4];

	recording_describe(r, k, NULL, 0xffffffff81000000, 0);
	recording_describe(r, m, &id, 0, 123456);
	for (int i = 0; i < 5; i++) {
		int at = recording_location(r, i < 2 ? k : m, i < 2 ? 0xffffffff81000010u + (unsigned)i : 0x40u + i,
					    WHY_UNRESOLVED);

		frames[i] = (uint32_t)at;
		recording_name(r, at, recording_string(r, i ? "std::vector<int, x>::f(char const*)" : "idle"), 5, 0);
	}
	recording_name(r, (int)frames[3], 0, 0, WHY_STRIPPED);
	stacks[0] = recording_stack(r, frames, 2, 3);
	stacks[1] = recording_stack(r, frames, 5, 0);
	stacks[2] = recording_stack(r, frames + 3, 0, 2);
	stacks[3] = recording_stack(r, frames, 0, 0);
	recording_trim(r, stacks[1], 2);
	for (int i = 0; i < 4; i++)
		db_add(r, i % 2 ? "a\tb<&>" : "", stacks[i], (uint64_t)i + 1);
	assert_int_equal(recording_add(r, &(struct rec_sample){ .labels = { .cpu = -1 },
								.stack = stacks[0],
								.fires = 3,
								.weight = 1ull << 50 }),
			 0);
	r->meta.duration_ns = 12345678901;
	strcpy(r->sampling.fallback, "cycles: ENOENT");
	r->sampling.asked_period = 77;
	r->sampling.achieved_hz = 98.7654321;
	r->sampling.idle_is_guess = true;
	for (unsigned i = 0; i < DB_SUMS; i++) {
		struct db_sums sums = db_sums_of(&r->sampling);

		sums.of[i] = (int64_t)(1000000007u * (i + 1ull));
		db_sums_to(&r->sampling, &sums);
	}
	r->sampling.not_delivered = -12;
	r->cost = (struct rec_cost){ true, 111, 222, 333 };
	for (int i = 0; i < LOST_CAUSES; i++)
		r->lost.by_cause[i] = 17 + (uint64_t)i;
	return r;
}

static void save_one(const char *path, const struct recording *r)
{
	struct saver *s;

	assert_int_equal(saver_open(&s, path), 0);
	assert_int_equal(saver_interval(s, r), 0);
	assert_int_equal(saver_finish(s), 0);
	saver_close(s);
}

static void round_trip(void **state)
{
	struct recording *r = full();
	struct stat st;
	struct loaded l;

	(void)state;
	save_one(in_folder("r"), r);
	assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
	assert_same(l.r, r);
	assert_int_equal(l.n_intervals, 1);
	assert_int_equal(l.n_used, 1);
	assert_int_equal(l.n_damaged, 0);
	assert_int_equal(l.intervals[0].id, 1);
	assert_int_equal(l.intervals[0].start_ns, 0);
	assert_int_equal(l.intervals[0].duration_ns, 12345678901);
	assert_int_equal(l.intervals[0].fires, r->sampling.kept);
	assert_int_equal(stat(in_folder("r"), &st), 0);
	assert_int_equal(l.file_bytes, st.st_size);
	assert_int_equal(st.st_mode & 07777, 0600);
	loaded_free(&l);
	recording_free(r);
	unlink(in_folder("r"));
}

static void in_intervals(void **state)
{
	struct loaded l;
	struct recording *want;

	(void)state;
	db_save(in_folder("r"), 5);
	for (unsigned from = 0; from < 5; from++)
		for (unsigned to = from + 1; to <= 5; to++) {
			struct load_range range = { from * 10 * SECOND_NS, to * 10 * SECOND_NS };

			assert_int_equal(recording_load(in_folder("r"), &range, &l), 0);
			want = db_some((1u << to) - (1u << from));
			assert_same(l.r, want);
			assert_int_equal(l.n_intervals, 5);
			assert_int_equal(l.n_used, to - from);
			recording_free(want);
			loaded_free(&l);
		}
	unlink(in_folder("r"));
}

/* At least half of it within: from 4 s on it is, from 6 s on it is not. To 0 is to the end. */
static void half_intervals(void **state)
{
	static const struct {
		uint64_t from_s, to_s;
		int first, n;
	} cases[] = { { 4, 0, 0, 5 },  { 6, 0, 1, 4 },	  { 0, 24, 0, 2 },
		      { 0, 26, 0, 3 }, { 44, 100, 4, 1 }, { 8, 17, 1, 1 } };
	struct loaded l;
	struct heard h;

	(void)state;
	db_save(in_folder("r"), 5);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct load_range range = { cases[i].from_s * SECOND_NS, cases[i].to_s * SECOND_NS };

		assert_int_equal(recording_load(in_folder("r"), &range, &l), 0);
		assert_int_equal(l.n_used, cases[i].n);
		assert_int_equal((l.r->meta.start_unix_ns - 1700000000 * SECOND_NS) / SECOND_NS, 10 * cases[i].first);
		loaded_free(&l);
	}
	assert_int_equal(load_quiet(in_folder("r"), &(struct load_range){ 60 * SECOND_NS, 0 }, &l, &h), -ENODATA);
	says(h.text, "no interval lies in that range (there are 5, to 50.0 s)");
	unlink(in_folder("r"));
}

static void no_interval(void **state)
{
	struct saver *s;
	struct loaded l;
	struct heard h;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	assert_int_equal(saver_finish(s), 0);
	saver_close(s);
	assert_int_equal(load_quiet(in_folder("r"), NULL, &l, &h), -ENODATA);
	says(h.text, "holds no interval");
	unlink(in_folder("r"));
}

/* Measured at the end only, the cost is that of all intervals and of none. */
static void cost(void **state)
{
	struct recording *r = db_new();
	struct saver *s;
	struct loaded l;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	for (unsigned i = 0; i < 4; i++) {
		db_grow(r, i);
		if (i == 2 || i == 3)
			r->cost = (struct rec_cost){ true, 100 * i, 10 * i, i };
		assert_int_equal(saver_interval(s, r), 0);
	}
	assert_int_equal(saver_finish(s), 0);
	saver_close(s);
	assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
	assert_true(l.r->cost.known);
	assert_int_equal(l.r->cost.bpf_ns, 300);
	loaded_free(&l);
	assert_int_equal(recording_load(in_folder("r"), &(struct load_range){ 0, 20 * SECOND_NS }, &l), 0);
	assert_false(l.r->cost.known);
	loaded_free(&l);
	assert_int_equal(recording_load(in_folder("r"), &(struct load_range){ 0, 30 * SECOND_NS }, &l), 0);
	assert_true(l.r->cost.known);
	assert_int_equal(l.r->cost.bpf_ns, 200);
	loaded_free(&l);
	assert_int_equal(recording_load(in_folder("r"), &(struct load_range){ 20 * SECOND_NS, 40 * SECOND_NS }, &l), 0);
	assert_false(l.r->cost.known);
	loaded_free(&l);
	assert_int_equal(recording_load(in_folder("r"), &(struct load_range){ 30 * SECOND_NS, 40 * SECOND_NS }, &l), 0);
	assert_true(l.r->cost.known);
	assert_int_equal(l.r->cost.bpf_runs, 10);
	loaded_free(&l);
	recording_free(r);
	unlink(in_folder("r"));
}

/* What is due by a mean may shrink; nothing else may be more than it was. */
static void shrinking_estimate(void **state)
{
	struct recording *r = db_new();
	struct saver *s;
	struct loaded l;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	db_grow(r, 0);
	r->sampling.expected = 100;
	r->sampling.not_delivered = (int64_t)(100 - r->sampling.seen);
	assert_int_equal(saver_interval(s, r), 0);
	db_grow(r, 1);
	r->sampling.expected = 50;
	r->sampling.not_delivered = (int64_t)(50 - r->sampling.seen);
	assert_int_equal(saver_interval(s, r), 0);
	assert_int_equal(saver_finish(s), 0);
	saver_close(s);
	assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
	assert_same(l.r, r);
	loaded_free(&l);
	assert_int_equal(recording_load(in_folder("r"), &(struct load_range){ 10 * SECOND_NS, 0 }, &l), 0);
	assert_int_equal(l.r->sampling.expected, 0);
	assert_int_equal(l.r->sampling.seen, 21);
	assert_int_equal(l.r->sampling.not_delivered, -21);
	loaded_free(&l);
	recording_free(r);
	unlink(in_folder("r"));
}

/* The image on stdout is the file, and stdin takes it. */
static void through_pipes(void **state)
{
	int out = open(in_folder("image"), O_RDWR | O_CREAT | O_TRUNC, 0600), old_out = dup(STDOUT_FILENO),
	    old_in = dup(STDIN_FILENO);
	struct recording *want = db_some(7);
	struct loaded l;

	(void)state;
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	db_save("-", 3);
	dup2(old_out, STDOUT_FILENO);
	assert_int_equal(recording_load(in_folder("image"), NULL, &l), 0);
	assert_same(l.r, want);
	loaded_free(&l);
	lseek(out, 0, SEEK_SET);
	dup2(out, STDIN_FILENO);
	assert_int_equal(recording_load("-", NULL, &l), 0);
	dup2(old_in, STDIN_FILENO);
	assert_same(l.r, want);
	assert_true(l.file_bytes > 0);
	loaded_free(&l);
	recording_free(want);
	close(out);
	close(old_out);
	close(old_in);
	unlink(in_folder("image"));
}

/* A location that was moved may meet another; both keep their names. */
static void two_at_one_address(void **state)
{
	struct recording *r = db_new();
	uint32_t frames[2] = { db_location(r, "/a", MAPPING_FILE, "one", 64),
			       db_location(r, "/b", MAPPING_FILE, "two", 64) };
	struct loaded l;

	(void)state;
	recording_move(r, (int)frames[0], r->locations[frames[1]].mapping);
	db_add(r, "x", recording_stack(r, frames, 0, 1), 5);
	db_add(r, "x", recording_stack(r, frames + 1, 0, 1), 6);
	r->meta.duration_ns = 1;
	save_one(in_folder("r"), r);
	assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
	assert_same(l.r, r);
	loaded_free(&l);
	recording_free(r);
	unlink(in_folder("r"));
}

/* Answers of SQLite to one question, that is: not by what loads them. */
static int64_t asked(const char *path, const char *sql)
{
	sqlite3_stmt *q;
	sqlite3 *db;
	int64_t answer;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	assert_int_equal(sqlite3_column_type(q, 0), SQLITE_INTEGER);
	answer = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(db);
	return answer;
}

#define WEIGHTS_MAX 6

/* Weights of any kind come back, and SQL sees the same. */
static void weights(void **state)
{
	static const struct {
		struct {
			uint64_t fires, weight;
		} of[WEIGHTS_MAX];
		int64_t period, with_rest;
	} cases[] = {
		{ { { 1, 10 }, { 5, 50 }, { 3, 30 }, { 2, 20 } }, 10, 0 },
		{ { { 1, 10 }, { 5, 51 }, { 3, 30 }, { 1, 9000 }, { 2, 20 } }, 10, 2 },
		{ { { 1, 7 }, { 2, 0 }, { 0, 9 }, { 3, 0 }, { 4, 0 }, { 9, 0 } }, 0, 2 },
		{ { { 1, INT64_MAX - 5 }, { 1, 5 } }, 0, 2 }, /* two of the first are more than SQL can count */
		{ { { 1, INT64_MAX } }, INT64_MAX, 0 },
		{ { { 1ull << 40, 1ull << 60 }, { 3, 3ull << 20 }, { 1, 1 } }, 1 << 20, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recording *r = db_new();
		uint64_t sum = 0;
		struct loaded l;

		for (unsigned k = 0; k < WEIGHTS_MAX; k++) {
			uint32_t frame = db_location(r, "/a", MAPPING_FILE, "f", k);
			struct rec_sample s = { .labels = { .cpu = (int)(k % 2) },
						.stack = recording_stack(r, &frame, 0, 1),
						.fires = cases[i].of[k].fires,
						.weight = cases[i].of[k].weight };

			if (s.fires || s.weight)
				assert_int_equal(recording_add(r, &s), 0);
			sum += s.weight;
		}
		r->meta.duration_ns = 1;
		save_one(in_folder("r"), r);
		assert_int_equal(asked(in_folder("r"), "SELECT sum(weight) FROM samples"), sum);
		assert_int_equal(asked(in_folder("r"), "SELECT period FROM intervals"), cases[i].period);
		assert_int_equal(asked(in_folder("r"), "SELECT count(*) FROM counts WHERE rest"), cases[i].with_rest);
		assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
		assert_same(l.r, r);
		loaded_free(&l);
		recording_free(r);
		unlink(in_folder("r"));
	}
}

/* Each combination of labels is there once, by whichever interval brought it; none that has no row. */
static void labels(void **state)
{
	struct recording *r = db_new();
	uint32_t frames[2] = { db_location(r, "/a", MAPPING_FILE, "f", 1), db_location(r, "/a", MAPPING_FILE, "g", 2) };
	int stacks[2] = { recording_stack(r, frames, 0, 1), recording_stack(r, frames, 0, 2) };
	struct saver *s;
	struct loaded l;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 16; k++) {
			struct rec_sample sample = { .labels = { .comm = recording_string(r, k & 1 ? "x" : ""),
								 .tgid = k & 2 ? INT32_MAX : 0,
								 .tid = k & 4 ? INT32_MAX : 0,
								 .cpu = k & 8 ? i : -1 },
						     .stack = stacks[k % 3 == i],
						     .fires = 1,
						     .weight = 2 };

			assert_int_equal(recording_add(r, &sample), 0);
		}
		r->meta.duration_ns += 10;
		assert_int_equal(saver_interval(s, r), 0);
	}
	saver_close(s);
	assert_int_equal(asked(in_folder("r"), "SELECT count(*) FROM labels"), 8 + 3 * 8);
	assert_int_equal(
		asked(in_folder("r"), "SELECT count(*) FROM (SELECT DISTINCT comm, tgid, tid, cpu FROM labels)"), 32);
	assert_int_equal(asked(in_folder("r"), "SELECT count(*) FROM labels WHERE interval = 1"), 16);
	assert_int_equal(asked(in_folder("r"), "SELECT count(*) FROM samples"), 3 * 16);
	assert_int_equal(asked(in_folder("r"), "SELECT sum(fires) FROM samples WHERE tgid = 0 AND cpu = 2"), 4);
	assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
	assert_same(l.r, r);
	loaded_free(&l);
	recording_free(r);
	unlink(in_folder("r"));
}

static void frames(void **state)
{
	static const uint32_t locations[] = { 0, INT32_MAX, 0, 5, 4, 6, 6, 70, 6, 8198, 6 };
	uint8_t blob[sizeof(locations) / 4 * ROW_VARINT_BYTES_MAX];
	uint32_t back[sizeof(locations) / 4];
	size_t n = sizeof(locations) / 4, bytes = row_frames_encode(blob, locations, n);

	(void)state;
	back[0] = locations[0];
	assert_true(row_frames_decode(back, n, blob, bytes));
	assert_memory_equal(back, locations, sizeof(locations));
	assert_false(row_frames_decode(back, n - 1, blob, bytes));
	assert_false(row_frames_decode(back, n, blob, bytes - 1));
	/* By hand: from 3 one less, then 64 more. */
	bytes = row_frames_encode(blob, (uint32_t[]){ 3, 2, 66 }, 3);
	assert_int_equal(bytes, 3);
	assert_memory_equal(blob, "\x01\x80\x01", 3);
	back[0] = 0;
	assert_false(row_frames_decode(back, 2, (const uint8_t *)"\x01", 1)); /* -1 */
	assert_true(row_frames_decode(back, 2, (const uint8_t *)"\xfe\xff\xff\xff\x0f", 5));
	assert_int_equal(back[1], INT32_MAX);
	assert_false(row_frames_decode(back, 2, (const uint8_t *)"\x80\x80\x80\x80\x10", 5)); /* one above it */
	assert_false(row_frames_decode(back, 2, (const uint8_t *)"\x80\x80\x80\x80\x80\x01", 6));
	for (size_t i = 0; i < 2; i++) { /* nothing follows no frame and the leaf */
		assert_int_equal(row_frames_encode(blob, (uint32_t[]){ 70 }, i), 0);
		assert_true(row_frames_decode(back, i, (const uint8_t *)"", 0));
		assert_false(row_frames_decode(back, i, (const uint8_t *)"\x00", 1));
	}
}

static void words(void **state)
{
	(void)state;
	for (int i = 0; i <= MAPPING_ANON; i++)
		assert_int_equal(db_mapping_kind_of(db_mapping_kind((enum mapping_kind)i)), i);
	for (int i = 0; i < WHY_CAUSES; i++)
		assert_int_equal(db_why_of(db_why((enum why)i)), i);
	for (int i = 0; i < LOST_CAUSES; i++)
		assert_int_equal(db_lost_cause_of(db_lost_cause((enum lost_cause)i)), i);
	assert_int_equal(db_why_of("?"), -1);
	assert_null(db_why(WHY_CAUSES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),	  cmocka_unit_test(in_intervals),
		cmocka_unit_test(half_intervals), cmocka_unit_test(no_interval),
		cmocka_unit_test(cost),		  cmocka_unit_test(shrinking_estimate),
		cmocka_unit_test(through_pipes),  cmocka_unit_test(two_at_one_address),
		cmocka_unit_test(weights),	  cmocka_unit_test(labels),
		cmocka_unit_test(frames),	  cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
