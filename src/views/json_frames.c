/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/json_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "views/frame.h"
#include "views/json_values.h"

static const char *kind_name(enum mapping_kind kind)
{
	static const char *const names[] = {
		[MAPPING_NONE] = "none", [MAPPING_KERNEL] = "kernel", [MAPPING_MODULE] = "module",
		[MAPPING_BPF] = "bpf",	 [MAPPING_FILE] = "file",     [MAPPING_VDSO] = "vdso",
		[MAPPING_ANON] = "anon",
	};

	return names[kind];
}

static uint32_t no_stack_id(const struct recording *r)
{
	return (uint32_t)(2 * r->n_locations);
}

static unsigned count_frames(const struct rec_stack *stack)
{
	unsigned n = stack->kernel_frames + stack->user_frames;

	return n ? n : 1;
}

static uint32_t frame_id(const struct recording *r, const struct rec_stack *stack, unsigned i)
{
	if (!stack->kernel_frames && !stack->user_frames)
		return no_stack_id(r);
	return 2 * r->frames[stack->first + i] + (i < stack->kernel_frames);
}

static void use_frame(struct json_frames *t, uint32_t id)
{
	int mapping;

	if (t->frames[id] >= 0)
		return;
	t->frames[id] = (int)t->n_frames;
	t->order[t->n_frames++] = id;
	if (id == no_stack_id(t->r))
		return;
	mapping = t->r->locations[id / 2].mapping;
	if (t->mappings[mapping] < 0 && t->r->mappings[mapping].kind != MAPPING_NONE)
		t->mappings[mapping] = t->n_mappings++;
}

int json_frames_open(struct json_frames *t, const struct recording *r)
{
	*t = (struct json_frames){ .r = r };
	t->seen = calloc(r->n_stacks + 1, sizeof(*t->seen));
	t->frames = malloc((2 * r->n_locations + 1) * sizeof(*t->frames));
	t->order = malloc((2 * r->n_locations + 1) * sizeof(*t->order));
	t->mappings = malloc((r->n_mappings + 1) * sizeof(*t->mappings));
	if (!t->seen || !t->frames || !t->order || !t->mappings)
		return -ENOMEM;
	memset(t->frames, -1, (2 * r->n_locations + 1) * sizeof(*t->frames));
	memset(t->mappings, -1, r->n_mappings * sizeof(*t->mappings));
	return 0;
}

void json_frames_close(struct json_frames *t)
{
	free(t->seen);
	free(t->frames);
	free(t->order);
	free(t->mappings);
}

void json_frames_use(struct json_frames *t, int stack)
{
	const struct rec_stack *s = stack < 0 ? NULL : &t->r->stacks[stack];

	if (!s || t->seen[stack])
		return;
	t->seen[stack] = true;
	for (unsigned i = 0; i < count_frames(s); i++)
		use_frame(t, frame_id(t->r, s, i));
}

static void write_mapping(const struct json_frames *t, struct json *j, const struct rec_mapping *m)
{
	char build_id[2 * BUILD_ID_BYTES_MAX + 1] = "";

	for (unsigned i = 0; i < m->build_id.n; i++)
		snprintf(build_id + 2 * i, 3, "%02x", m->build_id.bytes[i]);
	json_line(j, NULL);
	json_string(j, "name", recording_str(t->r, m->name));
	json_string(j, "kind", kind_name(m->kind));
	json_string(j, "build_id", *build_id ? build_id : NULL);
	json_address(j, "start", m->start, m->start);
	json_known(j, "bytes", m->bytes, m->bytes);
	json_line_end(j);
}

/* In the order of their numbers, which is that of their first use. */
static int write_mappings(const struct json_frames *t, struct json *j)
{
	int *order = calloc((size_t)t->n_mappings + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < t->r->n_mappings; i++)
		if (t->mappings[i] >= 0)
			order[t->mappings[i]] = (int)i;
	json_array(j, "mappings");
	for (int i = 0; i < t->n_mappings; i++)
		write_mapping(t, j, &t->r->mappings[order[i]]);
	json_array_end(j);
	free(order);
	return 0;
}

/* The name that tables show. */
static void write_object(const struct json_frames *t, struct json *j, const struct rec_mapping *m)
{
	const char *name = frame_object_name(t->r, m);
	char module[4096 + sizeof("[]")];

	snprintf(module, sizeof(module), "[%s]", name);
	if (m->kind == MAPPING_NONE)
		json_null(j, "object");
	else
		json_string(j, "object", m->kind == MAPPING_MODULE && name[0] != '[' ? module : name);
}

static void write_no_stack(struct json *j)
{
	static const char *const unknown[] = { "symbol", "object", "mapping", "address", "offset" };

	json_line(j, NULL);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		json_null(j, unknown[i]);
	json_bool(j, "kernel", false);
	json_string(j, "why", "no stack");
	json_line_end(j);
}

static void write_frame(const struct json_frames *t, struct json *j, uint32_t id)
{
	const struct rec_location *l = &t->r->locations[id / 2];
	const struct rec_mapping *m = &t->r->mappings[l->mapping];
	bool named = l->why == WHY_NAMED;

	json_line(j, NULL);
	json_string(j, "symbol", named ? recording_str(t->r, l->name) : NULL);
	write_object(t, j, m);
	json_bool(j, "kernel", id & 1);
	json_known(j, "mapping", t->mappings[l->mapping] >= 0, (uint64_t)t->mappings[l->mapping]);
	json_address(j, "address", l->address || m->kind != MAPPING_NONE, l->address);
	json_known(j, "offset", named, l->offset);
	json_string(j, "why", named ? NULL : why_name(l->why));
	json_line_end(j);
}

static void write_frames(const struct json_frames *t, struct json *j)
{
	json_array(j, "frames");
	for (size_t i = 0; i < t->n_frames; i++) {
		if (t->order[i] == no_stack_id(t->r))
			write_no_stack(j);
		else
			write_frame(t, j, t->order[i]);
	}
	json_array_end(j);
}

int json_frames_write(const struct json_frames *t, struct json *j)
{
	int err = write_mappings(t, j);

	if (!err)
		write_frames(t, j);
	return err;
}

void json_frames_stack(const struct json_frames *t, struct json *j, const char *key, int stack)
{
	const struct rec_stack *s = stack < 0 ? NULL : &t->r->stacks[stack];
	bool indent = j->indent;

	if (!s) {
		json_null(j, key);
		return;
	}
	json_array(j, key);
	j->indent = false;
	for (unsigned i = 0; i < count_frames(s); i++)
		json_uint(j, NULL, (uint64_t)t->frames[frame_id(t->r, s, i)]);
	json_array_end(j);
	j->indent = indent;
}
