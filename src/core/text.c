/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/text.h"

#include <langinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

bool text_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Bytes of the character at `s`, or 0 if it is no UTF-8 (RFC 3629: shortest form, no surrogates, up to 10ffff). */
static unsigned decode(const char *s, uint32_t *out)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	unsigned n = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf8 ? 4 : 0;
	uint32_t c = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));

	for (unsigned i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80) /* the terminating zero ends here too */
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (!n || c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*out = c;
	return n;
}

/* Characters that act instead of being seen, or cannot be seen (Unicode 15, general categories Cc, Cf, Zl, Zp). */
static bool acts(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0, 0x1f },	      { 0x7f, 0x9f },	    { 0xad, 0xad },	  { 0x600, 0x605 },
		{ 0x61c, 0x61c },     { 0x6dd, 0x6dd },	    { 0x70f, 0x70f },	  { 0x180e, 0x180e },
		{ 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },	  { 0xfeff, 0xfeff },
		{ 0xfff9, 0xfffb },   { 0xfffe, 0xffff },   { 0x110bd, 0x110bd }, { 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe007f },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

size_t text_inert(char *out, size_t bytes, const char *in, bool utf8)
{
	size_t used = 0;

	while (*in) {
		uint32_t c = 0;
		unsigned n = decode(in, &c);
		bool plain = n && !acts(c) && (utf8 || n == 1);
		unsigned taken = n ? n : 1, needs = plain ? taken : taken * TEXT_ESCAPE_BYTES;

		if (used + needs >= bytes)
			break;
		if (plain)
			memcpy(out + used, in, taken);
		else
			for (unsigned i = 0; i < taken; i++)
				snprintf(out + used + i * TEXT_ESCAPE_BYTES, TEXT_ESCAPE_BYTES + 1, "\\x%02x",
					 (unsigned char)in[i]);
		used += needs;
		in += taken;
	}
	out[used] = '\0';
	return used;
}

/* Bytes of the next character, and its columns; combining marks have none. */
static unsigned next_columns(const char *s, unsigned *columns)
{
	uint32_t c;
	unsigned n = decode(s, &c);
	int width = n > 1 ? wcwidth((wchar_t)c) : 1;

	*columns = width < 0 ? 1 : (unsigned)width;
	return n ? n : 1;
}

unsigned text_columns(const char *s)
{
	unsigned sum = 0, columns;

	while (*s) {
		s += next_columns(s, &columns);
		sum += columns;
	}
	return sum;
}

void text_cut(char *s, unsigned columns)
{
	unsigned left = text_columns(s), used = 0, width, n;
	unsigned dots = columns < 2 ? columns : 2, head = (columns - dots + 1) / 2, tail = (columns - dots) / 2;
	char *to, *from = s;

	if (left <= columns)
		return;
	while (n = next_columns(from, &width), used + width <= head) {
		from += n;
		used += width;
	}
	to = from;
	left -= used;
	/* A combining mark (no columns) goes with the character before it. */
	while (*from && (n = next_columns(from, &width), left > tail || !width)) {
		from += n;
		left -= width;
	}
	n = (unsigned)strlen(from) + 1;
	memmove(to + dots, from, n); /* at least dots bytes were skipped: a cut text had more columns than `columns` */
	memcpy(to, "..", dots);
}
