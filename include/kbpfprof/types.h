/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fixed-width integers for the headers that BPF programs and user space share.
 * A BPF program has them from vmlinux.h, which cannot stand beside linux/types.h.
 */
#ifndef KBPFPROF_TYPES_H
#define KBPFPROF_TYPES_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/*
 * Makes the compiler check and use a 64-bit index in one register; else it may check a copy, and BPF's verifier does
 * not see that the other one is in range.
 */
#define KBPFPROF_ONE_REGISTER(i) __asm__ volatile("" : "+r"(i))

#define KBPFPROF_COMM_BYTES 16 /* TASK_COMM_LEN of include/linux/sched.h */

#endif
