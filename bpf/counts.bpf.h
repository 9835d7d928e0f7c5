/* SPDX-License-Identifier: GPL-2.0-only */
/* What is counted beside the histograms: enum wake_count. */
#ifndef COUNTS_BPF_H
#define COUNTS_BPF_H

#include "kbpfprof/wakeup.h"
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WAKE_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

static __always_inline void count(__u32 what)
{
	__u64 *n = bpf_map_lookup_elem(&counts, &what);

	if (n)
		__sync_fetch_and_add(n, 1);
}

#endif
