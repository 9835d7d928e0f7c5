/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON (RFC 8259) written to a stream as it comes: nothing is kept, commas, escapes and indents
 * are the writer's. In an object every value has a key, in an array and at the top none (NULL).
 *
 * Text may hold any bytes. What is not UTF-8 becomes U+FFFD, one for each maximal part, as the
 * Unicode standard (3.9, "U+FFFD Substitution of Maximal Subparts") recommends. Escaped besides
 * what JSON demands: DEL, C1 controls, marks that reorder text, line and paragraph separators,
 * and the '<' of "</" and "<!", so that the output may stand inside an HTML script element.
 *
 * Errors of the stream are the caller's to see by ferror().
 */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 32

struct json {
	FILE *f;
	bool indent;	  /* two spaces a level, a value a line */
	unsigned depth;	  /* of open objects and arrays, at most JSON_DEPTH_MAX */
	uint32_t started; /* bit n: level n has a value, the next one needs a comma */
};

void json_start(struct json *j, FILE *f, bool indent);
void json_end(struct json *j); /* ends the line; every object and array is closed */

void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);

void json_string(struct json *j, const char *key, const char *text); /* NULL: null */
void json_bytes(struct json *j, const char *key, const char *text, size_t bytes);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_int(struct json *j, const char *key, int64_t value);
/* The shortest text that reads back as `value`; null if it is not finite. In any locale. */
void json_double(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
