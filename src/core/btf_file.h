/* SPDX-License-Identifier: GPL-2.0-only */
/* BTF out of a file that somebody gave: raw, or the section .BTF of an ELF file such as vmlinux. */
#ifndef CORE_BTF_FILE_H
#define CORE_BTF_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/btf_identity.h"

struct btf;

/* The BTF of kernels has 3 to 20 MB, that of an allyesconfig one some more. */
#define BTF_FILE_BYTES_MAX (64 << 20)

struct btf_file_result {
	char why[128];					/* what is wrong with the file, without its name */
	bool is_unread;					/* it could not be read: nothing is said of its contents */
	unsigned char build_id[BTF_BUILD_ID_BYTES_MAX]; /* of an ELF file */
	size_t build_id_bytes;				/* 0: none */
};

/*
 * Reads and checks it: whatever it holds, libbpf's functions may then be used on it. NULL: r->why. To be freed by
 * btf__free().
 */
struct btf *btf_file_read(const char *path, struct btf_file_result *r);

#endif
