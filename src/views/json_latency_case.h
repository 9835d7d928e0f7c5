/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VIEWS_JSON_LATENCY_CASE_H
#define VIEWS_JSON_LATENCY_CASE_H

#include "core/latency.h"
#include "views/json_frames.h"

/* The key id: number of a line, vector or softirq; null of other causes. */
void json_latency_id(struct json *j, enum wake_cause cause, int id);
void json_latency_case(struct json *j, const struct recording *r, const struct rec_case *c,
		       const struct json_frames *frames);

#endif
