/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "views/focus.h"

static bool same_key(const void *owner, uint32_t id, const void *key)
{
	const struct rows *rows = owner;
	const struct row_key *a = &rows->list[rows->ranks ? rows->ranks[id] : id].key, *b = key;

	return a->comm == b->comm && a->object == b->object && a->tgid == b->tgid && a->tid == b->tid &&
	       a->cpu == b->cpu && a->function == b->function;
}

static uint64_t hash_key(const struct row_key *k)
{
	uint64_t h = intern_mix((uint32_t)k->comm, (uint64_t)k->function);

	h = intern_mix(h, (uint64_t)(uint32_t)k->object << 32 | (uint32_t)k->cpu);
	return intern_mix(h, (uint64_t)(uint32_t)k->tgid << 32 | (uint32_t)k->tid);
}

/* Of a sample, as far as `function` of its stack is concerned. */
static struct row_key key_of(const struct rows *rows, const struct rec_labels *labels, uint32_t function)
{
	const struct function *f = &rows->fs.list[function];
	const bool *has = rows->keys.has;

	return (struct row_key){
		.comm = has[KEY_COMM] ? labels->comm : 0,
		.object = has[KEY_DSO] ? f->object : 0,
		.tgid = has[KEY_PID] ? labels->tgid : 0,
		.tid = has[KEY_TID] ? labels->tid : 0,
		.cpu = has[KEY_CPU] ? labels->cpu : 0,
		.function = !has[KEY_SYM]  ? 0
			    : has[KEY_DSO] ? function
					   : f->by_name,
	};
}

static int find_row(const struct rows *rows, const struct row_key *key)
{
	return intern_find(&rows->ids, hash_key(key), same_key, rows, key);
}

static struct row *add_row(struct rows *rows, const struct row_key *key)
{
	int id = find_row(rows, key);
	struct row *list;

	if (id >= 0)
		return &rows->list[id];
	list = intern_grow(rows->list, &rows->capacity, rows->n + 1, sizeof(*rows->list));
	if (!list)
		return NULL;
	rows->list = list;
	if (intern_add(&rows->ids, hash_key(key), (int)rows->n))
		return NULL;
	rows->list[rows->n] = (struct row){ .key = *key };
	return &rows->list[rows->n++];
}

/*
 * Counts the sample for `function`, once however often the stack comes by the row: the walk begins
 * at the root, so the outermost call counts. `number` tells samples apart and is not 0.
 */
static int add_to_row(struct rows *rows, const struct rec_sample *s, size_t number, uint32_t function, bool leaf)
{
	struct row_key key = key_of(rows, &s->labels, function);
	struct row *row = add_row(rows, &key);

	if (!row)
		return -ENOMEM;
	if (leaf) {
		row->self_fires += s->fires;
		row->self_weight += s->weight;
	}
	if (row->last_sample == number)
		return 0;
	row->last_sample = number;
	row->fires += s->fires;
	row->weight += s->weight;
	row->base_fires += s->base_fires;
	row->base_weight += s->base_weight;
	row->n_paths++;
	return 0;
}

/* How far from the leaf functions have rows. */
static unsigned reach(const struct rows *rows, struct path path)
{
	return rows->children || rows->focus ? path.n : 1;
}

static bool has_row(const struct rows *rows, uint32_t function)
{
	return !rows->focus || rows->focus[function];
}

static int add_sample(struct rows *rows, size_t number, const struct rec_sample *s)
{
	struct path path = functions_path(&rows->fs, s->stack);
	bool found = false;
	int err = 0;

	for (unsigned i = reach(rows, path); i-- && !err;) {
		uint32_t function = PATH_FUNCTION(path.elements[i]);

		if (!has_row(rows, function))
			continue;
		err = add_to_row(rows, s, number, function, i == 0);
		found = true;
	}
	rows->focus_fires += rows->focus && found ? s->fires : 0;
	rows->total_fires += s->fires;
	rows->total_weight += s->weight;
	rows->base_total_fires += s->base_fires;
	rows->base_total_weight += s->base_weight;
	return err;
}

static int add_idle(struct rows *rows)
{
	static const struct row_key key = { -1, -1, -1, -1, -1, -1 };
	const struct rec_sampling *s = &rows->r->sampling;
	struct row *row;

	if (!s->idle)
		return 0;
	rows->total_fires += s->idle;
	rows->total_weight += s->idle_weight;
	if (rows->focus)
		return 0;
	row = add_row(rows, &key);
	if (!row)
		return -ENOMEM;
	row->idle = true;
	row->fires = row->self_fires = s->idle;
	row->weight = row->self_weight = s->idle_weight;
	return 0;
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static const char *object_name(const struct rows *rows, int object)
{
	const struct recording *r = rows->r;

	return object < 0 ? "" : frame_object_name(r, &r->mappings[rows->fs.object_mappings[object]]);
}

static const char *function_name(const struct rows *rows, int64_t function)
{
	return recording_str(rows->r, rows->fs.list[function].name);
}

/* By what a person sees, so that equal shares do not stand in the order of a hash. */
static int compare_keys(const struct rows *rows, const struct row_key *a, const struct row_key *b)
{
	int order = strcmp(recording_str(rows->r, a->comm), recording_str(rows->r, b->comm));

	if (!order && rows->keys.has[KEY_DSO])
		order = strcmp(object_name(rows, a->object), object_name(rows, b->object));
	if (!order && rows->keys.has[KEY_SYM])
		order = strcmp(function_name(rows, a->function), function_name(rows, b->function));
	if (!order)
		order = compare_numbers(a->tgid, b->tgid);
	if (!order)
		order = compare_numbers(a->tid, b->tid);
	if (!order)
		order = compare_numbers(a->cpu, b->cpu);
	if (!order)
		order = compare_numbers(a->object, b->object);
	return order ? order : compare_numbers(a->function, b->function);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct rows *rows = context;
	const struct row *x = &rows->list[*(const uint32_t *)a], *y = &rows->list[*(const uint32_t *)b];

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->self_weight != y->self_weight)
		return x->self_weight < y->self_weight ? 1 : -1;
	if (x->fires != y->fires)
		return x->fires < y->fires ? 1 : -1;
	if (x->idle || y->idle)
		return x->idle - y->idle;
	return compare_keys(rows, &x->key, &y->key);
}

/* The list in the order that is shown; the ids of the table stay, by way of `ranks`. */
static int sort_rows(struct rows *rows)
{
	struct row *sorted = malloc((rows->n + 1) * sizeof(*sorted));
	uint32_t *order = malloc((rows->n + 1) * sizeof(*order));
	int err = -ENOMEM;

	rows->ranks = malloc((rows->n + 1) * sizeof(*rows->ranks));
	if (!sorted || !order || !rows->ranks)
		goto out;
	for (size_t i = 0; i < rows->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, rows->n, sizeof(*order), compare_rows, rows);
	for (size_t i = 0; i < rows->n; i++) {
		sorted[i] = rows->list[order[i]];
		rows->ranks[order[i]] = (uint32_t)i;
	}
	free(rows->list);
	rows->list = sorted;
	sorted = NULL;
	err = 0;
out:
	free(sorted);
	free(order);
	return err;
}

static int add_samples(struct rows *rows, bool idle)
{
	int err = 0;

	for (size_t i = 0; i < rows->r->n_samples && !err; i++)
		err = add_sample(rows, i + 1, &rows->r->samples[i]);
	rows->kept_fires = rows->total_fires;
	if (!err && idle)
		err = add_idle(rows);
	return err ? err : sort_rows(rows);
}

int rows_open(struct rows *rows, const struct recording *r, const struct sort_keys *keys, bool children, bool idle)
{
	int err;

	*rows = (struct rows){ .r = r, .keys = *keys, .children = children, .callees = children };
	err = functions_open(&rows->fs, r);
	return err ? err : add_samples(rows, idle);
}

int rows_open_focus(struct rows *rows, const struct recording *r, const struct sort_keys *keys, const char *pattern,
		    bool callees, bool idle)
{
	int err;

	*rows = (struct rows){ .r = r, .keys = *keys, .callees = callees };
	err = functions_open(&rows->fs, r);
	if (!err)
		err = focus_find(&rows->fs, pattern, &rows->focus);
	return err ? err : add_samples(rows, idle);
}

void rows_close(struct rows *rows)
{
	functions_close(&rows->fs);
	intern_free(&rows->ids);
	free(rows->list);
	free(rows->ranks);
	free(rows->paths);
	free(rows->focus);
}

/* From element `at` of the path to the root, or to the leaf for callees; without the function itself if a column
 * names it. */
static struct tree_path trace(const struct rows *rows, struct path path, unsigned at, uint64_t weight)
{
	unsigned skip = rows->keys.has[KEY_SYM] ? 1 : 0;
	unsigned n = (rows->callees ? at + 1 : path.n - at) - skip;
	unsigned first = rows->callees ? at - skip : at + skip;

	return (struct tree_path){ .first = n ? path.elements + first : path.elements,
				   .step = rows->callees ? -1 : 1,
				   .n = n,
				   .weight = weight };
}

static void trace_sample(struct rows *rows, size_t n, size_t number, const struct rec_sample *s)
{
	struct path path = functions_path(&rows->fs, s->stack);

	for (unsigned i = reach(rows, path); i--;) {
		uint32_t function = PATH_FUNCTION(path.elements[i]), rank;
		struct row_key key = key_of(rows, &s->labels, function);
		struct row *row;

		if (!has_row(rows, function))
			continue;
		rank = rows->ranks[find_row(rows, &key)];
		row = &rows->list[rank];
		if (rank >= n || row->last_sample == number)
			continue;
		row->last_sample = number;
		rows->paths[row->first_path + row->n_paths++] = trace(rows, path, i, s->weight);
	}
}

int rows_trace(struct rows *rows, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		rows->list[i].first_path = sum;
		sum += rows->list[i].n_paths;
		rows->list[i].n_paths = 0;
		rows->list[i].last_sample = 0;
	}
	rows->paths = calloc(sum + 1, sizeof(*rows->paths));
	if (!rows->paths)
		return -ENOMEM;
	for (size_t i = 0; i < rows->r->n_samples; i++)
		trace_sample(rows, n, i + 1, &rows->r->samples[i]);
	return 0;
}

struct tree_path *rows_paths(const struct rows *rows, const struct row *row, size_t *n)
{
	*n = row->n_paths;
	return rows->paths + row->first_path;
}
