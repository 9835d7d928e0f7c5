/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VIEWS_MOMENT_H
#define VIEWS_MOMENT_H

#include <stdint.h>

#define MOMENT_BYTES 32

/* The time of day here: "12:01:33.123456"; "?" if it has none. Returns `buf`. */
char *moment_text(char buf[MOMENT_BYTES], uint64_t unix_ns);
/* Without the fraction of the second. */
char *moment_second_text(char buf[MOMENT_BYTES], uint64_t unix_ns);

#endif
