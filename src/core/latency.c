/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/latency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/intern.h"
#include "core/quantile.h"

struct latency_index {
	uint64_t seed;
	struct intern hists, causes;
};

struct rec_latency *latency_of(struct recording *r)
{
	struct rec_latency *l;

	if (r->latency)
		return r->latency;
	l = calloc(1, sizeof(*l));
	if (!l)
		return NULL;
	l->index = calloc(1, sizeof(*l->index));
	if (!l->index) {
		free(l);
		return NULL;
	}
	l->index->seed = intern_seed();
	r->latency = l;
	return l;
}

static void free_case(const struct rec_case *c)
{
	free(c->parts);
	free(c->spans);
}

void latency_free(struct rec_latency *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n_hists; i++)
		free(l->hists[i].buckets);
	for (size_t i = 0; i < l->n_cases; i++)
		free_case(&l->cases[i]);
	free(l->hists);
	free(l->causes);
	free(l->cases);
	free(l->points);
	intern_free(&l->index->hists);
	intern_free(&l->index->causes);
	free(l->index);
	free(l);
}

/* --- histograms --- */

static bool hist_equal(const void *owner, uint32_t id, const void *key)
{
	const struct rec_hist *have = &((const struct rec_latency *)owner)->hists[id], *want = key;

	return have->group == want->group && have->kind == want->kind;
}

static uint64_t hist_hash(const struct rec_latency *l, const struct rec_hist *key)
{
	return intern_mix(l->index->seed, (uint64_t)(unsigned)key->group << 8 | key->kind);
}

const struct rec_hist *latency_find(const struct rec_latency *l, int group, enum latency_kind kind)
{
	struct rec_hist key = { .group = group, .kind = kind };
	int id = intern_find(&l->index->hists, hist_hash(l, &key), hist_equal, l, &key);

	return id < 0 ? NULL : &l->hists[id];
}

struct rec_hist *latency_hist(struct rec_latency *l, int group, enum latency_kind kind)
{
	struct rec_hist new = { .group = group, .kind = kind }, *hists;
	uint64_t hash = hist_hash(l, &new);
	int id = intern_find(&l->index->hists, hash, hist_equal, l, &new);

	if (id >= 0)
		return &l->hists[id];
	hists = intern_grow(l->hists, &l->max_hists, l->n_hists + 1, sizeof(*hists));
	if (!hists)
		return NULL;
	l->hists = hists;
	new.buckets = calloc(HIST_BUCKETS, sizeof(*new.buckets));
	if (!new.buckets || intern_add(&l->index->hists, hash, (int)l->n_hists)) {
		free(new.buckets);
		return NULL;
	}
	hists[l->n_hists] = new;
	return &hists[l->n_hists++];
}

void latency_merge(struct rec_hist *to, const struct hist *more)
{
	if (!more->count)
		return;
	if (!to->count || more->min_ns < to->min_ns)
		to->min_ns = more->min_ns;
	if (more->max_ns > to->max_ns)
		to->max_ns = more->max_ns;
	to->count += more->count;
	to->sum_ns += more->sum_ns;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		to->buckets[i] += more->buckets[i];
}

uint64_t latency_quantile(const struct rec_hist *h, unsigned permille)
{
	return quantile_ns(&(struct quantile_of){ h->buckets, h->count, h->min_ns, h->max_ns }, permille);
}

/* --- causes --- */

static bool cause_equal(const void *owner, uint32_t id, const void *key)
{
	const struct rec_cause *have = &((const struct rec_latency *)owner)->causes[id], *want = key;

	return have->cause == want->cause && have->id == want->id && have->name == want->name &&
	       have->quarter == want->quarter && have->preempted == want->preempted;
}

int latency_cause(struct rec_latency *l, const struct rec_cause *more)
{
	uint64_t hash = intern_mix(l->index->seed, (uint64_t)more->quarter << 16 | more->cause << 1 | more->preempted);
	struct rec_cause *causes;
	int id;

	hash = intern_mix(hash, (uint64_t)(unsigned)more->name << 32 | (unsigned)more->id);
	id = intern_find(&l->index->causes, hash, cause_equal, l, more);
	if (id >= 0) {
		l->causes[id].spans += more->spans;
		l->causes[id].ns += more->ns;
		return 0;
	}
	causes = intern_grow(l->causes, &l->max_causes, l->n_causes + 1, sizeof(*causes));
	if (!causes)
		return -ENOMEM;
	l->causes = causes;
	if (intern_add(&l->index->causes, hash, (int)l->n_causes))
		return -ENOMEM;
	causes[l->n_causes++] = *more;
	return 0;
}

/* --- cases and points --- */

/* Where it belongs: behind all that are as bad, before those of --above. */
static size_t place_of(const struct rec_latency *l, const struct rec_case *c)
{
	size_t i = 0;

	if (c->above)
		return l->n_cases;
	while (i < l->n_cases && !l->cases[i].above && l->cases[i].total_ns >= c->total_ns)
		i++;
	return i;
}

/* Index of the first that is too many, or n_cases. */
static size_t surplus(const struct rec_latency *l)
{
	return l->worst < l->n_cases && !l->cases[l->worst].above ? l->worst : l->n_cases;
}

int latency_case(struct rec_latency *l, const struct rec_case *c)
{
	struct rec_case *cases = intern_grow(l->cases, &l->max_cases, l->n_cases + 1, sizeof(*cases));
	size_t at;

	if (!cases) {
		free_case(c);
		return -ENOMEM;
	}
	l->cases = cases;
	at = place_of(l, c);
	memmove(cases + at + 1, cases + at, (l->n_cases - at) * sizeof(*cases));
	cases[at] = *c;
	cases[at].number = l->n_given++;
	l->n_cases++;
	at = surplus(l);
	if (at < l->n_cases) {
		free_case(&cases[at]);
		l->n_cases--;
		memmove(cases + at, cases + at + 1, (l->n_cases - at) * sizeof(*cases));
	}
	return 0;
}

int latency_point(struct rec_latency *l, const struct rec_point *p)
{
	struct rec_point *points = intern_grow(l->points, &l->max_points, l->n_points + 1, sizeof(*points));

	if (!points)
		return -ENOMEM;
	l->points = points;
	points[l->n_points++] = *p;
	return 0;
}
