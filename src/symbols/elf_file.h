/* SPDX-License-Identifier: GPL-2.0-only */
/* What all readers of ELF files begin with: is it one, and does what it refers to lie within it? */
#ifndef SYMBOLS_ELF_FILE_H
#define SYMBOLS_ELF_FILE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/* NULL: no ELF file of a kind that can run, damaged, or one that libelf would spend much memory on. */
Elf *elf_file_begin(int fd);
/* Is the file's data in another byte order than this machine's? */
bool elf_file_is_swapped(Elf *elf);
uint64_t elf_file_bytes(int fd); /* its size; 0 if it cannot be told */
/* Are all section headers within the file? They come last in it: what was cut short lacks them. */
bool elf_file_has_sections(Elf *elf, uint64_t file_bytes);
/* Is the section's data in the file, whole and as it is? */
bool elf_file_holds(const GElf_Shdr *shdr, uint64_t file_bytes);
/* The first section of that name that the file holds. */
bool elf_file_section(Elf *elf, int fd, const char *name, GElf_Shdr *shdr);

/* A symbol table and its names, in bytes of the file. */
struct elf_table {
	uint64_t offset, size;
	uint64_t strings_offset, strings_size;
};

/* The first table of that type (SHT_SYMTAB, SHT_DYNSYM). 1: found; 0: there is none; -ENOEXEC: damaged. */
int elf_file_table(Elf *elf, int fd, GElf_Word type, struct elf_table *t);
/* Calls fn with each symbol, until it returns other than 0. Its last value, -ENOEXEC or -ENOMEM. */
int elf_file_each_symbol(Elf *elf, int fd, const struct elf_table *t, int (*fn)(void *ctx, const GElf_Sym *sym),
			 void *ctx);

#endif
