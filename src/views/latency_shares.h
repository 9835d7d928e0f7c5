/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VIEWS_LATENCY_SHARES_H
#define VIEWS_LATENCY_SHARES_H

#include "views/latency_causes.h"

#define LATENCY_DELAYS_BYTES 64

/* Both return `buf`, which is not inert. */
char *latency_row_text(char buf[LATENCY_CAUSE_BYTES], const struct recording *r, const struct cause_row *row);
/* "605", "60-63" */
char *latency_delays_text(char buf[LATENCY_DELAYS_BYTES], const struct causes_of *column);

#endif
