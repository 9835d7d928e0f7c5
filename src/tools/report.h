/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of `report` share, and `diff` with it. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <stdbool.h>

#include "core/tool.h"
#include "db/db.h"
#include "symbols/offline.h"

/* Gives up privileges, loads, says what is damaged. 0 or -errno after a message; loaded_free() is due if 0. */
int report_load(struct load_request *q, const char *path, const struct load_range *range, struct loaded *loaded);

#endif
