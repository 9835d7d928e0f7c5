/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

int sysfs_line(const char *path, char *line, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, line, bytes - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

int sysfs_number(const char *path, int64_t *number)
{
	char line[64], *end;
	int err = sysfs_line(path, line, sizeof(line));

	if (err)
		return err;
	errno = 0;
	*number = strtoll(line, &end, 10);
	return end == line || errno ? -EINVAL : 0;
}

int64_t sysfs_config_number(const char *option)
{
	char path[128] = "/proc/config.gz", line[256];
	size_t n = strlen(option);
	int64_t number = 0;
	struct utsname u;
	gzFile f = gzopen(path, "rbe"); /* reads plain files too */

	if (!f && !uname(&u)) {
		snprintf(path, sizeof(path), "/boot/config-%s", u.release);
		f = gzopen(path, "rbe");
	}
	while (f && !number && gzgets(f, line, sizeof(line)))
		if (!strncmp(line, option, n) && line[n] == '=')
			number = strtoll(line + n + 1, NULL, 10);
	if (f)
		gzclose(f);
	return number;
}
