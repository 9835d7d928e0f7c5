/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/process.h"

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

#define USER_ADDRESS_MIN 4096 /* below nothing is ever mapped: stray pointers need no second look */
#define PAUSE_MIN_NS	 10000000
#define PAUSE_MAX_NS	 4000000000
#define REFRESH_NS	 30000000000 /* another library may lie where one was unloaded: nothing misses it */
#define TASKS_MAX	 1024	     /* looked at, in a process whose first thread has ended */

int processes_init(struct processes *p)
{
	memset(p, 0, sizeof(*p));
	p->boottime_offset_ns = proc_boottime_offset_ns();
	return objects_init(&p->objects);
}

static void drop_maps(struct processes *p, struct process *process)
{
	for (unsigned i = 0; i < process->n_maps; i++)
		objects_put(&p->objects, process->maps[i].object);
	free(process->maps);
	process->maps = NULL;
	process->n_maps = 0;
}

void processes_free(struct processes *p)
{
	processes_evict(p, 0);
	objects_free(&p->objects);
}

static struct process **bucket_of(struct processes *p, const struct process_id *id)
{
	return &p->buckets[intern_mix(0, (uint64_t)id->tgid) % PROCESS_BUCKETS];
}

/* Where maps are gathered. */
struct reader {
	struct processes *processes;
	int tid;
	struct process_map *maps;
	size_t n, capacity;
};

/* A split mapping (mprotect) goes on where the one before ended. */
static bool continues(const struct process_map *last, const struct process_map *map)
{
	return last->object == map->object && last->end == map->start &&
	       (!map->object->inode || last->offset + (last->end - last->start) == map->offset);
}

static int add_map(void *ctx, const struct maps_line *m)
{
	struct reader *reader = ctx;
	struct objects *objects = &reader->processes->objects;
	struct process_map map = { m->start, m->end, m->offset, NULL }, *last = NULL;
	void *grown;

	if (!m->is_executable || reader->n >= PROCESS_MAPS_MAX)
		return 0;
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

static enum why why_of_errno(int err)
{
	return err == -EACCES || err == -EPERM ? WHY_NO_PERMISSION : WHY_PROCESS_GONE;
}

/* Is the number still that process's? An unknown start (0) is not doubted. */
static bool is_same(const struct processes *p, const struct process_id *id)
{
	uint64_t ticks;

	return !id->start_ns ||
	       (!proc_start_ticks(id->tgid, &ticks) && ticks == proc_ticks_of_ns(id->start_ns, p->boottime_offset_ns));
}

/* By any thread's id: /proc/TID exists, though it is not listed. 0 or -errno; -ESRCH: it has no maps (left). */
static int read_task(int tid, struct reader *reader)
{
	char path[32];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	reader->tid = tid;
	err = maps_read(fd, add_map, reader);
	close(fd);
	return !err && !reader->n ? -ESRCH : err;
}

/* The first thread has ended before the others: they still have what it had. */
static int read_other_task(int tgid, struct reader *reader)
{
	char path[32];
	struct dirent *entry;
	int err = -ESRCH, n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", tgid);
	dir = opendir(path);
	while (dir && err == -ESRCH && n++ < TASKS_MAX && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != tgid)
			err = read_task(atoi(entry->d_name), reader);
	if (dir)
		closedir(dir);
	return err;
}

/* 0 or -errno of /proc. The start is compared after reading: if it is right then, it was right before. */
static int read_maps(const struct processes *p, const struct process_id *id, struct reader *reader)
{
	int err = read_task(id->tgid, reader);

	if (err == -ESRCH)
		err = read_other_task(id->tgid, reader);
	return !err && !is_same(p, id) ? -ESRCH : err;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t); /* to a tick is enough, and cheap */
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Replaces the maps by those of now; if that fails, keeps the old ones. 0 or -ENOMEM. */
static int process_read(struct processes *p, struct process *process)
{
	struct reader reader = { .processes = p };
	struct process old = *process;
	int err = read_maps(p, &process->id, &reader);

	process->read_ns = now_ns();
	if (err) {
		old.maps = reader.maps;
		old.n_maps = (unsigned)reader.n;
		process->gone = true;
		if (!process->maps)
			process->why = why_of_errno(err);
	} else {
		process->maps = reader.maps;
		process->n_maps = (unsigned)reader.n;
		process->why = WHY_NAMED;
	}
	drop_maps(p, &old);
	return err == -ENOMEM ? err : 0;
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

struct process *processes_find(struct processes *p, const struct process_id *id)
{
	for (struct process *process = *bucket_of(p, id); process; process = process->next) {
		if (process->id.tgid == id->tgid && process->id.exec_id == id->exec_id &&
		    process->id.start_ns == id->start_ns) {
			process->round_used = p->round;
			if (!process->gone && now_ns() - process->read_ns > REFRESH_NS)
				process_read(p, process); /* without memory for that it keeps those it has */
			return process;
		}
	}
	return NULL;
}

struct process *processes_get(struct processes *p, const struct process_id *id)
{
	struct process *process = processes_find(p, id), **bucket = bucket_of(p, id);
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
	process->gone = true;
	process->why = id->tgid > 0 ? WHY_PROCESS_GONE : WHY_NO_PERMISSION;
	if (id->tgid > 0 && !is_superseded(p, id)) {
		process->gone = false;
		err = process_read(p, process);
	}
	if (err) {
		drop_maps(p, process);
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

const struct process_map *process_map(struct processes *p, struct process *process, uint64_t address, bool is_leaf)
{
	const struct process_map *map = search(process, address);

	if (map || process->gone || address < USER_ADDRESS_MIN ||
	    now_ns() - process->read_ns < (is_leaf ? PAUSE_MIN_NS : process->pause_ns))
		return map;
	if (process_read(p, process))
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
			drop_maps(p, process);
			free(process);
			p->n--;
		}
	}
}
