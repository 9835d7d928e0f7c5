/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Length of the character at `s`, with its value in *code; a negative length is that of a part
 * which no character begins with. The second byte has narrower bounds after E0, ED, F0 and F4
 * (Unicode 3.9, table 3-7), which leaves out long forms, surrogates and values over 10FFFF.
 */
static int utf8_next(const unsigned char *s, size_t bytes, uint32_t *code)
{
	unsigned char low = 0x80, high = 0xbf;
	int length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	*code = s[0];
	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return -1;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	*code = s[0] & (0x7f >> length);
	for (int i = 1; i < length; i++) {
		if ((size_t)i == bytes || s[i] < low || s[i] > high)
			return -i;
		*code = *code << 6 | (s[i] & 0x3f);
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

/* Invisible characters that change how the text around them looks or ends. */
static bool is_deceptive(uint32_t code)
{
	return (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

static char short_escape(unsigned char c)
{
	switch (c) {
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	case '"':
	case '\\':
		return (char)c;
	default:
		return 0;
	}
}

static void put_ascii(FILE *f, unsigned char c, unsigned char next)
{
	if (short_escape(c))
		fprintf(f, "\\%c", short_escape(c));
	else if (c < 0x20 || (c == '<' && (next == '/' || next == '!')))
		fprintf(f, "\\u%04x", c);
	else
		putc(c, f);
}

static void put_text(FILE *f, const char *text, size_t bytes)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + bytes;

	putc('"', f);
	while (s < end) {
		uint32_t code;
		int length = utf8_next(s, (size_t)(end - s), &code);

		if (length < 0) {
			fputs("\\ufffd", f);
			length = -length;
		} else if (is_deceptive(code)) {
			fprintf(f, "\\u%04" PRIx32, code);
		} else if (length == 1) {
			put_ascii(f, *s, s + 1 < end ? s[1] : 0);
		} else {
			fwrite(s, 1, (size_t)length, f);
		}
		s += length;
	}
	putc('"', f);
}

static void new_line(struct json *j)
{
	if (j->indent)
		fprintf(j->f, "\n%*s", (int)(2 * j->depth), "");
}

/* All that stands before a value. */
static void begin(struct json *j, const char *key)
{
	uint32_t level = UINT32_C(1) << j->depth;

	if (j->started & level)
		putc(',', j->f);
	j->started |= level;
	if (j->depth)
		new_line(j);
	if (key) {
		put_text(j->f, key, strlen(key));
		fputs(j->indent ? ": " : ":", j->f);
	}
}

static void descend(struct json *j, const char *key, char bracket)
{
	begin(j, key);
	putc(bracket, j->f);
	j->depth++;
	assert(j->depth < JSON_DEPTH_MAX);
	j->started &= ~(UINT32_C(1) << j->depth);
}

static void ascend(struct json *j, char bracket)
{
	bool empty = !(j->started & UINT32_C(1) << j->depth);

	assert(j->depth > 0);
	j->depth--;
	if (!empty)
		new_line(j);
	putc(bracket, j->f);
}

void json_start(struct json *j, FILE *f, bool indent)
{
	*j = (struct json){ .f = f, .indent = indent };
}

void json_end(struct json *j)
{
	assert(j->depth == 0);
	putc('\n', j->f);
}

void json_object(struct json *j, const char *key)
{
	descend(j, key, '{');
}

void json_object_end(struct json *j)
{
	ascend(j, '}');
}

void json_array(struct json *j, const char *key)
{
	descend(j, key, '[');
}

void json_array_end(struct json *j)
{
	ascend(j, ']');
}

void json_bytes(struct json *j, const char *key, const char *text, size_t bytes)
{
	begin(j, key);
	put_text(j->f, text, bytes);
}

void json_string(struct json *j, const char *key, const char *text)
{
	if (text)
		json_bytes(j, key, text, strlen(text));
	else
		json_null(j, key);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->f, "%" PRIu64, value);
}

void json_int(struct json *j, const char *key, int64_t value)
{
	begin(j, key);
	fprintf(j->f, "%" PRId64, value);
}

void json_double(struct json *j, const char *key, double value)
{
	char text[40];
	const char *c;

	if (!isfinite(value)) {
		json_null(j, key);
		return;
	}
	begin(j, key);
	for (int digits = 15; digits <= 17; digits++) { /* 17 are enough for any double */
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	/* The locale chose the decimal point, and it may be more than one byte. */
	for (c = text; *c; c++) {
		if (strchr("+-0123456789e", *c))
			putc(*c, j->f);
		else if (c[1] && strchr("0123456789", c[1]))
			putc('.', j->f);
	}
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->f);
}

void json_null(struct json *j, const char *key)
{
	begin(j, key);
	fputs("null", j->f);
}
