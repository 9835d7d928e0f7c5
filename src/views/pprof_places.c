/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/pprof_places.h"

#include <errno.h>
#include <stdlib.h>

#include "views/frame.h"
#include "views/pprof_fields.h"

#define PAGE_BYTES 4096

void pprof_message(struct pprof *p, unsigned field)
{
	pprof_stream_message(&p->out, field, &p->message);
	protobuf_clear(&p->message);
}

/* The part in work becomes a field of the message in work. */
void pprof_part(struct pprof *p, unsigned field)
{
	protobuf_message(&p->message, field, &p->part);
	protobuf_clear(&p->part);
}

void pprof_text(struct pprof *p, struct protobuf *to, unsigned field, const char *text)
{
	protobuf_uint(to, field, pprof_stream_string(&p->out, text));
}

bool pprof_is_listed(const struct rec_sample *s)
{
	return s->fires || s->weight; /* or it is of the baseline alone */
}

static void use_location(struct pprof *p, uint32_t id)
{
	const struct rec_location *l = &p->r->locations[id];
	struct used_mapping *m = &p->mappings[l->mapping];

	p->locations[id] = true;
	if (!m->used || l->address < m->low)
		m->low = l->address;
	if (!m->used || l->address > m->high)
		m->high = l->address;
	m->used = true;
	m->named |= l->why == WHY_NAMED;
}

int pprof_mark_used(struct pprof *p)
{
	const struct recording *r = p->r;

	p->stacks = calloc(r->n_stacks + 1, sizeof(*p->stacks));
	p->locations = calloc(r->n_locations + 1, sizeof(*p->locations));
	p->mappings = calloc(r->n_mappings + 1, sizeof(*p->mappings));
	if (!p->stacks || !p->locations || !p->mappings)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_samples; i++)
		p->stacks[r->samples[i].stack] |= pprof_is_listed(&r->samples[i]);
	for (size_t i = 0; i < r->n_stacks; i++) {
		const struct rec_stack *stack = &r->stacks[i];

		for (unsigned j = 0; p->stacks[i] && j < stack->kernel_frames + stack->user_frames; j++)
			use_location(p, r->frames[stack->first + j]);
	}
	return 0;
}

static bool is_relative(enum mapping_kind kind)
{
	return kind == MAPPING_FILE || kind == MAPPING_VDSO;
}

/* Whole pages that hold all addresses used, and what is known of its extent. */
static void add_range(struct pprof *p, const struct rec_mapping *m, const struct used_mapping *used)
{
	uint64_t start = used->low - used->low % PAGE_BYTES;
	uint64_t limit = used->high > UINT64_MAX - PAGE_BYTES ? UINT64_MAX
							      : used->high - used->high % PAGE_BYTES + PAGE_BYTES;

	if (is_relative(m->kind)) {
		start = 0;
		limit = UINT64_MAX;
	} else if (m->start && m->start <= used->low) {
		start = m->start;
		if (m->bytes > limit - start && m->bytes <= UINT64_MAX - start)
			limit = start + m->bytes;
	}
	protobuf_uint(&p->message, MAPPING_MEMORY_START, start);
	protobuf_uint(&p->message, MAPPING_MEMORY_LIMIT, limit);
}

/* The path; or what is no file in brackets, by which pprof knows that there is none. */
static uint64_t file_of(struct pprof *p, int mapping)
{
	const struct rec_mapping *m = &p->r->mappings[mapping];
	char buf[FRAME_BYTES];

	if (m->kind == MAPPING_FILE)
		text_inert(buf, sizeof(buf), recording_str(p->r, m->name), true);
	else
		frame_object(buf, p->r, mapping, FRAME_UTF8);
	return pprof_stream_string(&p->out, buf);
}

static void write_mapping(struct pprof *p, int id)
{
	const struct rec_mapping *m = &p->r->mappings[id];
	const struct used_mapping *used = &p->mappings[id];
	char build_id[2 * BUILD_ID_BYTES_MAX + 1] = "";

	for (unsigned i = 0; i < m->build_id.n; i++)
		snprintf(build_id + 2 * i, 3, "%02x", m->build_id.bytes[i]);
	protobuf_uint(&p->message, MAPPING_ID, (uint64_t)id + 1);
	add_range(p, m, used);
	protobuf_uint(&p->message, MAPPING_FILENAME, used->file);
	pprof_text(p, &p->message, MAPPING_BUILD_ID, build_id);
	protobuf_uint(&p->message, MAPPING_HAS_FUNCTIONS, used->named);
	pprof_message(p, PROFILE_MAPPING);
}

void pprof_mappings(struct pprof *p)
{
	for (size_t i = 0; i < p->r->n_mappings; i++) {
		if (!p->mappings[i].used || p->r->mappings[i].kind == MAPPING_NONE)
			continue;
		p->mappings[i].file = file_of(p, (int)i);
		write_mapping(p, (int)i);
	}
}

static bool same_function(const void *owner, uint32_t id, const void *key)
{
	const struct function_key *a = &((const struct pprof *)owner)->functions[id], *b = key;

	return a->name == b->name && a->file == b->file;
}

static void write_function(struct pprof *p, uint64_t id, struct function_key key)
{
	protobuf_uint(&p->message, FUNCTION_ID, id);
	protobuf_uint(&p->message, FUNCTION_NAME, key.name);
	protobuf_uint(&p->message, FUNCTION_SYSTEM_NAME, key.name);
	protobuf_uint(&p->message, FUNCTION_FILENAME, key.file);
	pprof_message(p, PROFILE_FUNCTION);
}

/* Id, or 0 for want of memory. */
static uint64_t function_of(struct pprof *p, struct function_key key)
{
	uint64_t hash = intern_mix(key.name, key.file);
	int known = intern_find(&p->function_ids, hash, same_function, p, &key);
	struct function_key *list;

	if (known >= 0)
		return (uint64_t)known + 1;
	list = intern_grow(p->functions, &p->capacity, p->n_functions + 1, sizeof(*list));
	if (!list)
		return 0;
	p->functions = list;
	list[p->n_functions] = key;
	if (intern_add(&p->function_ids, hash, (int)p->n_functions))
		return 0;
	write_function(p, ++p->n_functions, key);
	return p->n_functions;
}

int pprof_location(struct pprof *p, uint64_t id, uint64_t mapping, uint64_t address, struct function_key key)
{
	uint64_t function = function_of(p, key);

	if (!function)
		return -ENOMEM;
	protobuf_uint(&p->message, LOCATION_ID, id);
	protobuf_uint(&p->message, LOCATION_MAPPING_ID, mapping);
	protobuf_uint(&p->message, LOCATION_ADDRESS, address);
	protobuf_uint(&p->part, LINE_FUNCTION_ID, function);
	pprof_part(p, LOCATION_LINE);
	pprof_message(p, PROFILE_LOCATION);
	return 0;
}

int pprof_locations(struct pprof *p)
{
	int err = 0;

	for (size_t i = 0; i < p->r->n_locations && !err; i++) {
		const struct rec_location *l = &p->r->locations[i];
		bool mapped = p->r->mappings[l->mapping].kind != MAPPING_NONE;
		struct function_key key = { 0, p->mappings[l->mapping].file };
		char buf[FRAME_BYTES];

		if (!p->locations[i])
			continue;
		frame_text(buf, p->r, (int)i, FRAME_UTF8 | FRAME_NO_ADDRESS);
		key.name = pprof_stream_string(&p->out, buf);
		err = pprof_location(p, i + 1, mapped ? (uint64_t)l->mapping + 1 : 0, l->address, key);
	}
	return err;
}

void pprof_free(struct pprof *p)
{
	protobuf_free(&p->message);
	protobuf_free(&p->part);
	free(p->stacks);
	free(p->locations);
	free(p->mappings);
	free(p->functions);
	intern_free(&p->function_ids);
}
