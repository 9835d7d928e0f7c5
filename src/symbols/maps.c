/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/maps.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A path has up to 4095 bytes, four each when all are newlines; a longer line is left out. */
#define BUFFER_BYTES (20 * 1024)

/* Digits of base 10 or 16, at least one, then `end`; moves *p behind that. */
static bool parse_number(char **p, unsigned base, char end, uint64_t *number)
{
	const char *first = *p;
	uint64_t n = 0;

	for (;; ++*p) {
		unsigned digit = (unsigned char)**p;

		if (digit >= '0' && digit <= '9')
			digit -= '0';
		else if (digit >= 'a' && digit <= 'f')
			digit -= 'a' - 10;
		else
			break;
		if (digit >= base || n > (UINT64_MAX - digit) / base)
			return false;
		n = n * base + digit;
	}
	if (*p == first || **p != end)
		return false;
	++*p;
	*number = n;
	return true;
}

/* 55d499f60000-55d499f66000 r-xp 00002000 fe:00 247498                     /usr/bin/head */
bool maps_parse(char *line, struct maps_line *m)
{
	uint64_t major, minor;
	char *p = line;

	if (!parse_number(&p, 16, '-', &m->start) || !parse_number(&p, 16, ' ', &m->end) || m->end <= m->start)
		return false;
	if (strnlen(p, 5) < 5 || p[4] != ' ')
		return false;
	m->is_executable = p[2] == 'x';
	p += 5;
	if (!parse_number(&p, 16, ' ', &m->offset) || !parse_number(&p, 16, ':', &major) ||
	    !parse_number(&p, 16, ' ', &minor) || !parse_number(&p, 10, ' ', &m->inode))
		return false;
	m->dev = makedev((unsigned)major, (unsigned)minor);
	m->path = p + strspn(p, " ");
	m->mapped_ns = 0;
	m->is_past = false;
	return true;
}

/* Hands the complete lines of buf to fn; *rest is where the incomplete one begins. */
static int parse_lines(char *buf, size_t n, size_t *rest, maps_fn *fn, void *ctx)
{
	char *line = buf, *newline;
	struct maps_line m;
	int err = 0;

	while (!err && (newline = memchr(line, '\n', n - (size_t)(line - buf)))) {
		*newline = '\0';
		if (maps_parse(line, &m))
			err = fn(ctx, &m);
		line = newline + 1;
	}
	*rest = (size_t)(line - buf);
	return err;
}

int maps_read(int fd, maps_fn *fn, void *ctx)
{
	char buf[BUFFER_BYTES];
	size_t have = 0, rest;
	int err = 0;

	while (!err) {
		ssize_t n = read(fd, buf + have, sizeof(buf) - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		have += (size_t)n;
		err = parse_lines(buf, have, &rest, fn, ctx);
		if (!rest && have == sizeof(buf)) /* no newline in sight: the rest of it will not parse either */
			rest = have;
		have -= rest;
		memmove(buf, buf + rest, have);
	}
	return err;
}
