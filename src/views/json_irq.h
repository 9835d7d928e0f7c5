/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts and their work in the JSON report: sources, rows of each CPU, whom they kept waiting, cases. */
#ifndef VIEWS_JSON_IRQ_H
#define VIEWS_JSON_IRQ_H

#include "views/json_frames.h"

/* Its stacks. */
void json_irq_use(const struct recording *r, struct json_frames *frames);
/* The key irq; null if the recording has none. */
void json_irq(struct json *j, const struct recording *r, const struct json_frames *frames);

#endif
