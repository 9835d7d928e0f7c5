/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of a delay in one line, "uart_write < tty_write < vfs_write": what tells something comes
 * first, since the leaves are the same in each: the scheduler, the interrupt, helpers that unlock.
 */
#ifndef VIEWS_LATENCY_STACK_H
#define VIEWS_LATENCY_STACK_H

#include "core/recording.h"

enum latency_stack {
	STACK_OUT,   /* of a task that is switched out: from where it let go */
	STACK_LATE,  /* of an interrupt that came late: from where interrupts were enabled again */
	STACK_WAKER, /* of a waking: from its caller */
	STACK_USER,
};

#define LATENCY_STACK_BYTES 640

/* "" if the stack has no such frame, or there is none (-1). Inert. Returns `buf`. */
char *latency_stack_text(char buf[LATENCY_STACK_BYTES], const struct recording *r, int stack, enum latency_stack kind);

#endif
