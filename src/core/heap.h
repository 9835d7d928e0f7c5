/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Start-up reads the kernel's BTF, some 5 MiB, twice and copies it; most of that time goes to
 * touching fresh pages, which malloc() would give back in between. Kept for the second reading,
 * and huge where the kernel has huge pages, they halve the time to the first sample (measured).
 */
#ifndef CORE_HEAP_H
#define CORE_HEAP_H

/* Large blocks come from a heap that stays. Does nothing with other C libraries than glibc. */
void heap_prepare(void);
/* Gives back what is not used: a long run should not hold it. */
void heap_trim(void);

#endif
