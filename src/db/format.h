/* SPDX-License-Identifier: GPL-2.0-only */
/* The first bytes of an SQLite database, as its file format page has them: read before SQLite sees the file. */
#ifndef DB_FORMAT_H
#define DB_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "db/db.h"

#define FORMAT_HEADER_BYTES 100
#define FORMAT_MAGIC_BYTES  8
#define FORMAT_SUFFIX_BYTES 16 /* of what lies beside it: "-journal" */

enum {
	FORMAT_PAGE_BYTES = 16, /* 2 bytes */
	FORMAT_WRITE_VERSION = 18,
	FORMAT_READ_VERSION = 19, /* 1 byte: 1 rollback journal, 2 write-ahead log */
	FORMAT_PAGES = 28,	  /* 4 bytes: of the whole file */
	FORMAT_USER_VERSION = 60, /* 4 bytes */
	FORMAT_APPLICATION_ID = 68,
};

static inline uint32_t format_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline bool format_is_sqlite(const uint8_t *header, size_t n)
{
	return n >= FORMAT_HEADER_BYTES && !memcmp(header, "SQLite format 3", 16);
}

/* Of whatever version. */
static inline bool format_is_recording(const uint8_t *header, size_t n)
{
	return format_is_sqlite(header, n) && format_be32(header + FORMAT_APPLICATION_ID) == DB_APPLICATION_ID;
}

/* A rollback journal, one that is over, or a write-ahead log: what SQLite lays beside a database. */
static inline bool format_is_journal(const uint8_t *magic, size_t n)
{
	static const uint8_t journal[FORMAT_MAGIC_BYTES] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	static const uint8_t zeros[FORMAT_MAGIC_BYTES];

	if (n < FORMAT_MAGIC_BYTES)
		return !n;
	return !memcmp(magic, journal, n) || !memcmp(magic, zeros, n) || (format_be32(magic) & ~1u) == 0x377f0682;
}

/* 512 to 65536, which is written as 1; 0: none. */
static inline uint32_t format_page_bytes(const uint8_t *header)
{
	uint32_t bytes = (uint32_t)header[FORMAT_PAGE_BYTES] << 8 | header[FORMAT_PAGE_BYTES + 1];

	bytes = bytes == 1 ? 65536 : bytes;
	return bytes < 512 || (bytes & (bytes - 1)) ? 0 : bytes;
}

#endif
