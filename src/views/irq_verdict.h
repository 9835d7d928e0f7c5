/* SPDX-License-Identifier: GPL-2.0-only */
/* In a sentence: what stands out most among interrupts, and what to do about it. Only where there is evidence. */
#ifndef VIEWS_IRQ_VERDICT_H
#define VIEWS_IRQ_VERDICT_H

#include "views/irq_sums.h"

#define IRQ_VERDICT_BYTES 896

/* Not inert; "": nothing stands out, or there are too few numbers to tell. Returns `buf`, or NULL: no memory. */
char *irq_verdict(char buf[IRQ_VERDICT_BYTES], const struct irq_sums *s);

#endif
