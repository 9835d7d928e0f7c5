/* SPDX-License-Identifier: GPL-2.0-only */
/* The balance of a `profile` run: what was due, and where each sample went. */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tools/profile.h"

int profile_books_size(struct profile_state *p)
{
	int possible = libbpf_num_possible_cpus();

	if (possible < 0)
		return possible;
	p->books_bytes = (size_t)possible * sizeof(*p->books);
	return bpf_map__set_max_entries(p->skeleton->maps.books, (__u32)possible);
}

int profile_books_map(struct profile_state *p)
{
	p->books = mmap(NULL, p->books_bytes, PROT_READ, MAP_SHARED, bpf_map__fd(p->skeleton->maps.books), 0);
	if (p->books != MAP_FAILED)
		return 0;
	p->books = NULL;
	return -errno;
}

void profile_books_unmap(struct profile_state *p)
{
	if (p->books)
		munmap(p->books, p->books_bytes);
}

static void add_tally(struct profile_tally *sum, const struct profile_tally *t)
{
	sum->fires += t->fires;
	sum->period += t->period;
}

/*
 * Due are the events counted / the period. Where the kernel steers the period to hold a rate, the
 * mean one of the fires seen stands for it.
 */
static uint64_t fires_due(const struct profile_state *p, const struct profile_tally *seen)
{
	double period = seen->fires ? (double)seen->period / (double)seen->fires : (double)p->event.attr.sample_period;

	if (p->event.is_time && p->event.attr.freq)
		period = 1e9 / (double)p->event.attr.sample_freq;
	return period > 0 ? (uint64_t)llround((double)p->totals.count / period) : 0;
}

static void describe_event(const struct profile_state *p, struct rec_sampling *sampling)
{
	snprintf(sampling->event, sizeof(sampling->event), "%s", p->event.name);
	snprintf(sampling->unit, sizeof(sampling->unit), "%.15s", p->event.is_time ? "ns" : p->event.name);
	snprintf(sampling->fallback, sizeof(sampling->fallback), "%s", p->fallback);
	sampling->is_time = p->event.is_time;
	sampling->asked_hz = p->asked_hz;
	sampling->asked_period = p->asked_period;
	sampling->idle_is_guess = p->idle_is_guess;
	sampling->max_depth = p->max_depth;
	sampling->user_stacks = p->user_stacks;
	sampling->short_user_stacks = p->short_user_stacks;
}

static struct profile_books books_sum(const struct session *s)
{
	const struct profile_state *p = s->state;
	struct profile_books sum = { 0 };

	for (size_t i = 0; i < s->cpus.n; i++) {
		const struct profile_books *cpu = &p->books[s->cpus.ids[i]];

		add_tally(&sum.seen, &cpu->seen);
		add_tally(&sum.idle, &cpu->idle);
		add_tally(&sum.filtered, &cpu->filtered);
		add_tally(&sum.kept, &cpu->kept);
	}
	return sum;
}

uint64_t profile_count(struct session *s)
{
	return books_sum(s).kept.fires;
}

/*
 * While the programs run, samples are kept that have not been drained. They belong to the next
 * interval: kept are those that were drained, and what else was seen at the moment of reading is not
 * delivered yet. In the sum of all intervals that is nothing.
 */
static void books_of_interval(const struct profile_state *p, const struct recording *r, struct profile_books *books)
{
	books->kept = (struct profile_tally){ p->drained_fires, p->drained_weight };
	books->seen.fires = books->kept.fires + books->idle.fires + books->filtered.fires + recording_lost_sum(r);
}

static void balance(const struct profile_state *p, struct rec_sampling *sampling, const struct profile_books *books)
{
	sampling->seen = books->seen.fires;
	sampling->kept = books->kept.fires;
	sampling->idle = books->idle.fires;
	sampling->filtered = books->filtered.fires;
	sampling->kept_weight = books->kept.period;
	sampling->idle_weight = books->idle.period;
	sampling->not_delivered = (int64_t)(sampling->expected - books->seen.fires);
	sampling->enabled_ns = p->totals.enabled_ns;
	sampling->running_ns = p->totals.running_ns;
	if (p->totals.running_ns)
		sampling->achieved_hz = (double)books->seen.fires * 1e9 / (double)p->totals.running_ns;
}

int profile_settle(struct session *s, struct recording *r, bool last)
{
	struct profile_state *p = s->state;
	struct profile_books books;
	int err = last ? 0 : event_set_read(&p->events, &p->totals);

	if (err) {
		warnx("cannot read event %s: %s", p->event.name, strerror(-err));
		return err;
	}
	books = books_sum(s);
	describe_event(p, &r->sampling);
	r->sampling.expected = fires_due(p, &books.seen);
	if (!last)
		books_of_interval(p, r, &books);
	balance(p, &r->sampling, &books);
	err = symbols_resolve(p->symbols, r);
	if (err)
		warnx("cannot name the samples: %s", strerror(-err));
	return err;
}
