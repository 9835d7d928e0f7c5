/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data in a flame graph, against trees drawn by hand. How the page shows them is for
 * tests/cli/flamegraph.t, which has this program write its pages: view_flamegraph DIR.
 */
#include <locale.h>
#include <stdio.h>

#include "view_build.h"

#define BURN "/usr/bin/burn"
#define LIBC "/usr/lib/x86_64-linux-gnu/libc.so.6"

#define PAGE_BYTES_MAX (40 * 1024)
#define BIG_STACKS     100000
#define BIG_FUNCTIONS  3000
#define DEEP_FRAMES    250

/* What a symbol table can hold. */
static const char *const hostile[] = {
	"</script><img src=x onerror=window.pwned=1>",
	"<!--<script>",
	"]]></style><svg onload=window.pwned=1>",
	"\"'onmouseover=window.pwned=1 x='",
	"\x1b[2J\x1b]0;pwned\x07",
	"tab\there\nand line",
	"\xe2\x80\xae"
	"drawkcab",
	"not\xff\xc0utf8",
	"null",
	"constructor",
	"__proto__",
	"hasOwnProperty",
	"undefined",
	"operator()(int, char const*) const [clone .cold]",
	"na\xc3\xafve_\xe5\x87\xbd\xe6\x95\xb0_\xf0\x9f\x94\xa5",
};
#define N_HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

static struct recording *small(bool reversed)
{
	struct recording *r = build_new();

	for (int i = 0; i < 6; i++)
		switch (reversed ? 5 - i : i) {
		case 0:
			BUILD(r, "burn", 30, KERNEL("copy"), KERNEL("read"), USER("read", LIBC), USER("main", BURN));
			break;
		case 1:
			BUILD(r, "burn", 40, USER("hot", BURN), USER("hot", BURN), USER("main", BURN));
			break;
		case 2:
			BUILD(r, "burn", 15, STRIPPED(LIBC, 0x1000), USER("main", BURN));
			break;
		case 3:
			BUILD(r, "burn", 5, STRIPPED(LIBC, 0x2000), USER("main", BURN));
			break;
		case 4:
			BUILD(r, "aaa", 10, USER("work", BURN));
			break;
		case 5:
			build_add(r, build_comm(r, "zzz"), build_stack(r, NULL, 0), 2, 2 * PERIOD_NS);
			break;
		}
	r->sampling.idle = 98;
	r->lost.by_cause[LOST_MAP_FULL] = 3;
	build_balance(r, 203);
	return r;
}

/* Frees the recording; the caller frees the JSON. */
static char *data_of(struct recording *r)
{
	static const char before[] = "<script type=\"application/json\" id=\"data\">\n";
	char *page = build_view("flamegraph", r, (struct view_options){ 0 }), *start = strstr(page, before), *end,
	     *data;

	assert_non_null(start);
	start += strlen(before);
	end = strstr(start, "</script>");
	assert_non_null(end);
	assert_true(end[-1] == '\n' && end[-2] == '}');
	data = strndup(start, (size_t)(end - start));
	assert_non_null(data);
	if (strlen(page) - strlen(data) > PAGE_BYTES_MAX)
		fail_msg("the page has %zu bytes beside the data", strlen(page) - strlen(data));
	free(page);
	recording_free(r);
	return data;
}

/*
 * Names in the order of strcmp(), equal ones in that of their objects, then processes:
 *
 *	0 [no stack]  1 copy  2 hot  3 libc.so.6 [stripped]  4 main  5 read [kernel]  6 read libc  7 work
 *	8 aaa  9 burn  10 zzz
 *
 *	up  adds  names			ends with
 *	 0   2	  aaa 8, work 7		10
 *	 2   4	  burn 9, main 4, hot 2, hot 2	40	two levels above a child of work
 *	 2   1	  libc 3		15 + 5	beside the first hot
 *	 1   3	  read 6, read 5, copy 1	30	beside libc
 *	 5   2	  zzz 10, [no stack] 0	2	beside burn
 */
static void check_small(char *data)
{
	has(data, "\"objects\":[\"[kernel]\",\"burn\",\"libc.so.6\"]");
	has(data, "\"names\":[\"[no stack]\",\"copy\",\"hot\",\"libc.so.6 [stripped]\",\"main\",\"read\",\"read\","
		  "\"work\",\"aaa\",\"burn\",\"zzz\"],");
	has(data, "\"name_objects\":[-1,0,1,2,1,0,2,1,-1,-1,-1],");
	has(data, "\"name_kinds\":[2,1,0,2,0,1,0,0,4,4,4],"); /* 1 kernel, 2 without a name, 4 process */
	has(data, "\"frames\":12,\"period\":10000000,\"base_period\":0,\"values\":[\"fires\"],");
	has(data, "\"stacks\":[0,2,8,7,10,2,4,9,4,2,2,40,2,1,3,20,1,3,6,5,1,30,5,2,10,0,2]}");
	/* Nothing is lost in silence. */
	has(data, "\"books\":[\"books: 203 due = 102 kept + 98 idle + 3 lost + 0 not delivered (0.0 %)\","
		  "\"lost: 3 stack map full (2.9 % of 105)\"]");
	has_not(data, "\"empty\"");
	free(data);
}

static void test_tree(void **state)
{
	(void)state;
	check_small(data_of(small(false)));
	check_small(data_of(small(true)));
}

/* Two samples of periods 1 and 1000: a frame's width is its weight, not how often it was seen. */
static void test_weights(void **state)
{
	struct recording *r = build_new();
	char *data;

	(void)state;
	build_add(r, build_comm(r, "x"), build_stack(r, (struct build_frame[]){ USER("rare", BURN) }, 1), 1, 1000);
	build_add(r, build_comm(r, "x"), build_stack(r, (struct build_frame[]){ USER("often", BURN) }, 1), 1, 1);
	build_balance(r, 2);
	data = data_of(r);
	has(data, "\"period\":0,");
	has(data, "\"values\":[\"fires\",\"weight\"],\"stacks\":[0,2,2,0,1,1,1,1,1,1,1000]}");
	free(data);
}

static void add_pair(struct recording *r, const char *name, uint64_t base_fires, uint64_t fires)
{
	struct build_frame frames[] = { USER(name, BURN), USER("main", BURN) };
	struct rec_sample s = { .labels = build_comm(r, "burn"),
				.stack = build_stack(r, frames, 2),
				.fires = fires,
				.weight = fires * PERIOD_NS,
				.base_fires = base_fires,
				.base_weight = base_fires * 2 * PERIOD_NS };

	assert_int_equal(recording_add(r, &s), 0);
	r->sampling.kept += fires;
	r->sampling.kept_weight += s.weight;
}

/*
 * 8000 samples before, at half the rate, and 4000 after: same 50 % of both, grew 10 -> 20 %, shrank 20 -> 10 %, gone
 * 3 -> 0, new 0 -> 3, noise 17 % -> 17.1 %: 1360 of 8000, 684 of 4000; rest 4 -> 0: one part in 2000.
 */
static struct recording *difference(void)
{
	struct recording *r = build_new();
	struct rec_baseline base = { .meta = r->meta, .sampling = r->sampling };

	add_pair(r, "same", 4000, 2000);
	add_pair(r, "grew", 800, 800);
	add_pair(r, "shrank", 1600, 392);
	add_pair(r, "gone", 240, 0);
	add_pair(r, "new", 0, 124);
	add_pair(r, "noise", 1360, 684);
	build_balance(r, 4010);
	base.sampling.kept = base.sampling.seen = 8000;
	base.sampling.expected = 8012;
	base.sampling.not_delivered = 5;
	base.lost.by_cause[LOST_MAP_BUSY] = 7;
	base.sampling.seen += 7;
	strcpy(base.meta.host, "before.example");
	assert_int_equal(recording_compare(r, &base), 0);
	return r;
}

/* gone 0, grew 1, main 2, new 3, noise 4, same 5, shrank 6, burn 7. */
static void test_baseline(void **state)
{
	char *data = data_of(difference());

	(void)state;
	has(data, "\"base_header\":{\"tool\":\"profile\"");
	has(data,
	    "\"books\":[\"books: 4010 due = 4000 kept + 0 idle + 0 lost + 10 not delivered (0.2 %)\",\"lost: 0\"],");
	has(data, "\"base_books\":[\"books: 8012 due = 8000 kept + 0 idle + 7 lost + 5 not delivered (0.1 %)\"");
	has(data, "\"period\":10000000,\"base_period\":20000000,\"values\":[\"fires\",\"base_fires\"],");
	has(data,
	    "\"stacks\":[0,3,7,2,0,0,240,1,1,1,800,800,1,1,3,124,0,1,1,4,684,1360,1,1,5,2000,4000,1,1,6,392,1600]}");
	free(data);
}

static struct recording *with_hostile_names(void)
{
	struct recording *r = build_new();
	char *longest = malloc(4001);

	assert_non_null(longest);
	for (int i = 0; i < 4000; i++)
		longest[i] = "long_name_"[i % 10];
	longest[4000] = '\0';
	for (size_t i = 0; i < N_HOSTILE; i++)
		BUILD(r, hostile[i], 100, USER(hostile[i], hostile[i]), USER(hostile[0], hostile[0]),
		      USER("main", BURN));
	BUILD(r, "long", 100, USER(longest, BURN), USER("main", BURN));
	free(longest);
	strcpy(r->meta.target, "COMMAND </script><img src=x onerror=window.pwned=1>");
	strcpy(r->meta.command_line, "kbpfprof profile -- \xe2\x80\xae<b>\xc3\xa9</b>");
	build_balance(r, r->sampling.kept);
	return r;
}

/* No end of the element, no comment in it, nothing that acts; and as it is in every locale. */
static void test_hostile(void **state)
{
	char *plain, *utf8;

	(void)state;
	setlocale(LC_CTYPE, "C");
	plain = data_of(with_hostile_names());
	has_not(plain, "</");
	has_not(plain, "<!");
	has(plain, "\"\\u003c/script><img src=x onerror=window.pwned=1>\"");
	has(plain, "\"\\\\x1b[2J\\\\x1b]0;pwned\\\\x07\"");
	has(plain, "\"tab\\\\x09here\\\\x0aand line\"");
	has(plain, "\"\\\\xe2\\\\x80\\\\xaedrawkcab\"");
	has(plain, "\"not\\\\xff\\\\xc0utf8\"");
	has(plain, "na\xc3\xafve_\xe5\x87\xbd\xe6\x95\xb0_\xf0\x9f\x94\xa5");
	for (const char *c = plain; c[1]; c++)
		assert_in_range((unsigned char)*c, 0x20, 0xff);
	assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
	utf8 = data_of(with_hostile_names());
	setlocale(LC_ALL, "C");
	assert_string_equal(plain, utf8);
	free(plain);
	free(utf8);
}

/* A recording on disk tells threads apart; a picture only if it is asked to. Names: main 0, then the processes. */
static void test_labels(void **state)
{
	struct recording *r = build_new();
	struct rec_labels labels = build_comm(r, "worker");
	char *page;

	(void)state;
	labels.tgid = 10;
	for (labels.tid = 10; labels.tid < 13; labels.tid++) {
		labels.cpu = labels.tid & 1;
		BUILD_OF(r, labels, 5, USER("main", BURN));
	}
	build_balance(r, 15);
	page = build_view("flamegraph", r, (struct view_options){ 0 });
	has(page, "\"names\":[\"main\",\"worker\"]");
	has(page, "\"stacks\":[0,2,1,0,15]");
	free(page);
	page = build_view("flamegraph", r, (struct view_options){ .sort = "tid" });
	has(page, "\"names\":[\"main\",\"worker-10/10\",\"worker-10/11\",\"worker-10/12\"]");
	has(page, "\"stacks\":[0,2,1,0,5,2,2,2,0,5,2,2,3,0,5]");
	free(page);
	recording_free(r);
}

static struct recording *nothing(void)
{
	struct recording *r = build_new();

	r->sampling.idle = 100;
	build_balance(r, 100);
	return r;
}

static void test_empty(void **state)
{
	char *data = data_of(nothing());

	(void)state;
	has(data, "\"empty\":[\"no samples: the CPUs were idle (100 samples, --idle shows them)\"]");
	has(data, "\"stacks\":[]}");
	free(data);
}

static void test_selection(void **state)
{
	struct recording *r = small(false);
	char *data;

	(void)state;
	strcpy(r->selection.text, "comm=burn");
	r->selection.fires = 12;
	data = data_of(r);
	has(data, "\"selection\":{\"text\":\"comm=burn\",\"left_out\":12}");
	free(data);
}

/* Numbers that look random and are the same everywhere (Numerical Recipes' generator). */
static unsigned next_random(uint32_t *seed, unsigned below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (unsigned)(((uint64_t)*seed * below) >> 32);
}

/* Each stack leaves the one before it at a random depth, as those of real programs share their roots. */
static struct recording *big(void)
{
	struct recording *r = build_new();
	uint32_t seed = 1;
	char names[64][16];
	struct build_frame frames[64], *root = frames + 64;
	unsigned n = 0;

	while (r->n_stacks < BIG_STACKS) {
		unsigned keep = n ? next_random(&seed, n) : 0, add = 1 + next_random(&seed, 30);

		n = keep + add < 64 ? keep + add : 64;
		for (unsigned i = keep; i < n; i++) {
			unsigned f = next_random(&seed, BIG_FUNCTIONS);

			snprintf(names[i], sizeof(names[i]), "f%u", f);
			root[-1 - (int)i] = (struct build_frame)USER(names[i], BURN);
		}
		build_add(r, build_comm(r, "big"), build_stack(r, root - n, n), 1, PERIOD_NS);
	}
	build_balance(r, r->sampling.kept);
	return r;
}

static struct recording *deep(void)
{
	struct recording *r = build_new();
	struct build_frame frames[DEEP_FRAMES];
	char names[DEEP_FRAMES][16];

	for (unsigned i = 0; i < DEEP_FRAMES; i++) {
		snprintf(names[i], sizeof(names[i]), "level_%u", DEEP_FRAMES - i);
		frames[i] = (struct build_frame)USER(names[i], BURN);
	}
	build_add(r, build_comm(r, "deep"), build_stack(r, frames, DEEP_FRAMES), 900, 900 * PERIOD_NS);
	build_add(r, build_comm(r, "deep"), build_stack(r, frames + 200, 50), 300, 300 * PERIOD_NS);
	build_balance(r, 1200);
	return r;
}

/* 100 000 functions of which each has one of 100 000 samples: too narrow to draw, all of them. */
static struct recording *narrow(void)
{
	struct recording *r = build_new();
	char name[16];

	for (unsigned i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "n%05u", i);
		BUILD(r, "wide", i == 50000 ? 5 : 1, USER(name, BURN), USER("main", BURN));
	}
	build_balance(r, r->sampling.kept);
	return r;
}

static void write_page(const char *directory, const char *name, const char *view, struct recording *r)
{
	char path[4096], *text = build_view(view, r, (struct view_options){ 0 });
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	free(text);
}

static const char *directory;

static void write_pages(void **state)
{
	static const struct {
		const char *name;
		struct recording *(*make)(void);
	} pages[] = {
		{ "hostile", with_hostile_names },
		{ "diff", difference },
		{ "empty", nothing },
		{ "big", big },
		{ "deep", deep },
		{ "narrow", narrow },
	};
	struct recording *r = small(false);

	(void)state;
	write_page(directory, "small.html", "flamegraph", r);
	recording_free(r);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		char file[64];

		r = pages[i].make();
		snprintf(file, sizeof(file), "%s.html", pages[i].name);
		write_page(directory, file, "flamegraph", r);
		snprintf(file, sizeof(file), "%s.folded", pages[i].name);
		write_page(directory, file, "folded", r);
		recording_free(r);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),	cmocka_unit_test(test_weights), cmocka_unit_test(test_baseline),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_empty),	cmocka_unit_test(test_selection),
		cmocka_unit_test(test_labels),
	};
	const struct CMUnitTest writer[] = { cmocka_unit_test(write_pages) };

	if (argc < 2)
		return cmocka_run_group_tests(tests, NULL, NULL);
	directory = argv[1];
	return cmocka_run_group_tests(writer, NULL, NULL);
}
