// SPDX-License-Identifier: GPL-2.0-only
/*
 * Question: where does CPU time (or another event) go, who calls it?
 * Hook:     perf_event, one event a CPU (src/core/event.c); raw tracepoints of fork, exec and exit
 *           only when tasks are followed (filter.bpf.h).
 * Counted:  every run of the program ends in exactly one of kept, idle, filtered or a loss.
 * Kernel:   5.10.
 */
#include "vmlinux.h"

#include "filter.bpf.h"
#include "kbpfprof/profile.h"

char LICENSE[] SEC("license") = "GPL";

const volatile __u32 arena_bytes = PROFILE_RECORD_BYTES_MAX; /* of one element of `arenas` */
const volatile __u32 slots = 1;				     /* CPUs with an event */
const volatile bool by_tid = false, by_cpu = false;	     /* what is told apart beside process and comm */
const volatile bool want_kernel = true, want_user = true;

volatile __u32 active_set = 0; /* the set that samples go to; user space flips it, then waits for running programs */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* CPU ids */
	__type(key, __u32);
	__type(value, struct profile_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* slots of set 0, then of set 1 */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, PROFILE_RECORD_BYTES_MAX); /* arena_bytes */
} arenas SEC(".maps");

/* Preallocated: programs on perf events may not allocate before 6.1. */
struct profile_index_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct profile_index);
};

struct profile_index_map index_0 SEC(".maps");
struct profile_index_map index_1 SEC(".maps");

/* Another hash is tried this often when two stacks share one. */
#define PROBES 3

#define BLOCKS_MAX ((PROFILE_HEADER_WORDS + 2 * PROFILE_FRAMES_MAX + PROFILE_BLOCK_WORDS - 1) / PROFILE_BLOCK_WORDS)

/*
 * Does the interrupted idle task do interrupt work? Then its time is not idle. The sampling
 * interrupt itself is one level of hard IRQ.
 */
static __always_inline bool idle_is_busy(struct task_struct *task)
{
	__u32 count;

	if (!core_preempt_count(task, &count))
		return false;
	return (count & SOFTIRQ_SERVING) || ((count >> HARDIRQ_SHIFT) & HARDIRQ_BITS) > 1;
}

static __always_inline __u64 mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ (hash >> 32);
}

/* Two lanes, since each step waits for its multiplication. */
static __always_inline __u64 hash_words(const __u64 *words, __u32 blocks)
{
	__u64 even = 0x243f6a8885a308d3ULL, odd = 0x13198a2e03707344ULL;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < BLOCKS_MAX; i++) {
		if (i >= blocks)
			break;
#pragma unroll
		for (int j = 0; j < PROFILE_BLOCK_WORDS; j += 2) {
			even = mix(even, words[j]);
			odd = mix(odd, words[j + 1]);
		}
		words += PROFILE_BLOCK_WORDS;
	}
	return mix(even, odd);
}

/* Differences are gathered over a block: a branch a word would cost the verifier too much. */
static __always_inline bool same_words(const __u64 *a, const __u64 *b, __u32 blocks)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < BLOCKS_MAX; i++) {
		__u64 differs = 0;

		if (i >= blocks)
			break;
#pragma unroll
		for (int j = 0; j < PROFILE_BLOCK_WORDS; j++)
			differs |= a[j] ^ b[j];
		if (differs)
			return false;
		a += PROFILE_BLOCK_WORDS;
		b += PROFILE_BLOCK_WORDS;
	}
	return true;
}

/* NULL if the arena has no room for the largest record. */
static __always_inline struct profile_record *record_at(__u32 arena, __u32 offset)
{
	char *base = bpf_map_lookup_elem(&arenas, &arena);

	if (!base || offset > arena_bytes - PROFILE_RECORD_BYTES_MAX)
		return NULL;
	return (void *)(base + offset);
}

static __always_inline __u32 record_blocks(const struct profile_record *record)
{
	__u32 words = PROFILE_HEADER_WORDS + record->kernel_frames + record->user_frames;

	return (words + PROFILE_BLOCK_WORDS - 1) / PROFILE_BLOCK_WORDS;
}

static __always_inline void record_label(struct profile_record *record, struct task_struct *task, __u32 tgid, __u32 tid,
					 __u32 cpu)
{
	record->tgid = tgid;
	record->tid = by_tid ? tid : 0;
	record->cpu = by_cpu ? cpu : PROFILE_NO_CPU;
	record->exec_id = 0;
	record->start_ns = 0;
	record->flags = 0;
	bpf_get_current_comm(record->comm, sizeof(record->comm));
}

/* Frames of one side, or 0. -EFAULT is also how the kernel says that there is no such side. */
static __always_inline __u32 record_frames(struct bpf_perf_event_data *ctx, __u64 *to, __u64 flags)
{
	long bytes = bpf_get_stack(ctx, to, PROFILE_FRAMES_MAX * sizeof(__u64), flags);

	if (bytes <= 0)
		return 0;
	bytes /= 8u;
	return bytes > PROFILE_FRAMES_MAX ? PROFILE_FRAMES_MAX : bytes;
}

static __always_inline void record_stacks(struct bpf_perf_event_data *ctx, struct profile_record *record,
					  struct task_struct *task)
{
	__u32 kernel = 0, user = 0;

	if (want_kernel) {
		kernel = record_frames(ctx, record->frames, 0);
		if (!kernel && core_in_kernel(ctx))
			record->flags |= PROFILE_KERNEL_FAILED;
	}
	if (want_user) {
		user = record_frames(ctx, record->frames + kernel, BPF_F_USER_STACK);
		if (user) {
			record->start_ns = BPF_CORE_READ(task, group_leader, start_boottime);
			record->exec_id = BPF_CORE_READ(task, self_exec_id);
		} else if (!(BPF_CORE_READ(task, flags) & PF_KTHREAD) && BPF_CORE_READ(task, mm)) {
			record->flags |= PROFILE_USER_FAILED;
		}
	}
	record->kernel_frames = kernel;
	record->user_frames = user;
#pragma unroll
	for (int i = 0; i < PROFILE_BLOCK_WORDS; i++)
		record->frames[kernel + user + i] = 0;
}

static __always_inline void *index_of(__u32 set)
{
	return set ? (void *)&index_1 : (void *)&index_0;
}

/*
 * Counts the record under its hash. 1: it is new and stays; 0: an equal one was counted; negative:
 * it is lost, and was counted as such.
 */
static __always_inline long index_add(void *index, const struct profile_record *record, __u32 arena, __u32 offset,
				      __u64 period)
{
	__u32 blocks = record_blocks(record);
	__u64 hash = hash_words((const __u64 *)record, blocks);

#pragma clang loop unroll(disable)
	for (int i = 0; i < PROBES; i++) {
		struct profile_index *known = bpf_map_lookup_elem(index, &hash);
		const struct profile_record *other;

		if (!known) {
			struct profile_index first = { .fires = 1, .period = period, .arena = arena, .offset = offset };
			long err = bpf_map_update_elem(index, &hash, &first, BPF_NOEXIST);

			if (!err)
				return 1;
			if (err != -EEXIST) {
				lost_count_update(err);
				return err;
			}
			continue; /* another CPU was first: look again */
		}
		other = record_at(known->arena, known->offset);
		if (other && same_words((const __u64 *)record, (const __u64 *)other, blocks)) {
			__sync_fetch_and_add(&known->fires, 1);
			__sync_fetch_and_add(&known->period, period);
			return 0;
		}
		hash = mix(hash, i + 1);
	}
	lost_count(LOST_COLLISION);
	return -EEXIST;
}

static __always_inline void tally(struct profile_tally *t, __u64 period)
{
	t->fires++;
	t->period += period;
}

static __always_inline void keep(struct bpf_perf_event_data *ctx, struct profile_cpu *cpu, struct task_struct *task,
				 __u32 tgid, __u32 tid, __u32 cpu_id)
{
	__u32 set = active_set & 1;
	__u32 arena = cpu->slot + set * slots;
	__u32 offset = cpu->tail[set];
	struct profile_record *record = record_at(arena, offset);
	long added;

	if (!record) {
		lost_count(LOST_MAP_FULL);
		return;
	}
	record_label(record, task, tgid, tid, cpu_id);
	record_stacks(ctx, record, task);
	added = index_add(index_of(set), record, arena, offset, ctx->sample_period);
	if (added < 0)
		return;
	tally(&cpu->kept, ctx->sample_period);
	if (added)
		cpu->tail[set] = offset + 8 * PROFILE_BLOCK_WORDS * record_blocks(record);
}

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	__u32 cpu_id = bpf_get_smp_processor_id();
	struct profile_cpu *cpu = bpf_map_lookup_elem(&cpus, &cpu_id);
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 id = bpf_get_current_pid_tgid();
	__u32 tgid = id >> 32, tid = (__u32)id;

	if (!cpu) /* the map has every possible id */
		return 0;
	tally(&cpu->seen, ctx->sample_period);
	if (!tid && !idle_is_busy(task)) {
		tally(&cpu->idle, ctx->sample_period);
		return 0;
	}
	if (filter.in_pid_ns) {
		tgid = filter_tgid(task);
		tid = filter_tid(task);
	}
	if (!filter_passes(task, tgid, tid)) {
		tally(&cpu->filtered, ctx->sample_period);
		return 0;
	}
	keep(ctx, cpu, task, tgid, tid, cpu_id);
	return 0;
}
