/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/intern.h"
#include "symbols/process.h"
#include "symbols/resolve.h"

struct symbols {
	struct processes processes;
	struct resolver resolver;
	struct recording *r; /* that the ids kept here belong to */
	int none, kernel;    /* its mappings of that kind */
	uint64_t seen_ns;    /* of the stack in work ... */
	uint32_t *frames;    /* ... and what becomes of it */
	size_t frames_max;
};

int symbols_open(struct symbols **out)
{
	struct symbols *s = calloc(1, sizeof(*s));
	int err = s ? processes_init(&s->processes) : -ENOMEM;

	if (err) {
		free(s);
		s = NULL;
	}
	*out = s;
	return err;
}

void symbols_close(struct symbols *s)
{
	if (!s)
		return;
	processes_free(&s->processes);
	free(s->frames);
	free(s);
}

static void forget_ids(struct object *object, void *ctx)
{
	(void)ctx;
	object->mapping = -1;
	object->pending = false;
}

/* 0 or -ENOMEM. Ids are kept by objects, so that a frame costs no look-up of its mapping. */
static int use_recording(struct symbols *s, struct recording *r)
{
	struct rec_mapping none = { .kind = MAPPING_NONE }, kernel = { .kind = MAPPING_KERNEL };

	if (s->r == r)
		return 0;
	objects_each(&s->processes.objects, forget_ids, NULL);
	s->resolver = (struct resolver){ 0 };
	kernel.name = recording_string(r, "[kernel]");
	if (kernel.name < 0)
		return kernel.name;
	s->none = recording_mapping(r, &none);
	s->kernel = recording_mapping(r, &kernel);
	if (s->none < 0 || s->kernel < 0)
		return -ENOMEM;
	s->r = r;
	return 0;
}

int symbols_watch_open(struct symbols *s)
{
	return sideband_open(&s->processes.sideband);
}

int symbols_watch_start(struct symbols *s)
{
	return sideband_start(&s->processes.sideband);
}

void symbols_watch_cpus(struct symbols *s, const struct cpu_list *online, uint64_t blind_ns, bool anew)
{
	struct sideband *b = &s->processes.sideband;

	if (b->n)
		sideband_follow(b, online, sideband_now_ns(b) - blind_ns, anew);
}

void symbols_watch(struct symbols *s)
{
	processes_watch(&s->processes);
}

void symbols_expect(struct symbols *s, int tgid)
{
	processes_adopt(&s->processes, tgid);
}

uint64_t symbols_watch_lost(const struct symbols *s)
{
	return s->processes.sideband.lost + s->processes.sideband.generations.dropped;
}

bool symbols_learn(struct symbols *s, const struct raw_stack *raw)
{
	struct processes *processes = &s->processes;
	struct process *process;

	if (!raw->user_frames)
		return true;
	process = processes_find(processes, &raw->process, raw->seen_ns);
	if (!process) {
		/* With too many files open nothing is read: symbols_stack() makes room, having the recording. */
		if (processes_full(processes))
			return false;
		process = processes_get(processes, &raw->process, raw->seen_ns);
	}
	for (unsigned i = 0; process && i < raw->user_frames; i++)
		process_map(processes, process, raw->user[i] - (i > 0), i == 0, raw->seen_ns);
	return true;
}

void symbols_learnt(struct symbols *s)
{
	generations_age(&s->processes.sideband.generations);
}

void symbols_age(struct symbols *s)
{
	s->processes.round++;
	processes_evict(&s->processes, 2);
}

/* Too many files are open: names their locations now and lets go of those of processes not seen of late. */
static int make_room(struct symbols *s)
{
	struct objects *objects = &s->processes.objects;
	int err;

	for (unsigned rounds = 1; objects_full(objects); rounds--) {
		processes_evict(&s->processes, rounds);
		err = resolve_files(objects, s->r);
		if (err)
			return err;
		objects_collect(objects);
		if (!rounds)
			break;
	}
	return 0;
}

static int get_process(struct symbols *s, const struct process_id *id, uint64_t seen_ns, struct process **process)
{
	int err = 0;

	*process = processes_find(&s->processes, id, seen_ns);
	if (*process)
		return 0;
	if (objects_full(&s->processes.objects))
		err = make_room(s);
	if (err)
		return err;
	*process = processes_get(&s->processes, id, seen_ns);
	return *process ? 0 : -ENOMEM;
}

/*
 * Of what is nowhere mapped the address is dropped: it says nothing, and stray pointers, each another,
 * would fill the tables of a long run.
 */
static int nowhere(struct symbols *s, enum why why)
{
	return recording_location(s->r, s->none, 0, why);
}

static int locate_in(struct symbols *s, const struct process_map *map, uint64_t address)
{
	struct object *object = map->object;
	int mapping = object_mapping(object, s->r);
	uint64_t offset = address - map->start + map->offset;
	int location;

	if (mapping < 0)
		return mapping;
	if (object->kind == MAPPING_ANON)
		return recording_location(s->r, mapping, address, WHY_ANON);
	if (object->why != WHY_NAMED)
		return recording_location(s->r, mapping, offset, object->why);
	if (!elf_address(object->loads, object->n_loads, offset, &address))
		return recording_location(s->r, mapping, offset, WHY_NO_SYMBOL);
	location = recording_location(s->r, mapping, address, WHY_UNRESOLVED);
	if (location >= 0 && s->r->locations[location].why == WHY_UNRESOLVED)
		object->pending = true;
	return location;
}

static int locate_user(struct symbols *s, struct process *process, uint64_t address, bool is_leaf)
{
	const struct process_map *map;
	bool is_known;

	if (process->why != WHY_NAMED)
		return nowhere(s, process->why);
	map = process_map(&s->processes, process, address, is_leaf, s->seen_ns);
	if (map)
		return locate_in(s, map, address);
	/* Of some processes everything is known though they are gone. */
	is_known = process->by_events ? process->is_complete : !process->gone;
	return nowhere(s, is_known ? WHY_NO_MAPPING : WHY_PROCESS_GONE);
}

static int locate_kernel(struct symbols *s, struct process *process, uint64_t address, bool is_leaf)
{
	(void)process;
	(void)is_leaf;
	return recording_location(s->r, s->kernel, address, WHY_UNRESOLVED);
}

/* One side of the stack, to s->frames + used. Number of frames or -ENOMEM. A caller lies before its return address. */
static int add_side(struct symbols *s, size_t used, const uint64_t *addresses, unsigned n, unsigned max_frames,
		    bool failed, struct process *process,
		    int (*locate)(struct symbols *s, struct process *process, uint64_t address, bool is_leaf))
{
	unsigned count = 0;

	for (unsigned i = 0; i <= n; i++) {
		int location;

		if (i < n)
			location = locate(s, process, addresses[i] - (i > 0), i == 0);
		else if (failed)
			location = nowhere(s, WHY_STACK_FAILED);
		else if (max_frames && n >= max_frames)
			location = nowhere(s, WHY_TRUNCATED);
		else
			break;
		if (location < 0)
			return location;
		/* Without frame pointers the kernel takes any word for a caller: where nothing is mapped, none was. */
		if (i && i < n && s->r->locations[location].why == WHY_NO_MAPPING)
			break;
		s->frames[used + count++] = (uint32_t)location;
	}
	return (int)count;
}

int symbols_stack(struct symbols *s, struct recording *r, const struct raw_stack *raw)
{
	size_t room = (size_t)raw->kernel_frames + raw->user_frames + 2;
	void *frames = intern_grow(s->frames, &s->frames_max, room, sizeof(*s->frames));
	struct process *process = NULL;
	int kernel, user, err;

	if (!frames)
		return -ENOMEM;
	s->frames = frames;
	s->seen_ns = raw->seen_ns;
	err = use_recording(s, r);
	if (!err && raw->user_frames)
		err = get_process(s, &raw->process, raw->seen_ns, &process);
	if (err)
		return err;
	kernel = add_side(s, 0, raw->kernel, raw->kernel_frames, raw->max_frames, raw->kernel_failed, NULL,
			  locate_kernel);
	if (kernel < 0)
		return kernel;
	user = add_side(s, (size_t)kernel, raw->user, raw->user_frames, raw->max_frames, raw->user_failed, process,
			locate_user);
	if (user < 0)
		return user;
	return recording_stack(r, s->frames, (unsigned)kernel, (unsigned)user);
}

int symbols_resolve(struct symbols *s, struct recording *r)
{
	int err = use_recording(s, r);

	if (!err)
		err = resolve_files(&s->processes.objects, r);
	if (!err)
		err = resolve_kernel(&s->resolver, r);
	objects_collect(&s->processes.objects);
	return err;
}
