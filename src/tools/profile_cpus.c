/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that go offline and come online while `profile` runs. */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "tools/profile.h"

/*
 * A CPU that was back before anybody saw that it was offline, as after a suspend, tells by its event only. Asking costs
 * an interrupt of each CPU.
 */
#define ASK_NS (1000 * 1000 * 1000ULL)

/* Has its event come to an end? Then its gap begins there. When, if the CPU is online all the same; else 0. */
static uint64_t see_end(struct session *s, size_t i)
{
	struct profile_state *p = s->state;
	bool is_online = cpu_list_has(&s->watch.online, s->cpus.ids[i]);
	uint64_t end_ns;

	if (!event_set_ended(&p->events, i, is_online, &end_ns))
		return 0;
	cpu_gaps_begin(&s->gaps, i, end_ns);
	return is_online ? end_ns : 0;
}

/* What cannot be started now is tried again: until then it is not measured, which is told. */
static int follow_one(struct session *s, struct recording *r, size_t i)
{
	struct profile_state *p = s->state;
	unsigned cpu = s->cpus.ids[i];
	int err;

	if (event_set_has(&p->events, i))
		return 0;
	cpu_gaps_begin(&s->gaps, i, s->start_ns); /* if it was online at the start, but had gone before */
	if (!cpu_list_has(&s->watch.online, cpu))
		return 0;
	err = event_set_restart(&p->events, i);
	if (!err)
		return cpu_gaps_end(&s->gaps, i, clock_ns(CLOCK_MONOTONIC), r);
	if (err != -ENODEV && s->run->verbose)
		warnx("CPU %u: cannot open event %s: %s", cpu, p->event.name, strerror(-err));
	return 0;
}

int profile_follow_cpus(struct session *s, struct recording *r, bool changed)
{
	struct profile_state *p = s->state;
	uint64_t blind_since_ns = 0; /* since the first CPU was away unseen */
	int err = 0;

	if (!changed && clock_ns(CLOCK_MONOTONIC) < p->events_look_ns)
		return 0;
	for (size_t i = 0; i < s->cpus.n && !err; i++) {
		uint64_t end_ns = see_end(s, i);

		if (end_ns && (!blind_since_ns || end_ns < blind_since_ns))
			blind_since_ns = end_ns;
		err = follow_one(s, r, i);
	}
	p->events_look_ns = clock_ns(CLOCK_MONOTONIC) + ASK_NS;
	if (blind_since_ns)
		symbols_watch_cpus(p->symbols, &s->watch.online, clock_ns(CLOCK_MONOTONIC) - blind_since_ns, true);
	else if (changed)
		symbols_watch_cpus(p->symbols, &s->watch.online, clock_ns(CLOCK_MONOTONIC) - s->watched_ns, false);
	return err;
}

/* What still counts has counted on from the first look to the second. */
void profile_cpus_end(struct session *s)
{
	cpu_watch_look(&s->watch);
	for (int look = 0; look < 2; look++)
		for (size_t i = 0; i < s->cpus.n; i++)
			see_end(s, i);
}
