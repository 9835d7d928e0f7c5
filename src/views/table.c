/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table: which functions take the time, largest first, and under each who calls it (with
 * --children: what it calls). The rows shown and those left out are all samples kept, to the last.
 */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/tool.h"
#include "core/units.h"
#include "views/columns.h"
#include "views/focus.h"
#include "views/footer.h"
#include "views/rows.h"

/* Shown when no row reaches the least share. */
#define ROWS_MIN 10
/* What a person reads, if --top does not say otherwise. */
#define ROWS_MAX 40

#define SHARE_WIDTH 8 /* of "overhead" and "children" */
#define BOUND_WIDTH 6 /* of "+-95%", and of "self" */

#define RED   "\033[1;31m"
#define PLAIN "\033[m"

/* Of a row: smaller branches of its tree are summed. */
#define TREE_ROW_PART 10
/* Likewise, where the table is about this function alone. */
#define TREE_FOCUS_PART 100

/* Of the total: rows in red, as perf report has it. */
#define RED_SHARE 20 /* one 20th, 5 % */

extern const struct view view_table;

struct table {
	FILE *f;
	const struct recording *r;
	const struct view_options *options;
	struct rows rows;
	struct columns columns;
	size_t n_shown;
	const char *plus_minus;
};

/* The function that the table is about, if it is about one. */
static const char *focus_of(const struct view_options *o)
{
	return o->callers ? o->callers : o->callees;
}

static int check(const struct view_options *o)
{
	struct sort_keys keys;

	if (o->callers && o->callees) {
		warnx("--callers and --callees are two tables: one at a time");
		return -EINVAL;
	}
	return sort_keys_parse(o->sort, &keys);
}

/* Of what a person asked for, rounded up; but a share that only the arithmetic makes larger is no larger. */
static uint64_t least_weight(const struct view_options *o, uint64_t total)
{
	return (uint64_t)ceil((double)total * o->min_pct / 100 * (1 - 1e-9));
}

static size_t count_large(const struct rows *rows, uint64_t min, size_t most)
{
	size_t n = 0;

	while (n < rows->n && n < most && rows->list[n].weight >= min)
		n++;
	return n;
}

static size_t count_shown(const struct rows *rows, const struct view_options *o)
{
	size_t top = o->top && o->top < rows->n ? (size_t)o->top : rows->n, n;

	if (rows->focus)
		return rows->n;
	if (o->min_pct >= 0)
		return count_large(rows, least_weight(o, rows->total_weight), top);
	if (o->top != VIEW_TOP_AUTO)
		return top;
	n = count_large(rows, share_min(rows->total_weight), ROWS_MAX);
	if (!n)
		n = rows->n < ROWS_MIN ? rows->n : ROWS_MIN;
	return n;
}

/*
 * Half width of the interval that holds the true share with 95 % certainty: the number of samples in
 * a row is binomial, its normal approximation good from some ten samples on. The relative error of
 * that number is also that of the row's weight, whatever periods the samples stood for. Rounded up.
 */
static char *bound_text(char buf[SHARE_BYTES], const struct table *t, const struct row *row)
{
	double n = (double)row->fires, all = (double)t->rows.total_fires, bound = 0;

	if (row->fires && t->rows.total_weight)
		bound = 1.96 * sqrt((1 - n / all) / n) * 100 * (double)row->weight / (double)t->rows.total_weight;
	snprintf(buf, SHARE_BYTES, "%s%.1f", t->plus_minus, ceil(bound * 10 * (1 - 1e-9)) / 10);
	return buf;
}

/* printf pads by bytes. */
static void write_right(const struct table *t, unsigned width, const char *text)
{
	unsigned columns = text_columns(text);

	fprintf(t->f, "%*s%s", width > columns ? (int)(width - columns) : 0, "", text);
}

/* Rows of what a function and its callees use, beside what it uses itself. */
static bool has_self(const struct table *t)
{
	return t->rows.children || t->rows.focus;
}

static void write_names(const struct table *t)
{
	char bound[SHARE_BYTES];

	write_right(t, SHARE_WIDTH, t->rows.children ? "children" : t->rows.focus ? "total" : "overhead");
	if (has_self(t))
		write_right(t, BOUND_WIDTH + 1, "self");
	snprintf(bound, sizeof(bound), "%s95%%", t->plus_minus);
	write_right(t, BOUND_WIDTH + 1, bound);
	fputs("  ", t->f);
	columns_write_names(t->f, &t->columns, t->rows.callees ? ", callees below" : ", callers below");
	fputc('\n', t->f);
}

static void write_row(const struct table *t, const struct row *row)
{
	uint64_t total = t->rows.total_weight;
	char text[SHARE_BYTES];
	bool red = t->options->color && row->weight >= total / RED_SHARE + (total % RED_SHARE != 0);

	fputs(red ? RED : "", t->f);
	write_right(t, SHARE_WIDTH, share_text(text, row->weight, total));
	fputs(red ? PLAIN : "", t->f);
	if (has_self(t))
		write_right(t, BOUND_WIDTH + 1, share_text(text, row->self_weight, total));
	write_right(t, BOUND_WIDTH + 1, bound_text(text, t, row));
	fputs("  ", t->f);
	columns_write_row(t->f, &t->columns, row);
	fputc('\n', t->f);
}

/* A branch is worth a line if it is a fair part of its row, and not one sample alone; or if it is all of the row. */
static uint64_t tree_min(const struct table *t, const struct row *row)
{
	uint64_t least = share_min(t->rows.total_weight), part = row->weight / TREE_ROW_PART;
	uint64_t two_samples = row->fires ? 2 * (row->weight / row->fires) : 0;

	if (t->options->min_pct >= 0)
		return least_weight(t->options, t->rows.total_weight);
	least = part > least ? part : least;
	if (t->rows.focus)
		least = row->weight / TREE_FOCUS_PART;
	least = two_samples > least ? two_samples : least;
	return row->weight < least ? row->weight : least;
}

static void cut_paths(struct tree_path *paths, size_t n, uint64_t depth)
{
	for (size_t i = 0; i < n; i++) {
		paths[i].is_cut = depth && paths[i].n > depth;
		if (paths[i].is_cut)
			paths[i].n = (unsigned)depth;
	}
}

static int write_tree(const struct table *t, const struct row *row)
{
	size_t n;
	struct tree_path *paths = rows_paths(&t->rows, row, &n);
	const struct tree_style style = {
		.fs = &t->rows.fs,
		.total = t->rows.total_weight,
		.min = tree_min(t, row),
		.strict = t->options->min_pct >= 0,
		.columns = t->options->width,
		.link = t->rows.callees ? "> " : "< ",
		.own = !t->rows.keys.has[KEY_SYM],
		.end = t->rows.callees ? "[self]" : "[no caller]",
	};

	cut_paths(paths, n, t->options->depth);
	return tree_write(t->f, &style, paths, n);
}

static void write_left_out(const struct table *t)
{
	bool by_top = t->options->min_pct < 0 || (t->n_shown && t->n_shown == t->options->top);
	size_t n = t->rows.n - t->n_shown;
	uint64_t weight = 0;
	char share[SHARE_BYTES];

	if (!n)
		return;
	for (size_t i = t->n_shown; i < t->rows.n; i++)
		weight += t->rows.list[i].self_weight;
	write_right(t, has_self(t) ? SHARE_WIDTH + 1 + BOUND_WIDTH : SHARE_WIDTH,
		    share_text(share, weight, t->rows.total_weight));
	fprintf(t->f, "  in %zu more row%s (%s shows all)\n", n, n == 1 ? "" : "s",
		by_top ? "--top 0" : "--percent-limit 0");
}

static uint64_t count_fires(const struct table *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n_shown; i++)
		sum += t->rows.list[i].self_fires;
	return t->rows.focus ? t->rows.focus_fires : sum;
}

/* That nothing is missing. */
static void write_sum(const struct table *t)
{
	const struct rows *rows = &t->rows;
	uint64_t shown_fires = count_fires(t), idle = rows->total_fires - rows->kept_fires;
	/* Of a focus idle time is no part, shown or not. */
	uint64_t all = rows->focus ? rows->kept_fires : rows->total_fires, not_selected = t->r->selection.fires;
	char shown[UNITS_BYTES], left[UNITS_BYTES], sum[UNITS_BYTES], kept[UNITS_BYTES], others[UNITS_BYTES],
		selected[3 * UNITS_BYTES] = "", rest[3 * UNITS_BYTES] = "";

	if (idle && !rows->focus)
		snprintf(rest, sizeof(rest), " + %s idle", units_count(others, idle));
	if (not_selected)
		snprintf(selected, sizeof(selected), " + %s not selected", units_count(others, not_selected));
	units_count(sum, rows->kept_fires + not_selected);
	footer_line(t->f, t->options, "table: %s samples %s + %s %s%s = %s kept%s", units_count(shown, shown_fires),
		    rows->focus ? "in it" : "shown", units_count(left, all - shown_fires),
		    rows->focus ? "elsewhere" : "left out", selected, sum, rest);
	if (rows->kept_fires + not_selected != t->r->sampling.kept)
		footer_line(t->f, t->options, "warning: the BPF program kept %s, the table holds %s",
			    units_count(kept, t->r->sampling.kept), sum);
}

static int write_rows(struct table *t)
{
	unsigned before = SHARE_WIDTH + (has_self(t) ? 2 : 1) * (BOUND_WIDTH + 1) + 2;
	unsigned width = t->options->width;
	int err;

	t->n_shown = count_shown(&t->rows, t->options);
	columns_fit(&t->columns, &t->rows, t->n_shown, !width ? 0 : width > before ? width - before : 1);
	err = rows_trace(&t->rows, t->n_shown);
	if (err)
		return err;
	write_names(t);
	for (size_t i = 0; i < t->n_shown && !err; i++) {
		write_row(t, &t->rows.list[i]);
		err = write_tree(t, &t->rows.list[i]);
	}
	if (err)
		return err;
	write_left_out(t);
	fputc('\n', t->f);
	write_sum(t);
	return 0;
}

static void write_none(const struct table *t)
{
	footer_no_samples(t->f, t->r, t->options);
	fputc('\n', t->f);
}

static void write_not_found(const struct table *t)
{
	char names[FOCUS_SIMILAR_BYTES];

	focus_similar(names, &t->rows.fs, focus_of(t->options));
	footer_line(t->f, t->options, "no function '%.256s' in any stack%s%s%s", focus_of(t->options),
		    *names ? " (similar: " : "", names, *names ? ")" : "");
	fputc('\n', t->f);
	write_sum(t);
}

static int open_rows(struct table *t)
{
	const struct view_options *o = t->options;
	const char *sort = o->sort ? o->sort : focus_of(o) ? "sym" : NULL;
	struct sort_keys keys;
	int err = sort_keys_parse(sort, &keys);

	if (err)
		return err;
	if (focus_of(o))
		return rows_open_focus(&t->rows, t->r, &keys, focus_of(o), o->callees != NULL, o->idle);
	return rows_open(&t->rows, t->r, &keys, o->children, o->idle);
}

static int write_table(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct table t = { .f = f, .r = r, .options = o, .plus_minus = text_is_utf8() ? "\u00b1" : "+-" };
	int err = open_rows(&t);

	footer_header(f, r, o);
	fputc('\n', f);
	if (!err && t.rows.focus && t.rows.kept_fires && !t.rows.n)
		write_not_found(&t);
	else if (!err && t.rows.total_fires)
		err = write_rows(&t);
	else if (!err)
		write_none(&t);
	rows_close(&t.rows);
	if (!err)
		footer_write(f, r, o);
	return err;
}

const struct view view_table = {
	.name = "table",
	.summary = "functions by share, with bounds and call trees, and the books",
	.needs = REC_SAMPLES,
	.takes = VIEW_KEYS | VIEW_ROWS | VIEW_IDLE | VIEW_TREES,
	.check = check,
	.write = write_table,
};
