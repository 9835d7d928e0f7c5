/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/intern.h"
#include "core/text.h"

#define SHARE_COLUMNS  15 /* right end of the shares */
#define INDENT_COLUMNS 19 /* where the tree begins */
#define LEVEL_COLUMNS  3
#define TEXT_COLUMNS   16 /* room that a function has at least: deeper levels are not drawn */
#define LINK_COLUMNS   2  /* of a link */
/* A chain is wrapped there if there is no terminal. */
#define CHAIN_COLUMNS 80
/* Of a longer chain the ends are shown: what calls the function, and where it all began. */
#define CHAIN_FIRST 9
#define CHAIN_LAST  3
#define CHAIN_MAX   (CHAIN_FIRST + 1 + CHAIN_LAST)
/* At most this part of a branch, one tenth, leaves the chain it begins with. */
#define CHAIN_PART 10
/* A fork takes a tenth of the row or of its own weight away: some 30 levels at most. Deeper ones would be summed. */
#define LEVELS_MAX 64

/* Paths [first, end) agree up to and with one element. */
struct range {
	size_t first, end;
	uint64_t weight;
};

/* A function without a fork: element `depth` of the paths of a range. */
struct link {
	struct range range;
	unsigned depth;
};

struct tree {
	FILE *f;
	const struct tree_style *style;
	const struct tree_path *paths;
	uint64_t min;
	unsigned level;
	unsigned column; /* of the open line; 0: none is open */
	char prefix[LEVEL_COLUMNS * LEVELS_MAX + 1];
	char *text;	    /* FRAME_BYTES */
	struct link *chain; /* in work, n_links long */
	size_t n_links, max_links;
};

/* How the paths of a range go on after `depth` elements. */
struct parts {
	size_t n_large;	    /* elements of the least share and more ... */
	struct range large; /* ... the last of them */
	uint64_t ended;	    /* weight of paths that end here ... */
	uint64_t cut;	    /* ... and of those that are cut here: then there are no other elements */
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
		*(t->paths[at].is_cut ? &parts.cut : &parts.ended) += t->paths[at].weight;
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

static void end_line(struct tree *t)
{
	if (t->column)
		fputc('\n', t->f);
	t->column = 0;
}

/* The line stays open for a chain. */
static void start_line(struct tree *t, const char *share, const char *branch, const char *text)
{
	end_line(t);
	fprintf(t->f, "%*s%*s%s%s%s", SHARE_COLUMNS, share, INDENT_COLUMNS - SHARE_COLUMNS, "", t->prefix, branch,
		text);
	t->column = INDENT_COLUMNS + LEVEL_COLUMNS * t->level + text_columns(branch) + text_columns(text);
}

/* On the open line, or on the next if it is full. */
static void write_word(struct tree *t, const char *link, const char *text)
{
	unsigned limit = t->style->columns ? t->style->columns : CHAIN_COLUMNS;
	unsigned columns = 1 + text_columns(link) + text_columns(text);

	if (!t->column || t->column + columns > limit) {
		start_line(t, "", link, text);
		return;
	}
	fprintf(t->f, " %s%s", link, text);
	t->column += columns;
}

/* Into t->text. `before`: columns in front of it on its line. */
static void function_text(struct tree *t, struct range range, unsigned depth, unsigned before)
{
	unsigned columns = t->style->columns;
	bool recursion = false;

	for (size_t i = range.first; i < range.end; i++) {
		const struct tree_path *p = &t->paths[i];

		recursion |= p->first[(int)depth * p->step] & PATH_RECURSION;
	}
	functions_text(t->text, t->style->fs, element(&t->paths[range.first], depth), 0);
	if (recursion)
		strcat(t->text, " (recursive)"); /* FRAME_BYTES leaves room for it */
	if (columns)
		text_cut(t->text, columns > before + TEXT_COLUMNS ? columns - before : TEXT_COLUMNS);
}

static void write_link(struct tree *t, struct link link)
{
	const char *sign = link.depth || !t->style->own ? t->style->link : "";

	function_text(t, link.range, link.depth, INDENT_COLUMNS + LEVEL_COLUMNS * t->level + LINK_COLUMNS);
	write_word(t, sign, t->text);
}

static void write_chain(struct tree *t)
{
	size_t hidden = t->n_links > CHAIN_MAX ? t->n_links - CHAIN_FIRST - CHAIN_LAST : 0;
	char more[64];

	for (size_t i = 0; i < t->n_links; i++) {
		if (!hidden || i != CHAIN_FIRST) {
			write_link(t, t->chain[i]);
			continue;
		}
		snprintf(more, sizeof(more), "[... %zu functions]", hidden);
		write_word(t, t->style->link, more);
		i += hidden - 1;
	}
	t->n_links = 0;
}

static int add_link(struct tree *t, struct range range, unsigned depth)
{
	struct link *chain = intern_grow(t->chain, &t->max_links, t->n_links + 1, sizeof(*chain));

	if (!chain)
		return -ENOMEM;
	t->chain = chain;
	t->chain[t->n_links++] = (struct link){ range, depth };
	return 0;
}

static void write_part(struct tree *t, uint64_t weight, const char *branch, const char *text)
{
	char share[SHARE_BYTES];

	start_line(t, share_text(share, weight, t->style->total), branch, text);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

/* For a fork, and a chain in each of its branches. */
static bool has_room(const struct tree *t)
{
	unsigned next = INDENT_COLUMNS + LEVEL_COLUMNS * (t->level + 1) + LINK_COLUMNS + TEXT_COLUMNS;

	return t->level + 1 < LEVELS_MAX && (!t->style->columns || next <= t->style->columns);
}

static int write_below(struct tree *t, struct range whole, unsigned depth);

static int write_branch(struct tree *t, struct range range, unsigned depth, bool last)
{
	int err;

	function_text(t, range, depth, INDENT_COLUMNS + LEVEL_COLUMNS * (t->level + 1));
	write_part(t, range.weight, last ? "`- " : "|- ", t->text);
	strcpy(t->prefix + LEVEL_COLUMNS * t->level, last ? "   " : "|  ");
	t->level++;
	err = write_below(t, range, depth + 1);
	t->prefix[LEVEL_COLUMNS * --t->level] = '\0';
	return err;
}

#define DEEPER "[... deeper]"

/* The large parts, largest first, then the paths that end or are cut, then the rest. */
static int write_fork(struct tree *t, struct range whole, unsigned depth, const struct parts *parts)
{
	struct range *large = calloc(parts->n_large + 1, sizeof(*large));
	char more[64];
	int err = 0;

	if (!large)
		return -ENOMEM;
	if (parts->n_large)
		split(t, whole, depth, large);
	qsort(large, parts->n_large, sizeof(*large), compare_ranges);
	for (size_t i = 0; i < parts->n_large && !err; i++)
		err = write_branch(t, large[i], depth,
				   i + 1 == parts->n_large && !parts->ended && !parts->cut && !parts->n_small);
	free(large);
	if (parts->ended)
		write_part(t, parts->ended, parts->cut || parts->n_small ? "|- " : "`- ", t->style->end);
	if (parts->cut)
		write_part(t, parts->cut, parts->n_small ? "|- " : "`- ", DEEPER);
	snprintf(more, sizeof(more), "[... %zu more]", parts->n_small);
	if (parts->n_small)
		write_part(t, parts->small, "`- ", more);
	return err;
}

/* Where a chain ends without a fork: in branches that are all too small, or after little left it. */
static void write_end(struct tree *t, size_t n_branches, uint64_t left)
{
	char text[64], share[SHARE_BYTES];

	if (n_branches)
		snprintf(text, sizeof(text), "[%zu branch%s]", n_branches, n_branches == 1 ? "" : "es");
	else
		snprintf(text, sizeof(text), "[%s elsewhere]", share_text(share, left, t->style->total));
	if (n_branches || left)
		write_word(t, "", text);
}

/* Too small for a line of its own. */
static void make_small(struct parts *parts, uint64_t weight, size_t n)
{
	parts->small += weight;
	parts->n_small += n;
}

/* What a chain may lose on its way. */
static uint64_t may_leave(const struct tree *t, uint64_t weight)
{
	uint64_t most = weight / CHAIN_PART;

	if (t->style->strict && most >= t->min)
		most = t->min ? t->min - 1 : 0;
	return most;
}

/*
 * While nearly all goes one way it is a chain, however the little that leaves it, `left`, adds up.
 * Ends with the parts that `whole`, now at `depth`, is split into.
 */
static int follow_chain(struct tree *t, struct range *whole, unsigned *depth, struct parts *parts, struct parts *left)
{
	uint64_t most = may_leave(t, whole->weight);

	for (;; (*depth)++) {
		uint64_t leaves;
		int err;

		*parts = split(t, *whole, *depth, NULL);
		leaves = parts->small + parts->ended;
		if (parts->n_large != 1 || left->small + leaves > most)
			return 0;
		make_small(left, leaves, parts->n_small + (parts->ended > 0));
		*whole = parts->large;
		err = add_link(t, *whole, *depth);
		if (err)
			return err;
	}
}

/* Of a chain that has no branches: are nearly all paths cut, or nearly none? Says so, and what is left. */
static bool write_cut(struct tree *t, const struct parts *parts, uint64_t left, uint64_t most)
{
	if (parts->ended + left <= most) {
		write_word(t, "", DEEPER);
		write_end(t, 0, parts->ended + left);
		return true;
	}
	if (parts->cut + left > most)
		return false;
	write_end(t, 0, parts->cut + left);
	return true;
}

static void sum_small(struct parts *parts, uint64_t min)
{
	if (parts->ended && parts->ended < min) {
		make_small(parts, parts->ended, 1);
		parts->ended = 0;
	}
	if (parts->cut && parts->cut < min) {
		make_small(parts, parts->cut, 1);
		parts->cut = 0;
	}
}

/* What comes after the first `depth` elements of the paths. */
static int write_below(struct tree *t, struct range whole, unsigned depth)
{
	uint64_t most = may_leave(t, whole.weight);
	struct parts left = { 0 }, parts;
	int err = follow_chain(t, &whole, &depth, &parts, &left);

	if (err)
		return err;
	write_chain(t);
	if (parts.cut && write_cut(t, &parts, left.small, most))
		return 0;
	if (!parts.n_large && !parts.cut && left.small + parts.small <= most) { /* nearly all paths end here */
		write_end(t, 0, left.small + parts.small);
		return 0;
	}
	if (parts.n_large && !has_room(t)) {
		make_small(&parts, whole.weight - parts.ended - parts.small, parts.n_large);
		parts.n_large = 0;
	}
	sum_small(&parts, t->min);
	make_small(&parts, left.small, left.n_small);
	if (!parts.n_large && !parts.ended && !parts.cut) {
		write_end(t, parts.n_small, 0);
		return 0;
	}
	return write_fork(t, whole, depth, &parts);
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
	*t = (struct tree){ .f = f, .style = style, .paths = paths, .min = style->min };
	t->text = malloc(FRAME_BYTES);
	if (t->text)
		err = write_below(t, whole, 0);
	end_line(t);
	free(t->text);
	free(t->chain);
	free(t);
	return err;
}
