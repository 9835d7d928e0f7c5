/* SPDX-License-Identifier: GPL-2.0-only */
/* The user-space half of bpf/filter.bpf.h: from target options to .rodata, maps and programs. */
#ifndef CORE_FILTER_H
#define CORE_FILTER_H

#include <bpf/libbpf.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/ids.h"
#include "core/options.h"
#include "kbpfprof/filter.h"

struct kernel_btf;

struct filter {
	struct filter_config config;
	bool inherit, command;
	struct ids tgids, tids; /* as the caller sees them */
	struct pollfd *pidfds;	/* one a tgid */
	char (*comms)[KBPFPROF_COMM_BYTES];
	size_t n_comms;
	char text[160]; /* for the first line of a report: "whole machine", "PID 812 (motor_ctl)" ... */
};

/* 0 or -errno (-EINVAL usage, -ESRCH no such process), after a message. Close in either case. */
int filter_parse(struct filter *f, const struct target_options *options, struct kernel_btf *k);
/* Before load: sets *config and sizes maps, leaves out programs that are not needed. */
int filter_configure(const struct filter *f, struct bpf_object *object, struct filter_config *config);
/* After load: fills the maps; command: tgid of the child that will run COMMAND, or 0. */
int filter_fill(const struct filter *f, struct bpf_object *object, pid_t command);
/* Why filter_configure() left one of its programs out, a constant; NULL: it did not, or it is none of its. */
const char *filter_left_out(const struct filter *f, const char *program);
/* Do the processes and threads asked for live no more? False when none was asked for. */
bool filter_targets_gone(const struct filter *f);
void filter_close(struct filter *f);

#endif
