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

#define KBPFPROF_COMM_BYTES 16 /* TASK_COMM_LEN of include/linux/sched.h */

#endif
