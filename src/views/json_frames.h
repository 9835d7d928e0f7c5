/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of mappings and frames of the JSON report: each stands there once, and stacks are lists
 * of indexes. What no stack of the report uses is not in them.
 */
#ifndef VIEWS_JSON_FRAMES_H
#define VIEWS_JSON_FRAMES_H

#include "core/json.h"
#include "core/recording.h"

/*
 * A location on one side of a stack is a frame: its id is twice that of the location, plus one on
 * the kernel's. The id after the last one stands for all of a stack that has no frame, so that a
 * reader finds one in each.
 */
struct json_frames {
	const struct recording *r;
	bool *seen;	 /* by stack */
	int *frames;	 /* by id: index in the list; -1: not used */
	uint32_t *order; /* by index: id */
	size_t n_frames;
	int *mappings; /* by mapping: index in the list; -1: not used */
	int n_mappings;
};

/* 0 or -ENOMEM; to be closed after either. */
int json_frames_open(struct json_frames *t, const struct recording *r);
void json_frames_close(struct json_frames *t);
/* The stack is in the report; -1 is none. */
void json_frames_use(struct json_frames *t, int stack);
/* The keys mappings and frames, once all stacks are known. 0 or -ENOMEM. */
int json_frames_write(const struct json_frames *t, struct json *j);
/* The list of a stack's indexes; null of -1. */
void json_frames_stack(const struct json_frames *t, struct json *j, const char *key, int stack);

#endif
