/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/kallsyms.h"
#include "symbols/kernel_facts.h"
#include "symbols/namer.h"
#include "symbols/own_frames.h"

/* Kernel addresses prove only now to be of a module or a BPF program. */
static int name_kernel_location(void *ctx, uint32_t id, const struct found *f)
{
	struct namer *n = ctx;
	struct rec_mapping m = { .kind = MAPPING_MODULE };
	int mapping;

	if (f->module) {
		bool is_bpf = !strcmp(f->module, "bpf");

		if (is_bpf)
			m.kind = MAPPING_BPF;
		m.name = recording_string(n->r, is_bpf ? "[bpf]" : f->module);
		mapping = m.name < 0 ? m.name : recording_mapping(n->r, &m);
		if (mapping < 0)
			return mapping;
		recording_move(n->r, (int)id, mapping);
	}
	return namer_name(ctx, id, f);
}

static bool is_unnamed_in_file(const struct recording *r, const struct rec_location *l, const void *arg)
{
	enum mapping_kind kind = r->mappings[l->mapping].kind;

	(void)arg;
	return l->why == WHY_UNRESOLVED && (kind == MAPPING_FILE || kind == MAPPING_VDSO);
}

static bool is_unnamed_in_kernel(const struct recording *r, const struct rec_location *l, const void *arg)
{
	(void)arg;
	return l->why == WHY_UNRESOLVED && r->mappings[l->mapping].kind == MAPPING_KERNEL;
}

struct by_mapping {
	struct object **list; /* by mapping id; NULL where an object is not known */
	size_t n;
};

static void add_by_mapping(struct object *object, void *ctx)
{
	struct by_mapping *by = ctx;

	object->pending = false;
	if (object->mapping >= 0 && (size_t)object->mapping < by->n)
		by->list[object->mapping] = object;
}

static int resolve_object(const struct object *object, const struct wanted *w, size_t n, struct namer *namer)
{
	enum why why = object ? object_check(object) : WHY_FILE_GONE;

	if (why != WHY_NAMED)
		return namer_fail(w, n, namer_name, namer, why);
	return elf_symbols(object->fd, w, n, namer_name, namer);
}

int resolve_files(struct objects *objects, struct recording *r)
{
	struct by_mapping by = { calloc(r->n_mappings + 1, sizeof(void *)), r->n_mappings };
	struct located u = { 0 };
	struct namer namer;
	int err = by.list ? namer_find(&u, r, is_unnamed_in_file, NULL) : -ENOMEM;

	namer_init(&namer, r);
	if (!err)
		objects_each(objects, add_by_mapping, &by);
	for (size_t i = 0, next; i < u.n && !err; i = next) {
		int mapping = r->locations[u.list[i].id].mapping;

		next = namer_next_mapping(&u, r, i);
		err = resolve_object(by.list[mapping], u.list + i, next - i, &namer);
	}
	free(u.list);
	free(by.list);
	return err;
}

static int read_ranges(struct code_ranges *ranges)
{
	int fd = open("/proc/modules", O_RDONLY | O_CLOEXEC);
	int err = 0;

	if (fd >= 0) {
		err = kallsyms_modules(fd, ranges);
		close(fd);
	}
	return err == -ENOMEM ? err : kallsyms_bpf(ranges);
}

static int name_kernel(struct recording *r, const struct located *u)
{
	struct namer namer;
	int fd, err;

	if (!u->n)
		return 0;
	namer_init(&namer, r);
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : kallsyms_symbols(fd, u->list, u->n, read_ranges, name_kernel_location, &namer);
	if (fd >= 0)
		close(fd);
	if (!err || err == -ENOMEM)
		return err;
	return namer_fail(u->list, u->n, namer_name, &namer,
			  err == -EACCES || err == -EPERM ? WHY_NO_PERMISSION : WHY_FILE_GONE);
}

int resolve_kernel(struct resolver *resolver, struct recording *r)
{
	struct located u = { 0 };
	int err = namer_find(&u, r, is_unnamed_in_kernel, NULL);

	if (!err)
		err = name_kernel(r, &u);
	free(u.list);
	if (!err && resolver->mappings_described < r->n_mappings)
		err = kernel_facts(r, resolver->mappings_described);
	resolver->mappings_described = r->n_mappings;
	for (; !err && resolver->stacks_trimmed < r->n_stacks; resolver->stacks_trimmed++) {
		const struct rec_stack *stack = &r->stacks[resolver->stacks_trimmed];
		unsigned own = own_frames(r, stack);

		if (own)
			recording_trim(r, (int)resolver->stacks_trimmed, own);
	}
	return err;
}
