/* SPDX-License-Identifier: GPL-2.0-only */
/* Is BTF that of the running kernel? bpf/btf_check.bpf.c looks at our own task by it. */
#ifndef CORE_BTF_CHECK_H
#define CORE_BTF_CHECK_H

#include <stddef.h>

struct btf;

struct btf_check_result {
	int switch_arg; /* which argument of sched_switch is the task that leaves, from 0; -1: not seen */
	char why[160];	/* "task_struct.comm differs"; "" if it is */
};

/* `path`: the same BTF, for libbpf to read. 0; -EINVAL: it is another kernel's; -EOPNOTSUPP: that cannot be told. */
int btf_check(const struct btf *btf, const char *path, struct btf_check_result *r);

#endif
