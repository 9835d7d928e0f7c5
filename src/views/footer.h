/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands above and below the result of any view for people: what was measured, and the books. */
#ifndef VIEWS_FOOTER_H
#define VIEWS_FOOTER_H

#include <stdio.h>

#include "core/tool.h"

/* One line, made inert, wrapped with a hanging indent on a terminal. */
void footer_line(FILE *f, const struct view_options *o, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Target, event and rate, duration, samples, busy and idle share, loss. */
void footer_header(FILE *f, const struct recording *r, const struct view_options *o);
/* Instead of a result, when there is none: the likely reason. */
void footer_no_samples(FILE *f, const struct recording *r, const struct view_options *o);
/* The baseline of a comparison as a recording, for the functions here; borrowed from `r`. */
struct recording footer_before(const struct recording *r);
/* The balance and each loss; of a comparison both. */
void footer_books(FILE *f, const struct recording *r, const struct view_options *o);
/* What shares are of, what the result cannot show, own cost, origin. */
void footer_notes(FILE *f, const struct recording *r, const struct view_options *o);
/* Both. */
void footer_write(FILE *f, const struct recording *r, const struct view_options *o);

#endif
