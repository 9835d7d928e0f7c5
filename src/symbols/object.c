/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/object.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/intern.h"
#include "symbols/build_id.h"
#include "symbols/open.h"
#include "symbols/vdso.h"

#define OPEN_MAX 1024 /* files held at once: also the disk space of deleted ones */

static struct object *object_new(enum mapping_kind kind, const char *path)
{
	struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->kind = kind;
	object->why = kind == MAPPING_ANON ? WHY_ANON : WHY_NAMED;
	object->fd = -1;
	object->mapping = -1;
	object->path = strdup(path);
	if (!object->path) {
		free(object);
		return NULL;
	}
	return object;
}

static void object_close(struct objects *o, struct object *object)
{
	if (object->fd < 0)
		return;
	close(object->fd);
	object->fd = -1;
	o->n_open--;
}

static void object_free(struct objects *o, struct object *object)
{
	if (!object)
		return;
	object_close(o, object);
	free(object->path);
	free(object->loads);
	free(object);
}

/* Half of what may be open: the rest is for perf events, maps and /proc. */
static unsigned raise_open_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 64;
	if (limit.rlim_cur < 4 * OPEN_MAX && limit.rlim_cur < limit.rlim_max) {
		rlim_t soft = limit.rlim_cur;

		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			limit.rlim_cur = soft;
	}
	return limit.rlim_cur / 2 < OPEN_MAX ? (unsigned)(limit.rlim_cur / 2) : OPEN_MAX;
}

int objects_init(struct objects *o)
{
	memset(o, 0, sizeof(*o));
	o->open_max = raise_open_max();
	o->anon = object_new(MAPPING_ANON, "[anon]");
	o->vsyscall = object_new(MAPPING_ANON, "[vsyscall]");
	if (!o->anon || !o->vsyscall) {
		objects_free(o);
		return -ENOMEM;
	}
	return 0;
}

void objects_free(struct objects *o)
{
	for (size_t i = 0; i < OBJECT_BUCKETS; i++) {
		while (o->buckets[i]) {
			struct object *next = o->buckets[i]->next;

			object_free(o, o->buckets[i]);
			o->buckets[i] = next;
		}
	}
	object_free(o, o->anon);
	object_free(o, o->vsyscall);
	object_free(o, o->vdso);
	o->anon = o->vsyscall = o->vdso = NULL;
}

bool objects_full(const struct objects *o)
{
	return o->n_open >= o->open_max / 4 * 3;
}

static struct object **bucket_of(struct objects *o, uint64_t dev, uint64_t inode)
{
	return &o->buckets[intern_mix(intern_mix(0, dev), inode) % OBJECT_BUCKETS];
}

/* A JIT's memory may have a file without a name, so that it can be mapped twice. */
static bool is_nameless(const char *path)
{
	return !strncmp(path, "/memfd:", 7) || !strncmp(path, "/dev/zero", 9) || !strncmp(path, "/SYSV", 5);
}

static int read_loads(struct object *object)
{
	struct elf_load loads[ELF_LOADS_MAX];
	int n = elf_loads(object->fd, loads);

	if (n < 0)
		return n;
	object->loads = malloc((size_t)n * sizeof(*loads));
	if (!object->loads)
		return -ENOMEM;
	memcpy(object->loads, loads, (size_t)n * sizeof(*loads));
	object->n_loads = (unsigned)n;
	return 0;
}

/* Takes over an open file. 0 or -ENOMEM. */
static int object_hold(struct objects *o, struct object *object, int fd, const struct stat *st)
{
	int err;

	object->fd = fd;
	object->file_bytes = (uint64_t)st->st_size;
	object->changed_ns = open_changed_ns(st);
	object->born_ns = open_born_ns(st);
	object->why = WHY_NAMED;
	o->n_open++;
	err = read_loads(object);
	if (!err)
		return 0;
	object_close(o, object);
	object->why = WHY_NOT_ELF;
	if (is_nameless(object->path)) {
		object->kind = MAPPING_ANON;
		object->why = WHY_ANON;
	}
	return err == -ENOEXEC ? 0 : err;
}

static int object_open(struct objects *o, struct object *object, int tgid, const struct maps_line *m)
{
	struct stat st;
	int fd = -1;

	object->why = WHY_FILE_GONE;
	if (o->n_open < o->open_max)
		fd = open_mapped(tgid, m, &st, &object->why);
	if (fd < 0)
		return 0;
	object->mapping = -1; /* what is known of the file now is part of its identity */
	return object_hold(o, object, fd, &st);
}

/* Another process may reach what this one's mount namespace, or its end, kept from us. */
static bool may_retry(const struct object *object)
{
	return object->why == WHY_FILE_GONE || object->why == WHY_NO_PERMISSION || object->why == WHY_FILE_CHANGED;
}

/*
 * Inodes' numbers are given away again. While a file is held open that cannot happen; but it may be younger
 * than a mapping that is past, and of two mappings whose file could not be had nobody knows whether it was one.
 */
static bool is_object_of(const struct object *object, const struct maps_line *m)
{
	if (object->dev != m->dev || object->inode != m->inode)
		return false;
	if (object->born_ns)
		return !m->mapped_ns || object->born_ns <= m->mapped_ns;
	return object->mapped_ns == m->mapped_ns;
}

static struct object *file_get(struct objects *o, int tgid, const struct maps_line *m)
{
	struct object **bucket = bucket_of(o, m->dev, m->inode), *object;

	for (object = *bucket; object; object = object->next)
		if (is_object_of(object, m))
			break;
	if (!object) {
		object = object_new(MAPPING_FILE, m->path);
		if (!object)
			return NULL;
		object->why = WHY_FILE_GONE;
		object->dev = m->dev;
		object->inode = m->inode;
		object->mapped_ns = m->mapped_ns;
		object->next = *bucket;
		*bucket = object;
	}
	if (may_retry(object) && object_open(o, object, tgid, m))
		return NULL;
	return object;
}

/* The same image for every 64-bit process of a kernel (arch/x86/entry/vdso/vma.c), so our own serves. */
static struct object *vdso_get(struct objects *o)
{
	struct object *object = o->vdso;
	struct stat st;
	int fd;

	if (object)
		return object;
	object = object_new(MAPPING_VDSO, "[vdso]");
	if (!object)
		return NULL;
	object->why = WHY_FILE_GONE;
	o->vdso = object;
	fd = vdso_open();
	if (fd < 0)
		return object;
	if (fstat(fd, &st)) {
		close(fd);
		return object;
	}
	object_hold(o, object, fd, &st);
	object->changed_ns = 0; /* the copy's, which tells nothing */
	return object;
}

struct object *objects_get(struct objects *o, int tgid, const struct maps_line *m)
{
	struct object *object = o->anon;

	if (m->inode)
		object = file_get(o, tgid, m);
	else if (!strcmp(m->path, "[vdso]") && (sizeof(void *) == 4 || m->start > UINT32_MAX))
		object = vdso_get(o); /* a 32-bit process has an image of its own */
	else if (!strcmp(m->path, "[vsyscall]"))
		object = o->vsyscall;
	if (object)
		object->users++;
	return object;
}

static bool is_unused(const struct object *object)
{
	return !object->users && !object->pending;
}

void objects_put(struct objects *o, struct object *object)
{
	struct object **at;

	object->users--;
	if (!is_unused(object) || !object->inode)
		return;
	for (at = bucket_of(o, object->dev, object->inode); *at != object;)
		at = &(*at)->next;
	*at = object->next;
	object_free(o, object);
}

void objects_collect(struct objects *o)
{
	for (size_t i = 0; i < OBJECT_BUCKETS; i++) {
		struct object **at = &o->buckets[i], *object;

		while ((object = *at)) {
			if (is_unused(object)) {
				*at = object->next;
				object_free(o, object);
			} else {
				at = &object->next;
			}
		}
	}
}

void objects_each(struct objects *o, void (*fn)(struct object *object, void *ctx), void *ctx)
{
	for (size_t i = 0; i < OBJECT_BUCKETS; i++)
		for (struct object *object = o->buckets[i]; object; object = object->next)
			fn(object, ctx);
	fn(o->anon, ctx);
	fn(o->vsyscall, ctx);
	if (o->vdso)
		fn(o->vdso, ctx);
}

int object_mapping(struct object *object, struct recording *r)
{
	bool has_file = object->kind == MAPPING_FILE;
	struct rec_mapping m = { .kind = object->kind };

	if (object->mapping >= 0)
		return object->mapping;
	/* Memory of a JIT is one object to a reader, with or without a file behind it. */
	m.name = recording_string(r, object->kind == MAPPING_ANON && object->inode ? "[anon]" : object->path);
	if (m.name < 0)
		return m.name;
	m.dev = has_file ? object->dev : 0;
	m.inode = has_file ? object->inode : 0;
	m.changed_ns = has_file ? object->changed_ns : 0;
	object->mapping = recording_mapping(r, &m);
	if (object->mapping >= 0 && object->fd >= 0) {
		struct build_id id;

		build_id_of_file(object->fd, &id);
		recording_describe(r, object->mapping, &id, 0, object->file_bytes);
	}
	return object->mapping;
}

enum why object_check(const struct object *object)
{
	struct stat st;

	if (object->why != WHY_NAMED)
		return object->why;
	if (object->fd < 0 || fstat(object->fd, &st))
		return WHY_FILE_GONE;
	if (object->kind == MAPPING_FILE &&
	    ((uint64_t)st.st_size != object->file_bytes || open_changed_ns(&st) != object->changed_ns))
		return WHY_FILE_CHANGED;
	return WHY_NAMED;
}
