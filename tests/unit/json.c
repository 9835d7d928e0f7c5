/* SPDX-License-Identifier: GPL-2.0-only */
/* The JSON writer. Right values: RFC 8259 and the Unicode standard 3.9, tables 3-8 to 3-11. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "core/json.h"

struct out {
	char *text;
	size_t bytes;
	FILE *f;
	struct json j;
};

static void out_open(struct out *o, bool indent)
{
	o->f = open_memstream(&o->text, &o->bytes);
	assert_non_null(o->f);
	json_start(&o->j, o->f, indent);
}

static void out_is(struct out *o, const char *want)
{
	json_end(&o->j);
	fclose(o->f);
	assert_string_equal(o->text, want);
	free(o->text);
}

static void string_is(const char *text, size_t bytes, const char *want)
{
	struct out o;

	out_open(&o, false);
	json_bytes(&o.j, NULL, text, bytes);
	out_is(&o, want);
}
#define STRING_IS(text, want) string_is(text, sizeof(text) - 1, want "\n")

static void test_structure(void **state)
{
	struct out o;

	(void)state;
	out_open(&o, false);
	json_object(&o.j, NULL);
	json_uint(&o.j, "a", UINT64_MAX);
	json_array(&o.j, "b");
	json_int(&o.j, NULL, INT64_MIN);
	json_object(&o.j, NULL);
	json_object_end(&o.j);
	json_array(&o.j, NULL);
	json_array_end(&o.j);
	json_bool(&o.j, NULL, true);
	json_array_end(&o.j);
	json_string(&o.j, "c", NULL);
	json_string(&o.j, "d\n", "");
	json_object_end(&o.j);
	out_is(&o, "{\"a\":18446744073709551615,\"b\":[-9223372036854775808,{},[],true],\"c\":null,\"d\\n\":\"\"}\n");
}

static void test_indent(void **state)
{
	struct out o;

	(void)state;
	out_open(&o, true);
	json_object(&o.j, NULL);
	json_array(&o.j, "list");
	json_uint(&o.j, NULL, 1);
	json_null(&o.j, NULL);
	json_array_end(&o.j);
	json_object(&o.j, "none");
	json_object_end(&o.j);
	json_object_end(&o.j);
	out_is(&o, "{\n  \"list\": [\n    1,\n    null\n  ],\n  \"none\": {}\n}\n");
}

static void test_escapes(void **state)
{
	(void)state;
	STRING_IS("\b\f\n\r\t\"\\/", "\"\\b\\f\\n\\r\\t\\\"\\\\/\"");
	STRING_IS("a\0b\1\x1b[31m\x1f\x7f", "\"a\\u0000b\\u0001\\u001b[31m\\u001f\\u007f\"");
	STRING_IS("bfnrt", "\"bfnrt\"");
	/* C1, right-to-left override, line separator: they would act on the reader's terminal. */
	STRING_IS("\xc2\x9b"
		  "2J\xe2\x80\xae\xe2\x80\xa8",
		  "\"\\u009b2J\\u202e\\u2028\"");
	STRING_IS("</script><!--<b>", "\"\\u003c/script>\\u003c!--<b>\"");
}

static void test_utf8(void **state)
{
	(void)state;
	/* First and last character of each length; of three bytes, also those around the surrogates. */
	STRING_IS("\xc2\xa0\xdf\xbf", "\"\xc2\xa0\xdf\xbf\"");
	STRING_IS("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbd",
		  "\"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbd\"");
	STRING_IS("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"");
}

#define R "\\ufffd"
static void test_not_utf8(void **state)
{
	(void)state;
	/* Table 3-8: long forms. Table 3-9: surrogates. Table 3-10: others. Table 3-11: cut ones. */
	STRING_IS("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", "\"" R R R R R R R R "A\"");
	STRING_IS("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", "\"" R R R R R R R R "A\"");
	STRING_IS("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", "\"" R R R R R "A" R R "B\"");
	STRING_IS("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", "\"" R R R R "A\"");
	/* A character cut by the end of the text: the byte behind it must not be looked at. */
	STRING_IS("\xe2\x82", "\"" R "\"");
	string_is("\xe2\x82\xac", 2, "\"" R "\"\n");
	string_is("<", 1, "\"<\"\n");
}

static void double_is(double value, const char *want)
{
	struct out o;

	out_open(&o, false);
	json_double(&o.j, NULL, value);
	out_is(&o, want);
}

static void test_double(void **state)
{
	(void)state;
	double_is(0.1, "0.1\n");
	double_is(1e22, "1e+22\n");
	double_is(5e-324, "4.94065645841247e-324\n");
	double_is(1.7976931348623157e308, "1.7976931348623157e+308\n");
	double_is(1.0 / 3, "0.3333333333333333\n");
	double_is(-0.0, "-0\n");
	double_is(NAN, "null\n");
	double_is(-INFINITY, "null\n");
}

/* A locale of our own, so that the test does not hang on which ones are installed. */
static void make_locale(const char *dir)
{
	char command[512];
	int n = snprintf(command, sizeof(command),
			 "cd '%s' && printf '%%s\\n' 'escape_char /' LC_NUMERIC 'decimal_point \"<U002C>\"' "
			 "'thousands_sep \"\"' 'grouping -1' 'END LC_NUMERIC' >source && "
			 "localedef -c -i source -f ANSI_X3.4-1968 ./comma >log 2>&1; test -s comma/LC_NUMERIC",
			 dir);

	assert_in_range(n, 1, sizeof(command) - 1);
	assert_int_equal(system(command), 0);
}

static void test_double_locale(void **state)
{
	char dir[] = "/tmp/kbpfprof-locale.XXXXXX", command[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	make_locale(dir);
	assert_int_equal(setenv("LOCPATH", dir, 1), 0);
	assert_non_null(setlocale(LC_NUMERIC, "comma"));
	assert_string_equal(localeconv()->decimal_point, ",");
	double_is(1234.5, "1234.5\n");
	double_is(-2.5e-7, "-2.5e-07\n");
	setlocale(LC_NUMERIC, "C");
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structure),     cmocka_unit_test(test_indent),   cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_utf8),	      cmocka_unit_test(test_not_utf8), cmocka_unit_test(test_double),
		cmocka_unit_test(test_double_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
