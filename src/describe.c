/* SPDX-License-Identifier: GPL-2.0-only */
#include "describe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/event.h"
#include "invocation.h"
#include "tools/tools.h"
#include "views/keys.h"
#include "views/views.h"

static const char *type_name(enum option_type type)
{
	static const char *const names[] = {
		[OPTION_FLAG] = "flag",		[OPTION_IGNORED] = "ignored", [OPTION_STRING] = "string",
		[OPTION_CHOICE] = "choice",	[OPTION_COUNT] = "count",     [OPTION_PCT] = "pct",
		[OPTION_DURATION] = "duration",
	};

	return names[type];
}

static const char *or_dash(const char *s)
{
	return s && *s ? s : "-";
}

static void describe_option(const struct tool *tool, const char *group, const struct option_def *def)
{
	char help[OPTION_HELP_BYTES];

	printf("option\t%s\t%s\t%c\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n", tool->name, group,
	       def->letter ? def->letter : '-', def->name, or_dash(def->argument), type_name(def->type), def->min,
	       def->max, or_dash(def->choices), option_help(help, def));
}

static int describe_options(const struct tool *tool)
{
	struct invocation in = { .tool = tool };
	int err = invocation_prepare(&in);

	for (size_t g = 0; !err && g < in.n_groups; g++)
		for (const struct option_def *def = in.groups[g].defs; def && def->name; def++)
			describe_option(tool, in.groups[g].title, def);
	invocation_free(&in);
	return err;
}

static void describe_formats(const struct tool *tool)
{
	if (!(tool->groups & TOOL_VIEW))
		return;
	for (size_t i = 0; i < n_views; i++)
		if (view_can_show(views[i], tool->gives))
			printf("format\t%s\t%s\t%d\t%s\n", tool->name, views[i]->name,
			       !strcmp(views[i]->name, tool->default_view), views[i]->summary);
}

int describe(void)
{
	int err = 0;

	for (const struct tool *const *t = tools; *t && !err; t++) {
		printf("tool\t%s\t%s\t%u\t%d\n", (*t)->name, (*t)->summary, (*t)->words_max,
		       !!((*t)->groups & TOOL_COMMAND));
		err = describe_options(*t);
		describe_formats(*t);
	}
	for (size_t i = 0; i < SORT_KEYS; i++)
		printf("key\t%s\n", sort_key_names[i]);
	for (size_t i = 0; event_generic_name(i); i++)
		printf("event\t%s\n", event_generic_name(i));
	return fflush(stdout) || ferror(stdout) ? -EIO : err;
}
