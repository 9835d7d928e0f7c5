/* SPDX-License-Identifier: GPL-2.0-only */
#include "invocation.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_MIN_NS 100000000

static void add_group(struct invocation *in, const char *title, const struct option_def *defs, void *base)
{
	in->groups[in->n_groups++] = (struct option_group){ title, defs, base };
}

int invocation_prepare(struct invocation *in)
{
	const struct tool *tool = in->tool;

	in->own = calloc(1, tool->options_bytes + 1);
	if (!in->own)
		return -ENOMEM;
	in->run.max_loss_pct = -1;
	in->view.top = VIEW_TOP_AUTO;
	in->view.min_pct = -1;
	if (tool->defaults)
		tool->defaults(in->own);
	add_group(in, "options", tool->options, in->own);
	if (tool->groups & TOOL_TARGET)
		add_group(in, "what to measure", target_option_defs, &in->target);
	if (tool->groups & TOOL_CPUS)
		add_group(in, "what to measure", cpu_option_defs, &in->target);
	if (tool->groups & TOOL_TIME)
		add_group(in, "how long", time_option_defs, &in->time);
	if (tool->groups & TOOL_RUN)
		add_group(in, "recording and limits", run_option_defs, &in->run);
	if (tool->groups & TOOL_VIEW)
		add_group(in, "result", view_option_defs, &in->view);
	return 0;
}

void invocation_free(struct invocation *in)
{
	free(in->own);
}

/* A COMMAND after "--", where the tool takes one. */
static int take_command(struct invocation *in, int argc, char **argv, int rest)
{
	if (rest == argc && (!(in->tool->groups & TOOL_COMMAND) || strcmp(argv[rest - 1], "--") != 0))
		return 0;
	if (rest == argc) { /* an empty variable, perhaps: not a wish to measure everything */
		warnx("'--' and no COMMAND after it");
		return -EINVAL;
	}
	if (!(in->tool->groups & TOOL_COMMAND)) {
		warnx("'%s' is one word too many", argv[rest]);
		return -EINVAL;
	}
	if (strcmp(argv[rest - 1], "--") != 0) {
		warnx("'%s' is no option (a command to run goes after '--')", argv[rest]);
		return -EINVAL;
	}
	in->target.command = argv + rest;
	return 0;
}

static int take_words(struct invocation *in, int argc, char **argv, int rest)
{
	in->words = argv + rest;
	in->n_words = (unsigned)(argc - rest);
	if (in->n_words < in->tool->words_min) {
		warnx("no recording named (usage: %s %s)", in->who, in->tool->usage);
		return -EINVAL;
	}
	if (in->n_words > in->tool->words_max) {
		warnx("'%s' is one word too many", in->words[in->tool->words_max]);
		return -EINVAL;
	}
	return 0;
}

static int check_run(const struct invocation *in)
{
	if (in->time.interval_ns && !in->run.out && !(in->tool->gives & (REC_LATENCY | REC_IRQ))) {
		warnx("-I parts a recording: it needs -o FILE ('kbpfprof report FILE --from --to' shows a part)");
		return -EINVAL;
	}
	if (in->time.interval_ns && in->time.interval_ns < INTERVAL_MIN_NS) {
		warnx("-I: 100ms is the shortest interval");
		return -EINVAL;
	}
	if (in->run.out && !strcmp(in->run.out, "-") && in->view.format) {
		warnx("-o - writes the recording to stdout: there is no place for -f %s", in->view.format);
		return -EINVAL;
	}
	return 0;
}

static void keep_command_line(struct invocation *in, int argc, char **argv)
{
	size_t used = (size_t)snprintf(in->command_line, sizeof(in->command_line), "kbpfprof");

	for (int i = 0; i < argc && used < sizeof(in->command_line); i++)
		used += (size_t)snprintf(in->command_line + used, sizeof(in->command_line) - used, " %s", argv[i]);
}

int invocation_parse(struct invocation *in, int argc, char **argv)
{
	int rest, err;

	keep_command_line(in, argc, argv);
	err = options_parse(in->groups, in->n_groups, argc, argv, in->who, in->tool->load != NULL, &rest);
	if (err)
		return err;
	err = in->tool->load ? take_words(in, argc, argv, rest) : take_command(in, argc, argv, rest);
	return err ? err : check_run(in);
}
