/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between kernels, one accessor each; programs never test versions or fields.
 */
#ifndef CORE_BPF_H
#define CORE_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* Bits of the preempt count, include/linux/preempt.h; unchanged since 4.x. */
#define SOFTIRQ_SERVING (1U << 8)
#define HARDIRQ_SHIFT	16
#define HARDIRQ_BITS	0xfU
#define NMI_MASK	0xf00000U

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

/*
 * Has the kernel its own BTF? Then programs on its tracepoints are loaded as BTF ones, which may read what their
 * arguments point to. With a file beside it (src/core/kernel_btf.c, which adds the type to that) they are raw ones and
 * need a helper. An immediate of CO-RE: the verifier drops what is not for this kernel, at no cost.
 */
#define core_has_btf() (!bpf_core_type_exists(struct kbpfprof_btf_of_file))

/* A number or pointer, of the size that this kernel gives it: unsigned ones may be narrower than in vmlinux.h. */
#define core_read(pointer, field)                                                                        \
	({                                                                                               \
		typeof(pointer) from_ = (pointer);                                                       \
		typeof(from_->field) value_;                                                             \
                                                                                                         \
		if (core_has_btf()) {                                                                    \
			value_ = from_->field;                                                           \
		} else {                                                                                 \
			__u64 wide_ = 0;                                                                 \
                                                                                                         \
			bpf_probe_read_kernel(&wide_, bpf_core_field_size(from_->field), &from_->field); \
			value_ = (typeof(value_))wide_;                                                  \
		}                                                                                        \
		value_;                                                                                  \
	})

/* Of KBPFPROF_COMM_BYTES. */
static __always_inline void core_read_comm(char *to, struct task_struct *task)
{
	if (core_has_btf())
		__builtin_memcpy(to, task->comm, sizeof(task->comm));
	else
		bpf_probe_read_kernel(to, sizeof(task->comm), (void *)task + bpf_core_field_offset(task->comm));
}

/*
 * x86 keeps the preempt count in a per-CPU variable, and per-CPU __ksym externs do not load
 * without CONFIG_KALLSYMS_ALL. The run queue is such a variable too and a task leads to its
 * address, so user space gives the distance between the two, from BTF. 0: not known.
 */
const volatile __s64 preempt_count_from_rq_bytes = 0;

/*
 * arm64: is the interrupt that is told of here an NMI? That is one of higher priority there, which comes where others
 * are off: in the midst of any of our programs, too.
 */
static __always_inline bool core_in_nmi(void)
{
#if defined(__TARGET_ARCH_arm64)
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, thread_info.preempt_count) & NMI_MASK;
#else
	return false; /* has a tracepoint of its own */
#endif
}

/*
 * Is the preempt count of `task`, which is the one running on this CPU, to be had? x86: from 6.2 to 6.14 in pcpu_hot
 * (c063a217bc07, 46e8fff6d45f).
 */
static __always_inline bool core_preempt_count(struct task_struct *task, __u32 *count)
{
#if defined(__TARGET_ARCH_arm64)
	*count = BPF_CORE_READ(task, thread_info.preempt_count);
	return true;
#else
	__s64 at = preempt_count_from_rq_bytes;

	if (!at || !bpf_core_field_exists(task->se.cfs_rq))
		return false;
	at += (__s64)BPF_CORE_READ(task, se.cfs_rq, rq);
	if (bpf_core_type_exists(struct pcpu_hot))
		at += bpf_core_field_offset(struct pcpu_hot, preempt_count);
	return !bpf_probe_read_kernel(count, sizeof(*count), (void *)at);
#endif
}

/*
 * kernfs id of the ancestor of `cgroup` at `level`, itself if that is its own; 0 if it lies higher. Until 6.0 a cgroup
 * has their ids, since 6.1 pointers to them (7f203bc89eb6).
 */
static __always_inline __u64 core_cgroup_ancestor_id(struct cgroup *cgroup, __u32 level)
{
	struct cgroup *ancestor = NULL;
	void *slot;
	__u64 id = 0;

	if ((__u32)BPF_CORE_READ(cgroup, level) < level)
		return 0;
	slot = (void *)cgroup + level * sizeof(__u64);
	if (bpf_core_field_exists(cgroup->ancestors)) {
		bpf_probe_read_kernel(&ancestor, sizeof(ancestor),
				      slot + bpf_core_field_offset(struct cgroup, ancestors));
		return BPF_CORE_READ(ancestor, kn, id);
	}
	bpf_probe_read_kernel(&id, sizeof(id), slot + bpf_core_field_offset(struct cgroup___before_6_1, ancestor_ids));
	return id;
}

/* The cgroup of `task` in the v2 hierarchy, or in the v1 hierarchy of a controller. */
static __always_inline struct cgroup *core_task_cgroup(struct task_struct *task, __s32 subsys)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *css = NULL;

	if (subsys < 0)
		return BPF_CORE_READ(set, dfl_cgrp);
	bpf_probe_read_kernel(&css, sizeof(css),
			      (void *)set + bpf_core_field_offset(struct css_set, subsys) + subsys * sizeof(css));
	return BPF_CORE_READ(css, cgroup);
}

/* Kernel threads have none, and a task that is exiting no longer. */
static __always_inline bool core_has_user_side(struct task_struct *task)
{
	return !(BPF_CORE_READ(task, flags) & PF_KTHREAD) && BPF_CORE_READ(task, mm);
}

/*
 * Is the task between giving up its old memory in execve(2) and the first instruction of the new program?
 * Then its user registers are still those of the old one and lead nowhere. The ELF loader sets
 * start_code as one of its last steps (fs/binfmt_elf.c).
 */
static __always_inline bool core_in_exec(struct task_struct *task)
{
	return !BPF_CORE_READ(task, mm, start_code);
}

/* Where the CPU was when the event came. */
static __always_inline __u64 core_ip(const struct bpf_perf_event_data *ctx)
{
#if defined(__TARGET_ARCH_x86)
	return ctx->regs.ip;
#elif defined(__TARGET_ARCH_arm64)
	return ctx->regs.pc;
#endif
}

/* Was the CPU in the kernel when the event came? */
static __always_inline bool core_in_kernel(const struct bpf_perf_event_data *ctx)
{
#if defined(__TARGET_ARCH_x86)
	return !(ctx->regs.cs & 3); /* ring 0 */
#elif defined(__TARGET_ARCH_arm64)
	return ctx->regs.pstate & 0xf; /* EL0t is 0 */
#endif
}

#define TIF_32BIT 22 /* arch/arm64/include/asm/thread_info.h; unchanged since 3.7 */

/*
 * Is what the kernel takes for the callers of `task` in user code none? arm64 follows the frames of 32-bit programs as
 * the APCS had them (struct compat_frame_tail); compilers have other ones, and words of the stack would be shown.
 */
static __always_inline bool core_has_strange_frames(struct task_struct *task)
{
#if defined(__TARGET_ARCH_arm64)
	return BPF_CORE_READ(task, thread_info.flags) >> TIF_32BIT & 1;
#else
	return false;
#endif
}

static __always_inline bool core_is_user(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(regs, cs) & 3; /* since 6.9 16 bits wide (ee63291aa8b2) */
#elif defined(__TARGET_ARCH_arm64)
	return !(BPF_CORE_READ(regs, pstate) & 0xf);
#endif
}

/* --- The scheduler. `task` is an argument of a tracepoint, or what such a one points to: for core_read(). */

#define TASK_DEAD	 0x80	/* include/linux/sched.h; unchanged since 4.14 */
#define TASK_RTLOCK_WAIT 0x1000 /* since 5.15 (cd781d0ce8cb) */
#define PRIO_FAIR_MIN	 100	/* MAX_RT_PRIO: realtime tasks have less, DEADLINE -1 */

/* Since 5.16 in thread_info (bcf9033e5449), before only on some architectures. */
static __always_inline __u32 core_task_cpu(struct task_struct *task)
{
	if (bpf_core_field_exists(task->thread_info.cpu))
		return core_read(task, thread_info.cpu);
	return core_read(task, cpu);
}

/* Renamed in 5.14 (2f064a59a11f). */
static __always_inline __u32 core_task_state(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return core_read(task, __state);
	return (__u32)core_read((struct task_struct___before_5_14 *)task, state);
}

/*
 * In a run queue and wanting to run? Exact in sched_switch, where the queue is locked. Since 6.12 one that sleeps may
 * stay queued for a while (152e11f6df29).
 */
static __always_inline bool core_is_runnable(struct task_struct *task)
{
	if (bpf_core_field_exists(task->se.sched_delayed) && core_read(task, se.sched_delayed))
		return false;
	return core_read(task, on_rq);
}

static __always_inline struct rq *core_task_rq(struct task_struct *task)
{
	struct cfs_rq *cfs_rq;

	if (!bpf_core_field_exists(task->se.cfs_rq))
		return NULL;
	cfs_rq = core_read(task, se.cfs_rq);
	return core_read(cfs_rq, rq);
}

/*
 * Nanoseconds for which tasks of its cgroups were held back by a CPU quota in this run queue; only grows. Until 6.5 the
 * time in which the queue was throttled, of another name before 5.18 (64eaf50731ac); then 677ea015f231.
 */
static __always_inline __u64 core_quota_ns(struct task_struct *task)
{
	struct cfs_rq *cfs_rq;
	struct rq *rq;
	__u64 since, now, ns;

	if (!bpf_core_field_exists(task->se.depth) || !core_read(task, se.depth))
		return 0;
	cfs_rq = core_read(task, se.cfs_rq);
	if (bpf_core_field_exists(cfs_rq->throttled_clock_self_time)) {
		ns = core_read(cfs_rq, throttled_clock_self_time);
		since = core_read(cfs_rq, throttled_clock_self);
		if (!since)
			return ns;
		rq = core_read(cfs_rq, rq);
		now = core_read(rq, clock);
		return now > since ? ns + now - since : ns;
	}
	if (bpf_core_field_exists(cfs_rq->throttled_clock_pelt_time))
		return core_read(cfs_rq, throttled_clock_pelt_time);
	if (bpf_core_field_exists(struct cfs_rq___before_5_18, throttled_clock_task_time))
		return core_read((struct cfs_rq___before_5_18 *)cfs_rq, throttled_clock_task_time);
	return 0;
}

/* Are the realtime tasks of its group held back in this run queue? Since 6.12 with RT_GROUP_SCHED only (5f6bd380c7bd).
 */
static __always_inline bool core_rt_throttled(struct task_struct *task)
{
	struct rq *rq;

	if (bpf_core_field_exists(task->rt.rt_rq))
		return BPF_CORE_READ(task, rt.rt_rq, rt_throttled);
	rq = core_task_rq(task);
	if (!rq || !bpf_core_field_exists(rq->rt.rt_throttled))
		return false;
	return core_read(rq, rt.rt_throttled);
}

/*
 * Is it runnable, but held back because its quota or budget is used up? Of a quota: since 6.18 of the task
 * (eb962f251fbb), before of its group's queue.
 */
static __always_inline bool core_is_throttled(struct task_struct *task)
{
	int prio = core_read(task, prio);
	struct cfs_rq *cfs_rq;

	if (prio < 0)
		return BPF_CORE_READ_BITFIELD_PROBED(&task->dl, dl_throttled);
	if (prio < PRIO_FAIR_MIN)
		return core_rt_throttled(task);
	if (bpf_core_field_exists(task->throttled))
		return core_read(task, throttled);
	if (!bpf_core_field_exists(task->se.depth) || !core_read(task, se.depth) ||
	    !bpf_core_field_exists(task->se.cfs_rq->throttle_count))
		return false;
	cfs_rq = core_read(task, se.cfs_rq);
	return core_read(cfs_rq, throttle_count);
}

/* Does it run on the budget that is kept for ordinary tasks beside realtime ones? Since 6.8 (63ba8422f876). */
static __always_inline bool core_by_fair_server(struct task_struct *task)
{
	return bpf_core_field_exists(task->dl_server) && core_read(task, dl_server);
}

#endif
