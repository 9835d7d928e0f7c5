// SPDX-License-Identifier: GPL-2.0-only
/* Programs that no kernel takes, each for a reason of its own, and one that all take: for tests/live/programs.t. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} values SEC(".maps");

SEC("raw_tp/sched_switch")
int fine(void *ctx)
{
	return 0;
}

/* What a lookup gives may be NULL. */
SEC("raw_tp/sched_switch")
int unchecked(void *ctx)
{
	__u32 key = 1;
	__u64 *value = bpf_map_lookup_elem(&values, &key);

	return (int)*value;
}

/* More instructions than the verifier looks at, and so a log that is longer than its buffer. */
SEC("raw_tp/sched_switch")
int endless(void *ctx)
{
	__u64 sum = 0;

	for (int i = 0; i < 100000000; i++)
		sum ^= bpf_get_prandom_u32();
	return (int)sum;
}

SEC("tp_btf/no_such_tracepoint_anywhere")
int homeless(void *ctx)
{
	return 0;
}
