/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/changes.h"
#include "views/footer.h"

#define STACKS_SHOWN	10
#define STACK_BYTES_MAX 700 /* of its functions; a line of footer.c holds more */

/* All samples of one path, whatever their command. */
struct stack_sums {
	struct path path;
	uint64_t base_fires, base_weight, fires, weight;
	struct change change;
};

static int compare_paths(const void *a, const void *b)
{
	const struct path *x = &((const struct stack_sums *)a)->path, *y = &((const struct stack_sums *)b)->path;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return memcmp(x->elements, y->elements, x->n * sizeof(*x->elements));
}

static int compare_changes(const void *a, const void *b)
{
	const struct stack_sums *x = a, *y = b;

	if (x->change.is_noise != y->change.is_noise)
		return x->change.is_noise ? 1 : -1;
	if (fabs(x->change.by) != fabs(y->change.by))
		return fabs(x->change.by) > fabs(y->change.by) ? -1 : 1;
	return compare_paths(a, b);
}

static void add(struct stack_sums *to, const struct stack_sums *from)
{
	to->base_fires += from->base_fires;
	to->base_weight += from->base_weight;
	to->fires += from->fires;
	to->weight += from->weight;
}

/* One element a path; their number. */
static size_t merge(struct stack_sums *list, size_t n)
{
	size_t kept = 0;

	qsort(list, n, sizeof(*list), compare_paths);
	for (size_t i = 0; i < n; i++) {
		if (kept && !compare_paths(&list[kept - 1], &list[i]))
			add(&list[kept - 1], &list[i]);
		else
			list[kept++] = list[i];
	}
	return kept;
}

static void judge(struct stack_sums *list, size_t n, const struct recording *r)
{
	struct stack_sums all = { 0 };
	struct noise_scale scale;

	for (size_t i = 0; i < n; i++)
		add(&all, &list[i]);
	scale = noise_scale(r, all.base_fires, all.base_weight, all.fires, all.weight, n);
	for (size_t i = 0; i < n; i++)
		list[i].change = change_of(&scale, list[i].base_fires, list[i].base_weight, list[i].fires,
					   list[i].weight);
	qsort(list, n, sizeof(*list), compare_changes);
}

static void write_stack(FILE *f, const struct functions *fs, const struct view_options *o, const struct stack_sums *s)
{
	char before[CHANGE_BYTES], after[CHANGE_BYTES], by[CHANGE_BYTES], text[FRAME_BYTES];
	char *line = NULL;
	size_t bytes;
	unsigned i;
	FILE *words = open_memstream(&line, &bytes);

	if (!words)
		return;
	for (i = 0; i < s->path.n && ftell(words) < STACK_BYTES_MAX; i++)
		fprintf(words, "%s%.300s", i ? " < " : "",
			functions_text(text, fs, PATH_FUNCTION(s->path.elements[i]), 0));
	if (i < s->path.n)
		fprintf(words, " < [... %u more]", s->path.n - i);
	fclose(words);
	footer_line(f, o, "%s -> %s (%s): %s", change_text(before, fs->r, s->change.before, false),
		    change_text(after, fs->r, s->change.after, false), change_text(by, fs->r, s->change.by, true),
		    line);
	free(line);
}

int changes_write_stacks(FILE *f, const struct functions *fs, const struct view_options *o)
{
	const struct recording *r = fs->r;
	struct stack_sums *list = calloc(r->n_samples + 1, sizeof(*list));
	size_t n, shown = 0;

	if (!list)
		return -ENOMEM;
	for (n = 0; n < r->n_samples; n++) {
		const struct rec_sample *s = &r->samples[n];

		list[n] = (struct stack_sums){ .path = functions_path(fs, s->stack),
					       .base_fires = s->base_fires,
					       .base_weight = s->base_weight,
					       .fires = s->fires,
					       .weight = s->weight };
	}
	n = merge(list, n);
	judge(list, n, r);
	for (; shown < n && shown < STACKS_SHOWN && !list[shown].change.is_noise; shown++) {
		if (!shown)
			fputs("\nstacks that changed most, \"a < b\" being \"a, called by b\":\n", f);
		write_stack(f, fs, o, &list[shown]);
	}
	free(list);
	return 0;
}
