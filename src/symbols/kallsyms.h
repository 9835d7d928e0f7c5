/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel functions at given addresses, from /proc/kallsyms. */
#ifndef SYMBOLS_KALLSYMS_H
#define SYMBOLS_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "symbols/wanted.h"

/* Where code ends that kallsyms only tells the start of. */
struct code_range {
	uint64_t start, bytes;
	char module[64]; /* name, "" for BPF programs */
};

struct code_ranges {
	struct code_range *list;
	size_t n, capacity;
};

/* Adds the modules of an open /proc/modules. 0, -ENOMEM or -errno of read(2). */
int kallsyms_modules(int fd, struct code_ranges *ranges);
/* Adds every BPF program's machine code, so far as the kernel tells (CAP_SYS_ADMIN). 0 or -ENOMEM. */
int kallsyms_bpf(struct code_ranges *ranges);

/*
 * Looks up n addresses, sorted, in an open /proc/kallsyms. A symbol reaches to the next one, but not
 * beyond the end of the kernel's text, its module or its BPF program; only text symbols give names.
 * Without a name: WHY_NO_SYMBOL, or WHY_KPTR_RESTRICT when all addresses read as zero.
 * `ranges` is called once, at the first address in a module or BPF program; NULL: their ends are unknown.
 * 0, fn's error, -ENOMEM or -errno of read(2).
 */
int kallsyms_symbols(int fd, const struct wanted *w, size_t n, int (*ranges)(struct code_ranges *), found_fn *fn,
		     void *ctx);

/* Address of _stext, where the kernel's code begins; 0 if it shows none. 0, -ENOENT: no such line, or -errno of
 * read(2). */
int kallsyms_stext(int fd, uint64_t *stext);

#endif
