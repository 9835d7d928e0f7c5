/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/build_id.h"
#include "symbols/elf.h"
#include "symbols/elf_file.h"
#include "symbols/kallsyms.h"
#include "symbols/namer.h"
#include "symbols/offline_parts.h"
#include "symbols/packed_kernel.h"
#include "symbols/root.h"

#define KALLSYMS_BYTES_MAX (256u << 20) /* of a kernel with all debug options 20 MB */
#define ID_SHOWN_DIGITS	   12		/* in messages */

/* A file with the kernel's symbols, at the addresses it was linked to or, of kallsyms, once ran at. */
struct source {
	const char *option, *path; /* as the user named it */
	int fd;
	bool is_kallsyms;
	uint64_t stext; /* 0: not looked up yet */
	bool told;	/* that it could not be verified */
};

struct kernel {
	struct recording *r;
	struct offline_tell *tell;
	struct namer namer;
	struct source *source;
	bool is_verified; /* the source is of the recorded build */
	/* Of the functions that the recording names, those that begin in the source where they should. */
	size_t agree, differ;
};

static int source_open(struct source *s)
{
	s->fd = root_plain_file(s->path);
	if (s->fd >= 0)
		return 0;
	offline_fail("%s %s: %s", s->option, s->path, root_error(s->fd));
	return s->fd == -EMEDIUMTYPE ? -ENOEXEC : -ENOENT;
}

static int unusable(const struct source *s, const char *why)
{
	offline_fail("%s %s: %s", s->option, s->path, why);
	return -ENOEXEC;
}

static int check_vmlinux(struct source *s)
{
	const char *packing = packed_kernel(s->fd);
	int symtab;

	if (packing) {
		offline_fail("%s %s: %s", s->option, s->path, packing);
		return -ENOEXEC;
	}
	symtab = elf_has_symtab(s->fd);
	if (symtab < 0)
		return unusable(s, "damaged, or no kernel in ELF format");
	if (!symtab)
		return unusable(s, "it has no symbol table (needs the vmlinux of the build's folder or of the "
				   "distribution's debug package; or --kallsyms System.map)");
	if (elf_symbol_address(s->fd, "_stext", &s->stext) || !s->stext)
		return unusable(s, "no kernel: it has no symbol _stext");
	return 0;
}

static int check_kallsyms(struct source *s)
{
	int err;

	if (elf_file_bytes(s->fd) > KALLSYMS_BYTES_MAX)
		return unusable(s, "too large to be a copy of /proc/kallsyms or a System.map");
	err = kallsyms_stext(s->fd, &s->stext);
	if (err)
		return unusable(s, "no copy of /proc/kallsyms and no System.map: it has no line for _stext (Debian's "
				   "System.map is a stub: the real one is in the kernel's -dbg package)");
	if (!s->stext)
		return unusable(s, "all addresses in it are 0 (copy /proc/kallsyms as root, and name the copy)");
	return 0;
}

/* 0 or -ESTALE after a message. */
static int check_build(struct kernel *k, const struct rec_mapping *m)
{
	char have[BUILD_ID_TEXT_BYTES], want[BUILD_ID_TEXT_BYTES];
	struct source *s = k->source;
	struct build_id id;

	k->is_verified = false;
	if (s->is_kallsyms || !m->build_id.n)
		return 0;
	build_id_of_file(s->fd, &id);
	k->is_verified = build_id_equal(&id, &m->build_id);
	if (k->is_verified)
		return 0;
	offline_fail("%s %s: another build of the kernel (build-id %.*s%s, recorded %.*s..)", s->option, s->path,
		     ID_SHOWN_DIGITS, id.n ? build_id_text(&id, have) : "none", id.n ? ".." : "", ID_SHOWN_DIGITS,
		     build_id_text(&m->build_id, want));
	return -ESTALE;
}

static int count_agreement(void *ctx, uint32_t id, const struct found *f)
{
	struct kernel *k = ctx;
	const struct rec_location *l = &k->r->locations[id];

	if (l->why != WHY_NAMED || !f->name || f->module)
		return 0;
	if (l->offset == f->offset)
		k->agree++;
	else
		k->differ++;
	return 0;
}

/* What the source does not know, or is in doubt of, keeps its recorded name. */
static int rename_location(void *ctx, uint32_t id, const struct found *f)
{
	struct kernel *k = ctx;
	const struct rec_location *l = &k->r->locations[id];
	const struct rec_mapping *m = &k->r->mappings[l->mapping];
	bool is_module = m->kind == MAPPING_MODULE;

	if (is_module && (l->why == WHY_NAMED || !f->module || strcmp(recording_str(k->r, m->name), f->module) != 0))
		return 0;
	if (!k->is_verified && l->why == WHY_NAMED && l->offset != f->offset)
		return 0;
	if (f->name && !f->module == !is_module)
		return namer_name(&k->namer, id, f);
	if (l->why != WHY_NAMED && !is_module)
		recording_name(k->r, (int)id, 0, 0, WHY_NO_SYMBOL);
	return 0;
}

static int look_up(const struct kernel *k, const struct wanted *w, size_t n, found_fn *fn)
{
	const struct source *s = k->source;

	if (!s->is_kallsyms)
		return elf_symbols(s->fd, w, n, fn, (void *)k);
	if (lseek(s->fd, 0, SEEK_SET) < 0)
		return -errno;
	return kallsyms_symbols(s->fd, w, n, NULL, fn, (void *)k);
}

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/*
 * Without a build-id the functions recorded must do: in another build few begin at the same place.
 * A few differ always, since labels inside of a function are functions to kallsyms.
 */
static int check_agreement(struct kernel *k, const struct wanted *w, size_t n)
{
	struct source *s = k->source;
	size_t total;
	int err;

	k->agree = k->differ = 0;
	err = look_up(k, w, n, count_agreement);
	if (err)
		return err;
	total = k->agree + k->differ;
	if (k->differ > total / 4) {
		offline_fail("%s %s: of another kernel: %zu of %zu functions recorded begin elsewhere in it", s->option,
			     s->path, k->differ, total);
		return -ESTALE;
	}
	if (!s->told && (!s->is_kallsyms || !total))
		offline_tell(k->tell, "%s %s: used unverified: the recording tells no %s to compare with", s->option,
			     s->path, s->is_kallsyms ? "kernel function" : "build-id of its kernel");
	s->told = true;
	return 0;
}

/* `w`: addresses in one mapping. */
static int rename_in_mapping(struct kernel *k, const struct rec_mapping *m, uint64_t shift, struct wanted *w, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n; i++)
		w[i].address -= shift;
	qsort(w, n, sizeof(*w), compare_wanted); /* a recording may hold addresses that the shift turns around */
	if (!k->is_verified && m->kind == MAPPING_KERNEL)
		err = check_agreement(k, w, n);
	return err ? err : look_up(k, w, n, rename_location);
}

static bool is_in_kernel(const struct recording *r, const struct rec_location *l, const void *arg)
{
	enum mapping_kind kind = r->mappings[l->mapping].kind;

	return kind == MAPPING_KERNEL || (kind == MAPPING_MODULE && *(const bool *)arg);
}

/* The first mapping of the kernel proper; NULL: it has none. */
static const struct rec_mapping *find_kernel(const struct recording *r)
{
	for (size_t i = 0; i < r->n_mappings; i++)
		if (r->mappings[i].kind == MAPPING_KERNEL)
			return &r->mappings[i];
	return NULL;
}

static int rename_all(struct kernel *k, const struct rec_mapping *m)
{
	uint64_t shift = m->start - k->source->stext;
	bool with_modules = k->source->is_kallsyms && !shift;
	struct located found;
	int err = namer_find(&found, k->r, is_in_kernel, &with_modules);

	for (size_t i = 0, next; !err && i < found.n; i = next) {
		next = namer_next_mapping(&found, k->r, i);
		err = rename_in_mapping(k, &k->r->mappings[k->r->locations[found.list[i].id].mapping], shift,
					found.list + i, next - i);
	}
	free(found.list);
	return err;
}

static int use_source(struct kernel *k, struct source *s)
{
	const struct rec_mapping *m = find_kernel(k->r);
	int err;

	k->source = s;
	err = source_open(s);
	if (err)
		return err;
	err = s->is_kallsyms ? check_kallsyms(s) : check_vmlinux(s);
	if (!err && m)
		err = check_build(k, m);
	if (!err && m && !m->start) {
		offline_fail("%s %s: cannot be used: the recording does not tell where its kernel lay (record with "
			     "kernel.kptr_restrict at 1 or 0, as root)",
			     s->option, s->path);
		err = -ENOEXEC;
	}
	if (!err && m)
		err = rename_all(k, m);
	close(s->fd);
	return err;
}

int offline_kernel(struct recording *r, const struct offline_options *o, struct offline_tell *tell)
{
	struct source kallsyms = { .option = "--kallsyms", .path = o->kallsyms, .is_kallsyms = true };
	struct source vmlinux = { .option = "-k", .path = o->vmlinux };
	struct kernel *k;
	int err = 0;

	if (!o->kallsyms && !o->vmlinux)
		return 0;
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->r = r;
	k->tell = tell;
	namer_init(&k->namer, r);
	if (o->kallsyms)
		err = use_source(k, &kallsyms);
	if (!err && o->vmlinux) /* has the last word */
		err = use_source(k, &vmlinux);
	free(k);
	return err;
}
