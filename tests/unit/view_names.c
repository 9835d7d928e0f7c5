/* SPDX-License-Identifier: GPL-2.0-only */
/* How frames are written: what is unknown says why, what would do harm is harmless, what is wide is cut. */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <wchar.h>

#include "view_build.h"
#include "views/frame.h"

#define PROG "/usr/bin/prog"

static void frame_is(struct build_frame f, unsigned flags, const char *want)
{
	struct recording *r = build_new();
	char buf[FRAME_BYTES];

	assert_string_equal(frame_text(buf, r, build_location(r, &f), flags), want);
	recording_free(r);
}

static void test_frames(void **state)
{
	const struct build_frame named = USER("f", "/lib/x.so"), stripped = STRIPPED("/lib/x.so", 0x1234);
	const struct build_frame no_symbol = { NULL, "/lib/x.so", MAPPING_FILE, WHY_NO_SYMBOL, 0xabcdef };
	const struct build_frame vdso = { NULL, "[vdso]", MAPPING_VDSO, WHY_NO_SYMBOL, 0x9a0 };
	const struct build_frame anon = { NULL, "[anon]", MAPPING_ANON, WHY_ANON, 0x7f0000001000 };
	const struct build_frame hidden = { NULL, "[kernel]", MAPPING_KERNEL, WHY_KPTR_RESTRICT, 0xffffffff81000000 };
	const struct build_frame module = { NULL, "ext4", MAPPING_MODULE, WHY_NO_SYMBOL, 0xffffffffc0000000 };
	const struct build_frame gone = NOWHERE(WHY_PROCESS_GONE, 0x401000), failed = NOWHERE(WHY_STACK_FAILED, 0);
	const struct build_frame empty = { "", "/lib/x.so", MAPPING_FILE, WHY_NAMED, 16 };

	(void)state;
	frame_is(named, 0, "f");
	frame_is(stripped, 0, "x.so+0x1234 [stripped]");
	frame_is(stripped, FRAME_NO_ADDRESS, "x.so [stripped]");
	frame_is(stripped, FRAME_NO_OBJECT, "+0x1234 [stripped]");
	frame_is(stripped, FRAME_NO_OBJECT | FRAME_NO_ADDRESS, "[stripped]");
	frame_is(no_symbol, 0, "x.so+0xabcdef [no symbol]");
	frame_is(vdso, 0, "[vdso]+0x9a0 [no symbol]");
	frame_is(anon, 0, "[anon] 0x7f0000001000 [no file]");
	frame_is(hidden, 0, "[kernel] 0xffffffff81000000 [kptr_restrict]");
	frame_is(module, 0, "[ext4] 0xffffffffc0000000 [no symbol]");
	frame_is(module, FRAME_FOLDED | FRAME_KERNEL, "[ext4] 0xffffffffc0000000 [no symbol]_[k]");
	frame_is(gone, 0, "0x401000 [process gone]");
	frame_is(gone, FRAME_NO_ADDRESS, "[process gone]");
	frame_is(failed, 0, "[stack failed]");
	frame_is(empty, 0, "x.so+0x10 [no symbol]");
	frame_is(named, FRAME_FOLDED | FRAME_KERNEL, "f_[k]");
}

/* The longest name there can be, every byte of it escaped, still ends in what marks it. */
static void test_longest(void **state)
{
	char name[4097], want[4 * 4096 + 8], *to = want;

	(void)state;
	memset(name, '\001', 4096);
	name[4096] = '\0';
	for (int i = 0; i < 4096; i++)
		to = stpcpy(to, "\\x01");
	strcpy(to, "_[k]");
	frame_is((struct build_frame)KERNEL(name), FRAME_FOLDED | FRAME_KERNEL, want);
}

static const char *const hostile[] = {
	"\033]0;owned\007\033[2J",
	"two\nlines 5",
	"semi;colon",
	"not a count 12",
	"nor this 1.5",
	"\r  99.9%  forged row",
	"\342\200\256right to left",
	"bad\377utf8\300\200",
	"\302\2331m",
	"%s%n%d",
	"   leading",
	"",
};

static struct recording *hostile_recording(bool evil)
{
	struct recording *r = build_new();

	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		char plain[16], path[64];
		const char *name = evil ? hostile[i] : plain;

		snprintf(plain, sizeof(plain), "plain%zu", i);
		snprintf(path, sizeof(path), "/usr/%s", *name ? name : "x");
		BUILD(r, name, 10 + i, USER(name, path), USER(name, PROG), USER("main", PROG));
	}
	snprintf(r->meta.target, sizeof(r->meta.target), "%s", evil ? "\033[31m;\n" : "plain");
	build_balance(r, r->sampling.kept);
	return r;
}

static unsigned count(const char *text, char c)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

/* Without those that only go on with a chain: how many depends on the length of names. */
static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		n += !strchr("<>[", line[strspn(line, " |")]);
	return n;
}

static void check_inert(const char *view, struct view_options o, const char *locale)
{
	struct recording *evil = hostile_recording(true), *plain = hostile_recording(false);
	char *text, *other;
	wchar_t wide[32768];

	assert_non_null(setlocale(LC_CTYPE, locale));
	text = build_view(view, evil, o);
	other = build_view(view, plain, o);
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || !iscntrl((unsigned char)*c));
	if (!strcmp(view, "table"))
		assert_int_equal(count_lines(text), count_lines(other));
	else
		assert_int_equal(count(text, '\n'), count(other, '\n'));
	assert_int_not_equal(mbstowcs(wide, text, 32768), (size_t)-1);
	assert_null(strstr(text, "\342\200\256"));
	assert_null(strstr(text, "\302\233"));
	setlocale(LC_CTYPE, "C");
	free(text);
	free(other);
	recording_free(evil);
	recording_free(plain);
}

static void test_hostile_table(void **state)
{
	(void)state;
	for (unsigned width = 0; width <= 200; width += 40)
		for (int children = 0; children < 2; children++) {
			const struct view_options o = { .children = children, .width = width };

			check_inert("table", o, "C");
			check_inert("table", o, "C.UTF-8");
		}
}

/* A line must read back as its frames and one count, as flamegraph.pl and others split it. */
static void test_hostile_folded(void **state)
{
	struct recording *r = hostile_recording(true);
	char *text = build_view("folded", r, (struct view_options){ 0 });
	uint64_t sum = 0;

	(void)state;
	check_inert("folded", (struct view_options){ 0 }, "C.UTF-8");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *space = strrchr(line, ' '), *end;

		assert_non_null(space);
		sum += strtoull(space + 1, &end, 10);
		assert_int_equal(*end, '\0');
		*space = '\0';
		assert_int_equal(count(line, ';'), 3);
		assert_null(strstr(line, ";;"));
		space = strrchr(line, ' ');
		assert_false(space && strspn(space + 1, "0123456789.") == strlen(space + 1));
	}
	assert_int_equal(sum, r->sampling.kept);
	free(text);
	recording_free(r);
}

#define UMLAUTS "\303\244\303\266\303\274"
#define LONG                                                                                                     \
	"first_" UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS \
		UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS  \
			UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS "_last"

static struct recording *long_names(void)
{
	struct recording *r = build_new();
	struct rec_labels labels = build_comm(r, "a_comm_of_15_by");

	labels.tgid = 4194303;
	labels.tid = 4194304;
	labels.cpu = 399;
	BUILD_OF(r, labels, 60, USER(LONG, "/opt/" LONG ".so"), USER(LONG "2", PROG), USER("main", PROG));
	BUILD_OF(r, labels, 40, USER(LONG, "/opt/" LONG ".so"), USER("b", PROG), USER(LONG "3", PROG));
	build_balance(r, 100);
	return r;
}

static unsigned widest_line(const char *text)
{
	unsigned widest = 0;

	while (*text) {
		size_t bytes = strcspn(text, "\n");
		wchar_t wide[4096];
		char line[8192];
		int columns;

		assert_true(bytes < sizeof(line));
		memcpy(line, text, bytes);
		line[bytes] = '\0';
		assert_int_not_equal(mbstowcs(wide, line, 4096), (size_t)-1);
		columns = wcswidth(wide, 4096);
		assert_true(columns >= 0);
		widest = (unsigned)columns > widest ? (unsigned)columns : widest;
		text += bytes + (text[bytes] == '\n');
	}
	return widest;
}

static void test_widths(void **state)
{
	static const char *const sorts[] = { NULL, "sym,dso,comm", "pid,tid,cpu,comm,dso,sym", "dso" };
	struct recording *r = long_names();

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	for (unsigned width = 50; width < 260; width++) {
		/* More than three keys need the 80 columns that a terminal has. */
		const char *sort = width < 80 ? NULL : sorts[width % 4];
		struct view_options o = { .sort = sort, .children = width & 8, .width = width };
		char *text = build_view("table", r, o);

		assert_true(widest_line(text) <= width);
		free(text);
	}
	setlocale(LC_CTYPE, "C");
	recording_free(r);
}

/* Cut on a terminal, whole in a pipe; in a locale without UTF-8 the bytes are escaped and then cut. */
static void test_cut(void **state)
{
	struct recording *r = long_names();
	char *text;

	(void)state;
	text = build_view("table", r, (struct view_options){ .width = 80 });
	assert_null(strstr(text, LONG));
	assert_non_null(strstr(text, "_last\n"));
	for (const char *c = text; *c; c++)
		assert_true(isascii(*c));
	free(text);
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	text = build_view("table", r, (struct view_options){ .width = 80 });
	assert_null(strstr(text, LONG));
	assert_non_null(strstr(text, "_last\n"));
	free(text);
	text = build_view("table", r, (struct view_options){ .width = 0 });
	assert_non_null(strstr(text, LONG ".so"));
	assert_non_null(strstr(text, LONG "2\n"));
	assert_null(strstr(text, ".."));
	free(text);
	setlocale(LC_CTYPE, "C");
	recording_free(r);
}

/* Escape sequences only where asked for, and only around shares of 5 % and more. */
static void test_color(void **state)
{
	struct recording *r = build_new();
	char *text;

	(void)state;
	BUILD(r, "a", 951, USER("f", PROG), USER("main", PROG));
	BUILD(r, "b", 49, USER("g", PROG), USER("main", PROG));
	build_balance(r, 1000);
	text = build_view("table", r, (struct view_options){ .color = true });
	assert_int_equal(count(text, '\033'), 2);
	assert_non_null(strstr(text, "\033[1;31m   95.1%\033[m "));
	free(text);
	text = build_view("table", r, (struct view_options){ .color = false });
	assert_int_equal(count(text, '\033'), 0);
	free(text);
	text = build_view("folded", r, (struct view_options){ .color = true });
	assert_int_equal(count(text, '\033'), 0);
	free(text);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),	      cmocka_unit_test(test_longest),
		cmocka_unit_test(test_hostile_table), cmocka_unit_test(test_hostile_folded),
		cmocka_unit_test(test_widths),	      cmocka_unit_test(test_cut),
		cmocka_unit_test(test_color),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
