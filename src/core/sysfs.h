/* SPDX-License-Identifier: GPL-2.0-only */
/* Small text files of /proc and /sys. */
#ifndef CORE_SYSFS_H
#define CORE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First line without its newline, cut to bytes - 1. 0 or -errno. */
int sysfs_line(const char *path, char *line, size_t bytes);
/* A decimal number; surrounding blanks are fine. 0, -errno, or -EINVAL if it is none. */
int sysfs_number(const char *path, int64_t *number);

/* A numeric option of the running kernel's configuration, from /proc/config.gz or /boot; 0: unknown or not set. */
int64_t sysfs_config_number(const char *option);
/* Is the option `y` there? False too if there is no configuration to read. */
bool sysfs_config_is_set(const char *option);

#endif
