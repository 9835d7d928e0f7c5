/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

/* A regular file or -errno. stat() first: to open a device may do something. */
static int open_regular(const char *path, struct stat *st)
{
	int fd;

	if (stat(path, st))
		return -errno;
	if (!S_ISREG(st->st_mode))
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, st) || !S_ISREG(st->st_mode)) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

/*
 * maps shows the numbers of the inode in its own file system; those that stack file systems or keep
 * several trees (overlayfs, btrfs) give stat() another device, overlayfs at times another inode.
 */
static bool is_same_file(int fd, const struct stat *st, const struct maps_line *m, bool by_mapping)
{
	struct statfs fs;
	bool overlay;

	if (st->st_ino == m->inode && (st->st_dev == m->dev || by_mapping))
		return true;
	if (fstatfs(fd, &fs))
		return false;
	overlay = fs.f_type == OVERLAYFS_SUPER_MAGIC;
	if (by_mapping)
		return overlay;
	return (overlay || fs.f_type == BTRFS_SUPER_MAGIC) && st->st_ino == m->inode &&
	       m->offset < (uint64_t)st->st_size;
}

/* The path and the number of the inode may both have been given to another file since. */
static bool is_younger(const struct stat *st, const struct maps_line *m)
{
	return m->mapped_ns && open_born_ns(st) > m->mapped_ns;
}

/* The more a reason says, the later in the list. */
static void note_why(enum why *why, int err)
{
	if (err == -ESTALE)
		*why = WHY_FILE_CHANGED;
	else if ((err == -EACCES || err == -EPERM) && *why == WHY_FILE_GONE)
		*why = WHY_NO_PERMISSION;
}

/* -ESTALE: it is another file. */
static int try_open(const char *path, struct stat *st, const struct maps_line *m, bool by_mapping)
{
	int fd = open_regular(path, st);

	if (fd >= 0 && (!is_same_file(fd, st, m, by_mapping) || (!by_mapping && is_younger(st, m)))) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* Without the mark of a deleted file: whoever has its path now will be refused by his inode. */
static int path_bytes(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(path), mark_bytes = sizeof(mark) - 1;

	if (n > mark_bytes && !strcmp(path + n - mark_bytes, mark))
		n -= mark_bytes;
	return (int)n;
}

int open_mapped(int tgid, const struct maps_line *m, struct stat *st, enum why *why)
{
	char path[PATH_MAX + 64];
	int fd = -ENOENT;

	*why = WHY_FILE_GONE;
	if (!m->is_past) {
		snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, tgid, m->start, m->end);
		fd = try_open(path, st, m, true);
	}
	if (fd < 0 && m->path[0] == '/') {
		note_why(why, fd);
		snprintf(path, sizeof(path), "/proc/%d/root%.*s", tgid, path_bytes(m->path), m->path);
		fd = try_open(path, st, m, false);
		if (fd < 0) {
			note_why(why, fd);
			snprintf(path, sizeof(path), "%.*s", path_bytes(m->path), m->path);
			fd = try_open(path, st, m, false);
		}
	}
	if (fd < 0)
		note_why(why, fd);
	return fd < 0 ? -1 : fd;
}
