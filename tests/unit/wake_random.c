/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * include/kbpfprof/wake.h under random lives of a task. In the first test the life is made first, so
 * that the length of each wait is known without any state machine, and told as the kernel tells it. In the others
 * events come in any order at all: what holds then is checked.
 */
#include <stdbool.h>
#include <string.h>

#include "unit.h"

#include "kbpfprof/wake.h"

#define LIVES  200000
#define EVENTS 1000000
#define CPUS   4

/* xorshift64*: the same on every machine. */
struct dice {
	uint64_t seed;
};

static unsigned roll(struct dice *d, unsigned sides)
{
	d->seed ^= d->seed >> 12;
	d->seed ^= d->seed << 25;
	d->seed ^= d->seed >> 27;
	return (unsigned)((d->seed * 0x2545F4914F6CDD1Dull) >> 33) % sides;
}

/* One wait as it is. */
#define STAYS_MAX 8

struct truth {
	enum wake_result result;
	uint64_t start, waking, queued, in;
	bool raced, wakeup_missed;
	unsigned stays; /* CPUs in whose queue it stood, one after the other */
	struct wake_segment stay[STAYS_MAX];
};

struct life {
	struct dice dice;
	struct wake_task task;
	uint64_t now;
	unsigned cpu;
	unsigned waits, raced, moved, lost; /* seen so far: none of them is left out */
};

static void pass(struct life *l)
{
	l->now += roll(&l->dice, 3) ? roll(&l->dice, 50) : roll(&l->dice, 100000);
}

static void stand_in_queue(struct life *l, struct truth *t)
{
	t->stay[t->stays++] = (struct wake_segment){ l->now, l->cpu, 0 };
}

/* Wakings that change nothing: by itself, or by others who find it in its run queue. */
static void runs(struct life *l)
{
	for (unsigned n = roll(&l->dice, 3); n; n--) {
		pass(l);
		if (roll(&l->dice, 2)) {
			assert_int_equal(wake_waking(&l->task, l->now, true, false), WAKE_SELF);
		} else {
			assert_int_equal(wake_waking(&l->task, l->now, false, false), WAKE_PENDING);
			pass(l);
		}
		assert_int_equal(wake_wakeup(&l->task, l->now, l->cpu), WAKE_NOTHING);
	}
	pass(l);
}

static void waits(struct life *l, struct truth *t)
{
	for (unsigned n = roll(&l->dice, 3) ? 0 : roll(&l->dice, STAYS_MAX); n; n--) {
		pass(l);
		if (!roll(&l->dice, 3)) {
			assert_int_equal(wake_waking(&l->task, l->now, false, false), WAKE_REDUNDANT);
			if (!t->wakeup_missed)
				assert_int_equal(wake_wakeup(&l->task, l->now, l->cpu), WAKE_NOTHING);
			continue;
		}
		l->cpu = roll(&l->dice, CPUS);
		assert_int_equal(wake_migrate(&l->task, l->now, l->cpu), t->stays > 0);
		if (t->stays)
			stand_in_queue(l, t);
	}
	pass(l);
	t->in = l->now;
}

static void is_preempted(struct life *l, struct truth *t)
{
	if (!roll(&l->dice, 4)) /* its waker is not done yet */
		assert_int_equal(wake_waking(&l->task, l->now, false, false), WAKE_PENDING);
	wake_preempted(&l->task, l->now, l->cpu);
	t->result = WAKE_PREEMPTION;
	t->start = t->waking = t->queued = l->now;
	stand_in_queue(l, t);
	waits(l, t);
}

static void sleeps(struct life *l, struct truth *t)
{
	bool waking_missed = !roll(&l->dice, 16);

	t->wakeup_missed = !roll(&l->dice, 16);
	t->raced = !waking_missed && !roll(&l->dice, 4);
	t->waking = l->now;
	if (t->raced) {
		assert_int_equal(wake_waking(&l->task, l->now, false, false), WAKE_PENDING);
		pass(l);
	}
	t->start = l->now;
	assert_int_equal(wake_slept(&l->task, l->now), t->raced ? WAKE_FIRST : WAKE_NOTHING);
	pass(l);
	if (!t->raced && !waking_missed) {
		assert_int_equal(wake_waking(&l->task, l->now, false, roll(&l->dice, 2)), WAKE_FIRST);
		t->waking = t->start = l->now;
	}
	pass(l);
	l->cpu = roll(&l->dice, CPUS);
	assert_int_equal(wake_migrate(&l->task, l->now, l->cpu), 0);
	pass(l);
	t->queued = t->wakeup_missed ? t->start : l->now;
	t->result = waking_missed ? WAKE_NO_START : WAKE_WAKEUP;
	if (!t->wakeup_missed) {
		assert_int_equal(wake_wakeup(&l->task, l->now, l->cpu), waking_missed ? WAKE_NOTHING : WAKE_QUEUED);
		if (!waking_missed)
			stand_in_queue(l, t);
	}
	if (!waking_missed || !t->wakeup_missed)
		waits(l, t);
	t->in = l->now;
}

/* Of more stays than there are segments the first and the last two are kept; the others are lost, as time. */
static void check_segments(struct life *l, const struct truth *t)
{
	unsigned lost = t->stays > WAKE_SEGMENTS ? t->stays - WAKE_SEGMENTS : 0;
	uint64_t lost_ns = 0;

	for (unsigned i = 1; i <= lost; i++)
		lost_ns += t->stay[i + 1].from_ns - t->stay[i].from_ns;
	assert_int_equal(l->task.lost_ns, lost_ns);
	assert_int_equal(l->task.segments, t->stays - lost);
	assert_int_equal(l->task.moves, t->stays ? t->stays - 1 : 0);
	for (unsigned i = 0; i < l->task.segments; i++) {
		unsigned stay = i ? i + lost : 0;
		uint64_t end = stay + 1 < t->stays ? t->stay[stay + 1].from_ns : t->in;

		assert_int_equal(l->task.segment[i].from_ns, t->stay[stay].from_ns);
		assert_int_equal(l->task.segment[i].cpu, t->stay[stay].cpu);
		assert_int_equal(wake_segment_end_ns(&l->task, i, t->in), end);
	}
	l->moved += t->stays > 1;
	l->lost += lost > 0;
}

static void check(struct life *l, const struct truth *t)
{
	assert_int_equal(wake_switched_in(&l->task, t->in), t->result);
	if (t->result == WAKE_NO_START)
		return;
	assert_int_equal(l->task.start_ns, t->start);
	assert_int_equal(l->task.waking_ns, t->waking);
	assert_int_equal(l->task.queued_ns, t->queued);
	assert_int_equal(l->task.flags, t->raced ? WAKE_RACED : 0);
	check_segments(l, t);
	l->waits++;
	l->raced += t->raced;
}

static void lives_as_they_are(void **state)
{
	struct life l = { .dice = { 20260812 }, .now = 1000 };

	(void)state;
	assert_int_equal(wake_switched_in(&l.task, l.now), WAKE_FIRST_SIGHT);
	for (unsigned i = 0; i < LIVES; i++) {
		struct truth t = { 0 };

		runs(&l);
		if (roll(&l.dice, 3))
			sleeps(&l, &t);
		else
			is_preempted(&l, &t);
		check(&l, &t);
	}
	assert_true(l.waits > LIVES / 2);
	assert_true(l.raced > LIVES / 20);
	assert_true(l.moved > LIVES / 20);
	assert_true(l.lost > LIVES / 100);
}

/* Any event. Returns a result only of a switch in. */
static enum wake_result any(struct dice *d, struct wake_task *t, uint64_t now, uint64_t *ran_until)
{
	switch (roll(d, 8)) {
	case 0:
		wake_waking(t, now, !roll(d, 4), roll(d, 2));
		break;
	case 1:
		wake_wakeup(t, now, roll(d, CPUS));
		break;
	case 2:
		if (!roll(d, 4))
			wake_new(t, now, roll(d, CPUS));
		break;
	case 3:
	case 4:
		wake_migrate(t, now, roll(d, CPUS));
		break;
	case 5:
		wake_preempted(t, now, roll(d, CPUS));
		*ran_until = now;
		break;
	case 6:
		wake_slept(t, now);
		*ran_until = now;
		break;
	default:
		return wake_switched_in(t, now);
	}
	return WAKE_NOTHING;
}

static void check_order(const struct wake_task *t, uint64_t now)
{
	uint64_t in_queues = t->lost_ns, last = t->queued_ns;

	assert_true(t->start_ns <= t->queued_ns && t->queued_ns <= now);
	assert_true(t->waking_ns <= t->queued_ns);
	assert_true(t->segments <= WAKE_SEGMENTS);
	for (unsigned i = 0; i < t->segments; i++) {
		uint64_t end = wake_segment_end_ns(t, i, now);

		assert_true(t->segment[i].from_ns >= last && end >= t->segment[i].from_ns && end <= now);
		assert_true(t->segment[i].cpu < CPUS);
		last = t->segment[i].from_ns;
		in_queues += end - t->segment[i].from_ns;
	}
	if (t->segments)
		assert_int_equal(in_queues, now - t->queued_ns);
}

/* `back_ns`: how far a CPU's clock may lie behind another one's. */
static void any_order(unsigned back_ns)
{
	struct wake_task t = { 0 };
	struct dice d = { 7 };
	uint64_t now = 1000, ran_until = 0, at;
	unsigned waits = 0;

	for (unsigned i = 0; i < EVENTS; i++) {
		enum wake_result result;

		now += roll(&d, 20);
		at = now - roll(&d, back_ns + 1);
		result = any(&d, &t, at, &ran_until);
		if (result == WAKE_WAKEUP || result == WAKE_PREEMPTION) {
			check_order(&t, at);
			if (!back_ns)
				assert_true(t.start_ns >= ran_until);
			waits++;
		}
	}
	assert_true(waits > EVENTS / 50);
}

static void no_wait_longer_than_since_it_ran(void **state)
{
	(void)state;
	any_order(0);
}

static void clocks_that_differ(void **state)
{
	(void)state;
	any_order(5);
	any_order(500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lives_as_they_are),
		cmocka_unit_test(no_wait_longer_than_since_it_ran),
		cmocka_unit_test(clocks_that_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
