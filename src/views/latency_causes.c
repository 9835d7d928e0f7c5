/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/latency_causes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_PCT 1 /* below that a row is put together with others */

/* --- how many delays --- */

static uint64_t count_from(const struct rec_hist *h, unsigned quarter)
{
	uint64_t sum = 0;

	for (unsigned i = quarter * 4; h && i < HIST_BUCKETS; i++)
		sum += h->buckets[i];
	return sum;
}

static uint64_t count_of(const struct rec_hist *h)
{
	return h ? h->count : 0;
}

/*
 * A wakeup by a timer is as long as from the timer on, any other as from its waking on. Of the wakings' histogram it
 * is not known which are by timers; one that is long enough from its waking on is so from its timer on.
 */
static void count_wakeups(struct causes_of *column, const struct rec_latency *l)
{
	const struct rec_hist *waking = latency_find(l, 0, LATENCY_WAKING), *timer = latency_find(l, 0, LATENCY_TIMER);
	uint64_t by_timer = count_from(timer, column->quarter), by_waking = count_from(waking, column->quarter);
	uint64_t others = count_of(waking) > count_of(timer) ? count_of(waking) - count_of(timer) : 0;

	column->at_least += by_timer > by_waking ? by_timer : by_waking;
	column->at_most += by_timer + (by_waking < others ? by_waking : others);
	if (column->at_least > column->at_most) /* the histograms contradict each other: a damaged recording */
		column->at_most = column->at_least;
}

static void count_preempted(struct causes_of *column, const struct rec_latency *l)
{
	uint64_t n = count_from(latency_find(l, 0, LATENCY_PREEMPTED), column->quarter);

	column->at_least += n;
	column->at_most += n;
}

/* The quarter from which on the number of values is nearest to a hundredth of all; 0: too few for that. */
static unsigned top_quarter(const struct rec_latency *l, double *percentile)
{
	const struct rec_hist *waking = latency_find(l, 0, LATENCY_WAKING), *timer = latency_find(l, 0, LATENCY_TIMER);
	const struct rec_hist *h = count_of(timer) > count_of(waking) / 2 ? timer : waking;
	uint64_t want = count_of(h) / 100, best = UINT64_MAX;
	unsigned quarter = 0;

	for (unsigned i = 1; want && i < HIST_QUARTERS; i++) {
		uint64_t n = count_from(h, i), off = n > want ? n - want : want - n;

		if (!n || off > best)
			continue;
		best = off;
		quarter = i;
		*percentile = 100 - 100 * (double)n / (double)count_of(h);
	}
	return quarter;
}

static bool is_of(enum causes_column column, const struct rec_case *c)
{
	return column == COLUMN_ABOVE || (c->kind == LATENCY_PREEMPTED) == (column == COLUMN_PREEMPTED);
}

/* If not all of the worst delays are that long, no other is: then their number is known. */
static void count_worst(struct causes_of *column, const struct rec_latency *l, enum causes_column which)
{
	uint64_t as_long = 0, n = 0;

	for (size_t i = 0; i < l->n_cases; i++) {
		bool is_long = !l->cases[i].above && l->cases[i].total_ns >= column->from_ns;

		as_long += is_long;
		n += is_long && is_of(which, &l->cases[i]);
	}
	if (as_long < l->worst && n >= column->at_least && n <= column->at_most)
		column->at_least = column->at_most = n;
}

static bool has_column(enum causes_column column, const struct rec_cause *cause, unsigned quarter)
{
	if (cause->quarter < quarter)
		return false;
	return column == COLUMN_ABOVE || cause->preempted == (column == COLUMN_PREEMPTED);
}

static void find_columns(struct causes *c, const struct rec_latency *l)
{
	unsigned quarters[CAUSES_COLUMNS] = { [COLUMN_TOP] = top_quarter(l, &c->columns[COLUMN_TOP].percentile),
					      [COLUMN_ABOVE] = hist_quarter(l->above_ns) };

	for (int i = 0; i < CAUSES_COLUMNS; i++) {
		struct causes_of *column = &c->columns[i];

		column->quarter = quarters[i];
		column->from_ns = hist_quarter_min_ns(quarters[i]);
		if ((i == COLUMN_TOP && !quarters[i]) || (i == COLUMN_ABOVE && !l->above_ns))
			continue;
		for (size_t j = 0; j < l->n_causes; j++)
			if (has_column((enum causes_column)i, &l->causes[j], quarters[i]))
				column->ns += l->causes[j].ns;
		column->is_there = column->ns > 0;
		if (i != COLUMN_PREEMPTED)
			count_wakeups(column, l);
		if (i == COLUMN_PREEMPTED || i == COLUMN_ABOVE)
			count_preempted(column, l);
		count_worst(column, l, (enum causes_column)i);
	}
	c->strictest = c->columns[COLUMN_ABOVE].is_there     ? COLUMN_ABOVE
		       : c->columns[COLUMN_TOP].is_there     ? COLUMN_TOP
		       : c->columns[COLUMN_WAKEUPS].is_there ? COLUMN_WAKEUPS
							     : COLUMN_PREEMPTED;
}

/* --- rows --- */

static int compare_keys(const void *a, const void *b)
{
	const struct cause_row *x = a, *y = b;

	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	if (x->others != y->others) /* those that go together */
		return x->others < y->others ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void add_row(struct cause_row *to, const struct cause_row *more)
{
	for (int i = 0; i < CAUSES_COLUMNS; i++)
		to->ns[i] += more->ns[i];
}

static bool has_id(enum wake_cause cause)
{
	return cause == CAUSE_HARDIRQ || cause == CAUSE_VECTOR || cause == CAUSE_SOFTIRQ || cause == CAUSE_TIMER_BEHIND;
}

bool cause_has_name(enum wake_cause cause)
{
	return cause == CAUSE_TIMER_BEHIND || cause == CAUSE_HARDIRQ || cause == CAUSE_AFFINITY ||
	       (cause >= CAUSE_TASK_BETTER && cause <= CAUSE_TASK_BOOSTED);
}

/* A row a cause, line and name. */
static void gather(struct causes *c, const struct rec_latency *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_causes; i++) {
		const struct rec_cause *from = &l->causes[i];

		c->rows[i] = (struct cause_row){ .cause = from->cause,
						 .id = has_id(from->cause) ? from->id : 0,
						 .name = cause_has_name(from->cause) ? from->name : 0 };
		for (int j = 0; j < CAUSES_COLUMNS; j++)
			if (c->columns[j].is_there && has_column((enum causes_column)j, from, c->columns[j].quarter))
				c->rows[i].ns[j] = from->ns;
	}
	qsort(c->rows, l->n_causes, sizeof(*c->rows), compare_keys);
	for (size_t i = 0; i < l->n_causes; i++) {
		if (n && !compare_keys(&c->rows[n - 1], &c->rows[i]))
			add_row(&c->rows[n - 1], &c->rows[i]);
		else
			c->rows[n++] = c->rows[i];
	}
	c->n = n;
}

static bool is_small(const struct causes *c, const struct cause_row *row)
{
	for (int i = 0; i < CAUSES_COLUMNS; i++)
		if ((double)row->ns[i] * 100 >= SMALL_PCT * (double)c->columns[i].ns && row->ns[i])
			return false;
	return true;
}

/* Small rows become one a kind: many tasks of 0.9 % are no small matter. */
static void join_kinds(struct causes *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		c->rows[i].others = is_small(c, &c->rows[i]);
	qsort(c->rows, c->n, sizeof(*c->rows), compare_keys);
	for (size_t i = 0; i < c->n; i++) {
		struct cause_row *last = n ? &c->rows[n - 1] : NULL;

		if (last && last->others && c->rows[i].others && last->cause == c->rows[i].cause) {
			add_row(last, &c->rows[i]);
			last->others++;
		} else {
			c->rows[n++] = c->rows[i];
		}
	}
	c->n = n;
}

/* What is small even then becomes one row. */
static void join_rest(struct causes *c)
{
	struct cause_row rest = { .cause = CAUSE_NONE };
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (is_small(c, &c->rows[i])) {
			add_row(&rest, &c->rows[i]);
			rest.others += c->rows[i].others;
		} else {
			c->rows[n++] = c->rows[i];
		}
	}
	if (rest.others)
		c->rows[n++] = rest;
	c->n = n;
}

/*
 * Whole percents of a column by largest remainders (Hamilton's method), so that what is printed adds up to 100.
 */
static void find_percents(struct causes *c, int column)
{
	double all = (double)c->columns[column].ns;
	unsigned left = 100;

	if (!c->columns[column].is_there)
		return;
	for (size_t i = 0; i < c->n; i++) {
		c->rows[i].pct[column] = (unsigned)((double)c->rows[i].ns[column] * 100 / all);
		left -= c->rows[i].pct[column];
	}
	for (; left && left <= 100; left--) {
		struct cause_row *most = NULL;
		double most_rest = -2;

		for (size_t i = 0; i < c->n; i++) {
			double rest = (double)c->rows[i].ns[column] * 100 / all - c->rows[i].pct[column];

			if (rest > most_rest) {
				most_rest = rest;
				most = &c->rows[i];
			}
		}
		if (!most)
			return;
		most->pct[column]++;
	}
}

static int compare_by(const struct cause_row *x, const struct cause_row *y, int column)
{
	return x->ns[column] > y->ns[column] ? -1 : x->ns[column] < y->ns[column];
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct causes *c = arg;
	const struct cause_row *x = a, *y = b;
	int by = (x->cause == CAUSE_NONE) - (y->cause == CAUSE_NONE);

	if (!by)
		by = compare_by(x, y, c->strictest);
	for (int i = 0; !by && i < CAUSES_COLUMNS; i++)
		by = compare_by(x, y, i);
	return by ? by : compare_keys(a, b);
}

int causes_open(struct causes *c, const struct rec_latency *l)
{
	*c = (struct causes){ .rows = calloc(l->n_causes + 1, sizeof(*c->rows)) };
	if (!c->rows)
		return -ENOMEM;
	find_columns(c, l);
	gather(c, l);
	join_kinds(c);
	join_rest(c);
	for (int i = 0; i < CAUSES_COLUMNS; i++)
		find_percents(c, i);
	qsort_r(c->rows, c->n, sizeof(*c->rows), compare_rows, c);
	return 0;
}

void causes_close(struct causes *c)
{
	free(c->rows);
	c->rows = NULL;
}
