/* SPDX-License-Identifier: GPL-2.0-only */
#include "show.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/terminal.h"
#include "views/footer.h"
#include "views/keys.h"
#include "views/views.h"

static int find_view(const struct tool *tool, const char *name, const struct view **view)
{
	unsigned gives = tool->gives;
	char names[VIEW_NAMES_BYTES];

	*view = view_find(name);
	if (!*view) {
		warnx("--format %s: no such format (%s)", name, view_names(names, gives));
		return -EINVAL;
	}
	if (!view_can_show(*view, gives)) {
		warnx("--format %s cannot show the result of %s (%s can)", name, tool->name, view_names(names, gives));
		return -EINVAL;
	}
	if ((*view)->is_binary && isatty(STDOUT_FILENO)) {
		warnx("--format %s is nothing for a terminal (> FILE)", name);
		return -EINVAL;
	}
	return 0;
}

/* The first option given that a view has no use for; NULL: none. */
static const char *not_taken(unsigned takes, const struct view_option_values *o)
{
	const struct {
		bool given;
		unsigned needs;
		const char *name;
	} options[] = {
		{ o->top != VIEW_TOP_AUTO, VIEW_ROWS, "--top" },
		{ o->children, VIEW_ROWS, "--children" },
		{ o->idle, VIEW_IDLE, "--idle" },
		{ o->depth > 0, VIEW_TREES, "--depth" },
		{ o->min_pct >= 0, VIEW_TREES, "--percent-limit" },
		{ o->callers != NULL, VIEW_TREES, "--callers" },
		{ o->callees != NULL, VIEW_TREES, "--callees" },
		{ o->sort != NULL, VIEW_KEYS, "--sort" },
		{ o->hist != NULL, VIEW_HISTS, "--hist" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given && !(takes & options[i].needs))
			return options[i].name;
	return NULL;
}

static int check_taken(const struct view *view, const struct view_option_values *o)
{
	const char *option = not_taken(view->takes, o);
	struct sort_keys keys;

	if (!option)
		return o->sort ? sort_keys_parse(o->sort, &keys) : 0;
	warnx("%s means nothing to --format %s", option, view->name);
	return -EINVAL;
}

/* Of a recording it is known when it is loaded which view is its own: show_loaded() checks that one. */
static bool is_chosen_later(const struct invocation *in)
{
	return in->tool->load && !in->view.format;
}

static int check_chosen(const struct show *show, const struct invocation *in)
{
	const struct view_option_values *o = &in->view;
	struct sort_keys keys;

	if (!is_chosen_later(in))
		return check_taken(show->view, o);
	return o->sort ? sort_keys_parse(o->sort, &keys) : 0;
}

int show_prepare(struct show *show, const struct invocation *in)
{
	const struct view_option_values *o = &in->view;
	int err = find_view(in->tool, o->format ? o->format : in->tool->default_view, &show->view);

	if (!err)
		err = check_chosen(show, in);
	if (err)
		return err;
	show->quiet = o->quiet;
	show->pager = !o->no_pager;
	show->options = (struct view_options){
		.sort = o->sort,
		.children = o->children,
		.idle = o->idle,
		.top = o->top,
		.depth = o->depth,
		.min_pct = o->min_pct,
		.hist = o->hist,
		.callers = o->callers,
		.callees = o->callees,
		.color = terminal_color(o->color),
		.width = terminal_width(),
	};
	return show->view->check && !is_chosen_later(in) ? show->view->check(&show->options) : 0;
}

int show_nothing(const struct invocation *in)
{
	const char *option = not_taken(0, &in->view);

	if (!option)
		return 0;
	warnx("%s shapes a result, and -o alone shows none (give it to 'kbpfprof report', or add -f)", option);
	return -EINVAL;
}

static int take_view(struct show *show, const struct invocation *in, const char *name)
{
	int err = find_view(in->tool, name, &show->view);

	if (!err)
		err = check_taken(show->view, &in->view);
	return err || !show->view->check ? err : show->view->check(&show->options);
}

/* Which views can is known only now. */
static int check_loaded(const struct show *show, unsigned gives)
{
	char names[VIEW_NAMES_BYTES];

	if (view_can_show(show->view, gives))
		return 0;
	warnx("--format %s cannot show what this recording holds (%s can)", show->view->name, view_names(names, gives));
	return -EINVAL;
}

int show_loaded(struct show *show, const struct invocation *in, const struct load_request *request)
{
	const char *asked = in->view.format, *format = request->format;
	int err = 0;

	if (asked && format && strcmp(asked, format) != 0) {
		warnx("--%s is a format: not with --format %s", format, asked);
		return -EINVAL;
	}
	if (format || !asked)
		err = take_view(show, in, format ? format : request->default_view);
	return err ? err : check_loaded(show, request->gives);
}

/* 0, or -errno after a message; -EPIPE without one. -EINVAL: an option that fits no part of the recording. */
static int write_view(const struct show *show, const struct recording *r)
{
	int err = show->view->write(stdout, r, &show->options);

	if (!err && (fflush(stdout) || ferror(stdout)))
		err = errno ? -errno : -EIO;
	if (err && err != -EPIPE && err != -EINVAL) /* the view has told what it was asked for and cannot show */
		warnx("cannot write the report: %s", strerror(-err));
	return err;
}

static int write_paged(const struct show *show, const struct recording *r)
{
	struct pager pager;
	int err;

	pager_start(&pager);
	if (!pager.tgid)
		return write_view(show, r);
	err = write_view(show, r);
	if (!pager_wait(&pager))
		return write_view(show, r);
	return err == -EPIPE ? 0 : err; /* who has left the pager has seen enough */
}

/* A format for programs has no place for the books: they go to stderr, so that no loss is silent. */
int show_recording(const struct show *show, const struct recording *r)
{
	bool paged = show->pager && !show->view->is_data;
	int err = paged ? write_paged(show, r) : write_view(show, r);

	if (!err && show->view->is_data && !show->quiet)
		footer_books(stderr, r, &show->options);
	return err;
}
