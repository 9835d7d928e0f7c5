/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The store of distinct samples: bpf/samples.bpf.h fills it, src/core/samples.c empties it.
 *
 * A sample is appended as one record to the arena of its CPU, then looked up by the hash of the
 * record's words: if an equal record is known, only that one's sums grow and the new bytes are
 * given up. So a stack takes the frames it has, is compared word by word before it is counted,
 * and user space reads it by mmap without a system call. Arenas and index exist twice; while one
 * set is drained programs fill the other.
 */
#ifndef KBPFPROF_SAMPLES_H
#define KBPFPROF_SAMPLES_H

#include "types.h"

#define SAMPLE_FRAMES_MAX  127 /* per side: PERF_MAX_STACK_DEPTH, the default of kernel.perf_event_max_stack */
#define SAMPLE_BLOCK_WORDS 8   /* records are hashed and compared in blocks, the last one padded with zeros */
#define SAMPLE_SETS	   2

#define SAMPLE_NO_CPU 0xffffffffu /* sample_record.cpu when CPUs are not told apart */

enum sample_flags {
	SAMPLE_KERNEL_FAILED = 1 << 0, /* in the kernel, but its stack could not be had */
	SAMPLE_USER_FAILED = 1 << 1,   /* has a user side, but its stack could not be had, or no more than this */
};

/* One distinct sample. Every byte is written, since all of them but the first word are hashed. */
struct sample_record {
	__u64 seen_ns;	/* boot time at which it was first seen: not part of what is compared */
	__u32 tgid;	/* of the caller's pid namespace; 0: the idle task, or outside that namespace */
	__u32 tid;	/* 0 unless threads are told apart */
	__u32 cpu;	/* SAMPLE_NO_CPU unless CPUs are told apart */
	__u32 exec_id;	/* low half of task_struct.self_exec_id: tells programs of one tgid apart */
	__u64 start_ns; /* boot time at which the process began: tells reuses of one tgid apart; 0 without user frames
			 */
	char comm[KBPFPROF_COMM_BYTES];
	__u16 kernel_frames, user_frames;
	__u32 flags;	/* enum sample_flags */
	__u64 frames[]; /* leaf first; the kernel's, then the user's */
};

#define SAMPLE_HEADER_WORDS	6 /* that are hashed */
#define SAMPLE_RECORD_BYTES_MAX (sizeof(__u64) + 8 * (SAMPLE_HEADER_WORDS + 2 * SAMPLE_FRAMES_MAX + SAMPLE_BLOCK_WORDS))

/* Value of the index; its key is the 64-bit hash of the record. */
struct sample_sums {
	__u64 fires;  /* how often the sample came */
	__u64 weight; /* what it stood for, summed: ns or units of the event */
	__u32 arena;  /* where the record lies: element of the arenas ... */
	__u32 offset; /* ... and bytes into it */
};

/* An element a CPU id. Programs of that CPU write `tail`; user space does while none uses that set. */
struct samples_cpu {
	__u32 tail[SAMPLE_SETS]; /* bytes used of the arena */
	__u32 slot;		 /* the CPU's arenas are `slot` and `slot + slots` */
	__u32 unused[13];
};

/* In .rodata. */
struct samples_config {
	__u32 arena_bytes;   /* of one arena, a multiple of the page size */
	__u32 slots;	     /* arenas a set: CPUs that are measured */
	__u8 by_tid, by_cpu; /* what is told apart beside process and comm */
	__u8 want_kernel, want_user;
};

#if __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(struct sample_record) == 8 * (1 + SAMPLE_HEADER_WORDS), "hashed as words");
_Static_assert(sizeof(struct samples_cpu) == 64, "a cache line, not shared");
#endif

#endif
