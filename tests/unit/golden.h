/* SPDX-License-Identifier: GPL-2.0-only */
/* A view byte for byte as a file in tests/golden has it. UPDATE_GOLDEN=1 writes the file anew: then read the
 * difference. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stdio.h>
#include <stdlib.h>

#include "view_build.h"

static inline char *read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	if (!f)
		return NULL;
	if (getdelim(&text, &room, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/* Frees the recording. */
static inline void check_golden(const char *name, const char *view, struct recording *r, struct view_options o)
{
	char path[128], *text = build_view(view, r, o), *want;

	snprintf(path, sizeof(path), "tests/golden/%s.txt", name);
	if (getenv("UPDATE_GOLDEN")) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(text, f);
		assert_int_equal(fclose(f), 0);
	}
	want = read_all(path);
	assert_non_null(want);
	assert_string_equal(text, want);
	free(want);
	free(text);
	recording_free(r);
}

#endif
