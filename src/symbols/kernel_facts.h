/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording keeps of the running kernel and its modules, so that they can be named elsewhere. */
#ifndef SYMBOLS_KERNEL_FACTS_H
#define SYMBOLS_KERNEL_FACTS_H

#include <stddef.h>

#include "core/recording.h"

/* Describes the kernel and module mappings with ids from `first` on: build-id, start, bytes. 0 or -ENOMEM. */
int kernel_facts(struct recording *r, size_t first);

#endif
