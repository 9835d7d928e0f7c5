/* SPDX-License-Identifier: GPL-2.0-only */
/* From a recording to what the user sees: the view, a pager, the books beside it. */
#ifndef SHOW_H
#define SHOW_H

#include "core/recording.h"
#include "core/tool.h"
#include "invocation.h"

struct show {
	const struct view *view;
	struct view_options options;
	bool quiet, pager;
};

/* Before a run: is there such a view, can it show what the tool gives, are its options right? 0 or -EINVAL after a
 * message. */
int show_prepare(struct show *show, const struct invocation *in);
/* If nothing is shown: 0, or -EINVAL after a message if options want it shown in some way. */
int show_nothing(const struct invocation *in);
/*
 * After a load: the view that its result has, which may be another than the tool's or one that an
 * option is named after (--list). 0 or -EINVAL after a message.
 */
int show_loaded(struct show *show, const struct invocation *in, const struct load_request *request);
/* 0 or -errno after a message. */
int show_recording(const struct show *show, const struct recording *r);

#endif
