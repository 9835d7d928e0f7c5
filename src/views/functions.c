/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_mappings(const void *a, const void *b, void *context)
{
	const struct recording *r = context;
	const struct rec_mapping *x = &r->mappings[*(const int *)a], *y = &r->mappings[*(const int *)b];
	int by_kind = (y->kind == MAPPING_NONE) - (x->kind == MAPPING_NONE);

	if (by_kind || x->kind == MAPPING_NONE)
		return by_kind;
	by_kind = (x->kind == MAPPING_MODULE) - (y->kind == MAPPING_MODULE);
	return by_kind ? by_kind : strcmp(frame_object_name(r, x), frame_object_name(r, y));
}

/* Mappings that are written alike get one object. */
static int number_objects(struct functions *fs)
{
	const struct recording *r = fs->r;
	int object = -1;

	fs->objects = calloc(r->n_mappings + 1, sizeof(*fs->objects));
	fs->object_mappings = calloc(r->n_mappings + 1, sizeof(*fs->object_mappings));
	if (!fs->objects || !fs->object_mappings)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_mappings; i++)
		fs->object_mappings[i] = (int)i;
	qsort_r(fs->object_mappings, r->n_mappings, sizeof(int), compare_mappings, (void *)r);
	/* The sorted list becomes that of the objects: it shrinks behind the reader. */
	for (size_t i = 0; i < r->n_mappings; i++) {
		int mapping = fs->object_mappings[i];

		if (object < 0 || compare_mappings(&fs->object_mappings[object], &mapping, (void *)r))
			fs->object_mappings[++object] = mapping;
		fs->objects[mapping] = object;
	}
	return 0;
}

static bool same_but_object(const struct function *a, const struct function *b)
{
	return a->name == b->name && a->why == b->why && a->kernel == b->kernel &&
	       (a->location == FRAME_NO_STACK) == (b->location == FRAME_NO_STACK);
}

static bool same_function(const void *owner, uint32_t id, const void *key)
{
	const struct functions *fs = owner;
	const struct function *f = key;

	return fs->list[id].object == f->object && same_but_object(&fs->list[id], f);
}

static bool same_name(const void *owner, uint32_t id, const void *key)
{
	return same_but_object(&((const struct functions *)owner)->list[id], key);
}

static uint64_t hash_name(const struct function *f)
{
	return intern_mix(intern_mix(f->kernel, (uint64_t)f->name), f->why);
}

static int find_by_name(struct functions *fs, const struct function *f, int id)
{
	int first = f->name ? intern_find(&fs->names, hash_name(f), same_name, fs, f) : id;
	int err = 0;

	if (first < 0) {
		first = id;
		err = intern_add(&fs->names, hash_name(f), id);
	}
	fs->list[id].by_name = (uint32_t)first;
	return err;
}

/* Two locations can become one place when the mapping of an address is corrected. */
static bool same_place(const struct recording *r, int a, int b)
{
	if (a == b) /* FRAME_NO_STACK too */
		return true;
	return r->locations[a].mapping == r->locations[b].mapping && r->locations[a].address == r->locations[b].address;
}

/* Id or -ENOMEM. */
static int add_function(struct functions *fs, const struct function *f)
{
	uint64_t hash = intern_mix(hash_name(f), (uint64_t)f->object);
	int id = intern_find(&fs->ids, hash, same_function, fs, f), err;
	struct function *list;

	if (id >= 0) {
		fs->list[id].several |= !same_place(fs->r, fs->list[id].location, f->location);
		return id;
	}
	list = intern_grow(fs->list, &fs->capacity, fs->n + 1, sizeof(*fs->list));
	if (!list)
		return -ENOMEM;
	fs->list = list;
	id = (int)fs->n++;
	fs->list[id] = *f;
	err = intern_add(&fs->ids, hash, id);
	if (!err)
		err = find_by_name(fs, f, id);
	return err ? err : id;
}

static int function_of(struct functions *fs, uint32_t location, bool kernel)
{
	const struct rec_location *l = &fs->r->locations[location];
	int *known = &fs->of_location[2 * (size_t)location + kernel];

	if (*known < 0)
		*known = add_function(fs, &(struct function){ .object = fs->objects[l->mapping],
							      .name = l->why == WHY_NAMED ? l->name : 0,
							      .why = l->why,
							      .kernel = kernel,
							      .location = (int)location });
	return *known;
}

/* Functions of a group, at most; a recursive descent parser needs about as many. */
#define GROUP_MAX 8

static bool same_group(const uint32_t *a, const uint32_t *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (PATH_FUNCTION(a[i]) != PATH_FUNCTION(b[i]))
			return false;
	return true;
}

/*
 * If the path ends with a group that stands there twice, drops the second. Returns the new length.
 * Unnamed functions alone are no recursion: they may be different ones.
 */
static unsigned drop_repeated(const struct functions *fs, uint32_t *path, unsigned n)
{
	for (unsigned size = 1; size <= GROUP_MAX && 2 * size <= n; size++) {
		uint32_t *second = path + n - size, *first = second - size;
		bool is_named = false;

		if (!same_group(first, second, size))
			continue;
		for (unsigned i = 0; i < size; i++) {
			is_named |= fs->list[PATH_FUNCTION(first[i])].name != 0;
			first[i] |= second[i];
		}
		if (is_named)
			first[size - 1] |= PATH_RECURSION;
		return n - size;
	}
	return n;
}

/* Appends the stack's functions to the elements; how many, or -ENOMEM. */
static int add_path(struct functions *fs, const struct rec_stack *stack, uint32_t *elements)
{
	int frames = stack->kernel_frames + stack->user_frames;
	unsigned n = 0;

	for (int i = 0; i < frames; i++) {
		int id = function_of(fs, fs->r->frames[stack->first + (uint32_t)i], i < stack->kernel_frames);

		if (id < 0)
			return id;
		elements[n++] = (uint32_t)id;
		n = drop_repeated(fs, elements, n);
	}
	if (!frames) {
		int id = add_function(fs, &(struct function){ .object = -1, .location = FRAME_NO_STACK });

		if (id < 0)
			return id;
		elements[n++] = (uint32_t)id;
	}
	return (int)n;
}

static int add_paths(struct functions *fs)
{
	const struct recording *r = fs->r;
	size_t room = r->n_stacks, used = 0;

	for (size_t i = 0; i < r->n_stacks; i++)
		room += r->stacks[i].kernel_frames + r->stacks[i].user_frames;
	fs->elements = calloc(room + 1, sizeof(*fs->elements));
	fs->path_ends = calloc(r->n_stacks + 1, sizeof(*fs->path_ends));
	fs->of_location = malloc((2 * r->n_locations + 1) * sizeof(*fs->of_location));
	if (!fs->elements || !fs->path_ends || !fs->of_location)
		return -ENOMEM;
	for (size_t i = 0; i < 2 * r->n_locations; i++)
		fs->of_location[i] = -1;
	for (size_t i = 0; i < r->n_stacks; i++) {
		int n = add_path(fs, &r->stacks[i], fs->elements + used);

		if (n < 0)
			return n;
		used += (size_t)n;
		fs->path_ends[i] = used;
	}
	return 0;
}

int functions_open(struct functions *fs, const struct recording *r)
{
	int err;

	*fs = (struct functions){ .r = r };
	err = number_objects(fs);
	return err ? err : add_paths(fs);
}

void functions_close(struct functions *fs)
{
	intern_free(&fs->ids);
	intern_free(&fs->names);
	free(fs->list);
	free(fs->objects);
	free(fs->object_mappings);
	free(fs->of_location);
	free(fs->elements);
	free(fs->path_ends);
}

struct path functions_path(const struct functions *fs, int stack)
{
	size_t begin = stack ? fs->path_ends[stack - 1] : 0;

	return (struct path){ fs->elements + begin, (unsigned)(fs->path_ends[stack] - begin) };
}

uint32_t functions_at(const struct functions *fs, uint32_t location, bool kernel)
{
	return (uint32_t)fs->of_location[2 * (size_t)location + kernel];
}

char *functions_text(char buf[FRAME_BYTES], const struct functions *fs, uint32_t function, unsigned flags)
{
	const struct function *f = &fs->list[function];

	return frame_text(buf, fs->r, f->location, flags | (f->several && !f->name ? FRAME_NO_ADDRESS : 0));
}

char *functions_object(char buf[FRAME_BYTES], const struct functions *fs, int object)
{
	if (object < 0)
		return strcpy(buf, "[unknown]");
	return frame_object(buf, fs->r, fs->object_mappings[object], 0);
}
