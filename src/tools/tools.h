/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands there are. A new one is src/tools/NAME.c and one line in tools.c. */
#ifndef TOOLS_TOOLS_H
#define TOOLS_TOOLS_H

#include "core/tool.h"

extern const struct tool *const tools[]; /* ends with NULL */

#endif
