/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands above and below the result of any view for people: what was measured, and the books. */
#ifndef VIEWS_FOOTER_H
#define VIEWS_FOOTER_H

#include <stdio.h>

#include "core/tool.h"

/* One line, made inert, wrapped with a hanging indent on a terminal. */
void footer_line(FILE *f, const struct view_options *o, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same behind `before`, which is inert and aligned by the caller: further lines begin where the text does. */
void footer_hanging(FILE *f, const struct view_options *o, const char *before, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Was anything sampled? Otherwise it measures latencies or interrupts, and the books of samples mean nothing. */
bool footer_has_samples(const struct recording *r);
/* Target, event and rate, duration, samples, busy and idle share, loss; of latencies and interrupts target, duration
 * and counts. */
void footer_header(FILE *f, const struct recording *r, const struct view_options *o);
/* Instead of a result, when there is none: the likely reason. */
void footer_no_samples(FILE *f, const struct recording *r, const struct view_options *o);
/* The baseline of a comparison as a recording, for the functions here; borrowed from `r`. */
struct recording footer_before(const struct recording *r);
/* The balance and each loss; of a comparison both. */
void footer_books(FILE *f, const struct recording *r, const struct view_options *o);
/* What shares are of, what the result cannot show, own cost, origin. */
void footer_notes(FILE *f, const struct recording *r, const struct view_options *o);
/* Losses, of `kept` and them, and children of the target that were not followed: what that means. */
void footer_lost(FILE *f, const struct recording *r, const struct view_options *o, uint64_t kept,
		 const char *not_followed);
/* CPUs that were offline for a part of the run, if there were any. */
void footer_gaps(FILE *f, const struct recording *r, const struct view_options *o);
/* Of a recording of latencies; the functions above call them. */
void footer_latency_header(FILE *f, const struct recording *r, const struct view_options *o);
void footer_latency_books(FILE *f, const struct recording *r, const struct view_options *o);
void footer_latency_notes(FILE *f, const struct recording *r, const struct view_options *o);
/* Likewise of interrupts. */
void footer_irq_header(FILE *f, const struct recording *r, const struct view_options *o);
void footer_irq_books(FILE *f, const struct recording *r, const struct view_options *o);
void footer_irq_notes(FILE *f, const struct recording *r, const struct view_options *o);
/* Books and notes. */
void footer_write(FILE *f, const struct recording *r, const struct view_options *o);

#endif
