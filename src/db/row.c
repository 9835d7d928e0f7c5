/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/row.h"

#include <limits.h>
#include <zlib.h>

/* zlib works best on long runs: small pieces are gathered. */
struct gather {
	uint32_t crc;
	size_t n;
	uint8_t bytes[512];
};

static void flush(struct gather *g)
{
	g->crc = (uint32_t)crc32(g->crc, g->bytes, (uInt)g->n);
	g->n = 0;
}

static void take(struct gather *g, const void *bytes, size_t n)
{
	if (!n)
		return;
	if (g->n + n > sizeof(g->bytes))
		flush(g);
	if (n > sizeof(g->bytes)) {
		g->crc = (uint32_t)crc32_z(g->crc, bytes, n);
		return;
	}
	memcpy(g->bytes + g->n, bytes, n);
	g->n += n;
}

static void take_number(struct gather *g, char tag, uint64_t number)
{
	uint8_t bytes[9] = { (uint8_t)tag };

	for (int i = 0; i < 8; i++)
		bytes[1 + i] = (uint8_t)(number >> 8 * i);
	take(g, bytes, sizeof(bytes));
}

static void take_value(struct gather *g, const struct db_value *v)
{
	uint64_t bits;

	switch (v->type) {
	case SQLITE_INTEGER:
		take_number(g, 'i', (uint64_t)v->i);
		break;
	case SQLITE_FLOAT:
		memcpy(&bits, &v->real, sizeof(bits));
		take_number(g, 'r', bits);
		break;
	case SQLITE_TEXT:
	case SQLITE_BLOB:
		take_number(g, v->type == SQLITE_TEXT ? 't' : 'b', v->n);
		take(g, v->bytes, v->n);
		break;
	default:
		take(g, "n", 1);
	}
}

uint32_t row_checksum(uint32_t crc, const char *table, const struct db_value *columns, unsigned n)
{
	struct gather g;

	g.crc = crc;
	g.n = 0;
	take(&g, table, strlen(table));
	for (unsigned i = 0; i < n; i++)
		take_value(&g, &columns[i]);
	flush(&g);
	return g.crc;
}

static int bind(sqlite3_stmt *q, int at, const struct db_value *v)
{
	switch (v->type) {
	case SQLITE_INTEGER:
		return sqlite3_bind_int64(q, at, v->i);
	case SQLITE_FLOAT:
		return sqlite3_bind_double(q, at, v->real);
	case SQLITE_TEXT:
		return sqlite3_bind_text64(q, at, v->bytes, v->n, SQLITE_STATIC, SQLITE_UTF8);
	case SQLITE_BLOB:
		return v->n ? sqlite3_bind_blob64(q, at, v->bytes, v->n, SQLITE_STATIC)
			    : sqlite3_bind_zeroblob(q, at, 0);
	default:
		return sqlite3_bind_null(q, at);
	}
}

int row_write(sqlite3_stmt *insert, const struct db_value *columns, unsigned n)
{
	int rc = SQLITE_OK;

	for (unsigned i = 0; i < n && rc == SQLITE_OK; i++)
		rc = bind(insert, (int)i + 1, &columns[i]);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(insert);
	sqlite3_reset(insert);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static bool is_of(char letter, int type)
{
	switch (letter) {
	case 'i':
		return type == SQLITE_INTEGER;
	case 'I':
		return type == SQLITE_INTEGER || type == SQLITE_NULL;
	case 't':
		return type == SQLITE_TEXT;
	case 'b':
		return type == SQLITE_BLOB;
	case 'r':
		return type == SQLITE_FLOAT;
	default:
		return false;
	}
}

static bool read_value(sqlite3_stmt *q, int column, char letter, struct db_value *v)
{
	static const char empty[] = "";

	*v = (struct db_value){ .type = sqlite3_column_type(q, column) };
	if (!is_of(letter, v->type)) {
		v->type = SQLITE_NULL;
		return false;
	}
	if (v->type == SQLITE_INTEGER)
		v->i = sqlite3_column_int64(q, column);
	else if (v->type == SQLITE_FLOAT)
		v->real = sqlite3_column_double(q, column);
	else if (v->type == SQLITE_NULL)
		return true;
	else
		v->bytes = v->type == SQLITE_TEXT ? sqlite3_column_text(q, column) : sqlite3_column_blob(q, column);
	if (v->type != SQLITE_TEXT && v->type != SQLITE_BLOB)
		return true;
	v->n = (size_t)sqlite3_column_bytes(q, column);
	if (!v->bytes && v->n) { /* no memory */
		v->type = SQLITE_NULL;
		return false;
	}
	if (!v->bytes)
		v->bytes = empty;
	return v->type == SQLITE_BLOB || !memchr(v->bytes, '\0', v->n);
}

bool row_read(sqlite3_stmt *q, int first, const char *types, struct db_value *columns)
{
	bool good = true;

	for (int i = 0; types[i]; i++)
		good &= read_value(q, first + i, types[i], &columns[i]);
	return good;
}

size_t row_varint_put(uint8_t *out, uint64_t number)
{
	size_t bytes = 0;

	for (; number >= 0x80; number >>= 7)
		out[bytes++] = (uint8_t)(number | 0x80);
	out[bytes++] = (uint8_t)number;
	return bytes;
}

size_t row_varint_get(const uint8_t *blob, size_t bytes, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < bytes; i++) {
		*number |= (uint64_t)(blob[i] & 0x7f) << 7 * i;
		if (!(blob[i] & 0x80))
			return i + 1;
	}
	return 0;
}

size_t row_frames_encode(uint8_t *out, const uint32_t *locations, size_t n)
{
	size_t bytes = 0;

	for (size_t i = 1; i < n; i++) {
		int64_t step = (int64_t)locations[i] - locations[i - 1];

		bytes += row_varint_put(out + bytes, step < 0 ? ((uint64_t)-step << 1) - 1 : (uint64_t)step << 1);
	}
	return bytes;
}

bool row_frames_decode(uint32_t *out, size_t n, const uint8_t *blob, size_t bytes)
{
	int64_t location = n ? out[0] : 0;
	size_t at = 0;

	for (size_t i = 1; i < n; i++) {
		size_t left = bytes - at, used;
		uint64_t step;

		used = row_varint_get(blob + at, left < ROW_VARINT_BYTES_MAX ? left : ROW_VARINT_BYTES_MAX, &step);
		location += (int64_t)(step >> 1) ^ -(int64_t)(step & 1);
		if (!used || location < 0 || location > INT_MAX)
			return false;
		out[i] = (uint32_t)location;
		at += used;
	}
	return at == bytes;
}
