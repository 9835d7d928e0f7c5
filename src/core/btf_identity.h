/* SPDX-License-Identifier: GPL-2.0-only */
/* Is BTF that of the running kernel? What can be told of it without a look into the kernel. */
#ifndef CORE_BTF_IDENTITY_H
#define CORE_BTF_IDENTITY_H

#include <stddef.h>

struct btf;

#define BTF_BUILD_ID_BYTES_MAX 64

/* The build ID in ELF notes. Bytes of it, 0: there is none. */
size_t btf_identity_build_id(const void *notes, size_t bytes, unsigned char id[BTF_BUILD_ID_BYTES_MAX]);

/* These return 0; -EINVAL: it is not, and `why` says why; another -errno: that cannot be read. */

/* With that of the kernel, if it tells one. */
int btf_identity_check_build_id(const unsigned char *id, size_t id_bytes, char *why, size_t bytes);
/*
 * Its functions are those of the kernel, but for a few: what only unloading calls is dropped from what is built in.
 * Passed by BTF without functions, and where the kernel does not name its own (CONFIG_KALLSYMS).
 */
int btf_identity_check_functions(const struct btf *btf, char *why, size_t bytes);
/* No two fields of the structs that our programs read lie on each other. */
int btf_identity_check_layout(const struct btf *btf, char *why, size_t bytes);

#endif
