/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the report of `kbpfprof irq`, in the order of the page: src/views/irq.c puts them there. */
#ifndef VIEWS_IRQ_VIEW_H
#define VIEWS_IRQ_VIEW_H

#include <stdio.h>

#include "core/tool.h"
#include "views/irq_sums.h"

struct irq_page {
	FILE *f;
	const struct recording *r;
	const struct rec_irq *q;
	const struct view_options *o;
	const struct irq_sums *sums;
};

/* Each begins with an empty line, or writes nothing if there is nothing of its kind; 0 or -ENOMEM. */
int irq_write_times(const struct irq_page *p);
int irq_write_waits(const struct irq_page *p);
int irq_write_behind(const struct irq_page *p);
int irq_write_off(const struct irq_page *p);
int irq_write_senders(const struct irq_page *p);
int irq_write_storms(const struct irq_page *p);
int irq_write_series(const struct irq_page *p);
int irq_write_cases(const struct irq_page *p);
/* Instead of all these: 0, -ENOMEM, or -EINVAL after a message if no source is called o->hist. */
int irq_write_hists(const struct irq_page *p);

/* How many of `n` rows are shown: as --top has it, else `automatic`. */
size_t irq_shown(const struct irq_page *p, size_t n, size_t automatic);
/* Columns for names where numbers take `others`: what is left of a screen of 80 or more; in a pipe, more. */
unsigned irq_name_columns(const struct irq_page *p, unsigned others, unsigned longest);
/* "  name  " in so many columns; a longer one has a line of its own. */
void irq_write_name(const struct irq_page *p, const char *raw, unsigned columns);
unsigned irq_inert_columns(const char *raw);
/*
 * An inert list, "0: 12 345, 1: 99", wrapped where a comma ends an item, without a terminal as well: it may be long.
 * Further lines begin where the first item does.
 */
void irq_write_list(FILE *f, const struct view_options *o, const char *before, const char *list);

#endif
