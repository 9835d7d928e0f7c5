/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One task between sleeping and running: from which moment it waited, told by the scheduler's tracepoints.
 *
 *            waking               switch in
 *   SLEEPING ------> WOKEN -----------------> RUNNING      waits from sched_waking; queued from sched_wakeup on
 *   RUNNING -- switch out, runnable --> PREEMPTED          waits from then
 *   RUNNING -- switch out, not runnable --> SLEEPING
 *
 * A waking that comes while the task still runs, just before it sleeps, is kept as pending: if the
 * task is then switched out as a sleeper it waits from that moment, having used the CPU until then.
 *
 * Pure C: bpf/wakeup.bpf.c and the unit tests run the same lines. Times are ns of CLOCK_MONOTONIC, 0 is unknown.
 */
#ifndef KBPFPROF_WAKE_H
#define KBPFPROF_WAKE_H

#include "types.h"

enum wake_state {
	WAKE_UNSEEN, /* nothing is known: a wait whose start was not seen is none */
	WAKE_RUNNING,
	WAKE_SLEEPING,
	WAKE_WOKEN,
	WAKE_PREEMPTED, /* runnable, not running */
};

/* What an event meant. */
enum wake_result {
	WAKE_NOTHING,
	WAKE_FIRST,	  /* waking: a wait begins */
	WAKE_SELF,	  /* waking: of the running task by itself */
	WAKE_REDUNDANT,	  /* waking: of a task that waits already; the first one counts */
	WAKE_PENDING,	  /* waking: the task runs; see above */
	WAKE_QUEUED,	  /* wakeup: it is in a run queue now */
	WAKE_WAKEUP,	  /* switch in: a wait after a wakeup is over */
	WAKE_PREEMPTION,  /* switch in: a wait after a preemption is over */
	WAKE_NO_START,	  /* switch in: the wait's start was not seen */
	WAKE_FIRST_SIGHT, /* switch in: the task was not known before */
};

enum wake_flags {
	WAKE_NEW = 1 << 0,	 /* its first run after fork */
	WAKE_RACED = 1 << 1,	 /* woken before it slept */
	WAKE_TIMER = 1 << 2,	 /* by a timer: expiry_ns is known */
	WAKE_RTLOCK = 1 << 3,	 /* it slept on a lock of PREEMPT_RT; a wakeup meanwhile has no tracepoint */
	WAKE_THROTTLED = 1 << 4, /* its cgroup's quota, or its DEADLINE budget, was used up when it began to wait */
	WAKE_CLOCK = 1 << 5,	 /* a clock stepped back between CPUs: a negative time became 0 */
	WAKE_REMOTE = 1 << 6,	 /* queued by another CPU than the one that woke it */
	WAKE_PINNED = 1 << 7,	 /* may run on fewer CPUs than there are */
};

/* A wait that the task spent in the run queue of one CPU, until the next segment or the switch. */
struct wake_segment {
	__u64 from_ns;
	__u32 cpu;
	__u32 unused;
};

#define WAKE_SEGMENTS 3

struct wake_task {
	__u8 state;	     /* enum wake_state */
	__u8 flags;	     /* enum wake_flags, of this wait */
	__u8 segments;	     /* in use */
	__u8 moves;	     /* migrations of this wait; stops at 255 */
	__u32 cpu;	     /* whose run queue it is in; of the last segment */
	__u64 in_ns, out_ns; /* last switch in, last switch out */
	__u64 pending_ns;    /* waking of a running task */
	/* Of this wait. */
	__u64 start_ns;	 /* waking, or switch out if that came later: what the wait is measured from */
	__u64 waking_ns; /* sched_waking itself */
	__u64 queued_ns; /* sched_wakeup; of a preemption start_ns */
	__u64 lost_ns;	 /* time in segments that found no room: it ends where segment[1] begins */
	struct wake_segment segment[WAKE_SEGMENTS]; /* ascending */
};

static inline void wake_begin(struct wake_task *t, __u8 state, __u64 now_ns, __u8 flags)
{
	t->state = state;
	t->flags = flags;
	t->segments = 0;
	t->moves = 0;
	t->start_ns = now_ns;
	t->waking_ns = now_ns;
	t->queued_ns = 0;
	t->lost_ns = 0;
}

static inline struct wake_segment *wake_segment_at(struct wake_task *t, __u64 i)
{
	KBPFPROF_ONE_REGISTER(i);
	return &t->segment[i < WAKE_SEGMENTS ? i : 0];
}

static inline void wake_segment_add(struct wake_task *t, __u64 now_ns, __u32 cpu)
{
	struct wake_segment *segment;

	if (t->segments) {
		segment = wake_segment_at(t, t->segments - 1ULL);
		if (now_ns < segment->from_ns) {
			t->flags |= WAKE_CLOCK;
			now_ns = segment->from_ns;
		}
	}
	if (t->segments == WAKE_SEGMENTS) { /* the middle one goes: its time stays, without an explanation */
		t->lost_ns += t->segment[2].from_ns - t->segment[1].from_ns;
		t->segment[1] = t->segment[2];
		t->segments = WAKE_SEGMENTS - 1;
	}
	segment = wake_segment_at(t, t->segments++);
	segment->from_ns = now_ns;
	segment->cpu = t->cpu = cpu;
}

/* When a segment of a wait that is over at `now_ns` ended. Behind the first one lies what found no room. */
static inline __u64 wake_segment_end_ns(const struct wake_task *t, __u32 i, __u64 now_ns)
{
	if (i + 1 >= t->segments || i + 1 >= WAKE_SEGMENTS)
		return now_ns;
	return t->segment[i + 1].from_ns - (i ? 0 : t->lost_ns);
}

/*
 * sched_waking. `self`: the task is the one that runs here. `asleep`: it is in no run queue and on no CPU, which
 * tells the state of a task that was not seen before.
 */
static inline enum wake_result wake_waking(struct wake_task *t, __u64 now_ns, int self, int asleep)
{
	if (self)
		return WAKE_SELF;
	if (t->state == WAKE_SLEEPING || (t->state == WAKE_UNSEEN && asleep)) {
		wake_begin(t, WAKE_WOKEN, now_ns, t->flags & WAKE_RTLOCK);
		if (now_ns < t->out_ns) { /* its waking came beside its switch out, and is seen after that */
			t->start_ns = t->out_ns;
			t->flags |= WAKE_RACED;
		}
		return WAKE_FIRST;
	}
	if (t->state == WAKE_RUNNING || t->state == WAKE_UNSEEN) {
		t->pending_ns = now_ns;
		return WAKE_PENDING;
	}
	return WAKE_REDUNDANT;
}

/* sched_wakeup: the task is in the run queue of `cpu`. */
static inline enum wake_result wake_wakeup(struct wake_task *t, __u64 now_ns, __u32 cpu)
{
	if (t->state == WAKE_RUNNING || t->state == WAKE_UNSEEN) {
		t->pending_ns = 0; /* it had not left its run queue: that waking is spent */
		return WAKE_NOTHING;
	}
	if (t->state == WAKE_SLEEPING && t->pending_ns > t->in_ns) { /* its waking came beside its switch out */
		__u64 pending_ns = t->pending_ns;

		wake_begin(t, WAKE_WOKEN, pending_ns > t->out_ns ? pending_ns : t->out_ns, WAKE_RACED);
		t->waking_ns = pending_ns;
		t->pending_ns = 0;
	}
	if (t->state == WAKE_SLEEPING) { /* the waking was missed */
		wake_begin(t, WAKE_WOKEN, 0, 0);
		t->queued_ns = now_ns;
		return WAKE_NOTHING;
	}
	if (t->state != WAKE_WOKEN || t->queued_ns)
		return WAKE_NOTHING;
	if (now_ns < t->start_ns) {
		t->flags |= WAKE_CLOCK;
		now_ns = t->start_ns;
	}
	t->queued_ns = now_ns;
	wake_segment_add(t, now_ns, cpu);
	return WAKE_QUEUED;
}

/* sched_wakeup_new: the first run of a task. */
static inline enum wake_result wake_new(struct wake_task *t, __u64 now_ns, __u32 cpu)
{
	wake_begin(t, WAKE_WOKEN, now_ns, WAKE_NEW);
	t->queued_ns = now_ns;
	wake_segment_add(t, now_ns, cpu);
	return WAKE_QUEUED;
}

/*
 * sched_migrate_task, which also comes while a task is being woken: that is not a move. True: a segment of the wait
 * ended on the task's old CPU.
 */
static inline int wake_migrate(struct wake_task *t, __u64 now_ns, __u32 cpu)
{
	if (t->state != WAKE_PREEMPTED && (t->state != WAKE_WOKEN || !t->queued_ns || !t->start_ns))
		return 0;
	if (t->moves < 255)
		t->moves++;
	wake_segment_add(t, now_ns, cpu);
	return 1;
}

/* sched_switch away from a task that stays in the run queue of `cpu`. */
static inline void wake_preempted(struct wake_task *t, __u64 now_ns, __u32 cpu)
{
	wake_begin(t, WAKE_PREEMPTED, now_ns, 0);
	t->queued_ns = now_ns;
	t->out_ns = now_ns;
	t->pending_ns = 0;
	wake_segment_add(t, now_ns, cpu);
}

/* sched_switch away from a task that sleeps. WAKE_FIRST: it was woken in the meantime, and waits. */
static inline enum wake_result wake_slept(struct wake_task *t, __u64 now_ns)
{
	__u64 pending_ns = t->pending_ns;

	t->out_ns = now_ns;
	t->pending_ns = 0;
	if (!pending_ns || pending_ns < t->in_ns) {
		t->state = WAKE_SLEEPING;
		t->flags = 0;
		return WAKE_NOTHING;
	}
	wake_begin(t, WAKE_WOKEN, now_ns, WAKE_RACED);
	if (pending_ns < now_ns)
		t->waking_ns = pending_ns;
	return WAKE_FIRST;
}

static inline void wake_clamp(struct wake_task *t, __u64 *ns, __u64 now_ns)
{
	if (*ns > now_ns) {
		*ns = now_ns;
		t->flags |= WAKE_CLOCK;
	}
}

/* Makes the times of a wait ones that are not after its end. */
static inline void wake_end_at(struct wake_task *t, __u64 now_ns)
{
	if (t->lost_ns && t->segment[1].from_ns > now_ns) { /* what is lost ends there */
		__u64 over_ns = t->segment[1].from_ns - now_ns;

		t->lost_ns = t->lost_ns > over_ns ? t->lost_ns - over_ns : 0;
	}
	wake_clamp(t, &t->start_ns, now_ns);
	wake_clamp(t, &t->waking_ns, now_ns);
	wake_clamp(t, &t->queued_ns, now_ns);
	for (int i = 0; i < WAKE_SEGMENTS; i++)
		if (i < t->segments)
			wake_clamp(t, &t->segment[i].from_ns, now_ns);
}

/*
 * sched_switch to the task. After WAKE_WAKEUP and WAKE_PREEMPTION its times are those of the wait, none of
 * them after now_ns; they last until the next event.
 */
static inline enum wake_result wake_switched_in(struct wake_task *t, __u64 now_ns)
{
	__u8 state = t->state;

	t->state = WAKE_RUNNING;
	t->in_ns = now_ns;
	t->pending_ns = 0;
	if (state == WAKE_UNSEEN)
		return WAKE_FIRST_SIGHT;
	if ((state != WAKE_WOKEN && state != WAKE_PREEMPTED) || !t->start_ns)
		return WAKE_NO_START;
	if (!t->queued_ns) /* its sched_wakeup was missed */
		t->queued_ns = t->start_ns;
	if (now_ns < t->queued_ns || t->moves) /* none of its times is later than these: queued, or moved */
		wake_end_at(t, now_ns);
	return state == WAKE_WOKEN ? WAKE_WAKEUP : WAKE_PREEMPTION;
}

#endif
