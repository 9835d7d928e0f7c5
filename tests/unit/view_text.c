/* SPDX-License-Identifier: GPL-2.0-only */
/* Text of others made inert. Right values: the Unicode standard (table 3-7, bidirectional marks), ECMA-48. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/text.h"
#include "unit.h"

static void inert_is(const char *in, const char *utf8, const char *ascii)
{
	char out[256];

	assert_int_equal(text_inert(out, sizeof(out), in, true), strlen(utf8));
	assert_string_equal(out, utf8);
	assert_int_equal(text_inert(out, sizeof(out), in, false), strlen(ascii));
	assert_string_equal(out, ascii);
}

static void same(const char *in)
{
	inert_is(in, in, in);
}

static void test_inert(void **state)
{
	(void)state;
	same("");
	same("std::vector<int, std::allocator<int> >::push_back(int&&)");
	same("a\\b\"c' ~");
	inert_is("a\033[2Jb", "a\\x1b[2Jb", "a\\x1b[2Jb");
	inert_is("a\nb\tc\rd\177", "a\\x0ab\\x09c\\x0dd\\x7f", "a\\x0ab\\x09c\\x0dd\\x7f");
	inert_is("gr\303\266\303\237e", "gr\303\266\303\237e", "gr\\xc3\\xb6\\xc3\\x9fe");
	/* CSI as one character (U+009B), which a terminal obeys too. */
	inert_is("\302\2332J", "\\xc2\\x9b2J", "\\xc2\\x9b2J");
	/* U+202E turns the line around, U+200B and U+FEFF cannot be seen, U+2028 is a line end, U+E0041 a tag. */
	inert_is("\342\200\256x", "\\xe2\\x80\\xaex", "\\xe2\\x80\\xaex");
	inert_is("\342\200\213\357\273\277", "\\xe2\\x80\\x8b\\xef\\xbb\\xbf", "\\xe2\\x80\\x8b\\xef\\xbb\\xbf");
	inert_is("\342\200\250", "\\xe2\\x80\\xa8", "\\xe2\\x80\\xa8");
	inert_is("\363\240\201\201", "\\xf3\\xa0\\x81\\x81", "\\xf3\\xa0\\x81\\x81");
	inert_is("\360\237\246\200", "\360\237\246\200", "\\xf0\\x9f\\xa6\\x80");
}

static void test_invalid_utf8(void **state)
{
	(void)state;
	inert_is("\377\376", "\\xff\\xfe", "\\xff\\xfe");
	inert_is("\200", "\\x80", "\\x80");
	inert_is("\300\257", "\\xc0\\xaf", "\\xc0\\xaf");			      /* '/' in two bytes */
	inert_is("\340\200\257", "\\xe0\\x80\\xaf", "\\xe0\\x80\\xaf");		      /* in three */
	inert_is("\355\240\200", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80");		      /* a surrogate */
	inert_is("\364\220\200\200", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80"); /* U+110000 */
	inert_is("\370\210\200\200\200", "\\xf8\\x88\\x80\\x80\\x80", "\\xf8\\x88\\x80\\x80\\x80"); /* five bytes */
	inert_is("a\303", "a\\xc3", "a\\xc3");							    /* ends inside */
	inert_is("\342\202x", "\\xe2\\x82x", "\\xe2\\x82x");
}

/* What does not fit is left out as whole characters and whole escapes. */
static void test_room(void **state)
{
	char out[8];

	(void)state;
	assert_int_equal(text_inert(out, 1, "abc", true), 0);
	assert_string_equal(out, "");
	assert_int_equal(text_inert(out, 4, "abcd", true), 3);
	assert_string_equal(out, "abc");
	assert_int_equal(text_inert(out, 4, "ab\303\266", true), 2);
	assert_string_equal(out, "ab");
	assert_int_equal(text_inert(out, 5, "ab\303\266", true), 4);
	assert_int_equal(text_inert(out, 6, "ab\001c", true), 2);
	assert_string_equal(out, "ab");
}

static void cut_is(const char *in, unsigned columns, const char *want)
{
	char s[128];

	strcpy(s, in);
	text_cut(s, columns);
	assert_string_equal(s, want);
}

static void test_cut(void **state)
{
	(void)state;
	cut_is("abcdefghij", 10, "abcdefghij");
	cut_is("abcdefghij", 9, "abcd..hij");
	cut_is("abcdefghij", 8, "abc..hij");
	cut_is("abcdefghij", 3, "a..");
	cut_is("abcdefghij", 2, "..");
	cut_is("abcdefghij", 1, ".");
	cut_is("abcdefghij", 0, "");
	cut_is("", 0, "");
}

/* Wide (two columns) and combining characters (none) are neither split nor parted. */
static void test_cut_utf8(void **state)
{
	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	assert_true(text_is_utf8());
	assert_int_equal(text_columns("gr\303\266\303\237e"), 5);
	assert_int_equal(text_columns("\346\227\245\346\234\254"), 4);
	assert_int_equal(text_columns("e\314\201x"), 2);
	cut_is("\303\266\303\266\303\266\303\266\303\266\303\266", 5, "\303\266\303\266..\303\266");
	/* Four wide characters are eight columns; of seven, three remain in front: one wide one fits. */
	cut_is("\346\227\245\346\227\245\346\227\245\346\227\245", 7, "\346\227\245..\346\227\245");
	/* The mark behind the last character that is left out goes with it. */
	cut_is("abcde\314\201f", 4, "a..f");
	cut_is("ae\314\201cdefg", 6, "ae\314\201..fg");
	setlocale(LC_CTYPE, "C");
	assert_false(text_is_utf8());
}

/* Any bytes in, any width: out comes valid UTF-8 that is not wider. */
static void test_cut_any(void **state)
{
	unsigned random = 1;

	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	for (int i = 0; i < 20000; i++) {
		char in[24], out[128];
		wchar_t wide[128];
		unsigned columns;
		size_t n;

		for (size_t j = 0; j < sizeof(in); j++) {
			random = random * 1103515245 + 12345;
			in[j] = (char)(random >> 16);
		}
		in[sizeof(in) - 1] = '\0';
		columns = random >> 20 & 31;
		text_inert(out, sizeof(out), in, true);
		text_cut(out, columns);
		n = mbstowcs(wide, out, 128);
		assert_int_not_equal(n, (size_t)-1);
		assert_true(text_columns(out) <= columns);
	}
	setlocale(LC_CTYPE, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inert), cmocka_unit_test(test_invalid_utf8), cmocka_unit_test(test_room),
		cmocka_unit_test(test_cut),   cmocka_unit_test(test_cut_utf8),	   cmocka_unit_test(test_cut_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
