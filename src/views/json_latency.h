/* SPDX-License-Identifier: GPL-2.0-only */
/* Latencies in the JSON report: histograms with bounds, causes, intervals, cases whose parts add up. */
#ifndef VIEWS_JSON_LATENCY_H
#define VIEWS_JSON_LATENCY_H

#include "views/json_frames.h"

/* Its stacks. */
void json_latency_use(const struct recording *r, struct json_frames *frames);
/* The key latency; null if the recording has none. */
void json_latency(struct json *j, const struct recording *r, const struct json_frames *frames);

#endif
