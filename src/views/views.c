/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/views.h"

#include <stdio.h>
#include <string.h>

extern const struct view view_changes, view_flamegraph, view_folded, view_irq, view_json, view_latency, view_list,
	view_matrix, view_pprof, view_table;

/* A view is a line. */
/* clang-format off */
const struct view *const views[] = {
	&view_changes,
	&view_flamegraph,
	&view_folded,
	&view_irq,
	&view_json,
	&view_latency,
	&view_list,
	&view_matrix,
	&view_pprof,
	&view_table,
};
/* clang-format on */
const size_t n_views = sizeof(views) / sizeof(views[0]);

const struct view *view_find(const char *name)
{
	for (size_t i = 0; i < n_views; i++)
		if (!strcmp(views[i]->name, name))
			return views[i];
	return NULL;
}

bool view_can_show(const struct view *view, unsigned gives)
{
	unsigned draws = view->needs | view->draws;

	return !(view->needs & ~gives) && (gives & draws) && !(gives & REC_BASELINE & ~draws);
}

char *view_names(char buf[VIEW_NAMES_BYTES], unsigned gives)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n_views && used < VIEW_NAMES_BYTES; i++)
		if (view_can_show(views[i], gives))
			used += (size_t)snprintf(buf + used, VIEW_NAMES_BYTES - used, "%s%s", used ? ", " : "",
						 views[i]->name);
	return buf;
}

void views_print(unsigned gives, const char *default_view)
{
	printf("\nformats (%s unless -f says otherwise):\n", default_view);
	for (size_t i = 0; i < n_views; i++)
		if (view_can_show(views[i], gives))
			printf("  %-12s %s\n", views[i]->name, views[i]->summary);
}
