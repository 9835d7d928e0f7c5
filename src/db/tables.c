/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/tables.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "core/intern.h"
#include "db/takers.h"

#define INTERVAL_BYTES_MIN 32 /* of a row of `intervals` */

void *rows_find(const struct rows *rows, uint64_t id)
{
	size_t low = 0, high = rows->n;

	if (id < rows->n && ((struct row *)(rows->items + id * rows->item_bytes))->id == id) /* as it should be */
		return rows->items + id * rows->item_bytes;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct row *row = (struct row *)(rows->items + middle * rows->item_bytes);

		if (row->id == id)
			return row;
		if (row->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void *rows_add(struct rows *rows)
{
	char *items = intern_grow(rows->items, &rows->max, rows->n + 1, rows->item_bytes);

	if (!items)
		return NULL;
	rows->items = items;
	return memset(items + rows->n++ * rows->item_bytes, 0, rows->item_bytes);
}

/* One that has an id and was brought by an interval. */
static void *add(struct rows *rows, const struct db_value *v)
{
	struct row *row = rows_add(rows);

	if (row)
		*row = (struct row){ .id = (uint32_t)v[0].i, .interval = (uint32_t)v[1].i, .to = -1 };
	return row;
}

static int take_interval(struct tables *t, const struct db_value *v)
{
	struct part *p = &t->parts[v[0].i];

	p->exists = true;
	for (int i = 0; i < DB_INTERVAL_COLUMNS; i++) {
		bool is_sum = i >= DB_SUMS_COLUMN && i < DB_SUMS_COLUMN + DB_SUMS;

		if (v[i].i < 0 && !(is_sum && db_sum_may_shrink((unsigned)(i - DB_SUMS_COLUMN))))
			return ROW_BAD;
	}
	p->start_ns = (uint64_t)v[DB_INTERVAL_START].i;
	p->duration_ns = (uint64_t)v[DB_INTERVAL_DURATION].i;
	for (int i = 0; i < DB_SUMS; i++)
		p->sums.of[i] = v[DB_SUMS_COLUMN + i].i;
	p->period = (uint64_t)v[DB_INTERVAL_PERIOD].i;
	p->cost_known = v[DB_INTERVAL_COST_KNOWN].i;
	p->bpf_ns = (uint64_t)v[DB_INTERVAL_BPF_NS].i;
	p->bpf_runs = (uint64_t)v[DB_INTERVAL_BPF_RUNS].i;
	p->user_ns = (uint64_t)v[DB_INTERVAL_USER_NS].i;
	p->dictionary_checksum = v[DB_INTERVAL_DICTIONARY_CHECKSUM].i;
	p->checksum = v[DB_INTERVAL_CHECKSUM].i;
	return 0;
}

static int take_string(struct tables *t, const struct db_value *v)
{
	struct string_row *row;
	char *text;

	if (!is_id(&v[0]) || v[2].n > DB_STRING_BYTES_MAX || t->text_bytes + v[2].n > t->source->data_bytes)
		return ROW_BAD;
	row = add(&t->strings, v);
	text = intern_grow(t->text, &t->text_max, t->text_bytes + v[2].n + 1, 1);
	if (text)
		t->text = text;
	if (!row || !text)
		return -ENOMEM;
	row->at = t->text_bytes;
	row->n = (uint32_t)v[2].n;
	memcpy(t->text + t->text_bytes, v[2].bytes, v[2].n);
	t->text[t->text_bytes + v[2].n] = '\0';
	t->text_bytes += v[2].n + 1;
	return 0;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(struct build_id *id, const struct db_value *v)
{
	const char *text = v->bytes;

	if (v->n % 2 || v->n > 2 * sizeof(id->bytes))
		return false;
	for (size_t i = 0; i < v->n / 2; i++) {
		int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		id->bytes[i] = (uint8_t)(high << 4 | low);
	}
	id->n = (uint8_t)(v->n / 2);
	return true;
}

static int take_mapping(struct tables *t, const struct db_value *v)
{
	int kind = db_mapping_kind_of(v[2].bytes);
	struct build_id build_id = { 0 };
	struct mapping_row *row;

	if (!is_id(&v[0]) || kind < 0 || !is_id(&v[3]) || !read_hex(&build_id, &v[4]))
		return ROW_BAD;
	row = add(&t->mappings, v);
	if (!row)
		return -ENOMEM;
	row->m = (struct rec_mapping){ .name = (int)v[3].i,
				       .kind = (enum mapping_kind)kind,
				       .dev = (uint64_t)v[5].i,
				       .inode = (uint64_t)v[6].i,
				       .changed_ns = (uint64_t)v[7].i,
				       .build_id = build_id,
				       .start = (uint64_t)v[8].i,
				       .bytes = (uint64_t)v[9].i };
	return 0;
}

static int take_location(struct tables *t, const struct db_value *v)
{
	struct location_row *row;
	int why = db_why_of(v[6].bytes);

	if (!is_id(&v[0]) || !is_id(&v[2]) || !is_id(&v[5]) || why < 0)
		return ROW_BAD;
	row = add(&t->locations, v);
	if (!row)
		return -ENOMEM;
	row->l = (struct rec_location){ .mapping = (int)v[2].i,
					.address = (uint64_t)v[3].i,
					.offset = (uint64_t)v[4].i,
					.name = (int)v[5].i,
					.why = (enum why)why };
	return 0;
}

static bool is_frame_count(const struct db_value *v)
{
	return v->i >= 0 && v->i <= UINT16_MAX;
}

/* The first of n frames: none, no leaf. */
static bool is_leaf(const struct db_value *v, size_t n)
{
	return n ? v->type == SQLITE_INTEGER && is_id(v) : v->type == SQLITE_NULL;
}

static int take_stack(struct tables *t, const struct db_value *v)
{
	struct stack_row *row;
	uint32_t *frames;
	size_t n;

	if (!is_id(&v[0]) || !is_frame_count(&v[2]) || !is_frame_count(&v[3]))
		return ROW_BAD;
	n = (size_t)(v[2].i + v[3].i);
	if (!is_leaf(&v[4], n) || n > v[5].n + 1 || t->n_frames + n > t->source->data_bytes)
		return ROW_BAD;
	frames = intern_grow(t->frames, &t->frames_max, t->n_frames + n + 1, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	t->frames = frames;
	frames[t->n_frames] = n ? (uint32_t)v[4].i : 0;
	if (!row_frames_decode(frames + t->n_frames, n, v[5].bytes, v[5].n))
		return ROW_BAD;
	row = add(&t->stacks, v);
	if (!row)
		return -ENOMEM;
	row->first = t->n_frames;
	row->kernel_frames = (uint16_t)v[2].i;
	row->user_frames = (uint16_t)v[3].i;
	t->n_frames += n;
	return 0;
}

static int take_label(struct tables *t, const struct db_value *v)
{
	struct label_row *row;

	if (!is_id(&v[0]) || !is_id(&v[2]) || !is_id(&v[3]) || !is_id(&v[4]) || v[5].i < -1 || v[5].i > INT_MAX)
		return ROW_BAD;
	row = add(&t->labels, v);
	if (!row)
		return -ENOMEM;
	row->l = (struct rec_labels){
		.comm = (int)v[2].i, .tgid = (int)v[3].i, .tid = (int)v[4].i, .cpu = (int)v[5].i
	};
	return 0;
}

static int take_loss(struct tables *t, const struct db_value *v)
{
	int cause = db_lost_cause_of(v[1].bytes);
	struct part *p = &t->parts[v[0].i];

	if (cause < 0 || v[2].i <= 0 || p->lost[cause])
		return ROW_BAD;
	p->lost[cause] = (uint64_t)v[2].i;
	return 0;
}

/* Both below 2^63; false: not so any more. */
static bool sum_up(uint64_t *sum, uint64_t more)
{
	*sum += more;
	return *sum <= INT64_MAX;
}

/* fires * period + rest, as SQL has it: never beyond 64 bits on the way. false: no weight. */
static bool weight_of(uint64_t *weight, const struct part *p, int64_t fires, int64_t rest)
{
	int64_t sum;

	if (__builtin_mul_overflow(fires, (int64_t)p->period, &sum) || __builtin_add_overflow(sum, rest, &sum))
		return false;
	*weight = (uint64_t)sum;
	return sum >= 0;
}

static int take_count(struct tables *t, const struct db_value *v)
{
	struct count_row *counts = intern_grow(t->counts, &t->counts_max, t->n_counts + 1, sizeof(*counts));
	struct part *p = &t->parts[v[0].i];
	uint64_t weight;

	if (!counts)
		return -ENOMEM;
	t->counts = counts;
	if (!is_id(&v[1]) || !is_id(&v[2]) || !is_count(&v[3]) || !weight_of(&weight, p, v[3].i, v[4].i) ||
	    !sum_up(&p->fires, (uint64_t)v[3].i) || !sum_up(&p->weight, weight))
		return ROW_BAD;
	counts[t->n_counts++] = (struct count_row){ .interval = (uint32_t)v[0].i,
						    .stack = (uint32_t)v[1].i,
						    .labels = (uint32_t)v[2].i,
						    .fires = (uint64_t)v[3].i,
						    .weight = weight };
	return 0;
}

static int take_gap(struct tables *t, const struct db_value *v)
{
	struct gap_row *row;

	if (v[1].i < 0 || v[1].i > CPU_ID_MAX || !is_count(&v[2]) || v[3].i <= 0 || v[2].i > INT64_MAX - v[3].i)
		return ROW_BAD;
	row = rows_add(&t->gaps);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->g = (struct rec_gap){ .cpu = (unsigned)v[1].i,
				   .start_ns = (uint64_t)v[2].i,
				   .duration_ns = (uint64_t)v[3].i };
	return 0;
}

static row_fn *const takers[DB_TABLES] = {
	[DB_INTERVALS] = take_interval,
	[DB_STRINGS] = take_string,
	[DB_MAPPINGS] = take_mapping,
	[DB_LOCATIONS] = take_location,
	[DB_STACKS] = take_stack,
	[DB_LOSSES] = take_loss,
	[DB_LABELS] = take_label,
	[DB_COUNTS] = take_count,
	[DB_HISTOGRAMS] = take_histogram,
	[DB_CAUSES] = take_cause,
	[DB_CASES] = take_case,
	[DB_PARTS] = take_part,
	[DB_SPANS] = take_span,
	[DB_POINTS] = take_point,
	[DB_WAITS] = take_wait,
	[DB_OFFLINE] = take_gap,
	[DB_IRQ_SOURCES] = take_irq_source,
	[DB_IRQ_SETTINGS] = take_irq_setting,
	[DB_IRQ_ROWS] = take_irq_row,
	[DB_IRQ_HISTOGRAMS] = take_irq_histogram,
	[DB_IRQ_CASES] = take_irq_case,
	[DB_IRQ_SPANS] = take_irq_span,
	[DB_IRQ_BEHIND] = take_irq_behind,
	[DB_IRQ_SENDERS] = take_irq_sender,
	[DB_IRQ_PLACES] = take_irq_place,
	[DB_IRQ_POINTS] = take_irq_point,
	[DB_IRQ_EVENTS] = take_irq_count,
};

/* May a recording of this kind have rows of it? */
static bool may_have(const struct tables *t, enum db_table table)
{
	if (table >= DB_TABLES_1 && table < DB_TABLES_2)
		return t->has_latency;
	return table < DB_TABLES_3 || t->has_irq;
}

/*
 * A row that says it belongs to no interval that is there is left out; the one it was taken from
 * lacks it, which its checksum tells.
 */
static int take_row(struct tables *t, enum db_table table, sqlite3_stmt *q)
{
	const struct db_table_def *def = &db_tables[table];
	unsigned n = (unsigned)strlen(def->types);
	struct db_value v[DB_COLUMNS_MAX];
	bool typed = row_read(q, 1, def->types, v);
	const struct db_value *interval = &v[def->interval];
	bool names = def->interval == 1;
	struct part *p;
	int err = ROW_BAD;

	if (interval->type != SQLITE_INTEGER || interval->i < 1 || interval->i > (int64_t)t->n_parts)
		return 0;
	p = &t->parts[interval->i];
	if (typed && may_have(t, table))
		err = takers[table](t, v);
	if (err == ROW_BAD && names)
		p->bad_names = true;
	else if (err == ROW_BAD)
		p->bad_row = true;
	else if (!err && names)
		p->dictionary_crc = row_checksum(p->dictionary_crc, def->name, v, n);
	else if (!err)
		p->crc = row_checksum(p->crc, def->name, v, table == DB_INTERVALS ? DB_INTERVAL_CHECKSUM : n);
	return err == ROW_BAD ? 0 : err;
}

static int tell_unreadable(struct tables *t, int rc)
{
	if ((rc & 0xff) == SQLITE_NOMEM)
		return -ENOMEM;
	if (!t->cut_short)
		warnx("%s is damaged (%s): intervals that can be read whole are used", t->source->name,
		      sqlite3_errstr(rc));
	t->cut_short = true;
	return 0;
}

/*
 * Rows above `last`, which moves on. Rows come by their ids; a tree whose branches meet again would
 * never end, and is found by that. SQLITE_DONE, SQLite's error, or -ENOMEM.
 */
static int read_rows(struct tables *t, enum db_table table, int64_t *last)
{
	sqlite3_stmt *q = NULL;
	char sql[80];
	int rc, err = 0;

	snprintf(sql, sizeof(sql), "SELECT rowid, * FROM %s WHERE rowid > ? ORDER BY rowid", db_tables[table].name);
	rc = sqlite3_prepare_v2(t->source->db, sql, -1, &q, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(q, 1, *last);
	while (!err && (rc == SQLITE_OK || rc == SQLITE_ROW)) {
		int64_t row;

		rc = sqlite3_step(q);
		if (rc != SQLITE_ROW)
			break;
		row = sqlite3_column_int64(q, 0);
		if (row <= *last)
			rc = SQLITE_CORRUPT;
		else
			err = take_row(t, table, q);
		*last = row > *last ? row : *last;
	}
	sqlite3_finalize(q);
	return err ? err : rc;
}

#define JUMP_ROWS_MIN 16
#define JUMP_ROWS_MAX (1 << 30)

/* Where a page cannot be read, the next rows are sought farther and farther on. */
static int read_table(struct tables *t, enum db_table table)
{
	int64_t last = INT64_MIN, jump = JUMP_ROWS_MIN;

	while (jump <= JUMP_ROWS_MAX) {
		int64_t before = last;
		int rc = read_rows(t, table, &last), err;

		if (rc == SQLITE_DONE)
			return 0;
		err = tell_unreadable(t, rc == -ENOMEM ? SQLITE_NOMEM : rc);
		if (err)
			return err;
		jump = last > before ? JUMP_ROWS_MIN : 2 * jump;
		last = last < 0 ? 0 : last;
		if (last > INT64_MAX - jump)
			return 0;
		last += jump;
	}
	return 0;
}

int tables_read(struct tables *t, struct source *s, int64_t n_parts, const struct recording *r)
{
	unsigned n_tables = db_tables_of(s->version);
	int err = 0;

	*t = (struct tables){ .source = s,
			      .has_latency = r->latency != NULL,
			      .has_irq = r->irq != NULL,
			      .strings.item_bytes = sizeof(struct string_row),
			      .mappings.item_bytes = sizeof(struct mapping_row),
			      .locations.item_bytes = sizeof(struct location_row),
			      .stacks.item_bytes = sizeof(struct stack_row),
			      .labels.item_bytes = sizeof(struct label_row),
			      .histograms.item_bytes = sizeof(struct histogram_row),
			      .causes.item_bytes = sizeof(struct cause_row),
			      .cases.item_bytes = sizeof(struct case_row),
			      .case_parts.item_bytes = sizeof(struct part_row),
			      .case_spans.item_bytes = sizeof(struct span_row),
			      .points.item_bytes = sizeof(struct point_row),
			      .gaps.item_bytes = sizeof(struct gap_row) };
	irq_rows_begin(t);
	if (n_parts < 0 || (uint64_t)n_parts > s->data_bytes / INTERVAL_BYTES_MIN || n_parts >= INT_MAX)
		return -EBADMSG;
	t->n_parts = (size_t)n_parts;
	t->parts = calloc(t->n_parts + 1, sizeof(*t->parts));
	if (!t->parts)
		return tell_unreadable(t, SQLITE_NOMEM);
	for (unsigned i = 0; i < n_tables && !err; i++)
		err = read_table(t, (enum db_table)i);
	if (!err) {
		latency_rows_check(t);
		irq_rows_check(t);
	}
	return err;
}

void tables_free(struct tables *t)
{
	free(t->parts);
	free(t->strings.items);
	free(t->mappings.items);
	free(t->locations.items);
	free(t->stacks.items);
	free(t->labels.items);
	free(t->text);
	free(t->frames);
	free(t->counts);
	free(t->gaps.items);
	latency_rows_free(t);
	irq_rows_free(t);
	*t = (struct tables){ 0 };
}
