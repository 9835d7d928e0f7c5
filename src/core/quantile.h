/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CORE_QUANTILE_H
#define CORE_QUANTILE_H

#include <stdint.h>

#include "kbpfprof/hist.h"

/* Of a histogram in a recording, all exact. */
struct quantile_of {
	const uint64_t *buckets; /* HIST_BUCKETS */
	uint64_t count, min_ns, max_ns;
};

/*
 * The value that `permille` of 1000 values do not exceed, as the upper end of its bucket, and never outside of
 * min_ns to max_ns; 0 of an empty histogram.
 */
uint64_t quantile_ns(const struct quantile_of *h, unsigned permille);

#endif
