/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_COLUMNS  15 /* right end of the shares */
#define INDENT_COLUMNS 19 /* where the tree begins */
#define LEVEL_COLUMNS  3
#define TEXT_COLUMNS   16 /* room that a function has at least: deeper levels are not drawn */
/* A branch has two parts, the lesser of them at least one 200th of all: a walk cannot branch more often. */
#define LEVELS_MAX TREE_MIN_SHARE

struct tree {
	FILE *f;
	const struct tree_style *style;
	const struct tree_path *paths;
	uint64_t min;
	unsigned level;
	char prefix[LEVEL_COLUMNS * LEVELS_MAX + 1];
	char *text; /* FRAME_BYTES */
};

/* Paths [first, end) agree up to and with one element. */
struct range {
	size_t first, end;
	uint64_t weight;
};

/* How the paths of a range go on after `depth` elements. */
struct parts {
	size_t n_large;	    /* elements of the least share and more ... */
	struct range large; /* ... the last of them */
	uint64_t ended;	    /* weight of paths that end here */
	uint64_t small;	    /* of all other elements together ... */
	size_t n_small;	    /* ... and their number */
};

char *share_text(char buf[SHARE_BYTES], uint64_t part, uint64_t total)
{
	double pct = total ? 100.0 * (double)part / (double)total : 0;

	if (part && pct < 0.05)
		snprintf(buf, SHARE_BYTES, "<0.1%%");
	else
		snprintf(buf, SHARE_BYTES, "%.1f%%", pct);
	return buf;
}

uint64_t share_min(uint64_t total)
{
	return total / TREE_MIN_SHARE + (total % TREE_MIN_SHARE != 0);
}

static uint32_t element(const struct tree_path *p, unsigned depth)
{
	return PATH_FUNCTION(p->first[(int)depth * p->step]);
}

/* Lexicographic, so that equal beginnings are neighbours; the shorter path first. */
static int compare_paths(const void *a, const void *b)
{
	const struct tree_path *x = a, *y = b;

	for (unsigned i = 0; i < x->n && i < y->n; i++)
		if (element(x, i) != element(y, i))
			return element(x, i) < element(y, i) ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n);
}

/* The paths from `first` on with its element at `depth`. */
static struct range same_element(const struct tree *t, size_t first, size_t end, unsigned depth)
{
	struct range range = { first, first, 0 };
	uint32_t id = element(&t->paths[first], depth);

	for (; range.end < end && element(&t->paths[range.end], depth) == id; range.end++)
		range.weight += t->paths[range.end].weight;
	return range;
}

/* `large` has room for all large parts, or is NULL. */
static struct parts split(const struct tree *t, struct range whole, unsigned depth, struct range *large)
{
	struct parts parts = { 0 };
	size_t at = whole.first;

	for (; at < whole.end && t->paths[at].n == depth; at++)
		parts.ended += t->paths[at].weight;
	while (at < whole.end) {
		struct range range = same_element(t, at, whole.end, depth);

		at = range.end;
		if (range.weight < t->min) {
			parts.small += range.weight;
			parts.n_small++;
			continue;
		}
		if (large)
			large[parts.n_large] = range;
		parts.large = range;
		parts.n_large++;
	}
	return parts;
}

static void write_line(struct tree *t, const char *share, const char *branch, const char *text)
{
	fprintf(t->f, "%*s%*s%s%s%s\n", SHARE_COLUMNS, share, INDENT_COLUMNS - SHARE_COLUMNS, "", t->prefix, branch,
		text);
}

static void write_function(struct tree *t, const char *share, const char *branch, struct range range, unsigned depth)
{
	uint32_t id = element(&t->paths[range.first], depth);
	unsigned before = INDENT_COLUMNS + LEVEL_COLUMNS * t->level + (unsigned)strlen(branch);
	bool recursion = false;

	for (size_t i = range.first; i < range.end; i++) {
		const struct tree_path *p = &t->paths[i];

		recursion |= p->first[(int)depth * p->step] & PATH_RECURSION;
	}
	functions_text(t->text, t->style->fs, id, 0);
	if (recursion)
		strcat(t->text, " (recursive)"); /* FRAME_BYTES leaves room for it */
	if (t->style->columns)
		text_cut(t->text,
			 t->style->columns > before + TEXT_COLUMNS ? t->style->columns - before : TEXT_COLUMNS);
	write_line(t, share, branch, t->text);
}

static void write_part(struct tree *t, uint64_t weight, const char *branch, const char *text)
{
	char share[SHARE_BYTES];

	write_line(t, share_text(share, weight, t->style->total), branch, text);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

static bool has_room(const struct tree *t)
{
	unsigned next = INDENT_COLUMNS + LEVEL_COLUMNS * (t->level + 2) + TEXT_COLUMNS;

	return t->level + 1 < LEVELS_MAX && (!t->style->columns || next <= t->style->columns);
}

static int write_below(struct tree *t, struct range whole, unsigned depth);

static int write_branch(struct tree *t, struct range range, unsigned depth, bool last)
{
	char share[SHARE_BYTES];
	int err;

	write_function(t, share_text(share, range.weight, t->style->total), last ? "`- " : "|- ", range, depth);
	strcpy(t->prefix + LEVEL_COLUMNS * t->level, last ? "   " : "|  ");
	t->level++;
	err = write_below(t, range, depth + 1);
	t->prefix[LEVEL_COLUMNS * --t->level] = '\0';
	return err;
}

/* A fork: the large parts, largest first, then the paths that end, then the rest. */
static int write_parts(struct tree *t, struct range whole, unsigned depth, struct parts parts, bool is_all_small)
{
	struct range *large = calloc(parts.n_large + 1, sizeof(*large));
	char more[64];
	int err = 0;

	if (!large)
		return -ENOMEM;
	if (parts.n_large)
		split(t, whole, depth, large);
	qsort(large, parts.n_large, sizeof(*large), compare_ranges);
	for (size_t i = 0; i < parts.n_large && !err; i++)
		err = write_branch(t, large[i], depth, i + 1 == parts.n_large && !parts.ended && !parts.n_small);
	free(large);
	if (parts.ended)
		write_part(t, parts.ended, parts.n_small ? "|- " : "`- ", t->style->end);
	snprintf(more, sizeof(more), "[... %zu more]", parts.n_small);
	if (parts.n_small && is_all_small)
		write_line(t, "", "", more); /* nothing forks */
	else if (parts.n_small)
		write_part(t, parts.small, "`- ", more);
	return err;
}

/* Too small for a line of its own. */
static void make_small(struct parts *parts, uint64_t *weight, size_t n)
{
	parts->small += *weight;
	parts->n_small += n;
	*weight = 0;
}

/*
 * What comes after the first `depth` elements of the paths. While nearly all of it goes one way it
 * is a chain, one line a function; the little that leaves the chain is summed at its end.
 */
static int write_below(struct tree *t, struct range whole, unsigned depth)
{
	struct parts left = { 0 }, parts;
	bool is_end;

	for (;; depth++) {
		parts = split(t, whole, depth, NULL);
		if (parts.n_large != 1 || parts.small + parts.ended >= t->min)
			break;
		left.small += parts.small + parts.ended;
		left.n_small += parts.n_small + (parts.ended > 0);
		whole = parts.large;
		write_function(t, "", "", whole, depth);
	}
	is_end = !parts.n_large && !parts.n_small;
	if (is_end)
		parts.ended = 0; /* all that is left ends here, as the end of a chain shows by itself */
	else if (parts.ended < t->min)
		make_small(&parts, &parts.ended, parts.ended > 0);
	if (parts.n_large && !has_room(t)) {
		uint64_t large = whole.weight - parts.ended - parts.small;

		make_small(&parts, &large, parts.n_large);
		parts.n_large = 0;
	}
	make_small(&parts, &left.small, left.n_small);
	if (!parts.n_large && !parts.n_small)
		return 0;
	return write_parts(t, whole, depth, parts, !is_end && !parts.n_large && !parts.ended);
}

int tree_write(FILE *f, const struct tree_style *style, struct tree_path *paths, size_t n)
{
	struct range whole = { 0, n, 0 };
	struct tree *t = calloc(1, sizeof(*t));
	int err = -ENOMEM;

	if (!t)
		return err;
	qsort(paths, n, sizeof(*paths), compare_paths);
	for (size_t i = 0; i < n; i++)
		whole.weight += paths[i].weight;
	*t = (struct tree){ .f = f, .style = style, .paths = paths, .min = share_min(style->total) };
	t->text = malloc(FRAME_BYTES);
	if (t->text)
		err = write_below(t, whole, 0);
	free(t->text);
	free(t);
	return err;
}
