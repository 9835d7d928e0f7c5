/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/labels.h"

struct rec_labels labels_wanted(const struct rec_labels *labels, const struct view_options *o)
{
	bool threads = options_list_has(o->sort, "tid");

	return (struct rec_labels){
		.comm = labels->comm,
		.tgid = threads || options_list_has(o->sort, "pid") ? labels->tgid : 0,
		.tid = threads ? labels->tid : 0,
		.cpu = options_list_has(o->sort, "cpu") ? labels->cpu : -1,
	};
}
