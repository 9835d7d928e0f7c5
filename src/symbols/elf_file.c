/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTIONS_MAX	   4096 /* libelf allocates some 300 bytes for each */
#define PHDRS_MAX	   512	/* linkers make about a dozen */
#define SECTION_NAME_BYTES 32
#define CHUNK_BYTES	   (64 * 1024)	/* of a symbol table, read at a time */
#define SYMBOLS_MAX	   (256u << 20) /* bytes of one table; the largest known, of a browser, has 100 MB */

#define HOST_ENCODING (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

/* -ENOEXEC for what libelf would spend much memory on. */
static int check_header(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} h;
	ssize_t n = pread(fd, &h, sizeof(h), 0);
	unsigned sections, phdrs;

	if (n < (ssize_t)sizeof(h.e32) || memcmp(h.ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	if (h.ident[EI_CLASS] == ELFCLASS64 && n == sizeof(h.e64)) {
		sections = h.e64.e_shnum;
		phdrs = h.e64.e_phnum;
		if (!sections && h.e64.e_shoff) /* their number then is in section 0 and above 0xff00 */
			return -ENOEXEC;
	} else if (h.ident[EI_CLASS] == ELFCLASS32) {
		sections = h.e32.e_shnum;
		phdrs = h.e32.e_phnum;
		if (!sections && h.e32.e_shoff)
			return -ENOEXEC;
	} else {
		return -ENOEXEC;
	}
	if (h.ident[EI_DATA] != HOST_ENCODING) {
		sections = __builtin_bswap16((uint16_t)sections);
		phdrs = __builtin_bswap16((uint16_t)phdrs);
	}
	return sections <= SECTIONS_MAX && phdrs <= PHDRS_MAX ? 0 : -ENOEXEC;
}

Elf *elf_file_begin(int fd)
{
	GElf_Ehdr ehdr;
	Elf *elf;

	if (check_header(fd) || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return NULL;
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr) ||
	    (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)) {
		elf_end(elf);
		return NULL;
	}
	return elf;
}

bool elf_file_is_swapped(Elf *elf)
{
	return elf_getident(elf, NULL)[EI_DATA] != HOST_ENCODING;
}

uint64_t elf_file_bytes(int fd)
{
	struct stat st;

	return fstat(fd, &st) || st.st_size < 0 ? 0 : (uint64_t)st.st_size;
}

bool elf_file_has_sections(Elf *elf, uint64_t file_bytes)
{
	GElf_Ehdr ehdr;
	size_t entry_bytes = gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT);

	return gelf_getehdr(elf, &ehdr) && (!ehdr.e_shnum || ehdr.e_shentsize == entry_bytes) &&
	       ehdr.e_shoff <= file_bytes && ehdr.e_shnum * entry_bytes <= file_bytes - ehdr.e_shoff;
}

bool elf_file_holds(const GElf_Shdr *shdr, uint64_t file_bytes)
{
	return shdr->sh_type != SHT_NOBITS && !(shdr->sh_flags & SHF_COMPRESSED) && shdr->sh_offset <= file_bytes &&
	       shdr->sh_size <= file_bytes - shdr->sh_offset;
}

/* Read from the file: libelf would load all names, whose section may be as large as a file can be. */
static bool has_name(int fd, const GElf_Shdr *names, const GElf_Shdr *shdr, const char *name)
{
	char have[SECTION_NAME_BYTES];
	size_t bytes = strlen(name) + 1;

	return bytes <= sizeof(have) && shdr->sh_name < names->sh_size && bytes <= names->sh_size - shdr->sh_name &&
	       pread(fd, have, bytes, (off_t)(names->sh_offset + shdr->sh_name)) == (ssize_t)bytes &&
	       !memcmp(have, name, bytes);
}

bool elf_file_section(Elf *elf, int fd, const char *name, GElf_Shdr *shdr)
{
	GElf_Shdr names;
	Elf_Scn *scn = NULL;
	uint64_t file_bytes = elf_file_bytes(fd);
	size_t names_index;

	if (!elf_file_has_sections(elf, file_bytes) || elf_getshdrstrndx(elf, &names_index) ||
	    !gelf_getshdr(elf_getscn(elf, names_index), &names) || !elf_file_holds(&names, file_bytes))
		return false;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, shdr) && elf_file_holds(shdr, file_bytes) && has_name(fd, &names, shdr, name))
			return true;
	return false;
}

int elf_file_table(Elf *elf, int fd, GElf_Word type, struct elf_table *t)
{
	GElf_Shdr symbols, strings;
	Elf_Scn *scn = NULL;
	uint64_t file_bytes = elf_file_bytes(fd);

	if (!elf_file_has_sections(elf, file_bytes))
		return -ENOEXEC;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &symbols))
			return -ENOEXEC;
		if (symbols.sh_type == type)
			break;
	}
	if (!scn)
		return 0;
	if (!gelf_getshdr(elf_getscn(elf, symbols.sh_link), &strings) || strings.sh_type != SHT_STRTAB ||
	    !elf_file_holds(&symbols, file_bytes) || !elf_file_holds(&strings, file_bytes) ||
	    symbols.sh_size > SYMBOLS_MAX)
		return -ENOEXEC;
	*t = (struct elf_table){ symbols.sh_offset, symbols.sh_size, strings.sh_offset, strings.sh_size };
	return 1;
}

static GElf_Sym symbol_at(const void *symbols, int class, size_t i)
{
	const Elf32_Sym *s32 = (const Elf32_Sym *)symbols + i;

	if (class == ELFCLASS64)
		return ((const Elf64_Sym *)symbols)[i];
	return (GElf_Sym){ s32->st_name, s32->st_info, s32->st_other, s32->st_shndx, s32->st_value, s32->st_size };
}

int elf_file_each_symbol(Elf *elf, int fd, const struct elf_table *t, int (*fn)(void *ctx, const GElf_Sym *sym),
			 void *ctx)
{
	unsigned char encoding = (unsigned char)elf_getident(elf, NULL)[EI_DATA];
	size_t symbol_bytes = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t chunk_bytes = CHUNK_BYTES / symbol_bytes * symbol_bytes;
	uint64_t end = t->offset + t->size / symbol_bytes * symbol_bytes;
	void *chunk = malloc(chunk_bytes);
	int err = chunk ? 0 : -ENOMEM;

	for (uint64_t at = t->offset; !err && at < end; at += chunk_bytes) {
		size_t bytes = end - at < chunk_bytes ? end - at : chunk_bytes;
		Elf_Data data = { .d_buf = chunk, .d_type = ELF_T_SYM, .d_size = bytes, .d_version = EV_CURRENT };

		if (pread(fd, chunk, bytes, (off_t)at) != (ssize_t)bytes || !gelf_xlatetom(elf, &data, &data, encoding))
			err = -ENOEXEC;
		for (size_t i = 0; !err && i < bytes / symbol_bytes; i++) {
			GElf_Sym sym = symbol_at(chunk, gelf_getclass(elf), i);

			err = fn(ctx, &sym);
		}
	}
	free(chunk);
	return err;
}
