/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/samples.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Memory of one set: STACK_BYTES a record in the arenas (some 55 frames) and about 100 in the
 * index. The default is 10 MiB for both sets on 2 CPUs, and 80 MiB where there are 16 or more.
 */
#define STACK_BYTES  512
#define STACKS_A_CPU 4096
#define STACKS_MIN   8192
#define STACKS_MAX   65536

/* A process that a look comes too late for has no names: those of 50 ms should have. */
#define LOOK_MAX_NS (20 * 1000 * 1000)
#define LOOK_MIN_NS (10 * 1000 * 1000)

#define BATCH 1024

static size_t page_round(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

static uint64_t default_stacks(size_t cpus)
{
	uint64_t stacks = (uint64_t)cpus * STACKS_A_CPU;

	if (stacks < STACKS_MIN)
		return STACKS_MIN;
	return stacks > STACKS_MAX ? STACKS_MAX : stacks;
}

static int find_maps(struct samples *m, struct bpf_object *object)
{
	m->cpus_map = bpf_object__find_map_by_name(object, "samples_cpus");
	m->arenas_map = bpf_object__find_map_by_name(object, "samples_arenas");
	m->index_maps[0] = bpf_object__find_map_by_name(object, "samples_index_0");
	m->index_maps[1] = bpf_object__find_map_by_name(object, "samples_index_1");
	m->outer_map = bpf_object__find_map_by_name(object, "samples_indexes");
	return m->cpus_map && m->arenas_map && m->index_maps[0] && m->index_maps[1] && m->outer_map ? 0 : -ENOENT;
}

int samples_size(struct samples *m, struct bpf_object *object, struct samples_config *config,
		 const struct cpu_list *cpus, uint64_t stacks)
{
	int possible = libbpf_num_possible_cpus(), err = find_maps(m, object);
	uint64_t arena_bytes;

	if (possible < 0)
		return possible;
	if (!stacks)
		stacks = default_stacks(cpus->n);
	arena_bytes = stacks * STACK_BYTES / cpus->n;
	if (arena_bytes < 4 * SAMPLE_RECORD_BYTES_MAX)
		arena_bytes = 4 * SAMPLE_RECORD_BYTES_MAX;
	arena_bytes = page_round(arena_bytes);
	m->cpus = cpus;
	m->config = config;
	config->arena_bytes = (__u32)arena_bytes;
	config->slots = (__u32)cpus->n;
	m->by_cpu_bytes = page_round((size_t)possible * sizeof(struct samples_cpu));
	m->arenas_bytes = (size_t)(SAMPLE_SETS * cpus->n * arena_bytes);
	if (!err)
		err = bpf_map__set_value_size(m->arenas_map, (__u32)arena_bytes);
	if (!err)
		err = bpf_map__set_max_entries(m->arenas_map, (__u32)(SAMPLE_SETS * cpus->n));
	if (!err)
		err = bpf_map__set_max_entries(m->cpus_map, (__u32)possible);
	for (int set = 0; set < SAMPLE_SETS && !err; set++)
		err = bpf_map__set_max_entries(m->index_maps[set], (__u32)stacks);
	return err;
}

uint64_t samples_look_ns(const struct samples *m, uint64_t rate_hz)
{
	uint64_t records = m->config->arena_bytes / 2 / SAMPLE_RECORD_BYTES_MAX;
	uint64_t fill_ns = rate_hz ? records * 1000000000 / rate_hz : LOOK_MAX_NS;

	if (fill_ns < LOOK_MIN_NS)
		return LOOK_MIN_NS;
	return fill_ns > LOOK_MAX_NS ? LOOK_MAX_NS : fill_ns;
}

/* NULL, with errno, if it cannot be shared. */
static void *share(const struct bpf_map *map, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return at == MAP_FAILED ? NULL : at;
}

int samples_map(struct samples *m, volatile uint32_t *active_set)
{
	m->by_cpu = share(m->cpus_map, m->by_cpu_bytes);
	if (!m->by_cpu)
		return -errno;
	m->arenas = share(m->arenas_map, m->arenas_bytes);
	if (!m->arenas)
		return -errno;
	m->looked_at = calloc(m->cpus->n, sizeof(*m->looked_at));
	m->marked = calloc(m->cpus->n, sizeof(*m->marked));
	if (!m->looked_at || !m->marked)
		return -ENOMEM;
	m->active_set = active_set;
	for (size_t i = 0; i < m->cpus->n; i++)
		m->by_cpu[m->cpus->ids[i]].slot = (__u32)i;
	return 0;
}

void samples_close(struct samples *m)
{
	if (m->by_cpu)
		munmap(m->by_cpu, m->by_cpu_bytes);
	if (m->arenas)
		munmap(m->arenas, m->arenas_bytes);
	free(m->looked_at);
	free(m->marked);
}

/* NULL if it would reach out of its arena, or is half written. */
static const struct sample_record *record_at(const struct samples *m, uint32_t arena, uint32_t offset)
{
	uint32_t arena_bytes = m->config->arena_bytes;
	const struct sample_record *record;

	if (arena >= m->arenas_bytes / arena_bytes || offset > arena_bytes - SAMPLE_RECORD_BYTES_MAX || offset % 8)
		return NULL;
	record = (const void *)(m->arenas + (size_t)arena * arena_bytes + offset);
	if (record->kernel_frames > SAMPLE_FRAMES_MAX || record->user_frames > SAMPLE_FRAMES_MAX)
		return NULL;
	return record;
}

static uint32_t record_bytes(const struct sample_record *record)
{
	uint32_t words = SAMPLE_HEADER_WORDS + record->kernel_frames + record->user_frames;

	return (uint32_t)sizeof(record->seen_ns) +
	       8 * SAMPLE_BLOCK_WORDS * ((words + SAMPLE_BLOCK_WORDS - 1) / SAMPLE_BLOCK_WORDS);
}

static int look_at_cpu(struct samples *m, size_t i, uint32_t set, samples_fn *fn, void *arg)
{
	uint32_t arena = (uint32_t)(i + set * m->cpus->n);
	int err = 0;

	while (!err && m->looked_at[i] < m->marked[i]) {
		const struct sample_record *record = record_at(m, arena, m->looked_at[i]);

		if (!record)
			break;
		err = fn(arg, record, NULL);
		m->looked_at[i] += record_bytes(record);
		m->active++;
	}
	return err;
}

void samples_mark(struct samples *m)
{
	uint32_t set = *m->active_set;

	for (size_t i = 0; i < m->cpus->n; i++)
		m->marked[i] = __atomic_load_n(&m->by_cpu[m->cpus->ids[i]].tail[set], __ATOMIC_ACQUIRE);
}

int samples_look(struct samples *m, samples_fn *fn, void *arg, bool *filling)
{
	uint32_t set = *m->active_set;
	int err = 0;

	*filling = false;
	for (size_t i = 0; i < m->cpus->n && !err; i++) {
		err = look_at_cpu(m, i, set, fn, arg);
		*filling |= m->looked_at[i] > m->config->arena_bytes / 2;
	}
	*filling |= m->active > bpf_map__max_entries(m->index_maps[set]) / 2;
	return err;
}

static int hand_over(const struct samples *m, const struct sample_sums *sums, uint32_t n, samples_fn *fn, void *arg)
{
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		const struct sample_record *record = record_at(m, sums[i].arena, sums[i].offset);

		err = record ? fn(arg, record, &sums[i]) : -EIO;
	}
	return err;
}

/* Moves everything out of an index that no program uses. */
static int empty_index(const struct samples *m, int index_fd, samples_fn *fn, void *arg)
{
	__u64 *keys = malloc(BATCH * sizeof(*keys));
	struct sample_sums *sums = malloc(BATCH * sizeof(*sums));
	int err = keys && sums ? 0 : -ENOMEM;
	bool last = false;
	__u32 at = 0;

	for (__u32 *from = NULL; !err && !last; from = &at) {
		__u32 n = BATCH;

		if (bpf_map_lookup_and_delete_batch(index_fd, from, &at, keys, sums, &n, NULL)) {
			last = errno == ENOENT; /* with the last entries */
			err = last ? 0 : -errno;
		}
		if (!err)
			err = hand_over(m, sums, n, fn, arg);
	}
	free(keys);
	free(sums);
	return err;
}

/*
 * Waits until every program that may still use `set` has returned. The kernel does so when an
 * element of a map of maps is replaced, be it by itself (maybe_wait_bpf_programs() in
 * kernel/bpf/syscall.c, 5.10 to 7.x). 10 ms is usual, 0.8 s has been seen.
 */
static int wait_for_programs(const struct samples *m, uint32_t set)
{
	int index_fd = bpf_map__fd(m->index_maps[set]);

	return bpf_map_update_elem(bpf_map__fd(m->outer_map), &set, &index_fd, BPF_ANY) ? -errno : 0;
}

int samples_drain(struct samples *m, samples_fn *fn, void *arg)
{
	uint32_t set = *m->active_set;
	int err;

	*m->active_set = !set;
	err = wait_for_programs(m, set);
	if (!err)
		err = empty_index(m, bpf_map__fd(m->index_maps[set]), fn, arg);
	for (size_t i = 0; i < m->cpus->n; i++) {
		m->by_cpu[m->cpus->ids[i]].tail[set] = 0;
		m->looked_at[i] = m->marked[i] = 0;
	}
	m->active = 0;
	return err;
}
