/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/PID/maps, line by line, and what stands in a line. */
#ifndef SYMBOLS_MAPS_H
#define SYMBOLS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct maps_line {
	uint64_t start, end;
	uint64_t offset;     /* of start in the file */
	uint64_t dev, inode; /* as stat(2) gives them, but see object.c; inode 0: no file */
	bool is_executable;
	const char *path; /* as the kernel prints it: newlines are "\012", the end may be " (deleted)"; "" if none */
	uint64_t
		mapped_ns; /* CLOCK_REALTIME at which it was mapped, if an event told so: newlines are as they are; else
			      0 */
	bool is_past;	   /* no mapping of the process any more, as far as is known */
};

/* Reads one line, without its newline, which it may change. False: not a line of maps. */
bool maps_parse(char *line, struct maps_line *m);

/* 0 or -errno. */
typedef int maps_fn(void *ctx, const struct maps_line *m);

/* Calls fn for every line of an open maps file. 0, -errno of read(2), or what fn returned. */
int maps_read(int fd, maps_fn *fn, void *ctx);

#endif
