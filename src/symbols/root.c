/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as the kernel's own (MAXSYMLINKS, include/linux/namei.h) */
#define DEPTH_MAX 64 /* directories above a file */

int root_open(const char *dir)
{
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* The directories from the root down to where the walk has come; the root is not the walk's to close. */
struct walk {
	int dirs[DEPTH_MAX];
	unsigned depth;
	unsigned links;
	char rest[PATH_MAX]; /* still to go */
};

static int here(const struct walk *w)
{
	return w->dirs[w->depth];
}

static void leave(struct walk *w)
{
	if (w->depth)
		close(w->dirs[w->depth--]);
}

/* Puts what a link says before what is still to go. 0 or -errno. */
static int follow(struct walk *w, int link)
{
	char joined[2 * PATH_MAX];
	ssize_t n = readlinkat(link, "", joined, PATH_MAX);

	if (n < 0)
		return -errno;
	if (n >= PATH_MAX || ++w->links > LINKS_MAX)
		return -ELOOP;
	snprintf(joined + n, sizeof(joined) - (size_t)n, "/%s", w->rest);
	if (strlen(joined) >= sizeof(w->rest))
		return -ENAMETOOLONG;
	strcpy(w->rest, joined);
	while (w->rest[0] == '/' && w->depth)
		leave(w);
	return 0;
}

/* One name further. 0 or -errno; *end is the file at the end of the path, once it is reached. */
static int step(struct walk *w, const char *name, bool is_last, int *end)
{
	struct stat st;
	int err, fd;

	if (!strcmp(name, "..")) {
		leave(w);
		return 0;
	}
	fd = openat(here(w), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : 0;
	if (!err && S_ISLNK(st.st_mode)) {
		err = follow(w, fd);
		close(fd);
		return err;
	}
	if (!err && is_last) {
		*end = fd;
		return 0;
	}
	if (!err && (!S_ISDIR(st.st_mode) || w->depth + 1 == DEPTH_MAX))
		err = S_ISDIR(st.st_mode) ? -ENAMETOOLONG : -ENOTDIR;
	if (err)
		close(fd);
	else
		w->dirs[++w->depth] = fd;
	return err;
}

/* Takes the next name from what is still to go; false: nothing but slashes and dots is left. */
static bool next_name(struct walk *w, char name[NAME_MAX + 1], int *err)
{
	const char *at = w->rest;
	size_t n;

	do {
		at += strspn(at, "/");
		n = strcspn(at, "/");
		if (n != 1 || *at != '.')
			break;
		at += n;
	} while (*at);
	if (n > NAME_MAX)
		*err = -ENAMETOOLONG;
	if (!n || n > NAME_MAX)
		return false;
	memcpy(name, at, n);
	name[n] = '\0';
	at += n;
	memmove(w->rest, at, strlen(at) + 1);
	return true;
}

int root_walk(int root, const char *path)
{
	struct walk w = { .dirs = { root } };
	char name[NAME_MAX + 1];
	int err = 0, end = -EISDIR; /* unless it leads to something in a directory */

	if (strlen(path) >= sizeof(w.rest))
		return -ENAMETOOLONG;
	strcpy(w.rest, path);
	while (!err && end < 0 && next_name(&w, name, &err))
		err = step(&w, name, !w.rest[strspn(w.rest, "/")], &end);
	while (w.depth)
		leave(&w);
	return err ? err : end;
}

/*
 * A descriptor that only names the file. EPERM comes from filters of system calls that know no
 * openat2(), EAGAIN when a directory was moved meanwhile.
 */
static int name_below(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd >= 0)
		return fd;
	return errno == ENOSYS || errno == EPERM || errno == EAGAIN ? root_walk(root, path) : -errno;
}

/* By way of /proc, since that opens the very file that was looked at. */
static int open_named(int named)
{
	char path[32];
	struct stat st;
	int fd;

	if (fstat(named, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EMEDIUMTYPE;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", named);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static int open_and_close(int named)
{
	int fd;

	if (named < 0)
		return named;
	fd = open_named(named);
	close(named);
	return fd;
}

int root_file(int root, const char *path)
{
	return open_and_close(name_below(root, path));
}

int root_plain_file(const char *path)
{
	int named = open(path, O_PATH | O_CLOEXEC);

	return open_and_close(named < 0 ? -errno : named);
}

const char *root_error(int err)
{
	return err == -EMEDIUMTYPE ? "no regular file" : strerror(-err);
}
