/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What changed between two recordings: rows by the sort keys, then whole stacks, each with its
 * value before and after, the change, and the noise bound. What stays within the bound is not
 * called a change; it is summed up, so that the parts add to the whole.
 */
#include "views/changes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "views/columns.h"
#include "views/footer.h"

extern const struct view view_changes;

#define NUMBER_WIDTH 9
#define ROWS_SHOWN   40
#define MORE	     "\033[31m"
#define LESS	     "\033[34m"
#define PLAIN	     "\033[m"

struct changes {
	FILE *f;
	const struct recording *r;
	const struct view_options *options;
	struct rows rows;
	struct columns columns;
	struct noise_scale scale;
	const char *plus_minus;
};

struct change change_of(const struct noise_scale *s, uint64_t before_fires, uint64_t before_weight,
			uint64_t after_fires, uint64_t after_weight)
{
	struct change c = { .before = s->before * (double)before_weight, .after = s->after * (double)after_weight };

	c.by = c.after - c.before;
	c.bound = noise_bound(s, before_fires, after_fires);
	c.is_noise = fabs(c.by) <= c.bound;
	return c;
}

static struct change row_change(const struct changes *c, const struct row *row)
{
	return change_of(&c->scale, row->base_fires, row->base_weight, row->fires, row->weight);
}

/* Real changes first, the largest on top; then noise by size. */
static int compare_rows(const void *a, const void *b, void *context)
{
	const struct row *x = a, *y = b;
	struct change p = row_change(context, x), q = row_change(context, y);

	if (p.is_noise != q.is_noise)
		return p.is_noise ? 1 : -1;
	if (fabs(p.by) != fabs(q.by) && !p.is_noise)
		return fabs(p.by) > fabs(q.by) ? -1 : 1;
	if (p.before + p.after != q.before + q.after)
		return p.before + p.after > q.before + q.after ? -1 : 1;
	return x->key.function < y->key.function ? -1 : x->key.function > y->key.function;
}

/* Shares in per cent; rates of time as per cent of a CPU, else events a second. */
char *change_text(char buf[CHANGE_BYTES], const struct recording *r, double value, bool with_sign)
{
	if (r->baseline->by_time && !r->sampling.is_time)
		snprintf(buf, CHANGE_BYTES, with_sign ? "%+.4g/s" : "%.4g/s", 1e9 * value);
	else /* a share, or ns of CPU time a ns */
		snprintf(buf, CHANGE_BYTES, with_sign ? "%+.1f%%" : "%.1f%%", 100 * value);
	return buf;
}

static void write_right(const struct changes *c, const char *text)
{
	unsigned columns = text_columns(text);

	fprintf(c->f, "%*s%s", NUMBER_WIDTH > columns ? (int)(NUMBER_WIDTH - columns) : 0, "", text);
}

static void write_numbers(const struct changes *c, const struct change *change)
{
	const char *color = change->is_noise ? "" : change->by > 0 ? MORE : LESS;
	char text[CHANGE_BYTES], bound[CHANGE_BYTES + 4];

	write_right(c, change_text(text, c->r, change->before, false));
	write_right(c, change_text(text, c->r, change->after, false));
	fputs(c->options->color ? color : "", c->f);
	write_right(c, change->is_noise ? "~" : change_text(text, c->r, change->by, true));
	fputs(c->options->color && *color ? PLAIN : "", c->f);
	snprintf(bound, sizeof(bound), "%s%s", c->plus_minus, change_text(text, c->r, change->bound, false));
	write_right(c, bound);
	fputs("  ", c->f);
}

static void write_names(const struct changes *c)
{
	write_right(c, "before");
	write_right(c, "after");
	write_right(c, "change");
	write_right(c, "noise");
	fputs("  ", c->f);
}

static size_t count_changed(const struct changes *c)
{
	size_t n = 0;

	while (n < c->rows.n && !row_change(c, &c->rows.list[n]).is_noise)
		n++;
	return n;
}

static size_t count_shown(const struct changes *c, size_t n_changed)
{
	if (c->options->top == 0)
		return c->rows.n;
	if (c->options->top != VIEW_TOP_AUTO)
		return c->options->top < c->rows.n ? (size_t)c->options->top : c->rows.n;
	return n_changed < ROWS_SHOWN ? n_changed : ROWS_SHOWN;
}

/* The rest, so that nothing seems to be missing. */
static void write_rest(const struct changes *c, size_t n_shown)
{
	uint64_t before = 0, after = 0;
	struct change rest;
	char text[CHANGE_BYTES];
	size_t n = c->rows.n - n_shown;

	for (size_t i = n_shown; i < c->rows.n; i++) {
		before += c->rows.list[i].base_weight;
		after += c->rows.list[i].weight;
	}
	if (!n)
		return;
	rest = change_of(&c->scale, 0, before, 0, after);
	write_right(c, change_text(text, c->r, rest.before, false));
	write_right(c, change_text(text, c->r, rest.after, false));
	write_right(c, change_text(text, c->r, rest.by, true));
	write_right(c, "");
	fprintf(c->f, "  in %zu more row%s (--top 0 shows all)\n", n, n == 1 ? "" : "s");
}

static void write_total(const struct changes *c)
{
	struct change total = change_of(&c->scale, 0, c->rows.base_total_weight, 0, c->rows.total_weight);
	char text[CHANGE_BYTES];

	write_right(c, change_text(text, c->r, total.before, false));
	write_right(c, change_text(text, c->r, total.after, false));
	write_right(c, c->r->baseline->by_time ? change_text(text, c->r, total.by, true) : "");
	write_right(c, "");
	fputs("  in all\n", c->f);
}

static void write_rows(struct changes *c)
{
	unsigned width = c->options->width, used = 4 * NUMBER_WIDTH + 2;
	size_t n_changed = count_changed(c), n_shown = count_shown(c, n_changed);

	if (n_changed)
		fprintf(c->f, "%zu of %zu rows changed by more than noise\n\n", n_changed, c->rows.n);
	else
		fprintf(c->f, "nothing changed by more than noise (%zu rows compared)\n\n", c->rows.n);
	columns_fit(&c->columns, &c->rows, n_shown, !width ? 0 : width > used ? width - used : 1);
	if (n_shown) {
		write_names(c);
		columns_write_names(c->f, &c->columns, "");
		fputc('\n', c->f);
	}
	for (size_t i = 0; i < n_shown; i++) {
		struct change change = row_change(c, &c->rows.list[i]);

		write_numbers(c, &change);
		columns_write_row(c->f, &c->columns, &c->rows.list[i]);
		fputc('\n', c->f);
	}
	write_rest(c, n_shown);
	write_total(c);
}

static void write_side(const struct changes *c, const char *name, const struct recording *r)
{
	char line[16];

	snprintf(line, sizeof(line), "%s:", name);
	footer_line(c->f, c->options, "%s", line);
	footer_header(c->f, r, c->options);
}

static void write_header(const struct changes *c)
{
	struct recording before = footer_before(c->r);

	write_side(c, "before", &before);
	write_side(c, "after", c->r);
	fputc('\n', c->f);
}

static void write_footer(const struct changes *c)
{
	const struct rec_sampling *s = &c->r->sampling;

	fputc('\n', c->f);
	if (!c->r->baseline->by_time)
		footer_line(c->f, c->options, "compared: shares of all samples of each side");
	else if (s->is_time)
		footer_line(c->f, c->options, "compared: CPU time a second of each run, 100 %% being one CPU");
	else
		footer_line(c->f, c->options, "compared: %s a second of each run", s->unit);
	footer_line(c->f, c->options,
		    "noise: what chance makes of so many samples, exceeded in none of the rows with 95 %% certainty; "
		    "a load that differs from run to run differs by more");
	footer_books(c->f, c->r, c->options);
}

static int write_changes(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct changes c = { .f = f, .r = r, .options = o, .plus_minus = text_is_utf8() ? "\u00b1" : "+-" };
	struct sort_keys keys;
	int err = sort_keys_parse(o->sort, &keys);

	if (err)
		return err;
	err = rows_open(&c.rows, r, &keys, o->children, false);
	if (!err) {
		c.scale = noise_scale(r, c.rows.base_total_fires, c.rows.base_total_weight, c.rows.total_fires,
				      c.rows.total_weight, c.rows.n);
		qsort_r(c.rows.list, c.rows.n, sizeof(*c.rows.list), compare_rows, &c);
		write_header(&c);
		write_rows(&c);
		err = changes_write_stacks(f, &c.rows.fs, o);
		write_footer(&c);
	}
	rows_close(&c.rows);
	return err;
}

static int check(const struct view_options *o)
{
	struct sort_keys keys;

	return sort_keys_parse(o->sort, &keys);
}

const struct view view_changes = {
	.name = "changes",
	.summary = "what changed between two recordings, beyond noise",
	.needs = REC_SAMPLES | REC_BASELINE,
	.takes = VIEW_KEYS | VIEW_ROWS,
	.check = check,
	.write = write_changes,
};
