/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/flamegraph_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "views/labels.h"

static const char *object_name(const struct functions *fs, int object)
{
	return object < 0 ? "" : frame_object_name(fs->r, &fs->r->mappings[fs->object_mappings[object]]);
}

/* By text, so that the picture depends on names alone, not on the order in which samples came. */
static int compare_functions(const void *a, const void *b, void *context)
{
	const struct flame_tree *t = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct function *x = &t->functions.list[i], *y = &t->functions.list[j];
	int order = strcmp(t->texts[i], t->texts[j]);

	if (!order)
		order = strcmp(object_name(&t->functions, x->object), object_name(&t->functions, y->object));
	if (!order)
		order = (int)x->kernel - (int)y->kernel;
	return order ? order : (i > j) - (i < j);
}

static int rank_functions(struct flame_tree *t)
{
	const struct functions *fs = &t->functions;
	char buf[FRAME_BYTES];

	t->texts = calloc(fs->n + 1, sizeof(*t->texts));
	t->ranks = calloc(fs->n + 1, sizeof(*t->ranks));
	t->by_rank = calloc(fs->n + 1, sizeof(*t->by_rank));
	if (!t->texts || !t->ranks || !t->by_rank)
		return -ENOMEM;
	for (uint32_t i = 0; i < fs->n; i++) {
		t->texts[i] = strdup(functions_text(buf, fs, i, FRAME_UTF8));
		if (!t->texts[i])
			return -ENOMEM;
		t->by_rank[i] = i;
	}
	qsort_r(t->by_rank, fs->n, sizeof(*t->by_rank), compare_functions, t);
	for (uint32_t i = 0; i < fs->n; i++)
		t->ranks[t->by_rank[i]] = i;
	return 0;
}

static unsigned stack_frames(const struct recording *r, int id)
{
	unsigned n = r->stacks[id].kernel_frames + r->stacks[id].user_frames;

	return n ? n : 1; /* a stack without frames says so in one */
}

/* The rank at `depth` below the process, 0 being the root. */
static uint32_t rank_at(const struct flame_tree *t, int id, unsigned depth)
{
	const struct rec_stack *stack = &t->r->stacks[id];
	unsigned n = stack->kernel_frames + stack->user_frames, i = n - 1 - depth;

	if (!n)
		return t->ranks[functions_path(&t->functions, id).elements[0]];
	return t->ranks[functions_at(&t->functions, t->r->frames[stack->first + i], i < stack->kernel_frames)];
}

static int compare_processes(const struct recording *r, const struct rec_labels *x, const struct rec_labels *y)
{
	if (x->comm != y->comm)
		return strcmp(recording_str(r, x->comm), recording_str(r, y->comm));
	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Frames from the root on that both stacks have. */
static unsigned shared_depth(const struct flame_tree *t, int a, int b)
{
	unsigned n = stack_frames(t->r, a), m = stack_frames(t->r, b), depth = 0;

	if (a == b)
		return n;
	while (depth < n && depth < m && rank_at(t, a, depth) == rank_at(t, b, depth))
		depth++;
	return depth;
}

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct flame_tree *t = context;
	const struct flame_line *x = a, *y = b;
	int order = compare_processes(t->r, &x->labels, &y->labels);
	unsigned n, m, depth;

	if (order || x->stack == y->stack)
		return order;
	n = stack_frames(t->r, x->stack);
	m = stack_frames(t->r, y->stack);
	depth = shared_depth(t, x->stack, y->stack);
	if (depth == n || depth == m)
		return (n > m) - (n < m);
	return rank_at(t, x->stack, depth) < rank_at(t, y->stack, depth) ? -1 : 1;
}

static int sort_lines(struct flame_tree *t, const struct view_options *o)
{
	const struct recording *r = t->r;

	t->lines = calloc(r->n_samples + 1, sizeof(*t->lines));
	if (!t->lines)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_samples; i++) {
		const struct rec_sample *s = &r->samples[i];
		struct flame_value value = { s->fires, s->weight, s->base_fires, s->base_weight };

		if (s->fires | s->weight | s->base_fires | s->base_weight)
			t->lines[t->n_lines++] = (struct flame_line){ .labels = labels_wanted(&s->labels, o),
								      .stack = s->stack,
								      .value = value };
	}
	qsort_r(t->lines, t->n_lines, sizeof(*t->lines), compare_lines, t);
	return 0;
}

static int number_processes(struct flame_tree *t)
{
	t->processes = calloc(t->n_lines + 1, sizeof(*t->processes));
	if (!t->processes)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_lines; i++) {
		if (!i || compare_processes(t->r, &t->lines[i - 1].labels, &t->lines[i].labels))
			t->processes[t->n_processes++] = (uint32_t)i;
		t->lines[i].process = (uint32_t)t->n_processes - 1;
	}
	return 0;
}

static int make_room(struct flame_tree *t)
{
	unsigned most = 0;

	for (size_t i = 0; i < t->n_lines; i++) {
		unsigned n = stack_frames(t->r, t->lines[i].stack);

		most = n > most ? n : most;
	}
	t->names = calloc(most + 1, sizeof(*t->names)); /* the process too */
	return t->names ? 0 : -ENOMEM;
}

int flame_open(struct flame_tree *t, const struct recording *r, const struct view_options *o)
{
	int err;

	*t = (struct flame_tree){ .r = r };
	err = functions_open(&t->functions, r);
	if (!err)
		err = rank_functions(t);
	if (!err)
		err = sort_lines(t, o);
	if (!err)
		err = number_processes(t);
	return err ? err : make_room(t);
}

void flame_close(struct flame_tree *t)
{
	for (size_t i = 0; t->texts && i < t->functions.n; i++)
		free(t->texts[i]);
	free(t->texts);
	free(t->ranks);
	free(t->by_rank);
	free(t->processes);
	free(t->lines);
	free(t->names);
	functions_close(&t->functions);
}

void flame_add(struct flame_value *sum, const struct flame_value *v)
{
	sum->fires += v->fires;
	sum->weight += v->weight;
	sum->base_fires += v->base_fires;
	sum->base_weight += v->base_weight;
}

void flame_walk(const struct flame_tree *t, flame_visit *visit, void *arg)
{
	const struct flame_line *last = NULL;
	unsigned depth = 0; /* of the last frame; the process has 1 */

	for (size_t i = 0, end; i < t->n_lines; i = end) {
		const struct flame_line *line = &t->lines[i];
		bool same_process = last && line->process == last->process;
		unsigned shared = same_process ? shared_depth(t, last->stack, line->stack) : 0;
		struct flame_stack s = { .up = depth - (same_process ? shared + 1 : 0), .names = t->names };

		depth = stack_frames(t->r, line->stack) + 1;
		for (end = i; end < t->n_lines && !compare_lines(line, &t->lines[end], (void *)t); end++)
			flame_add(&s.value, &t->lines[end].value);
		if (!same_process)
			t->names[s.n++] = (uint32_t)t->functions.n + line->process;
		while (shared + 1 < depth)
			t->names[s.n++] = rank_at(t, line->stack, shared++);
		visit(arg, &s);
		last = line;
	}
}
