/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/meta.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/irq.h"
#include "core/latency.h"
#include "db/row.h"
#include "db/schema.h"

/* Of whom it is a member. */
enum owner {
	OF_RECORDING,
	OF_LATENCY, /* not in version 1 */
	OF_IRQ,	    /* not in versions 1 to 3 */
};

struct field {
	const char *key;
	char type; /* t char[], u uint64_t, n unsigned, y bool, l enum rec_lack, g unsigned of enum rec_irq_group,
		      r double; N int64_t beside the recording */
	size_t offset, bytes;
	enum owner of;
};

#define MEMBER(key, type, of, whole, member)                                         \
	{                                                                            \
		key, type, offsetof(whole, member), sizeof(((whole *)0)->member), of \
	}
#define FIELD(key, type, member)   MEMBER(key, type, OF_RECORDING, struct recording, member)
#define LATENCY(key, type, member) MEMBER(key, type, OF_LATENCY, struct rec_latency, member)
#define IRQ(key, type, member)	   MEMBER(key, type, OF_IRQ, struct rec_irq, member)

/* By key, as SQLite sorts them. */
static const struct field fields[] = {
	LATENCY("above_ns", 'u', above_ns),
	FIELD("achieved_hz", 'r', sampling.achieved_hz),
	FIELD("asked_hz", 'u', sampling.asked_hz),
	FIELD("asked_period", 'u', sampling.asked_period),
	{ "checksum", 'N', 0, 0, OF_RECORDING },
	FIELD("command_line", 't', meta.command_line),
	FIELD("cpus", 'n', meta.cpus),
	FIELD("event", 't', sampling.event),
	FIELD("fallback", 't', sampling.fallback),
	FIELD("host", 't', meta.host),
	FIELD("idle_is_guess", 'y', sampling.idle_is_guess),
	{ "intervals", 'N', 0, 0, OF_RECORDING },
	{ "irq", 'N', 0, 0, OF_IRQ },
	IRQ("irq_above_ns", 'u', above_ns),
	IRQ("irq_asked", 'g', asked),
	IRQ("irq_filter", 't', filter),
	IRQ("irq_measured", 'g', measured),
	IRQ("irq_no_preempt_depth", 'y', no_preempt_depth),
	IRQ("irq_probe_ns", 'u', probe_ns),
	IRQ("irq_softirqs_are_threads", 'y', softirqs_are_threads),
	IRQ("irq_storm_count", 'u', storm_count),
	IRQ("irq_worst", 'n', worst),
	FIELD("is_time", 'y', sampling.is_time),
	FIELD("kernel", 't', meta.kernel),
	{ "latency", 'N', 0, 0, OF_LATENCY },
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
	int64_t checksum, intervals, latency, irq;
};

static int64_t *number_of(struct numbers *n, const char *key)
{
	if (!strcmp(key, "checksum"))
		return &n->checksum;
	if (!strcmp(key, "latency"))
		return &n->latency;
	return !strcmp(key, "irq") ? &n->irq : &n->intervals;
}

static bool is_checksum(const struct field *f)
{
	return !strcmp(f->key, "checksum");
}

static const void *member_of(const struct field *f, const struct recording *r)
{
	static const struct rec_latency no_latency;
	static const struct rec_irq no_irq;
	const void *whole = r;

	if (f->of == OF_LATENCY)
		whole = r->latency ? r->latency : &no_latency;
	else if (f->of == OF_IRQ)
		whole = r->irq ? r->irq : &no_irq;
	return (const char *)whole + f->offset;
}

/* `groups`: room for a text. */
static struct db_value value_of(const struct field *f, const struct recording *r, struct numbers *numbers,
				char groups[DB_IRQ_GROUPS_BYTES])
{
	const void *at = member_of(f, r);

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
	case 'g':
		return row_text(db_irq_groups(groups, *(const unsigned *)at));
	case 'r':
		return row_real(*(const double *)at);
	default:
		return row_int((uint64_t)*number_of(numbers, f->key));
	}
}

int meta_write(sqlite3_stmt *insert, const struct recording *r, int64_t intervals)
{
	struct numbers numbers = { .intervals = intervals, .latency = r->latency != NULL, .irq = r->irq != NULL };
	char groups[DB_IRQ_GROUPS_BYTES];
	struct db_value row[2];
	uint32_t crc = 0;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < FIELDS && rc == SQLITE_OK; i++) {
		if (is_checksum(&fields[i]))
			continue;
		row[0] = row_text(fields[i].key);
		row[1] = value_of(&fields[i], r, &numbers, groups);
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
	char *whole = f->of == OF_LATENCY ? (char *)r->latency : f->of == OF_IRQ ? (char *)r->irq : (char *)r;
	void *at = whole + f->offset;

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
	case 'g':
		return db_irq_groups_of(v->bytes, at);
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
	return f->type == 't' || f->type == 'g' ? "tt" : f->type == 'r' ? "tr" : "ti";
}

struct reading {
	const struct field *next; /* the row that should come */
	uint32_t version, crc;
	struct numbers numbers;
};

static void skip_newer(struct reading *in)
{
	static const uint32_t since[] = { [OF_RECORDING] = 1, [OF_LATENCY] = 2, [OF_IRQ] = 4 };

	while (in->next < fields + FIELDS && since[in->next->of] > in->version)
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

/* Members of what there is not have no place to go to afterwards. */
static void drop_others(struct recording *r, const struct numbers *n)
{
	if (!n->latency) {
		latency_free(r->latency);
		r->latency = NULL;
	}
	if (!n->irq) {
		irq_free(r->irq);
		r->irq = NULL;
	}
}

int meta_read(const struct source *s, struct recording *r, int64_t *intervals)
{
	struct reading in = { .next = fields, .version = s->version };
	sqlite3_stmt *q = NULL;
	int rc;

	if (!latency_of(r) || !irq_of(r))
		return -ENOMEM;
	skip_newer(&in);
	rc = sqlite3_prepare_v2(s->db, "SELECT key, value FROM meta ORDER BY key", -1, &q, NULL);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(q);
		if (rc == SQLITE_ROW && !read_row(q, r, &in))
			rc = SQLITE_CORRUPT;
	}
	sqlite3_finalize(q);
	if (rc != SQLITE_DONE || in.next != fields + FIELDS || in.numbers.latency > 1 || in.numbers.irq > 1 ||
	    !row_checksum_is(in.crc, in.numbers.checksum))
		return rc == SQLITE_NOMEM ? -ENOMEM : -EBADMSG;
	*intervals = in.numbers.intervals;
	drop_others(r, &in.numbers);
	return 0;
}
