/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --per: a row a group, worst first. All rows are of waking -> running, the one kind that every wakeup
 * has, so that they add up to the line of all; what timers and preemptions add stands beside.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "views/footer.h"
#include "views/latency_view.h"

#define ROWS_AUTO     20
#define NAME_COLUMNS  24 /* enough for a command and a TID */
#define OTHER_COLUMNS 73 /* of the numbers */

struct group {
	int group; /* string */
	const struct rec_hist *of[LATENCY_KINDS];
	uint64_t worst_ns;
};

static uint64_t max_ns(const struct rec_hist *h)
{
	return h ? h->max_ns : 0;
}

/* The worst wakeup; of a group that had none, the worst preemption. */
static uint64_t worst_ns(const struct group *g)
{
	uint64_t waking_ns = max_ns(g->of[LATENCY_WAKING]), timer_ns = max_ns(g->of[LATENCY_TIMER]);

	return timer_ns > waking_ns ? timer_ns : waking_ns;
}

static int compare(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	uint64_t x_ns = max_ns(x->of[LATENCY_PREEMPTED]), y_ns = max_ns(y->of[LATENCY_PREEMPTED]);

	if (x->worst_ns != y->worst_ns)
		return x->worst_ns > y->worst_ns ? -1 : 1;
	if (x_ns != y_ns)
		return x_ns > y_ns ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

static int compare_names(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->group < y->group ? -1 : x->group > y->group;
}

/* Histograms of one group stand beside each other once they are sorted. */
static size_t gather(struct group *groups, const struct rec_latency *l)
{
	size_t n = 0, n_hists = 0;

	for (size_t i = 0; i < l->n_hists; i++) {
		const struct rec_hist *h = &l->hists[i];

		if (!h->group || !h->count)
			continue;
		groups[n_hists] = (struct group){ .group = h->group };
		groups[n_hists++].of[h->kind] = h;
	}
	qsort(groups, n_hists, sizeof(*groups), compare_names);
	for (size_t i = 0; i < n_hists; i++) {
		if (!n || groups[n - 1].group != groups[i].group)
			groups[n++] = groups[i];
		for (int kind = 0; kind < LATENCY_KINDS; kind++)
			if (groups[i].of[kind])
				groups[n - 1].of[kind] = groups[i].of[kind];
	}
	for (size_t i = 0; i < n; i++)
		groups[i].worst_ns = worst_ns(&groups[i]);
	qsort(groups, n, sizeof(*groups), compare);
	return n;
}

static void write_max(const struct latency_page *p, const struct rec_hist *h)
{
	char text[UNITS_BYTES];

	fprintf(p->f, " %9s", h && h->count ? units_duration(text, h->max_ns) : "-");
}

static void write_group(const struct latency_page *p, const struct group *g, unsigned columns)
{
	static const struct rec_hist none = { 0 };
	const struct rec_hist *h = g->of[LATENCY_WAKING] ? g->of[LATENCY_WAKING] : &none;
	char name[256 * TEXT_ESCAPE_BYTES], count[UNITS_BYTES], p50[UNITS_BYTES], p99[UNITS_BYTES], p999[UNITS_BYTES];
	unsigned used;

	text_inert(name, sizeof(name), recording_str(p->r, g->group), text_is_utf8());
	if (p->o->width)
		text_cut(name, columns);
	used = text_columns(name);
	fprintf(p->f, "  %s%*s %10s %9s %9s %9s", name, used < columns ? (int)(columns - used) : 0, "",
		units_count(count, h->count), latency_quantile_text(p50, h, 500), latency_quantile_text(p99, h, 990),
		latency_quantile_text(p999, h, 999));
	write_max(p, h);
	write_max(p, g->of[LATENCY_TIMER]);
	write_max(p, g->of[LATENCY_PREEMPTED]);
	fputc('\n', p->f);
}

static uint64_t wakeups(const struct group *groups, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += groups[i].of[LATENCY_WAKING] ? groups[i].of[LATENCY_WAKING]->count : 0;
	return sum;
}

/* That nothing is missing. */
static void write_sum(const struct latency_page *p, const struct group *groups, size_t n, size_t shown)
{
	uint64_t shown_n = wakeups(groups, shown), left_n = wakeups(groups + shown, n - shown);
	uint64_t all = p->l->counts[WAKE_COUNT_WAKEUPS], others = all - shown_n - left_n;
	char of_shown[UNITS_BYTES], of_left[UNITS_BYTES], of_others[UNITS_BYTES], of_all[UNITS_BYTES],
		rest[3 * UNITS_BYTES] = "";

	if (shown_n + left_n < all)
		snprintf(rest, sizeof(rest), " + %s in no group", units_count(of_others, others));
	footer_line(p->f, p->o, "wakeups: %s in %zu shown + %s in %zu left out%s%s = %s",
		    units_count(of_shown, shown_n), shown, units_count(of_left, left_n), n - shown,
		    shown < n ? " (--top 0 shows all)" : "", rest,
		    units_count(of_all, shown_n + left_n < all ? all : shown_n + left_n));
}

static void write_rows(const struct latency_page *p, const struct group *groups, size_t n)
{
	uint64_t top = p->o->top == VIEW_TOP_AUTO ? ROWS_AUTO : p->o->top;
	size_t shown = top && top < n ? (size_t)top : n;
	unsigned columns = NAME_COLUMNS;

	if (p->o->width && p->o->width < NAME_COLUMNS + OTHER_COLUMNS)
		columns = p->o->width > OTHER_COLUMNS + 8 ? p->o->width - OTHER_COLUMNS : 8;
	fprintf(p->f, "\n  %*s %9s %9s\n", (int)columns + 51, "", "timer", "preempted"); /* above the last two */
	fprintf(p->f, "  %-*s %10s %9s %9s %9s %9s %9s %9s\n", (int)columns, p->l->per, "wakeups", "p50", "p99",
		"p99.9", "max", "max", "max");
	for (size_t i = 0; i < shown; i++)
		write_group(p, &groups[i], columns);
	write_sum(p, groups, n, shown);
}

int latency_write_groups(const struct latency_page *p)
{
	struct group *groups = calloc(p->l->n_hists + 1, sizeof(*groups));
	size_t n;

	if (!groups)
		return -ENOMEM;
	n = gather(groups, p->l);
	if (n)
		write_rows(p, groups, n);
	free(groups);
	return 0;
}
