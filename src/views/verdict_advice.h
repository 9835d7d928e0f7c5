/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be done about a cause of delays. */
#ifndef VIEWS_VERDICT_ADVICE_H
#define VIEWS_VERDICT_ADVICE_H

#include "core/latency.h"

/* `name` is of the task, "" if there are several. NULL: nothing can be said. */
const char *verdict_advice(enum wake_cause cause, const char *name);
/* "tasks of better priority": of causes that have names, when there are several; else NULL. */
const char *verdict_kind(enum wake_cause cause);

#endif
