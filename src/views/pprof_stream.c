/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/pprof_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRING_TABLE_FIELD 6
#define CHUNK_BYTES	   32768
#define GZIP_WINDOW_BITS   (15 + 16) /* the largest window, and a gzip header: without a time, so the same each run */

static void compress_waiting(struct pprof_stream *s, int flush)
{
	unsigned char out[CHUNK_BYTES];

	if (s->err)
		return;
	s->z.next_in = s->waiting.bytes;
	s->z.avail_in = (uInt)s->waiting.n;
	do {
		s->z.next_out = out;
		s->z.avail_out = sizeof(out);
		deflate(&s->z, flush); /* no error is possible: the state is sound and there is room */
		fwrite(out, 1, sizeof(out) - s->z.avail_out, s->f);
	} while (!s->z.avail_out);
	protobuf_clear(&s->waiting);
}

static void flush_full(struct pprof_stream *s)
{
	if (s->waiting.no_memory && !s->err)
		s->err = -ENOMEM;
	if (s->waiting.n >= CHUNK_BYTES)
		compress_waiting(s, Z_NO_FLUSH);
}

int pprof_stream_open(struct pprof_stream *s, FILE *f)
{
	*s = (struct pprof_stream){ .f = f };
	/* 8 is zlib's own choice of memory. It fails for want of memory only. */
	if (deflateInit2(&s->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		s->err = -ENOMEM;
	pprof_stream_string(s, "");
	return s->err;
}

void pprof_stream_uint(struct pprof_stream *s, unsigned field, uint64_t value)
{
	protobuf_uint(&s->waiting, field, value);
	flush_full(s);
}

void pprof_stream_message(struct pprof_stream *s, unsigned field, const struct protobuf *message)
{
	protobuf_message(&s->waiting, field, message);
	flush_full(s);
}

static bool same_string(const void *owner, uint32_t id, const void *key)
{
	return !strcmp(((const struct pprof_stream *)owner)->strings[id], key);
}

static int add_string(struct pprof_stream *s, uint64_t hash, const char *text)
{
	char **strings = intern_grow(s->strings, &s->capacity, s->n_strings + 1, sizeof(*strings));

	if (!strings)
		return -ENOMEM;
	s->strings = strings;
	strings[s->n_strings] = strdup(text);
	if (!strings[s->n_strings])
		return -ENOMEM;
	return intern_add(&s->ids, hash, (int)s->n_strings++);
}

uint64_t pprof_stream_string(struct pprof_stream *s, const char *text)
{
	size_t bytes = strlen(text);
	uint64_t hash = intern_hash(0, text, bytes);
	int id = s->err ? 0 : intern_find(&s->ids, hash, same_string, s, text);

	if (id >= 0)
		return (uint64_t)id;
	s->err = add_string(s, hash, text);
	protobuf_bytes(&s->waiting, STRING_TABLE_FIELD, text, bytes);
	flush_full(s);
	return s->n_strings - 1;
}

int pprof_stream_close(struct pprof_stream *s)
{
	compress_waiting(s, Z_FINISH);
	deflateEnd(&s->z);
	for (size_t i = 0; i < s->n_strings; i++)
		free(s->strings[i]);
	free(s->strings);
	intern_free(&s->ids);
	protobuf_free(&s->waiting);
	return s->err;
}
