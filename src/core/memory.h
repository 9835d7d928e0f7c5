/* SPDX-License-Identifier: GPL-2.0-only */
/* How much memory this process may use, and what happens when it is not enough. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stdint.h>

/* Of locked memory, as much as there may be: BPF maps counted there until 5.11. Told by nobody if that is refused. */
void memory_raise_locked(void);

/*
 * What the memory cgroups (v2) that this process is in have left, in bytes, with what the kernel could take back;
 * UINT64_MAX: no limit.
 */
uint64_t memory_left_bytes(void);
/*
 * From here on, where a cgroup leaves little, an allocation above that fails, so that it can be told: else the kernel
 * kills the process that first touches what it was given. Children inherit that. `before`: for memory_unbind().
 */
void memory_bind(uint64_t *before);
void memory_unbind(uint64_t before); /* as it was */
/* Says so if a cgroup leaves too little for a start. */
void memory_warn(void);

#endif
