/* SPDX-License-Identifier: GPL-2.0-only */
/* What only a terminal gets: colour, lines of its width, a pager. */
#ifndef CORE_TERMINAL_H
#define CORE_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

/* Columns of the terminal that stdout is; 0: it is none. */
unsigned terminal_width(void);

/* when: "auto" or NULL (a terminal, and NO_COLOR is not set), "always", "never". */
bool terminal_color(const char *when);

/*
 * Puts a pager behind stdout if that is a terminal: KBPFPROF_PAGER, PAGER or less. Its process, or
 * 0: none. Without one that runs, stdout stays what it was.
 */
pid_t pager_start(void);
/* Closes stdout and waits until the reader has left. 0: fine. */
void pager_wait(pid_t pager);

#endif
