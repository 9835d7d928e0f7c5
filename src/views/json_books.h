/* SPDX-License-Identifier: GPL-2.0-only */
/* What a JSON report says of the measurement itself. */
#ifndef VIEWS_JSON_BOOKS_H
#define VIEWS_JSON_BOOKS_H

#include "core/json.h"
#include "core/recording.h"

/* The keys meta, sampling, lost, selection, cost, and baseline, in the object that is open. */
void json_books(struct json *j, const struct recording *r);

#endif
