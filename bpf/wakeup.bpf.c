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
#include "charge.bpf.h"
#include "context.bpf.h"
#include "filter.bpf.h"
#include "hist.bpf.h"
#include "waits.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WAKE_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

static __always_inline void count(__u32 what)
{
	__u64 *n = bpf_map_lookup_elem(&counts, &what);

	if (n)
		__sync_fetch_and_add(n, 1);
}

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

static __always_inline bool is_here(struct task_struct *task)
{
	return (__u32)bpf_get_current_pid_tgid() == (__u32)task->pid;
}

/* Is this a task whose waits are asked for? */
static __always_inline bool is_wanted(struct task_struct *task)
{
	if (!task->pid || (__u32)task->tgid == config.self_tgid)
		return false;
	if (config.rt_only && task->prio >= PRIO_FAIR_MIN)
		return false;
	if (!filter.by_task && !filter.by_comm && !filter.by_cgroup)
		return true;
	if (filter.by_task && filter.in_pid_ns)
		return filter_passes(task, filter_tgid(task), filter_tid(task));
	return filter_passes(task, task->tgid, task->pid);
}

/* A task is being woken: need_resched is set before it is told to be in a run queue. A hint, not locked. */
volatile __u32 is_waking = 0;

static __always_inline void note_waking(__u32 now)
{
	if (config.details)
		is_waking = now;
}

/* --- The waking: who, from where, by which timer. */

static __always_inline void note_context(struct wake_waker *w, const struct context_cpu *cpu)
{
	const struct span_open *open = &cpu->spans.open[LEVEL_HARDIRQ];

	w->context = SPAN_TASK;
	w->context_id = 0;
	w->irq_ns = 0;
	if (!open->kind)
		open = &cpu->spans.open[LEVEL_SOFTIRQ];
	else
		w->irq_ns = open->start_ns;
	if (!open->kind)
		return;
	w->context = open->kind;
	w->context_id = open->id;
	__builtin_memcpy(w->irq_name, open->name, sizeof(w->irq_name));
}

/* Of the waker, without what this program adds. */
static __always_inline __u8 note_depth(const struct context_cpu *cpu)
{
	__u8 depth = context_preempt_depth(cpu);

	return depth == 255 || depth < cpu->own_depth ? depth : depth - cpu->own_depth;
}

/* Interrupts that ended between the moment the timer was due and its own interrupt: they held it up. */
#define BEHIND_MAX 8

static __always_inline __u64 behind_ns(struct wake_waker *w, struct spans_cpu *spans, __u64 from_ns, __u64 to_ns)
{
	__u64 ns = 0;

#pragma unroll
	for (__u32 i = 1; i <= BEHIND_MAX; i++) {
		const struct span *s = spans_slot(spans, spans->head - i);
		__u64 start_ns = s->start_ns > from_ns ? s->start_ns : from_ns;

		if (s->end_ns <= from_ns || s->end_ns > to_ns)
			break;
		if (s->kind != SPAN_HARDIRQ && s->kind != SPAN_VECTOR && s->kind != SPAN_NMI)
			continue;
		if (!ns)
			__builtin_memcpy(w->behind_name, s->name, sizeof(w->behind_name));
		ns += s->end_ns - start_ns;
	}
	return ns;
}

/* Splits the time from the expiry to the interrupt. `from_ns`: when the task slept at last. */
static __always_inline void note_lateness(struct wake_waker *w, struct context_cpu *cpu, __u64 from_ns, __u64 hard_ns,
					  __u64 now_ns)
{
	__u64 at_ns = w->irq_ns ? w->irq_ns : now_ns, due_ns = w->expiry_ns, steal_ns;

	if (from_ns > due_ns) {
		w->past_ns = spans_gap(due_ns, from_ns < at_ns ? from_ns : at_ns);
		due_ns += w->past_ns;
	}
	if (hard_ns > due_ns) {
		w->slack_ns = spans_gap(due_ns, hard_ns < at_ns ? hard_ns : at_ns);
		due_ns += w->slack_ns;
	}
	w->late_ns = spans_gap(due_ns, at_ns);
	if (!w->irq_ns) {
		w->late_cause = CAUSE_TIMER_SOFTIRQ;
		return;
	}
	w->late_cause = !w->tid				? CAUSE_TIMER_IDLE
			: context_interrupted_user(cpu) ? CAUSE_TIMER_HARDWARE
							: CAUSE_TIMER_IRQS_OFF;
	w->behind_ns = behind_ns(w, &cpu->spans, due_ns, at_ns);
	if (w->behind_ns > w->late_ns)
		w->behind_ns = w->late_ns;
	w->late_ns -= w->behind_ns;
	steal_ns = spans_gap(cpu->steal_ns, context_steal_ns(cpu));
	w->steal_ns = steal_ns < w->late_ns ? steal_ns : w->late_ns;
	w->late_ns -= w->steal_ns;
}

static __always_inline void note_timer(struct wait *wait, struct context_cpu *cpu, __u64 now_ns)
{
	struct wake_waker *w = &wait->waker;
	const struct context_timer *timer = &cpu->timers[w->irq_ns ? 1 : 0];

	w->expiry_ns = w->past_ns = w->slack_ns = w->behind_ns = w->late_ns = w->steal_ns = 0;
	if (!timer->open || !timer->expiry_ns || timer->expiry_ns > now_ns)
		return;
	w->expiry_ns = timer->expiry_ns;
	note_lateness(w, cpu, wait->task.out_ns, timer->hard_expiry_ns, now_ns);
}

static __always_inline void note_waker(void *ctx, struct task_struct *task, struct wait *wait, __u64 now_ns)
{
	__u32 cpu_id = bpf_get_smp_processor_id();
	struct context_cpu *cpu = context_of(cpu_id);
	struct wake_waker *w = &wait->waker;
	__u64 id = bpf_get_current_pid_tgid();
	struct wait_stacks *stacks;

	if (!cpu)
		return;
	w->cpu = cpu_id;
	w->tgid = id >> 32;
	w->tid = (__u32)id;
	bpf_get_current_comm(w->comm, sizeof(w->comm));
	w->preempt_count = config.details ? note_depth(cpu) : 255;
	note_context(w, cpu);
	note_timer(wait, cpu, now_ns);
	if (!config.waker_stacks)
		return;
	stacks = wait_stacks_make(task);
	if (stacks)
		wait_stack_get(ctx, &stacks->waker, 0);
}

SEC("tp_btf/sched_waking")
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
	result = wake_waking(&wait->task, now_ns, is_here(task), !task->on_cpu && !core_is_runnable(task));
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
	wait->quota_ns = task->prio >= PRIO_FAIR_MIN ? core_quota_ns(task) : 0;
	wait->moved_quota_ns = 0;
	wait->steal_ns = context_steal_ns(cpu);
	if (core_is_throttled(task))
		wait->task.flags |= WAKE_THROTTLED;
}

/* The task stands in the run queue of `cpu_id` now. */
static __always_inline void queued(struct wait *wait, struct task_struct *task, __u32 cpu_id, __u64 now_ns)
{
	struct context_cpu *cpu = context_of(cpu_id);

	if (!cpu)
		return;
	context_follow(cpu, now_ns);
	if (config.causes)
		note_held_back(wait, task, cpu);
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	struct wait *wait = enabled ? wait_find(task) : NULL;
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

SEC("tp_btf/sched_wakeup_new")
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

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *task, int cpu_id)
{
	struct wait *wait = enabled ? wait_find(task) : NULL;
	struct context_cpu *cpu;
	__u64 now_ns, quota_ns;

	if (!wait)
		return 0;
	now_ns = bpf_ktime_get_ns();
	if (!wake_migrate(&wait->task, now_ns, cpu_id))
		return 0;
	context_unfollow(core_task_cpu(task));
	cpu = context_of(cpu_id);
	if (cpu)
		context_follow(cpu, now_ns);
	if (!config.causes || task->prio < PRIO_FAIR_MIN)
		return 0;
	quota_ns = core_quota_ns(task);
	wait->moved_quota_ns += spans_gap(wait->quota_ns, quota_ns);
	wait->quota_ns = ~0ULL; /* of the group on the new CPU: not known before it runs there */
	return 0;
}

/* --- The end of a wait. */

static __always_inline void group_key(struct wake_group_key *key, struct task_struct *task, __u32 cpu_id)
{
	switch (config.per) {
	case WAKE_PER_TASK:
		key->id = filter_tid(task);
		/* fallthrough */
	case WAKE_PER_COMM:
		bpf_probe_read_kernel(key->comm, sizeof(key->comm), (void *)task + bpf_core_field_offset(task->comm));
		break;
	case WAKE_PER_CPU:
		key->id = cpu_id;
		break;
	case WAKE_PER_PRIO:
		key->id = (__u64)(task->prio + 1);
		break;
	case WAKE_PER_CGROUP:
		key->id = BPF_CORE_READ(core_task_cgroup(task, filter.cgroup_subsys), kn, id);
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
	struct wake_hists *h = hists_here();
	struct wake_group_key key = {};

	if (!h)
		return;
	if (config.per)
		group_key(&key, task, end->cpu_id);
	if (end->kind == LATENCY_PREEMPTED) {
		hist_add(&h->of[LATENCY_PREEMPTED], end->total_ns);
		measure_group(&key, LATENCY_PREEMPTED, end->total_ns);
		return;
	}
	hist_add(&h->of[LATENCY_WAKING], end->now_ns - t->start_ns);
	hist_add(&h->of[LATENCY_ACTIVATION], t->queued_ns - t->start_ns);
	hist_add(&h->of[LATENCY_QUEUE], end->now_ns - t->queued_ns);
	measure_group(&key, LATENCY_WAKING, end->now_ns - t->start_ns);
	if (end->kind != LATENCY_TIMER)
		return;
	hist_add(&h->of[LATENCY_TIMER], end->total_ns);
	measure_group(&key, LATENCY_TIMER, end->total_ns);
}

static __always_inline void count_flags(const struct wake_task *t)
{
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

/* More CPUs than this are not searched for an idle one. */
#define IDLE_SEARCH_MAX 64
/* Shorter waits are not worth the search. */
#define IDLE_SEARCH_MIN_NS 50000

/* Was a CPU that the task may not use idle all the time that it waited? */
static __always_inline bool is_idle_elsewhere(const struct context_cpu *here, struct task_struct *task,
					      const struct wait *wait, const struct wait_end *end)
{
	__u64 wait_ns = end->now_ns - wait->task.queued_ns, now_ns;
	struct rq *rq = here->rq;

	if ((task->flags & PF_KTHREAD) || (__u32)task->nr_cpus_allowed >= config.cpus_online ||
	    wait_ns < IDLE_SEARCH_MIN_NS || !rq || !bpf_core_field_exists(rq->idle_stamp))
		return false;
	now_ns = BPF_CORE_READ(rq, clock);
	for (__u32 i = 0; i < IDLE_SEARCH_MAX; i++) {
		struct context_cpu *cpu;
		__u64 since_ns;

		if (i >= config.cpus)
			break;
		cpu = context_of(i);
		rq = cpu ? cpu->rq : NULL;
		if (!rq || i == end->cpu_id || BPF_CORE_READ(rq, curr, pid))
			continue;
		since_ns = BPF_CORE_READ(rq, idle_stamp);
		if (since_ns && since_ns + wait_ns <= now_ns)
			return true;
	}
	return false;
}

static __always_inline void charge_before_queue(struct charge *c, const struct wait *wait, const struct wait_end *end)
{
	const struct wake_waker *w = &wait->waker;
	const struct wake_task *t = &wait->task;
	struct span behind = {};
	__u64 known_ns;

	if (end->kind == LATENCY_TIMER) {
		known_ns = w->past_ns + w->slack_ns + w->behind_ns + w->late_ns + w->steal_ns;
		__builtin_memcpy(behind.name, w->behind_name, sizeof(behind.name));
		charge_plain(c, CAUSE_TIMER_PAST, w->past_ns);
		charge_plain(c, CAUSE_TIMER_SLACK, w->slack_ns);
		charge_add(c, CAUSE_TIMER_BEHIND, w->behind_ns, &behind);
		charge_plain(c, w->late_cause, w->late_ns);
		charge_plain(c, CAUSE_STEAL, w->steal_ns);
		charge_plain(c, CAUSE_TIMER_HANDLER, spans_gap(w->expiry_ns + known_ns, t->start_ns));
	}
	charge_plain(c, t->flags & WAKE_REMOTE ? CAUSE_ACTIVATION_REMOTE : CAUSE_ACTIVATION,
		     t->queued_ns - t->start_ns);
}

static __always_inline void charge_queue(struct context_cpu *cpu, const struct wait *wait, const struct wait_end *end)
{
	const struct wake_task *t = &wait->task;
	struct charge *c = &cpu->charge;

#pragma unroll
	for (__u32 i = 0; i < WAKE_SEGMENTS; i++) {
		__u32 of = t->segment[i].cpu;
		__u64 left_ns;

		if (i >= t->segments)
			break;
		c->from_ns = t->segment[i].from_ns;
		c->to_ns = wake_segment_end_ns(t, i, end->now_ns);
		if (c->to_ns <= c->from_ns)
			continue;
		charge_segment(end->cpu_id, of);
		left_ns = spans_gap(c->from_ns + c->used_ns, c->to_ns);
		charge_plain(c, of == end->cpu_id ? CAUSE_UNEXPLAINED : CAUSE_UNEXPLAINED_SNAPSHOT, left_ns);
		if (left_ns && of != end->cpu_id)
			count(WAKE_COUNT_SNAPSHOT);
	}
	charge_plain(c, CAUSE_UNEXPLAINED_SNAPSHOT, t->lost_ns);
}

static __always_inline void charge_begin(struct context_cpu *cpu, struct task_struct *task, const struct wait *wait,
					 const struct wait_end *end)
{
	struct charge *c = &cpu->charge;
	__u64 quota_ns = wait->moved_quota_ns;

	if (task->prio >= PRIO_FAIR_MIN && wait->quota_ns != ~0ULL)
		quota_ns += spans_gap(wait->quota_ns, core_quota_ns(task));
	c->quota_ns = quota_ns;
	c->steal_ns = wait->task.moves ? 0 : spans_gap(wait->steal_ns, context_steal_ns(cpu));
	c->prio = task->prio;
	c->throttled = !!(wait->task.flags & WAKE_THROTTLED);
	c->idle_elsewhere = is_idle_elsewhere(cpu, task, wait, end);
	c->parts.n = 0;
	c->parts.has_more = 0;
}

/* Adds the parts of CPU `cpu_id` to the sums; a global function, see charge_segment(). */
__noinline int charge_sums(__u32 cpu_id, __u64 total_ns, __u32 preempted)
{
	struct context_cpu *cpu = context_of(cpu_id);
	struct wake_cause_key key = { .quarter = (__u8)hist_quarter(total_ns), .preempted = !!preempted };

	if (!cpu)
		return 0;
	for (__u32 i = 0; i < WAKE_PARTS; i++) {
		const struct wake_part *part = &cpu->charge.parts.part[i];

		if (i >= cpu->charge.parts.n)
			break;
		key.cause = part->cause;
		key.id = part->cause == CAUSE_HARDIRQ || part->cause == CAUSE_VECTOR || part->cause == CAUSE_SOFTIRQ
				 ? part->id
				 : 0;
		__builtin_memcpy(key.name, part->name, sizeof(key.name));
		if (!charge_sum(&key, part->spans, part->ns))
			count(WAKE_COUNT_UNPAIRED_PART);
	}
	if (!cpu->charge.parts.has_more)
		return 0;
	key.id = 0;
	__builtin_memset(key.name, 0, sizeof(key.name));
	for (__u32 i = 0; i < WAKE_CAUSES; i++) {
		if (!cpu->charge.parts.more_ns[i])
			continue;
		key.cause = i;
		if (!charge_sum(&key, 1, cpu->charge.parts.more_ns[i]))
			count(WAKE_COUNT_UNPAIRED_PART);
	}
	return 0;
}

static __always_inline void explain(struct context_cpu *cpu, struct task_struct *task, const struct wait *wait,
				    const struct wait_end *end)
{
	charge_begin(cpu, task, wait, end);
	if (end->kind != LATENCY_PREEMPTED)
		charge_before_queue(&cpu->charge, wait, end);
	charge_queue(cpu, wait, end);
	charge_sums(end->cpu_id, end->total_ns, end->kind == LATENCY_PREEMPTED);
}

static __always_inline void finish(void *ctx, struct context_cpu *cpu, struct task_struct *task, struct wait *wait,
				   struct wait_end *end)
{
	struct wake_task *t = &wait->task;

	end->total_ns = end->now_ns - t->start_ns;
	if (end->kind != LATENCY_PREEMPTED && wait->waker.expiry_ns && wait->waker.expiry_ns <= t->start_ns) {
		end->kind = LATENCY_TIMER;
		end->total_ns = end->now_ns - wait->waker.expiry_ns;
		t->flags |= WAKE_TIMER;
	}
	measure(task, wait, end);
	count_flags(t);
	if (config.causes)
		explain(cpu, task, wait, end);
	wait->waker.resched_ns = cpu->resched_ns >= t->start_ns && cpu->resched_ns <= end->now_ns ? cpu->resched_ns : 0;
	if (config.above_ns && end->total_ns >= config.above_ns) {
		count(WAKE_COUNT_ABOVE);
		if (!case_above(ctx, cpu, task, wait, end))
			count(WAKE_COUNT_ABOVE_UNTOLD);
	}
	if (config.worst)
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
	if (t->segments)
		context_unfollow(t->cpu);
	if (config.by_cpu && !is_measured(end->cpu_id))
		return;
	end->kind = result == WAKE_WAKEUP ? LATENCY_WAKING : LATENCY_PREEMPTED;
	finish(ctx, cpu, task, wait, end);
}

static __always_inline void switched_out(void *ctx, struct task_struct *task, struct wait *wait,
					 const struct wait_end *end)
{
	__u32 state = core_task_state(task);
	struct wait_stacks *stacks;

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
	out = prev->pid ? wait_find(prev) : NULL;
	in = next->pid ? wait_find(next) : NULL;
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

SEC("tp_btf/sched_switch")
int on_switch(unsigned long long *ctx)
{
	if (!enabled)
		return 0;
	if (config.switch_shift)
		return switched(ctx, (struct task_struct *)ctx[2], (struct task_struct *)ctx[3]);
	return switched(ctx, (struct task_struct *)ctx[1], (struct task_struct *)ctx[2]);
}

/* --- What the CPUs do meanwhile. */

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq_entry, int irq, struct irqaction *action)
{
	struct span_open *open = context_irq_enter(SPAN_HARDIRQ, irq);

	if (open)
		bpf_probe_read_kernel_str(open->name, sizeof(open->name), action->name);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_exit, int irq)
{
	context_irq_exit(SPAN_HARDIRQ, irq);
	return 0;
}

/* Numbers of x86's arch/x86/include/asm/irq_vectors.h; unchanged since 4.x. */
static __always_inline __s32 vector_of(__u64 number)
{
	switch ((__u8)number) {
	case 0xec:
		return VECTOR_LOCAL_TIMER;
	case 0xfd:
		return VECTOR_RESCHEDULE;
	case 0xfc:
		return VECTOR_CALL_FUNCTION;
	case 0xfb:
		return VECTOR_CALL_FUNCTION_SINGLE;
	case 0xf6:
		return VECTOR_IRQ_WORK;
	case 0xf7:
		return VECTOR_PLATFORM_IPI;
	case 0xfa:
		return VECTOR_THERMAL;
	case 0xf9:
		return VECTOR_THRESHOLD;
	case 0xfe:
		return VECTOR_ERROR;
	default:
		return VECTOR_SPURIOUS;
	}
}

/* Of all tracepoints irq_vectors:*_entry: they do not interrupt each other. */
SEC("raw_tp")
int on_vector_entry(struct bpf_raw_tracepoint_args *ctx)
{
	context_irq_enter(SPAN_VECTOR, vector_of(ctx->args[0]));
	return 0;
}

SEC("raw_tp")
int on_vector_exit(struct bpf_raw_tracepoint_args *ctx)
{
	context_irq_exit(SPAN_VECTOR, vector_of(ctx->args[0]));
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq_entry, unsigned int number)
{
	context_softirq_enter((__u32)number);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_exit, unsigned int number)
{
	context_softirq_exit((__u32)number);
	return 0;
}

/* Told after the fact, for each handler. */
SEC("tp_btf/nmi_handler")
int BPF_PROG(on_nmi, void *handler, __s64 ns)
{
	struct context_cpu *cpu = context_here();
	struct spans_cpu *spans;
	struct span *span;
	__u32 level;

	if (!cpu || ns <= 0)
		return 0;
	spans = &cpu->spans;
	level = spans->open[LEVEL_HARDIRQ].kind	  ? LEVEL_HARDIRQ
		: spans->open[LEVEL_SOFTIRQ].kind ? LEVEL_SOFTIRQ
						  : LEVEL_TASK;
	span = spans_next(spans);
	__builtin_memset(span, 0, sizeof(*span));
	span->end_ns = bpf_ktime_get_ns();
	span->start_ns = span->end_ns - ns;
	span->net_ns = ns;
	span->kind = SPAN_NMI;
	spans_publish(spans);
	context_give_back(spans, level, ns);
	return 0;
}

/* Expiries are in the clock of the timer: seen from the clock that its base has `offset` to. */
SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_timer_entry, struct hrtimer *timer)
{
	struct context_cpu *cpu = context_here();
	struct context_timer *t;
	__s64 offset_ns;

	if (!cpu)
		return 0;
	t = &cpu->timers[cpu->spans.open[LEVEL_HARDIRQ].kind ? 1 : 0];
	offset_ns = timer->base->offset;
	t->expiry_ns = timer->_softexpires - offset_ns;
	t->hard_expiry_ns = timer->node.expires - offset_ns;
	t->open = 1;
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(on_timer_exit, struct hrtimer *timer)
{
	struct context_cpu *cpu = context_here();

	if (!cpu)
		return 0;
	cpu->timers[cpu->spans.open[LEVEL_HARDIRQ].kind ? 1 : 0].open = 0;
	if (steal_from_rq_bytes)
		cpu->steal_ns = context_steal_ns(cpu);
	return 0;
}

SEC("tp_btf/sched_entry_tp")
int on_schedule(void *ctx)
{
	struct context_cpu *cpu = following ? context_here() : NULL;

	if (!cpu || !cpu->waiting)
		return 0;
	cpu->entry_ns = bpf_ktime_get_ns();
	cpu->entry_inner_ns = cpu->spans.inner_ns[LEVEL_TASK];
	return 0;
}

SEC("tp_btf/sched_set_need_resched_tp")
int BPF_PROG(on_resched, struct task_struct *task, int cpu_id)
{
	struct context_cpu *cpu = following || is_waking ? context_of((__u32)cpu_id) : NULL;

	if (cpu && (cpu->waiting || is_waking))
		cpu->resched_ns = bpf_ktime_get_ns();
	return 0;
}

/* A task's priority is lent by `waiter`, or given back: what it did so far, it did with the old one. */
SEC("tp_btf/sched_pi_setprio")
int BPF_PROG(on_pi_setprio, struct task_struct *task, struct task_struct *waiter)
{
	struct context_cpu *cpu = enabled ? context_of(core_task_cpu(task)) : NULL;

	if (!cpu)
		return 0;
	if (cpu->waiting && is_here(task))
		context_task_end(cpu, task, bpf_ktime_get_ns());
	if (waiter)
		context_name_boost(cpu, waiter);
	return 0;
}
