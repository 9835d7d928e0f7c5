/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/recording.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/intern.h"
#include "core/irq.h"
#include "core/latency.h"

#define STRING_BYTES_MAX 4096
#define CHUNK_BYTES	 (64 * 1024)

/* Strings lie in chunks, so that a pointer to one stays good while others are added. */
struct chunk {
	struct chunk *next;
	size_t used;
	char bytes[CHUNK_BYTES];
};

struct text {
	const char *bytes; /* ends with NUL */
	size_t n;	   /* without it */
};

/* What a location was added as: recording_name() and recording_move() change what is shown, not what it is found by. */
struct location_key {
	int mapping;
	enum why why;
};

struct stack_key {
	const uint32_t *locations;
	unsigned kernel_frames, user_frames;
};

struct recording_tables {
	uint64_t seed; /* names and addresses are chosen by others: they shall not choose the slots */
	struct chunk *chunks;
	struct text *strings;
	struct rec_mapping *mappings;
	struct rec_location *locations;
	struct location_key *location_keys;
	struct rec_stack *stacks;
	struct rec_sample *samples;
	uint32_t *frames;
	size_t n_strings, n_frames;
	size_t strings_max, mappings_max, locations_max, location_keys_max, stacks_max, samples_max, frames_max;
	struct intern string_ids, mapping_ids, location_ids, stack_ids, sample_ids;
};

/* Makes room for `extra` more items behind the first n; false: no memory. */
#define GROW(items, capacity, n, extra)                                                            \
	({                                                                                         \
		void *grown_ = intern_grow((items), &(capacity), (n) + (extra), sizeof(*(items))); \
		if (grown_)                                                                        \
			(items) = grown_;                                                          \
		grown_ != NULL;                                                                    \
	})

struct recording *recording_new(void)
{
	struct recording *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->tables = calloc(1, sizeof(*r->tables));
	if (!r->tables) {
		free(r);
		return NULL;
	}
	r->tables->seed = intern_seed();
	if (recording_string(r, "") != 0) {
		recording_free(r);
		return NULL;
	}
	return r;
}

void recording_free(struct recording *r)
{
	struct recording_tables *t;

	if (!r)
		return;
	t = r->tables;
	while (t->chunks) {
		struct chunk *next = t->chunks->next;

		free(t->chunks);
		t->chunks = next;
	}
	free(t->strings);
	free(t->mappings);
	free(t->locations);
	free(t->location_keys);
	free(t->stacks);
	free(t->samples);
	free(t->frames);
	intern_free(&t->string_ids);
	intern_free(&t->mapping_ids);
	intern_free(&t->location_ids);
	intern_free(&t->stack_ids);
	intern_free(&t->sample_ids);
	free(t);
	if (r->baseline)
		free(r->baseline->gaps.list);
	free(r->baseline);
	free(r->gaps.list);
	free(r->intervals);
	latency_free(r->latency);
	irq_free(r->irq);
	free(r);
}

static bool string_equal(const void *owner, uint32_t id, const void *key)
{
	const struct text *have = &((const struct recording_tables *)owner)->strings[id];
	const struct text *want = key;

	return have->n == want->n && !memcmp(have->bytes, want->bytes, want->n);
}

static char *chunk_room(struct recording_tables *t, size_t bytes)
{
	struct chunk *c = t->chunks;

	if (!c || c->used + bytes > CHUNK_BYTES) {
		c = malloc(sizeof(*c));
		if (!c)
			return NULL;
		c->next = t->chunks;
		c->used = 0;
		t->chunks = c;
	}
	return c->bytes + c->used;
}

int recording_string(struct recording *r, const char *s)
{
	struct recording_tables *t = r->tables;
	struct text text = { s, strnlen(s, STRING_BYTES_MAX) };
	uint64_t hash = intern_hash(t->seed, s, text.n);
	int id = intern_find(&t->string_ids, hash, string_equal, t, &text);
	char *copy;

	if (id >= 0)
		return id;
	copy = chunk_room(t, text.n + 1);
	if (!copy || !GROW(t->strings, t->strings_max, t->n_strings, 1) ||
	    intern_add(&t->string_ids, hash, (int)t->n_strings))
		return -ENOMEM;
	memcpy(copy, s, text.n);
	copy[text.n] = '\0';
	t->chunks->used += text.n + 1;
	t->strings[t->n_strings] = (struct text){ copy, text.n };
	return (int)t->n_strings++;
}

const char *recording_str(const struct recording *r, int id)
{
	return r->tables->strings[id].bytes;
}

int recording_gap(struct recording *r, const struct rec_gap *gap)
{
	struct rec_gaps *g = &r->gaps;

	if (!GROW(g->list, g->max, g->n, 1))
		return -ENOMEM;
	g->list[g->n++] = *gap;
	return 0;
}

static int compare_gaps(const void *a, const void *b)
{
	const struct rec_gap *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

int recording_gaps_join(struct rec_gaps *to, const struct rec_gaps *from)
{
	*to = (struct rec_gaps){ .list = malloc((from->n + 1) * sizeof(*to->list)) };
	if (!to->list)
		return -ENOMEM;
	to->max = from->n + 1;
	if (from->n)
		memcpy(to->list, from->list, from->n * sizeof(*to->list));
	qsort(to->list, from->n, sizeof(*to->list), compare_gaps);
	for (size_t i = 0; i < from->n; i++) {
		struct rec_gap *last = to->n ? &to->list[to->n - 1] : NULL, gap = to->list[i];

		if (last && last->cpu == gap.cpu && last->start_ns + last->duration_ns == gap.start_ns)
			last->duration_ns += gap.duration_ns;
		else
			to->list[to->n++] = gap;
	}
	return 0;
}

static bool mapping_equal(const void *owner, uint32_t id, const void *key)
{
	const struct rec_mapping *have = &((const struct recording_tables *)owner)->mappings[id], *want = key;

	return have->name == want->name && have->kind == want->kind && have->dev == want->dev &&
	       have->inode == want->inode && have->changed_ns == want->changed_ns;
}

int recording_mapping(struct recording *r, const struct rec_mapping *m)
{
	struct recording_tables *t = r->tables;
	uint64_t hash = intern_mix(intern_mix(t->seed, (uint64_t)m->name << 8 | m->kind), m->dev);
	int id;

	hash = intern_mix(intern_mix(hash, m->inode), m->changed_ns);
	id = intern_find(&t->mapping_ids, hash, mapping_equal, t, m);
	if (id >= 0)
		return id;
	if (!GROW(t->mappings, t->mappings_max, r->n_mappings, 1))
		return -ENOMEM;
	r->mappings = t->mappings;
	if (intern_add(&t->mapping_ids, hash, (int)r->n_mappings))
		return -ENOMEM;
	t->mappings[r->n_mappings] = *m;
	return (int)r->n_mappings++;
}

void recording_describe(struct recording *r, int mapping, const struct build_id *build_id, uint64_t start,
			uint64_t bytes)
{
	struct rec_mapping *m = &r->tables->mappings[mapping];

	if (build_id)
		m->build_id = *build_id;
	m->start = start;
	m->bytes = bytes;
}

static bool location_equal(const void *owner, uint32_t id, const void *key)
{
	const struct recording_tables *t = owner;
	const struct location_key *have = &t->location_keys[id];
	const struct rec_location *want = key;

	return t->locations[id].address == want->address && have->mapping == want->mapping && have->why == want->why;
}

int recording_location(struct recording *r, int mapping, uint64_t address, enum why why)
{
	struct recording_tables *t = r->tables;
	struct rec_location location = { .mapping = mapping, .address = address, .why = why };
	uint64_t hash = intern_mix(intern_mix(t->seed, address), (uint64_t)mapping << 8 | why);
	int id = intern_find(&t->location_ids, hash, location_equal, t, &location);

	if (id >= 0)
		return id;
	if (!GROW(t->location_keys, t->location_keys_max, r->n_locations, 1) ||
	    !GROW(t->locations, t->locations_max, r->n_locations, 1))
		return -ENOMEM;
	r->locations = t->locations;
	if (intern_add(&t->location_ids, hash, (int)r->n_locations))
		return -ENOMEM;
	t->locations[r->n_locations] = location;
	t->location_keys[r->n_locations] = (struct location_key){ mapping, why };
	return (int)r->n_locations++;
}

void recording_name(struct recording *r, int location, int name, uint64_t offset, enum why why)
{
	struct rec_location *l = &r->tables->locations[location];

	l->name = name;
	l->offset = offset;
	l->why = why;
}

void recording_move(struct recording *r, int location, int mapping)
{
	r->tables->locations[location].mapping = mapping;
}

static bool stack_equal(const void *owner, uint32_t id, const void *key)
{
	const struct recording_tables *t = owner;
	const struct rec_stack *have = &t->stacks[id];
	const struct stack_key *want = key;
	unsigned n = want->kernel_frames + want->user_frames;

	return have->kernel_frames + have->trimmed == (int)want->kernel_frames &&
	       have->user_frames == want->user_frames &&
	       (!n || !memcmp(t->frames + have->first - have->trimmed, want->locations, n * sizeof(*t->frames)));
}

int recording_stack(struct recording *r, const uint32_t *locations, unsigned kernel_frames, unsigned user_frames)
{
	struct recording_tables *t = r->tables;
	struct stack_key key = { locations, kernel_frames, user_frames };
	size_t n = (size_t)kernel_frames + user_frames;
	uint64_t hash;
	int id;

	if (kernel_frames > UINT16_MAX || user_frames > UINT16_MAX)
		return -E2BIG;
	hash = intern_hash(t->seed + kernel_frames, locations, n * sizeof(*locations));
	if (!GROW(t->frames, t->frames_max, t->n_frames, n + 1)) /* + 1: none at all is NULL */
		return -ENOMEM;
	r->frames = t->frames;
	id = intern_find(&t->stack_ids, hash, stack_equal, t, &key);
	if (id >= 0)
		return id;
	if (!GROW(t->stacks, t->stacks_max, r->n_stacks, 1))
		return -ENOMEM;
	r->stacks = t->stacks;
	if (intern_add(&t->stack_ids, hash, (int)r->n_stacks))
		return -ENOMEM;
	t->stacks[r->n_stacks] = (struct rec_stack){ (uint32_t)t->n_frames, (uint16_t)kernel_frames,
						     (uint16_t)user_frames, 0 };
	if (n)
		memcpy(t->frames + t->n_frames, locations, n * sizeof(*locations));
	t->n_frames += n;
	return (int)r->n_stacks++;
}

void recording_trim(struct recording *r, int stack, unsigned frames)
{
	struct rec_stack *s = &r->tables->stacks[stack];
	uint16_t n = (uint16_t)(frames < s->kernel_frames ? frames : s->kernel_frames);

	s->first += n;
	s->kernel_frames = (uint16_t)(s->kernel_frames - n);
	s->trimmed = (uint16_t)(s->trimmed + n);
}

static bool sample_equal(const void *owner, uint32_t id, const void *key)
{
	const struct rec_sample *have = &((const struct recording_tables *)owner)->samples[id], *want = key;

	return have->stack == want->stack && have->labels.tgid == want->labels.tgid &&
	       have->labels.tid == want->labels.tid && have->labels.cpu == want->labels.cpu &&
	       have->labels.comm == want->labels.comm;
}

int recording_add(struct recording *r, const struct rec_sample *s)
{
	struct recording_tables *t = r->tables;
	const struct rec_labels *l = &s->labels;
	uint64_t hash = intern_mix(t->seed, (uint64_t)(unsigned)l->tgid << 32 | (unsigned)l->tid);
	int id;

	hash = intern_mix(hash, (uint64_t)(unsigned)l->comm << 32 | (unsigned)l->cpu);
	hash = intern_mix(hash, (unsigned)s->stack);
	id = intern_find(&t->sample_ids, hash, sample_equal, t, s);
	if (id >= 0) {
		t->samples[id].fires += s->fires;
		t->samples[id].weight += s->weight;
		t->samples[id].base_fires += s->base_fires;
		t->samples[id].base_weight += s->base_weight;
		return 0;
	}
	if (!GROW(t->samples, t->samples_max, r->n_samples, 1))
		return -ENOMEM;
	r->samples = t->samples;
	if (intern_add(&t->sample_ids, hash, (int)r->n_samples))
		return -ENOMEM;
	t->samples[r->n_samples++] = *s;
	return 0;
}

void recording_select(struct recording *r,
		      bool (*keep)(const struct recording *r, const struct rec_sample *s, void *arg), void *arg)
{
	struct rec_sample *samples = r->tables->samples;
	size_t kept = 0;

	for (size_t i = 0; i < r->n_samples; i++) {
		if (keep(r, &samples[i], arg)) {
			samples[kept++] = samples[i];
		} else {
			r->selection.fires += samples[i].fires;
			r->selection.weight += samples[i].weight;
		}
	}
	r->n_samples = kept;
}

int recording_compare(struct recording *r, const struct rec_baseline *baseline)
{
	r->baseline = malloc(sizeof(*r->baseline));
	if (!r->baseline)
		return -ENOMEM;
	*r->baseline = *baseline;
	return 0;
}

uint64_t lost_sum(const struct rec_lost *lost)
{
	uint64_t sum = 0;

	for (int i = 0; i < LOST_CAUSES; i++)
		if (i != LOST_TARGET_FULL)
			sum += lost->by_cause[i];
	return sum;
}

uint64_t recording_lost_sum(const struct recording *r)
{
	return lost_sum(&r->lost);
}

/* Waits, or events with a duration, or where there is none (IPIs) those whose wait is known. */
static uint64_t kept_beside_samples(const struct recording *r)
{
	const struct rec_latency *l = r->latency;
	uint64_t kept = l ? l->counts[WAKE_COUNT_WAKEUPS] + l->counts[WAKE_COUNT_PREEMPTIONS] : 0;

	for (size_t i = 0; r->irq && i < r->irq->n_rows; i++) {
		const struct rec_irq_values *of = r->irq->rows[i].of;

		kept += of[IRQ_RUN].count ? of[IRQ_RUN].count : of[IRQ_WAIT].count;
	}
	return kept;
}

double recording_lost_pct(const struct recording *r)
{
	double lost = (double)recording_lost_sum(r);
	double due = (double)(r->sampling.kept + kept_beside_samples(r)) + lost;

	return due > 0 ? 100 * lost / due : 0;
}

const char *why_name(enum why w)
{
	static const char *const names[WHY_CAUSES] = {
		[WHY_NAMED] = "named",
		[WHY_UNRESOLVED] = "not looked up",
		[WHY_NO_MAPPING] = "no mapping",
		[WHY_PROCESS_GONE] = "process gone",
		[WHY_NO_PERMISSION] = "no permission",
		[WHY_FILE_GONE] = "file gone",
		[WHY_FILE_CHANGED] = "file changed",
		[WHY_NOT_ELF] = "damaged or no ELF",
		[WHY_STRIPPED] = "stripped",
		[WHY_NO_SYMBOL] = "no symbol",
		[WHY_ANON] = "no file",
		[WHY_KPTR_RESTRICT] = "kptr_restrict",
		[WHY_STACK_FAILED] = "stack failed",
		[WHY_TRUNCATED] = "truncated",
	};

	return (unsigned)w < WHY_CAUSES && names[w] ? names[w] : "?";
}

const char *lost_name(enum lost_cause c)
{
	static const char *const names[LOST_CAUSES] = {
		[LOST_MAP_FULL] = "stack map full",   [LOST_MAP_BUSY] = "stack map busy",
		[LOST_MAP_ERROR] = "stack map error", [LOST_COLLISION] = "hash collision",
		[LOST_WAIT] = "no room for a wait",   [LOST_TARGET_FULL] = "target table full",
		[LOST_SKIPPED] = "program busy",
	};

	return (unsigned)c < LOST_CAUSES && names[c] ? names[c] : "?";
}
