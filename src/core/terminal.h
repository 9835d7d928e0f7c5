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

struct pager {
	pid_t tgid;   /* 0: none */
	int terminal; /* what stdout was */
};

/*
 * Puts a pager behind stdout if that is a terminal: KBPFPROF_PAGER, PAGER or less. Without one that
 * runs, stdout stays what it was. Until pager_wait() a reader who has left is EPIPE, no signal.
 */
void pager_start(struct pager *p);
/*
 * Makes stdout the terminal again and waits until the reader has left. False: the shell found no such
 * pager, and nobody has seen what was written.
 */
bool pager_wait(struct pager *p);

#endif
