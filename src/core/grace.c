/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/grace.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

int grace_open(struct grace *g)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);
	int err;

	*g = (struct grace){ -1, -1 };
	g->inner_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "kbpfprof_inner", 4, 4, 1, NULL);
	if (g->inner_fd < 0)
		return -errno;
	options.inner_map_fd = (__u32)g->inner_fd;
	g->outer_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "kbpfprof_grace", 4, 4, 1, &options);
	if (g->outer_fd >= 0)
		return 0;
	err = -errno;
	grace_close(g);
	return err;
}

int grace_wait(const struct grace *g)
{
	int zero = 0;

	return bpf_map_update_elem(g->outer_fd, &zero, &g->inner_fd, BPF_ANY) ? -errno : 0;
}

void grace_close(struct grace *g)
{
	if (g->inner_fd >= 0)
		close(g->inner_fd);
	if (g->outer_fd >= 0)
		close(g->outer_fd);
	*g = (struct grace){ -1, -1 };
}
