/* SPDX-License-Identifier: GPL-2.0-only */
/* What came to a histogram since the last interval. */
#include <stdlib.h>
#include <string.h>

#include "db/buckets.h"
#include "db/saver.h"

_Static_assert(BUCKETS_BLOB_BYTES_MAX <= SAVER_BLOB_BYTES, "room for a histogram");

/* The largest value of a bucket. */
static uint64_t bucket_end_ns(unsigned bucket)
{
	return bucket < HIST_BUCKETS - 1 ? hist_bucket_min_ns(bucket + 1) - 1 : UINT64_MAX;
}

/*
 * The extremes of this interval: known are those since the start, and the buckets of this one. An
 * extreme that is new is of this interval; else it is known to its bucket. The sum of all intervals
 * has the exact ones.
 */
static void extremes(struct saver_values *more, const struct rec_irq_values *now, const struct rec_irq_values *told)
{
	uint64_t least_ns = hist_bucket_min_ns(more->lowest), most_ns = bucket_end_ns(more->highest);

	more->min_ns = now->min_ns;
	more->max_ns = now->max_ns;
	if (told->count && now->min_ns >= told->min_ns && least_ns > now->min_ns)
		more->min_ns = least_ns;
	if (told->count && now->max_ns <= told->max_ns && most_ns < now->max_ns)
		more->max_ns = most_ns;
	/* Read while it was written, a histogram may have a value whose extreme comes later. */
	if (more->min_ns > bucket_end_ns(more->lowest))
		more->min_ns = bucket_end_ns(more->lowest);
	if (more->max_ns < hist_bucket_min_ns(more->highest))
		more->max_ns = hist_bucket_min_ns(more->highest);
}

bool saver_values_since(struct saver *s, const struct rec_irq_values *now, const struct rec_irq_values *told,
			struct saver_values *more)
{
	uint64_t buckets[HIST_BUCKETS];
	struct buckets_sum sum;

	if (!now->count)
		return false;
	for (unsigned b = 0; b < HIST_BUCKETS; b++)
		buckets[b] = now->buckets[b] - (told->buckets ? told->buckets[b] : 0);
	more->blob = (struct db_value){ .type = SQLITE_BLOB, .bytes = s->blob, .n = buckets_encode(s->blob, buckets) };
	if (!more->blob.n || !buckets_decode(NULL, s->blob, more->blob.n, &sum))
		return false;
	more->lowest = sum.lowest;
	more->highest = sum.highest;
	more->count = sum.count;
	more->sum_ns = now->sum_ns - told->sum_ns;
	more->is_longest = !told->count || now->max_ns > told->max_ns;
	extremes(more, now, told);
	return true;
}

int saver_values_told(struct rec_irq_values *told, const struct rec_irq_values *now, const struct saver_values *more)
{
	if (!told->buckets)
		told->buckets = malloc(HIST_BUCKETS * sizeof(*told->buckets));
	if (!told->buckets)
		return SQLITE_NOMEM;
	if (!told->count || more->min_ns < told->min_ns)
		told->min_ns = more->min_ns;
	if (more->max_ns > told->max_ns)
		told->max_ns = more->max_ns;
	told->count += more->count;
	told->sum_ns = now->sum_ns;
	memcpy(told->buckets, now->buckets, HIST_BUCKETS * sizeof(*now->buckets));
	return SQLITE_OK;
}
