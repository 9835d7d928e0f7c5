/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions by the name that a person types: as a table writes it, or else as a pattern of the shell. */
#ifndef VIEWS_FOCUS_H
#define VIEWS_FOCUS_H

#include "views/functions.h"

/* *found, by function: is it meant? From malloc(); 0 or -ENOMEM. */
int focus_find(const struct functions *fs, const char *pattern, bool **found);

/* "work, worker_main": some names that resemble it, inert, closest first; "" if none does. Returns `buf`. */
#define FOCUS_SIMILAR_BYTES 512
char *focus_similar(char buf[FOCUS_SIMILAR_BYTES], const struct functions *fs, const char *name);

#endif
