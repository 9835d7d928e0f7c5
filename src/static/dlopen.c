/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Linked into kbpfprof-static only, with --wrap=dlopen: a static program cannot load a library safely (glibc wants the
 * very version it was linked with). The one caller is SQLite, for extensions, which are never asked for.
 */
#include <stddef.h>

void *__wrap_dlopen(const char *path, int mode);

void *__wrap_dlopen(const char *path, int mode)
{
	(void)path;
	(void)mode;
	return NULL;
}
