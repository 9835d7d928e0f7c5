/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/memory.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/sysfs.h"

#define CGROUPS	   "/sys/fs/cgroup"
#define PATH_BYTES 4096

#define ENOUGH_BYTES (48 << 20) /* for any start with the defaults and few CPUs (measured) */

void memory_raise_locked(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &all);
}

/* "0::/path" of v2; false: there is none. */
static bool own_cgroup(char path[PATH_BYTES])
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_BYTES];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		found = !strncmp(line, "0::/", 4);
		line[strcspn(line, "\n")] = '\0';
		snprintf(path, PATH_BYTES, "%s", found ? line + 3 : "");
	}
	if (f)
		fclose(f);
	return found;
}

/* What the kernel can take back: files, and its own caches. */
static uint64_t reclaimable(const char *cgroup)
{
	static const char *const keys[] = { "inactive_file", "active_file", "slab_reclaimable" };
	char path[PATH_BYTES + 64], line[128], key[64];
	uint64_t sum = 0, bytes;
	FILE *f;

	snprintf(path, sizeof(path), CGROUPS "%s/memory.stat", cgroup);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (sscanf(line, "%63s %" SCNu64, key, &bytes) == 2 && !strcmp(key, keys[i]))
				sum += bytes;
	if (f)
		fclose(f);
	return sum;
}

static uint64_t left_in(const char *cgroup)
{
	char path[PATH_BYTES + 64];
	int64_t max, current;
	uint64_t left;

	snprintf(path, sizeof(path), CGROUPS "%s/memory.max", cgroup);
	if (sysfs_number(path, &max) || max < 0) /* none, or "max" */
		return UINT64_MAX;
	snprintf(path, sizeof(path), CGROUPS "%s/memory.current", cgroup);
	if (sysfs_number(path, &current) || current < 0)
		return UINT64_MAX;
	left = (uint64_t)max + reclaimable(cgroup);
	left = left > (uint64_t)current ? left - (uint64_t)current : 0;
	return left < (uint64_t)max ? left : (uint64_t)max;
}

uint64_t memory_left_bytes(void)
{
	uint64_t least = UINT64_MAX;
	char path[PATH_BYTES], *end;

	if (!own_cgroup(path))
		return least;
	while ((end = strrchr(path, '/'))) { /* all above it have their say */
		uint64_t left = left_in(path);

		least = left < least ? left : least;
		*end = '\0';
	}
	return least;
}

/* As RLIMIT_DATA counts: memory that is this process's own, touched or not. */
static uint64_t data_bytes(void)
{
	char line[256];
	uint64_t pages;

	if (sysfs_line("/proc/self/statm", line, sizeof(line)) ||
	    sscanf(line, "%*s %*s %*s %*s %*s %" SCNu64, &pages) != 1)
		return 0;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set_data(uint64_t bytes)
{
	struct rlimit data;

	if (getrlimit(RLIMIT_DATA, &data))
		return;
	data.rlim_cur = bytes < data.rlim_max ? (rlim_t)bytes : data.rlim_max;
	setrlimit(RLIMIT_DATA, &data);
}

void memory_bind(uint64_t *before)
{
	uint64_t left = memory_left_bytes(), bytes = data_bytes() + left - left / 8; /* 1/8: page tables */
	struct rlimit data;

	*before = getrlimit(RLIMIT_DATA, &data) ? RLIM_INFINITY : data.rlim_cur;
	if (left < ENOUGH_BYTES && bytes < *before)
		set_data(bytes);
}

void memory_unbind(uint64_t before)
{
	set_data(before);
}

void memory_warn(void)
{
	uint64_t left = memory_left_bytes();

	if (left < ENOUGH_BYTES)
		warnx("this cgroup has %" PRIu64 " MiB of memory left: with less than %d the kernel may refuse or kill "
		      "this (memory.max)",
		      left >> 20, ENOUGH_BYTES >> 20);
}
