/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * floor PROGRAM HZ SECONDS: runs a program of floor.bpf.c on the CPU clock of every CPU, and does nothing else.
 * floor sched - SECONDS: those on the scheduler's tracepoints.
 */
#include <err.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "floor.skel.h"

static void attach_sampling(const struct bpf_program *program, int cpu, unsigned hz)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = hz,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == ENODEV) /* offline */
		return;
	if (fd < 0)
		err(1, "cannot open cpu-clock on CPU %d", cpu);
	if (!bpf_program__attach_perf_event(program, fd))
		err(1, "cannot attach to cpu-clock on CPU %d", cpu);
}

static void attach(const struct bpf_program *program, unsigned hz)
{
	if (bpf_program__type(program) != BPF_PROG_TYPE_PERF_EVENT) {
		if (!bpf_program__attach(program))
			err(1, "cannot attach %s", bpf_program__name(program));
		return;
	}
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		attach_sampling(program, cpu, hz);
}

/* "sched" begins the names of several. */
static bool is_chosen(const struct bpf_program *program, const char *name)
{
	const char *own = bpf_program__name(program);

	return !strcmp(own, name) || (!strcmp(name, "sched") && !strncmp(own, name, strlen(name)));
}

int main(int argc, char **argv)
{
	struct floor_bpf *skeleton = floor_bpf__open();
	struct bpf_program *program;
	int attached = 0;

	if (argc != 4)
		errx(1, "usage: floor PROGRAM HZ SECONDS");
	if (!skeleton)
		err(1, "cannot open the BPF object");
	bpf_object__for_each_program(program, skeleton->obj)
		bpf_program__set_autoload(program, is_chosen(program, argv[1]));
	if (floor_bpf__load(skeleton))
		err(1, "cannot load the BPF program");
	bpf_object__for_each_program(program, skeleton->obj)
	{
		if (!bpf_program__autoload(program))
			continue;
		attach(program, (unsigned)atoi(argv[2]));
		attached++;
	}
	if (!attached)
		errx(1, "no program '%s'", argv[1]);
	sleep((unsigned)atoi(argv[3]));
	return 0; /* the events go with their file descriptors */
}
