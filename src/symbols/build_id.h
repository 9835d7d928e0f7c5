/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NT_GNU_BUILD_ID notes (ld --build-id): two files that have the same were one build. An id of 1 to
 * BUILD_ID_BYTES_MAX bytes is one; with another length a file has none.
 */
#ifndef SYMBOLS_BUILD_ID_H
#define SYMBOLS_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

#include "core/recording.h"

#define BUILD_ID_TEXT_BYTES (2 * BUILD_ID_BYTES_MAX + 1)

/* All give an id of 0 bytes if there is none or it cannot be read. */
void build_id_of_file(int fd, struct build_id *id);
void build_id_of_kernel(struct build_id *id);
void build_id_of_module(const char *name, struct build_id *id);

/*
 * The first one among notes (elf.h: Elf64_Nhdr), whose parts begin at multiples of `align` (4 or 8);
 * `swapped`: in the other byte order.
 */
void build_id_of_notes(const void *notes, size_t bytes, size_t align, bool swapped, struct build_id *id);

/* Two that are not known are not equal. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* In hexadecimal, of each byte two digits. Returns `text`. */
char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT_BYTES]);

#endif
