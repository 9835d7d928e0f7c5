/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * include/kbpfprof/wake.h: events of one task in, what it waited out. Each case is one that a kernel or
 * a bug report of another tool shows; the right values are worked out from the definition of a wait:
 * from the waking, but not before it left the CPU, or from the preemption, until it runs.
 */
#include <string.h>

#include "unit.h"

#include "kbpfprof/wake.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* rows name what is not 0 */

enum what {
	END,
	WAKING,	     /* of a task on a CPU or in a run queue, as far as the caller sees */
	WAKING_DOWN, /* of one that is on none and in none */
	WAKING_SELF, /* of the task that runs here */
	WAKEUP,	     /* on CPU `arg` */
	CREATED,     /* sched_wakeup_new */
	MOVED,	     /* to CPU `arg`, and `arg + 1`, ... of `times` */
	PREEMPTED,   /* switched out of CPU `arg`, runnable */
	SLEPT,	     /* switched out, not runnable */
	IN,
	FLAGGED,   /* the caller adds flags to the wait */
	NOTED,	   /* a waking's program that had found it running says so only now */
	FORGOTTEN, /* its storage went with it */
};

struct event {
	uint64_t at;
	enum what what;
	unsigned arg;
	int gives; /* enum wake_result; of MOVED whether it ended a segment */
	int times; /* 0: once; each 1 ns later */
	/* Of a wait that is over, counted back from `at`. */
	uint64_t wait, waking, queue, lost;
	unsigned flags, moves, segments;
	struct wake_segment segment[WAKE_SEGMENTS];
};

struct replay {
	const char *name;
	struct event events[14];
};

/* clang-format off: it knows no initializers in macros */
#define FIRST_SEEN(t)                            \
	{                                        \
		t, IN, .gives = WAKE_FIRST_SIGHT \
	}
/* A wait that began with its waking, or with a preemption, in one run queue. */
#define RUNS_AFTER(t, ns, queue_ns, cpu)                                                                              \
	{                                                                                                             \
		t, IN, .gives = WAKE_WAKEUP, .wait = ns, .waking = ns, .queue = queue_ns, .segments = 1, .segment = { \
			{ (t) - (queue_ns), cpu, 0 }                                                                  \
		}                                                                                                     \
	}
#define RUNS_AGAIN(t, ns, cpu)                                                                                      \
	{                                                                                                           \
		t, IN, .gives = WAKE_PREEMPTION, .wait = ns, .waking = ns, .queue = ns, .segments = 1, .segment = { \
			{ (t) - (ns), cpu, 0 }                                                                      \
		}                                                                                                   \
	}
/* clang-format on */

static const struct replay replays[] = {
	{ "sleeps, is woken, runs",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 23, WAKEUP, 1, WAKE_QUEUED },
	    RUNS_AFTER(30, 10, 7, 1) } },
	{ "preempted, and once more",
	  { FIRST_SEEN(5), { 10, PREEMPTED, 1 }, RUNS_AGAIN(13, 3, 1), { 20, PREEMPTED, 0 }, RUNS_AGAIN(60, 40, 0) } },
	{ "yields to itself: no time, but a wait", { FIRST_SEEN(5), { 10, PREEMPTED, 1 }, RUNS_AGAIN(10, 0, 1) } },

	/* woken while it is about to sleep */
	{ "wprof#99: the waking comes before the switch out",
	  { FIRST_SEEN(5),
	    { 10, WAKING, .gives = WAKE_PENDING },
	    { 12, SLEPT, .gives = WAKE_FIRST },
	    { 14, WAKEUP, 0, WAKE_QUEUED },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 18, .waking = 20, .queue = 16, .flags = WAKE_RACED, .segments = 1,
	      .segment = { { 14, 0, 0 } } } } },
	{ "the same, of a task never seen before",
	  { { 10, WAKING, .gives = WAKE_PENDING },
	    { 12, SLEPT, .gives = WAKE_FIRST },
	    { 14, WAKEUP, 0, WAKE_QUEUED },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 18, .waking = 20, .queue = 16, .flags = WAKE_RACED, .segments = 1,
	      .segment = { { 14, 0, 0 } } } } },
	{ "the waking's program reads its clock before the switch out, and the task's state after it",
	  { FIRST_SEEN(5),
	    { 12, SLEPT },
	    { 10, WAKING, .gives = WAKE_FIRST },
	    { 14, WAKEUP, 0, WAKE_QUEUED },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 18, .waking = 20, .queue = 16, .flags = WAKE_RACED, .segments = 1,
	      .segment = { { 14, 0, 0 } } } } },
	{ "the waking's program reads the task's state before the switch out, and says so after it",
	  { FIRST_SEEN(5),
	    { 12, SLEPT },
	    { 10, NOTED },
	    { 14, WAKEUP, 0, WAKE_QUEUED },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 18, .waking = 20, .queue = 16, .flags = WAKE_RACED, .segments = 1,
	      .segment = { { 14, 0, 0 } } } } },
	{ "woken before it left its run queue (ttwu_runnable): the sleep that follows is a true one",
	  { FIRST_SEEN(5),
	    { 10, WAKING, .gives = WAKE_PENDING },
	    { 11, WAKEUP, 0, WAKE_NOTHING },
	    { 50, SLEPT },
	    { 100, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 103, WAKEUP, 0, WAKE_QUEUED },
	    RUNS_AFTER(110, 10, 7, 0) } },
	{ "the same, of a task never seen before",
	  { { 10, WAKING, .gives = WAKE_PENDING },
	    { 11, WAKEUP, 0, WAKE_NOTHING },
	    { 50, SLEPT },
	    { 100, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 103, WAKEUP, 0, WAKE_QUEUED },
	    RUNS_AFTER(110, 10, 7, 0) } },
	{ "woken while it runs, then preempted: neither this wait nor the next begins with that waking",
	  { FIRST_SEEN(5),
	    { 10, WAKING, .gives = WAKE_PENDING },
	    { 12, PREEMPTED, 1 },
	    { 13, WAKEUP, 1, WAKE_NOTHING },
	    RUNS_AGAIN(20, 8, 1),
	    { 30, SLEPT },
	    { 40, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 41, WAKEUP, 1, WAKE_QUEUED },
	    RUNS_AFTER(45, 5, 4, 1) } },
	{ "woken by itself",
	  { FIRST_SEEN(5),
	    { 10, WAKING_SELF, .gives = WAKE_SELF },
	    { 10, WAKEUP, 0, WAKE_NOTHING },
	    { 20, SLEPT },
	    { 30, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 31, WAKEUP, 0, WAKE_QUEUED },
	    RUNS_AFTER(37, 7, 6, 0) } },

	/* 6.12 on: a sleeper stays in its run queue; what the switch's program tells is that it slept */
	{ "delayed dequeue: in a run queue all the time",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 20, WAKING, .gives = WAKE_FIRST },
	    { 21, WAKEUP, 1, WAKE_QUEUED },
	    RUNS_AFTER(30, 10, 9, 1) } },
	{ "delayed dequeue, the waking before the switch out",
	  { FIRST_SEEN(5),
	    { 10, WAKING, .gives = WAKE_PENDING },
	    { 12, SLEPT, .gives = WAKE_FIRST },
	    { 13, WAKEUP, 1, WAKE_QUEUED },
	    { 20, IN, .gives = WAKE_WAKEUP, .wait = 8, .waking = 10, .queue = 7, .flags = WAKE_RACED, .segments = 1,
	      .segment = { { 13, 1, 0 } } } } },

	/* wakings of tasks that wait already; runqlat begins anew with each */
	{ "woken twice",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 22, WAKEUP, 0, WAKE_QUEUED },
	    { 35, WAKING, .gives = WAKE_REDUNDANT },
	    { 36, WAKEUP, 0, WAKE_NOTHING },
	    RUNS_AFTER(40, 20, 18, 0) } },
	{ "woken twice before it stands in a run queue",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 21, WAKING_DOWN, .gives = WAKE_REDUNDANT },
	    { 22, WAKEUP, 0, WAKE_QUEUED },
	    RUNS_AFTER(40, 20, 18, 0) } },
	{ "kepler#1547: preempted when its state said that it was about to sleep, then woken",
	  { FIRST_SEEN(5),
	    { 10, PREEMPTED, 1 },
	    { 15, WAKING, .gives = WAKE_REDUNDANT },
	    { 16, WAKEUP, 1, WAKE_NOTHING },
	    RUNS_AGAIN(30, 20, 1) } },

	/* moves */
	{ "systing#200: moved while it is being woken: it was placed there, no wait ended",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 21, MOVED, 1, 0 },
	    { 23, WAKEUP, 1, WAKE_QUEUED },
	    RUNS_AFTER(30, 10, 7, 1) } },
	{ "moved while it sleeps, and while it runs",
	  { FIRST_SEEN(5),
	    { 6, MOVED, 1, 0 },
	    { 10, SLEPT },
	    { 15, MOVED, 0, 0 },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 23, WAKEUP, 1, WAKE_QUEUED },
	    RUNS_AFTER(30, 10, 7, 1) } },
	{ "moved while it waits in the run queue",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 23, WAKEUP, 0, WAKE_QUEUED },
	    { 26, MOVED, 1, 1 },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 10, .waking = 10, .queue = 7, .moves = 1, .segments = 2,
	      .segment = { { 23, 0, 0 }, { 26, 1, 0 } } } } },
	{ "moved twice after a preemption",
	  { FIRST_SEEN(5),
	    { 10, PREEMPTED, 2 },
	    { 14, MOVED, 3, 1, 2 },
	    { 30, IN, .gives = WAKE_PREEMPTION, .wait = 20, .waking = 20, .queue = 20, .moves = 2, .segments = 3,
	      .segment = { { 10, 2, 0 }, { 14, 3, 0 }, { 15, 4, 0 } } } } },
	{ "moved three times: the second CPU's time is told as lost",
	  { FIRST_SEEN(5),
	    { 10, PREEMPTED, 0 },
	    { 12, MOVED, 1, 1 },
	    { 17, MOVED, 2, 1 },
	    { 29, MOVED, 3, 1 },
	    { 30, IN, .gives = WAKE_PREEMPTION, .wait = 20, .waking = 20, .queue = 20, .lost = 5, .moves = 3,
	      .segments = 3, .segment = { { 10, 0, 0 }, { 17, 2, 0 }, { 29, 3, 0 } } } } },
	{ "bcc#1689: its affinity is changed a hundred times while it waits: one wait",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 23, WAKEUP, 0, WAKE_QUEUED },
	    { 100, MOVED, 1, 1, 100 },
	    { 230, IN, .gives = WAKE_WAKEUP, .wait = 210, .waking = 210, .queue = 207, .lost = 98, .moves = 100,
	      .segments = 3, .segment = { { 23, 0, 0 }, { 198, 99, 0 }, { 199, 100, 0 } } } } },
	{ "the count of moves stops",
	  { { 10, PREEMPTED, 0 },
	    { 100, MOVED, 1, 1, 300 },
	    { 500, IN, .gives = WAKE_PREEMPTION, .wait = 490, .waking = 490, .queue = 490, .lost = 298, .moves = 255,
	      .segments = 3, .segment = { { 10, 0, 0 }, { 398, 299, 0 }, { 399, 300, 0 } } } } },

	/* what the caller knows of a wait */
	{ "a lock of PREEMPT_RT: a wakeup meanwhile is not to be seen, the lock's is; the next wait has no mark",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 10, FLAGGED, WAKE_RTLOCK },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 21, WAKEUP, 0, WAKE_QUEUED },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 10, .waking = 10, .queue = 9, .flags = WAKE_RTLOCK, .segments = 1,
	      .segment = { { 21, 0, 0 } } },
	    { 40, SLEPT },
	    { 50, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 51, WAKEUP, 0, WAKE_QUEUED },
	    RUNS_AFTER(55, 5, 4, 0) } },
	{ "quota used up: waits as one who was preempted, marked, however long; the next wait has no mark",
	  { FIRST_SEEN(5),
	    { 10, PREEMPTED, 0 },
	    { 10, FLAGGED, WAKE_THROTTLED },
	    { 80000010, IN, .gives = WAKE_PREEMPTION, .wait = 80000000, .waking = 80000000, .queue = 80000000,
	      .flags = WAKE_THROTTLED, .segments = 1, .segment = { { 10, 0, 0 } } },
	    { 80000020, PREEMPTED, 0 },
	    RUNS_AGAIN(80000025, 5, 0) } },
	{ "woken by a timer into a cgroup without quota, and moved: marks stay until it runs",
	  { { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 20, FLAGGED, WAKE_TIMER },
	    { 21, WAKEUP, 0, WAKE_QUEUED },
	    { 21, FLAGGED, WAKE_THROTTLED | WAKE_REMOTE },
	    { 25, MOVED, 1, 1 },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 10, .waking = 10, .queue = 9, .moves = 1, .segments = 2,
	      .flags = WAKE_TIMER | WAKE_THROTTLED | WAKE_REMOTE, .segment = { { 21, 0, 0 }, { 25, 1, 0 } } },
	    { 40, PREEMPTED, 1 },
	    RUNS_AGAIN(45, 5, 1) } },

	/* begin and end of tasks */
	{ "first run after fork",
	  { { 10, CREATED, 1, WAKE_QUEUED },
	    { 15, WAKING, .gives = WAKE_REDUNDANT },
	    { 16, WAKEUP, 1, WAKE_NOTHING },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 20, .waking = 20, .queue = 20, .flags = WAKE_NEW, .segments = 1,
	      .segment = { { 10, 1, 0 } } },
	    { 40, SLEPT },
	    { 50, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 51, WAKEUP, 1, WAKE_QUEUED },
	    RUNS_AFTER(55, 5, 4, 1) } },
	{ "rezolus#1038: woken as it exits; another task that gets its number has waited from its own begin",
	  { FIRST_SEEN(5),
	    { 10, WAKING, .gives = WAKE_PENDING },
	    { 12, SLEPT, .gives = WAKE_FIRST },
	    { 12, FORGOTTEN },
	    { 9000, CREATED, 0, WAKE_QUEUED },
	    { 9010, IN, .gives = WAKE_WAKEUP, .wait = 10, .waking = 10, .queue = 10, .flags = WAKE_NEW, .segments = 1,
	      .segment = { { 9000, 0, 0 } } } } },
	{ "the same where nobody told that it had gone",
	  { FIRST_SEEN(5),
	    { 10, WAKING, .gives = WAKE_PENDING },
	    { 12, SLEPT, .gives = WAKE_FIRST },
	    { 9000, CREATED, 0, WAKE_QUEUED },
	    { 9010, IN, .gives = WAKE_WAKEUP, .wait = 10, .waking = 10, .queue = 10, .flags = WAKE_NEW, .segments = 1,
	      .segment = { { 9000, 0, 0 } } } } },
	{ "first seen when it is switched in", { FIRST_SEEN(30), { 40, PREEMPTED, 0 }, RUNS_AGAIN(45, 5, 0) } },
	{ "first seen when it is switched out, runnable", { { 40, PREEMPTED, 0 }, RUNS_AGAIN(45, 5, 0) } },
	{ "first seen when it goes to sleep",
	  { { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 23, WAKEUP, 1, WAKE_QUEUED },
	    RUNS_AFTER(30, 10, 7, 1) } },
	{ "first seen when it is woken",
	  { { 20, WAKING_DOWN, .gives = WAKE_FIRST }, { 23, WAKEUP, 1, WAKE_QUEUED }, RUNS_AFTER(30, 10, 7, 1) } },
	{ "first seen in the run queue",
	  { { 20, WAKEUP, 1, WAKE_NOTHING },
	    { 25, MOVED, 0, 0 },
	    FIRST_SEEN(30),
	    { 40, PREEMPTED, 0 },
	    RUNS_AGAIN(45, 5, 0) } },

	/* events that were missed: no wait is made up, and the next one is right */
	{ "waking missed",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 20, WAKEUP, 0, WAKE_NOTHING },
	    { 22, MOVED, 1, 0 },
	    { 25, WAKING, .gives = WAKE_REDUNDANT },
	    { 26, WAKEUP, 1, WAKE_NOTHING },
	    { 30, IN, .gives = WAKE_NO_START },
	    { 40, SLEPT },
	    { 50, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 52, WAKEUP, 1, WAKE_QUEUED },
	    RUNS_AFTER(55, 5, 3, 1) } },
	{ "waking and wakeup missed", { FIRST_SEEN(5), { 10, SLEPT }, { 30, IN, .gives = WAKE_NO_START } } },
	{ "wakeup missed: all of it is time in the queue, no one knows of which CPU",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 22, MOVED, 1, 0 },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 10, .waking = 10, .queue = 10 } } },
	{ "switch in missed",
	  { FIRST_SEEN(5),
	    { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 21, WAKEUP, 0, WAKE_QUEUED },
	    { 50, SLEPT },
	    { 60, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 61, WAKEUP, 0, WAKE_QUEUED },
	    RUNS_AFTER(70, 10, 9, 0) } },
	{ "switch in missed, then preempted",
	  { { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 21, WAKEUP, 0, WAKE_QUEUED },
	    { 50, PREEMPTED, 1 },
	    RUNS_AGAIN(55, 5, 1) } },
	{ "switch out missed",
	  { FIRST_SEEN(5),
	    { 20, WAKING_DOWN, .gives = WAKE_PENDING },
	    { 21, WAKEUP, 0, WAKE_NOTHING },
	    { 30, IN, .gives = WAKE_NO_START },
	    { 40, PREEMPTED, 1 },
	    RUNS_AGAIN(45, 5, 1) } },

	/* clocks of CPUs that differ */
	{ "rezolus#1035: runs before it was preempted: no time, not nearly 2^64",
	  { FIRST_SEEN(5),
	    { 20, PREEMPTED, 1 },
	    { 19, IN, .gives = WAKE_PREEMPTION, .flags = WAKE_CLOCK, .segments = 1, .segment = { { 19, 1, 0 } } },
	    { 40, PREEMPTED, 1 },
	    RUNS_AGAIN(45, 5, 1) } },
	{ "queued before it was woken",
	  { { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 18, WAKEUP, 1, WAKE_QUEUED },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 10, .waking = 10, .queue = 10, .flags = WAKE_CLOCK, .segments = 1,
	      .segment = { { 20, 1, 0 } } } } },
	{ "runs before it was queued",
	  { { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 23, WAKEUP, 1, WAKE_QUEUED },
	    { 21, IN, .gives = WAKE_WAKEUP, .wait = 1, .waking = 1, .flags = WAKE_CLOCK, .segments = 1,
	      .segment = { { 21, 1, 0 } } } } },
	{ "runs before it was woken, wakeup missed",
	  { { 10, SLEPT },
	    { 20, WAKING_DOWN, .gives = WAKE_FIRST },
	    { 19, IN, .gives = WAKE_WAKEUP, .flags = WAKE_CLOCK } } },
	{ "woken before it slept, by a clock that is ahead",
	  { FIRST_SEEN(5),
	    { 13, WAKING, .gives = WAKE_PENDING },
	    { 12, SLEPT, .gives = WAKE_FIRST },
	    { 14, WAKEUP, 0, WAKE_QUEUED },
	    { 30, IN, .gives = WAKE_WAKEUP, .wait = 18, .waking = 18, .queue = 16, .flags = WAKE_RACED, .segments = 1,
	      .segment = { { 14, 0, 0 } } } } },
	{ "moved before it was preempted",
	  { { 20, PREEMPTED, 0 },
	    { 19, MOVED, 1, 1 },
	    { 40, IN, .gives = WAKE_PREEMPTION, .wait = 20, .waking = 20, .queue = 20, .flags = WAKE_CLOCK, .moves = 1,
	      .segments = 2, .segment = { { 20, 0, 0 }, { 20, 1, 0 } } } } },
	{ "runs before it was moved",
	  { { 20, PREEMPTED, 0 },
	    { 35, MOVED, 1, 1 },
	    { 30, IN, .gives = WAKE_PREEMPTION, .wait = 10, .waking = 10, .queue = 10, .flags = WAKE_CLOCK, .moves = 1,
	      .segments = 2, .segment = { { 20, 0, 0 }, { 30, 1, 0 } } } } },
};

static int feed(struct wake_task *t, const struct event *e, uint64_t at, unsigned arg)
{
	switch (e->what) {
	case WAKING:
	case WAKING_DOWN:
	case WAKING_SELF:
		return wake_waking(t, at, e->what == WAKING_SELF, e->what == WAKING_DOWN);
	case WAKEUP:
		return wake_wakeup(t, at, arg);
	case CREATED:
		return wake_new(t, at, arg);
	case MOVED:
		return wake_migrate(t, at, arg);
	case SLEPT:
		return wake_slept(t, at);
	case IN:
		return wake_switched_in(t, at);
	case PREEMPTED:
		wake_preempted(t, at, arg);
		break;
	case FLAGGED:
		t->flags |= (__u8)arg;
		break;
	case NOTED:
		t->pending_ns = at;
		break;
	case FORGOTTEN:
		memset(t, 0, sizeof(*t));
		break;
	case END:
		break;
	}
	return WAKE_NOTHING;
}

static void check_wait(const struct wake_task *t, const struct event *e)
{
	uint64_t in_queues = 0;

	assert_int_equal(e->at - t->start_ns, e->wait);
	assert_int_equal(e->at - t->waking_ns, e->waking);
	assert_int_equal(e->at - t->queued_ns, e->queue);
	assert_int_equal(t->flags, e->flags);
	assert_int_equal(t->moves, e->moves);
	assert_int_equal(t->lost_ns, e->lost);
	assert_int_equal(t->segments, e->segments);
	for (unsigned i = 0; i < e->segments; i++) {
		assert_int_equal(t->segment[i].from_ns, e->segment[i].from_ns);
		assert_int_equal(t->segment[i].cpu, e->segment[i].cpu);
		in_queues += wake_segment_end_ns(t, i, e->at) - t->segment[i].from_ns;
	}
	if (e->segments)
		assert_int_equal(in_queues + e->lost, e->queue);
}

static void replay(void **state)
{
	const struct replay *r = *state;
	struct wake_task t = { 0 };

	for (const struct event *e = r->events; e->what != END; e++) {
		for (int i = 0; i < (e->times ? e->times : 1); i++)
			assert_int_equal(feed(&t, e, e->at + (unsigned)i, e->arg + (unsigned)i), e->gives);
		if (e->what == IN && (e->gives == WAKE_WAKEUP || e->gives == WAKE_PREEMPTION))
			check_wait(&t, e);
	}
}

#define REPLAYS (sizeof(replays) / sizeof(replays[0]))

int main(void)
{
	struct CMUnitTest tests[REPLAYS] = { 0 };

	for (size_t i = 0; i < REPLAYS; i++)
		tests[i] = (struct CMUnitTest){ .name = replays[i].name,
						.test_func = replay,
						.initial_state = (void *)&replays[i] };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
