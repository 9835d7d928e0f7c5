/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/cgroup.h"

#include <bpf/btf.h>
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

struct cgroup_mount {
	char dir[PATH_MAX];
	char options[512];
	bool v2;
};

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n]);
}

/* The cgroup mount that `path` lies in, or the v2 mount if path is NULL. */
static int find_mount(const char *path, struct cgroup_mount *mount)
{
	char buf[PATH_MAX + 1024];
	struct mntent entry;
	FILE *f = setmntent("/proc/self/mounts", "r");
	int err = -ENOENT;

	if (!f)
		return -errno;
	while (err && getmntent_r(f, &entry, buf, sizeof(buf))) {
		bool v2 = !strcmp(entry.mnt_type, "cgroup2");

		if (!v2 && strcmp(entry.mnt_type, "cgroup") != 0)
			continue;
		if (path ? !is_below(path, entry.mnt_dir) : !v2)
			continue;
		snprintf(mount->dir, sizeof(mount->dir), "%s", entry.mnt_dir);
		snprintf(mount->options, sizeof(mount->options), "%s", entry.mnt_opts);
		mount->v2 = v2;
		err = 0;
	}
	endmntent(f);
	return err;
}

/* Value of NAME_cgrp_id in the running kernel: it depends on the config. */
static int subsys_index(const char *controller)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *type;
	char wanted[64];
	int index = -ENOENT, id;

	if (!btf)
		return -EOPNOTSUPP;
	snprintf(wanted, sizeof(wanted), "%s_cgrp_id", !strcmp(controller, "blkio") ? "io" : controller);
	id = btf__find_by_name_kind(btf, "cgroup_subsys_id", BTF_KIND_ENUM);
	type = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);
	for (int i = 0; type && i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(type)[i].name_off), wanted))
			index = btf_enum(type)[i].val;
	btf__free(btf);
	return index;
}

/* A v1 mount names its controllers among its options: "rw,relatime,cpu,cpuacct". */
static int mount_subsys(const struct cgroup_mount *mount)
{
	char options[sizeof(mount->options)], *save, *word;
	int index = -ENOENT;

	snprintf(options, sizeof(options), "%s", mount->options);
	for (word = strtok_r(options, ",", &save); word && index < 0; word = strtok_r(NULL, ",", &save))
		index = subsys_index(word);
	return index;
}

static __u32 depth_below(const char *path, const char *dir)
{
	__u32 depth = 0;

	for (const char *p = path + strlen(dir); *p; p++)
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
	if (find_mount(NULL, &v2))
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", v2.dir, name);
	return realpath(path, NULL);
}

int cgroup_find(const char *name, struct filter_config *config)
{
	struct cgroup_mount mount;
	char *path = resolve(name);
	struct stat st;
	int err = -ENOENT;

	if (!path || stat(path, &st) || !S_ISDIR(st.st_mode) || find_mount(path, &mount)) {
		warnx("no cgroup %s (a directory under /sys/fs/cgroup, or a path below the cgroup2 mount)", name);
		goto out;
	}
	config->cgroup_id = st.st_ino; /* kernfs: inode number and id are one on 64 bit */
	config->cgroup_level = depth_below(path, mount.dir);
	config->cgroup_subsys = mount.v2 ? -1 : mount_subsys(&mount);
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
