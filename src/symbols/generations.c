/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/generations.h"

#include <stdlib.h>

#include "core/intern.h"

#define LOOKS_KEPT 2 /* a sample that was being made during one look is seen by the next */

static struct generation **bucket_of(const struct generations *gs, int tgid)
{
	return (struct generation **)&gs->buckets[intern_mix(0, (uint64_t)tgid) % GENERATION_BUCKETS];
}

/* The newest of that number, or NULL. */
static struct generation *newest(const struct generations *gs, int tgid)
{
	struct generation *g = *bucket_of(gs, tgid);

	while (g && g->tgid != tgid)
		g = g->next;
	return g;
}

struct generation *generations_current(const struct generations *gs, int tgid)
{
	struct generation *g = newest(gs, tgid);

	return g && g->end_ns == GENERATION_NEVER ? g : NULL;
}

static void end(struct generations *gs, struct generation *g, uint64_t time_ns)
{
	if (!gs->ended)
		gs->ended_tail = &gs->ended;
	g->end_ns = time_ns;
	g->end_look = gs->look;
	g->next_ended = NULL;
	*gs->ended_tail = g;
	gs->ended_tail = &g->next_ended;
}

static struct generation *begin(struct generations *gs, int tgid, uint64_t time_ns)
{
	struct generation **bucket = bucket_of(gs, tgid), *g = NULL;

	if (gs->n < GENERATIONS_MAX)
		g = calloc(1, sizeof(*g));
	if (!g) {
		gs->dropped++;
		return NULL;
	}
	g->tgid = tgid;
	g->begin_ns = time_ns;
	g->end_ns = g->doubt_ns = GENERATION_NEVER;
	g->threads = 1;
	g->next = *bucket;
	*bucket = g;
	gs->n++;
	return g;
}

static void release(struct generations *gs, struct generation *g)
{
	struct generation **at = bucket_of(gs, g->tgid);

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	code_maps_put(&gs->store, g->maps);
	free(g);
	gs->n--;
}

void generations_free(struct generations *gs)
{
	for (size_t i = 0; i < GENERATION_BUCKETS; i++)
		while (gs->buckets[i])
			release(gs, gs->buckets[i]);
	gs->ended = NULL;
}

void generations_age(struct generations *gs)
{
	gs->look++;
	while (gs->ended && gs->look - gs->ended->end_look >= LOOKS_KEPT) {
		struct generation *g = gs->ended;

		gs->ended = g->next_ended;
		release(gs, g);
	}
}

struct generation *generations_adopt(struct generations *gs, int tgid)
{
	struct generation *g = NULL;

	if (tgid > 0 && !generations_current(gs, tgid))
		g = begin(gs, tgid, gs->doubted_ns);
	if (!g)
		return NULL;
	g->threads = 0; /* not known: its end will not be seen */
	g->origin_tgid = tgid;
	g->origin_ns = g->begin_ns;
	if (gs->n_adopted < GENERATIONS_ADOPTED_MAX)
		gs->adopted[gs->n_adopted++] = tgid;
	return g;
}

void generations_fork(struct generations *gs, int tgid, int parent_tgid, uint64_t time_ns)
{
	struct generation *old = generations_current(gs, tgid), *parent, *g;

	if (old) /* its end was not told */
		end(gs, old, time_ns);
	parent = generations_current(gs, parent_tgid);
	if (parent && parent->doubt_ns != GENERATION_NEVER) {
		end(gs, parent, time_ns);
		parent = NULL;
	}
	if (!parent)
		parent = generations_adopt(gs, parent_tgid);
	g = begin(gs, tgid, time_ns);
	if (!g)
		return;
	g->fork_ns = time_ns;
	g->parent_tgid = parent_tgid;
	if (!parent)
		return;
	g->is_complete = parent->is_complete;
	g->origin_tgid = parent->origin_tgid;
	g->origin_ns = parent->origin_ns;
	g->maps = code_maps_share(parent->maps);
}

void generations_thread(struct generations *gs, int tgid)
{
	struct generation *g = generations_current(gs, tgid);

	if (g && g->threads)
		g->threads++;
}

void generations_exec(struct generations *gs, int tgid, uint64_t time_ns)
{
	struct generation *old = generations_current(gs, tgid), *g;

	if (old)
		end(gs, old, time_ns);
	g = begin(gs, tgid, time_ns); /* exec ended all threads but one */
	if (!g)
		return;
	g->is_complete = true;
	if (old) {
		g->fork_ns = old->fork_ns;
		g->parent_tgid = old->parent_tgid;
	}
}

void generations_map(struct generations *gs, int tgid, uint64_t time_ns, const struct maps_line *m)
{
	struct generation *g = generations_current(gs, tgid);

	if (!g)
		return;
	g->version++;
	if (!code_maps_add(&gs->store, &g->maps, m, time_ns))
		return;
	gs->dropped++;
	g->is_complete = false;
	g->origin_tgid = 0;
}

void generations_exit(struct generations *gs, int tgid, uint64_t time_ns)
{
	struct generation *g = generations_current(gs, tgid);

	if (g && g->threads && !--g->threads)
		end(gs, g, time_ns);
}

void generations_doubt(struct generations *gs, uint64_t since_ns, uint64_t until_ns)
{
	if (until_ns > gs->doubted_ns)
		gs->doubted_ns = until_ns;
	for (size_t i = 0; i < GENERATION_BUCKETS; i++)
		for (struct generation *g = gs->buckets[i]; g; g = g->next)
			if (g->end_ns > since_ns && g->doubt_ns > since_ns)
				g->doubt_ns = since_ns;
}

/* A process begins a moment before its fork is told, and before its exec. */
static bool fits(const struct generation *g, const struct process_id *id, uint64_t seen_ns)
{
	uint64_t started_ns = g->fork_ns ? g->fork_ns : g->begin_ns;

	return (!started_ns || id->start_ns <= started_ns) && seen_ns <= g->end_ns && seen_ns < g->doubt_ns &&
	       (!g->is_joined || g->exec_id == id->exec_id);
}

struct generation *generations_find(const struct generations *gs, const struct process_id *id, uint64_t seen_ns,
				    bool *later)
{
	*later = false;
	for (struct generation *g = *bucket_of(gs, id->tgid); g; g = g->next) {
		if (g->tgid != id->tgid)
			continue;
		if (g->begin_ns > seen_ns) {
			*later = true;
			continue;
		}
		if (!fits(g, id, seen_ns))
			return NULL;
		g->is_joined = true;
		g->exec_id = id->exec_id;
		return g;
	}
	return NULL;
}

bool generations_unchanged(const struct generations *gs, int tgid, uint64_t since_ns)
{
	const struct generation *g = newest(gs, tgid);

	if (since_ns < gs->doubted_ns)
		return false;
	return !g || (g->begin_ns <= since_ns && g->end_ns == GENERATION_NEVER);
}

void generation_complete(struct generations *gs, struct generation *g, struct code_maps *base)
{
	int err = 0;

	for (unsigned i = 0; g->maps && i < g->maps->n && !err; i++) {
		const struct code_map *map = &g->maps->list[i];
		struct maps_line m = { .start = map->start,
				       .end = map->end,
				       .offset = map->offset,
				       .dev = map->file->dev,
				       .inode = map->file->inode,
				       .path = map->file->path };

		err = code_maps_add(&gs->store, &base, &m, map->since_ns);
	}
	if (err) {
		gs->dropped++;
		code_maps_put(&gs->store, base);
		return;
	}
	code_maps_put(&gs->store, g->maps);
	g->maps = base;
	g->is_complete = true;
	g->version++;
}
