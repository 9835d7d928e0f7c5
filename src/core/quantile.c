/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/quantile.h"

/* The inclusive end of a bucket, as far as there are values. */
static uint64_t bucket_end_ns(const struct quantile_of *h, unsigned bucket)
{
	uint64_t end_ns = hist_bucket_min_ns(bucket + 1) - 1;

	if (bucket == HIST_BUCKETS - 1 || end_ns > h->max_ns)
		return h->max_ns;
	return end_ns < h->min_ns ? h->min_ns : end_ns;
}

uint64_t quantile_ns(const struct quantile_of *h, unsigned permille)
{
	/* ceil(count * permille / 1000), not beyond 64 bits on the way */
	uint64_t rank = h->count / 1000 * permille + (h->count % 1000 * permille + 999) / 1000, seen = 0;

	if (!h->count)
		return 0;
	if (permille >= 1000)
		return h->max_ns;
	if (!rank)
		rank = 1;
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen >= rank)
			return bucket_end_ns(h, i);
	}
	return h->max_ns;
}
