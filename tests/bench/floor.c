/* SPDX-License-Identifier: GPL-2.0-only */
/* floor PROGRAM HZ SECONDS: runs a program of floor.bpf.c on the CPU clock of every CPU, and does nothing else. */
#include <err.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "floor.skel.h"

static void attach(const struct bpf_program *program, int cpu, unsigned hz)
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

int main(int argc, char **argv)
{
	struct floor_bpf *skeleton = floor_bpf__open();
	struct bpf_program *program, *chosen = NULL;

	if (argc != 4)
		errx(1, "usage: floor PROGRAM HZ SECONDS");
	if (!skeleton)
		err(1, "cannot open the BPF object");
	bpf_object__for_each_program(program, skeleton->obj)
	{
		if (!strcmp(bpf_program__name(program), argv[1]))
			chosen = program;
		else
			bpf_program__set_autoload(program, false);
	}
	if (!chosen)
		errx(1, "no program '%s'", argv[1]);
	if (floor_bpf__load(skeleton))
		err(1, "cannot load the BPF program");
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		attach(chosen, cpu, (unsigned)atoi(argv[2]));
	sleep((unsigned)atoi(argv[3]));
	return 0; /* the events go with their file descriptors */
}
