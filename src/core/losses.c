/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/losses.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

bool losses_program(const struct bpf_program *program, struct bpf_prog_info *info)
{
	int fd = bpf_program__fd(program);
	__u32 bytes = sizeof(*info);

	*info = (struct bpf_prog_info){ 0 };
	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, info, &bytes);
}

uint64_t losses_skipped(const struct bpf_object *object)
{
	struct bpf_program *program;
	uint64_t skipped = 0;

	bpf_object__for_each_program(program, object)
	{
		struct bpf_prog_info info;

		if (losses_program(program, &info))
			skipped += info.recursion_misses;
	}
	return skipped;
}

int losses_read(const struct bpf_object *object, struct rec_lost *lost)
{
	int fd = bpf_object__find_map_fd_by_name(object, "losses"), cpus = libbpf_num_possible_cpus(), err = 0;
	uint64_t *per_cpu;

	if (fd < 0 || cpus < 0)
		return fd < 0 ? fd : cpus;
	per_cpu = calloc((size_t)cpus, sizeof(*per_cpu));
	if (!per_cpu)
		return -ENOMEM;
	for (__u32 cause = 0; cause < LOST_SKIPPED && !err; cause++) {
		err = bpf_map_lookup_elem(fd, &cause, per_cpu) ? -errno : 0;
		lost->by_cause[cause] = 0;
		for (int i = 0; i < cpus && !err; i++)
			lost->by_cause[cause] += per_cpu[i];
	}
	free(per_cpu);
	return err;
}
