/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of latencies: one of all per kind, and with --per one of each group; per CPU, so that nothing is lost. */
#ifndef HIST_BPF_H
#define HIST_BPF_H

#include "kbpfprof/wakeup.h"
#include <bpf/bpf_helpers.h>

/* All kinds in one element: a wait counts in several of them. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wake_hists);
} hists SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1); /* by what memory allows */
	__type(key, struct wake_group_key);
	__type(value, struct hist);
} group_hists SEC(".maps");

/* What a new group starts with: a histogram is too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hist);
} hist_zeros SEC(".maps");

/* A global function: the verifier looks at it once, not at all its ways after each other for each kind. */
__noinline int hist_count(__u32 kind, __u64 ns)
{
	__u32 zero = 0;
	struct wake_hists *h = bpf_map_lookup_elem(&hists, &zero);
	__u64 i = kind;

	KBPFPROF_ONE_REGISTER(i);
	if (h && i < LATENCY_KINDS)
		hist_add(&h->of[i], ns);
	return 0;
}

/* The three of a wakeup. */
__noinline int hist_count_wakeup(__u64 start_ns, __u64 queued_ns, __u64 now_ns)
{
	__u32 zero = 0;
	struct wake_hists *h = bpf_map_lookup_elem(&hists, &zero);

	if (!h)
		return 0;
	hist_add(&h->of[LATENCY_WAKING], now_ns - start_ns);
	hist_add(&h->of[LATENCY_ACTIVATION], queued_ns - start_ns);
	hist_add(&h->of[LATENCY_QUEUE], now_ns - queued_ns);
	return 0;
}

/* False: there is no room for another group. */
static __always_inline bool hist_count_group(const struct wake_group_key *key, __u64 ns)
{
	struct hist *h = bpf_map_lookup_elem(&group_hists, key), *zeros;
	__u32 zero = 0;

	if (!h) {
		zeros = bpf_map_lookup_elem(&hist_zeros, &zero);
		if (zeros)
			bpf_map_update_elem(&group_hists, key, zeros, BPF_NOEXIST); /* or another CPU was faster */
		h = bpf_map_lookup_elem(&group_hists, key);
	}
	if (!h)
		return false;
	hist_add(h, ns);
	return true;
}

#endif
