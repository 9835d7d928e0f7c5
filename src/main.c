/* SPDX-License-Identifier: GPL-2.0-only */
/* argv -> tool -> session -> view. The one place that exits. */
#include <err.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/exit.h"
#include "core/session.h"
#include "core/tool.h"
#include "core/version.h"
#include "tools/tools.h"
#include "views/footer.h"
#include "views/views.h"

/* All that a command line says. */
struct invocation {
	const struct tool *tool;
	struct target_options target;
	struct time_options time;
	struct view_option_values view;
	struct run_options run;
	void *own; /* tool->options_bytes */
	struct option_group groups[5];
	char who[64]; /* "kbpfprof TOOL": what messages begin with */
	size_t n_groups;
};

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

static void add_group(struct invocation *in, const char *title, const struct option_def *defs, void *base)
{
	in->groups[in->n_groups++] = (struct option_group){ title, defs, base };
}

static int prepare(struct invocation *in)
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
	if (tool->groups & TOOL_TIME)
		add_group(in, "how long", time_option_defs, &in->time);
	if (tool->groups & TOOL_RUN)
		add_group(in, "recording and limits", run_option_defs, &in->run);
	if (tool->groups & TOOL_VIEW)
		add_group(in, "result", view_option_defs, &in->view);
	return 0;
}

static void print_help(const struct invocation *in)
{
	printf("usage: kbpfprof %s %s\n\n%s\n\n%s", in->tool->name, in->tool->usage, in->tool->summary, in->tool->help);
	options_print(in->groups, in->n_groups);
}

/* Words after the options: a COMMAND after "--", where the tool takes one. */
static int take_command(struct invocation *in, int argc, char **argv, int rest)
{
	if (rest == argc && (!(in->tool->groups & TOOL_TARGET) || strcmp(argv[rest - 1], "--") != 0))
		return 0;
	if (rest == argc) { /* an empty variable, perhaps: not a wish to measure everything */
		warnx("'--' and no COMMAND after it");
		return -EINVAL;
	}
	if (!(in->tool->groups & TOOL_TARGET)) {
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

static bool use_color(const char *when, bool terminal)
{
	const char *no_color = getenv("NO_COLOR");

	if (when && !strcmp(when, "always"))
		return true;
	if (when && !strcmp(when, "never"))
		return false;
	return terminal && !(no_color && *no_color);
}

static struct view_options view_options(const struct view_option_values *o)
{
	bool terminal = isatty(STDOUT_FILENO);
	struct winsize size = { 0 };

	if (terminal && (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col))
		size.ws_col = 80;
	return (struct view_options){
		.sort = o->sort,
		.children = o->children,
		.idle = o->idle,
		.top = o->top,
		.depth = o->depth,
		.min_pct = o->min_pct,
		.callers = o->callers,
		.callees = o->callees,
		.color = use_color(o->color, terminal),
		.width = size.ws_col,
	};
}

static int choose_view(const struct invocation *in, const struct view_options *options, const struct view **view)
{
	const char *name = in->view.format ? in->view.format : in->tool->default_view;
	const char *color = in->view.color;
	char names[VIEW_NAMES_BYTES];

	*view = view_find(name);
	if (!*view) {
		warnx("--format %s: no such format (%s)", name, view_names(names, in->tool->gives));
		return -EINVAL;
	}
	if ((*view)->needs & ~in->tool->gives) {
		warnx("--format %s cannot show what %s measures", name, in->tool->name);
		return -EINVAL;
	}
	if (color && strcmp(color, "auto") != 0 && strcmp(color, "always") != 0 && strcmp(color, "never") != 0) {
		warnx("--color %s: auto, always or never", color);
		return -EINVAL;
	}
	return (*view)->check ? (*view)->check(options) : 0;
}

/* A format for programs has no place for the books: they go to stderr, so that no loss is silent. */
static int show(const struct view *view, const struct recording *r, const struct view_options *options, bool quiet)
{
	int err = view->write(stdout, r, options);

	if (!err && !fflush(stdout) && !ferror(stdout)) {
		if (view->is_data && !quiet)
			footer_books(stderr, r, options);
		return 0;
	}
	warnx("cannot write the report: %s", strerror(err ? -err : errno));
	return err ? err : -EIO;
}

static int collect(const struct invocation *in, const struct view *view, const struct view_options *options)
{
	struct session session = { .tool = in->tool,
				   .options = in->own,
				   .target = &in->target,
				   .time = &in->time,
				   .run = &in->run,
				   .view = &in->view };
	struct recording *r = recording_new();
	int code;

	if (!r)
		return EXIT_FAILED;
	if (session_run(&session, r)) {
		recording_free(r);
		return session.exit_code;
	}
	code = session.exit_code;
	if (show(view, r, options, in->view.quiet))
		code = EXIT_FAILED;
	else if (in->run.max_loss_pct >= 0 && recording_lost_pct(r) > in->run.max_loss_pct)
		code = EXIT_LOSS;
	recording_free(r);
	return code;
}

static int run(struct invocation *in, int argc, char **argv)
{
	struct view_options options;
	const struct view *view;
	int rest, err;

	snprintf(in->who, sizeof(in->who), "kbpfprof %s", in->tool->name);
	program_invocation_name = program_invocation_short_name = in->who; /* what err.h's functions print first */
	err = prepare(in);
	if (!err)
		err = options_parse(in->groups, in->n_groups, argc, argv, in->who, in->tool->load != NULL, &rest);
	if (err > 0) {
		print_help(in);
		return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
	}
	if (!err)
		err = take_command(in, argc, argv, rest);
	if (err)
		return exit_code_of(err);
	if (in->tool->run)
		return in->tool->run(in->own);
	options = view_options(&in->view);
	err = choose_view(in, &options, &view);
	if (err)
		return exit_code_of(err);
	return collect(in, view, &options);
}

int main(int argc, char **argv)
{
	static struct invocation in; /* static: messages at exit still name it */
	int code;

	setlocale(LC_CTYPE, ""); /* which characters the terminal has; numbers keep their point */
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version")) {
		puts("kbpfprof " KBPFPROF_VERSION);
		return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
	}
	in.tool = find_tool(argv[1]);
	if (!in.tool) {
		warnx("no tool '%s' ('kbpfprof --help' lists them)", argv[1]);
		return EXIT_USAGE;
	}
	code = run(&in, argc - 1, argv + 1);
	free(in.own);
	return code;
}
