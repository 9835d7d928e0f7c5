/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which labels a view tells apart. A recording on disk has them all; a reader who did not ask for
 * threads (-s tid) wants one flame for a program, not one for each of its threads.
 */
#ifndef VIEWS_LABELS_H
#define VIEWS_LABELS_H

#include "core/tool.h"

/* The labels without those that the sort keys do not name: the command always stays, a thread implies its process. */
struct rec_labels labels_wanted(const struct rec_labels *labels, const struct view_options *o);

#endif
