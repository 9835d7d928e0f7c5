/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts of the running kernel that only user space can take out of its BTF. */
#ifndef CORE_KERNEL_BTF_H
#define CORE_KERNEL_BTF_H

#include <stdint.h>

struct btf;

/* All of it, some 10 MiB: NULL if there is none. To be freed by btf__free(). */
struct btf *kernel_btf_load(void);

/*
 * Bytes from the per-CPU variable `runqueues` to the one that holds the preempt count, for
 * bpf/core.bpf.h. 0: not known (arm64 needs none; 5.10 has no per-CPU variables in BTF).
 */
int64_t kernel_btf_preempt_count_from_rq(void);

#endif
