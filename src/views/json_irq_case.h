/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VIEWS_JSON_IRQ_CASE_H
#define VIEWS_JSON_IRQ_CASE_H

#include "core/irq.h"
#include "views/json_frames.h"

void json_irq_case(struct json *j, const struct recording *r, const struct rec_irq_case *c,
		   const struct json_frames *frames);

#endif
