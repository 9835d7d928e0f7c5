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

static int check(const struct view_options *o)
{
	struct sort_keys keys;

	return sort_keys_parse(o->sort, &keys);
}

static size_t count_shown(const struct rows *rows, uint64_t top)
{
	uint64_t min = share_min(rows->total_weight);
	size_t n = 0;

	if (top != VIEW_TOP_AUTO)
		return top && top < rows->n ? (size_t)top : rows->n;
	while (n < rows->n && n < ROWS_MAX && rows->list[n].weight >= min)
		n++;
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

static void write_names(const struct table *t)
{
	char bound[SHARE_BYTES];

	write_right(t, SHARE_WIDTH, t->rows.children ? "children" : "overhead");
	if (t->rows.children)
		write_right(t, BOUND_WIDTH + 1, "self");
	snprintf(bound, sizeof(bound), "%s95%%", t->plus_minus);
	write_right(t, BOUND_WIDTH + 1, bound);
	fputs("  ", t->f);
	columns_write_names(t->f, &t->columns, t->rows.children ? ", callees below" : ", callers below");
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
	if (t->rows.children)
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

	least = part > least ? part : least;
	least = two_samples > least ? two_samples : least;
	return row->weight < least ? row->weight : least;
}

static int write_tree(const struct table *t, const struct row *row)
{
	size_t n;
	struct tree_path *paths = rows_paths(&t->rows, row, &n);
	const struct tree_style style = {
		.fs = &t->rows.fs,
		.total = t->rows.total_weight,
		.min = tree_min(t, row),
		.columns = t->options->width,
		.link = t->rows.children ? "> " : "< ",
		.own = !t->rows.keys.has[KEY_SYM],
		.end = t->rows.children ? "[self]" : "[no caller]",
	};

	return tree_write(t->f, &style, paths, n);
}

/* What the rows that are not shown hold, and that nothing is missing. */
static void write_sum(const struct table *t)
{
	const struct rows *rows = &t->rows;
	uint64_t shown_fires = 0, left_weight = 0, all = rows->total_fires, idle = all - rows->kept_fires;
	uint64_t not_selected = t->r->selection.fires;
	char share[SHARE_BYTES], shown[UNITS_BYTES], left[UNITS_BYTES], sum[UNITS_BYTES], kept[UNITS_BYTES],
		others[UNITS_BYTES], selected[3 * UNITS_BYTES] = "", rest[3 * UNITS_BYTES] = "";
	size_t n_left = rows->n - t->n_shown;

	for (size_t i = 0; i < rows->n; i++) {
		shown_fires += i < t->n_shown ? rows->list[i].self_fires : 0;
		left_weight += i < t->n_shown ? 0 : rows->list[i].self_weight;
	}
	if (n_left) {
		write_right(t, t->rows.children ? SHARE_WIDTH + 1 + BOUND_WIDTH : SHARE_WIDTH,
			    share_text(share, left_weight, rows->total_weight));
		fprintf(t->f, "  in %zu more row%s (--top 0 shows all)\n", n_left, n_left == 1 ? "" : "s");
	}
	if (idle)
		snprintf(rest, sizeof(rest), " + %s idle", units_count(others, idle));
	if (not_selected)
		snprintf(selected, sizeof(selected), " + %s not selected", units_count(others, not_selected));
	fputc('\n', t->f);
	footer_line(t->f, t->options, "table: %s samples shown + %s left out%s = %s kept%s",
		    units_count(shown, shown_fires), units_count(left, all - shown_fires), selected,
		    units_count(sum, rows->kept_fires + not_selected), rest);
	if (rows->kept_fires + not_selected != t->r->sampling.kept)
		footer_line(t->f, t->options, "warning: the BPF program kept %s, the table holds %s",
			    units_count(kept, t->r->sampling.kept), units_count(sum, rows->kept_fires + not_selected));
}

static int write_rows(struct table *t)
{
	unsigned before = SHARE_WIDTH + (t->rows.children ? 2 : 1) * (BOUND_WIDTH + 1) + 2;
	unsigned width = t->options->width;
	int err;

	t->n_shown = count_shown(&t->rows, t->options->top);
	columns_fit(&t->columns, &t->rows, t->n_shown, !width ? 0 : width > before ? width - before : 1);
	err = rows_trace(&t->rows, t->n_shown);
	if (err)
		return err;
	write_names(t);
	for (size_t i = 0; i < t->n_shown && !err; i++) {
		write_row(t, &t->rows.list[i]);
		err = write_tree(t, &t->rows.list[i]);
	}
	if (!err)
		write_sum(t);
	return err;
}

static void write_none(const struct table *t)
{
	footer_no_samples(t->f, t->r, t->options);
	fputc('\n', t->f);
}

static int write_table(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct table t = { .f = f, .r = r, .options = o, .plus_minus = text_is_utf8() ? "\u00b1" : "+-" };
	struct sort_keys keys;
	int err = sort_keys_parse(o->sort, &keys);

	if (err)
		return err;
	err = rows_open(&t.rows, r, &keys, o->children, o->idle);
	footer_header(f, r, o);
	fputc('\n', f);
	if (!err && t.rows.total_fires)
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
	.check = check,
	.write = write_table,
};
