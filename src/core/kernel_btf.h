/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts of the running kernel that only user space can take out of its BTF. */
#ifndef CORE_KERNEL_BTF_H
#define CORE_KERNEL_BTF_H

#include <stdbool.h>
#include <stdint.h>

struct btf;

/*
 * libbpf seeks a type that this kernel lacks in the modules' BTF, too, and fails if it may not list
 * them (CAP_SYS_ADMIN). Ours are all the kernel's own: where the BTF is named it looks nowhere else.
 */
extern const char kernel_btf_path[];

/* All of it, some 10 MiB: NULL if there is none. To be freed by btf__free(). */
struct btf *kernel_btf_load(void);

/* Bytes from the per-CPU variable `runqueues` to another one. 0: not known (5.10 has no per-CPU variables in BTF). */
int64_t kernel_btf_from_rq(const struct btf *btf, const char *variable);
/* The one that holds the preempt count, for bpf/core.bpf.h; arm64 needs none. */
int64_t kernel_btf_preempt_count_from_rq(const struct btf *btf);

/* Has the kernel the tracepoint, for programs that read its arguments by BTF? */
bool kernel_btf_has_tracepoint(const struct btf *btf, const char *name);
/* Index of the first argument that is a pointer to this structure; -1: none is. */
int kernel_btf_tracepoint_arg(const struct btf *btf, const char *name, const char *structure);

#endif
