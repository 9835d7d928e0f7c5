/* SPDX-License-Identifier: GPL-2.0-only */
#include "tools/compare.h"

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* One side on its way into the common recording. */
struct transfer {
	const struct recording *from;
	struct recording *to;
	bool is_before;
	int *mappings;	  /* by id in `from`: id in `to` */
	int *locations;	  /* likewise */
	uint32_t *frames; /* of the stack in work */
};

static int add_mapping(struct transfer *t, const struct rec_mapping *m)
{
	const char *name = recording_str(t->from, m->name), *slash = strrchr(name, '/');
	struct rec_mapping mapping = { .kind = m->kind };

	mapping.name = recording_string(t->to, slash && slash[1] ? slash + 1 : name);
	return mapping.name < 0 ? mapping.name : recording_mapping(t->to, &mapping);
}

/* Addresses of two builds say nothing to each other: the name takes the place of a function's. */
static int add_location(struct transfer *t, const struct rec_location *l)
{
	int mapping = t->mappings[l->mapping], name, id;

	if (l->why != WHY_NAMED)
		return recording_location(t->to, mapping, 0, l->why);
	name = recording_string(t->to, recording_str(t->from, l->name));
	if (name < 0)
		return name;
	id = recording_location(t->to, mapping, (uint64_t)name, WHY_UNRESOLVED);
	if (id >= 0)
		recording_name(t->to, id, name, 0, WHY_NAMED);
	return id;
}

static int add_names(struct transfer *t)
{
	t->mappings = calloc(t->from->n_mappings + 1, sizeof(*t->mappings));
	t->locations = calloc(t->from->n_locations + 1, sizeof(*t->locations));
	t->frames = malloc(2 * UINT16_MAX * sizeof(*t->frames));
	if (!t->mappings || !t->locations || !t->frames)
		return -ENOMEM;
	for (size_t i = 0; i < t->from->n_mappings; i++)
		if ((t->mappings[i] = add_mapping(t, &t->from->mappings[i])) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < t->from->n_locations; i++)
		if ((t->locations[i] = add_location(t, &t->from->locations[i])) < 0)
			return -ENOMEM;
	return 0;
}

static int add_stack(struct transfer *t, const struct rec_stack *stack)
{
	unsigned n = stack->kernel_frames + (unsigned)stack->user_frames;

	for (unsigned i = 0; i < n; i++)
		t->frames[i] = (uint32_t)t->locations[t->from->frames[stack->first + i]];
	return recording_stack(t->to, t->frames, stack->kernel_frames, stack->user_frames);
}

static int add_sample(struct transfer *t, const struct rec_sample *from)
{
	struct rec_sample s = { .labels.cpu = -1 };

	s.stack = add_stack(t, &t->from->stacks[from->stack]);
	if (s.stack < 0)
		return s.stack;
	s.labels.comm = recording_string(t->to, recording_str(t->from, from->labels.comm));
	if (s.labels.comm < 0)
		return s.labels.comm;
	if (t->is_before) {
		s.base_fires = from->fires;
		s.base_weight = from->weight;
	} else {
		s.fires = from->fires;
		s.weight = from->weight;
	}
	return recording_add(t->to, &s);
}

static int transfer(const struct recording *from, struct recording *to, bool is_before)
{
	struct transfer t = { .from = from, .to = to, .is_before = is_before };
	int err = add_names(&t);

	for (size_t i = 0; i < from->n_samples && !err; i++)
		err = add_sample(&t, &from->samples[i]);
	free(t.mappings);
	free(t.locations);
	free(t.frames);
	return err;
}

static int check(const struct recording *before, const struct recording *after)
{
	if (!strcmp(before->sampling.event, after->sampling.event))
		return 0;
	warnx("the one sampled %s, the other %s: they cannot be compared", before->sampling.event,
	      after->sampling.event);
	return -EINVAL;
}

static int add_baseline(struct recording *r, const struct recording *before, bool by_time)
{
	struct rec_baseline baseline = { .meta = before->meta,
					 .sampling = before->sampling,
					 .lost = before->lost,
					 .selection = before->selection,
					 .by_time = by_time };
	int err = recording_gaps_join(&baseline.gaps, &before->gaps);

	if (!err)
		err = recording_compare(r, &baseline);
	if (err)
		free(baseline.gaps.list);
	return err;
}

int compare_recordings(const struct recording *before, const struct recording *after, bool by_time,
		       struct recording **out)
{
	struct recording *r;
	int err = check(before, after);

	if (err)
		return err;
	r = recording_new();
	if (!r)
		return -ENOMEM;
	r->meta = after->meta;
	r->sampling = after->sampling;
	r->cost = after->cost;
	r->lost = after->lost;
	r->selection = after->selection;
	err = recording_gaps_join(&r->gaps, &after->gaps);
	if (!err)
		err = add_baseline(r, before, by_time);
	if (!err)
		err = transfer(before, r, true);
	if (!err)
		err = transfer(after, r, false);
	if (err) {
		recording_free(r);
		return err;
	}
	*out = r;
	return 0;
}
