/* SPDX-License-Identifier: GPL-2.0-only */
/* Small readers of /proc. */
#ifndef CORE_PROC_H
#define CORE_PROC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whole file, at most bytes - 1 of it, and a NUL. Its length, or -errno. */
ssize_t proc_read(const char *path, char *buf, size_t bytes);

/*
 * When a process began, as /proc/PID/stat gives it (field 22): clock ticks since boot, in the time
 * namespace of the reader. 0 or -errno: -ENOENT or -ESRCH if there is none.
 */
int proc_start_ticks(int tgid, uint64_t *ticks);

/* What the kernel would show there for task_struct.start_boottime. `offset_ns` from proc_boottime_offset_ns(). */
uint64_t proc_ticks_of_ns(uint64_t start_boottime_ns, int64_t offset_ns);
/* Of the caller's time namespace (time_namespaces(7), Linux 5.6); 0 where there is none. */
int64_t proc_boottime_offset_ns(void);

#endif
