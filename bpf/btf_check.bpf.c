// SPDX-License-Identifier: GPL-2.0-only
/*
 * Question: is the file of --btf the BTF of this kernel? With another one programs load, run, and read other fields.
 * Hook:     none: run once in our own task (BPF_PROG_TEST_RUN); sched_switch and hrtimer_expire_entry for the
 *           moment in which that sleeps.
 * Counted:  nothing.
 * Kernel:   5.10 (1b4d60ec162f: test runs of raw tracepoints).
 */
#include "vmlinux.h"

#include "core.bpf.h"
#include "kbpfprof/btf_check.h"

char LICENSE[] SEC("license") = "GPL";

struct btf_check_value values[CHECKS];
__u64 self; /* our struct task_struct */

/* From the per-CPU variable `runqueues` to `current_task` or to what has that in front; 0: none is known. */
const volatile __s64 current_from_rq_bytes = 0;

static __always_inline void seen(__u32 field, __u64 got)
{
	values[field].got = got;
	values[field].state = CHECK_SEEN;
}

static __always_inline void both(__u32 field, __u64 got, __u64 want)
{
	values[field].got = got;
	values[field].want = want;
	values[field].state = CHECK_BOTH;
}

/* A field that every kernel has; `want`, if any, comes last. */
#define LOOK(id, how, pointer, field, ...)                                        \
	({                                                                        \
		if (bpf_core_field_exists((pointer)->field))                      \
			how(id, (__u64)core_read(pointer, field), ##__VA_ARGS__); \
		else                                                              \
			values[id].state = CHECK_LACKING;                         \
	})

static __always_inline void check_comm(struct task_struct *task)
{
	__u64 got[2] = {}, want[2] = {};
	bool first;

	if (!bpf_core_field_exists(task->comm)) {
		values[CHECK_COMM].state = CHECK_LACKING;
		return;
	}
	bpf_probe_read_kernel_str(got, sizeof(got), (void *)task + bpf_core_field_offset(task->comm));
	bpf_get_current_comm(want, sizeof(want));
	first = got[0] != want[0];
	both(CHECK_COMM, first ? got[0] : got[1], first ? want[0] : want[1]);
}

static __always_inline void check_numbers(struct task_struct *task)
{
	__u64 id = bpf_get_current_pid_tgid();

	LOOK(CHECK_TGID, both, task, tgid, id >> 32);
	LOOK(CHECK_PID, both, task, pid, (__u32)id);
	LOOK(CHECK_PRIO, seen, task, prio);
	LOOK(CHECK_NORMAL_PRIO, seen, task, normal_prio);
	LOOK(CHECK_POLICY, seen, task, policy);
	LOOK(CHECK_CPUS_ALLOWED, seen, task, nr_cpus_allowed);
	LOOK(CHECK_START_BOOTTIME, seen, task, start_boottime);
	if (bpf_core_field_exists(task->flags))
		seen(CHECK_FLAGS, core_read(task, flags) & CHECK_FLAGS_MASK);
	else
		values[CHECK_FLAGS].state = CHECK_LACKING;
}

/* It runs. */
static __always_inline void check_running(struct task_struct *task)
{
	LOOK(CHECK_ON_RQ, both, task, on_rq, 1);
	if (bpf_core_field_exists(task->on_cpu)) /* CONFIG_SMP until 6.17 */
		both(CHECK_ON_CPU, core_read(task, on_cpu), 1);
	if (bpf_core_field_exists(task->thread_info.cpu) || bpf_core_field_exists(task->cpu))
		both(CHECK_CPU, core_task_cpu(task), bpf_get_smp_processor_id());
	if (bpf_core_field_exists(task->__state) ||
	    bpf_core_field_exists(((struct task_struct___before_5_14 *)task)->state))
		both(CHECK_STATE, core_task_state(task), 0);
	else
		values[CHECK_STATE].state = CHECK_LACKING;
}

/* Structs that a task leads to. */
static __always_inline void check_chains(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct upid *upid = (void *)pid + bpf_core_field_offset(struct pid, numbers);

	if (bpf_core_field_exists(task->group_leader))
		both(CHECK_GROUP_LEADER, (__u32)BPF_CORE_READ(task, group_leader, pid),
		     bpf_get_current_pid_tgid() >> 32);
	else
		values[CHECK_GROUP_LEADER].state = CHECK_LACKING;
	seen(CHECK_START_CODE, BPF_CORE_READ(task, mm, start_code));
	seen(CHECK_THREADS, (__u32)BPF_CORE_READ(task, signal, live.counter));
	upid = (void *)upid + (__u64)BPF_CORE_READ(pid, level) * bpf_core_type_size(struct upid);
	seen(CHECK_PID_NS, BPF_CORE_READ(upid, ns, ns.inum));
	seen(CHECK_PID_NR, (__u32)BPF_CORE_READ(upid, nr));
}

static __always_inline void check_queue(struct task_struct *task)
{
	struct rq *rq = core_task_rq(task);
	struct task_struct *current_task = NULL;

	if (!bpf_core_field_exists(task->se.cfs_rq))
		return;
	both(CHECK_RQ_CURR, (__u64)BPF_CORE_READ(rq, curr), (__u64)task);
	if (!current_from_rq_bytes)
		return;
	bpf_probe_read_kernel(&current_task, sizeof(current_task), (void *)rq + current_from_rq_bytes);
	both(CHECK_PERCPU, (__u64)current_task, (__u64)task);
}

static __always_inline void check_cgroup(struct task_struct *task)
{
	struct cgroup *cgroup;

	if (!bpf_core_field_exists(task->cgroups)) /* CONFIG_CGROUPS, as the helper */
		return;
	cgroup = core_task_cgroup(task, -1);
	both(CHECK_CGROUP, BPF_CORE_READ(cgroup, kn, id), bpf_get_current_cgroup_id());
	both(CHECK_ANCESTOR, core_cgroup_ancestor_id(cgroup, BPF_CORE_READ(cgroup, level)),
	     bpf_get_current_cgroup_id());
}

SEC("raw_tp")
int check_task(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	self = (__u64)task;
	check_comm(task);
	check_numbers(task);
	check_running(task);
	check_chains(task);
	check_queue(task);
	check_cgroup(task);
	return 0;
}

/* Which argument is the task that leaves the CPU? It is the current one. */
SEC("raw_tp/sched_switch")
int check_switch(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 task = bpf_get_current_task();

	if (task == self)
		seen(CHECK_SWITCH, ctx->args[1] == task ? 1 : ctx->args[2] == task ? 2 : 0);
	return 0;
}

/* Words of a timer that are looked through for the task that it wakes. */
#define TIMER_WORDS 20

/* Is it that of our sleep? A struct hrtimer_sleeper: behind the timer is the task. */
static __always_inline bool is_ours(struct hrtimer *timer)
{
	__u64 words[TIMER_WORDS] = {};
	bool found = false;

	if (bpf_probe_read_kernel(words, sizeof(words), timer))
		return false;
	for (int i = 0; i < TIMER_WORDS; i++)
		found |= words[i] == self;
	return found;
}

SEC("raw_tp/hrtimer_expire_entry")
int check_timer(struct bpf_raw_tracepoint_args *ctx)
{
	struct hrtimer *timer = (void *)ctx->args[0];

	if (!self || !is_ours(timer))
		return 0;
	LOOK(CHECK_TIMER_SOFT, seen, timer, _softexpires);
	LOOK(CHECK_TIMER_HARD, seen, timer, node.expires);
	return 0;
}
