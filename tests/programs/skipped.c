/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * skipped OBJECT ROUNDS: has a program run at so many page faults, in each of which it makes another one, and prints
 * how often it ran, and how often it was left out by losses_skipped().
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/losses.h"

struct bss {
	__u32 wanted_tgid;
	__u64 runs;
};

/* The kernel reads what is not mapped: a page fault of its own. */
static void fault(unsigned rounds)
{
	int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "/dev/urandom");
	for (unsigned i = 0; i < rounds; i++)
		if (write(fd, (void *)4096, 1) != -1)
			errx(1, "something is mapped at 4096");
	close(fd);
}

int main(int argc, char **argv)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct bpf_object *object;
	struct bpf_map *map;
	struct bpf_link *link;
	struct bss bss;
	__u32 key = 0;

	if (argc != 3)
		errx(1, "usage: skipped OBJECT ROUNDS");
	setrlimit(RLIMIT_MEMLOCK, &all);
	object = bpf_object__open_file(argv[1], NULL);
	if (!object || bpf_object__load(object))
		err(1, "%s", argv[1]);
	map = bpf_object__find_map_by_name(object, ".bss");
	link = bpf_program__attach(bpf_object__next_program(object, NULL));
	if (!map || !link)
		err(1, "cannot attach");
	bss = (struct bss){ .wanted_tgid = (__u32)getpid() };
	if (bpf_map_update_elem(bpf_map__fd(map), &key, &bss, 0))
		err(1, "map");
	fault((unsigned)atoi(argv[2]));
	if (bpf_map_lookup_elem(bpf_map__fd(map), &key, &bss))
		err(1, "map");
	printf("runs %" PRIu64 " skipped %" PRIu64 "\n", (uint64_t)bss.runs, losses_skipped(object));
	bpf_link__destroy(link);
	bpf_object__close(object);
	return 0;
}
