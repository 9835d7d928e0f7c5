/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report as one JSON object, described in kbpfprof-json(5): keys are added, never renamed, or
 * the version changes. Frames stand in a table of their own, since many samples share them, and
 * the samples' stacks are lists of indexes into it. What is not known, or not told apart, is null.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/tool.h"
#include "views/frame.h"
#include "views/json_books.h"

extern const struct view view_json;

#define FORMAT_NAME    "kbpfprof-report"
#define FORMAT_VERSION 1

/*
 * A location on one side of a stack is a frame: its id is twice that of the location, plus one on
 * the kernel's. The id after the last one stands for all of a stack that has no frame, so that a
 * reader finds one in each.
 */
struct report {
	struct json j;
	const struct recording *r;
	int *frames;	 /* by id: index in the list; -1: not used */
	uint32_t *order; /* by index: id */
	size_t n_frames;
	int *mappings; /* by mapping: index in the list; -1: not used */
	int n_mappings;
};

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

static void use_frame(struct report *p, uint32_t id)
{
	int mapping;

	if (p->frames[id] >= 0)
		return;
	p->frames[id] = (int)p->n_frames;
	p->order[p->n_frames++] = id;
	if (id == no_stack_id(p->r))
		return;
	mapping = p->r->locations[id / 2].mapping;
	if (p->mappings[mapping] < 0 && p->r->mappings[mapping].kind != MAPPING_NONE)
		p->mappings[mapping] = p->n_mappings++;
}

/* What a report leaves out has no place in its tables. */
static int number_places(struct report *p)
{
	const struct recording *r = p->r;
	bool *seen = calloc(r->n_stacks + 1, sizeof(*seen));

	p->frames = malloc((2 * r->n_locations + 1) * sizeof(*p->frames));
	p->order = malloc((2 * r->n_locations + 1) * sizeof(*p->order));
	p->mappings = malloc((r->n_mappings + 1) * sizeof(*p->mappings));
	if (!seen || !p->frames || !p->order || !p->mappings) {
		free(seen);
		return -ENOMEM;
	}
	memset(p->frames, -1, (2 * r->n_locations + 1) * sizeof(*p->frames));
	memset(p->mappings, -1, r->n_mappings * sizeof(*p->mappings));
	for (size_t i = 0; i < r->n_samples; i++) {
		const struct rec_stack *stack = &r->stacks[r->samples[i].stack];

		for (unsigned j = 0; !seen[r->samples[i].stack] && j < count_frames(stack); j++)
			use_frame(p, frame_id(r, stack, j));
		seen[r->samples[i].stack] = true;
	}
	free(seen);
	return 0;
}

/* One line each: readable, and a tenth of the size of a value a line. */
static void begin_line(struct json *j)
{
	json_object(j, NULL);
	j->indent = false;
}

static void end_line(struct json *j)
{
	json_object_end(j);
	j->indent = true;
}

/* As text: a number above 2^53 loses digits in jq and in JavaScript. */
static void write_address(struct json *j, const char *key, bool known, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json_string(j, key, known ? text : NULL);
}

static void write_known(struct json *j, const char *key, bool known, uint64_t value)
{
	if (known)
		json_uint(j, key, value);
	else
		json_null(j, key);
}

static void write_mapping(struct report *p, const struct rec_mapping *m)
{
	char build_id[2 * BUILD_ID_BYTES_MAX + 1] = "";

	for (unsigned i = 0; i < m->build_id.n; i++)
		snprintf(build_id + 2 * i, 3, "%02x", m->build_id.bytes[i]);
	begin_line(&p->j);
	json_string(&p->j, "name", recording_str(p->r, m->name));
	json_string(&p->j, "kind", kind_name(m->kind));
	json_string(&p->j, "build_id", *build_id ? build_id : NULL);
	write_address(&p->j, "start", m->start, m->start);
	write_known(&p->j, "bytes", m->bytes, m->bytes);
	end_line(&p->j);
}

/* In the order of their numbers, which is that of their first use. */
static int write_mappings(struct report *p)
{
	int *order = calloc((size_t)p->n_mappings + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < p->r->n_mappings; i++)
		if (p->mappings[i] >= 0)
			order[p->mappings[i]] = (int)i;
	json_array(&p->j, "mappings");
	for (int i = 0; i < p->n_mappings; i++)
		write_mapping(p, &p->r->mappings[order[i]]);
	json_array_end(&p->j);
	free(order);
	return 0;
}

/* The name that tables show. */
static void write_object(struct report *p, const struct rec_mapping *m)
{
	const char *name = frame_object_name(p->r, m);
	char module[4096 + sizeof("[]")];

	snprintf(module, sizeof(module), "[%s]", name);
	if (m->kind == MAPPING_NONE)
		json_null(&p->j, "object");
	else
		json_string(&p->j, "object", m->kind == MAPPING_MODULE && name[0] != '[' ? module : name);
}

static void write_no_stack(struct report *p)
{
	static const char *const unknown[] = { "symbol", "object", "mapping", "address", "offset" };

	begin_line(&p->j);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		json_null(&p->j, unknown[i]);
	json_bool(&p->j, "kernel", false);
	json_string(&p->j, "why", "no stack");
	end_line(&p->j);
}

static void write_frame(struct report *p, uint32_t id)
{
	const struct rec_location *l = &p->r->locations[id / 2];
	const struct rec_mapping *m = &p->r->mappings[l->mapping];
	bool named = l->why == WHY_NAMED;

	begin_line(&p->j);
	json_string(&p->j, "symbol", named ? recording_str(p->r, l->name) : NULL);
	write_object(p, m);
	json_bool(&p->j, "kernel", id & 1);
	write_known(&p->j, "mapping", p->mappings[l->mapping] >= 0, (uint64_t)p->mappings[l->mapping]);
	write_address(&p->j, "address", l->address || m->kind != MAPPING_NONE, l->address);
	write_known(&p->j, "offset", named, l->offset);
	json_string(&p->j, "why", named ? NULL : why_name(l->why));
	end_line(&p->j);
}

static void write_frames(struct report *p)
{
	json_array(&p->j, "frames");
	for (size_t i = 0; i < p->n_frames; i++) {
		if (p->order[i] == no_stack_id(p->r))
			write_no_stack(p);
		else
			write_frame(p, p->order[i]);
	}
	json_array_end(&p->j);
}

static void write_sample(struct report *p, const struct rec_sample *s)
{
	const struct rec_stack *stack = &p->r->stacks[s->stack];
	const struct rec_labels *l = &s->labels;

	begin_line(&p->j);
	json_string(&p->j, "comm", l->comm ? recording_str(p->r, l->comm) : NULL);
	write_known(&p->j, "pid", l->tgid != 0, (uint64_t)l->tgid);
	write_known(&p->j, "tid", l->tid != 0, (uint64_t)l->tid);
	write_known(&p->j, "cpu", l->cpu >= 0, (uint64_t)l->cpu);
	json_uint(&p->j, "fires", s->fires);
	json_uint(&p->j, "weight", s->weight);
	if (p->r->baseline) {
		json_uint(&p->j, "base_fires", s->base_fires);
		json_uint(&p->j, "base_weight", s->base_weight);
	}
	json_array(&p->j, "stack");
	for (unsigned i = 0; i < count_frames(stack); i++)
		json_uint(&p->j, NULL, (uint64_t)p->frames[frame_id(p->r, stack, i)]);
	json_array_end(&p->j);
	end_line(&p->j);
}

static void write_samples(struct report *p)
{
	json_array(&p->j, "samples");
	for (size_t i = 0; i < p->r->n_samples; i++)
		write_sample(p, &p->r->samples[i]);
	json_array_end(&p->j);
}

static int write_report(struct report *p)
{
	int err;

	json_object(&p->j, NULL);
	json_string(&p->j, "format", FORMAT_NAME);
	json_uint(&p->j, "version", FORMAT_VERSION);
	json_books(&p->j, p->r);
	err = write_mappings(p);
	if (err)
		return err;
	write_frames(p);
	write_samples(p);
	json_object_end(&p->j);
	json_end(&p->j);
	return 0;
}

static int write_json(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct report p = { .r = r };
	int err = number_places(&p);

	(void)o;
	json_start(&p.j, f, true);
	if (!err)
		err = write_report(&p);
	free(p.frames);
	free(p.order);
	free(p.mappings);
	return err;
}

const struct view view_json = {
	.name = "json",
	.summary = "all of it, for jq and programs: kbpfprof-json(5)",
	.takes = VIEW_KEYS | VIEW_IDLE,
	.draws = REC_SAMPLES | REC_BASELINE | REC_LATENCY,
	.labels = LABEL_TGID | LABEL_TID,
	.is_data = true,
	.write = write_json,
};
