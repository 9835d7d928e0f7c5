/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples as the tree that a flame graph draws: the process, then the user's frames from the root
 * on, then the kernel's. Here a recursion keeps its frames; otherwise a frame is what functions.h
 * calls a function. No tree is built: the stacks are sorted, and each adds to the one before it what
 * they do not share, so memory grows with the samples and not with their depth.
 */
#ifndef VIEWS_FLAMEGRAPH_TREE_H
#define VIEWS_FLAMEGRAPH_TREE_H

#include "core/tool.h"
#include "views/functions.h"

/* Of the stacks that end in a frame. */
struct flame_value {
	uint64_t fires, weight;
	uint64_t base_fires, base_weight;
};

struct flame_line {
	struct rec_labels labels; /* those that are told apart */
	int stack;
	uint32_t process; /* index */
	struct flame_value value;
};

struct flame_tree {
	const struct recording *r;
	struct functions functions;
	char **texts;	     /* by function */
	uint32_t *ranks;     /* by function: its place in the order of all texts */
	uint32_t *by_rank;   /* and back */
	uint32_t *processes; /* a line of each */
	size_t n_processes;
	struct flame_line *lines;
	size_t n_lines;
	uint32_t *names; /* room for those of one stack */
};

/*
 * What a stack adds to the one before it: frames from the root outwards, the first being a child of
 * that one's last but `up` levels; the value is the last one's own. Parents come before their children,
 * and each stack adds a frame: one that is the beginning of another comes before it.
 */
struct flame_stack {
	unsigned up, n;
	const uint32_t *names; /* the rank of a function or, above those, functions.n + the index of a process */
	struct flame_value value;
};
typedef void flame_visit(void *arg, const struct flame_stack *s);

/* 0 or -ENOMEM; flame_close() is due either way. */
int flame_open(struct flame_tree *t, const struct recording *r, const struct view_options *o);
void flame_close(struct flame_tree *t);
/* Each stack, in the order of their frames' texts. */
void flame_walk(const struct flame_tree *t, flame_visit *visit, void *arg);
void flame_add(struct flame_value *sum, const struct flame_value *v);

#endif
