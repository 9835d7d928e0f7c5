/* SPDX-License-Identifier: GPL-2.0-only */
/* The buckets of a histogram as a blob: those that are not empty, see kbpfprof-recording(5). */
#ifndef DB_BUCKETS_H
#define DB_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kbpfprof/hist.h"

#define BUCKETS_COUNT_BYTES_MAX 9 /* below 2^63 */
#define BUCKETS_BLOB_BYTES_MAX	(HIST_BUCKETS * (2 + BUCKETS_COUNT_BYTES_MAX))

struct buckets_sum {
	uint64_t count;
	unsigned lowest, highest; /* if count is not 0 */
};

/* Bytes. Each count is below 2^63. */
size_t buckets_encode(uint8_t out[BUCKETS_BLOB_BYTES_MAX], const uint64_t buckets[HIST_BUCKETS]);
/* Adds to `buckets`, unless that is NULL. false: it is no such blob, or its counts are too many for 63 bits. */
bool buckets_decode(uint64_t buckets[HIST_BUCKETS], const uint8_t *blob, size_t bytes, struct buckets_sum *sum);

#endif
