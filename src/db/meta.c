/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/meta.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/latency.h"
#include "db/row.h"

struct field {
	const char *key;
	char type; /* t char[], u uint64_t, n unsigned, y bool, l enum rec_lack, r double; N int64_t beside the
		      recording */
	size_t offset, bytes;
	bool of_latency; /* a member of that; not in version 1 */
};

#define FIELD(key, type, member)                                                                              \
	{                                                                                                     \
		key, type, offsetof(struct recording, member), sizeof(((struct recording *)0)->member), false \
	}
#define LATENCY(key, type, member)                                                                               \
	{                                                                                                        \
		key, type, offsetof(struct rec_latency, member), sizeof(((struct rec_latency *)0)->member), true \
	}

/* By key, as SQLite sorts them. */
static const struct field fields[] = {
	LATENCY("above_ns", 'u', above_ns),
	FIELD("achieved_hz", 'r', sampling.achieved_hz),
	FIELD("asked_hz", 'u', sampling.asked_hz),
	FIELD("asked_period", 'u', sampling.asked_period),
	{ "checksum", 'N', 0, 0, false },
	FIELD("command_line", 't', meta.command_line),
	FIELD("cpus", 'n', meta.cpus),
	FIELD("event", 't', sampling.event),
	FIELD("fallback", 't', sampling.fallback),
	FIELD("host", 't', meta.host),
	FIELD("idle_is_guess", 'y', sampling.idle_is_guess),
	{ "intervals", 'N', 0, 0, false },
	FIELD("is_time", 'y', sampling.is_time),
	FIELD("kernel", 't', meta.kernel),
	{ "latency", 'N', 0, 0, true },
	FIELD("max_depth", 'n', sampling.max_depth),
	LATENCY("no_boosts", 'l', no_boosts),
	LATENCY("no_causes", 'y', no_causes),
	LATENCY("no_interrupts", 'l', no_interrupts),
	LATENCY("no_nmi", 'l', no_nmi),
	LATENCY("no_preempt_depth", 'l', no_preempt_depth),
	LATENCY("no_resched", 'l', no_resched),
	LATENCY("no_switch_entry", 'l', no_switch_entry),
	LATENCY("no_timer", 'l', no_timer),
	LATENCY("no_vectors", 'l', no_vectors),
	LATENCY("per", 't', per),
	LATENCY("policy", 't', policy),
	LATENCY("softirqs_are_threads", 'y', softirqs_are_threads),
	FIELD("start_unix_ns", 'u', meta.start_unix_ns),
	FIELD("target", 't', meta.target),
	FIELD("tool", 't', meta.tool),
	FIELD("unit", 't', sampling.unit),
	FIELD("version", 't', meta.version),
	LATENCY("worst", 'n', worst),
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

/* What is beside the recording. */
struct numbers {
	int64_t checksum, intervals, latency;
};

static int64_t *number_of(struct numbers *n, const char *key)
{
	return !strcmp(key, "checksum") ? &n->checksum : !strcmp(key, "latency") ? &n->latency : &n->intervals;
}

static bool is_checksum(const struct field *f)
{
	return !strcmp(f->key, "checksum");
}

static struct db_value value_of(const struct field *f, const struct recording *r, struct numbers *numbers)
{
	static const struct rec_latency none;
	const struct rec_latency *l = r->latency ? r->latency : &none;
	const void *at = (f->of_latency ? (const char *)l : (const char *)r) + f->offset;

	switch (f->type) {
	case 't':
		return row_text(at);
	case 'u':
		return row_int(*(const uint64_t *)at);
	case 'n':
		return row_int(*(const unsigned *)at);
	case 'y':
		return row_int(*(const bool *)at);
	case 'l':
		return row_int(*(const enum rec_lack *)at);
	case 'r':
		return row_real(*(const double *)at);
	default:
		return row_int((uint64_t)*number_of(numbers, f->key));
	}
}

int meta_write(sqlite3_stmt *insert, const struct recording *r, int64_t intervals)
{
	struct numbers numbers = { .intervals = intervals, .latency = r->latency != NULL };
	struct db_value row[2];
	uint32_t crc = 0;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < FIELDS && rc == SQLITE_OK; i++) {
		if (is_checksum(&fields[i]))
			continue;
		row[0] = row_text(fields[i].key);
		row[1] = value_of(&fields[i], r, &numbers);
		crc = row_checksum(crc, "meta", row, 2);
		rc = row_write(insert, row, 2);
	}
	row[0] = row_text("checksum");
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

static bool set_value(const struct field *f, struct recording *r, const struct db_value *v, struct numbers *numbers)
{
	void *at = (f->of_latency ? (char *)r->latency : (char *)r) + f->offset;

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
	case 'l':
		*(enum rec_lack *)at = (enum rec_lack)v->i;
		return v->i >= 0 && v->i < REC_LACKS;
	case 'r':
		*(double *)at = v->real;
		return isfinite(v->real) && v->real >= 0;
	default:
		*number_of(numbers, f->key) = v->i;
		return v->i >= 0;
	}
}

static const char *types_of(const struct field *f)
{
	return f->type == 't' ? "tt" : f->type == 'r' ? "tr" : "ti";
}

struct reading {
	const struct field *next; /* the row that should come */
	uint32_t version, crc;
	struct numbers numbers;
};

static void skip_newer(struct reading *in)
{
	while (in->version == 1 && in->next < fields + FIELDS && in->next->of_latency)
		in->next++;
}

static bool read_row(sqlite3_stmt *q, struct recording *r, struct reading *in)
{
	const struct field *f = in->next;
	struct db_value row[2];

	if (f == fields + FIELDS || !row_read(q, 0, types_of(f), row) || strcmp(row[0].bytes, f->key) != 0 ||
	    !set_value(f, r, &row[1], &in->numbers))
		return false;
	if (!is_checksum(f))
		in->crc = row_checksum(in->crc, "meta", row, 2);
	in->next++;
	skip_newer(in);
	return true;
}

/* Members of latencies that there are not have no place to go to afterwards. */
static void drop_latency(struct recording *r)
{
	latency_free(r->latency);
	r->latency = NULL;
}

int meta_read(const struct source *s, struct recording *r, int64_t *intervals)
{
	struct reading in = { .next = fields, .version = s->version };
	sqlite3_stmt *q = NULL;
	int rc;

	if (!latency_of(r))
		return -ENOMEM;
	skip_newer(&in);
	rc = sqlite3_prepare_v2(s->db, "SELECT key, value FROM meta ORDER BY key", -1, &q, NULL);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(q);
		if (rc == SQLITE_ROW && !read_row(q, r, &in))
			rc = SQLITE_CORRUPT;
	}
	sqlite3_finalize(q);
	if (rc != SQLITE_DONE || in.next != fields + FIELDS || in.numbers.latency > 1 ||
	    !row_checksum_is(in.crc, in.numbers.checksum))
		return rc == SQLITE_NOMEM ? -ENOMEM : -EBADMSG;
	*intervals = in.numbers.intervals;
	if (!in.numbers.latency)
		drop_latency(r);
	return 0;
}
