/* SPDX-License-Identifier: GPL-2.0-only */
/* argv -> tool -> session or recordings -> view. The one place that exits. */
#include <err.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "collect.h"
#include "core/descriptors.h"
#include "core/exit.h"
#include "core/version.h"
#include "describe.h"
#include "invocation.h"
#include "tools/tools.h"
#include "views/views.h"

static void print_usage(FILE *f)
{
	fprintf(f, "usage: kbpfprof TOOL [OPTIONS] [-- COMMAND ARGS...]\n\n");
	for (const struct tool *const *t = tools; *t; t++)
		fprintf(f, "  %-10s %s\n", (*t)->name, (*t)->summary);
	fprintf(f, "\n'kbpfprof TOOL --help' explains one, 'kbpfprof --version' says which this is\n");
}

static const struct tool *find_tool(const char *name)
{
	const struct tool *const *t = tools;

	while (*t && strcmp((*t)->name, name) != 0)
		t++;
	return *t;
}

static int print_help(const struct invocation *in)
{
	printf("usage: kbpfprof %s %s\n\n%s\n\n%s", in->tool->name, in->tool->usage, in->tool->summary, in->tool->help);
	options_print(in->groups, in->n_groups);
	if (in->tool->groups & TOOL_VIEW)
		views_print(in->tool->gives, in->tool->default_view);
	return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}

static int run(struct invocation *in, int argc, char **argv)
{
	int err;

	snprintf(in->who, sizeof(in->who), "kbpfprof %s", in->tool->name);
	program_invocation_name = program_invocation_short_name = in->who; /* what err.h's functions print first */
	err = invocation_prepare(in);
	if (!err)
		err = invocation_parse(in, argc, argv);
	if (err > 0)
		return print_help(in);
	if (err)
		return exit_code_of(err);
	if (in->tool->run)
		return in->tool->run(in->own);
	return in->tool->load ? load_and_show(in) : collect(in);
}

int main(int argc, char **argv)
{
	static struct invocation in; /* static: messages at exit still name it */
	char help[] = "--help";
	int code;

	descriptors_reserve();
	setlocale(LC_CTYPE, ""); /* which characters the terminal has; numbers keep their point */
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version")) {
		puts("kbpfprof " KBPFPROF_VERSION);
		return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
	}
	if (!strcmp(argv[1], "help") && argc > 2) { /* TOOL --help */
		argv[1] = argv[2];
		argv[2] = help;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
	}
	if (!strcmp(argv[1], "--describe")) /* for 'make docs': in no usage */
		return describe() ? EXIT_FAILED : EXIT_DONE;
	in.tool = find_tool(argv[1]);
	if (!in.tool) {
		warnx("no tool '%s' ('kbpfprof --help' lists them)", argv[1]);
		return EXIT_USAGE;
	}
	code = run(&in, argc - 1, argv + 1);
	invocation_free(&in);
	return code;
}
