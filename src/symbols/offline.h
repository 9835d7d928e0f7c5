/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for a recording that was made elsewhere, from files: the target's root file system, its
 * vmlinux, separate debug files. A file is used only if it is the very build that was measured.
 */
#ifndef SYMBOLS_OFFLINE_H
#define SYMBOLS_OFFLINE_H

#include <stdbool.h>

#include "core/recording.h"

struct offline_options {
	const char
		*symfs; /* the target's root file system; NULL: this machine's, for what the recording leaves unnamed */
	const char *vmlinux;   /* with .symtab; its names replace those recorded; NULL: none */
	const char *kallsyms;  /* /proc/kallsyms of the target, or its System.map; NULL: none */
	const char *debug_dir; /* of separate debug files; NULL: usr/lib/debug, below symfs if that is given */
	bool quiet;	       /* says nothing of files that were not used */
};

/*
 * Names what can be named. A file that the user named and that is missing, unusable or of another
 * build fails: -ENOENT, -ENOEXEC, -ESTALE, after a message. A library below symfs that is missing
 * or of another build is told once, by name, and left out: WHY_FILE_GONE, WHY_FILE_CHANGED for what
 * has no name yet. 0, -ENOMEM or the above.
 */
int offline_resolve(struct recording *r, const struct offline_options *o);

#endif
