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

/* What follows "OPTION=", cut to bytes - 1; "" if there is no such line or no configuration. */
static void config_value(const char *option, char *value, size_t bytes)
{
	char path[128] = "/proc/config.gz", line[256];
	size_t n = strlen(option);
	struct utsname u;
	gzFile f = gzopen(path, "rbe"); /* reads plain files too */

	if (!f && !uname(&u)) {
		snprintf(path, sizeof(path), "/boot/config-%s", u.release);
		f = gzopen(path, "rbe");
	}
	*value = '\0';
	while (f && !*value && gzgets(f, line, sizeof(line)))
		if (!strncmp(line, option, n) && line[n] == '=')
			snprintf(value, bytes, "%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
	if (f)
		gzclose(f);
}

int64_t sysfs_config_number(const char *option)
{
	char value[32];

	config_value(option, value, sizeof(value));
	return strtoll(value, NULL, 10);
}

bool sysfs_config_is_set(const char *option)
{
	char value[8];

	config_value(option, value, sizeof(value));
	return !strcmp(value, "y");
}
