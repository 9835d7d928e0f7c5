/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of the whole run: a row a kind, the bars of one of them, and intervals. */
#include <string.h>

#include "views/bars.h"
#include "views/footer.h"
#include "views/latency_view.h"

#define ROW_COLUMNS 70 /* of a row of kinds, without its note */

char *latency_quantile_text(char buf[UNITS_BYTES], const struct rec_hist *h, unsigned permille)
{
	if (h->count < 1000 / (1000 - permille))
		return strcpy(buf, "-");
	return units_duration(buf, latency_quantile(h, permille));
}

const char *latency_kind_name(enum latency_kind kind)
{
	static const char *const names[LATENCY_KINDS] = {
		[LATENCY_TIMER] = "timer -> running",	[LATENCY_WAKING] = "waking -> running",
		[LATENCY_ACTIVATION] = "  activation",	[LATENCY_QUEUE] = "  run queue",
		[LATENCY_PREEMPTED] = "preempted wait",
	};

	return (unsigned)kind < LATENCY_KINDS ? names[kind] : "?";
}

static const char *note_of(enum latency_kind kind)
{
	static const char *const notes[LATENCY_KINDS] = {
		[LATENCY_TIMER] = "from the programmed expiry, as cyclictest counts",
		[LATENCY_WAKING] = "from the moment it was woken",
		[LATENCY_ACTIVATION] = "until it stood in a run queue",
		[LATENCY_QUEUE] = "from there until it ran",
		[LATENCY_PREEMPTED] = "runnable, but not running",
	};

	return notes[kind];
}

static void write_kind(const struct latency_page *p, enum latency_kind kind)
{
	const struct rec_hist *h = latency_find(p->l, 0, kind);
	char count[UNITS_BYTES], p50[UNITS_BYTES], p90[UNITS_BYTES], p99[UNITS_BYTES], p999[UNITS_BYTES],
		max[UNITS_BYTES];
	const char *note = note_of(kind);

	if (!h || !h->count)
		return;
	if (p->o->width && p->o->width < ROW_COLUMNS + 2 + strlen(note))
		note = "";
	fprintf(p->f, "  %-17s %10s %9s %9s %9s %9s %9s%s%s\n", latency_kind_name(kind), units_count(count, h->count),
		latency_quantile_text(p50, h, 500), latency_quantile_text(p90, h, 900),
		latency_quantile_text(p99, h, 990), latency_quantile_text(p999, h, 999), units_duration(max, h->max_ns),
		*note ? "  " : "", note);
}

void latency_write_kinds(const struct latency_page *p)
{
	fprintf(p->f, "  %-17s %10s %9s %9s %9s %9s %9s\n", "", "count", "p50", "p90", "p99", "p99.9", "max");
	for (int kind = 0; kind < LATENCY_KINDS; kind++)
		write_kind(p, (enum latency_kind)kind);
}

void latency_write_bars(const struct latency_page *p)
{
	const struct rec_hist *h = latency_find(p->l, 0, p->headline);

	if (h)
		bars_write(p->f, p->o, h->buckets, latency_kind_name(p->headline));
}

/* As of latency_quantile_text(), but the quantile is known. */
static const char *point_text(char buf[UNITS_BYTES], uint64_t ns, uint64_t count, uint64_t at_least)
{
	return count < at_least ? "-" : units_duration(buf, ns);
}

static void write_point(const struct latency_page *p, const struct rec_point *point)
{
	char start[UNITS_BYTES], count[UNITS_BYTES], p50[UNITS_BYTES], p99[UNITS_BYTES], max[UNITS_BYTES];

	fprintf(p->f, "  %9s %10s %9s %9s %9s\n", units_duration(start, point->start_ns),
		units_count(count, point->count), point_text(p50, point->p50_ns, point->count, 2),
		point_text(p99, point->p99_ns, point->count, 100), point_text(max, point->max_ns, point->count, 1));
}

void latency_write_series(const struct latency_page *p)
{
	bool is_first = true;

	for (size_t i = 0; i < p->l->n_points; i++) {
		if (p->l->points[i].kind != p->headline)
			continue;
		if (is_first)
			fprintf(p->f, "\nby interval, %s\n  %9s %10s %9s %9s %9s\n", latency_kind_name(p->headline),
				"start", "count", "p50", "p99", "max");
		is_first = false;
		write_point(p, &p->l->points[i]);
	}
}
