/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CORE_DESCRIPTORS_H
#define CORE_DESCRIPTORS_H

/*
 * Takes the numbers 0 to 2 where they are closed (`kbpfprof ... 2>&-`). Else the next file that is
 * opened, a recording perhaps, would be stdout or stderr, and messages would be written into it. What
 * takes their place can be neither read nor written (EBADF, as before), and is closed in a COMMAND.
 */
void descriptors_reserve(void);

#endif
