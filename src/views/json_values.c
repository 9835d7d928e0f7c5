/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/json_values.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "kbpfprof/hist.h"

void json_line(struct json *j, const char *key)
{
	json_object(j, key);
	j->indent = false;
}

void json_line_end(struct json *j)
{
	json_object_end(j);
	j->indent = true;
}

void json_line_array(struct json *j, const char *key)
{
	json_array(j, key);
	j->indent = false;
}

void json_line_array_end(struct json *j)
{
	json_array_end(j);
	j->indent = true;
}

void json_address(struct json *j, const char *key, bool known, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json_string(j, key, known ? text : NULL);
}

void json_known(struct json *j, const char *key, bool known, uint64_t value)
{
	if (known)
		json_uint(j, key, value);
	else
		json_null(j, key);
}

void json_time(struct json *j, const char *key, uint64_t unix_ns)
{
	time_t start = (time_t)(unix_ns / 1000000000);
	char text[64] = "", fraction[16];
	struct tm tm;

	if (gmtime_r(&start, &tm))
		strftime(text, sizeof(text) - sizeof(fraction), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(fraction, sizeof(fraction), ".%09uZ", (unsigned)(unix_ns % 1000000000));
	strcat(text, fraction);
	json_string(j, key, text);
}

void json_buckets(struct json *j, const uint64_t *buckets)
{
	json_array(j, "buckets");
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		if (!buckets[i])
			continue;
		json_object(j, NULL);
		json_uint(j, "from_ns", hist_bucket_min_ns(i));
		json_known(j, "to_ns", i + 1 < HIST_BUCKETS, hist_bucket_min_ns(i + 1));
		json_uint(j, "count", buckets[i]);
		json_object_end(j);
	}
	json_array_end(j);
}
