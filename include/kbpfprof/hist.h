/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Histograms of nanoseconds, log-linear: 16 buckets a power of two, so that a value is known to
 * 6.25 %; exact below 16. Programs fill them per CPU (bpf/hist.bpf.h), user space adds them up.
 */
#ifndef KBPFPROF_HIST_H
#define KBPFPROF_HIST_H

#include "types.h"

#define HIST_SUB_BITS 4 /* 2^4 buckets a power of two */
#define HIST_SUB      (1U << HIST_SUB_BITS)
#define HIST_BITS     40 /* the last bucket holds all from 2^40 - 2^35 ns (18 minutes) on */
#define HIST_BUCKETS  ((HIST_BITS - HIST_SUB_BITS + 1) * HIST_SUB)

/* Values of one kind, on one CPU or summed up. Empty: all 0. */
struct hist {
	__u64 count, sum_ns;
	__u64 min_ns, max_ns; /* exact; of count 0 they mean nothing */
	__u32 buckets[HIST_BUCKETS];
};

/* 1 if v, which has `bits` bits, is not 0. */
#define HIST_ANY(v, bits) (((v) + ((1ULL << (bits)) - 1)) >> (bits))

/*
 * Position of the highest bit; 0 of 0. By steps, as BPF has no instruction for it, and without branches: the verifier
 * would go all their ways.
 */
static inline __u32 hist_log2(__u64 v)
{
	__u64 log = 0, step;

	step = HIST_ANY(v >> 32, 32) << 5;
	v >>= step;
	log += step;
	step = HIST_ANY(v >> 16, 16) << 4;
	v >>= step;
	log += step;
	step = HIST_ANY(v >> 8, 8) << 3;
	v >>= step;
	log += step;
	step = HIST_ANY(v >> 4, 4) << 2;
	v >>= step;
	log += step;
	step = HIST_ANY(v >> 2, 2) << 1;
	v >>= step;
	return (__u32)(log + step + (v >> 1));
}

/* 0 to HIST_BUCKETS - 1. */
static inline __u32 hist_bucket(__u64 ns)
{
	__u32 log, bucket;

	if (ns < HIST_SUB)
		return (__u32)ns;
	log = hist_log2(ns);
	bucket = (log - HIST_SUB_BITS + 1) * HIST_SUB + ((__u32)(ns >> (log - HIST_SUB_BITS)) & (HIST_SUB - 1));
	return bucket < HIST_BUCKETS ? bucket : HIST_BUCKETS - 1;
}

/* The smallest value of a bucket; of HIST_BUCKETS: the end of the last one. */
static inline __u64 hist_bucket_min_ns(__u32 bucket)
{
	if (bucket < HIST_SUB)
		return bucket;
	return (__u64)(HIST_SUB + bucket % HIST_SUB) << (bucket / HIST_SUB - 1);
}

/* Coarser, four a power of two: by this the causes of delays are kept apart. 0 to HIST_QUARTERS - 1. */
#define HIST_QUARTERS (HIST_BUCKETS / 4)

static inline __u32 hist_quarter(__u64 ns)
{
	return hist_bucket(ns) / 4;
}

static inline __u64 hist_quarter_min_ns(__u32 quarter)
{
	return hist_bucket_min_ns(quarter * 4);
}

static inline void hist_add(struct hist *h, __u64 ns)
{
	__u64 bucket = hist_bucket(ns);

	KBPFPROF_ONE_REGISTER(bucket);
	if (!h->count || ns < h->min_ns)
		h->min_ns = ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
	h->count++;
	h->sum_ns += ns;
	if (bucket < HIST_BUCKETS) /* for the verifier */
		h->buckets[bucket]++;
}

#endif
