/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/process.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/intern.h"
#include "core/proc.h"
#include "symbols/process_maps.h"

#define USER_ADDRESS_MIN 4096 /* below nothing is ever mapped: stray pointers need no second look */
#define PAUSE_MIN_NS	 10000000
#define PAUSE_MAX_NS	 4000000000
#define REFRESH_NS	 30000000000 /* another library may lie where one was unloaded: nothing misses it */

int processes_init(struct processes *p)
{
	memset(p, 0, sizeof(*p));
	p->boottime_offset_ns = proc_boottime_offset_ns();
	return objects_init(&p->objects);
}

void processes_free(struct processes *p)
{
	processes_evict(p, 0);
	sideband_close(&p->sideband);
	objects_free(&p->objects);
}

bool processes_full(const struct processes *p)
{
	return p->n >= PROCESSES_MAX / 4 * 3 || objects_full(&p->objects);
}

static struct process **bucket_of(struct processes *p, const struct process_id *id)
{
	return &p->buckets[intern_mix(0, (uint64_t)id->tgid) % PROCESS_BUCKETS];
}

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE); /* to a tick is enough, and cheap */
}

/* Did that process run another program since? Then /proc shows the other's maps. */
static bool is_superseded(struct processes *p, const struct process_id *id)
{
	for (const struct process *other = *bucket_of(p, id); other; other = other->next)
		if (other->id.tgid == id->tgid && other->id.start_ns == id->start_ns &&
		    (int32_t)(other->id.exec_id - id->exec_id) > 0)
			return true;
	return false;
}

/* 0 or -ENOMEM. */
static int read_again(struct processes *p, struct process *process, uint64_t seen_ns)
{
	process->read_ns = now_ns();
	return process_read(p, process, seen_ns);
}

struct process *processes_find(struct processes *p, const struct process_id *id, uint64_t seen_ns)
{
	for (struct process *process = *bucket_of(p, id); process; process = process->next) {
		if (process->id.tgid == id->tgid && process->id.exec_id == id->exec_id &&
		    process->id.start_ns == id->start_ns) {
			process->round_used = p->round;
			if (!process->gone && now_ns() - process->read_ns > REFRESH_NS)
				read_again(p, process, seen_ns); /* without memory for that it keeps those it has */
			return process;
		}
	}
	return NULL;
}

/* 0 or -ENOMEM. */
static int read_first(struct processes *p, struct process *process, uint64_t seen_ns)
{
	int by_events;

	if (!is_superseded(p, &process->id))
		return read_again(p, process, seen_ns);
	by_events = process_update(p, process, seen_ns);
	if (!by_events)
		process->gone = true;
	return by_events < 0 ? by_events : 0;
}

struct process *processes_get(struct processes *p, const struct process_id *id, uint64_t seen_ns)
{
	struct process *process = processes_find(p, id, seen_ns), **bucket = bucket_of(p, id);
	int err = 0;

	if (process)
		return process;
	if (p->n >= PROCESSES_MAX)
		processes_evict(p, 1);
	if (p->n >= PROCESSES_MAX)
		processes_evict(p, 0);
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->id = *id;
	process->round_used = p->round;
	process->pause_ns = PAUSE_MIN_NS;
	process->why = id->tgid > 0 ? WHY_PROCESS_GONE : WHY_NO_PERMISSION;
	if (id->tgid > 0)
		err = read_first(p, process, seen_ns);
	else
		process->gone = true;
	if (err) {
		process_drop_maps(p, process);
		free(process);
		return NULL;
	}
	process->next = *bucket;
	*bucket = process;
	p->n++;
	return process;
}

static const struct process_map *search(const struct process *process, uint64_t address)
{
	size_t low = 0, high = process->n_maps;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->maps[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < process->n_maps && process->maps[low].start <= address)
		return &process->maps[low];
	return NULL;
}

const struct process_map *process_map(struct processes *p, struct process *process, uint64_t address, bool is_leaf,
				      uint64_t seen_ns)
{
	const struct process_map *map = search(process, address);

	if (map || address < USER_ADDRESS_MIN)
		return map;
	if (process->by_events && process_update(p, process, seen_ns))
		return search(process, address);
	if (process->gone || now_ns() - process->read_ns < (is_leaf ? PAUSE_MIN_NS : process->pause_ns))
		return NULL;
	if (read_again(p, process, seen_ns))
		return NULL;
	map = search(process, address);
	if (map)
		process->pause_ns = PAUSE_MIN_NS;
	else if (process->pause_ns < PAUSE_MAX_NS)
		process->pause_ns *= 2;
	return map;
}

void processes_evict(struct processes *p, unsigned rounds)
{
	for (size_t i = 0; i < PROCESS_BUCKETS; i++) {
		struct process **at = &p->buckets[i], *process;

		while ((process = *at)) {
			if (p->round - process->round_used < rounds) {
				at = &process->next;
				continue;
			}
			*at = process->next;
			process_drop_maps(p, process);
			free(process);
			p->n--;
		}
	}
}
