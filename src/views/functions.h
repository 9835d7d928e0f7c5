/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a person counts: functions, not addresses. Locations of one function are one; so are all
 * addresses of an object that have no name for the same reason, or a stripped program that takes
 * the whole machine would be a thousand rows of nothing. Objects that would be written alike are
 * one too: two containers' libc.so.6.
 */
#ifndef VIEWS_FUNCTIONS_H
#define VIEWS_FUNCTIONS_H

#include "core/intern.h"
#include "core/recording.h"
#include "views/frame.h"

struct function {
	int object; /* id among objects; -1 for FRAME_NO_STACK */
	int name;   /* string; 0: unnamed, because of: */
	enum why why;
	bool kernel;	  /* on the kernel's side of the stack */
	bool several;	  /* stands for more than one location */
	int location;	  /* one of its locations, or FRAME_NO_STACK */
	uint32_t by_name; /* the first function of this name and side in any object; itself if unnamed */
};

/* An element of a path: a function's id, marked if it, or a group that ends with it, called itself there. */
#define PATH_RECURSION	 0x80000000u
#define PATH_FUNCTION(x) ((x) & ~PATH_RECURSION)

/*
 * Functions of a stack, leaf first. A function that calls itself stands there once, and so does a
 * group that calls itself: "a b a b a b c" is "a b c", b being marked. Stacks that differ by how deep
 * a recursion went are one path.
 */
struct path {
	const uint32_t *elements;
	unsigned n; /* >= 1 */
};

struct functions {
	const struct recording *r;
	struct function *list;
	size_t n;
	int *objects;	      /* by mapping: its object */
	int *object_mappings; /* by object: one of its mappings */

	size_t capacity; /* private from here on */
	struct intern ids, names;
	int *of_location; /* by location and side: function, -1: not asked yet */
	uint32_t *elements;
	size_t *path_ends; /* by stack, in elements */
};

/* 0 or -ENOMEM; functions_close() is due either way. */
int functions_open(struct functions *fs, const struct recording *r);
void functions_close(struct functions *fs);

struct path functions_path(const struct functions *fs, int stack);
/* The function of a frame of any stack, before recursion is taken out. */
uint32_t functions_at(const struct functions *fs, uint32_t location, bool kernel);
/* flags: enum frame_flags. Both return `buf`. */
char *functions_text(char buf[FRAME_BYTES], const struct functions *fs, uint32_t function, unsigned flags);
char *functions_object(char buf[FRAME_BYTES], const struct functions *fs, int object);

#endif
