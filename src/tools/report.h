/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of `report` share, and `diff` with it. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <stdbool.h>

#include "core/tool.h"
#include "db/db.h"
#include "symbols/offline.h"

/* Rows of an option table for a `struct offline_options` member named `offline` of struct s. */
#define OFFLINE_OPTIONS(s)                                                                                       \
	OPT_STRING(0, "symfs", s, offline.symfs, "DIR", "root file system of the measured machine"),             \
		OPT_STRING('k', "vmlinux", s, offline.vmlinux, "FILE", "its kernel, with symbols"),              \
		OPT_STRING(0, "kallsyms", s, offline.kallsyms, "FILE", "its /proc/kallsyms, or the System.map"), \
		OPT_STRING(0, "debug-dir", s, offline.debug_dir, "DIR", "separate debug files (usr/lib/debug)")

/* Gives up privileges, loads, says what is damaged. 0 or -errno after a message; loaded_free() is due if 0. */
int report_load(struct load_request *q, const char *path, const struct load_range *range, struct loaded *loaded);
/* Tells what nobody did of a recording that was loaded, but could not be made ready: no memory. Returns `err`. */
int report_failed(int err, const char *path);

#endif
