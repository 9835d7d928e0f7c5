// SPDX-License-Identifier: GPL-2.0-only
/*
 * Question: how late does a task run after it was woken or preempted, and what took the time?
 * Hook:     sched_waking, sched_wakeup, sched_wakeup_new, sched_switch, sched_migrate_task; for causes the
 *           tracepoints of interrupts, softirqs, timers, of the scheduler's entry and of lent priorities.
 * Counted:  every switch to a measured task ends a wait that is in the histograms, or counts as one whose start
 *           was not seen.
 * Kernel:   5.10; what later ones add is left out where it is not there (src/tools/wakeup_programs.c).
 */
#include "vmlinux.h"

#include "cases.bpf.h"
#include "counts.bpf.h"
#include "explain.bpf.h"
#include "filter.bpf.h"
#include "hist.bpf.h"
#include "hooks.bpf.h"
#include "waits.bpf.h"
#include "waker.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* -C: waits that end on these CPUs count. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPU ids */
	__type(key, __u32);
	__type(value, __u32);
} measured_cpus SEC(".maps");

static __always_inline bool is_measured(__u32 cpu_id)
{
	__u32 *measured = bpf_map_lookup_elem(&measured_cpus, &cpu_id);

	return measured && *measured;
}

/* False: its waits are not asked for. Tells most tasks apart without a table or a look at their storage. */
static __always_inline bool may_be_wanted(struct task_struct *task)
{
	return !filter.by_task || filter.in_pid_ns || filter_may_be(core_read(task, tgid)) ||
	       filter_may_be(core_read(task, pid));
}

/* Is this a task whose waits are asked for? */
static __always_inline bool is_wanted(struct task_struct *task)
{
	__u32 tgid = core_read(task, tgid), tid = core_read(task, pid);

	if (!tid || tgid == config.self_tgid)
		return false;
	if (config.rt_only && core_read(task, prio) >= PRIO_FAIR_MIN)
		return false;
	if (!filter.by_task && !filter.by_comm && !filter.by_cgroup)
		return true;
	if (filter.by_task && filter.in_pid_ns)
		return filter_passes(task, filter_tgid(task), filter_tid(task));
	return filter_passes(task, tgid, tid);
}

/*
 * Run once before the first wait counts. An interrupt may wake many tasks before the kernel can refill what storage is
 * taken from: those that sleep already have theirs from here, where interrupts are on. And a task that runs all the
 * time, and is preempted now and then, never wakes: it is known from here.
 */
SEC("iter/task")
int on_each_task(unsigned long long *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[1]; /* struct bpf_iter__task; NULL: the last */

	if (!task || !is_wanted(task))
		return 0;
	if (!config.task_storage && !core_is_runnable(task)) /* its place is there when it wakes: there are few */
		return 0;
	wait_make(task);
	if (config.waker_stacks || config.user_stacks)
		wait_stacks_make(task);
	return 0;
}

SEC("raw_tp/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	enum wake_result result;
	struct wait *wait;
	__u64 now_ns;

	if (!enabled)
		return 0;
	if (!is_wanted(task)) {
		if (!filter.by_comm && !filter.by_cgroup && !config.rt_only)
			return 0;
		wait = wait_find(task); /* it was wanted, and is not any more */
		if (wait && wait->task.state == WAKE_SLEEPING)
			wait->task.state = WAKE_UNSEEN;
		return 0;
	}
	wait = wait_make(task);
	if (!wait)
		return 0;
	now_ns = bpf_ktime_get_ns();
	result = wake_waking(&wait->task, now_ns, context_runs_here(task),
			     !core_read(task, on_cpu) && !core_is_runnable(task));
	if (result == WAKE_FIRST)
		note_waking(1);
	if (result == WAKE_FIRST || result == WAKE_PENDING)
		note_waker(ctx, task, wait, now_ns);
	else
		count(result == WAKE_SELF ? WAKE_COUNT_SELF : WAKE_COUNT_REDUNDANT);
	return 0;
}

/* --- The run queue. */

static __always_inline void note_held_back(struct wait *wait, struct task_struct *task, const struct context_cpu *cpu)
{
	wait->quota_ns = core_read(task, prio) >= PRIO_FAIR_MIN ? core_quota_ns(task) : 0;
	wait->moved_quota_ns = 0;
	wait->steal_ns = context_steal_ns(cpu);
	wait->totals = cpu->totals;
	if (core_is_throttled(task))
		wait->task.flags |= WAKE_THROTTLED;
}

/* The task stands in the run queue of `cpu_id` now. */
static __always_inline void queued(struct wait *wait, struct task_struct *task, __u32 cpu_id, __u64 now_ns)
{
	struct context_cpu *cpu = context_of(cpu_id);

	if (!cpu || !config.causes)
		return;
	context_follow(cpu, task, now_ns);
	note_held_back(wait, task, cpu);
}

SEC("raw_tp/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	struct wait *wait = enabled && may_be_wanted(task) ? wait_find(task) : NULL;
	__u64 now_ns;
	__u32 cpu_id;

	if (!wait)
		return 0;
	now_ns = bpf_ktime_get_ns();
	cpu_id = core_task_cpu(task);
	if (wake_wakeup(&wait->task, now_ns, cpu_id) != WAKE_QUEUED)
		return 0;
	note_waking(0);
	if (bpf_get_smp_processor_id() != wait->waker.cpu)
		wait->task.flags |= WAKE_REMOTE;
	queued(wait, task, cpu_id, now_ns);
	return 0;
}

SEC("raw_tp/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *task)
{
	struct wait *wait;
	__u64 now_ns;
	__u32 cpu_id;

	if (!enabled || !is_wanted(task))
		return 0;
	wait = wait_make(task);
	if (!wait)
		return 0;
	now_ns = bpf_ktime_get_ns();
	cpu_id = core_task_cpu(task);
	wake_new(&wait->task, now_ns, cpu_id);
	note_waker(ctx, task, wait, now_ns);
	queued(wait, task, cpu_id, now_ns);
	return 0;
}

SEC("raw_tp/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *task, int cpu_id)
{
	struct wait *wait = enabled && may_be_wanted(task) ? wait_find(task) : NULL;
	struct context_cpu *cpu;
	__u64 now_ns, quota_ns;

	if (!wait)
		return 0;
	now_ns = bpf_ktime_get_ns();
	if (!wake_migrate(&wait->task, now_ns, cpu_id))
		return 0;
	if (!config.causes)
		return 0;
	context_unfollow(core_task_cpu(task));
	cpu = context_of(cpu_id);
	if (cpu)
		context_follow(cpu, task, now_ns);
	if (core_read(task, prio) < PRIO_FAIR_MIN)
		return 0;
	quota_ns = core_quota_ns(task);
	wait->moved_quota_ns += spans_gap(wait->quota_ns, quota_ns);
	wait->quota_ns = ~0ULL; /* of the group on the new CPU: not known before it runs there */
	return 0;
}

/* --- The end of a wait. */

static __always_inline void group_key(struct wake_group_key *key, struct task_struct *task, __u32 cpu_id)
{
	struct cgroup *cgroup;

	switch (config.per) {
	case WAKE_PER_TASK:
		key->id = filter_tid(task);
		/* fallthrough */
	case WAKE_PER_COMM:
		/* A string: behind its end a name may have the rest of an older one (5.10), and keys are compared
		 * whole. */
		bpf_probe_read_kernel_str(key->comm, sizeof(key->comm),
					  (void *)task + bpf_core_field_offset(task->comm));
		break;
	case WAKE_PER_CPU:
		key->id = cpu_id;
		break;
	case WAKE_PER_PRIO:
		key->id = (__u64)(core_read(task, prio) + 1);
		break;
	case WAKE_PER_CGROUP:
		cgroup = core_task_cgroup(task, filter.cgroup_subsys);
		key->id = BPF_CORE_READ(cgroup, kn, id);
		break;
	}
}

static __always_inline void measure_group(struct wake_group_key *key, __u32 kind, __u64 ns)
{
	if (!config.per)
		return;
	key->kind = kind;
	if (!hist_count_group(key, ns))
		count(WAKE_COUNT_GROUP_FULL);
}

static __always_inline void measure(struct task_struct *task, const struct wait *wait, struct wait_end *end)
{
	const struct wake_task *t = &wait->task;
	struct wake_group_key key = {};

	if (config.per)
		group_key(&key, task, end->cpu_id);
	if (end->kind == LATENCY_PREEMPTED) {
		hist_count(LATENCY_PREEMPTED, end->total_ns);
		measure_group(&key, LATENCY_PREEMPTED, end->total_ns);
		return;
	}
	hist_count_wakeup(t->start_ns, t->queued_ns, end->now_ns);
	measure_group(&key, LATENCY_WAKING, end->now_ns - t->start_ns);
	if (end->kind != LATENCY_TIMER)
		return;
	hist_count(LATENCY_TIMER, end->total_ns);
	measure_group(&key, LATENCY_TIMER, end->total_ns);
}

static __always_inline void count_flags(const struct wake_task *t)
{
	if (!(t->flags & (WAKE_NEW | WAKE_RACED | WAKE_RTLOCK | WAKE_CLOCK)) && !t->moves)
		return;
	if (t->flags & WAKE_NEW)
		count(WAKE_COUNT_NEW);
	if (t->flags & WAKE_RACED)
		count(WAKE_COUNT_RACED);
	if (t->flags & WAKE_RTLOCK)
		count(WAKE_COUNT_RTLOCK);
	if (t->flags & WAKE_CLOCK)
		count(WAKE_COUNT_CLOCK);
	if (t->moves)
		count(WAKE_COUNT_MIGRATED);
}

static __always_inline void finish(void *ctx, struct context_cpu *cpu, struct task_struct *task, struct wait *wait,
				   struct wait_end *end)
{
	struct wake_task *t = &wait->task;
	bool is_above, is_worst;

	end->total_ns = end->now_ns - t->start_ns;
	if (end->kind != LATENCY_PREEMPTED && wait->waker.expiry_ns && wait->waker.expiry_ns <= t->start_ns) {
		end->kind = LATENCY_TIMER;
		end->total_ns = end->now_ns - wait->waker.expiry_ns;
		t->flags |= WAKE_TIMER;
	}
	is_above = config.above_ns && end->total_ns >= config.above_ns;
	is_worst = config.worst && end->total_ns > cpu->least_worst_ns;
	measure(task, wait, end);
	count_flags(t);
	if (config.causes)
		explain(cpu, task, wait, end, is_above || is_worst);
	if (!is_above && !is_worst)
		return;
	if ((__u32)core_read(task, nr_cpus_allowed) < config.cpus_online)
		t->flags |= WAKE_PINNED;
	wait->waker.resched_ns = cpu->resched_ns >= t->start_ns && cpu->resched_ns <= end->now_ns ? cpu->resched_ns : 0;
	if (is_above) {
		count(WAKE_COUNT_ABOVE);
		if (!case_above(ctx, cpu, task, wait, end))
			count(WAKE_COUNT_ABOVE_UNTOLD);
	}
	if (is_worst)
		case_worst(ctx, cpu, task, wait, end);
}

static __always_inline void switched_in(void *ctx, struct context_cpu *cpu, struct task_struct *task, struct wait *wait,
					struct wait_end *end)
{
	enum wake_result result = wake_switched_in(&wait->task, end->now_ns);
	struct wake_task *t = &wait->task;

	if (result == WAKE_NO_START || result == WAKE_FIRST_SIGHT) {
		count(result == WAKE_NO_START ? WAKE_COUNT_NO_START : WAKE_COUNT_FIRST_SIGHT);
		return;
	}
	if (config.causes && t->segments)
		context_unfollow(t->cpu);
	if (config.by_cpu && !is_measured(end->cpu_id))
		return;
	end->kind = result == WAKE_WAKEUP ? LATENCY_WAKING : LATENCY_PREEMPTED;
	finish(ctx, cpu, task, wait, end);
}

/*
 * A task that is switched out without having been switched in: the kernel did not tell of that. Seen in virtual
 * machines after the hypervisor held a CPU up.
 */
static __always_inline void count_missed_in(const struct wake_task *t)
{
	if (t->state == WAKE_UNSEEN || t->state == WAKE_RUNNING)
		return;
	count(WAKE_COUNT_NO_START);
	if (config.causes && t->state != WAKE_SLEEPING && t->segments)
		context_unfollow(t->cpu);
}

static __always_inline void switched_out(void *ctx, struct task_struct *task, struct wait *wait,
					 const struct wait_end *end)
{
	__u32 state = core_task_state(task);
	struct wait_stacks *stacks;

	count_missed_in(&wait->task);
	if (core_is_runnable(task)) {
		wake_preempted(&wait->task, end->now_ns, end->cpu_id);
		wait->waker.expiry_ns = 0;
		queued(wait, task, end->cpu_id, end->now_ns);
	} else if (state & TASK_DEAD) {
		wait->task.state = WAKE_UNSEEN;
	} else {
		wake_slept(&wait->task, end->now_ns);
		if (config.softirqs_are_threads && (state & TASK_RTLOCK_WAIT))
			wait->task.flags |= WAKE_RTLOCK;
	}
	if (!config.user_stacks)
		return;
	stacks = wait_stacks_make(task);
	if (stacks)
		wait_stack_get(ctx, &stacks->user, BPF_F_USER_STACK);
}

/*
 * Where on_each_task() cannot be, a task that runs all the time is known from the first time that it is preempted. A
 * global function, see charge_plain(); it gets the task as a number, and without BTF it is one.
 */
__noinline int admit(__u64 preempted)
{
	struct task_struct *task = (struct task_struct *)preempted;

	if (!core_has_btf() && task && core_is_runnable(task) && is_wanted(task))
		wait_make(task);
	return 0;
}

/* Of a task that is switched out. */
static __always_inline struct wait *wait_out(struct task_struct *task)
{
	struct wait *wait = wait_find(task);

	if (wait || core_has_btf())
		return wait;
	admit((__u64)task);
	return wait_find(task);
}

static __always_inline int switched(void *ctx, struct task_struct *prev, struct task_struct *next)
{
	__u32 cpu_id = bpf_get_smp_processor_id();
	struct context_cpu *cpu = context_of(cpu_id);
	struct wait_end end = { .cpu_id = cpu_id };
	struct wait *out, *in;

	if (!cpu)
		return 0;
	if (!cpu->rq)
		context_know(cpu, next);
	out = core_read(prev, pid) && may_be_wanted(prev) ? wait_out(prev) : NULL;
	in = core_read(next, pid) && may_be_wanted(next) ? wait_find(next) : NULL;
	if (!cpu->waiting && !out && !in)
		return 0;
	end.now_ns = bpf_ktime_get_ns();
	if (cpu->waiting && config.causes) {
		context_task_end(cpu, prev, end.now_ns);
		context_task_begin(cpu, next);
	}
	if (in)
		switched_in(ctx, cpu, next, in, &end);
	if (out)
		switched_out(ctx, prev, out, &end);
	return 0;
}

SEC("raw_tp/sched_switch")
int on_switch(unsigned long long *ctx)
{
	if (!enabled)
		return 0;
	if (config.switch_shift)
		return switched(ctx, (struct task_struct *)ctx[2], (struct task_struct *)ctx[3]);
	return switched(ctx, (struct task_struct *)ctx[1], (struct task_struct *)ctx[2]);
}
