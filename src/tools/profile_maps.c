/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two sets of maps of `profile`: how large, swapped when, read how. While one set is read the
 * program fills the other, so nothing is missed and nothing is counted twice.
 */
#include <bpf/bpf.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/profile.h"

/*
 * Memory of one set: STACK_BYTES an entry in the arenas (60 frames are usual) and some 100 in the
 * index. The default is 9 MiB for both sets on 2 CPUs, and 80 MiB where there are 16 or more.
 */
#define STACK_BYTES  512
#define STACKS_A_CPU 4096
#define STACKS_MIN   8192
#define STACKS_MAX   65536

#define BATCH 1024

static size_t page_round(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

static uint64_t stacks_wanted(const struct session *s)
{
	const struct profile_options *o = s->options;
	uint64_t stacks = s->cpus.n * STACKS_A_CPU;

	if (o->max_stacks)
		return o->max_stacks;
	if (stacks < STACKS_MIN)
		return STACKS_MIN;
	return stacks > STACKS_MAX ? STACKS_MAX : stacks;
}

/* How often to look, so that an arena cannot fill in between even with the deepest stacks. */
static void choose_tick(struct session *s, uint32_t arena_bytes)
{
	const struct profile_state *p = s->state;
	uint64_t records = arena_bytes / 2 / PROFILE_RECORD_BYTES_MAX;

	if (p->rate_hz && records * 1000000000 / p->rate_hz < s->tick_ns)
		s->tick_ns = records * 1000000000 / p->rate_hz;
	if (s->tick_ns < 10 * 1000 * 1000)
		s->tick_ns = 10 * 1000 * 1000;
}

int profile_maps_size(struct session *s)
{
	struct profile_state *p = s->state;
	uint64_t stacks = stacks_wanted(s);
	uint64_t arena_bytes = stacks * STACK_BYTES / s->cpus.n;
	int possible = libbpf_num_possible_cpus();
	int err;

	if (possible < 0)
		return possible;
	if (arena_bytes < 4 * PROFILE_RECORD_BYTES_MAX)
		arena_bytes = 4 * PROFILE_RECORD_BYTES_MAX;
	arena_bytes = page_round(arena_bytes);
	p->skeleton->rodata->arena_bytes = (__u32)arena_bytes;
	p->skeleton->rodata->slots = (__u32)s->cpus.n;
	err = bpf_map__set_value_size(p->skeleton->maps.arenas, (__u32)arena_bytes);
	if (!err)
		err = bpf_map__set_max_entries(p->skeleton->maps.arenas, (__u32)(PROFILE_SETS * s->cpus.n));
	if (!err)
		err = bpf_map__set_max_entries(p->skeleton->maps.cpus, (__u32)possible);
	if (!err)
		err = bpf_map__set_max_entries(p->skeleton->maps.index_0, (__u32)stacks);
	if (!err)
		err = bpf_map__set_max_entries(p->skeleton->maps.index_1, (__u32)stacks);
	p->cpus_bytes = page_round((size_t)possible * sizeof(struct profile_cpu));
	p->arenas_bytes = (size_t)(PROFILE_SETS * s->cpus.n * arena_bytes);
	choose_tick(s, (uint32_t)arena_bytes);
	return err;
}

static int map_one(const struct bpf_map *map, size_t bytes, void **at)
{
	*at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (*at != MAP_FAILED)
		return 0;
	*at = NULL;
	return -errno;
}

int profile_maps_map(struct session *s)
{
	struct profile_state *p = s->state;
	int err = map_one(p->skeleton->maps.cpus, p->cpus_bytes, (void **)&p->cpus);

	if (!err)
		err = map_one(p->skeleton->maps.arenas, p->arenas_bytes, (void **)&p->arenas);
	if (err)
		return err;
	p->looked_at = calloc(s->cpus.n, sizeof(*p->looked_at));
	if (!p->looked_at)
		return -ENOMEM;
	for (size_t i = 0; i < s->cpus.n; i++)
		p->cpus[s->cpus.ids[i]].slot = (__u32)i;
	return 0;
}

void profile_maps_unmap(struct profile_state *p)
{
	if (p->cpus)
		munmap(p->cpus, p->cpus_bytes);
	if (p->arenas)
		munmap(p->arenas, p->arenas_bytes);
	free(p->looked_at);
}

/* NULL if it would reach out of its arena: what is read there was written by a program, not by us. */
static const struct profile_record *record_at(const struct profile_state *p, uint32_t arena, uint32_t offset)
{
	uint32_t arena_bytes = p->skeleton->rodata->arena_bytes;
	const struct profile_record *record;

	if (arena >= p->arenas_bytes / arena_bytes || offset > arena_bytes - PROFILE_RECORD_BYTES_MAX || offset % 8)
		return NULL;
	record = (const void *)(p->arenas + (size_t)arena * arena_bytes + offset);
	if (record->kernel_frames > PROFILE_FRAMES_MAX || record->user_frames > PROFILE_FRAMES_MAX)
		return NULL;
	return record;
}

static uint32_t record_bytes(const struct profile_record *record)
{
	uint32_t words = PROFILE_HEADER_WORDS + record->kernel_frames + record->user_frames;

	return 8 * PROFILE_BLOCK_WORDS * ((words + PROFILE_BLOCK_WORDS - 1) / PROFILE_BLOCK_WORDS);
}

static struct process_id process_of(const struct profile_record *record)
{
	return (struct process_id){ (int)record->tgid, record->exec_id, record->start_ns };
}

/* Looks at the records that came to one CPU's active arena since the last look: their processes may end soon. */
static void look_at(struct profile_state *p, size_t i, const struct profile_cpu *cpu, uint32_t arena, uint32_t set)
{
	uint32_t tail = __atomic_load_n(&cpu->tail[set], __ATOMIC_ACQUIRE);

	while (p->looked_at[i] < tail) {
		const struct profile_record *record = record_at(p, arena, p->looked_at[i]);
		struct process_id id;

		if (!record)
			break;
		id = process_of(record);
		if (record->user_frames)
			symbols_learn(p->symbols, &id);
		p->looked_at[i] += record_bytes(record);
		p->active_stacks++;
	}
}

int profile_tick(struct session *s, struct recording *r)
{
	struct profile_state *p = s->state;
	uint32_t set = p->skeleton->bss->active_set;
	bool full = false;

	for (size_t i = 0; i < s->cpus.n; i++) {
		look_at(p, i, &p->cpus[s->cpus.ids[i]], (uint32_t)(i + set * s->cpus.n), set);
		full |= p->looked_at[i] > p->skeleton->rodata->arena_bytes / 2;
	}
	full |= p->active_stacks > bpf_map__max_entries(p->skeleton->maps.index_0) / 2;
	return full ? profile_drain(s, r) : 0;
}

static int add_sample(struct profile_state *p, struct recording *r, const struct profile_record *record,
		      const struct profile_index *index)
{
	struct raw_stack raw = {
		.process = process_of(record),
		.kernel = (const uint64_t *)record->frames,
		.user = (const uint64_t *)record->frames + record->kernel_frames,
		.kernel_frames = record->kernel_frames,
		.user_frames = record->user_frames,
		.max_frames = p->max_depth,
		.kernel_failed = !!(record->flags & PROFILE_KERNEL_FAILED),
		.user_failed = !!(record->flags & PROFILE_USER_FAILED),
	};
	struct rec_sample sample = { .fires = index->fires, .weight = index->period };
	char comm[KBPFPROF_COMM_BYTES + 1] = "";

	memcpy(comm, record->comm, KBPFPROF_COMM_BYTES);
	sample.stack = symbols_stack(p->symbols, r, &raw);
	sample.labels.comm = recording_string(r, comm);
	sample.labels.tgid = p->by_tgid || record->tid ? (int)record->tgid : 0;
	sample.labels.tid = (int)record->tid;
	sample.labels.cpu = record->cpu == PROFILE_NO_CPU ? -1 : (int)record->cpu;
	if (sample.stack < 0 || sample.labels.comm < 0)
		return -ENOMEM;
	if (record->user_frames || raw.user_failed)
		p->user_stacks += index->fires;
	if (record->user_frames ? record->user_frames <= 2 : raw.user_failed)
		p->short_user_stacks += index->fires;
	return recording_add(r, &sample);
}

/* Moves everything out of an index that no program uses. */
static int empty_index(struct profile_state *p, struct recording *r, int index_fd)
{
	static const size_t entry_bytes = sizeof(__u64) + sizeof(struct profile_index);
	__u64 *keys = malloc(BATCH * entry_bytes);
	struct profile_index *values = (void *)(keys + BATCH);
	__u32 at, n;
	bool first = true;
	int err = keys ? 0 : -ENOMEM;

	while (!err) {
		n = BATCH;
		if (bpf_map_lookup_and_delete_batch(index_fd, first ? NULL : &at, &at, keys, values, &n, NULL))
			err = -errno; /* -ENOENT: that was the last batch */
		first = false;
		if (err && err != -ENOENT)
			break;
		for (__u32 i = 0; i < n; i++) {
			const struct profile_record *record = record_at(p, values[i].arena, values[i].offset);
			int failed = record ? add_sample(p, r, record, &values[i]) : -EIO;

			if (failed) {
				err = failed;
				break;
			}
		}
	}
	free(keys);
	return err == -ENOENT ? 0 : err;
}

int profile_drain(struct session *s, struct recording *r)
{
	struct profile_state *p = s->state;
	uint32_t set = p->skeleton->bss->active_set;
	int err;

	p->skeleton->bss->active_set = !set;
	err = grace_wait(&p->grace);
	if (!err)
		err = empty_index(p, r, bpf_map__fd(set ? p->skeleton->maps.index_1 : p->skeleton->maps.index_0));
	for (size_t i = 0; i < s->cpus.n; i++) {
		p->cpus[s->cpus.ids[i]].tail[set] = 0;
		p->looked_at[i] = 0;
	}
	p->active_stacks = 0;
	symbols_age(p->symbols);
	if (err)
		warnx("cannot read the BPF maps: %s", strerror(-err));
	return err;
}
