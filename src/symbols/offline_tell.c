/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/offline_tell.h"

#include <err.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#define MESSAGES_MAX  20
#define MESSAGE_BYTES (2 * PATH_MAX)

/* Paths come from recordings: what could steer a terminal is shown as '?'. */
static void tell(const char *format, va_list args)
{
	char text[MESSAGE_BYTES];

	vsnprintf(text, sizeof(text), format, args);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
	warnx("%s", text);
}

void offline_tell(struct offline_tell *t, const char *format, ...)
{
	va_list args;

	if (t->quiet)
		return;
	if (t->told == MESSAGES_MAX) {
		t->held_back++;
		return;
	}
	t->told++;
	va_start(args, format);
	tell(format, args);
	va_end(args);
}

void offline_tell_rest(struct offline_tell *t)
{
	if (t->held_back)
		warnx("%u more files were not used", t->held_back);
}

void offline_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(format, args);
	va_end(args);
}
