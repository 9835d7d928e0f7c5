/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes BTF of another kernel out of this one's. usage: btf_edit FROM TO WHAT [NAME...]
 *   move STRUCT.FIELD	lies 8 bytes further on
 *   shift STRUCT.FIELD	4 bytes
 *   functions SHARE	of 100 functions so many have names of no kernel
 *   move VARIABLE	the per-CPU variable likewise
 *   lose STRUCT.FIELD	has another name
 *   reverse		is of the other byte order
 *   type NAME		says nothing of a type: it has another name
 */
#include <bpf/btf.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 8

/* Everything in it can be written: it was made modifiable. */
static struct btf_type *type_of(const struct btf *btf, const char *name, unsigned kind)
{
	int id = btf__find_by_name_kind(btf, name, kind);

	if (id < 0)
		errx(1, "no type %s", name);
	return (struct btf_type *)(uintptr_t)btf__type_by_id(btf, (__u32)id);
}

static struct btf_member *member_of(const struct btf *btf, const char *path)
{
	const char *dot = strchr(path, '.');
	struct btf_type *type;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
	type = type_of(btf, name, BTF_KIND_STRUCT);
	for (unsigned i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), dot + 1))
			return &btf_members(type)[i];
	errx(1, "no field %s", path);
}

static void move_variable(const struct btf *btf, const char *name)
{
	struct btf_type *section = type_of(btf, ".data..percpu", BTF_KIND_DATASEC);

	for (unsigned i = 0; i < btf_vlen(section); i++) {
		struct btf_var_secinfo *v = &btf_var_secinfos(section)[i];

		if (strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, v->type)->name_off), name) != 0)
			continue;
		v->offset += BYTES;
		return;
	}
	errx(1, "no variable %s", name);
}

static void rename_functions(const struct btf *btf, unsigned pct)
{
	unsigned n = 0;

	for (__u32 id = 1; id < btf__type_cnt(btf); id++) {
		struct btf_type *t = (struct btf_type *)(uintptr_t)btf__type_by_id(btf, id);

		if (btf_is_func(t) && n++ % 100 < pct)
			t->name_off++; /* without the first character: one of its own */
	}
}

static void edit(struct btf *btf, const char *what, const char *name)
{
	int other = btf__add_str(btf, "another_name");

	if (other < 0)
		errx(1, "cannot be changed");
	if (!strcmp(what, "reverse"))
		btf__set_endianness(btf, btf__endianness(btf) == BTF_BIG_ENDIAN ? BTF_LITTLE_ENDIAN : BTF_BIG_ENDIAN);
	else if (!name)
		errx(1, "no name");
	else if (!strcmp(what, "type"))
		type_of(btf, name, BTF_KIND_STRUCT)->name_off = (__u32)other;
	else if (!strcmp(what, "lose"))
		member_of(btf, name)->name_off = (__u32)other;
	else if (!strcmp(what, "functions"))
		rename_functions(btf, (unsigned)atoi(name));
	else if (!strcmp(what, "shift"))
		member_of(btf, name)->offset += 8 * BYTES / 2;
	else if (!strchr(name, '.'))
		move_variable(btf, name);
	else
		member_of(btf, name)->offset += 8 * BYTES;
}

int main(int argc, char **argv)
{
	struct btf *btf = argc > 3 ? btf__parse(argv[1], NULL) : NULL;
	const void *data;
	__u32 bytes;
	FILE *f;

	if (!btf)
		errx(1, "usage: btf_edit FROM TO WHAT [NAME]; FROM is BTF");
	edit(btf, argv[3], argv[4]);
	data = btf__raw_data(btf, &bytes);
	f = fopen(argv[2], "w");
	if (!data || !f || fwrite(data, 1, bytes, f) != bytes || fclose(f))
		err(1, "%s", argv[2]);
	btf__free(btf);
	return 0;
}
