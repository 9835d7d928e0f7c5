/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pprof view, read back. What pprof itself makes of it: tests/cli/pprof.t.
 */
#include <locale.h>

#include "pprof_read.h"
#include "view_build.h"

#define BURN "/usr/bin/burn"
/* What the view writes, with its length. */
static char *write_pprof(const struct recording *r, bool idle, size_t *bytes)
{
	struct view_options o = { .idle = idle };
	char *text = NULL;
	FILE *f = open_memstream(&text, bytes);

	assert_non_null(f);
	assert_int_equal(view_find("pprof")->write(f, r, &o), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static struct profile *decode(const struct recording *r, bool idle, bool thorough)
{
	struct profile *p = calloc(1, sizeof(*p));
	struct reader reader;
	struct field f;
	size_t bytes;
	char *text = write_pprof(r, idle, &bytes);

	assert_non_null(p);
	inflate_all(p, text, bytes);
	free(text);
	reader = (struct reader){ p->bytes, p->bytes + p->n };
	while (next_field(&reader, &f))
		take_field(p, &f);
	check_valid(p, thorough);
	return p;
}

/* RFC 1952: no flags and no time, so that one recording always gives one file. */
static void test_header(void **state)
{
	struct recording *r = random_thousand(3);
	size_t bytes, again;
	char *a = write_pprof(r, false, &bytes), *b;

	(void)state;
	assert_memory_equal(a, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8);
	setlocale(LC_CTYPE, "C.UTF-8");
	b = write_pprof(r, false, &again);
	setlocale(LC_CTYPE, "C");
	assert_int_equal(bytes, again);
	assert_memory_equal(a, b, bytes);
	free(a);
	free(b);
	recording_free(r);
}

static struct recording *burn(void)
{
	struct recording *r = build_new();

	BUILD(r, "burn", 114, USER("hot", BURN), USER("work", BURN), USER("main", BURN));
	BUILD(r, "burn", 300, KERNEL("copy_page"), USER("read", "/lib/libc.so.6"), USER("main", BURN));
	BUILD(r, "burn", 7, STRIPPED("/opt/libfoo.so", 0x1000), USER("main", BURN));
	BUILD(r, "burn", 8, STRIPPED("/opt/libfoo.so", 0x1010), USER("main", BURN));
	BUILD(r, "sh", 60, NOWHERE(WHY_PROCESS_GONE, 0x7f0000001000));
	BUILD(r, "sh", 5, NOWHERE(WHY_STACK_FAILED, 0), USER("main", BURN));
	r->sampling.idle = 9;
	r->lost.by_cause[LOST_MAP_FULL] = 50;
	build_balance(r, 600);
	strcpy(r->meta.version, "0.9");
	strcpy(r->meta.command_line, "kbpfprof profile -d 10s");
	return r;
}

static void test_samples(void **state)
{
	struct recording *r = burn();
	struct profile *p = decode(r, false, true);

	(void)state;
	assert_int_equal(p->n_samples, 6);
	has_sample(p, "comm=burn hot < work < main = 114, 1140000000");
	has_sample(p, "comm=burn copy_page < read < main = 300, 3000000000");
	has_sample(p, "comm=burn libfoo.so [stripped] < main = 7, 70000000");
	has_sample(p, "comm=burn libfoo.so [stripped] < main = 8, 80000000");
	has_sample(p, "comm=sh [process gone] = 60, 600000000");
	has_sample(p, "comm=sh [stack failed] < main = 5, 50000000");
	/* hot, work, main, copy_page, read, libfoo.so, [process gone], [stack failed] */
	assert_int_equal(p->n_functions, 8);
	assert_int_equal(p->n_locations, 9);
	profile_free(p);
	recording_free(r);
}

static void test_types(void **state)
{
	struct recording *r = burn();
	struct profile *p = decode(r, false, true);

	(void)state;
	assert_string_equal(string(p, p->types[0].by_field[1]), "samples");
	assert_string_equal(string(p, p->types[0].by_field[2]), "count");
	assert_string_equal(string(p, p->types[1].by_field[1]), "cpu");
	assert_string_equal(string(p, p->types[1].by_field[2]), "nanoseconds");
	assert_string_equal(string(p, p->period_type.by_field[1]), "cpu");
	assert_string_equal(string(p, p->period_type.by_field[2]), "nanoseconds");
	assert_string_equal(string(p, p->self.by_field[14]), "cpu");
	assert_int_equal(p->self.by_field[12], PERIOD_NS);
	assert_true(p->self.by_field[9] == r->meta.start_unix_ns);
	assert_true(p->self.by_field[10] == r->meta.duration_ns);
	has_comment(p, "kbpfprof 0.9");
	has_comment(p, "command line: kbpfprof profile -d 10s");
	has_comment(p, r->meta.kernel);
	has_comment(p, "books: 600 due = 494 kept + 9 idle + 50 lost");
	has_comment(p, "lost: 50 stack map full");
	profile_free(p);
	recording_free(r);
}

/* A period that was asked for; one that the kernel varies, 400 samples for 400 000 misses. */
static void test_other_event(void **state)
{
	const struct build_frame f = USER("parse", BURN);
	struct recording *r = build_new();
	struct profile *p;

	(void)state;
	build_add(r, build_comm(r, "a"), build_stack(r, &f, 1), 400, 400000);
	build_balance(r, 400);
	strcpy(r->sampling.event, "cache-misses:u");
	strcpy(r->sampling.unit, "cache-misses");
	r->sampling.is_time = false;
	p = decode(r, false, true);
	assert_string_equal(string(p, p->types[1].by_field[1]), "cache-misses");
	assert_string_equal(string(p, p->types[1].by_field[2]), "count");
	assert_string_equal(string(p, p->self.by_field[14]), "cache-misses");
	assert_int_equal(p->self.by_field[12], 1000);
	profile_free(p);
	r->sampling.asked_hz = 0;
	r->sampling.asked_period = 1234;
	p = decode(r, false, true);
	assert_int_equal(p->self.by_field[12], 1234);
	profile_free(p);
	recording_free(r);
}

static void range_is(const struct profile *p, const char *file, uint64_t start, uint64_t limit, bool named)
{
	const uint64_t *m = mapping_of(p, file)->by_field;

	assert_true(m[2] == start);
	assert_true(m[3] == limit);
	assert_int_equal(m[4], 0);
	assert_int_equal(m[7], named);
}

static void add_place(struct recording *r, const struct rec_mapping *m, const char *name, uint64_t address)
{
	int mapping = recording_mapping(r, m);
	uint32_t location = (uint32_t)recording_location(r, mapping, address, WHY_UNRESOLVED);

	recording_name(r, (int)location, name ? recording_string(r, name) : 0, 0, name ? WHY_NAMED : WHY_ANON);
	build_add(r, build_comm(r, "a"), recording_stack(r, &location, 0, 1), 1, PERIOD_NS);
	if (m->start || m->build_id.n)
		recording_describe(r, mapping, &m->build_id, m->start, m->bytes);
}

/*
 * Files from 0 to the end, as GetBase() of google/pprof takes for "already adjusted"; the kernel
 * from _stext on; the rest as pages around what was seen.
 */
static void test_mappings(void **state)
{
	struct recording *r = build_new();
	struct rec_mapping file = { .name = recording_string(r, BURN), .kind = MAPPING_FILE, .dev = 1 };
	struct rec_mapping vdso = { .name = recording_string(r, "[vdso]"), .kind = MAPPING_VDSO };
	struct rec_mapping kernel = { .name = recording_string(r, "[kernel]"), .kind = MAPPING_KERNEL };
	struct rec_mapping module = { .name = recording_string(r, "ext4"), .kind = MAPPING_MODULE };
	struct rec_mapping anon = { .name = recording_string(r, "[anon]"), .kind = MAPPING_ANON };
	struct profile *p;

	(void)state;
	file.build_id = (struct build_id){ 4, { 0x00, 0xab, 0x0c, 0xff } };
	kernel.start = 0xffffffff81000000;
	module.start = 0xffffffffc0001000;
	module.bytes = 0x8000;
	add_place(r, &file, "main", 0x401234);
	add_place(r, &vdso, "clock_gettime", 0x800);
	add_place(r, &kernel, "a", 0xffffffff81000000);
	add_place(r, &kernel, "b", 0xffffffff81234567);
	add_place(r, &module, "ext4_read", 0xffffffffc0001010);
	add_place(r, &anon, NULL, 0x7f0000001fff);
	add_place(r, &anon, NULL, 0x7f0000003000);
	build_balance(r, 7);
	p = decode(r, false, true);
	range_is(p, BURN, 0, UINT64_MAX, true);
	range_is(p, "[vdso]", 0, UINT64_MAX, true);
	range_is(p, "[kernel]", 0xffffffff81000000, 0xffffffff81235000, true);
	range_is(p, "[ext4]", 0xffffffffc0001000, 0xffffffffc0009000, true);
	range_is(p, "[anon]", 0x7f0000001000, 0x7f0000004000, false);
	assert_string_equal(string(p, mapping_of(p, BURN)->by_field[6]), "00ab0cff");
	assert_string_equal(string(p, mapping_of(p, "[anon]")->by_field[6]), "");
	profile_free(p);
	recording_free(r);
}

/* The last page there is. */
static void test_last_address(void **state)
{
	struct recording *r = build_new();
	struct rec_mapping anon = { .name = recording_string(r, "[anon]"), .kind = MAPPING_ANON };
	struct profile *p;

	(void)state;
	add_place(r, &anon, NULL, UINT64_MAX - 1);
	build_balance(r, 1);
	p = decode(r, false, true);
	range_is(p, "[anon]", 0xfffffffffffff000, UINT64_MAX, false);
	profile_free(p);
	recording_free(r);
}

/* One name in two files is two functions, and at two addresses of one file one. */
static void test_functions(void **state)
{
	struct recording *r = build_new();
	struct rec_mapping a = { .name = recording_string(r, "/a/x"), .kind = MAPPING_FILE };
	struct rec_mapping b = { .name = recording_string(r, "/b/x"), .kind = MAPPING_FILE };
	struct profile *p;

	(void)state;
	add_place(r, &a, "f", 0x10);
	add_place(r, &a, "f", 0x20);
	add_place(r, &b, "f", 0x10);
	build_balance(r, 3);
	p = decode(r, false, true);
	assert_int_equal(p->n_locations, 3);
	assert_int_equal(p->n_functions, 2);
	assert_string_equal(string(p, p->functions[0].by_field[4]), "/a/x");
	assert_string_equal(string(p, p->functions[1].by_field[4]), "/b/x");
	profile_free(p);
	recording_free(r);
}

/* pprof drops a number that is 0 and has no unit (postDecode() in profile/encode.go): CPU 0 has one. */
static void test_labels(void **state)
{
	struct recording *r = build_new();
	struct rec_labels labels = build_comm(r, "a");
	struct profile *p;

	(void)state;
	BUILD_OF(r, labels, 1, USER("f", BURN));
	labels.tgid = 812;
	BUILD_OF(r, labels, 2, USER("f", BURN));
	labels.tid = 813;
	labels.cpu = 0;
	BUILD_OF(r, labels, 3, USER("f", BURN));
	labels.comm = 0;
	labels.cpu = 17;
	BUILD_OF(r, labels, 4, USER("f", BURN));
	build_balance(r, 10);
	p = decode(r, false, true);
	has_sample(p, "comm=a f = 1, 10000000");
	has_sample(p, "comm=a pid=812 f = 2, 20000000");
	has_sample(p, "comm=a pid=812 tid=813 cpu=0cpu f = 3, 30000000");
	has_sample(p, "pid=812 tid=813 cpu=17cpu f = 4, 40000000");
	profile_free(p);
	recording_free(r);
}

/* Whatever bytes a name has, each string is UTF-8 (check_valid) and does nothing to a terminal. */
static void test_hostile(void **state)
{
	struct recording *r = build_new();
	struct profile *p;

	(void)state;
	BUILD(r, "\xff\"\n", 1, USER("f\x1b[2J\xc3\xa4\xe2\x82", "/tmp/\xf0\x9f/x"), KERNEL("\xed\xa0\x80"));
	BUILD(r, "b", 1, USER("", BURN));
	strcpy(r->meta.command_line, "kbpfprof -- \xfe");
	build_balance(r, 2);
	p = decode(r, false, true);
	has_sample(p, "comm=\\xff\"\\x0a f\\x1b[2J\xc3\xa4\\xe2\\x82 < \\xed\\xa0\\x80 = 1, 10000000");
	mapping_of(p, "/tmp/\\xf0\\x9f/x");
	has_comment(p, "kbpfprof -- \\xfe");
	profile_free(p);
	recording_free(r);
}

static void test_no_stack_and_idle(void **state)
{
	struct recording *r = build_new();
	struct profile *p;

	(void)state;
	build_add(r, build_comm(r, "a"), build_stack(r, NULL, 0), 4, 4 * PERIOD_NS);
	build_add(r, build_comm(r, "b"), build_stack(r, NULL, 0), 5, 5 * PERIOD_NS);
	r->sampling.idle = 20;
	build_balance(r, 29);
	p = decode(r, true, true);
	assert_int_equal(p->n_samples, 3);
	has_sample(p, "comm=a [no stack] = 4, 40000000");
	has_sample(p, "comm=b [no stack] = 5, 50000000");
	has_sample(p, "[idle] = 20, 200000000");
	profile_free(p);
	p = decode(r, false, true);
	assert_int_equal(p->n_samples, 2);
	profile_free(p);
	recording_free(r);
}

static void test_empty(void **state)
{
	struct recording *r = build_new();
	struct profile *p = decode(r, false, true);

	(void)state;
	assert_int_equal(p->n_samples + p->n_locations + p->n_functions + p->n_mappings, 0);
	profile_free(p);
	recording_free(r);
}

static bool is_of_a(const struct recording *r, const struct rec_sample *s, void *arg)
{
	(void)arg;
	return !strcmp(recording_str(r, s->labels.comm), "a");
}

/* What is left out, or in the older recording only, leaves nothing behind; but the books say it. */
static void test_left_out(void **state)
{
	struct recording *r = build_new();
	struct rec_sample old = { .labels = build_comm(r, "a"), .base_fires = 7, .base_weight = 7 };
	const struct build_frame f = USER("old", "/bin/old");
	struct profile *p;

	(void)state;
	BUILD(r, "a", 1, USER("f", BURN));
	BUILD(r, "b", 2, USER("g", "/bin/other"));
	old.stack = build_stack(r, &f, 1);
	assert_int_equal(recording_add(r, &old), 0);
	build_balance(r, 3);
	recording_select(r, is_of_a, NULL);
	strcpy(r->selection.text, "comm=a");
	p = decode(r, false, true);
	assert_int_equal(p->n_samples, 1);
	assert_int_equal(p->n_locations, 1);
	assert_int_equal(p->n_functions, 1);
	assert_int_equal(p->n_mappings, 1);
	has_comment(p, "shown: 1 of 3 samples kept (comm=a)");
	profile_free(p);
	recording_free(r);
}

/* More than any buffer: 20 000 stacks; their sums say that none is lost or doubled. */
static void test_large(void **state)
{
	struct recording *r = build_new();
	uint64_t fires = 0, weight = 0;
	struct profile *p;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		char leaf[32], comm[16];

		snprintf(leaf, sizeof(leaf), "leaf_%u", i);
		snprintf(comm, sizeof(comm), "c%u", i % 100);
		BUILD(r, comm, 1 + i % 300, USER(leaf, BURN), USER("work", BURN), USER("main", BURN));
	}
	build_balance(r, r->sampling.kept);
	p = decode(r, false, false);
	assert_int_equal(p->n_samples, 20000);
	assert_int_equal(p->n_functions, 20002);
	for (size_t i = 0; i < p->n_samples; i++) {
		fires += p->samples[i].values[0];
		weight += p->samples[i].values[1];
		assert_int_equal(p->samples[i].n_locations, 3);
	}
	assert_true(fires == r->sampling.kept);
	assert_true(weight == r->sampling.kept_weight);
	profile_free(p);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),	  cmocka_unit_test(test_samples),
		cmocka_unit_test(test_types),	  cmocka_unit_test(test_other_event),
		cmocka_unit_test(test_mappings),  cmocka_unit_test(test_last_address),
		cmocka_unit_test(test_functions), cmocka_unit_test(test_labels),
		cmocka_unit_test(test_hostile),	  cmocka_unit_test(test_no_stack_and_idle),
		cmocka_unit_test(test_empty),	  cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
