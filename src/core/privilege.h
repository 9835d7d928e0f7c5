/* SPDX-License-Identifier: GPL-2.0-only */
/* What a program that only reads files should not have. */
#ifndef CORE_PRIVILEGE_H
#define CORE_PRIVILEGE_H

/*
 * Gives up, for good, every capability but the one to read any file (CAP_DAC_READ_SEARCH, if it is
 * there: a recording made under sudo belongs to the user), and the way to get others by exec.
 * 0 or -errno.
 */
int privilege_drop(void);

#endif
