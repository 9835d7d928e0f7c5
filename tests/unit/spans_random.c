/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * include/kbpfprof/spans.h against a timeline that has who ran at each ns: random tasks, softirqs, hard
 * IRQs and NMIs, in each other as a CPU allows, some with an end that nobody tells.
 */
#include <stdbool.h>
#include <string.h>

#include "unit.h"

#include "spans_driver.h"

#define STEPS	 400000
#define TIMELINE 16384 /* ns of the past that are kept; a power of two */
#define IDS	 16384 /* each run of a context has its own; used again when nothing of it is kept */
#define WINDOW	 3000

struct cpu {
	struct spans_cpu spans;
	uint64_t now, seed;
	uint32_t who[TIMELINE];
	uint32_t last_id;
	uint32_t task, softirq, hardirq; /* what runs; 0: none */
	bool missed;			 /* the hard IRQ ended unseen: until that is noticed the time is nobody's */
	unsigned windows, cut, unknown;	 /* checked so far */
};

static unsigned roll(struct cpu *c, unsigned sides)
{
	c->seed ^= c->seed >> 12;
	c->seed ^= c->seed << 25;
	c->seed ^= c->seed >> 27;
	return (unsigned)((c->seed * 0x2545F4914F6CDD1Dull) >> 33) % sides;
}

static int32_t new_id(struct cpu *c)
{
	c->last_id = c->last_id % (IDS - 1) + 1;
	return (int32_t)c->last_id;
}

static void runs(struct cpu *c, uint32_t who, unsigned ns)
{
	for (; ns; ns--)
		c->who[c->now++ % TIMELINE] = who;
}

static uint32_t running(const struct cpu *c)
{
	return c->hardirq ? c->hardirq : c->softirq ? c->softirq : c->task;
}

static void nmi(struct cpu *c)
{
	int32_t id = new_id(c);
	unsigned ns = roll(c, 5);

	runs(c, (uint32_t)id, ns);
	driver_nmi(&c->spans, id, ns, c->now);
}

static void hardirq(struct cpu *c)
{
	if (c->hardirq && !c->missed) {
		driver_irq_end(&c->spans, c->now);
		c->hardirq = 0;
		return;
	}
	c->hardirq = (uint32_t)new_id(c);
	driver_irq(&c->spans, (int32_t)c->hardirq, c->now);
	c->missed = !roll(c, 50);
	c->unknown += c->missed;
}

static void softirq(struct cpu *c)
{
	if (c->hardirq && !c->missed)
		return;
	c->hardirq = 0;
	c->missed = false;
	if (c->softirq) {
		driver_softirq_end(&c->spans, c->now);
		c->softirq = 0;
	} else {
		c->softirq = (uint32_t)new_id(c);
		driver_softirq(&c->spans, (int32_t)c->softirq, c->now);
	}
}

/* True: a task was switched out, so that all that ran before is in the ring. */
static bool switches(struct cpu *c)
{
	if (c->softirq || (c->hardirq && !c->missed))
		return false;
	c->hardirq = 0;
	c->missed = false;
	c->task = (uint32_t)new_id(c);
	driver_switch(&c->spans, (int32_t)c->task, c->now);
	return true;
}

static bool step(struct cpu *c)
{
	runs(c, running(c), roll(c, 4) ? roll(c, 8) : roll(c, 60));
	switch (roll(c, 8)) {
	case 0:
		nmi(c);
		return false;
	case 1:
	case 2:
	case 3:
		hardirq(c);
		return false;
	case 4:
	case 5:
		softirq(c);
		return false;
	default:
		return switches(c);
	}
}

/* How long each one ran from `from` to `to`. */
static void count(const struct cpu *c, uint64_t from, uint64_t to, int ns_of[IDS])
{
	for (; from < to; from++)
		ns_of[c->who[from % TIMELINE]]++;
}

/*
 * `whole`: the ring has all that ran until `to` and beyond. Spans that ended in the window get what they had of it, to
 * the ns, or nothing if theirs was never known; those that go on share what is left.
 */
static void check(struct cpu *c, uint64_t from, uint64_t to, bool whole)
{
	static int ns_of[IDS];
	__u64 reach = from, used = 0, told = 0;
	uint32_t n = spans_since(&c->spans, c->spans.head, &reach);

	if (reach >= to)
		return;
	count(c, reach, to, ns_of);
	for (uint32_t i = 0; i < n; i++) {
		const struct span *s = spans_slot(&c->spans, c->spans.head - n + i);
		uint64_t part = spans_part_ns(s, reach, to, &used);

		if (s->end_ns <= to)
			assert_int_equal(part, ns_of[s->id]);
		else
			assert_true(part <= to - (s->start_ns > reach ? s->start_ns : reach));
		told += part;
		ns_of[s->id] = 0;
	}
	memset(ns_of, 0, sizeof(ns_of));
	assert_int_equal(told, used);
	assert_true(used <= to - reach);
	if (whole)
		assert_int_equal(used, to - reach);
	c->windows++;
	c->cut += reach > from;
}

/* From a random moment until now, or until a moment before. */
static void check_windows(struct cpu *c, bool whole)
{
	uint64_t oldest = c->now > TIMELINE ? c->now - TIMELINE : 0;
	uint64_t from = c->now - 1 - roll(c, roll(c, 20) ? WINDOW : TIMELINE - 1);

	if (c->now < TIMELINE || from < oldest)
		return;
	check(c, from, c->now, whole);
	check(c, from, from + 1 + roll(c, (unsigned)(c->now - from)), whole);
}

static void parts_are_what_ran(void **state)
{
	static struct cpu c = { .seed = 20260812 };

	(void)state;
	switches(&c);
	for (unsigned i = 0; i < STEPS; i++) {
		bool whole = step(&c);

		if (!roll(&c, whole ? 4 : 100))
			check_windows(&c, whole);
	}
	assert_true(c.windows > STEPS / 50);
	assert_true(c.cut > STEPS / 5000);
	assert_true(c.unknown > STEPS / 1000);
}

/* Each ns is in one span's net time: over a whole run nothing is there twice, and nothing is missing. */
static void net_times_add_up(void **state)
{
	static struct cpu c = { .seed = 4 };
	uint64_t net = 0, begin, end;
	uint32_t seen = 0;

	(void)state;
	switches(&c);
	begin = c.now;
	end = begin;
	for (unsigned i = 0; i < STEPS; i++) {
		if (step(&c))
			end = c.now;
		for (; seen != c.spans.head; seen++)
			net += spans_slot(&c.spans, seen)->net_ns;
		if (end == c.now && !c.softirq && !c.hardirq && !roll(&c, 100))
			assert_int_equal(net, end - begin);
	}
	assert_true(end - begin > STEPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_what_ran),
		cmocka_unit_test(net_times_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
