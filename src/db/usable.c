/* SPDX-License-Identifier: GPL-2.0-only */
/* Which names and stacks may be used: those whose row is there and right, and all that it refers to. */
#include "db/loader.h"

static bool brought_whole(const struct tables *t, const struct row *row)
{
	return row && !t->parts[row->interval].bad_names;
}

bool usable_string(const struct tables *t, int id)
{
	return brought_whole(t, rows_find(&t->strings, (uint64_t)id));
}

static bool mapping_is_usable(const struct tables *t, int id)
{
	struct mapping_row *m = rows_find(&t->mappings, (uint64_t)id);

	return m && brought_whole(t, &m->row) && usable_string(t, m->m.name);
}

static bool location_is_usable(const struct tables *t, uint32_t id)
{
	struct location_row *l = rows_find(&t->locations, id);

	if (!l)
		return false;
	if (l->row.usable == USABLE_UNKNOWN)
		l->row.usable = brought_whole(t, &l->row) && mapping_is_usable(t, l->l.mapping) &&
						usable_string(t, l->l.name)
					? USABLE_YES
					: USABLE_NO;
	return l->row.usable == USABLE_YES;
}

static bool frames_are_usable(const struct tables *t, const struct stack_row *s)
{
	for (uint64_t i = s->first; i < s->first + s->kernel_frames + s->user_frames; i++)
		if (!location_is_usable(t, t->frames[i]))
			return false;
	return true;
}

bool usable_stack(const struct tables *t, uint32_t id)
{
	struct stack_row *s = rows_find(&t->stacks, id);

	if (!s)
		return false;
	if (s->row.usable == USABLE_UNKNOWN)
		s->row.usable = brought_whole(t, &s->row) && frames_are_usable(t, s) ? USABLE_YES : USABLE_NO;
	return s->row.usable == USABLE_YES;
}

bool usable_labels(const struct tables *t, uint32_t id)
{
	struct label_row *l = rows_find(&t->labels, id);

	if (!l)
		return false;
	if (l->row.usable == USABLE_UNKNOWN)
		l->row.usable = brought_whole(t, &l->row) && usable_string(t, l->l.comm) ? USABLE_YES : USABLE_NO;
	return l->row.usable == USABLE_YES;
}
