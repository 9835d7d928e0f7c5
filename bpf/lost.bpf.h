/* SPDX-License-Identifier: GPL-2.0-only */
/* The one place where a BPF program says that an event is missing from the result. */
#ifndef LOST_BPF_H
#define LOST_BPF_H

#include "kbpfprof/lost.h"
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, LOST_CAUSES);
	__type(key, __u32);
	__type(value, __u64);
} losses SEC(".maps");

static __always_inline void lost_count(__u32 cause)
{
	__u64 *count = bpf_map_lookup_elem(&losses, &cause);

	/* Atomic although per CPU: programs of another entry kind may interrupt this one. */
	if (count)
		__sync_fetch_and_add(count, 1);
}

/* Counts a failed bpf_map_update_elem() by its errno, so that "full" is never said of a busy bucket. */
static __always_inline void lost_count_update(long err)
{
	if (err == -E2BIG)
		lost_count(LOST_MAP_FULL);
	else if (err == -EBUSY)
		lost_count(LOST_MAP_BUSY);
	else
		lost_count(LOST_MAP_ERROR);
}

#endif
