/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs that a tool loads, held open, so that the kernel's run statistics of them can be read when it has
 * ended: complete, and without disturbing it.
 */
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H

#include <bpf/bpf.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROGRAMS_MAX 64

/* That came after the start; those of other processes are among them until programs_have_run(). */
struct programs {
	uint32_t type; /* of these only; 0: of any */
	uint32_t last_id;
	int fds[PROGRAMS_MAX];
	uint32_t ids[PROGRAMS_MAX];
	int n;
};

static inline int program_info(int fd, struct bpf_prog_info *info)
{
	uint32_t bytes = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(fd, info, &bytes);
}

/* What is there now is none of the tool's. */
static inline void programs_begin(struct programs *p)
{
	while (!bpf_prog_get_next_id(p->last_id, &p->last_id))
		;
}

/* Holds the programs that were loaded since the last look. */
static inline void programs_look(struct programs *p)
{
	struct bpf_prog_info info;
	uint32_t id;
	int fd;

	while (!bpf_prog_get_next_id(p->last_id, &id)) {
		p->last_id = id;
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			continue;
		if (p->n < PROGRAMS_MAX && !program_info(fd, &info) && (!p->type || info.type == p->type)) {
			p->ids[p->n] = id;
			p->fds[p->n++] = fd;
		} else {
			close(fd);
		}
	}
}

/* Has `tgid` a file descriptor of the program? */
static inline bool program_is_of(uint32_t id, pid_t tgid)
{
	char path[PATH_MAX], line[128];
	struct dirent *entry;
	bool found = false;
	uint32_t number;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", tgid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", tgid, entry->d_name);
		f = fopen(path, "re");
		while (f && !found && fgets(line, sizeof(line), f))
			found = sscanf(line, "prog_id: %" SCNu32, &number) == 1 && number == id;
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

static inline void programs_drop(struct programs *p, int i)
{
	close(p->fds[i]);
	p->n--;
	p->fds[i] = p->fds[p->n];
	p->ids[i] = p->ids[p->n];
}

/* Has one of the tool's programs run? Those of others are let go. */
static inline bool programs_have_run(struct programs *p, pid_t tgid)
{
	struct bpf_prog_info info;

	for (int i = 0; i < p->n; i++) {
		if (program_info(p->fds[i], &info) || !info.run_cnt)
			continue;
		if (program_is_of(p->ids[i], tgid))
			return true;
		programs_drop(p, i--);
	}
	return false;
}

#endif
