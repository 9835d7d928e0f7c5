/* SPDX-License-Identifier: GPL-2.0-only */
/* In one line: the largest cause of long delays, and what to do about it. Only where there is evidence. */
#ifndef VIEWS_VERDICT_H
#define VIEWS_VERDICT_H

#include "views/latency_causes.h"

#define VERDICT_BYTES 896

/*
 * Looks at the delays above the limit; else at the longest hundredth, if it has a handful; else at the
 * worst one. A cause must hold two fifths of their time. Returns `buf`, which is not inert; "": nothing was measured.
 */
char *verdict_text(char buf[VERDICT_BYTES], const struct recording *r, const struct causes *c);

#endif
