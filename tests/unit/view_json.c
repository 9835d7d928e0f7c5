/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The JSON report. Byte for byte: tests/unit/view_golden.c; what jq makes of it: tests/cli/json.t.
 */
#include <locale.h>

#include "view_build.h"

#define BURN "/usr/bin/burn"

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		n++;
	}
	return n;
}

/* Names of any bytes: escaped as RFC 8259 wants it, and U+FFFD for what is no UTF-8, in any locale. */
static void test_hostile(void **state)
{
	struct recording *r = build_new();
	char *text, *again;

	(void)state;
	BUILD(r, "\xff\"\\\n", 1, USER("f\x1b[2J\xc3\xa4\xe2\x82", "/tmp/\xf0\x9f/<!--x"), KERNEL("\xed\xa0\x80"));
	strcpy(r->meta.command_line, "kbpfprof -- \xfe");
	build_balance(r, 1);
	text = build_view("json", r, (struct view_options){ 0 });
	has(text, "\"comm\":\"\\ufffd\\\"\\\\\\n\"");
	has(text, "\"symbol\":\"f\\u001b[2J\xc3\xa4\\ufffd\"");
	has(text, "\"name\":\"/tmp/\\ufffd/\\u003c!--x\"");
	has(text, "\"symbol\":\"\\ufffd\\ufffd\\ufffd\"");
	has(text, "\"command_line\": \"kbpfprof -- \\ufffd\"");
	setlocale(LC_CTYPE, "C.UTF-8");
	again = build_view("json", r, (struct view_options){ .width = 40, .color = true, .sort = "cpu" });
	setlocale(LC_CTYPE, "C");
	assert_string_equal(text, again);
	free(text);
	free(again);
	recording_free(r);
}

static void test_labels(void **state)
{
	struct recording *r = build_new();
	struct rec_labels labels = { .cpu = -1 };
	char *text;

	(void)state;
	BUILD_OF(r, labels, 1, USER("f", BURN));
	labels = build_comm(r, "a");
	labels.tgid = 812;
	labels.tid = 813;
	labels.cpu = 0;
	BUILD_OF(r, labels, 2, USER("f", BURN));
	build_balance(r, 3);
	text = build_view("json", r, (struct view_options){ 0 });
	has(text,
	    "{\"comm\":null,\"pid\":null,\"tid\":null,\"cpu\":null,\"fires\":1,\"weight\":10000000,\"stack\":[0]}");
	has(text, "{\"comm\":\"a\",\"pid\":812,\"tid\":813,\"cpu\":0,\"fires\":2,\"weight\":20000000,\"stack\":[0]}");
	free(text);
	recording_free(r);
}

/* One address on both sides of a stack is two frames, on one side of many stacks a single one. */
static void test_frames(void **state)
{
	struct recording *r = build_new();
	const struct build_frame f[] = { USER("f", BURN), USER("g", BURN) };
	uint32_t ids[2];
	char *text;

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		ids[i] = (uint32_t)build_location(r, &f[i]);
	build_add(r, build_comm(r, "a"), recording_stack(r, ids, 1, 1), 1, 1);
	build_add(r, build_comm(r, "a"), recording_stack(r, ids, 0, 2), 1, 1);
	build_balance(r, 2);
	text = build_view("json", r, (struct view_options){ 0 });
	assert_int_equal(count(text, "{\"symbol\":"), 3);
	assert_int_equal(count(text, "{\"symbol\":\"f\",\"object\":\"burn\",\"kernel\":true,\"mapping\":0,"), 1);
	assert_int_equal(count(text, "{\"symbol\":\"f\",\"object\":\"burn\",\"kernel\":false,\"mapping\":0,"), 1);
	has(text, "\"stack\":[0,1]}");
	has(text, "\"stack\":[2,1]}");
	free(text);
	recording_free(r);
}

/* Each sample has a frame, even one that says that there is none. */
static void test_no_stack(void **state)
{
	struct recording *r = build_new();
	char *text;

	(void)state;
	build_add(r, build_comm(r, "a"), build_stack(r, NULL, 0), 4, 4);
	BUILD(r, "a", 1, USER("f", BURN));
	build_balance(r, 5);
	text = build_view("json", r, (struct view_options){ 0 });
	has(text, "{\"symbol\":null,\"object\":null,\"mapping\":null,\"address\":null,\"offset\":null,\"kernel\":false,"
		  "\"why\":\"no stack\"},");
	has(text, "\"fires\":4,\"weight\":4,\"stack\":[0]}");
	has(text, "\"stack\":[1]}");
	free(text);
	recording_free(r);
}

static bool is_of_a(const struct recording *r, const struct rec_sample *s, void *arg)
{
	(void)arg;
	return !strcmp(recording_str(r, s->labels.comm), "a");
}

/* What is left out leaves nothing in the tables, and the books say it. */
static void test_left_out(void **state)
{
	struct recording *r = build_new();
	char *text;

	(void)state;
	BUILD(r, "b", 2, USER("g", "/bin/other"));
	BUILD(r, "a", 1, USER("f", BURN));
	build_balance(r, 3);
	text = build_view("json", r, (struct view_options){ 0 });
	has(text, "\"selection\": null");
	has(text, "\"baseline\": null");
	has_not(text, "base_fires");
	free(text);
	recording_select(r, is_of_a, NULL);
	strcpy(r->selection.text, "comm=a");
	text = build_view("json", r, (struct view_options){ 0 });
	has_not(text, "/bin/other");
	has_not(text, "\"symbol\":\"g\"");
	has(text, "\"mapping\":0,");
	has(text, "\"stack\":[0]}");
	has(text, "\"kept\": 3,");
	has(text, "\"text\": \"comm=a\",\n    \"left_out_fires\": 2,\n    \"left_out_weight\": 20000000\n");
	free(text);
	recording_free(r);
}

static void test_comparison(void **state)
{
	struct recording *r = build_new();
	struct rec_sample both = { .labels = build_comm(r, "a"), .fires = 3, .weight = 30, .base_fires = 5 };
	const struct build_frame f = USER("f", BURN);
	struct rec_baseline b = { .sampling = { .event = "cpu-clock", .unit = "ns", .kept = 5, .seen = 15 } };
	char *text;

	(void)state;
	both.base_weight = 50;
	both.stack = build_stack(r, &f, 1);
	assert_int_equal(recording_add(r, &both), 0);
	strcpy(b.meta.host, "older");
	b.lost.by_cause[LOST_MAP_BUSY] = 10;
	b.lost.by_cause[LOST_TARGET_FULL] = 2;
	assert_int_equal(recording_compare(r, &b), 0);
	text = build_view("json", r, (struct view_options){ 0 });
	has(text, "\"fires\":3,\"weight\":30,\"base_fires\":5,\"base_weight\":50,\"stack\":[0]}");
	has(text, "\"host\": \"older\"");
	has(text, "\"lost\": 10,\n        \"unexplained\": 0,");
	has(text, "\"not_followed\": 2,");
	free(text);
	recording_free(r);
}

/* 2^64 - 1 in each place that is a plain number. */
static void test_large(void **state)
{
	const struct build_frame f = { NULL, "[anon]", MAPPING_ANON, WHY_ANON, UINT64_MAX };
	struct recording *r = build_new();
	char *text;

	(void)state;
	build_add(r, build_comm(r, "a"), build_stack(r, &f, 1), UINT64_MAX, UINT64_MAX);
	build_balance(r, UINT64_MAX);
	text = build_view("json", r, (struct view_options){ 0 });
	has(text, "\"fires\":18446744073709551615,\"weight\":18446744073709551615,");
	has(text, "\"address\":\"0xffffffffffffffff\"");
	has(text, "\"expected\": 18446744073709551615,");
	free(text);
	recording_free(r);
}

static void test_empty(void **state)
{
	struct recording *r = build_new();
	char *text;

	(void)state;
	r->meta.start_unix_ns += 123456789;
	text = build_view("json", r, (struct view_options){ 0 });
	has(text,
	    "\"mappings\": [],\n  \"frames\": [],\n  \"samples\": [],\n  \"latency\": null,\n  \"irq\": null\n}\n");
	has(text, "\"start\": \"2023-11-14T22:13:20.123456789Z\",\n    \"start_unix_s\": 1700000000.123456,\n");
	free(text);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile),	 cmocka_unit_test(test_labels),	  cmocka_unit_test(test_frames),
		cmocka_unit_test(test_no_stack), cmocka_unit_test(test_left_out), cmocka_unit_test(test_comparison),
		cmocka_unit_test(test_large),	 cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
