/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The store of distinct samples, for every tool that counts stacks; its shape is explained in
 * include/kbpfprof/samples.h. A program calls samples_begin(), fills the record, samples_end().
 * All programs that use it must be of one entry kind, so that they do not nest on a CPU.
 */
#ifndef SAMPLES_BPF_H
#define SAMPLES_BPF_H

#include "core.bpf.h"
#include "kbpfprof/samples.h"
#include "lost.bpf.h"
#include "stack.bpf.h"

const volatile struct samples_config samples = { .arena_bytes = SAMPLE_RECORD_BYTES_MAX, .slots = 1 };

volatile __u32 samples_active_set = 0; /* user space flips it, then waits for running programs */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* CPU ids */
	__type(key, __u32);
	__type(value, struct samples_cpu);
} samples_cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* slots of set 0, then of set 1 */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, SAMPLE_RECORD_BYTES_MAX); /* samples.arena_bytes */
} samples_arenas SEC(".maps");

/* Preallocated: programs on perf events may not allocate before 6.1. */
struct samples_index {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct sample_sums);
};

struct samples_index samples_index_0 SEC(".maps");
struct samples_index samples_index_1 SEC(".maps");

/* By set. In a map of maps, so that what follows is verified once, and because replacing an element waits for programs.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, SAMPLE_SETS);
	__type(key, __u32);
	__array(values, struct samples_index);
} samples_indexes SEC(".maps") = {
	.values = { &samples_index_0, &samples_index_1 },
};

/* Another hash is tried this often when two records share one. */
#define SAMPLES_PROBES 3

#define SAMPLES_BLOCKS_MAX ((SAMPLE_HEADER_WORDS + 2 * SAMPLE_FRAMES_MAX + SAMPLE_BLOCK_WORDS - 1) / SAMPLE_BLOCK_WORDS)

/* A record being made. */
struct samples_place {
	struct sample_record *record;
	struct samples_cpu *cpu;
	__u32 set, arena, offset;
};

/*
 * Read from the record anew by each user: at the end of a loop the verifier knows how often it went
 * round, and would follow everything behind it once for each number (144 ms of start-up, measured).
 */
static __always_inline __u32 samples_blocks(const struct sample_record *record)
{
	__u32 words;

	asm volatile("" : : : "memory");
	words = SAMPLE_HEADER_WORDS + record->kernel_frames + record->user_frames;
	return (words + SAMPLE_BLOCK_WORDS - 1) / SAMPLE_BLOCK_WORDS;
}

static __always_inline __u32 samples_bytes(const struct sample_record *record)
{
	return sizeof(record->seen_ns) + 8 * SAMPLE_BLOCK_WORDS * samples_blocks(record);
}

static __always_inline __u64 samples_mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 32);
}

static __always_inline const __u64 *samples_words(const struct sample_record *record)
{
	return (const __u64 *)record + 1; /* behind seen_ns */
}

/* Two lanes, since each step waits for its multiplication. */
static __always_inline __u64 samples_hash(const struct sample_record *record)
{
	const __u64 *words = samples_words(record);
	__u32 blocks = samples_blocks(record);
	__u64 even = 0x243f6a8885a308d3ULL, odd = 0x13198a2e03707344ULL;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < SAMPLES_BLOCKS_MAX; i++) {
		if (i >= blocks)
			break;
#pragma unroll
		for (int j = 0; j < SAMPLE_BLOCK_WORDS; j += 2) {
			even = samples_mix(even, words[j]);
			odd = samples_mix(odd, words[j + 1]);
		}
		words += SAMPLE_BLOCK_WORDS;
	}
	return samples_mix(even, odd);
}

/* Differences are gathered over a block: a branch a word would cost the verifier too much. */
static __always_inline bool samples_equal(const struct sample_record *record, const struct sample_record *other)
{
	const __u64 *a = samples_words(record), *b = samples_words(other);
	__u32 blocks = samples_blocks(record);

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < SAMPLES_BLOCKS_MAX; i++) {
		__u64 differs = 0;

		if (i >= blocks)
			break;
#pragma unroll
		for (int j = 0; j < SAMPLE_BLOCK_WORDS; j++)
			differs |= a[j] ^ b[j];
		if (differs)
			return false;
		a += SAMPLE_BLOCK_WORDS;
		b += SAMPLE_BLOCK_WORDS;
	}
	return true;
}

/* NULL if the arena has no room for the largest record. */
static __always_inline struct sample_record *samples_at(__u32 arena, __u32 offset)
{
	char *base = bpf_map_lookup_elem(&samples_arenas, &arena);

	if (!base || offset > samples.arena_bytes - SAMPLE_RECORD_BYTES_MAX)
		return NULL;
	return (void *)(base + offset);
}

/* Room for one record of this CPU; false: there is none, and that was counted. */
static __always_inline bool samples_begin(struct samples_place *p, __u32 cpu_id)
{
	p->cpu = bpf_map_lookup_elem(&samples_cpus, &cpu_id);
	if (!p->cpu)
		return false; /* the map has every possible id */
	p->set = samples_active_set & 1;
	p->arena = p->cpu->slot + p->set * samples.slots;
	p->offset = p->cpu->tail[p->set];
	p->record = samples_at(p->arena, p->offset);
	if (!p->record)
		lost_count(LOST_MAP_FULL);
	return p->record;
}

/* Who it is: the task running here, its numbers being of the caller's namespace. */
static __always_inline void samples_label(struct sample_record *record, __u32 tgid, __u32 tid, __u32 cpu_id)
{
	record->tgid = tgid;
	record->tid = samples.by_tid ? tid : 0;
	record->cpu = samples.by_cpu ? cpu_id : SAMPLE_NO_CPU;
	record->exec_id = 0;
	record->start_ns = 0;
	record->flags = 0;
	bpf_get_current_comm(record->comm, sizeof(record->comm));
}

/* Both sides of the stack of the task running here; in_kernel: there must be a kernel side. */
static __always_inline void samples_stacks(void *ctx, struct sample_record *record, struct task_struct *task,
					   bool in_kernel)
{
	__u32 kernel = 0, user = 0;

	if (samples.want_kernel) {
		kernel = stack_kernel(ctx, record->frames);
		if (!kernel && in_kernel)
			record->flags |= SAMPLE_KERNEL_FAILED;
	}
	if (samples.want_user) {
		user = stack_user(ctx, record->frames + kernel);
		if (user && in_kernel && core_in_exec(task)) {
			user = 0;
		} else if (user) {
			if (user > 1 && core_has_strange_frames(task)) {
				user = 1;
				record->flags |= SAMPLE_USER_FAILED;
			}
			record->start_ns = BPF_CORE_READ(task, group_leader, start_boottime);
			record->exec_id = BPF_CORE_READ(task, self_exec_id);
		} else if (core_has_user_side(task)) {
			record->flags |= SAMPLE_USER_FAILED;
		}
	}
	record->kernel_frames = kernel;
	record->user_frames = user;
#pragma unroll
	for (int i = 0; i < SAMPLE_BLOCK_WORDS; i++)
		record->frames[kernel + user + i] = 0;
}

/* Counts the finished record, and keeps it if it is new. False: it is lost, and was counted as such. */
static __always_inline bool samples_end(struct samples_place *p, __u64 weight)
{
	__u64 hash = samples_hash(p->record);
	__u32 set = p->set; /* a copy: of what a helper was given the address, the verifier forgets the bounds */
	void *index = bpf_map_lookup_elem(&samples_indexes, &set);

	if (!index)
		return false; /* both sets are there from load on */

#pragma clang loop unroll(disable)
	for (int i = 0; i < SAMPLES_PROBES; i++) {
		struct sample_sums *known = bpf_map_lookup_elem(index, &hash);
		const struct sample_record *other;

		if (!known) {
			struct sample_sums first = { 1, weight, p->arena, p->offset };
			long err;

			p->record->seen_ns = bpf_ktime_get_boot_ns();
			err = bpf_map_update_elem(index, &hash, &first, BPF_NOEXIST);
			if (!err) {
				p->cpu->tail[p->set] = p->offset + samples_bytes(p->record);
				return true;
			}
			if (err != -EEXIST) {
				lost_count_update(err);
				return false;
			}
			continue; /* another CPU was first: look again */
		}
		other = samples_at(known->arena, known->offset);
		if (other && samples_equal(p->record, other)) {
			__sync_fetch_and_add(&known->fires, 1);
			__sync_fetch_and_add(&known->weight, weight);
			return true;
		}
		hash = samples_mix(hash, i + 1);
	}
	lost_count(LOST_COLLISION);
	return false;
}

#endif
