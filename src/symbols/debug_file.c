/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/debug_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "symbols/build_id.h"
#include "symbols/elf.h"
#include "symbols/elf_file.h"
#include "symbols/root.h"

#define CRC_BYTES_MAX	(4ull << 30) /* of a file whose CRC is worth the time; a browser's has 2 GB */
#define LINK_BYTES_MAX	(NAME_MAX + 1 + 4 + sizeof(uint32_t))
#define READ_BYTES	(64 * 1024)
#define ID_SHOWN_DIGITS 12 /* in messages */

struct debuglink {
	char name[NAME_MAX + 1];
	uint32_t crc;
};

/* A candidate: where it is, and what it must be. */
struct candidate {
	int root;
	const char *path;  /* below the root */
	const char *shown; /* what stands before it in messages */
	const struct build_id *id;
	bool needs_id;	     /* one without build-id will not do */
	const uint32_t *crc; /* NULL: none to compare with */
	struct offline_tell *tell;
};

static int crc_of(int fd, uint32_t *crc)
{
	unsigned char buf[READ_BYTES];
	uint64_t file_bytes = elf_file_bytes(fd), at = 0;
	uLong sum = crc32(0, NULL, 0);

	if (file_bytes > CRC_BYTES_MAX)
		return -EFBIG;
	while (at < file_bytes) {
		ssize_t n = pread(fd, buf, sizeof(buf), (off_t)at);

		if (n <= 0)
			return -EIO;
		sum = crc32(sum, buf, (uInt)n);
		at += (uint64_t)n;
	}
	*crc = (uint32_t)sum;
	return 0;
}

/* Told unless it is what was asked for. */
static bool has_right_crc(const struct candidate *c, int fd)
{
	uint32_t crc;
	int err;

	if (!c->crc)
		return true;
	err = crc_of(fd, &crc);
	if (!err && crc == *c->crc)
		return true;
	if (err)
		offline_tell(c->tell, "%s%s: its CRC cannot be had: %s: not used", c->shown, c->path, strerror(-err));
	else
		offline_tell(c->tell, "%s%s: another build (CRC %08x, the debuglink says %08x): not used", c->shown,
			     c->path, crc, *c->crc);
	return false;
}

static bool has_right_id(const struct candidate *c, int fd)
{
	char have[BUILD_ID_TEXT_BYTES], want[BUILD_ID_TEXT_BYTES];
	struct build_id id;

	build_id_of_file(fd, &id);
	if (build_id_equal(&id, c->id) || (!c->needs_id && (!id.n || !c->id->n)))
		return true;
	offline_tell(c->tell, "%s%s: another build (build-id %.*s.., recorded %.*s..): not used", c->shown, c->path,
		     ID_SHOWN_DIGITS, id.n ? build_id_text(&id, have) : "none", ID_SHOWN_DIGITS,
		     build_id_text(c->id, want));
	return false;
}

/* The cheap questions first. A descriptor or -ENOENT. */
static int try_candidate(const struct candidate *c)
{
	int fd = root_file(c->root, c->path), symtab;

	if (fd == -EMEDIUMTYPE || fd == -ELOOP || fd == -EACCES)
		offline_tell(c->tell, "%s%s: %s: not used", c->shown, c->path, root_error(fd));
	if (fd < 0)
		return -ENOENT;
	symtab = elf_has_symtab(fd);
	if (symtab < 0)
		offline_tell(c->tell, "%s%s: damaged, or no ELF file: not used", c->shown, c->path);
	if (symtab == 1 && has_right_id(c, fd) && has_right_crc(c, fd))
		return fd;
	close(fd);
	return -ENOENT;
}

static int find_by_id(const struct debug_places *p, const struct build_id *id)
{
	char text[BUILD_ID_TEXT_BYTES], path[PATH_MAX];
	struct candidate c = {
		.root = p->dir_root,
		.path = path,
		.shown = p->dir_name,
		.id = id,
		.needs_id = true,
		.tell = p->tell,
	};

	if (p->dir_root < 0 || id->n < 2)
		return -ENOENT;
	build_id_text(id, text);
	if (snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", p->dir, text, text + 2) >= (int)sizeof(path))
		return -ENOENT;
	return try_candidate(&c);
}

/* Only a plain name is one: nothing in it chooses a folder. */
static bool read_debuglink(int fd, struct debuglink *link)
{
	char bytes[LINK_BYTES_MAX];
	Elf *elf = elf_file_begin(fd);
	size_t name_bytes, crc_at;
	GElf_Shdr shdr;
	bool ok;

	if (!elf)
		return false;
	ok = elf_file_section(elf, fd, ".gnu_debuglink", &shdr) && shdr.sh_size <= sizeof(bytes) &&
	     pread(fd, bytes, shdr.sh_size, (off_t)shdr.sh_offset) == (ssize_t)shdr.sh_size;
	if (ok) {
		name_bytes = strnlen(bytes, shdr.sh_size);
		crc_at = (name_bytes + 1 + 3) / 4 * 4;
		ok = name_bytes && name_bytes < sizeof(link->name) && crc_at + sizeof(link->crc) <= shdr.sh_size;
	}
	if (ok) {
		memcpy(link->name, bytes, name_bytes + 1);
		memcpy(&link->crc, bytes + crc_at, sizeof(link->crc));
		if (elf_file_is_swapped(elf))
			link->crc = __builtin_bswap32(link->crc);
		ok = !strchr(link->name, '/') && strcmp(link->name, ".") != 0 && strcmp(link->name, "..") != 0;
	}
	elf_end(elf);
	return ok;
}

/* Beside the object, in .debug beside it, and in the debug directory under the object's own path. */
static int find_by_link(const struct debug_places *p, const char *object_path, const struct debuglink *link,
			const struct build_id *id)
{
	int folder_bytes = (int)(strrchr(object_path, '/') - object_path);
	const struct {
		int root;
		const char *shown, *before, *after;
	} places[] = {
		{ p->root, p->root_name, "", "" },
		{ p->root, p->root_name, "", "/.debug" },
		{ p->dir_root, p->dir_name, p->dir, "" },
	};
	char path[PATH_MAX];
	int fd = -ENOENT;

	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		struct candidate c = { .root = places[i].root,
				       .path = path,
				       .shown = places[i].shown,
				       .id = id,
				       .crc = &link->crc,
				       .tell = p->tell };

		if (places[i].root >= 0 && snprintf(path, sizeof(path), "%s%.*s%s/%s", places[i].before, folder_bytes,
						    object_path, places[i].after, link->name) < (int)sizeof(path))
			fd = try_candidate(&c);
	}
	return fd;
}

int debug_file_find(const struct debug_places *p, int object, const char *path, const struct build_id *id)
{
	struct debuglink link;
	int fd = find_by_id(p, id);

	if (fd < 0 && object >= 0 && path[0] == '/' && read_debuglink(object, &link))
		fd = find_by_link(p, path, &link, id);
	return fd;
}
