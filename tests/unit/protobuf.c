/* SPDX-License-Identifier: GPL-2.0-only */
/* The wire format, byte for byte. Right values: the examples of protobuf.dev/programming-guides/encoding, or by hand.
 */
#include <string.h>

#include "core/protobuf.h"
#include "unit.h"

static void bytes_are(struct protobuf *p, const char *want, size_t n)
{
	assert_false(p->no_memory);
	assert_int_equal(p->n, n);
	assert_memory_equal(p->bytes, want, n);
	protobuf_free(p);
}
#define BYTES_ARE(p, want) bytes_are(p, want, sizeof(want) - 1)

static void test_numbers(void **state)
{
	struct protobuf p = { 0 };

	(void)state;
	protobuf_uint(&p, 1, 150);
	BYTES_ARE(&p, "\x08\x96\x01");
	protobuf_uint(&p, 1, 0);
	assert_int_equal(p.n, 0);
	/* -2 as int64: "ten bytes long" */
	protobuf_uint(&p, 1, (uint64_t)(int64_t)-2);
	BYTES_ARE(&p, "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	/* The largest of one byte and the least of two; field 16 is the first whose tag has two. */
	protobuf_uint(&p, 15, 127);
	protobuf_uint(&p, 16, 128);
	BYTES_ARE(&p, "\x78\x7f\x80\x01\x80\x01");
}

static void test_strings_and_messages(void **state)
{
	struct protobuf p = { 0 }, inner = { 0 };

	(void)state;
	protobuf_bytes(&p, 2, "testing", 7);
	BYTES_ARE(&p, "\x12\x07testing");
	protobuf_bytes(&p, 6, "", 0);
	BYTES_ARE(&p, "\x32\x00");
	protobuf_uint(&inner, 1, 150);
	protobuf_message(&p, 3, &inner);
	protobuf_clear(&inner);
	protobuf_message(&p, 3, &inner);
	BYTES_ARE(&p, "\x1a\x03\x08\x96\x01\x1a\x00");
	protobuf_free(&inner);
}

static void test_packed(void **state)
{
	struct protobuf p = { 0 }, list = { 0 };

	(void)state;
	protobuf_element(&list, 3);
	protobuf_element(&list, 270);
	protobuf_element(&list, 86942);
	protobuf_element(&list, 0);
	protobuf_message(&p, 6, &list);
	BYTES_ARE(&p, "\x32\x07\x03\x8e\x02\x9e\xa7\x05\x00");
	protobuf_free(&list);
}

/* Longer than any first allocation: nothing is cut or moved. */
static void test_growth(void **state)
{
	struct protobuf p = { 0 };
	char text[1000];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (unsigned i = 0; i < 1000; i++)
		protobuf_bytes(&p, 1, text, sizeof(text));
	assert_int_equal(p.n, 1000 * 1003);
	for (unsigned i = 0; i < 1000; i++) {
		assert_memory_equal(p.bytes + (size_t)i * 1003, "\x0a\xe8\x07", 3);
		assert_memory_equal(p.bytes + (size_t)i * 1003 + 3, text, sizeof(text));
	}
	protobuf_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings_and_messages),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
