/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of a collector: everything that is the same for all tools. Filter, COMMAND, load,
 * attach, signals, delay, duration, ticks, losses, own cost and teardown.
 */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include <bpf/libbpf.h>
#include <stdint.h>

#include "core/command.h"
#include "core/cpu.h"
#include "core/cpu_gaps.h"
#include "core/filter.h"
#include "core/kernel_btf.h"
#include "core/progress.h"
#include "core/tool.h"

/* Where a recording goes while it grows. */
struct sink {
	uint64_t every_ns;
	/* Once all is set up, before COMMAND runs: what cannot be measured has no file. 0 or -errno after a message. */
	int (*begin)(void *arg);
	/* After each interval, and at the end: books, names and meta.duration_ns are up to date. 0 or -errno, which
	 * ends the run. */
	int (*interval)(void *arg, const struct recording *r);
	void *arg;
};

struct session {
	/* set by main */
	const struct tool *tool;
	const void *options; /* the tool's own */
	const struct target_options *target;
	const struct time_options *time;
	const struct run_options *run;
	unsigned labels;	  /* enum rec_label: what samples are to be told apart by, beside the command */
	const char *command_line; /* as typed, for the recording */
	bool stdout_is_data;	  /* what COMMAND writes there goes to stderr instead */
	bool quiet;		  /* no hints on stderr */
	const struct sink *sink;  /* NULL: nobody wants intervals */

	/* set by the collector's open() */
	struct bpf_object_skeleton *skeleton;
	struct bpf_object *object;
	struct filter_config *filter_config; /* in the skeleton's .rodata; NULL: tasks are no target */
	void *state;			     /* the collector's own, until close() */

	/* for the collector */
	struct kernel_btf btf;	/* until the programs are loaded */
	struct cpu_list cpus;	/* to be measured while they are online: all there are, or those of -C */
	struct cpu_watch watch; /* of which are online */
	struct cpu_gaps gaps;	/* when they were not, from the start of the run */
	uint64_t tick_ns;	/* how often tick() is called; the collector may change it in configure() */

	/* the session's own */
	struct filter filter;
	struct command command;
	uint64_t start_ns, interval_end_ns; /* CLOCK_MONOTONIC; the latter UINT64_MAX without a sink */
	uint64_t watched_ns;		    /* likewise: when it was last seen which CPUs are online */
	uint64_t skipped_before;	    /* losses_skipped() at the start */
	struct progress progress;
	uint64_t data_bytes; /* see memory_bind() */
	int stats_fd;	     /* holds the kernel's BPF run statistics enabled; -1: not asked for */
	bool interrupted;
	int exit_code;
};

/*
 * Runs the tool's collector into `r`. 0 or -errno after a message. Everything is detached when it
 * returns. s->exit_code is what the program should end with: COMMAND's own where one ran to its end.
 */
int session_run(struct session *s, struct recording *r);

/*
 * Opens and configures the tool's collector as session_run() does and calls then(), which may load but attaches
 * nothing; then all of it is closed again. 0, or the first -errno.
 */
int session_try(struct session *s, int (*then)(struct session *s, void *arg), void *arg);

#endif
