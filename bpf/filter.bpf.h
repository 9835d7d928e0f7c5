/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which tasks a tool measures, decided in the kernel; the same for every tool. User space fills
 * `filter` and the maps (src/core/filter.c) and leaves out the programs and maps that the asked
 * question does not need.
 */
#ifndef FILTER_BPF_H
#define FILTER_BPF_H

#include "core.bpf.h"
#include "kbpfprof/filter.h"
#include "lost.bpf.h"

const volatile struct filter_config filter = {};

struct filter_targets {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32); /* enum filter_target */
};

struct filter_targets tgids SEC(".maps");
struct filter_targets tids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, char[KBPFPROF_COMM_BYTES]);
	__type(value, __u32);
} comms SEC(".maps");

/* Namespaces nest deeper than this nowhere known (32 is the kernel's limit). */
#define PID_NS_DEPTH_MAX 8

/* The number of `pid` in the caller's namespace; 0 if it has none there. */
static __always_inline __u32 filter_pid_in_ns(struct pid *pid)
{
	void *numbers = (void *)pid + bpf_core_field_offset(struct pid, numbers);
	__u32 level = BPF_CORE_READ(pid, level);

	for (__u32 i = 0; i < PID_NS_DEPTH_MAX && i <= level; i++) {
		struct upid *upid = numbers + (level - i) * bpf_core_type_size(struct upid);

		if (BPF_CORE_READ(upid, ns, ns.inum) == filter.pid_ns_inum)
			return BPF_CORE_READ(upid, nr);
	}
	return 0;
}

/* Numbers as the caller sees them, for the keys of every tool. */
static __always_inline __u32 filter_tgid(struct task_struct *task)
{
	if (filter.in_pid_ns)
		return filter_pid_in_ns(BPF_CORE_READ(task, group_leader, thread_pid));
	return BPF_CORE_READ(task, tgid);
}

static __always_inline __u32 filter_tid(struct task_struct *task)
{
	if (filter.in_pid_ns)
		return filter_pid_in_ns(BPF_CORE_READ(task, thread_pid));
	return BPF_CORE_READ(task, pid);
}

/*
 * Which low bits the numbers of targets have: most tasks are none, and this tells it sooner than the tables. Only
 * ever set; bytes, since bits would need an atomic.
 */
volatile __u8 filter_hints[FILTER_HINTS] SEC(".data.hints");

static __always_inline void filter_hint(__u32 key)
{
	filter_hints[key % FILTER_HINTS] = 1;
}

static __always_inline bool filter_may_be(__u32 key)
{
	return filter_hints[key % FILTER_HINTS];
}

static __always_inline bool filter_is_active(void *map, __u32 key)
{
	__u32 *target = bpf_map_lookup_elem(map, &key);

	return target && *target == FILTER_TARGET_ACTIVE;
}

static __always_inline bool filter_has_comm(struct task_struct *task)
{
	/* Behind its end a name may have the rest of an older, longer one: 5.10 sets names by strlcpy(). */
	char comm[KBPFPROF_COMM_BYTES] = {};

	return bpf_probe_read_kernel_str(&comm, sizeof(comm), (void *)task + bpf_core_field_offset(task->comm)) > 0 &&
	       bpf_map_lookup_elem(&comms, &comm);
}

/* Cgroups nest deeper than this nowhere known. */
#define CGROUP_DEPTH_MAX 16

static __always_inline bool filter_in_cgroup(struct task_struct *task)
{
	struct cgroup *cgroup = core_task_cgroup(task, filter.cgroup_subsys);

	if (!cgroup)
		return false;
	if (filter.cgroup_level != FILTER_LEVEL_UNKNOWN)
		return core_cgroup_ancestor_id(cgroup, filter.cgroup_level) == filter.cgroup_id;
	for (__u32 level = 0; level < CGROUP_DEPTH_MAX; level++) {
		__u64 id = core_cgroup_ancestor_id(cgroup, level);

		if (!id || id == filter.cgroup_id) /* 0: below the task's own */
			return id;
	}
	return false;
}

/* tgid and tid: of the caller's namespace. */
static __always_inline bool filter_passes(struct task_struct *task, __u32 tgid, __u32 tid)
{
	if (filter.by_task && !(filter_may_be(tgid) && filter_is_active(&tgids, tgid)) &&
	    !(filter_may_be(tid) && filter_is_active(&tids, tid)))
		return false;
	if (filter.by_comm && !filter_has_comm(task))
		return false;
	return !filter.by_cgroup || filter_in_cgroup(task);
}

/* The child of a target is a target, and waits for its exec if the parent does. */
static __always_inline void filter_inherit(void *map, __u32 parent, __u32 child)
{
	__u32 *target = bpf_map_lookup_elem(map, &parent);
	__u32 state;

	if (!target || !child)
		return;
	state = *target;
	filter_hint(child);
	if (bpf_map_update_elem(map, &child, &state, 0))
		lost_count(LOST_TARGET_FULL);
}

SEC("raw_tp/sched_process_fork")
int filter_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	__u32 parent_tgid = filter_tgid(parent), child_tgid = filter_tgid(child);

	if (parent_tgid != child_tgid)
		filter_inherit(&tgids, parent_tgid, child_tgid);
	filter_inherit(&tids, filter_tid(parent), filter_tid(child));
	return 0;
}

SEC("raw_tp/sched_process_exec")
int filter_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 tgid = filter_tgid((void *)ctx->args[0]);
	__u32 *target = bpf_map_lookup_elem(&tgids, &tgid);

	if (target)
		*target = FILTER_TARGET_ACTIVE;
	return 0;
}

/*
 * Numbers are used again: forget them, but not before the task is gone for good. sched_process_exit
 * comes too early: since 6.16 it is before the task gives its memory back, which is its time as well.
 */
SEC("raw_tp/sched_process_free")
int filter_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u32 tgid = BPF_CORE_READ(task, tgid), tid = BPF_CORE_READ(task, pid);

	/* -ENOENT, the usual answer, is no loss: most tasks are no targets. */
	bpf_map_delete_elem(&tids, &tid);
	if (tid == tgid)
		bpf_map_delete_elem(&tgids, &tgid);
	return 0;
}

/* The same in a pid namespace: what the task was called there is not known any more when it is freed. */
SEC("raw_tp/sched_process_exit")
int filter_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u32 tgid = filter_tgid(task), tid = filter_tid(task);

	bpf_map_delete_elem(&tids, &tid);
	if (BPF_CORE_READ(task, signal, live.counter) == 0)
		bpf_map_delete_elem(&tgids, &tgid);
	return 0;
}

#endif
