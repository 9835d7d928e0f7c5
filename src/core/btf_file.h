/* SPDX-License-Identifier: GPL-2.0-only */
/* BTF out of a file that somebody gave: raw, or the section .BTF of an ELF file such as vmlinux. */
#ifndef CORE_BTF_FILE_H
#define CORE_BTF_FILE_H

#include <stddef.h>

struct btf;

/* The BTF of kernels has 3 to 20 MB, that of an allyesconfig one some more. */
#define BTF_FILE_BYTES_MAX (64 << 20)

/*
 * Reads and checks it: whatever it holds, libbpf's functions may then be used on it. NULL: `why` says what is wrong
 * with the file, without its name. To be freed by btf__free().
 */
struct btf *btf_file_read(const char *path, char *why, size_t bytes);

#endif
