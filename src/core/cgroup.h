/* SPDX-License-Identifier: GPL-2.0-only */
/* A cgroup as a user names it -> what the BPF filter compares. */
#ifndef CORE_CGROUP_H
#define CORE_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "kbpfprof/filter.h"

struct kernel_btf;

/*
 * `name`: a directory of a cgroup file system, or a path below the v2 mount ("/system.slice/x").
 * Fills the cgroup_* members of config. 0; -ENOENT: no such cgroup; -EOPNOTSUPP: a v1 hierarchy
 * without a controller, which the kernel side cannot follow, or a kernel without BTF.
 * A message was printed.
 */
int cgroup_find(const char *name, struct kernel_btf *k, struct filter_config *config);

/*
 * The other way round: path below the v2 mount of the cgroup with this kernfs id. 0, -ENOENT: there is none (any
 * more), or -errno.
 */
int cgroup_path(uint64_t id, char *path, size_t bytes);

#endif
