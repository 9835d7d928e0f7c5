/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel side of every tool lets through: bpf/filter.bpf.h reads it, src/core/filter.c fills it. */
#ifndef KBPFPROF_FILTER_H
#define KBPFPROF_FILTER_H

#include "types.h"

#define FILTER_LEVEL_UNKNOWN 0xffffffffu
#define FILTER_HINTS	     4096 /* bytes of `filter_hints`; a power of two */

/* Value of the maps `tgids` and `tids`. */
enum filter_target {
	FILTER_TARGET_WAITING = 1, /* not measured before its next exec: the child that will run COMMAND */
	FILTER_TARGET_ACTIVE = 2,
};

/* In .rodata of the BPF object, so that the verifier removes what is not asked for. A task passes when every kind asked
 * for lets it. */
struct filter_config {
	__u8 by_task;	/* its tgid is in `tgids` or its tid in `tids` */
	__u8 by_comm;	/* its comm is in `comms` */
	__u8 by_cgroup; /* it is in the cgroup below or under it */
	__u8 in_pid_ns; /* the caller's pid namespace is not the first one: PIDs are those of pid_ns_inum */
	__u32 pid_ns_inum;
	__u64 cgroup_id;     /* kernfs id = st_ino of the cgroup's directory */
	__u32 cgroup_level;  /* its depth, the root being 0; FILTER_LEVEL_UNKNOWN inside a cgroup namespace */
	__s32 cgroup_subsys; /* cgroup v1: index into css_set.subsys; -1: the v2 hierarchy */
};

#endif
