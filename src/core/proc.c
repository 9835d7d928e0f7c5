/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t proc_read(const char *path, char *buf, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (n > 0 && have < bytes - 1) {
		n = read(fd, buf + have, bytes - 1 - have);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			have += (size_t)n;
	}
	if (n < 0)
		n = -errno;
	close(fd);
	buf[have] = '\0';
	return n < 0 ? n : (ssize_t)have;
}

int proc_start_ticks(int tgid, uint64_t *ticks)
{
	char path[32], stat[1024];
	const char *p;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", tgid);
	n = proc_read(path, stat, sizeof(stat));
	if (n < 0)
		return (int)n;
	p = strrchr(stat, ')'); /* comm, field 2, may hold spaces and brackets */
	for (int field = 2; p && field < 22; field++) {
		p = strchr(p, ' ');
		if (p)
			p++;
	}
	if (!p)
		return -ESRCH;
	*ticks = strtoull(p, NULL, 10);
	return 0;
}

uint64_t proc_ticks_of_ns(uint64_t start_boottime_ns, int64_t offset_ns)
{
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);

	return (start_boottime_ns + (uint64_t)offset_ns) / tick_ns;
}

int64_t proc_boottime_offset_ns(void)
{
	char text[256];
	long long seconds, ns;
	const char *p;

	if (proc_read("/proc/self/timens_offsets", text, sizeof(text)) < 0)
		return 0;
	p = strstr(text, "boottime");
	if (!p || sscanf(p, "boottime %lld %lld", &seconds, &ns) != 2)
		return 0;
	return seconds * 1000000000 + ns;
}
