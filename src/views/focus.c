/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/focus.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIMILAR_MAX 5
/* Of longer names the beginning is compared. */
#define COMPARED_BYTES 64

static const char *name_of(const struct functions *fs, const struct function *f)
{
	return f->why == WHY_NAMED && f->location != FRAME_NO_STACK ? recording_str(fs->r, f->name) : "";
}

/* An unnamed one has the text that stands for it, with or without an address: "libfoo.so [stripped]". */
static bool is_called(const struct functions *fs, uint32_t function, const char *name)
{
	const struct function *f = &fs->list[function];
	char text[FRAME_BYTES];

	if (*name_of(fs, f))
		return !strcmp(name_of(fs, f), name);
	return !strcmp(functions_text(text, fs, function, FRAME_NO_ADDRESS), name) ||
	       !strcmp(functions_text(text, fs, function, 0), name);
}

int focus_find(const struct functions *fs, const char *pattern, bool **found)
{
	bool any = false;

	*found = calloc(fs->n + 1, sizeof(**found));
	if (!*found)
		return -ENOMEM;
	/* First as it stands: operator[] and operator* are names, too. */
	for (uint32_t i = 0; i < fs->n; i++)
		any |= (*found)[i] = is_called(fs, i, pattern);
	for (size_t i = 0; i < fs->n && !any; i++)
		(*found)[i] = !fnmatch(pattern, name_of(fs, &fs->list[i]), 0);
	return 0;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Characters to change, add or take away to make one of the other (Levenshtein). */
static unsigned distance(const char *a, const char *b)
{
	size_t n = strnlen(a, COMPARED_BYTES), m = strnlen(b, COMPARED_BYTES);
	unsigned row[COMPARED_BYTES + 1];

	for (size_t j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned above = row[j];

			row[j] = least(least(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[m];
}

/* 0: it is not. */
static unsigned likeness(const char *typed, const char *name)
{
	unsigned far = distance(typed, name), most = (unsigned)strnlen(typed, COMPARED_BYTES) / 3 + 1;

	if (far <= most)
		return 2 * COMPARED_BYTES - far;
	return *typed && strcasestr(name, typed) ? 1 : 0;
}

struct similar {
	unsigned likeness;
	const char *name;
};

/* Into the sorted list, once each. */
static void insert(struct similar *list, struct similar one)
{
	for (unsigned i = 0; i < SIMILAR_MAX; i++) {
		struct similar moved = list[i];

		if (moved.name && !strcmp(moved.name, one.name))
			return;
		if (moved.likeness >= one.likeness)
			continue;
		list[i] = one;
		one = moved;
		if (!one.name)
			return;
	}
}

char *focus_similar(char buf[FOCUS_SIMILAR_BYTES], const struct functions *fs, const char *name)
{
	struct similar list[SIMILAR_MAX] = { { 0 } };
	size_t used = 0;

	for (size_t i = 0; i < fs->n; i++) {
		struct similar one = { .name = name_of(fs, &fs->list[i]) };

		one.likeness = *one.name ? likeness(name, one.name) : 0;
		if (one.likeness)
			insert(list, one);
	}
	buf[0] = '\0';
	for (unsigned i = 0; i < SIMILAR_MAX && list[i].name && used + sizeof(", ") < FOCUS_SIMILAR_BYTES; i++) {
		used += (size_t)sprintf(buf + used, "%s", i ? ", " : "");
		used += text_inert(buf + used, FOCUS_SIMILAR_BYTES - used, list[i].name, text_is_utf8());
	}
	return buf;
}
