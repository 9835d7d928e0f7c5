/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/moment.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

char *moment_second_text(char buf[MOMENT_BYTES], uint64_t unix_ns)
{
	time_t s = (time_t)(unix_ns / 1000000000);
	struct tm tm;

	if (!localtime_r(&s, &tm))
		return strcpy(buf, "?");
	snprintf(buf, MOMENT_BYTES, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
	return buf;
}

char *moment_text(char buf[MOMENT_BYTES], uint64_t unix_ns)
{
	size_t used = strlen(moment_second_text(buf, unix_ns));

	if (buf[0] != '?')
		snprintf(buf + used, MOMENT_BYTES - used, ".%06u", (unsigned)(unix_ns % 1000000000 / 1000));
	return buf;
}
