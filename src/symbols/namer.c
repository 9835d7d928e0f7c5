/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/namer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void namer_init(struct namer *n, struct recording *r)
{
	n->r = r;
	n->last = -1;
}

/* String id or -ENOMEM. */
static int name_string(struct namer *n, const char *name)
{
	if (n->last >= 0 && !strcmp(n->raw, name))
		return n->last;
	n->last = recording_string(n->r, demangle(name, n->demangled) ? n->demangled : name);
	if (strlen(name) < sizeof(n->raw))
		strcpy(n->raw, name);
	else
		n->raw[0] = '\0';
	return n->last;
}

int namer_name(void *ctx, uint32_t id, const struct found *f)
{
	struct namer *n = ctx;
	int name = f->name ? name_string(n, f->name) : 0;

	if (name < 0)
		return name;
	recording_name(n->r, (int)id, name, f->offset, f->why);
	return 0;
}

int namer_fail(const struct wanted *w, size_t n, found_fn *fn, void *ctx, enum why why)
{
	struct found f = { .why = why };
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = fn(ctx, w[i].id, &f);
	return err;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct recording *r = ctx;
	const struct wanted *x = a, *y = b;
	int mx = r->locations[x->id].mapping, my = r->locations[y->id].mapping;

	if (mx != my)
		return mx < my ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

int namer_find(struct located *found, struct recording *r,
	       bool (*takes)(const struct recording *r, const struct rec_location *l, const void *arg), const void *arg)
{
	found->n = 0;
	found->list = malloc((r->n_locations + 1) * sizeof(*found->list));
	if (!found->list)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_locations; i++)
		if (takes(r, &r->locations[i], arg))
			found->list[found->n++] = (struct wanted){ r->locations[i].address, (uint32_t)i };
	qsort_r(found->list, found->n, sizeof(*found->list), compare, r);
	return 0;
}

size_t namer_next_mapping(const struct located *found, const struct recording *r, size_t first)
{
	int mapping = r->locations[found->list[first].id].mapping;
	size_t next = first;

	while (next < found->n && r->locations[found->list[next].id].mapping == mapping)
		next++;
	return next;
}
