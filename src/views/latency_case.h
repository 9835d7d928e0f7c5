/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VIEWS_LATENCY_CASE_H
#define VIEWS_LATENCY_CASE_H

#include "views/latency_view.h"

/* "softirq NET_RX", "local timer interrupt", "camera-svc". Returns `buf`, which is not inert. */
char *latency_context_text(char buf[LATENCY_CAUSE_BYTES], const struct recording *r, enum span_kind kind, int id,
			   int name);
void latency_write_case(const struct latency_page *p, const struct rec_case *c, const char *title);
/* "5213.4": tenths of a us, so that parts can be added by eye. Returns `buf`. */
char *latency_us(char buf[UNITS_BYTES], uint64_t ns);
#define LATENCY_US_COLUMNS 12
void latency_write_parts(const struct latency_page *p, const struct rec_case *c);
/* What ran on the CPU meanwhile. */
void latency_write_window(const struct latency_page *p, const struct rec_case *c);

#endif
