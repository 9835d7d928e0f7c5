/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/profile.bpf.c leaves in its maps for src/tools/profile.c.
 *
 * A sample is appended as one record to the arena of its CPU, then looked up by the hash of the
 * record's words: if an equal record is known, only that one's count grows and the new bytes are
 * given up. So a stack takes the frames it has, is compared word by word before it is counted,
 * and user space reads it by mmap without a system call. Arenas and index exist twice; while one
 * set is drained the program fills the other.
 */
#ifndef KBPFPROF_PROFILE_H
#define KBPFPROF_PROFILE_H

#include "types.h"

#define PROFILE_FRAMES_MAX  127 /* per side: PERF_MAX_STACK_DEPTH, the default of kernel.perf_event_max_stack */
#define PROFILE_BLOCK_WORDS 8	/* records are hashed and compared in blocks, the last one padded with zeros */
#define PROFILE_SETS	    2

#define PROFILE_NO_CPU 0xffffffffu /* profile_record.cpu when CPUs are not told apart */

enum profile_record_flags {
	PROFILE_KERNEL_FAILED = 1 << 0, /* in the kernel, but its stack could not be had */
	PROFILE_USER_FAILED = 1 << 1,	/* has a user side, but its stack could not be had */
};

/* One distinct sample. Every byte is written, since all of them are hashed. */
struct profile_record {
	__u32 tgid;	/* of the caller's pid namespace; 0: the idle task, or outside that namespace */
	__u32 tid;	/* 0 unless threads are told apart */
	__u32 cpu;	/* PROFILE_NO_CPU unless CPUs are told apart */
	__u32 exec_id;	/* low half of task_struct.self_exec_id: tells programs of one tgid apart */
	__u64 start_ns; /* boot time at which the process began: tells reuses of one tgid apart; 0 without user frames
			 */
	char comm[KBPFPROF_COMM_BYTES];
	__u16 kernel_frames, user_frames;
	__u32 flags;	/* enum profile_record_flags */
	__u64 frames[]; /* leaf first; the kernel's, then the user's */
};

#define PROFILE_HEADER_WORDS	 6
#define PROFILE_RECORD_BYTES_MAX (8 * (PROFILE_HEADER_WORDS + 2 * PROFILE_FRAMES_MAX + PROFILE_BLOCK_WORDS))

/* Value of the map `index`; its key is the 64-bit hash of the record. */
struct profile_index {
	__u64 fires;  /* how often the sample came */
	__u64 period; /* sum of the periods it stood for, in units of the event */
	__u32 arena;  /* where the record lies: element of `arenas` ... */
	__u32 offset; /* ... and bytes into it */
};

struct profile_tally {
	__u64 fires, period;
};

/*
 * One element a CPU id of the map `cpus`. Only that CPU's program writes it (perf programs of one
 * CPU do not nest), except for `slot` and `tail`, which user space sets while no program uses them.
 */
struct profile_cpu {
	struct profile_tally seen;     /* every run of the program */
	struct profile_tally idle;     /* of them: the idle task, outside of interrupt work */
	struct profile_tally filtered; /* of them: other tasks than those asked for */
	struct profile_tally kept;     /* of them: in the index; the rest is in `losses` */
	__u32 tail[PROFILE_SETS];      /* bytes used of the arena */
	__u32 slot;		       /* the CPU's arenas are slot and slot + number of slots */
	__u32 unused[13];
};

#if __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(struct profile_record) == 8 * PROFILE_HEADER_WORDS, "hashed as words");
_Static_assert(sizeof(struct profile_cpu) == 128, "two cache lines, none shared");
#endif

#endif
