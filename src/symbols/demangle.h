/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of C++ and Rust as their authors wrote them. */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <stdbool.h>

#define DEMANGLE_BYTES 1024 /* a longer name is cut and ends with "..." */

/*
 * Writes the demangled name, without parameters, to `out`. False: not mangled, or not in a way that
 * is understood, or too long; `out` is then undefined. Takes hostile names: time and memory are bounded.
 */
bool demangle(const char *name, char out[DEMANGLE_BYTES]);

#endif
