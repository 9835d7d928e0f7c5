/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/cgroup.h"

#include <bpf/btf.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>

#include "core/kernel_btf.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CGROUP_DEPTH_MAX    32
#define INIT_CGROUP_NS_INUM 0xEFFFFFFBU /* PROC_CGROUP_INIT_INO, include/linux/proc_ns.h */

struct cgroup_mount {
	char dir[PATH_MAX];
	char root[PATH_MAX]; /* what is mounted there: "/" is all of the hierarchy */
	char options[512];
	bool v2;
};

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n]);
}

/*
 * One line of mountinfo (proc(5)): "36 35 0:32 ROOT DIR options [fields] - TYPE source OPTIONS".
 * False if it is no cgroup mount.
 */
static bool parse_mount(char *line, struct cgroup_mount *mount)
{
	char *rest = strstr(line, " - "), type[32];

	/* Blanks in paths are written \\040; such a cgroup mount is not found, which is said. */
	if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", mount->root, mount->dir) != 2 ||
	    sscanf(rest, " - %31s %*s %511s", type, mount->options) != 2)
		return false;
	mount->v2 = !strcmp(type, "cgroup2");
	return mount->v2 || !strcmp(type, "cgroup");
}

/* The cgroup mount that `path` lies in, or the v2 mount if path is NULL. */
static int find_mount(const char *path, struct cgroup_mount *mount)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t bytes = 0;
	int err = -ENOENT;

	if (!f)
		return -errno;
	while (err && getline(&line, &bytes, f) > 0)
		if (parse_mount(line, mount) && (path ? is_below(path, mount->dir) : mount->v2))
			err = 0;
	free(line);
	fclose(f);
	return err;
}

/* Value of NAME_cgrp_id in the running kernel: it depends on the config. -ENOENT if it is none. */
static int subsys_index(const struct btf *btf, const char *controller)
{
	int id = btf__find_by_name_kind(btf, "cgroup_subsys_id", BTF_KIND_ENUM);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "%s_cgrp_id", !strcmp(controller, "blkio") ? "io" : controller);
	for (int i = 0; type && i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(type)[i].name_off), wanted))
			return btf_enum(type)[i].val;
	return -ENOENT;
}

/* A v1 mount names its controllers among its options: "rw,cpu,cpuacct". */
static int mount_subsys(struct kernel_btf *k, struct cgroup_mount *mount)
{
	struct btf *btf = kernel_btf_load(k);
	int index = -ENOENT;
	char *save = NULL;

	for (char *word = btf ? strtok_r(mount->options, ",", &save) : NULL; word && index < 0;
	     word = strtok_r(NULL, ",", &save))
		index = subsys_index(btf, word);
	return index;
}

/* Below the root of the hierarchy, which a cgroup namespace or a mount of a part of it hides. */
static __u32 level_of(const char *path, const struct cgroup_mount *mount)
{
	__u32 depth = 0;
	struct stat st;

	if (stat("/proc/self/ns/cgroup", &st) || st.st_ino != INIT_CGROUP_NS_INUM || strcmp(mount->root, "/") != 0)
		return FILTER_LEVEL_UNKNOWN;

	for (const char *p = path + strlen(mount->dir); *p; p++)
		if (*p == '/' && p[1])
			depth++;
	return depth;
}

/* Absolute path of the directory meant by the user, without links; NULL if there is none. */
static char *resolve(const char *name)
{
	struct cgroup_mount v2;
	char path[2 * PATH_MAX];
	struct statfs fs;
	char *real = realpath(name, NULL);

	if (real && !statfs(real, &fs) && (fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC))
		return real;
	free(real);
	if (!*name || find_mount(NULL, &v2)) /* "" would be the root */
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", v2.dir, name);
	return realpath(path, NULL);
}

int cgroup_find(const char *name, struct kernel_btf *k, struct filter_config *config)
{
	struct cgroup_mount mount = { .v2 = true };
	char *path = resolve(name);
	struct stat st = { 0 };
	int err = -ENOENT;

	if (!path || stat(path, &st) || !S_ISDIR(st.st_mode) || find_mount(path, &mount)) {
		warnx("no cgroup %s (a directory under /sys/fs/cgroup, or a path below the cgroup2 mount)", name);
		goto out;
	}
	config->cgroup_id = st.st_ino; /* kernfs: inode number and id are one on 64 bit */
	config->cgroup_level = level_of(path, &mount);
	config->cgroup_subsys = mount.v2 ? -1 : mount_subsys(k, &mount);
	err = 0;
	if (!mount.v2 && config->cgroup_subsys < 0) {
		warnx("cgroup %s cannot be followed: its v1 hierarchy has no controller (name it by another hierarchy)",
		      name);
		err = -EOPNOTSUPP;
	}
out:
	free(path);
	return err;
}

/* Looks through `dir` and what is below it; `path` is its name so far, and grows to the one sought. */
static int search_below(int parent, const char *name, uint64_t id, char *path, size_t bytes, unsigned depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err = -ENOENT;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	size_t n = strlen(path);
	struct dirent *e;
	struct stat st;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return -ENOENT;
	}
	if (!fstat(fd, &st) && st.st_ino == id)
		err = 0;
	while (err && depth < CGROUP_DEPTH_MAX && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		if ((size_t)snprintf(path + n, bytes - n, "/%s", e->d_name) < bytes - n)
			err = search_below(fd, e->d_name, id, path, bytes, depth + 1);
		if (err)
			path[n] = '\0';
	}
	closedir(dir);
	return err;
}

int cgroup_path(uint64_t id, char *path, size_t bytes)
{
	struct cgroup_mount v2;
	int err = find_mount(NULL, &v2);

	path[0] = '\0';
	if (!err)
		err = search_below(AT_FDCWD, v2.dir, id, path, bytes, 0);
	if (!err && !path[0])
		snprintf(path, bytes, "/");
	return err;
}
