/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/bars.h"

#include <string.h>

#include "core/units.h"

#define BARS	     (HIST_BUCKETS / HIST_SUB) /* a power of two each, but for the first: 0 to 15 ns */
#define BAR_COLUMNS  40
#define BARS_COLUMNS 36 /* of a bar's row, without the bar */

/* "4.1 us ..  8.2 us     41 022 |*******   |" */
static void write_bar(FILE *f, const struct view_options *o, unsigned i, uint64_t count, uint64_t most)
{
	unsigned room = !o->width				? BAR_COLUMNS
			: o->width < BARS_COLUMNS + 10		? 10
			: o->width < BARS_COLUMNS + BAR_COLUMNS ? o->width - BARS_COLUMNS
								: BAR_COLUMNS;
	unsigned stars = (unsigned)((double)count / (double)most * room + 0.5);
	char from[UNITS_BYTES], to[UNITS_BYTES], text[UNITS_BYTES], bar[BAR_COLUMNS + 1] = "";

	memset(bar, '*', stars);
	if (count && !stars)
		bar[0] = '.'; /* too few for a star, but there: the rare ones matter here */
	fprintf(f, "  %9s .. %-9s %10s |%-*s|\n", units_duration(from, hist_bucket_min_ns(i * HIST_SUB)),
		i + 1 < BARS ? units_duration(to, hist_bucket_min_ns((i + 1) * HIST_SUB)) : "",
		units_count(text, count), (int)room, bar);
}

bool bars_write(FILE *f, const struct view_options *o, const uint64_t *buckets, const char *title)
{
	uint64_t counts[BARS] = { 0 }, most = 0;
	unsigned first = BARS, last = 0;

	for (unsigned i = 0; buckets && i < HIST_BUCKETS; i++)
		counts[i / HIST_SUB] += buckets[i];
	for (unsigned i = 0; i < BARS; i++) {
		if (!counts[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = counts[i] > most ? counts[i] : most;
	}
	if (!most)
		return false;
	fprintf(f, "\n%s\n", title);
	for (unsigned i = first; i <= last; i++)
		write_bar(f, o, i, counts[i], most);
	return true;
}
