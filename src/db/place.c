/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/place.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/units.h"
#include "db/format.h"

/* The folder without symbolic links, then the name: SQLITE_OPEN_NOFOLLOW wants none anywhere. */
static int find_path(struct place *p, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char folder[PATH_MAX], real[PATH_MAX];
	int n;

	n = snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 2, slash ? path : "./");
	if (n >= (int)sizeof(folder))
		return -ENAMETOOLONG;
	if (!*name)
		return *path ? -EISDIR : -ENOENT;
	if (!realpath(folder, real))
		return -errno;
	n = snprintf(p->path, sizeof(p->path), "%s/%s", strcmp(real, "/") != 0 ? real : "", name);
	return n >= (int)sizeof(p->path) - FORMAT_SUFFIX_BYTES ? -ENAMETOOLONG : 0;
}

/* Is what lies there ours to replace? 0 or -errno after a message. */
static int check_old(const struct place *p, const char *path)
{
	int fd = open(p->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), err = 0;
	uint8_t header[FORMAT_HEADER_BYTES];
	struct stat st = { 0 };
	ssize_t n;

	if (fd < 0) {
		err = -errno;
		warnx("cannot replace %s: %s", path,
		      err == -ELOOP ? "it is a symbolic link (name the file itself)" : strerror(-err));
		return err;
	}
	n = fstat(fd, &st) ? -1 : pread(fd, header, sizeof(header), 0);
	if (!S_ISREG(st.st_mode)) {
		warnx("%s is no regular file ('-o -' writes to stdout)", path);
		err = -EEXIST;
	} else if (n < 0 || (n > 0 && !format_is_recording(header, (size_t)n))) {
		warnx("%s exists and is no recording: left as it is (remove it, or choose another name)", path);
		err = -EEXIST;
	} else if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		warnx("%s is being written by another run (choose another name)", path);
		err = -EBUSY;
	}
	close(fd);
	return err;
}

/* What SQLite would take for a part of the new file. 0 or -errno after a message. */
static int remove_beside(const struct place *p, const char *suffix)
{
	char path[PATH_MAX + FORMAT_SUFFIX_BYTES];
	uint8_t magic[FORMAT_MAGIC_BYTES] = { 0 };
	struct stat st;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s%s", p->path, suffix);
	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		n = read(fd, magic, sizeof(magic));
	if (fd >= 0)
		close(fd);
	if (n >= 0 && format_is_journal(magic, (size_t)n) && !unlink(path))
		return 0;
	warnx("%s is in the way (remove it)", path);
	return -EEXIST;
}

static uint32_t number_in(const char *variable)
{
	const char *text = getenv(variable);
	uint64_t number;

	return text && !units_parse_count(text, &number) && number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* What root makes for a user of sudo is that user's. */
static void give(const struct place *p, const char *path)
{
	uint32_t uid = number_in("SUDO_UID"), gid = number_in("SUDO_GID");

	if (geteuid() == 0 && uid != UINT32_MAX && gid != UINT32_MAX && fchown(p->fd, uid, gid))
		warn("cannot give %s to user %u", path, uid); /* a file system without owners, for one */
}

static int make(struct place *p, const char *path)
{
	static const char *const beside[] = { "-journal", "-wal" };
	int err = 0;

	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]) && !err; i++)
		err = remove_beside(p, beside[i]);
	if (err)
		return err;
	p->fd = open(p->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (p->fd < 0) {
		err = -errno;
		warn("cannot create %s", path);
		return err;
	}
	flock(p->fd, LOCK_EX | LOCK_NB); /* where a file system has no locks, two runs are not told apart */
	give(p, path);
	return 0;
}

int place_open(struct place *p, const char *path)
{
	struct stat st;
	int err = find_path(p, path);

	p->fd = -1;
	if (err) {
		warnx("cannot create %s: %s", path, strerror(-err));
		return err;
	}
	if (!lstat(p->path, &st)) {
		err = check_old(p, path);
		if (!err && unlink(p->path)) {
			err = -errno;
			warn("cannot replace %s", path);
		}
	}
	return err ? err : make(p, path);
}

int place_check(const struct place *p)
{
	struct stat ours, there;

	if (fstat(p->fd, &ours) || lstat(p->path, &there))
		return -errno;
	return ours.st_dev == there.st_dev && ours.st_ino == there.st_ino ? 0 : -ESTALE;
}

void place_close(struct place *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}
