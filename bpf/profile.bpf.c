// SPDX-License-Identifier: GPL-2.0-only
/*
 * Question: where does CPU time (or another event) go, who calls it?
 * Hook:     perf_event, one event a CPU (src/core/event.c); raw tracepoints of fork, exec and exit
 *           only when tasks are followed (filter.bpf.h).
 * Counted:  every run of the program ends in exactly one of kept, idle, filtered or a loss.
 * Kernel:   5.10.
 */
#include "vmlinux.h"

#include "filter.bpf.h"
#include "kbpfprof/profile.h"
#include "samples.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* CPU ids */
	__type(key, __u32);
	__type(value, struct profile_books);
} books SEC(".maps");

/*
 * Does the interrupted idle task do interrupt work? Then its time is not idle. The sampling
 * interrupt itself is one level of hard IRQ.
 */
static __always_inline bool idle_is_busy(struct task_struct *task)
{
	__u32 count;

	if (!core_preempt_count(task, &count))
		return false;
	return (count & SOFTIRQ_SERVING) || ((count >> HARDIRQ_SHIFT) & HARDIRQ_BITS) > 1;
}

static __always_inline void tally(struct profile_tally *t, __u64 period)
{
	t->fires++;
	t->period += period;
}

static __always_inline bool keep(struct bpf_perf_event_data *ctx, struct task_struct *task, __u32 tgid, __u32 tid,
				 __u32 cpu_id)
{
	struct samples_place place;

	if (!samples_begin(&place, cpu_id))
		return false;
	samples_label(place.record, tgid, tid, cpu_id);
	samples_stacks(ctx, place.record, task, core_in_kernel(ctx));
	return samples_end(&place, ctx->sample_period);
}

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	__u32 cpu_id = bpf_get_smp_processor_id();
	struct profile_books *book = bpf_map_lookup_elem(&books, &cpu_id);
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 id = bpf_get_current_pid_tgid();
	__u32 tgid = id >> 32, tid = (__u32)id;

	if (!book) /* the map has every possible id */
		return 0;
	tally(&book->seen, ctx->sample_period);
	if (!tid && !idle_is_busy(task)) {
		tally(&book->idle, ctx->sample_period);
		return 0;
	}
	if (filter.in_pid_ns) {
		tgid = filter_tgid(task);
		tid = filter_tid(task);
	}
	if (!filter_passes(task, tgid, tid))
		tally(&book->filtered, ctx->sample_period);
	else if (keep(ctx, task, tgid, tid, cpu_id))
		tally(&book->kept, ctx->sample_period);
	return 0;
}
