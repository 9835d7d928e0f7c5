/* SPDX-License-Identifier: GPL-2.0-only */
/* All that a command line says. */
#ifndef INVOCATION_H
#define INVOCATION_H

#include <stddef.h>

#include "core/options.h"
#include "core/tool.h"

#define INVOCATION_GROUPS 5

struct invocation {
	const struct tool *tool;
	struct target_options target;
	struct time_options time;
	struct run_options run;
	struct view_option_values view;
	void *own; /* tool->options_bytes */
	struct option_group groups[INVOCATION_GROUPS];
	size_t n_groups;
	char *const *words; /* beside the options */
	unsigned n_words;
	char who[64];		/* "kbpfprof TOOL": what messages begin with */
	char command_line[256]; /* as typed, cut */
};

/* Sets up the groups of in->tool. 0 or -ENOMEM; invocation_free() is due either way. */
int invocation_prepare(struct invocation *in);
/* Reads argv, argv[0] being the subcommand. 0; 1: --help was asked for; -EINVAL after a message. */
int invocation_parse(struct invocation *in, int argc, char **argv);
void invocation_free(struct invocation *in);

#endif
