/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel functions that tell nothing of a section with interrupts or preemption off: they stand in each. */
#ifndef SYMBOLS_SECTION_END_H
#define SYMBOLS_SECTION_END_H

#include <stdbool.h>

/* Does it end somebody's section: unlock, enable, restore; or is it what hypervisors have in place of that? */
bool section_is_end(const char *function);
/* Does it take a lock, and spin for it: in somebody's section that has begun already? */
bool section_is_lock(const char *function);

#endif
