/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile.proto message, compressed and written field by field as it comes. Kept in memory are
 * only the strings, since others refer to them by number.
 */
#ifndef VIEWS_PPROF_STREAM_H
#define VIEWS_PPROF_STREAM_H

#include <stdio.h>
#include <zlib.h>

#include "core/intern.h"
#include "core/protobuf.h"

struct pprof_stream {
	FILE *f;
	int err; /* the first one; from then on nothing is written */
	struct protobuf waiting;
	z_stream z;
	char **strings;
	size_t n_strings, capacity;
	struct intern ids;
};

/* 0 or -ENOMEM; pprof_stream_close() is due either way. */
int pprof_stream_open(struct pprof_stream *s, FILE *f);
/* Number of the string, which must be UTF-8; 0 is "". */
uint64_t pprof_stream_string(struct pprof_stream *s, const char *text);
/* Fields of the profile itself. */
void pprof_stream_uint(struct pprof_stream *s, unsigned field, uint64_t value);
void pprof_stream_message(struct pprof_stream *s, unsigned field, const struct protobuf *message);
/* Writes the rest. 0, or what failed first: -ENOMEM. Errors of the FILE are the caller's to see by ferror(). */
int pprof_stream_close(struct pprof_stream *s);

#endif
