/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/btf_identity.h"

#include <bpf/btf.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_PATH	"/sys/kernel/notes"
#define NOTES_BYTES_MAX 65536
#define KALLSYMS_PATH	"/proc/kallsyms"

/*
 * Of 100 functions so many may be missing in the kernel. 6.18 with much built in: 0.6, all of them functions that the
 * linker drops since nothing that is built in can be unloaded (__exit).
 */
#define MISSING_PCT_MAX 2

/* --- Build ID. */

size_t btf_identity_build_id(const void *notes, size_t bytes, unsigned char id[BTF_BUILD_ID_BYTES_MAX])
{
	const unsigned char *at = notes;
	Elf64_Nhdr h; /* that of 32 bits is the same */

	while (bytes >= sizeof(h)) {
		size_t name, all;

		memcpy(&h, at, sizeof(h));
		name = sizeof(h) + (((size_t)h.n_namesz + 3) & ~(size_t)3);
		all = name + (((size_t)h.n_descsz + 3) & ~(size_t)3);
		if (all > bytes)
			return 0;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && !memcmp(at + sizeof(h), ELF_NOTE_GNU, 4) &&
		    h.n_descsz <= BTF_BUILD_ID_BYTES_MAX) {
			memcpy(id, at + name, h.n_descsz);
			return h.n_descsz;
		}
		at += all;
		bytes -= all;
	}
	return 0;
}

int btf_identity_check_build_id(const unsigned char *id, size_t id_bytes, char *why, size_t bytes)
{
	unsigned char notes[NOTES_BYTES_MAX], own[BTF_BUILD_ID_BYTES_MAX];
	FILE *f = id_bytes ? fopen(NOTES_PATH, "re") : NULL;
	size_t n, own_bytes;

	if (!f) /* ENOENT: no notes, or no /sys */
		return !id_bytes || errno == ENOENT ? 0 : -errno;
	n = fread(notes, 1, sizeof(notes), f);
	fclose(f);
	own_bytes = btf_identity_build_id(notes, n, own);
	if (!own_bytes || (own_bytes == id_bytes && !memcmp(own, id, id_bytes)))
		return 0;
	snprintf(why, bytes, "its build ID differs");
	return -EINVAL;
}

/* --- Functions. */

struct function {
	const char *name;
	bool is_there;
};

struct functions {
	struct function *list; /* by name */
	size_t count;
};

/* Names without what compilers append (.isra.0, .llvm.123): pahole leaves it out. */
static int compare_names(const char *a, const char *b)
{
	while (*a && *a != '.' && *a == *b) {
		a++;
		b++;
	}
	return (*a == '.' ? 0 : (unsigned char)*a) - (*b == '.' ? 0 : (unsigned char)*b);
}

static int compare(const void *a, const void *b)
{
	return compare_names(((const struct function *)a)->name, ((const struct function *)b)->name);
}

static int collect(const struct btf *btf, struct functions *f)
{
	size_t n = 0;

	f->list = calloc(btf__type_cnt(btf), sizeof(*f->list));
	if (!f->list)
		return -ENOMEM;
	for (__u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_func(t))
			f->list[n++].name = btf__name_by_offset(btf, t->name_off);
	}
	qsort(f->list, n, sizeof(*f->list), compare);
	for (size_t i = 0; i < n; i++) /* each once */
		if (!f->count || compare(&f->list[f->count - 1], &f->list[i]))
			f->list[f->count++] = f->list[i];
	return 0;
}

/* "ffffffff81000000 T name", and behind those of modules "\t[module]". Lines that were read, or -errno. */
static long look_up(struct functions *f)
{
	FILE *file = fopen(KALLSYMS_PATH, "re");
	char *line = NULL;
	size_t bytes = 0;
	long lines = 0;

	if (!file)
		return -errno;
	for (; getline(&line, &bytes, file) > 0; lines++) {
		char *name = strchr(line, ' ');
		struct function *found, key;

		name = name ? strchr(name + 1, ' ') : NULL;
		if (!name || strchr(name, '\t'))
			continue;
		name[strcspn(name, "\n")] = '\0';
		key.name = name + 1;
		found = bsearch(&key, f->list, f->count, sizeof(key), compare);
		if (found)
			found->is_there = true;
	}
	free(line);
	fclose(file);
	return lines;
}

static int judge(const struct functions *f, char *why, size_t bytes)
{
	const char *one = NULL;
	size_t missing = 0;

	for (size_t i = 0; i < f->count; i++) {
		if (f->list[i].is_there)
			continue;
		missing++;
		one = one ? one : f->list[i].name;
	}
	if (missing * 100 <= f->count * MISSING_PCT_MAX)
		return 0;
	snprintf(why, bytes, "%zu of its %zu functions are not in this kernel, %.60s for one", missing, f->count, one);
	return -EINVAL;
}

int btf_identity_check_functions(const struct btf *btf, char *why, size_t bytes)
{
	struct functions f = { 0 };
	long lines = collect(btf, &f);

	if (!lines && f.count)
		lines = look_up(&f);
	free(lines > 0 ? NULL : f.list);
	if (lines <= 0) /* ENOENT: CONFIG_KALLSYMS; none: hidden by who made this container */
		return lines == -ENOENT ? 0 : (int)lines;
	lines = judge(&f, why, bytes);
	free(f.list);
	return (int)lines;
}

/* --- Layout. */

static const char *const structs[] = {
	"task_struct", "thread_info", "sched_entity",  "rq",	  "cfs_rq", "rt_rq", "hrtimer", "pid",
	"upid",	       "mm_struct",   "signal_struct", "css_set", "cgroup",
};

struct field {
	uint64_t from_bits, to_bits;
	const char *name;
};

static int compare_fields(const void *a, const void *b)
{
	const struct field *x = a, *y = b;

	if (x->from_bits != y->from_bits)
		return x->from_bits < y->from_bits ? -1 : 1;
	return (x->to_bits > y->to_bits) - (x->to_bits < y->to_bits);
}

/* NULL, or a field that begins within another one. In any order: CONFIG_RANDSTRUCT. */
static const char *overlap(const struct btf *btf, const struct btf_type *t)
{
	struct field *fields = calloc(btf_vlen(t) + 1u, sizeof(*fields));
	const char *found = NULL;

	for (unsigned i = 0; fields && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		uint64_t bits = btf_member_bitfield_size(t, i);
		int64_t size_bytes = btf__resolve_size(btf, m->type);

		fields[i].from_bits = btf_member_bit_offset(t, i);
		fields[i].to_bits = fields[i].from_bits + (bits ? bits : size_bytes > 0 ? (uint64_t)size_bytes * 8 : 0);
		fields[i].name = btf__name_by_offset(btf, m->name_off);
	}
	if (fields)
		qsort(fields, btf_vlen(t), sizeof(*fields), compare_fields);
	for (unsigned i = 1; fields && !found && i < btf_vlen(t); i++)
		if (fields[i].from_bits < fields[i - 1].to_bits)
			found = fields[i].name;
	free(fields);
	return found;
}

int btf_identity_check_layout(const struct btf *btf, char *why, size_t bytes)
{
	for (size_t i = 0; i < sizeof(structs) / sizeof(structs[0]); i++) {
		int id = btf__find_by_name_kind(btf, structs[i], BTF_KIND_STRUCT);
		const char *field = id > 0 ? overlap(btf, btf__type_by_id(btf, (__u32)id)) : NULL;

		if (!field)
			continue;
		snprintf(why, bytes, "%s.%.60s lies within another field", structs[i], field);
		return -EINVAL;
	}
	return 0;
}
