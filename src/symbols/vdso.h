/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's code that it maps into every process, as a file. */
#ifndef SYMBOLS_VDSO_H
#define SYMBOLS_VDSO_H

/* A descriptor of a copy of our own image, or -errno; -ENOENT: this kernel has none. */
int vdso_open(void);

#endif
