/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that come and go: which gaps there are, in memory, on disk and in ranges of a recording, and in words. */
#include "core/cpu_gaps.h"
#include "db_build.h"
#include "view_build.h"

#define S SECOND_NS

static struct cpu_list list(const char *text)
{
	struct cpu_list l;

	assert_int_equal(cpu_list_parse(text, &l), 0);
	return l;
}

static void follow(struct cpu_gaps *g, const char *online, uint64_t now_ns, struct recording *r)
{
	struct cpu_list l = list(online);

	assert_int_equal(cpu_gaps_follow(g, &l, now_ns, r), 0);
	cpu_list_free(&l);
}

static void start(struct cpu_gaps *g, const struct cpu_list *cpus, const char *online, uint64_t now_ns)
{
	struct cpu_list l = list(online);

	assert_int_equal(cpu_gaps_open(g, cpus), 0);
	cpu_gaps_start(g, &l, now_ns);
	cpu_list_free(&l);
}

/* "CPU START+DURATION" of each, in seconds. */
static void expect(const struct recording *r, const char *want)
{
	char text[256] = "";
	struct rec_gaps gaps;

	assert_int_equal(recording_gaps_join(&gaps, &r->gaps), 0);
	for (size_t i = 0; i < gaps.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u %g+%g", i ? ", " : "",
			 gaps.list[i].cpu, (double)gaps.list[i].start_ns / 1e9, (double)gaps.list[i].duration_ns / 1e9);
	assert_string_equal(text, want);
	free(gaps.list);
}

static void comes_and_goes(void **state)
{
	struct recording *r = recording_new();
	struct cpu_list cpus = list("0-3,8");
	struct cpu_gaps g;

	(void)state;
	start(&g, &cpus, "0-2", 100 * S); /* 3 comes, 8 never does */
	assert_int_equal(g.measured, 3);
	follow(&g, "0,2", 101 * S, r);
	follow(&g, "0,2", 102 * S, r);
	follow(&g, "0-3", 103 * S, r);
	assert_int_equal(g.measured, 4);
	expect(r, "1 1+2, 3 0+3");
	follow(&g, "0,2-3", 105 * S, r);
	follow(&g, "0-3", 106 * S, r);
	follow(&g, "0-2", 107 * S, r);
	assert_int_equal(cpu_gaps_tell(&g, 110 * S, r), 0);
	expect(r, "1 1+2, 1 5+1, 3 0+3, 3 7+3");
	assert_true(cpu_gaps_is_open(&g, 3));
	assert_int_equal(cpu_gaps_tell(&g, 111 * S, r), 0); /* goes on: one gap in the end */
	follow(&g, "0-3", 112 * S, r);
	assert_int_equal(cpu_gaps_tell(&g, 113 * S, r), 0);
	expect(r, "1 1+2, 1 5+1, 3 0+3, 3 7+5");
	cpu_gaps_close(&g);
	cpu_list_free(&cpus);
	recording_free(r);
}

/* By a time that lies before: when its event had ended. */
static void found_late(void **state)
{
	struct recording *r = recording_new();
	struct cpu_list cpus = list("0-1");
	struct cpu_gaps g;

	(void)state;
	start(&g, &cpus, "0-1", 50 * S);
	cpu_gaps_begin(&g, 1, 52 * S);
	cpu_gaps_begin(&g, 1, 53 * S); /* it has begun */
	assert_int_equal(cpu_gaps_end(&g, 1, 54 * S, r), 0);
	assert_int_equal(cpu_gaps_end(&g, 1, 55 * S, r), 0);
	cpu_gaps_begin(&g, 0, 49 * S); /* not before the run */
	assert_int_equal(cpu_gaps_end(&g, 0, 51 * S, r), 0);
	cpu_gaps_begin(&g, 0, 56 * S);
	assert_int_equal(cpu_gaps_end(&g, 0, 56 * S, r), 0); /* no time at all */
	expect(r, "0 0+1, 1 2+2");
	cpu_gaps_close(&g);
	cpu_list_free(&cpus);
	recording_free(r);
}

static void load_range(uint64_t from_s, uint64_t to_s, const char *want)
{
	struct load_range range = { from_s * S, to_s * S };
	struct loaded l;

	assert_int_equal(recording_load(in_folder("r"), &range, &l), 0);
	expect(l.r, want);
	loaded_free(&l);
}

/* Three intervals of 10 s; CPU 1 is away from 8 to 24 s, of CPU 2 it is found in the third only. */
static void on_disk(void **state)
{
	struct recording *r = db_new();
	struct cpu_list cpus = list("0-2");
	struct cpu_gaps g;
	struct saver *s;

	(void)state;
	start(&g, &cpus, "0-2", S);
	assert_int_equal(saver_open(&s, in_folder("r")), 0);
	follow(&g, "0,2", 9 * S, r);
	for (unsigned i = 1; i <= 3; i++) {
		if (i == 3) {
			follow(&g, "0-2", 25 * S, r);
			cpu_gaps_begin(&g, 2, 20 * S);
			assert_int_equal(cpu_gaps_end(&g, 2, 26 * S, r), 0);
		}
		assert_int_equal(cpu_gaps_tell(&g, (1 + 10 * i) * S, r), 0);
		r->meta.duration_ns = 10 * i * S;
		assert_int_equal(saver_interval(s, r), 0);
	}
	assert_int_equal(saver_finish(s), 0);
	saver_close(s);
	expect(r, "1 8+16, 2 19+6");
	load_range(0, 0, "1 8+16, 2 19+6");
	load_range(0, 10, "1 8+2");
	load_range(10, 20, "1 0+10");
	load_range(20, 30, "1 0+4, 2 0+5");
	cpu_gaps_close(&g);
	cpu_list_free(&cpus);
	recording_free(r);
	unlink(in_folder("r"));
}

/* Rows that cannot be: each makes its interval damaged, whatever its checksum. */
static void no_rows(void **state)
{
	static const struct rec_gap bad[] = {
		{ 65536, 0, 1 }, { 0, 0, 0 }, { 0, UINT64_MAX, 1 }, { 0, 1, INT64_MAX }, { 0, 0, UINT64_MAX }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct recording *r = db_new();
		struct loaded l;
		struct heard h;
		struct saver *s;

		r->meta.duration_ns = S;
		assert_int_equal(recording_gap(r, &bad[i]), 0);
		assert_int_equal(saver_open(&s, in_folder("r")), 0);
		assert_int_equal(saver_interval(s, r), 0);
		saver_close(s);
		assert_int_equal(load_quiet(in_folder("r"), NULL, &l, &h), -EBADMSG);
		says(h.text, "interval 1");
		recording_free(r);
		unlink(in_folder("r"));
	}
}

static void in_words(struct recording *r, const char *want)
{
	char *text = build_view("table", r, (struct view_options){ 0 });

	if (!strstr(text, want))
		fail_msg("no \"%s\" in:\n%s", want, text);
	free(text);
}

static void told(void **state)
{
	static const struct rec_gap gaps[] = {
		{ 3, 0, 1200000000 }, { 1, 3 * S, 2 * S }, { 2, 7 * S, S }, { 2, 9 * S, S }
	};
	struct recording *r = db_new();
	char *text;

	(void)state;
	r->meta.duration_ns = 10 * S;
	text = build_view("table", r, (struct view_options){ 0 });
	assert_null(strstr(text, "offline"));
	free(text);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(recording_gap(r, &gaps[i]), 0);
	in_words(r, "\nCPU 1 was offline for 2.0 s of the run, from +3.0 s on: not measured then\n");
	in_words(r, "\nCPU 2 was offline for 2.0 s of the run, 2 times, from +7.0 s on: not measured then\n");
	in_words(r, "\nCPU 3 came online during the run: measured from +1.2 s on\n");
	for (unsigned cpu = 10; cpu < 20; cpu++)
		assert_int_equal(recording_gap(r, &(struct rec_gap){ cpu, S, S }), 0);
	in_words(r, "\nand 5 more CPUs were offline for a part of the run\n");
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_and_goes), cmocka_unit_test(found_late), cmocka_unit_test(on_disk),
		cmocka_unit_test(no_rows),	  cmocka_unit_test(told),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
