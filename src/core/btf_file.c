/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/btf_file.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More qualifiers, typedefs and arrays behind each other than any kernel has: they go round in a circle. */
#define CHAIN_MAX 64

#define NOTES_BYTES_MAX 65536

struct part {
	uint64_t at, bytes;
};

/* Instead of what is wrong with the contents: they cannot be read, errno. */
static const char unread[] = "";

/* --- The file. */

static void take_build_id(int fd, const GElf_Shdr *header, struct btf_file_result *r)
{
	size_t bytes = header->sh_size < NOTES_BYTES_MAX ? (size_t)header->sh_size : NOTES_BYTES_MAX;
	char *notes = r->build_id_bytes ? NULL : malloc(bytes + 1);
	ssize_t n = notes ? pread(fd, notes, bytes, (off_t)header->sh_offset) : -1;

	if (n > 0)
		r->build_id_bytes = btf_identity_build_id(notes, (size_t)n, r->build_id);
	free(notes);
}

static const char *find_section(int fd, Elf *elf, struct part *part, struct btf_file_result *r)
{
	const char *wrong = "an ELF file without a section .BTF";
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t strings;

	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &strings))
		return "a damaged ELF file";
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, strings, header.sh_name) : NULL;

		if (name && header.sh_type == SHT_NOTE)
			take_build_id(fd, &header, r);
		if (!wrong || !name || strcmp(name, ".BTF") != 0 || header.sh_type == SHT_NOBITS)
			continue;
		*part = (struct part){ header.sh_offset, header.sh_size };
		wrong = NULL;
	}
	return wrong;
}

/* Where in the file BTF lies. NULL, or what is wrong. */
static const char *find(int fd, struct part *part, struct btf_file_result *r)
{
	unsigned char magic[SELFMAG];
	const char *wrong;
	struct stat st;
	Elf *elf;

	if (fstat(fd, &st))
		return unread;
	*part = (struct part){ 0, (uint64_t)st.st_size };
	if (pread(fd, magic, sizeof(magic), 0) != sizeof(magic) || memcmp(magic, ELFMAG, SELFMAG) != 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	wrong = find_section(fd, elf, part, r);
	elf_end(elf);
	return wrong;
}

static const char *read_part(int fd, const struct part *part, char *buf)
{
	if (part->at > INT64_MAX - BTF_FILE_BYTES_MAX) /* for pread() */
		return "cut short";
	for (uint64_t got = 0; got < part->bytes;) {
		ssize_t n = pread(fd, buf + got, part->bytes - got, (off_t)(part->at + got));

		if (n < 0)
			return unread;
		if (!n)
			return "cut short";
		got += (uint64_t)n;
	}
	return NULL;
}

/* --- Its contents. libbpf 1.1 trusts a header's length, offsets of strings, and ids. */

static const char *check_header(const char *data, uint64_t bytes)
{
	struct btf_header h;

	if (bytes < sizeof(h))
		return "no BTF";
	memcpy(&h, data, sizeof(h));
	if (h.magic == __builtin_bswap16(BTF_MAGIC))
		return "BTF of another byte order";
	if (h.magic != BTF_MAGIC)
		return "no BTF";
	if (h.hdr_len < sizeof(h) || h.hdr_len > bytes || (uint64_t)h.type_off + h.type_len > bytes - h.hdr_len ||
	    (uint64_t)h.str_off + h.str_len > bytes - h.hdr_len)
		return "damaged BTF: cut short";
	return NULL;
}

static bool is_string(const struct btf *btf, __u32 offset)
{
	return btf__str_by_offset(btf, offset) != NULL;
}

static bool is_type(const struct btf *btf, __u32 id)
{
	return id < btf__type_cnt(btf);
}

static bool members_ok(const struct btf *btf, const struct btf_type *t)
{
	for (unsigned i = 0; i < btf_vlen(t); i++)
		if (!is_string(btf, btf_members(t)[i].name_off) || !is_type(btf, btf_members(t)[i].type))
			return false;
	return true;
}

static bool params_ok(const struct btf *btf, const struct btf_type *t)
{
	for (unsigned i = 0; i < btf_vlen(t); i++)
		if (!is_string(btf, btf_params(t)[i].name_off) || !is_type(btf, btf_params(t)[i].type))
			return false;
	return is_type(btf, t->type);
}

static bool variables_ok(const struct btf *btf, const struct btf_type *t)
{
	for (unsigned i = 0; i < btf_vlen(t); i++)
		if (!is_type(btf, btf_var_secinfos(t)[i].type))
			return false;
	return true;
}

static bool enumerators_ok(const struct btf *btf, const struct btf_type *t)
{
	for (unsigned i = 0; i < btf_vlen(t); i++)
		if (!is_string(btf, btf_kind(t) == BTF_KIND_ENUM ? btf_enum(t)[i].name_off : btf_enum64(t)[i].name_off))
			return false;
	return true;
}

static bool type_ok(const struct btf *btf, const struct btf_type *t)
{
	if (!is_string(btf, t->name_off))
		return false;
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return members_ok(btf, t);
	case BTF_KIND_FUNC_PROTO:
		return params_ok(btf, t);
	case BTF_KIND_DATASEC:
		return variables_ok(btf, t);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return enumerators_ok(btf, t);
	case BTF_KIND_ARRAY:
		return is_type(btf, btf_array(t)->type) && is_type(btf, btf_array(t)->index_type);
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_FWD:
		return true;
	default: /* all others name one type */
		return is_type(btf, t->type);
	}
}

/* libbpf follows these to their end. */
static bool chain_ends(const struct btf *btf, __u32 id)
{
	for (unsigned steps = 0; steps < CHAIN_MAX; steps++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_mod(t) || btf_is_typedef(t))
			id = t->type;
		else if (btf_is_array(t))
			id = btf_array(t)->type;
		else
			return true;
	}
	return false;
}

static const char *check_types(const struct btf *btf)
{
	for (__u32 id = 1; id < btf__type_cnt(btf); id++)
		if (!type_ok(btf, btf__type_by_id(btf, id)))
			return "damaged BTF: a type leads nowhere";
	for (__u32 id = 1; id < btf__type_cnt(btf); id++)
		if (!chain_ends(btf, id))
			return "damaged BTF: types go round in a circle";
	return NULL;
}

static struct btf *parse(const char *data, uint64_t bytes, const char **wrong)
{
	struct btf *btf;

	*wrong = check_header(data, bytes);
	if (*wrong)
		return NULL;
	btf = btf__new(data, (__u32)bytes);
	*wrong = btf ? check_types(btf) : errno == ENOMEM ? unread : "damaged BTF";
	if (!*wrong)
		return btf;
	btf__free(btf);
	return NULL;
}

static struct btf *read_open(int fd, struct btf_file_result *r, const char **wrong)
{
	struct part part = { 0 };
	struct btf *btf = NULL;
	char *data;

	*wrong = find(fd, &part, r);
	if (*wrong)
		return NULL;
	if (part.bytes > BTF_FILE_BYTES_MAX) {
		*wrong = "no BTF: larger than that of any kernel";
		return NULL;
	}
	data = malloc(part.bytes + 1);
	*wrong = data ? read_part(fd, &part, data) : unread;
	if (!*wrong)
		btf = parse(data, part.bytes, wrong);
	free(data);
	return btf;
}

struct btf *btf_file_read(const char *path, struct btf_file_result *r)
{
	const char *wrong = unread;
	struct btf *btf = NULL;
	struct stat st;
	int fd;

	*r = (struct btf_file_result){ 0 };
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		r->is_unread = true;
		wrong = "no regular file";
	} else if (fd >= 0) {
		btf = read_open(fd, r, &wrong);
	}
	if (!btf) {
		r->is_unread |= wrong == unread;
		snprintf(r->why, sizeof(r->why), "%s", wrong == unread ? strerror(errno) : wrong);
	}
	if (fd >= 0)
		close(fd);
	return btf;
}
