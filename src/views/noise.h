/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much two samplings of one and the same thing differ by chance. Counts of a part follow a
 * binomial distribution where shares are compared, a Poisson distribution where rates are; under the
 * assumption that nothing changed both sides estimate one value, so they are pooled (the two-sample
 * z-test, as in any textbook of statistics).
 */
#ifndef VIEWS_NOISE_H
#define VIEWS_NOISE_H

#include <stddef.h>
#include <stdint.h>

#include "core/recording.h"

/* What both sides of a comparison are measured by. */
struct noise_scale {
	double before, after;		    /* value of one unit of weight: a share, or weight a second */
	double before_fire, after_fire;	    /* value of a mean sample */
	uint64_t before_fires, after_fires; /* all of them; 0 if rates are compared */
	double z;			    /* standard errors that chance exceeds with 5 % in any of the rows */
};

/* Sums are those of what is compared; `rows` is how many comparisons are made at once (Bonferroni). */
struct noise_scale noise_scale(const struct recording *r, uint64_t before_fires, uint64_t before_weight,
			       uint64_t after_fires, uint64_t after_weight, size_t rows);

/* The largest change that chance makes, in the scale's values. */
double noise_bound(const struct noise_scale *s, uint64_t before_fires, uint64_t after_fires);

#endif
