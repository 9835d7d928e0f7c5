/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/demangle.h"
#include "symbols/kallsyms.h"
#include "symbols/own_frames.h"

#define RAW_BYTES 4097 /* longest name of elf.c, and NUL */

/* Gives names to locations; neighbours often share one. */
struct namer {
	struct recording *r;
	int last; /* string of the name in `raw`, -1: none */
	char raw[RAW_BYTES];
	char demangled[DEMANGLE_BYTES];
};

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

static int name_location(void *ctx, uint32_t id, const struct found *f)
{
	struct namer *n = ctx;
	int name = f->name ? name_string(n, f->name) : 0;

	if (name < 0)
		return name;
	recording_name(n->r, (int)id, name, f->offset, f->why);
	return 0;
}

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
	return name_location(ctx, id, f);
}

static bool is_file(enum mapping_kind kind)
{
	return kind == MAPPING_FILE || kind == MAPPING_VDSO;
}

static bool is_kernel(enum mapping_kind kind)
{
	return kind == MAPPING_KERNEL;
}

/* Ids of the locations without a name in mappings of a kind, sorted by mapping and address. */
struct unnamed {
	struct wanted *list;
	size_t n;
};

static int compare_unnamed(const void *a, const void *b, void *ctx)
{
	const struct recording *r = ctx;
	const struct wanted *x = a, *y = b;
	int mx = r->locations[x->id].mapping, my = r->locations[y->id].mapping;

	if (mx != my)
		return mx < my ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int find_unnamed(struct unnamed *u, struct recording *r, bool (*takes)(enum mapping_kind))
{
	u->n = 0;
	u->list = malloc((r->n_locations + 1) * sizeof(*u->list));
	if (!u->list)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_locations; i++) {
		const struct rec_location *l = &r->locations[i];

		if (l->why == WHY_UNRESOLVED && takes(r->mappings[l->mapping].kind))
			u->list[u->n++] = (struct wanted){ l->address, (uint32_t)i };
	}
	qsort_r(u->list, u->n, sizeof(*u->list), compare_unnamed, r);
	return 0;
}

static int fail_all(const struct wanted *w, size_t n, found_fn *fn, void *ctx, enum why why)
{
	struct found f = { .why = why };
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = fn(ctx, w[i].id, &f);
	return err;
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
		return fail_all(w, n, name_location, namer, why);
	return elf_symbols(object->fd, w, n, name_location, namer);
}

int resolve_files(struct objects *objects, struct recording *r)
{
	struct by_mapping by = { calloc(r->n_mappings + 1, sizeof(void *)), r->n_mappings };
	struct namer namer = { .r = r, .last = -1 };
	struct unnamed u = { 0 };
	int err = by.list ? find_unnamed(&u, r, is_file) : -ENOMEM;

	if (!err)
		objects_each(objects, add_by_mapping, &by);
	for (size_t i = 0, next; i < u.n && !err; i = next) {
		int mapping = r->locations[u.list[i].id].mapping;

		for (next = i; next < u.n && r->locations[u.list[next].id].mapping == mapping;)
			next++;
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

static int name_kernel(struct recording *r, const struct unnamed *u)
{
	struct namer namer = { .r = r, .last = -1 };
	int fd, err;

	if (!u->n)
		return 0;
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : kallsyms_symbols(fd, u->list, u->n, read_ranges, name_kernel_location, &namer);
	if (fd >= 0)
		close(fd);
	if (!err || err == -ENOMEM)
		return err;
	return fail_all(u->list, u->n, name_location, &namer,
			err == -EACCES || err == -EPERM ? WHY_NO_PERMISSION : WHY_FILE_GONE);
}

int resolve_kernel(struct resolver *resolver, struct recording *r)
{
	struct unnamed u = { 0 };
	int err = find_unnamed(&u, r, is_kernel);

	if (!err)
		err = name_kernel(r, &u);
	free(u.list);
	for (; !err && resolver->stacks_trimmed < r->n_stacks; resolver->stacks_trimmed++) {
		const struct rec_stack *stack = &r->stacks[resolver->stacks_trimmed];
		unsigned own = own_frames(r, stack);

		if (own)
			recording_trim(r, (int)resolver->stacks_trimmed, own);
	}
	return err;
}
