/* SPDX-License-Identifier: GPL-2.0-only */
/* The views there are. A new one is a file of its own and one line in views.c. */
#ifndef VIEWS_VIEWS_H
#define VIEWS_VIEWS_H

#include <stddef.h>

#include "core/tool.h"

extern const struct view *const views[];
extern const size_t n_views;

#define VIEW_NAMES_BYTES 256

/* NULL: no view has this name. */
const struct view *view_find(const char *name);
/* Of a tool that gives this (enum rec_content). */
bool view_can_show(const struct view *view, unsigned gives);
/* "folded, table": those that can, for messages. Returns `buf`. */
char *view_names(char buf[VIEW_NAMES_BYTES], unsigned gives);
/* Those that can, as help shows them, to stdout. */
void views_print(unsigned gives, const char *default_view);

#endif
