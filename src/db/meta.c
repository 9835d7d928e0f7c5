/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/meta.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "db/row.h"

struct field {
	const char *key;
	char type; /* t char[], u uint64_t, n unsigned, y bool, r double; N int64_t beside the recording */
	size_t offset, bytes;
};

#define FIELD(key, type, member)                                                                       \
	{                                                                                              \
		key, type, offsetof(struct recording, member), sizeof(((struct recording *)0)->member) \
	}

/* By key, as SQLite sorts them. */
static const struct field fields[] = {
	FIELD("achieved_hz", 'r', sampling.achieved_hz),
	FIELD("asked_hz", 'u', sampling.asked_hz),
	FIELD("asked_period", 'u', sampling.asked_period),
	{ "checksum", 'N', 0, 0 },
	FIELD("command_line", 't', meta.command_line),
	FIELD("cpus", 'n', meta.cpus),
	FIELD("event", 't', sampling.event),
	FIELD("fallback", 't', sampling.fallback),
	FIELD("host", 't', meta.host),
	FIELD("idle_is_guess", 'y', sampling.idle_is_guess),
	{ "intervals", 'N', 0, 0 },
	FIELD("is_time", 'y', sampling.is_time),
	FIELD("kernel", 't', meta.kernel),
	FIELD("max_depth", 'n', sampling.max_depth),
	FIELD("start_unix_ns", 'u', meta.start_unix_ns),
	FIELD("target", 't', meta.target),
	FIELD("tool", 't', meta.tool),
	FIELD("unit", 't', sampling.unit),
	FIELD("version", 't', meta.version),
};

#define FIELDS	 (sizeof(fields) / sizeof(fields[0]))
#define CHECKSUM 3 /* its place in them */

static struct db_value value_of(const struct field *f, const struct recording *r, int64_t intervals)
{
	const void *at = (const char *)r + f->offset;

	switch (f->type) {
	case 't':
		return row_text(at);
	case 'u':
		return row_int(*(const uint64_t *)at);
	case 'n':
		return row_int(*(const unsigned *)at);
	case 'y':
		return row_int(*(const bool *)at);
	case 'r':
		return row_real(*(const double *)at);
	default:
		return row_int((uint64_t)intervals);
	}
}

int meta_write(sqlite3_stmt *insert, const struct recording *r, int64_t intervals)
{
	struct db_value row[2];
	uint32_t crc = 0;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < FIELDS && rc == SQLITE_OK; i++) {
		if (i == CHECKSUM)
			continue;
		row[0] = row_text(fields[i].key);
		row[1] = value_of(&fields[i], r, intervals);
		crc = row_checksum(crc, "meta", row, 2);
		rc = row_write(insert, row, 2);
	}
	row[0] = row_text(fields[CHECKSUM].key);
	row[1] = row_int(crc);
	return rc == SQLITE_OK ? row_write(insert, row, 2) : rc;
}

/* false: it does not fit. */
static bool set_text(char *at, size_t bytes, const struct db_value *v)
{
	if (v->n >= bytes)
		return false;
	memcpy(at, v->bytes, v->n);
	at[v->n] = '\0';
	return true;
}

static bool set_value(const struct field *f, struct recording *r, const struct db_value *v, int64_t *number)
{
	void *at = (char *)r + f->offset;

	switch (f->type) {
	case 't':
		return set_text(at, f->bytes, v);
	case 'u':
		*(uint64_t *)at = (uint64_t)v->i;
		return true;
	case 'n':
		*(unsigned *)at = (unsigned)v->i;
		return v->i >= 0 && v->i <= INT_MAX;
	case 'y':
		*(bool *)at = v->i == 1;
		return v->i == 0 || v->i == 1;
	case 'r':
		*(double *)at = v->real;
		return isfinite(v->real) && v->real >= 0;
	default:
		*number = v->i;
		return v->i >= 0;
	}
}

static const char *types_of(const struct field *f)
{
	return f->type == 't' ? "tt" : f->type == 'r' ? "tr" : "ti";
}

static bool read_row(sqlite3_stmt *q, size_t i, struct recording *r, uint32_t *crc, int64_t numbers[FIELDS])
{
	struct db_value row[2];

	if (i >= FIELDS || !row_read(q, 0, types_of(&fields[i]), row) || strcmp(row[0].bytes, fields[i].key) != 0 ||
	    !set_value(&fields[i], r, &row[1], &numbers[i]))
		return false;
	if (i != CHECKSUM)
		*crc = row_checksum(*crc, "meta", row, 2);
	return true;
}

int meta_read(sqlite3 *db, struct recording *r, int64_t *intervals)
{
	int64_t numbers[FIELDS] = { 0 };
	sqlite3_stmt *q = NULL;
	uint32_t crc = 0;
	size_t n = 0;
	int rc = sqlite3_prepare_v2(db, "SELECT key, value FROM meta ORDER BY key", -1, &q, NULL);

	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(q);
		if (rc == SQLITE_ROW && !read_row(q, n++, r, &crc, numbers))
			rc = SQLITE_CORRUPT;
	}
	sqlite3_finalize(q);
	if (rc != SQLITE_DONE || n != FIELDS || !row_checksum_is(crc, numbers[CHECKSUM]))
		return rc == SQLITE_NOMEM ? -ENOMEM : -EBADMSG;
	for (size_t i = 0; i < FIELDS; i++)
		if (!strcmp(fields[i].key, "intervals"))
			*intervals = numbers[i];
	return 0;
}
