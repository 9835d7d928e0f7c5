// SPDX-License-Identifier: GPL-2.0-only
/*
 * What no profiler in BPF can do without: being called (empty), and having the kernel walk both
 * stacks (stacks). And what nobody who watches the scheduler can do without: being called there (sched).
 * The benchmarks measure these beside the tools.
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

#define FRAMES_MAX 127 /* the default of kernel.perf_event_max_stack */

struct scratch {
	__u64 kernel[FRAMES_MAX], user[FRAMES_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

SEC("perf_event")
int empty(void *ctx)
{
	return 0;
}

SEC("perf_event")
int stacks(void *ctx)
{
	__u32 zero = 0;
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &zero);

	if (!scratch)
		return 0;
	bpf_get_stack(ctx, scratch->kernel, sizeof(scratch->kernel), 0);
	bpf_get_stack(ctx, scratch->user, sizeof(scratch->user), BPF_F_USER_STACK);
	return 0;
}

SEC("tp_btf/sched_switch")
int sched_switch(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_wakeup")
int sched_wakeup(void *ctx)
{
	return 0;
}
