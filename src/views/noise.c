/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/noise.h"

#include <math.h>

#define CHANCE 0.05

/* z with P(|Z| > z) = p, by halving: erfc falls steadily. */
static double z_of(double p)
{
	double low = 0, high = 40;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / sqrt(2)) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double per(double value, double whole)
{
	return whole > 0 ? value / whole : 0;
}

struct noise_scale noise_scale(const struct recording *r, uint64_t before_fires, uint64_t before_weight,
			       uint64_t after_fires, uint64_t after_weight, size_t rows)
{
	const struct rec_baseline *b = r->baseline;
	struct noise_scale s = { .z = z_of(CHANCE / (double)(rows ? rows : 1)) };

	if (b->by_time) {
		s.before = per(1, (double)b->meta.duration_ns);
		s.after = per(1, (double)r->meta.duration_ns);
	} else {
		s.before = per(1, (double)before_weight);
		s.after = per(1, (double)after_weight);
		s.before_fires = before_fires;
		s.after_fires = after_fires;
	}
	s.before_fire = s.before * per((double)before_weight, (double)before_fires);
	s.after_fire = s.after * per((double)after_weight, (double)after_fires);
	return s;
}

/* Of one side alone, its count being what the pooled rate makes expect. */
static double variance(double expected, double fire, uint64_t of_fires)
{
	double other = of_fires ? 1 - expected / (double)of_fires : 1;

	return expected * (other > 0 ? other : 0) * fire * fire;
}

double noise_bound(const struct noise_scale *s, uint64_t before_fires, uint64_t after_fires)
{
	/* A sample is worth so much that both sides' values agree: expected counts are as 1/fire. */
	double fires = (double)before_fires + (double)after_fires;
	double before = s->before_fire > 0 ? 1 / s->before_fire : 0, after = s->after_fire > 0 ? 1 / s->after_fire : 0;
	double sum = before + after;

	if (sum <= 0)
		return 0;
	return s->z * sqrt(variance(fires * before / sum, s->before_fire, s->before_fires) +
			   variance(fires * after / sum, s->after_fire, s->after_fires));
}
