/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/process_maps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/intern.h"
#include "core/proc.h"

#define TASKS_MAX 1024 /* looked at, in a process whose first thread has ended */

void process_drop_maps(struct processes *p, struct process *process)
{
	for (unsigned i = 0; i < process->n_maps; i++)
		objects_put(&p->objects, process->maps[i].object);
	free(process->maps);
	process->maps = NULL;
	process->n_maps = 0;
}

/* Where maps are gathered. */
struct reader {
	struct processes *processes;
	int tid;
	size_t lines; /* executable ones */
	struct process_map *maps;
	size_t n, capacity;
	struct code_maps *base; /* what is gathered for a generation */
};

/* A split mapping (mprotect) goes on where the one before ended. */
static bool continues(const struct process_map *last, const struct process_map *map)
{
	return last->object == map->object && last->end == map->start &&
	       (!map->object->inode || last->offset + (last->end - last->start) == map->offset);
}

static int add_map(struct reader *reader, const struct maps_line *m)
{
	struct objects *objects = &reader->processes->objects;
	struct process_map map = { m->start, m->end, m->offset, NULL }, *last = NULL;
	void *grown;

	if (!m->is_executable || reader->n >= PROCESS_MAPS_MAX)
		return 0;
	reader->lines++;
	if (reader->n)
		last = &reader->maps[reader->n - 1];
	if (last && m->start < last->end) /* changed between two reads: the search wants them ascending */
		return 0;
	grown = intern_grow(reader->maps, &reader->capacity, reader->n + 1, sizeof(map));
	if (!grown)
		return -ENOMEM;
	reader->maps = grown;
	map.object = objects_get(objects, reader->tid, m);
	if (!map.object)
		return -ENOMEM;
	if (reader->n && continues(&reader->maps[reader->n - 1], &map)) {
		reader->maps[reader->n - 1].end = map.end;
		objects_put(objects, map.object);
		return 0;
	}
	reader->maps[reader->n++] = map;
	return 0;
}

static int on_line(void *ctx, const struct maps_line *m)
{
	return add_map(ctx, m);
}

/* For a generation: no file is opened. */
static int on_base_line(void *ctx, const struct maps_line *m)
{
	struct reader *reader = ctx;

	if (!m->is_executable)
		return 0;
	reader->lines++;
	return code_maps_add(&reader->processes->sideband.generations.store, &reader->base, m, 0);
}

/* By any thread's id: /proc/TID exists, though it is not listed. 0 or -errno; -ESRCH: it has no maps (left). */
static int read_task(int tid, maps_fn *fn, struct reader *reader)
{
	char path[32];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	reader->tid = tid;
	err = maps_read(fd, fn, reader);
	close(fd);
	return !err && !reader->lines ? -ESRCH : err;
}

/* The first thread has ended before the others: they still have what it had. */
static int read_other_task(int tgid, maps_fn *fn, struct reader *reader)
{
	char path[32];
	struct dirent *entry;
	int err = -ESRCH, n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", tgid);
	dir = opendir(path);
	while (dir && err == -ESRCH && n++ < TASKS_MAX && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != tgid)
			err = read_task(atoi(entry->d_name), fn, reader);
	if (dir)
		closedir(dir);
	return err;
}

/* 0 or -errno of /proc. */
static int read_proc(int tgid, maps_fn *fn, struct reader *reader)
{
	int err = read_task(tgid, fn, reader);

	return err == -ESRCH ? read_other_task(tgid, fn, reader) : err;
}

/* Is the number still that process's? An unknown start (0) is not doubted. */
static bool is_same(const struct processes *p, const struct process_id *id)
{
	uint64_t ticks;

	return !id->start_ns ||
	       (!proc_start_ticks(id->tgid, &ticks) && ticks == proc_ticks_of_ns(id->start_ns, p->boottime_offset_ns));
}

static enum why why_of_errno(int err)
{
	return err == -EACCES || err == -EPERM ? WHY_NO_PERMISSION : WHY_PROCESS_GONE;
}

/* Puts what was gathered, or after an error nothing, in the place of what the process had. */
static void take_over(struct processes *p, struct process *process, struct reader *reader, int err)
{
	struct process old = *process;

	if (err) {
		old.maps = reader->maps;
		old.n_maps = (unsigned)reader->n;
	} else {
		process->maps = reader->maps;
		process->n_maps = (unsigned)reader->n;
		process->why = WHY_NAMED;
	}
	process_drop_maps(p, &old);
}

/* Did that number run another program or process since that sample? Not seen_ns: then events tell nothing. */
static bool has_changed(struct processes *p, const struct process_id *id, uint64_t seen_ns)
{
	bool later = false;

	if (seen_ns)
		generations_find(&p->sideband.generations, id, seen_ns, &later);
	return later;
}

/* All is compared after reading: if it is right then, it was right before. */
static int read_now(struct processes *p, struct process *process, uint64_t seen_ns)
{
	struct reader reader = { .processes = p };
	int err = has_changed(p, &process->id, seen_ns) ? -ESRCH : read_proc(process->id.tgid, on_line, &reader);

	if (!err) {
		sideband_read(&p->sideband);
		if (has_changed(p, &process->id, seen_ns) || !is_same(p, &process->id))
			err = -ESRCH;
	}
	if (err) {
		process->gone = true;
		if (!process->maps)
			process->why = why_of_errno(err);
	} else {
		process->by_events = false;
		process->is_complete = false;
	}
	take_over(p, process, &reader, err);
	return err == -ENOMEM ? err : 0;
}

/* What a process had mapped that goes on as it was at `since_ns`. NULL: there is none, or it cannot be read. */
static struct code_maps *read_base(struct processes *p, int tgid, uint64_t since_ns)
{
	const struct generations *gs = &p->sideband.generations;
	const struct generation *known = generations_current(gs, tgid);
	struct reader reader = { .processes = p };

	if (tgid <= 0 || !generations_unchanged(gs, tgid, since_ns))
		return NULL;
	if (known && known->is_complete)
		return code_maps_share(known->maps);
	if (!read_proc(tgid, on_base_line, &reader)) {
		sideband_read(&p->sideband);
		if (generations_unchanged(gs, tgid, since_ns))
			return reader.base;
	}
	code_maps_put(&p->sideband.generations.store, reader.base);
	return NULL;
}

/* A child that never exec'd has its parent's mappings, who may be older than the events. */
static void complete(struct processes *p, struct generation *g)
{
	struct code_maps *base = read_base(p, g->tgid, g->begin_ns);

	if (!base)
		base = read_base(p, g->parent_tgid, g->begin_ns);
	if (!base && g->origin_tgid != g->parent_tgid)
		base = read_base(p, g->origin_tgid, g->origin_ns);
	if (base)
		generation_complete(&p->sideband.generations, g, base);
}

static uint64_t realtime_of_boot_ns(void)
{
	struct timespec real, boot;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (uint64_t)(real.tv_sec - boot.tv_sec) * 1000000000u + (uint64_t)(real.tv_nsec - boot.tv_nsec);
}

/* The mappings of a generation, their files opened now. 0 or -ENOMEM. */
static int take_generation(struct processes *p, struct process *process, const struct generation *g)
{
	bool is_alive = generations_current(&p->sideband.generations, g->tgid);
	/* Who is gone has no root any more to seek files in; his parent most likely had the same. */
	struct reader reader = { .processes = p, .tid = is_alive ? g->tgid : g->parent_tgid };
	uint64_t offset_ns = realtime_of_boot_ns() + (uint64_t)p->boottime_offset_ns;
	int err = 0;

	for (unsigned i = 0; g->maps && i < g->maps->n && !err; i++) {
		const struct code_map *map = &g->maps->list[i];
		struct maps_line m = {
			.start = map->start,
			.end = map->end,
			.offset = map->offset,
			.dev = map->file->dev,
			.inode = map->file->inode,
			.is_executable = true,
			.path = map->file->path,
			.mapped_ns = map->since_ns ? map->since_ns + offset_ns : 0,
			.is_past = g->end_ns != GENERATION_NEVER,
		};

		err = add_map(&reader, &m);
	}
	process->by_events = true;
	process->is_complete = g->is_complete;
	process->version = g->version;
	process->gone = g->end_ns != GENERATION_NEVER;
	take_over(p, process, &reader, err);
	return err;
}

int process_update(struct processes *p, struct process *process, uint64_t seen_ns)
{
	struct generation *g = NULL;
	bool later;
	int err;

	if (seen_ns && process->id.tgid > 0)
		g = generations_find(&p->sideband.generations, &process->id, seen_ns, &later);
	if (!g)
		return 0;
	if (process->by_events && process->version == g->version)
		return 1;
	if (!g->is_complete)
		complete(p, g);
	if (!g->is_complete && !g->maps) /* reading /proc in vain will tell why */
		return 0;
	err = take_generation(p, process, g);
	return err ? err : 1;
}

int process_read(struct processes *p, struct process *process, uint64_t seen_ns)
{
	int by_events = process_update(p, process, seen_ns);

	if (by_events)
		return by_events < 0 ? by_events : 0;
	return read_now(p, process, seen_ns);
}

void processes_watch(struct processes *p)
{
	struct generations *gs = &p->sideband.generations;

	sideband_read(&p->sideband);
	while (gs->n_adopted) {
		struct generation *g = generations_current(gs, gs->adopted[--gs->n_adopted]);

		if (g && !g->is_complete)
			complete(p, g);
	}
}

void processes_adopt(struct processes *p, int tgid)
{
	if (p->sideband.n)
		generations_adopt(&p->sideband.generations, tgid);
	processes_watch(p);
}
