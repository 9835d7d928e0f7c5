/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of each measured task: its wait, who woke it, stacks if asked for. In task storage, which goes
 * with the task; where a tracing program has none (5.10), or where it may not be made under the lock of a run
 * queue (PREEMPT_RT before 6.12), in a table by tid. User space leaves the other one out.
 */
#ifndef WAITS_BPF_H
#define WAITS_BPF_H

#include "context.bpf.h"
#include "kbpfprof/wakeup.h"
#include "lost.bpf.h"

struct wait {
	struct wake_task task;
	struct wake_waker waker;
	__u64 quota_ns; /* of its group when it was queued; after it moved: so far, see `moved_quota` */
	__u64 steal_ns; /* of the CPU likewise */
	__u64 moved_quota_ns;
	struct context_totals totals; /* of the CPU when it was queued there */
};

struct wait_stacks {
	struct wake_stack waker, user;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait);
} waits SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait_stacks);
} stacks SEC(".maps");

/* Room for so many tasks at once: 7 MiB, and 3 MiB for stacks. */
#define WAITS_MAX  16384
#define STACKS_MAX 4096

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAITS_MAX);
	__type(key, __u32);
	__type(value, struct wait);
} waits_by_tid SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACKS_MAX);
	__type(key, __u32);
	__type(value, struct wait_stacks);
} stacks_by_tid SEC(".maps");

/* What a new entry starts with: too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait);
} waits_zeros SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait_stacks);
} stacks_zeros SEC(".maps");

static __always_inline struct wait *wait_find(struct task_struct *task)
{
	__u32 tid;

	if (config.task_storage)
		return bpf_task_storage_get(&waits, task, NULL, 0);
	tid = core_read(task, pid);
	return bpf_map_lookup_elem(&waits_by_tid, &tid);
}

/* NULL: there is no room, which is counted. */
static __always_inline struct wait *wait_make(struct task_struct *task)
{
	struct wait *wait = wait_find(task);
	__u32 tid, zero = 0;
	void *zeros;
	long err;

	if (wait)
		return wait;
	if (config.task_storage) {
		wait = bpf_task_storage_get(&waits, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (!wait)
			lost_count(LOST_WAIT);
		return wait;
	}
	tid = core_read(task, pid);
	zeros = bpf_map_lookup_elem(&waits_zeros, &zero);
	err = zeros ? bpf_map_update_elem(&waits_by_tid, &tid, zeros, BPF_NOEXIST) : 0;
	if (err && err != -EEXIST)
		lost_count(LOST_WAIT);
	return bpf_map_lookup_elem(&waits_by_tid, &tid);
}

static __always_inline struct wait_stacks *wait_stacks_find(struct task_struct *task)
{
	__u32 tid;

	if (config.task_storage)
		return bpf_task_storage_get(&stacks, task, NULL, 0);
	tid = core_read(task, pid);
	return bpf_map_lookup_elem(&stacks_by_tid, &tid);
}

/* NULL: there is no room; then its delays are shown without these stacks. */
static __always_inline struct wait_stacks *wait_stacks_make(struct task_struct *task)
{
	struct wait_stacks *s = wait_stacks_find(task), *zeros;
	__u32 tid, zero = 0;

	if (s)
		return s;
	if (config.task_storage)
		return bpf_task_storage_get(&stacks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	tid = core_read(task, pid);
	zeros = bpf_map_lookup_elem(&stacks_zeros, &zero);
	if (zeros)
		bpf_map_update_elem(&stacks_by_tid, &tid, zeros, BPF_NOEXIST);
	return bpf_map_lookup_elem(&stacks_by_tid, &tid);
}

static __always_inline void wait_stack_get(void *ctx, struct wake_stack *to, __u64 flags)
{
	long bytes = bpf_get_stack(ctx, to->frame, sizeof(to->frame), flags);

	to->frames = bytes > 0 ? (__u32)bytes / 8 : 0;
	if ((flags & BPF_F_USER_STACK) && to->frames > 1 && core_has_strange_frames((void *)bpf_get_current_task()))
		to->frames = 1;
}

/* The table's entries end with the task; not before, since a number may be used again. */
SEC("raw_tp/sched_process_free")
int BPF_PROG(on_free, struct task_struct *task)
{
	__u32 tid = core_read(task, pid);

	bpf_map_delete_elem(&waits_by_tid, &tid);
	bpf_map_delete_elem(&stacks_by_tid, &tid);
	return 0;
}

#endif
