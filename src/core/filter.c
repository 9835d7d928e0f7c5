/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/filter.h"

#include <bpf/bpf.h>
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/cgroup.h"
#include "core/sysfs.h"
#include "core/units.h"

/* Targets that may live at once, with all their children: about 1 MiB of map. */
#define FOLLOWED_MAX 16384

#define INIT_PID_NS_INUM 0xEFFFFFFCU /* PROC_PID_INIT_INO, include/linux/proc_ns.h */

static bool exists(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	return !access(path, F_OK);
}

/* The process that a thread belongs to; 0 if it is gone. */
static pid_t tgid_of(pid_t tid)
{
	char path[64], line[128];
	FILE *f;
	int tgid = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "Tgid: %d", &tgid) != 1)
		;
	if (f)
		fclose(f);
	return tgid;
}

static int check_process(pid_t tgid)
{
	pid_t owner = tgid_of(tgid);

	if (!owner) {
		warnx("no process with PID %d", tgid);
		return -ESRCH;
	}
	if (owner == tgid)
		return 0;
	warnx("%d is a thread of PID %d (use -t %d for the thread, -p %d for the process)", tgid, owner, tgid, owner);
	return -EINVAL;
}

static int check_thread(pid_t tid)
{
	if (exists(tid))
		return 0;
	warnx("no thread with TID %d", tid);
	return -ESRCH;
}

/* /proc of another pid namespace, or none: its numbers are not those that the kernel would take them for. */
static int check_proc(void)
{
	char self[16];
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (atoi(self) == getpid())
		return 0;
	warnx("/proc shows no or another pid namespace, so PIDs mean nothing (mount -t proc proc /proc)");
	return -EOPNOTSUPP;
}

static int parse_ids(const char *text, const char *option, int (*check)(pid_t), struct ids *ids)
{
	int err = ids_parse(text, option, ids);

	for (size_t i = 0; !err && i < ids->n; i++)
		err = check(ids->list[i]);
	return err;
}

static int parse_comms(struct filter *f, const char *text)
{
	char *copy = strdup(text), *save, *word;

	f->comms = calloc(strlen(text) + 1, sizeof(*f->comms));
	if (!copy || !f->comms) {
		free(copy);
		return -ENOMEM;
	}
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		/* The kernel cuts names at 15 bytes: so is what the user typed. */
		memcpy(f->comms[f->n_comms], word, strnlen(word, KBPFPROF_COMM_BYTES - 1));
		f->n_comms++;
	}
	free(copy);
	if (f->n_comms)
		return 0;
	warnx("--comm needs a name");
	return -EINVAL;
}

static void find_pid_ns(struct filter_config *config)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == INIT_PID_NS_INUM)
		return;
	config->in_pid_ns = 1;
	config->pid_ns_inum = (__u32)st.st_ino;
}

static void append(struct filter *f, const char *what, const char *value)
{
	size_t n = strlen(f->text);

	snprintf(f->text + n, sizeof(f->text) - n, "%s%s%s%s", n ? ", " : "", what, value ? " " : "",
		 value ? value : "");
}

static void describe(struct filter *f, const struct target_options *o)
{
	char name[64], path[64], comm[KBPFPROF_COMM_BYTES + 1];

	if (o->command)
		append(f, "command", o->command[0]);
	if (f->tgids.n == 1) {
		snprintf(path, sizeof(path), "/proc/%d/comm", f->tgids.list[0]);
		if (sysfs_line(path, comm, sizeof(comm)))
			strcpy(comm, "?");
		snprintf(name, sizeof(name), "%d (%s)", f->tgids.list[0], comm);
		append(f, "PID", name);
	} else if (f->tgids.n) {
		append(f, "PIDs", o->pids);
	}
	if (f->tids.n)
		append(f, f->tids.n > 1 ? "TIDs" : "TID", o->tids);
	if (o->comms)
		append(f, "comm", o->comms);
	if (o->cgroup)
		append(f, "cgroup", o->cgroup);
	if (!f->text[0] && !o->cpus)
		append(f, "whole machine", NULL);
	if (o->cpus)
		append(f, "CPUs", o->cpus);
}

/* A pidfd, unlike a number, is not given to another process later, and tells of the whole thread group's end. */
static int open_pidfds(struct filter *f)
{
	f->pidfds = calloc(f->tgids.n + 1, sizeof(*f->pidfds));
	if (!f->pidfds)
		return -ENOMEM;
	for (size_t i = 0; i < f->tgids.n; i++) {
		f->pidfds[i].events = POLLIN;
		f->pidfds[i].fd = (int)syscall(SYS_pidfd_open, f->tgids.list[i], 0);
		if (f->pidfds[i].fd < 0) {
			warn("cannot watch PID %d", f->tgids.list[i]);
			return -errno;
		}
	}
	return 0;
}

int filter_parse(struct filter *f, const struct target_options *o, struct kernel_btf *k)
{
	int err = 0;

	*f = (struct filter){ .inherit = !o->no_inherit, .command = o->command };
	f->config.cgroup_subsys = -1;
	find_pid_ns(&f->config);
	if (o->all && (o->pids || o->tids || o->command)) {
		warnx("-a means the whole machine: it does not go with -p, -t or a COMMAND");
		return -EINVAL;
	}
	if (o->pids || o->tids)
		err = check_proc();
	if (!err && o->pids)
		err = parse_ids(o->pids, "-p", check_process, &f->tgids);
	if (!err && o->tids)
		err = parse_ids(o->tids, "-t", check_thread, &f->tids);
	if (!err && o->comms)
		err = parse_comms(f, o->comms);
	if (!err && o->cgroup)
		err = cgroup_find(o->cgroup, k, &f->config);
	f->config.by_task = f->tgids.n || f->tids.n || o->command;
	f->config.by_comm = f->n_comms > 0;
	f->config.by_cgroup = o->cgroup != NULL;
	if (!err)
		err = open_pidfds(f);
	if (!err)
		describe(f, o);
	return err;
}

static int size_map(struct bpf_object *object, const char *name, bool used, size_t entries)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	if (!map)
		return -ENOENT;
	return used ? bpf_map__set_max_entries(map, (__u32)entries) : bpf_map__set_autocreate(map, false);
}

static int load_program(struct bpf_object *object, const char *name, bool used)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);

	return program ? bpf_program__set_autoload(program, used) : -ENOENT;
}

int filter_configure(const struct filter *f, struct bpf_object *object, struct filter_config *config)
{
	bool by_task = f->config.by_task;
	int err;

	*config = f->config;
	err = size_map(object, "tgids", by_task, f->tgids.n + FOLLOWED_MAX);
	if (!err)
		err = size_map(object, "tids", by_task, f->tids.n + FOLLOWED_MAX);
	if (!err)
		err = size_map(object, "comms", f->config.by_comm, f->n_comms);
	if (!err)
		err = load_program(object, "filter_fork", by_task && f->inherit);
	if (!err)
		err = load_program(object, "filter_free", by_task && !f->config.in_pid_ns);
	if (!err)
		err = load_program(object, "filter_exit", by_task && f->config.in_pid_ns);
	if (!err)
		err = load_program(object, "filter_exec", f->command);
	return err;
}

const char *filter_left_out(const struct filter *f, const char *program)
{
	if (strncmp(program, "filter_", 7) != 0)
		return NULL;
	if (!f->config.by_task)
		return "no -p, -t or COMMAND";
	if (!strcmp(program, "filter_fork") && !f->inherit)
		return "--no-inherit";
	if (!strcmp(program, "filter_free") && f->config.in_pid_ns)
		return "in a PID namespace filter_exit does it";
	if (!strcmp(program, "filter_exit") && !f->config.in_pid_ns)
		return "only in a PID namespace";
	return !strcmp(program, "filter_exec") && !f->command ? "no COMMAND" : NULL;
}

/* The programs look a number up only if its hint is set. */
static int hint(struct bpf_object *object, __u32 id)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".data.hints");
	size_t bytes = 0;
	__u8 *hints = map ? (__u8 *)bpf_map__initial_value(map, &bytes) : NULL; /* shared memory, once loaded */

	if (!hints || bytes < FILTER_HINTS)
		return -ENOENT;
	hints[id % FILTER_HINTS] = 1;
	return 0;
}

static int put(struct bpf_object *object, const char *map, const void *key, __u32 value)
{
	int fd = bpf_object__find_map_fd_by_name(object, map);

	if (fd < 0)
		return fd;
	return bpf_map_update_elem(fd, key, &value, BPF_ANY) ? -errno : 0;
}

static int put_id(struct bpf_object *object, const char *map, __u32 id, __u32 value)
{
	int err = put(object, map, &id, value);

	return err ? err : hint(object, id);
}

int filter_fill(const struct filter *f, struct bpf_object *object, pid_t command)
{
	int err = 0;

	for (size_t i = 0; i < f->tgids.n && !err; i++)
		err = put_id(object, "tgids", (__u32)f->tgids.list[i], FILTER_TARGET_ACTIVE);
	for (size_t i = 0; i < f->tids.n && !err; i++)
		err = put_id(object, "tids", (__u32)f->tids.list[i], FILTER_TARGET_ACTIVE);
	for (size_t i = 0; i < f->n_comms && !err; i++)
		err = put(object, "comms", f->comms[i], 1);
	if (command && !err)
		err = put_id(object, "tgids", (__u32)command, FILTER_TARGET_WAITING);
	return err;
}

bool filter_targets_gone(const struct filter *f)
{
	if (f->tgids.n && poll(f->pidfds, f->tgids.n, 0) < (int)f->tgids.n)
		return false;
	for (size_t i = 0; i < f->tids.n; i++)
		if (exists(f->tids.list[i]))
			return false;
	return f->tgids.n || f->tids.n;
}

void filter_close(struct filter *f)
{
	for (size_t i = 0; f->pidfds && i < f->tgids.n; i++)
		if (f->pidfds[i].fd > 0)
			close(f->pidfds[i].fd);
	free(f->pidfds);
	ids_free(&f->tgids);
	ids_free(&f->tids);
	free(f->comms);
	*f = (struct filter){ 0 };
}
