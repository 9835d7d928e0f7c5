/* SPDX-License-Identifier: GPL-2.0-only */
/* A part of a comparison, before and after; shared by the rows and the stacks of `changes`. */
#ifndef VIEWS_CHANGES_H
#define VIEWS_CHANGES_H

#include <stdbool.h>
#include <stdio.h>

#include "core/tool.h"
#include "views/functions.h"
#include "views/noise.h"

/* In the scale's values: shares of 1, or weight a nanosecond. */
struct change {
	double before, after, by, bound;
	bool is_noise;
};

struct change change_of(const struct noise_scale *s, uint64_t before_fires, uint64_t before_weight,
			uint64_t after_fires, uint64_t after_weight);

#define CHANGE_BYTES 32
/* "40.1%", "+12.3%", "1.2e+05/s". Returns `buf`. */
char *change_text(char buf[CHANGE_BYTES], const struct recording *r, double value, bool with_sign);

/* The stacks that changed by more than noise, largest change first; nothing if none did. 0 or -ENOMEM. */
int changes_write_stacks(FILE *f, const struct functions *fs, const struct view_options *o);

#endif
