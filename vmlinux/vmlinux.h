/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types and fields that our BPF programs read, and no others; kept by hand. libbpf
 * relocates every access to the running kernel's BTF, so order and offsets here mean nothing.
 * A field that not every kernel from 5.10 on has says so; only bpf/core.bpf.h may touch those.
 *
 * Two things do not relocate in a header like this and are refused by `make lint`: bit-fields
 * (use BPF_CORE_READ_BITFIELD) and kernel enum values (use bpf_core_enum_value).
 */
#ifndef VMLINUX_H
#define VMLINUX_H

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

/* --- User-space API: fixed values and layouts, include/uapi/linux/bpf.h and asm/ptrace.h. */

#define BPF_MAP_TYPE_HASH	   1
#define BPF_MAP_TYPE_ARRAY	   2
#define BPF_MAP_TYPE_PERCPU_HASH   5
#define BPF_MAP_TYPE_PERCPU_ARRAY  6
#define BPF_MAP_TYPE_LRU_HASH	   9
#define BPF_MAP_TYPE_ARRAY_OF_MAPS 12
#define BPF_MAP_TYPE_TASK_STORAGE  29

#define BPF_F_NO_PREALLOC (1U << 0)
#define BPF_F_MMAPABLE	  (1U << 10)

#define BPF_LOCAL_STORAGE_GET_F_CREATE (1ULL << 0)

#define BPF_NOEXIST	 1
#define BPF_F_USER_STACK (1ULL << 8)

#define E2BIG  7
#define EBUSY  16
#define EEXIST 17

/* The context of perf_event programs: arch/ARCH/include/uapi/asm/bpf_perf_event.h. Not relocated. */
#if defined(__TARGET_ARCH_x86)
struct bpf_user_regs {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	__u64 ip, cs, flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct bpf_user_regs {
	__u64 regs[31], sp, pc, pstate;
};
#else
#error "no struct bpf_perf_event_data for this architecture yet"
#endif

struct bpf_perf_event_data {
	struct bpf_user_regs regs;
	__u64 sample_period;
	__u64 addr;
};

struct bpf_raw_tracepoint_args {
	__u64 args[0];
};

/* --- Kernel types, relocated. */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* In no kernel: see core_has_btf(). */
struct kbpfprof_btf_of_file {
	int given;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
	struct cgroup *ancestors[0]; /* by level; since 6.1 (7f203bc89eb6) */
};

struct cgroup___before_6_1 {
	__u64 ancestor_ids[0]; /* by level; until 6.0 */
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1]; /* CGROUP_SUBSYS_COUNT of them, which depends on the config */
	struct cgroup *dfl_cgrp;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1]; /* level + 1 of them */
};

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long counter;
} atomic_long_t;

struct signal_struct {
	atomic_t live;
};

struct thread_info {
	unsigned long flags;
	int preempt_count; /* arm64; x86 keeps it per CPU */
	__u32 cpu;	   /* arm64, x86: since 5.16 (bcf9033e5449); before: task_struct.cpu */
};

struct list_head {
	struct list_head *next;
};

struct rt_prio_array {
	struct list_head queue[1]; /* by priority, MAX_RT_PRIO of them */
};

struct rt_rq {
	struct rt_prio_array active;
	struct {
		int curr; /* of the best queued task; MAX_RT_PRIO or more: there is none */
	} highest_prio;
	int rt_throttled; /* without CONFIG_RT_GROUP_SCHED until 6.11 (5f6bd380c7bd) */
};

struct rb_node;

struct rb_root_cached {
	struct rb_node *rb_leftmost;
};

struct cfs_rq {
	struct rq *rq; /* CONFIG_FAIR_GROUP_SCHED */
	struct rb_root_cached tasks_timeline;
	int throttle_count;		 /* with the three below: CONFIG_CFS_BANDWIDTH */
	__u64 throttled_clock_self;	 /* since 6.6 (677ea015f231) */
	__u64 throttled_clock_self_time; /* likewise; ns that tasks of it were held back */
	__u64 throttled_clock_pelt_time; /* 5.18 to 6.5: the time that it was throttled (64eaf50731ac) */
};

struct rq {
	unsigned int nr_running;
	struct cfs_rq cfs;
	struct rt_rq rt;
	struct task_struct *curr; /* since 6.18 in a union */
	__u64 clock;
	__u64 idle_stamp;
};

struct cfs_rq___before_5_18 {
	__u64 throttled_clock_task_time;
};

struct rb_node {
	struct rb_node *rb_left;
};

struct sched_entity {
	struct rb_node run_node;
	struct cfs_rq *cfs_rq;	     /* CONFIG_FAIR_GROUP_SCHED */
	struct cfs_rq *my_q;	     /* likewise: of a group, its queue */
	int depth;		     /* likewise; 0 in the root group */
	unsigned char sched_delayed; /* since 6.12 (152e11f6df29): it sleeps, but stays queued for a while */
};

struct sched_rt_entity {
	struct list_head run_list;
	struct rt_rq *rt_rq; /* CONFIG_RT_GROUP_SCHED */
	struct rt_rq *my_q;  /* likewise: of a group, its queue */
};

struct sched_dl_entity {
	unsigned int dl_throttled : 1; /* by BPF_CORE_READ_BITFIELD_PROBED() only */
};

struct pcpu_hot {
	int preempt_count; /* x86, 6.2 to 6.14 (c063a217bc07, 46e8fff6d45f); before and after: the variable
			      __preempt_count */
};

struct mm_struct {
	__u64 start_code;
};

typedef __s64 ktime_t;

struct timerqueue_node {
	ktime_t expires;
};

struct hrtimer_clock_base {
	ktime_t offset; /* of its clock to CLOCK_MONOTONIC */
};

struct hrtimer {
	struct timerqueue_node node;
	ktime_t _softexpires;
	struct hrtimer_clock_base *base;
};

/* In an unnamed union and struct of it; of the software clocks. */
struct hw_perf_event {
	struct hrtimer hrtimer;
};

struct perf_event {
	struct hw_perf_event hw;
};

/* What struct bpf_perf_event_data is made of. */
struct bpf_perf_event_data_kern {
	struct perf_event *event;
};

struct pt_regs {
#if defined(__TARGET_ARCH_x86)
	__u16 cs; /* its lower half, in all kernels */
#elif defined(__TARGET_ARCH_arm64)
	__u64 pstate;
#endif
};

struct irqaction {
	const char *name;
	struct task_struct *thread; /* of a threaded handler */
};

struct work_struct {
	atomic_long_t data; /* the lowest bits: enum work_bits of include/linux/workqueue.h */
	void *func;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state; /* since 5.14 (2f064a59a11f) */
	unsigned int flags;
	unsigned int on_cpu, on_rq; /* int; since 7.2 u8: a load changes its size between unsigned types only */
	unsigned int cpu;	    /* until 5.15 */
	int prio, normal_prio;
	unsigned int policy;
	int nr_cpus_allowed;
	bool throttled; /* since 6.18 (eb962f251fbb): held back on its way to user space */
	struct sched_rt_entity rt;
	struct sched_dl_entity dl;
	struct sched_dl_entity *dl_server; /* since 6.8 (63ba8422f876) */
	struct task_struct *pi_top_task;   /* CONFIG_RT_MUTEXES */
	int pid, tgid;
	struct mm_struct *mm;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct sched_entity se;
	struct css_set *cgroups;
	__u64 start_boottime; /* ns */
	__u64 self_exec_id;   /* raised by every exec; u32 before 5.7 */
	char comm[16];
};

struct task_struct___before_5_14 {
	long state;
};

#pragma clang attribute pop

#endif
