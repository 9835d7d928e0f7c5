/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the JSON report have in common. */
#ifndef VIEWS_JSON_VALUES_H
#define VIEWS_JSON_VALUES_H

#include "core/json.h"

/* An object on one line: readable, and a tenth of the size of a value a line. `key` as in json_object(). */
void json_line(struct json *j, const char *key);
void json_line_end(struct json *j);
/* The same of an array. */
void json_line_array(struct json *j, const char *key);
void json_line_array_end(struct json *j);
/* As text: a number above 2^53 loses digits in jq and in JavaScript. */
void json_address(struct json *j, const char *key, bool known, uint64_t address);
/* null if not known */
void json_known(struct json *j, const char *key, bool known, uint64_t value);
/* The key buckets of a histogram: those of its HIST_BUCKETS that have values, with their bounds. */
void json_buckets(struct json *j, const uint64_t *buckets);
/* "2023-11-14T22:13:20.123456789Z" */
void json_time(struct json *j, const char *key, uint64_t unix_ns);

#endif
