/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/build_id.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/proc.h"
#include "symbols/elf_file.h"

#define NOTES_BYTES_MAX (16 * 1024) /* of one section or segment; what lies behind is not looked at */

static uint64_t round_up(uint64_t n, size_t align)
{
	return (n + align - 1) / align * align;
}

void build_id_of_notes(const void *notes, size_t bytes, size_t align, bool swapped, struct build_id *id)
{
	const char *at = notes;
	Elf64_Nhdr note; /* the same as Elf32_Nhdr */

	id->n = 0;
	while (bytes >= sizeof(note)) {
		uint64_t desc_at, end;

		memcpy(&note, at, sizeof(note));
		if (swapped) {
			note.n_namesz = __builtin_bswap32(note.n_namesz);
			note.n_descsz = __builtin_bswap32(note.n_descsz);
			note.n_type = __builtin_bswap32(note.n_type);
		}
		desc_at = round_up(sizeof(note) + note.n_namesz, align);
		end = desc_at + note.n_descsz;
		if (end > bytes)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(at + sizeof(note), "GNU", sizeof("GNU")) && note.n_descsz &&
		    note.n_descsz <= BUILD_ID_BYTES_MAX) {
			id->n = (uint8_t)note.n_descsz;
			memcpy(id->bytes, at + desc_at, id->n);
			return;
		}
		end = round_up(end, align);
		at += end < bytes ? end : bytes;
		bytes -= end < bytes ? end : bytes;
	}
}

/* A piece of the file with notes in it. */
static void read_notes(int fd, uint64_t offset, uint64_t bytes, uint64_t align, bool swapped, struct build_id *id)
{
	char notes[NOTES_BYTES_MAX];
	size_t room = bytes < sizeof(notes) ? bytes : sizeof(notes);
	ssize_t n = pread(fd, notes, room, (off_t)offset);

	if (n > 0)
		build_id_of_notes(notes, (size_t)n, align == 8 ? 8 : 4, swapped, id);
}

/* Sections come first: separate debug files keep these, while their segments lie where others' bytes are. */
static void find_in_sections(Elf *elf, int fd, struct build_id *id)
{
	bool swapped = elf_file_is_swapped(elf);
	uint64_t file_bytes = elf_file_bytes(fd);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (!elf_file_has_sections(elf, file_bytes))
		return;
	while (!id->n && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_NOTE && elf_file_holds(&shdr, file_bytes))
			read_notes(fd, shdr.sh_offset, shdr.sh_size, shdr.sh_addralign, swapped, id);
}

static void find_in_segments(Elf *elf, int fd, struct build_id *id)
{
	bool swapped = elf_file_is_swapped(elf);
	uint64_t file_bytes = elf_file_bytes(fd);
	GElf_Phdr phdr;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && !id->n && gelf_getphdr(elf, (int)i, &phdr); i++)
		if (phdr.p_type == PT_NOTE && phdr.p_offset <= file_bytes &&
		    phdr.p_filesz <= file_bytes - phdr.p_offset)
			read_notes(fd, phdr.p_offset, phdr.p_filesz, phdr.p_align, swapped, id);
}

void build_id_of_file(int fd, struct build_id *id)
{
	Elf *elf = elf_file_begin(fd);

	*id = (struct build_id){ 0 };
	if (!elf)
		return;
	find_in_sections(elf, fd, id);
	if (!id->n)
		find_in_segments(elf, fd, id);
	elf_end(elf);
}

static void read_sysfs(const char *path, struct build_id *id)
{
	char notes[NOTES_BYTES_MAX];
	ssize_t n = proc_read(path, notes, sizeof(notes));

	*id = (struct build_id){ 0 };
	if (n > 0)
		build_id_of_notes(notes, (size_t)n, 4, false, id);
}

void build_id_of_kernel(struct build_id *id)
{
	read_sysfs("/sys/kernel/notes", id);
}

void build_id_of_module(const char *name, struct build_id *id)
{
	char path[128];

	*id = (struct build_id){ 0 };
	if (strchr(name, '/') || name[0] == '.' ||
	    snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name) >= (int)sizeof(path))
		return;
	read_sysfs(path, id);
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->n && a->n == b->n && !memcmp(a->bytes, b->bytes, a->n);
}

char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT_BYTES])
{
	text[0] = '\0';
	for (unsigned i = 0; i < id->n && i < BUILD_ID_BYTES_MAX; i++)
		snprintf(text + (size_t)2 * i, 3, "%02x", id->bytes[i]);
	return text;
}
