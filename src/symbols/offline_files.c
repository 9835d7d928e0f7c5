/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/latency.h"
#include "symbols/build_id.h"
#include "symbols/debug_file.h"
#include "symbols/elf.h"
#include "symbols/elf_file.h"
#include "symbols/namer.h"
#include "symbols/offline_parts.h"
#include "symbols/root.h"

#define DEBUG_DIR	"/usr/lib/debug"
#define ID_SHOWN_DIGITS 12 /* in messages */

struct files {
	struct recording *r;
	bool is_symfs; /* else the root is this machine's own, of which nothing is told */
	char root_name[PATH_MAX];
	char debug_dir[PATH_MAX];
	struct debug_places places;
	struct offline_tell *tell, silence;
	struct namer namer;
};

static const char *path_of(const struct files *f, const struct rec_mapping *m, char path[PATH_MAX])
{
	static const char mark[] = " (deleted)"; /* by the time of the recording: here it may be there */
	size_t n = (size_t)snprintf(path, PATH_MAX, "%s", recording_str(f->r, m->name));

	if (n < PATH_MAX && n >= sizeof(mark) && !strcmp(path + n - (sizeof(mark) - 1), mark))
		path[n - (sizeof(mark) - 1)] = '\0';
	return path;
}

static struct offline_tell *tell_of(struct files *f)
{
	return f->is_symfs ? f->tell : &f->silence;
}

/* Has neither a build-id: then the size must do, where the user said which file to take. */
static bool is_of_size(struct files *f, const struct rec_mapping *m, int fd, const char *path)
{
	uint64_t bytes = elf_file_bytes(fd);

	if (!f->is_symfs)
		return false;
	if (!m->bytes)
		offline_tell(f->tell, "%s%s: the recording tells neither build-id nor size of it: not used",
			     f->root_name, path);
	else if (bytes != m->bytes)
		offline_tell(f->tell, "%s%s: another build (%llu bytes, recorded %llu): not used", f->root_name, path,
			     (unsigned long long)bytes, (unsigned long long)m->bytes);
	else
		offline_tell(f->tell, "%s%s: without build-id, used unverified (only its size is the one recorded)",
			     f->root_name, path);
	return m->bytes && bytes == m->bytes;
}

static bool is_recorded_build(struct files *f, const struct rec_mapping *m, int fd, const char *path)
{
	char have[BUILD_ID_TEXT_BYTES], want[BUILD_ID_TEXT_BYTES];
	struct build_id id;

	build_id_of_file(fd, &id);
	if (!id.n && !m->build_id.n)
		return is_of_size(f, m, fd, path);
	if (build_id_equal(&id, &m->build_id))
		return true;
	offline_tell(tell_of(f), "%s%s: another build (build-id %.*s%s, recorded %.*s%s): not used", f->root_name, path,
		     ID_SHOWN_DIGITS, id.n ? build_id_text(&id, have) : "none", id.n ? ".." : "", ID_SHOWN_DIGITS,
		     m->build_id.n ? build_id_text(&m->build_id, want) : "none", m->build_id.n ? ".." : "");
	return false;
}

static enum why why_of_open(int err)
{
	return err == -EACCES || err == -EPERM ? WHY_NO_PERMISSION : WHY_FILE_GONE;
}

/* A descriptor of the very build that was recorded, or -1 and *why. */
static int open_object(struct files *f, const struct rec_mapping *m, const char *path, enum why *why)
{
	int fd = path[0] == '/' ? root_file(f->places.root, path) : -ENOENT;

	if (fd < 0) {
		offline_tell(tell_of(f), "%s%s: %s: not used", f->root_name, path, root_error(fd));
		*why = why_of_open(fd);
		return -1;
	}
	if (is_recorded_build(f, m, fd, path))
		return fd;
	*why = WHY_FILE_CHANGED;
	close(fd);
	return -1;
}

/* Found names are given; where nothing is found, what is known already stays. */
static int name_found(void *ctx, uint32_t id, const struct found *found)
{
	struct files *f = ctx;

	return found->name ? namer_name(&f->namer, id, found) : 0;
}

/* Leaves those in the list that still have no name. */
static size_t keep_unnamed(const struct recording *r, struct wanted *w, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (r->locations[w[i].id].why != WHY_NAMED)
			w[kept++] = w[i];
	return kept;
}

/*
 * Can a file of the same build tell more? Not where .symtab was there and has no such function; such
 * a location may also be outside of all segments, so that its address is none of the file's.
 */
static bool is_open_question(const struct files *f, enum why why)
{
	if (why == WHY_FILE_CHANGED) /* here the changed file is all there is */
		return f->is_symfs;
	return why == WHY_UNRESOLVED || why == WHY_FILE_GONE || why == WHY_NO_PERMISSION || why == WHY_STRIPPED ||
	       why == WHY_NOT_ELF;
}

static size_t keep_questions(const struct files *f, struct wanted *w, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (is_open_question(f, f->r->locations[w[i].id].why))
			w[kept++] = w[i];
	return kept;
}

/* The debug file's .symtab first; what it lacks may be in the object's .dynsym. */
static int look_up(struct files *f, int object, int debug, struct wanted *w, size_t n)
{
	int err = 0;

	if (debug >= 0) {
		err = elf_symbols(debug, w, n, namer_name, &f->namer);
		n = keep_unnamed(f->r, w, n);
	}
	if (!err && object >= 0)
		err = elf_symbols(object, w, n, debug >= 0 ? name_found : namer_name,
				  debug >= 0 ? (void *)f : (void *)&f->namer);
	return err;
}

static int name_mapping(struct files *f, int mapping, struct wanted *w, size_t n)
{
	const struct rec_mapping *m = &f->r->mappings[mapping];
	enum why why = WHY_FILE_GONE;
	char path[PATH_MAX];
	int object, debug = -1, err = 0;

	n = f->is_symfs ? n : keep_questions(f, w, n);
	if (!n || (!f->is_symfs && !m->build_id.n))
		return 0;
	object = open_object(f, m, path_of(f, m, path), &why);
	n = keep_questions(f, w, n);
	if (n && (object < 0 || elf_has_symtab(object) != 1))
		debug = debug_file_find(&f->places, object, path, &m->build_id);
	if (object >= 0 || debug >= 0)
		err = look_up(f, object, debug, w, n);
	else if (f->is_symfs)
		err = namer_fail(w, n, namer_name, &f->namer, why);
	if (object >= 0)
		close(object);
	if (debug >= 0)
		close(debug);
	return err;
}

/* The stacks of latencies' cases. */
static void mark_cases(bool *stacks, const struct rec_latency *l)
{
	for (size_t i = 0; l && i < l->n_cases; i++) {
		const int of_case[] = { l->cases[i].waker_stack, l->cases[i].out_stack, l->cases[i].user_stack };

		for (size_t k = 0; k < sizeof(of_case) / sizeof(of_case[0]); k++)
			if (of_case[k] >= 0)
				stacks[of_case[k]] = true;
	}
}

/* Which locations do samples and cases come from? NULL: no memory. */
static bool *find_used(const struct recording *r)
{
	bool *stacks = calloc(r->n_stacks + 1, sizeof(*stacks));
	bool *locations = calloc(r->n_locations + 1, sizeof(*locations));

	for (size_t i = 0; stacks && i < r->n_samples; i++)
		stacks[r->samples[i].stack] = true;
	if (stacks)
		mark_cases(stacks, r->latency);
	for (size_t i = 0; stacks && locations && i < r->n_stacks; i++) {
		const struct rec_stack *s = &r->stacks[i];

		for (unsigned j = 0; stacks[i] && j < (unsigned)s->kernel_frames + s->user_frames; j++)
			locations[r->frames[s->first + j]] = true;
	}
	if (!stacks) {
		free(locations);
		locations = NULL;
	}
	free(stacks);
	return locations;
}

static bool is_used_in_file(const struct recording *r, const struct rec_location *l, const void *arg)
{
	const bool *used = arg;

	return used[l - r->locations] && r->mappings[l->mapping].kind == MAPPING_FILE;
}

static int name_all(struct files *f)
{
	bool *used = find_used(f->r);
	struct located found = { 0 };
	int err = used ? namer_find(&found, f->r, is_used_in_file, used) : -ENOMEM;

	for (size_t i = 0, next; i < found.n && !err; i = next) {
		next = namer_next_mapping(&found, f->r, i);
		err = name_mapping(f, f->r->locations[found.list[i].id].mapping, found.list + i, next - i);
	}
	free(found.list);
	free(used);
	return err;
}

/* 0 or -ENOENT after a message. */
static int open_root(struct files *f, const struct offline_options *o)
{
	size_t n;

	f->places.root = root_open(o->symfs ? o->symfs : "/");
	if (f->places.root < 0) {
		offline_fail("--symfs %s: %s", o->symfs ? o->symfs : "/", root_error(f->places.root));
		return -ENOENT;
	}
	n = (size_t)snprintf(f->root_name, sizeof(f->root_name), "%s", o->symfs ? o->symfs : "");
	while (n && n < sizeof(f->root_name) && f->root_name[n - 1] == '/')
		f->root_name[--n] = '\0';
	return 0;
}

/*
 * A directory that the user named is his own: links in it may lead anywhere on this machine, as they
 * do from .build-id on Fedora; what they lead to must be of the same build all the same.
 */
static int open_debug_dir(struct files *f, const struct offline_options *o)
{
	int fd;

	f->places.dir = DEBUG_DIR;
	f->places.dir_name = f->root_name;
	f->places.dir_root = f->places.root;
	if (!o->debug_dir)
		return 0;
	fd = root_open(o->debug_dir);
	if (fd < 0 || !realpath(o->debug_dir, f->debug_dir)) {
		offline_fail("--debug-dir %s: %s", o->debug_dir, fd < 0 ? root_error(fd) : strerror(errno));
		if (fd >= 0)
			close(fd);
		return -ENOENT;
	}
	close(fd);
	f->places.dir = f->debug_dir;
	f->places.dir_name = "";
	f->places.dir_root = root_open("/");
	return 0;
}

int offline_files(struct recording *r, const struct offline_options *o, struct offline_tell *tell)
{
	struct files *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->r = r;
	f->is_symfs = o->symfs != NULL;
	f->tell = tell;
	f->silence.quiet = true;
	f->places.root_name = f->root_name;
	f->places.tell = o->symfs || o->debug_dir ? tell : &f->silence;
	f->places.dir_root = -1;
	namer_init(&f->namer, r);
	err = open_root(f, o);
	if (!err)
		err = open_debug_dir(f, o);
	if (!err)
		err = name_all(f);
	if (f->places.dir_root >= 0 && f->places.dir_root != f->places.root)
		close(f->places.dir_root);
	if (f->places.root >= 0)
		close(f->places.root);
	free(f);
	return err;
}
