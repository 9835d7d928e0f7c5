/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	double ns;
} time_units[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 },
};

int units_parse_duration(const char *text, bool bare_is_seconds, uint64_t *ns)
{
	double value, scale = 0;
	char *end;

	if (!isdigit((unsigned char)text[0])) /* strtod would take "inf", "-1" and "0x1" */
		return -EINVAL;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return -EINVAL;
	value = strtod(text, &end);
	while (*end == ' ')
		end++;
	if (!*end && bare_is_seconds)
		scale = 1e9;
	for (size_t i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++)
		if (!strcmp(end, time_units[i].name))
			scale = time_units[i].ns;
	if (!scale)
		return -EINVAL;
	if (value * scale >= 0x1p63)
		return -ERANGE;
	*ns = (uint64_t)llround(value * scale);
	return 0;
}

int units_parse_count(const char *text, uint64_t *count)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	*count = strtoull(text, &end, 10);
	if (*end)
		return -EINVAL;
	return -errno;
}

char *units_count(char *buf, uint64_t count)
{
	char digits[UNITS_BYTES];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *out = buf;

	for (int i = 0; i < n; i++) {
		if (i && n > 4 && (n - i) % 3 == 0)
			*out++ = ' ';
		*out++ = digits[i];
	}
	*out = '\0';
	return buf;
}

char *units_duration(char *buf, uint64_t ns)
{
	if (ns < 1000)
		snprintf(buf, UNITS_BYTES, "%" PRIu64 " ns", ns);
	else if (ns < 1000 * 1000)
		snprintf(buf, UNITS_BYTES, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000 * 1000 * 1000)
		snprintf(buf, UNITS_BYTES, "%.1f ms", (double)ns / 1e6);
	else
		snprintf(buf, UNITS_BYTES, "%.1f s", (double)ns / 1e9);
	return buf;
}

char *units_bytes(char *buf, uint64_t bytes)
{
	static const char names[] = "KMGTPE";
	double value = (double)bytes / 1024;
	unsigned i = 0;

	if (bytes < 1024) {
		snprintf(buf, UNITS_BYTES, "%" PRIu64 " B", bytes);
		return buf;
	}
	for (; value >= 1023.95; i++) /* which would be written "1024.0" */
		value /= 1024;
	snprintf(buf, UNITS_BYTES, "%.1f %ciB", value, names[i]);
	return buf;
}

char *units_pct(char *buf, double part, double whole)
{
	double pct = whole > 0 ? 100 * part / whole : 0;

	if (pct > 0 && pct < 0.05)
		snprintf(buf, UNITS_BYTES, "<0.1 %%");
	else
		snprintf(buf, UNITS_BYTES, "%.1f %%", pct);
	return buf;
}
