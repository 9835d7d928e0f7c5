/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpfspin SECONDS: updates a BPF map without a pause. While the kernel does so it runs no BPF
 * program on that CPU, so samples that are due there are not delivered.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ENTRIES 4096

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

int main(int argc, char **argv)
{
	double end_s = now_s() + (argc > 1 ? atof(argv[1]) : 1);
	static uint32_t keys[ENTRIES], values[ENTRIES];
	union bpf_attr create, update;
	int map_fd;

	memset(&create, 0, sizeof(create));
	create.map_type = BPF_MAP_TYPE_HASH;
	create.key_size = create.value_size = sizeof(uint32_t);
	create.max_entries = ENTRIES;
	map_fd = (int)bpf(BPF_MAP_CREATE, &create);
	if (map_fd < 0) {
		perror("bpfspin: map");
		return 1;
	}
	for (uint32_t i = 0; i < ENTRIES; i++)
		keys[i] = i;
	while (now_s() < end_s) {
		memset(&update, 0, sizeof(update));
		update.batch.map_fd = (uint32_t)map_fd;
		update.batch.keys = (uintptr_t)keys;
		update.batch.values = (uintptr_t)values;
		update.batch.count = ENTRIES;
		if (bpf(BPF_MAP_UPDATE_BATCH, &update)) {
			perror("bpfspin: update");
			return 1;
		}
	}
	return 0;
}
