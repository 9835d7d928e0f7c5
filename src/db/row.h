/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows between SQLite and checksums; numbers between memory and blobs. */
#ifndef DB_ROW_H
#define DB_ROW_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One column of a row. Bytes are those of whoever made it; a text from row_read() ends with NUL. */
struct db_value {
	int type; /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB, SQLITE_NULL */
	int64_t i;
	double real;
	const void *bytes;
	size_t n;
};

/* SQLite has no unsigned integers: addresses and inodes above 2^63 are its negative ones. */
static inline struct db_value row_int(uint64_t i)
{
	return (struct db_value){ .type = SQLITE_INTEGER, .i = (int64_t)i };
}

static inline struct db_value row_signed(int64_t i)
{
	return (struct db_value){ .type = SQLITE_INTEGER, .i = i };
}

static inline struct db_value row_text(const char *s)
{
	return (struct db_value){ .type = SQLITE_TEXT, .bytes = s, .n = strlen(s) };
}

static inline struct db_value row_real(double real)
{
	return (struct db_value){ .type = SQLITE_FLOAT, .real = real };
}

/* CRC-32 of the table's name and the columns, going on from `crc`; the form is in kbpfprof-recording(5). */
uint32_t row_checksum(uint32_t crc, const char *table, const struct db_value *columns, unsigned n);
/*
 * Is a stored checksum the one computed? A fuzzer cannot guess 32 bits: its build takes them for
 * right, so that it sees what lies behind.
 */
static inline bool row_checksum_is(uint32_t computed, int64_t stored)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	(void)computed;
	(void)stored;
	return true;
#else
	return stored == computed;
#endif
}

/* Binds, steps, resets. SQLITE_OK or SQLite's error. */
int row_write(sqlite3_stmt *insert, const struct db_value *columns, unsigned n);
/*
 * Columns `first` and on, as many as `types` has letters, see db_table_def. false: one is of another
 * type, or a text with a NUL in it; then columns that are good are there all the same, others NULL.
 */
bool row_read(sqlite3_stmt *q, int first, const char *types, struct db_value *columns);

/* LEB128: seven bits a byte, the lowest first. Both return bytes; get 0 if none of `bytes` ends it. */
size_t row_varint_put(uint8_t *out, uint64_t number);
size_t row_varint_get(const uint8_t *blob, size_t bytes, uint64_t *number);

#define ROW_VARINT_BYTES_MAX 5
/*
 * Location ids but the first as differences to the one before, small ones in one byte: zigzag
 * LEB128. Returns bytes.
 */
size_t row_frames_encode(uint8_t *out, const uint32_t *locations, size_t n);
/* out[0], if n is not 0, is there already. false: the blob is not exactly the others, or one is none of 0 to INT32_MAX.
 */
bool row_frames_decode(uint32_t *out, size_t n, const uint8_t *blob, size_t bytes);

#endif
