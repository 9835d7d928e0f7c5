/* SPDX-License-Identifier: GPL-2.0-only */
/* Two recordings made one that holds the samples of both, told apart by `base_`. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include <stdbool.h>

#include "core/recording.h"

/*
 * What can be compared between two runs, and two builds, are names: a location becomes its function
 * in its object's short name, all unnamed ones of an object that lack a name for one reason are one,
 * and of the labels the command stays. Meta, sampling and losses are those of `after`; `before` is
 * the baseline. 0; -EINVAL: they measured different things, after a message; or -ENOMEM.
 */
int compare_recordings(const struct recording *before, const struct recording *after, bool by_time,
		       struct recording **out);

#endif
