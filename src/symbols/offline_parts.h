/* SPDX-License-Identifier: GPL-2.0-only */
/* The two parts of offline_resolve(), which says what they return. */
#ifndef SYMBOLS_OFFLINE_PARTS_H
#define SYMBOLS_OFFLINE_PARTS_H

#include "symbols/offline.h"
#include "symbols/offline_tell.h"

/* The kernel's own functions, from vmlinux and kallsyms. */
int offline_kernel(struct recording *r, const struct offline_options *o, struct offline_tell *tell);
/* Functions of files. */
int offline_files(struct recording *r, const struct offline_options *o, struct offline_tell *tell);

#endif
