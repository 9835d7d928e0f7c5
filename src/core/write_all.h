/* SPDX-License-Identifier: GPL-2.0-only */
/* write(2) until all is written. */
#ifndef CORE_WRITE_ALL_H
#define CORE_WRITE_ALL_H

#include <stddef.h>

/* Goes on after signals and short writes. 0 or -errno. */
int write_all(int fd, const void *bytes, size_t n);

#endif
