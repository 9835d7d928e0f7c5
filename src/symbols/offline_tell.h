/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said of files that were not used: on stderr, made inert, and not without end. */
#ifndef SYMBOLS_OFFLINE_TELL_H
#define SYMBOLS_OFFLINE_TELL_H

#include <stdbool.h>

struct offline_tell {
	bool quiet;
	unsigned told, held_back;
};

__attribute__((format(printf, 2, 3))) void offline_tell(struct offline_tell *t, const char *format, ...);
/* How many messages were held back, if any. */
void offline_tell_rest(struct offline_tell *t);
/* Of a file that the user named: told whatever the options say. */
__attribute__((format(printf, 1, 2))) void offline_fail(const char *format, ...);

#endif
