/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BTF of the running kernel, and facts that only user space can take out of it. A kernel built without
 * CONFIG_DEBUG_INFO_BTF has none: then a file beside it does, if it is of that very build.
 */
#ifndef CORE_KERNEL_BTF_H
#define CORE_KERNEL_BTF_H

#include <stdbool.h>
#include <stdint.h>

struct btf;

/* Names such a file if no option does. */
#define KERNEL_BTF_VARIABLE "KBPFPROF_BTF"
/* Where the kernel tells its own. Hidden there, it is not used. */
#define KERNEL_BTF_PATH "/sys/kernel/btf/vmlinux"

#define KERNEL_BTF_NONE "this kernel has no BTF: CONFIG_DEBUG_INFO_BTF"
/* Then nothing tells. */
#define KERNEL_BTF_NO_SYS "/sys is not mounted, where the kernel tells its BTF"
#define KERNEL_BTF_CURE	  "--btf FILE or " KERNEL_BTF_VARIABLE
#define KERNEL_BTF_UNUSED "needs the kernel's own BTF, not a file's"

struct kernel_btf {
	const char *file; /* of the option or the variable; NULL: the kernel's own */
	/*
	 * For libbpf's btf_custom_path. Without one it seeks a type that this kernel lacks in the modules' BTF, too,
	 * and fails if it may not list them (CAP_SYS_ADMIN); ours are all the kernel's own.
	 */
	char path[40];
	struct btf *btf; /* by kernel_btf_load() */
	bool tried;
	int err;       /* of that */
	int copy;      /* of the file as it was checked, where libbpf reads it; -1: none */
	char why[768]; /* of kernel_btf_open(): why the file cannot be used, in a line */
};

/* The file that `option`, of --btf or NULL, or the variable names; NULL, also for an empty name: the kernel's own. */
const char *kernel_btf_file(const char *option);
/*
 * `option`: the file of --btf, or NULL. Of a file all is read, and checked against the running kernel (0.2 s); of the
 * kernel's own BTF nothing yet. 0, or -EOPNOTSUPP with k->why. To be closed either way.
 */
int kernel_btf_open(struct kernel_btf *k, const char *option);
/* What to say where there is none: KERNEL_BTF_NONE or KERNEL_BTF_NO_SYS; and what helps. */
const char *kernel_btf_none(void);
const char *kernel_btf_none_cure(void);
/* Is there any? */
bool kernel_btf_is_there(const struct kernel_btf *k);
/* All of it, some 10 MiB: NULL if there is none. Belongs to `k`. */
struct btf *kernel_btf_load(struct kernel_btf *k);
/* The same, but what sysfs holds of it and not what the kernel hands out: slower, and what libbpf sees. k->err. */
int kernel_btf_parse(struct kernel_btf *k);
/* Is it out of a file? */
bool kernel_btf_is_of_file(const struct btf *btf);
/* Frees it. Loading again is possible, of a file not. */
void kernel_btf_close(struct kernel_btf *k);

/* Bytes from the per-CPU variable `runqueues` to another one. 0: not known (5.10 has no per-CPU variables in BTF). */
int64_t kernel_btf_from_rq(const struct btf *btf, const char *variable);
/* The one that holds the preempt count, for bpf/core.bpf.h; arm64 needs none. */
int64_t kernel_btf_preempt_count_from_rq(const struct btf *btf);

/* Has the kernel the tracepoint, for programs that read its arguments by BTF? */
bool kernel_btf_has_tracepoint(const struct btf *btf, const char *name);
/* Index of the first argument that is a pointer to this structure; -1: none is. */
int kernel_btf_tracepoint_arg(const struct btf *btf, const char *name, const char *structure);

#endif
