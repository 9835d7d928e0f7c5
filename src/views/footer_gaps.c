/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that were not measured all the time. */
#include <stdlib.h>

#include "core/units.h"
#include "views/footer.h"

#define LINES_MAX 8

/* The `n` gaps of one CPU. */
static void write_gaps(FILE *f, const struct recording *r, const struct view_options *o, const struct rec_gap *gaps,
		       size_t n)
{
	char text[UNITS_BYTES], from[UNITS_BYTES], times[32] = "";
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < n; i++)
		sum_ns += gaps[i].duration_ns;
	if (n == 1 && !gaps->start_ns && sum_ns < r->meta.duration_ns) {
		footer_line(f, o, "CPU %u came online during the run: measured from +%s on", gaps->cpu,
			    units_duration(from, sum_ns));
		return;
	}
	if (n > 1)
		snprintf(times, sizeof(times), ", %zu times", n);
	footer_line(f, o, "CPU %u was offline for %s of the run%s, from +%s on: not measured then", gaps->cpu,
		    units_duration(text, sum_ns), times, units_duration(from, gaps->start_ns));
}

void footer_gaps(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct rec_gaps gaps;
	size_t cpus = 0, n;

	if (!r->gaps.n)
		return;
	if (recording_gaps_join(&gaps, &r->gaps))
		footer_line(f, o, "some CPUs were offline for a part of the run");
	for (size_t i = 0; i < gaps.n; i += n) {
		for (n = 1; i + n < gaps.n && gaps.list[i + n].cpu == gaps.list[i].cpu;)
			n++;
		if (cpus++ < LINES_MAX)
			write_gaps(f, r, o, &gaps.list[i], n);
	}
	free(gaps.list);
	if (cpus > LINES_MAX)
		footer_line(f, o, "and %zu more CPUs were offline for a part of the run", cpus - LINES_MAX);
}
