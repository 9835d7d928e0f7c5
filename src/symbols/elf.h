/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is needed of an ELF file: where its segments lie, and the functions at given addresses.
 * The file may be anything: sizes are checked against the file, work and memory are bounded.
 */
#ifndef SYMBOLS_ELF_H
#define SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/wanted.h"

#define ELF_LOADS_MAX 64

/* A PT_LOAD segment: bytes of the file and their address in terms of st_value. */
struct elf_load {
	uint64_t offset, bytes, address;
};

/* Number of loads, at most ELF_LOADS_MAX; -ENOEXEC: no ELF file, or damaged. */
int elf_loads(int fd, struct elf_load loads[ELF_LOADS_MAX]);

/* Address of the byte at `offset` of the file; false: no segment holds it. */
bool elf_address(const struct elf_load *loads, unsigned n, uint64_t offset, uint64_t *address);

/*
 * Looks up n addresses, sorted, in .symtab and, for what that lacks, in .dynsym. An address
 * belongs to a symbol within its size; a symbol without size has its first byte only. Of several
 * the nearest start wins, then global over weak over local, then the plainer name.
 * Without a name: WHY_NOT_ELF, WHY_STRIPPED (no .symtab), WHY_NO_SYMBOL. 0, or fn's error, or -ENOMEM.
 */
int elf_symbols(int fd, const struct wanted *w, size_t n, found_fn *fn, void *ctx);

/* Has it a .symtab? 1, 0, or -ENOEXEC: no ELF file, or damaged. */
int elf_has_symtab(int fd);
/* Address of a symbol of .symtab, whatever its type. 0, -ENOENT, -ENOEXEC or -ENOMEM. */
int elf_symbol_address(int fd, const char *name, uint64_t *address);

#endif
