/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts on disk, beyond what db.c and its neighbours see of them: what a part of a run can say, and cannot. */
#include <sqlite3.h>

#include "db/schema.h"
#include "db_build.h"

static void save_next(struct saver *s, struct recording *r)
{
	r->meta.duration_ns += SECOND_NS;
	assert_int_equal(saver_interval(s, r), 0);
}

static void load_part(struct loaded *l, uint64_t from_s, uint64_t to_s)
{
	struct load_range range = { from_s * SECOND_NS, to_s * SECOND_NS };

	assert_int_equal(recording_load(in_folder("r"), &range, l), 0);
	assert_int_equal(l->n_damaged, 0);
	assert_non_null(l->r->irq);
}

static void check_same(const struct recording *want)
{
	struct loaded l;

	assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
	assert_int_equal(l.n_damaged, 0);
	assert_same(l.r, want);
	loaded_free(&l);
}

static void add_values(struct rec_irq_row *row, uint64_t a_ns, uint64_t b_ns)
{
	struct rec_irq_values more = { 0 };
	struct hist h = { 0 };

	hist_add(&h, a_ns);
	hist_add(&h, b_ns);
	assert_int_equal(irq_values_set(&more, &h), 0);
	assert_int_equal(irq_values_add(&row->of[IRQ_RUN], &more), 0);
	irq_values_free(&more);
}

/* --- what has a largest one --- */

static void check_row(uint64_t from_s, uint64_t to_s, uint64_t max_ns, uint64_t longest_unix_ns, uint64_t peak)
{
	struct rec_irq_row *row;
	struct loaded l;

	load_part(&l, from_s, to_s);
	assert_int_equal(l.r->irq->n_rows, 1);
	row = &l.r->irq->rows[0];
	assert_int_equal(row->of[IRQ_RUN].count, 2 * ((to_s ? to_s : 4) - from_s));
	assert_int_equal(row->of[IRQ_RUN].max_ns, max_ns);
	assert_int_equal(row->longest_unix_ns[IRQ_RUN], longest_unix_ns);
	assert_int_equal(row->peak_count, peak);
	assert_int_equal(row->peak_unix_ns, peak ? 50 + peak : 0);
	loaded_free(&l);
}

/* Known are the longest and the busiest since the start: an interval has them if it is the one that they are from. */
static void longest_and_peak(void **state)
{
	struct recording *r = db_new();
	struct rec_irq *q = irq_of(r);
	struct rec_irq_row *row = irq_row(q, irq_source(q, IRQ_SOFTIRQ, 3, 0), 1);
	struct saver *s;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	add_values(row, 1000, 70000);
	row->longest_unix_ns[IRQ_RUN] = 111;
	row->peak_count = 7;
	row->peak_unix_ns = 57;
	save_next(s, r);
	add_values(row, 5000, 6000); /* shorter */
	save_next(s, r);
	add_values(row, 5000, 69700); /* in the bucket of the longest, but not longer */
	row->peak_count = 9;
	row->peak_unix_ns = 59;
	save_next(s, r);
	add_values(row, 5000, 90001);
	row->longest_unix_ns[IRQ_RUN] = 444;
	save_next(s, r);
	assert_int_equal(saver_finish(s), 0);
	saver_close(s);
	check_row(0, 0, 90001, 444, 9);
	check_row(0, 1, 70000, 111, 7);
	/* By hand: 6000 is in 256 * 23 to 24. */
	check_row(1, 2, 6143, 0, 0);
	check_row(2, 3, 70000, 0, 9);
	check_row(0, 3, 70000, 111, 9);
	check_row(1, 4, 90001, 444, 9);
	check_row(3, 4, 90001, 444, 0);
	recording_free(r);
	unlink(in_folder("r"));
}

/* Likewise for whom threads waited, and where sections ended. */
static void longest_beside(void **state)
{
	struct recording *r = db_new();
	struct rec_irq *q = irq_of(r);
	int source = irq_source(q, IRQ_THREAD, 45, 0), hog = recording_string(r, "hog");
	struct rec_irq_behind b = { source, hog, 0, 2, 150, 100 };
	struct rec_irq_place p = {
		.kind = IRQ_IRQS_OFF, .name = hog, .stack = -1, .count = 2, .ns = 150, .max_ns = 100
	};
	struct loaded l;
	struct saver *s;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	assert_int_equal(irq_behind(q, &b), 0);
	assert_int_equal(irq_place(q, &p), 0);
	save_next(s, r);
	b.count = p.count = 3;
	b.ns = p.ns = 210;
	assert_int_equal(irq_behind(q, &b), 0);
	assert_int_equal(irq_place(q, &p), 0);
	save_next(s, r);
	save_next(s, r); /* nothing came */
	saver_close(s);
	check_same(r);
	load_part(&l, 1, 2);
	assert_int_equal(l.r->irq->n_behind, 1);
	assert_int_equal(l.r->irq->behind[0].count, 1);
	assert_int_equal(l.r->irq->behind[0].ns, 60);
	assert_int_equal(l.r->irq->behind[0].max_ns, 0); /* not known */
	assert_int_equal(l.r->irq->places[0].ns, 60);
	assert_int_equal(l.r->irq->places[0].max_ns, 0);
	loaded_free(&l);
	load_part(&l, 2, 3);
	assert_int_equal(l.r->irq->n_behind + l.r->irq->n_places + l.r->irq->n_sources, 0);
	loaded_free(&l);
	recording_free(r);
	unlink(in_folder("r"));
}

/* What a line is set to is told with its events, as at the end of what is shown; and if it changed. */
static void settings(void **state)
{
	struct recording *r = db_new();
	struct rec_irq *q = irq_of(r);
	int eth = irq_source(q, IRQ_LINE, 45, recording_string(r, "eth0"));
	struct rec_irq_row *row = irq_row(q, eth, 0);
	struct loaded l;
	struct saver *s;

	(void)state;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	add_values(row, 1, 2);
	q->sources[eth].affinity = recording_string(r, "0-3");
	save_next(s, r);
	add_values(row, 1, 2);
	save_next(s, r);
	q->sources[eth].affinity = recording_string(r, "2");
	q->sources[eth].effective = recording_string(r, "2");
	q->sources[eth].thread = 77;
	save_next(s, r);
	saver_close(s);
	check_same(r);
	load_part(&l, 1, 2);
	assert_string_equal(recording_str(l.r, l.r->irq->sources[0].affinity), "0-3");
	assert_int_equal(l.r->irq->sources[0].effective, 0);
	loaded_free(&l);
	load_part(&l, 1, 3);
	assert_string_equal(recording_str(l.r, l.r->irq->sources[0].affinity), "2");
	assert_int_equal(l.r->irq->sources[0].thread, 77);
	loaded_free(&l);
	recording_free(r);
	unlink(in_folder("r"));
}

/* --- cases --- */

/* The worst give way to worse ones, some before they were written, some after; of equal ones the first stays. */
static void worst_cases(void **state)
{
	static const uint64_t totals[][3] = { { 50, 30, 50 }, { 40, 60, 60 }, { 60, 10, 90 }, { 90, 60, 0 } };
	struct recording *r = db_new();
	struct rec_irq *q = irq_of(r);
	int source = irq_source(q, IRQ_WORK, 0, recording_string(r, "vmstat_update"));
	uint32_t frame = db_location(r, "[kernel]", MAPPING_KERNEL, "f", 1);
	int stack = recording_stack(r, &frame, 1, 0);
	struct saver *s;

	(void)state;
	q->worst = 2;
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned k = 0; k < 3; k++)
			if (totals[i][k])
				db_irq_case(r, &(struct rec_irq_case){ .list = IRQ_WORST_WORKS, .source = source },
					    totals[i][k], k == 2 && i % 2, stack);
		db_irq_case(r, &(struct rec_irq_case){ .list = IRQ_WORST_OFF, .source = source }, 5 + i, false, -1);
		save_next(s, r);
		check_same(r);
	}
	assert_int_equal(q->n_cases, 5); /* two of each, and one above */
	saver_close(s);
	recording_free(r);
	unlink(in_folder("r"));
}

/* --- the whole --- */

/* A value of its own for each member, and the least and largest of some. */
static void odd_values(void **state)
{
	struct recording *r = db_new();
	struct rec_irq *q = irq_of(r);
	struct rec_irq_case c = { .list = IRQ_WORST_IPIS,
				  .by = IRQ_IN_HARDIRQ,
				  .by_kind = SPAN_UNKNOWN,
				  .by_id = INT32_MIN,
				  .task.prio = -1,
				  .stack = -1 };
	struct saver *s;

	(void)state;
	assert_non_null(q);
	q->worst = 3;
	q->softirqs_are_threads = true;
	q->measured = q->asked = REC_IRQ_GROUPS_END - 1;
	memset(q->filter, 'x', sizeof(q->filter) - 1);
	for (int k = 0; k < IRQ_KINDS; k++) {
		int number = k % 2 ? INT32_MIN : INT32_MAX;
		struct rec_irq_row *row = irq_row(q, irq_source(q, (enum irq_kind)k, number, 0), 4095);

		assert_non_null(row);
		add_values(row, 0, 1ull << 45); /* beyond the last bucket's start */
	}
	c.source = 2;
	assert_int_equal(irq_case(q, &c), 0);
	for (unsigned k = 0; k < IRQ_CONTEXTS; k++)
		assert_int_equal(irq_sender(q, &(struct rec_irq_sender){ .vector = -1,
									 .context = (enum irq_context)k,
									 .stack = -1,
									 .count = 1 }),
				 0);
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	save_next(s, r);
	saver_close(s);
	check_same(r);
	recording_free(r);
	unlink(in_folder("r"));
}

static void save_without(void)
{
	struct recording *r = db_new();
	struct saver *s;

	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	save_next(s, r);
	saver_close(s);
	recording_free(r);
}

/* A recording without them is one without them: not one of nothing; and it has no rows of them. */
static void none(void **state)
{
	static const char *const rows[] = { "INSERT INTO irq_events VALUES(1, 'clock', 5)",
					    "INSERT INTO irq_sources VALUES(0, 1, 'line', 4, 0)" };
	struct loaded l;
	struct heard h;
	sqlite3 *db;

	(void)state;
	save_without();
	assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
	assert_null(l.r->irq);
	loaded_free(&l);
	assert_int_equal(sqlite3_open(in_folder("r"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, rows[0], NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(load_quiet(in_folder("r"), NULL, &l, &h), -EBADMSG);
	says(h.text, "interval 1");
	save_without();
	assert_int_equal(sqlite3_open(in_folder("r"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, rows[1], NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(load_quiet(in_folder("r"), NULL, &l, &h), 0); /* nothing refers to it */
	assert_null(l.r->irq);
	loaded_free(&l);
	unlink(in_folder("r"));
}

/* As many events as an interval has are told of it: runs, and waits of IPIs. */
static void events(void **state)
{
	struct loaded l;

	(void)state;
	db_save(in_folder("r"), 2);
	assert_int_equal(recording_load(in_folder("r"), NULL, &l), 0);
	assert_int_equal(l.intervals[0].fires, 4 * 21);
	assert_int_equal(l.intervals[1].fires, 4 * 21);
	loaded_free(&l);
	unlink(in_folder("r"));
}

static void words(void **state)
{
	char buf[DB_IRQ_GROUPS_BYTES];
	unsigned groups;

	(void)state;
	for (int i = 0; i < IRQ_KINDS; i++)
		assert_int_equal(db_irq_kind_of(irq_kind_word((enum irq_kind)i)), i);
	for (int i = 0; i < IRQ_MEASURES; i++)
		assert_int_equal(db_irq_measure_of(irq_measure_word((enum irq_measure)i)), i);
	for (int i = 0; i < IRQ_CONTEXTS; i++)
		assert_int_equal(db_irq_context_of(irq_context_word((enum irq_context)i)), i);
	for (int i = 0; i < IRQ_LISTS; i++)
		assert_int_equal(db_irq_list_of(irq_list_word((enum irq_list)i)), i);
	for (unsigned i = 0; i < DB_IRQ_COUNTS; i++)
		assert_int_equal(db_irq_count_of(db_irq_count(i)), i);
	assert_null(db_irq_count(DB_IRQ_COUNTS));
	assert_int_equal(db_irq_kind_of("?"), -1);
	for (groups = 0; groups < REC_IRQ_GROUPS_END; groups++) {
		unsigned back = 99;

		assert_true(db_irq_groups_of(db_irq_groups(buf, groups), &back));
		assert_int_equal(back, groups);
		assert_true(strlen(buf) < sizeof(buf) - 1); /* not cut */
	}
	assert_string_equal(db_irq_groups(buf, REC_IRQ_HARD | REC_IRQ_OFFS_EXACT), "hard off_exact");
	assert_false(db_irq_groups_of("hard dream", &groups));
	assert_false(db_irq_groups_of("har", &groups));
	assert_false(db_irq_groups_of("hardy", &groups));
	assert_false(db_irq_groups_of("hard  soft", &groups));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longest_and_peak), cmocka_unit_test(longest_beside), cmocka_unit_test(settings),
		cmocka_unit_test(worst_cases),	    cmocka_unit_test(odd_values),     cmocka_unit_test(none),
		cmocka_unit_test(events),	    cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
