/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "core/intern.h"
#include "db/meta.h"
#include "db/saver.h"

int saver_put(struct saver *s, enum db_table t, uint32_t *crc, const struct db_value *row)
{
	const struct db_table_def *def = &db_tables[t];
	unsigned n = (unsigned)strlen(def->types);

	*crc = row_checksum(*crc, def->name, row, n);
	return row_write(s->insert[t], row, n);
}

int saver_note_string(struct saver *s, const struct recording *r, int id)
{
	size_t old_max = s->string_ids_max;
	struct db_value row[3];
	int *grown = intern_grow(s->string_ids, &s->string_ids_max, (size_t)id + 1, sizeof(*s->string_ids));

	if (!grown)
		return SQLITE_NOMEM;
	s->string_ids = grown;
	if (s->string_ids_max > old_max)
		memset(s->string_ids + old_max, 0, (s->string_ids_max - old_max) * sizeof(*s->string_ids));
	if (s->string_ids[id])
		return SQLITE_OK;
	row[0] = row_int(s->n_strings++);
	row[1] = row_int((uint64_t)s->intervals + 1);
	row[2] = row_text(recording_str(r, id));
	s->string_ids[id] = (int)s->n_strings;
	return saver_put(s, DB_STRINGS, &s->dictionary_crc, row);
}

struct db_value saver_string_id(const struct saver *s, int id)
{
	return row_int((uint64_t)s->string_ids[id] - 1);
}

struct db_value saver_interval_id(const struct saver *s)
{
	return row_int((uint64_t)s->intervals + 1);
}

struct db_value saver_stack_id(int stack)
{
	return stack < 0 ? (struct db_value){ .type = SQLITE_NULL } : row_int((uint64_t)stack);
}

struct saver_span saver_span(int64_t start_ns, int64_t end_ns, uint64_t net_ns)
{
	struct saver_span span = { start_ns, end_ns < start_ns ? start_ns : end_ns, net_ns };
	uint64_t gross_ns = (uint64_t)span.end_ns - (uint64_t)start_ns;

	if (net_ns > gross_ns)
		span.net_ns = gross_ns;
	return span;
}

/* What has come to sample i since it was last written. */
static struct grown growth(const struct saver *s, const struct recording *r, size_t i)
{
	const struct grown *before = &s->samples[i];

	return (struct grown){ r->samples[i].fires - before->fires, r->samples[i].weight - before->weight,
			       before->labels };
}

static bool has_grown(const struct saver *s, const struct recording *r, size_t i)
{
	struct grown g = growth(s, r, i);

	return g.fires || g.weight;
}

/* Samples that are new. */
static int note_samples(struct saver *s, const struct recording *r)
{
	struct grown *grown = intern_grow(s->samples, &s->samples_max, r->n_samples, sizeof(*s->samples));

	if (!grown && r->n_samples)
		return SQLITE_NOMEM;
	s->samples = grown;
	for (; s->n_samples < r->n_samples; s->n_samples++)
		s->samples[s->n_samples] = (struct grown){ .labels = -1 };
	return SQLITE_OK;
}

/* Strings first, since checksums go table by table. */
static int put_strings(struct saver *s, const struct recording *r)
{
	int rc = saver_note_string(s, r, 0);

	for (size_t i = s->n_mappings; i < r->n_mappings && rc == SQLITE_OK; i++)
		rc = saver_note_string(s, r, r->mappings[i].name);
	for (size_t i = s->n_locations; i < r->n_locations && rc == SQLITE_OK; i++)
		rc = saver_note_string(s, r, r->locations[i].name);
	for (size_t i = 0; i < r->n_samples && rc == SQLITE_OK; i++)
		if (has_grown(s, r, i))
			rc = saver_note_string(s, r, r->samples[i].labels.comm);
	if (rc == SQLITE_OK)
		rc = saver_note_latency_strings(s, r);
	return rc == SQLITE_OK ? saver_note_irq_strings(s, r) : rc;
}

static void hex(char *out, const struct build_id *id)
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned i = 0; i < id->n; i++) {
		*out++ = digits[id->bytes[i] >> 4];
		*out++ = digits[id->bytes[i] & 15];
	}
	*out = '\0';
}

static int put_mapping(struct saver *s, const struct rec_mapping *m)
{
	char build_id[2 * BUILD_ID_BYTES_MAX + 1];

	hex(build_id, &m->build_id);
	return saver_put(s, DB_MAPPINGS, &s->dictionary_crc,
			 (struct db_value[]){ row_int(s->n_mappings), row_int((uint64_t)s->intervals + 1),
					      row_text(db_mapping_kind(m->kind)), saver_string_id(s, m->name),
					      row_text(build_id), row_int(m->dev), row_int(m->inode),
					      row_int(m->changed_ns), row_int(m->start), row_int(m->bytes) });
}

static int put_mappings(struct saver *s, const struct recording *r)
{
	int rc = SQLITE_OK;

	for (; s->n_mappings < r->n_mappings && rc == SQLITE_OK; s->n_mappings++)
		rc = put_mapping(s, &r->mappings[s->n_mappings]);
	return rc;
}

static int put_locations(struct saver *s, const struct recording *r)
{
	int rc = SQLITE_OK;

	for (; s->n_locations < r->n_locations && rc == SQLITE_OK; s->n_locations++) {
		const struct rec_location *l = &r->locations[s->n_locations];
		struct db_value row[] = { row_int(s->n_locations),
					  row_int((uint64_t)s->intervals + 1),
					  row_int((uint64_t)l->mapping),
					  row_int(l->address),
					  row_int(l->offset),
					  saver_string_id(s, l->name),
					  row_text(db_why(l->why)) };

		rc = saver_put(s, DB_LOCATIONS, &s->dictionary_crc, row);
	}
	return rc;
}

static int put_stacks(struct saver *s, const struct recording *r)
{
	int rc = SQLITE_OK;

	for (; s->n_stacks < r->n_stacks && rc == SQLITE_OK; s->n_stacks++) {
		const struct rec_stack *stack = &r->stacks[s->n_stacks];
		size_t n = (size_t)stack->kernel_frames + stack->user_frames;
		struct db_value leaf = { .type = SQLITE_NULL }, frames = { .type = SQLITE_BLOB, .bytes = s->blob };

		if (n)
			leaf = row_int(r->frames[stack->first]);
		frames.n = row_frames_encode(s->blob, n ? r->frames + stack->first : NULL, n);
		rc = saver_put(s, DB_STACKS, &s->dictionary_crc,
			       (struct db_value[]){ row_int(s->n_stacks), row_int((uint64_t)s->intervals + 1),
						    row_int(stack->kernel_frames), row_int(stack->user_frames), leaf,
						    frames });
	}
	return rc;
}

static bool labels_equal(const void *owner, uint32_t id, const void *key)
{
	const struct rec_labels *a = &((const struct saver *)owner)->labels[id], *b = key;

	return a->comm == b->comm && a->tgid == b->tgid && a->tid == b->tid && a->cpu == b->cpu;
}

/* Sees to it that labels are in the file. */
static int note_labels(struct saver *s, const struct rec_labels *l, int *id)
{
	uint64_t hash = intern_mix(
		intern_mix(intern_mix(intern_mix(0, (uint64_t)l->comm), (uint64_t)l->tgid), (uint64_t)l->tid),
		(uint64_t)l->cpu);
	struct rec_labels *grown;

	*id = intern_find(&s->label_ids, hash, labels_equal, s, l);
	if (*id >= 0)
		return SQLITE_OK;
	grown = intern_grow(s->labels, &s->labels_max, s->n_labels + 1, sizeof(*s->labels));
	if (!grown)
		return SQLITE_NOMEM;
	s->labels = grown;
	*id = (int)s->n_labels++;
	s->labels[*id] = *l;
	if (intern_add(&s->label_ids, hash, *id))
		return SQLITE_NOMEM;
	return saver_put(s, DB_LABELS, &s->dictionary_crc,
			 (struct db_value[]){ row_int((uint64_t)*id), row_int((uint64_t)s->intervals + 1),
					      saver_string_id(s, l->comm), row_int((uint64_t)l->tgid),
					      row_int((uint64_t)l->tid), row_int((uint64_t)l->cpu) });
}

static int put_labels(struct saver *s, const struct recording *r)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < r->n_samples && rc == SQLITE_OK; i++)
		if (s->samples[i].labels < 0 && has_grown(s, r, i))
			rc = note_labels(s, &r->samples[i].labels, &s->samples[i].labels);
	return rc;
}

static int put_losses(struct saver *s, const struct recording *r)
{
	int rc = SQLITE_OK;

	for (unsigned i = 0; i < LOST_CAUSES && rc == SQLITE_OK; i++) {
		uint64_t count = r->lost.by_cause[i] - s->lost.by_cause[i];

		if (count)
			rc = saver_put(s, DB_LOSSES, &s->crc,
				       (struct db_value[]){ row_int((uint64_t)s->intervals + 1),
							    row_text(db_lost_cause(i)), row_int(count) });
	}
	s->lost = r->lost;
	return rc;
}

/*
 * The period that most samples of this interval have, so that most rows have no rest: SQLite keeps
 * a 0 in no byte. One that has a majority is left over when each other has taken one of it along
 * (Boyer and Moore). Any number is right, as long as no fires * period leaves what SQL can count.
 */
static uint64_t common_period(const struct saver *s, const struct recording *r)
{
	uint64_t period = 0, fires = 0, all;
	size_t left = 0;

	for (size_t i = 0; i < r->n_samples; i++) {
		struct grown g = growth(s, r, i);

		fires += g.fires;
		if (!g.fires)
			continue;
		if (!left)
			period = g.weight / g.fires;
		left = period == g.weight / g.fires ? left + 1 : left - 1;
	}
	return __builtin_mul_overflow(fires, period, &all) || all > INT64_MAX ? 0 : period;
}

static int put_counts(struct saver *s, const struct recording *r, uint64_t period)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < r->n_samples && rc == SQLITE_OK; i++) {
		const struct rec_sample *sample = &r->samples[i];
		struct grown more = growth(s, r, i);

		if (!more.fires && !more.weight)
			continue;
		rc = saver_put(s, DB_COUNTS, &s->crc,
			       (struct db_value[]){ row_int((uint64_t)s->intervals + 1),
						    row_int((uint64_t)sample->stack), row_int((uint64_t)more.labels),
						    row_int(more.fires), row_int(more.weight - more.fires * period) });
		s->samples[i] = (struct grown){ sample->fires, sample->weight, more.labels };
	}
	return rc;
}

static void fill_interval(struct saver *s, const struct recording *r, uint64_t period, struct db_value *row)
{
	struct db_sums now = db_sums_of(&r->sampling);

	row[DB_INTERVAL_ID] = row_int((uint64_t)s->intervals + 1);
	row[DB_INTERVAL_START] = row_int(s->end_ns);
	row[DB_INTERVAL_DURATION] = row_int(r->meta.duration_ns > s->end_ns ? r->meta.duration_ns - s->end_ns : 0);
	for (unsigned i = 0; i < DB_SUMS; i++)
		row[DB_SUMS_COLUMN + i] = row_int((uint64_t)now.of[i] - (uint64_t)s->sums.of[i]);
	row[DB_INTERVAL_PERIOD] = row_int(period);
	row[DB_INTERVAL_COST_KNOWN] = row_int(r->cost.known);
	row[DB_INTERVAL_BPF_NS] = row_int(r->cost.bpf_ns - s->cost.bpf_ns);
	row[DB_INTERVAL_BPF_RUNS] = row_int(r->cost.bpf_runs - s->cost.bpf_runs);
	row[DB_INTERVAL_USER_NS] = row_int(r->cost.user_ns - s->cost.user_ns);
	row[DB_INTERVAL_DICTIONARY_CHECKSUM] = row_int(s->dictionary_crc);
	s->sums = now;
	s->cost = r->cost;
	if (r->meta.duration_ns > s->end_ns)
		s->end_ns = r->meta.duration_ns;
}

static int put_names(struct saver *s, const struct recording *r)
{
	int rc = put_strings(s, r);

	if (rc == SQLITE_OK)
		rc = put_mappings(s, r);
	if (rc == SQLITE_OK)
		rc = put_locations(s, r);
	if (rc == SQLITE_OK)
		rc = put_stacks(s, r);
	if (rc == SQLITE_OK)
		rc = put_labels(s, r);
	return rc == SQLITE_OK ? saver_put_irq_sources(s, r) : rc;
}

static int put_gaps(struct saver *s, const struct rec_gaps *gaps)
{
	int rc = SQLITE_OK;

	for (; s->n_gaps < gaps->n && rc == SQLITE_OK; s->n_gaps++) {
		const struct rec_gap *g = &gaps->list[s->n_gaps];

		rc = saver_put(s, DB_OFFLINE, &s->crc,
			       (struct db_value[]){ row_int((uint64_t)s->intervals + 1), row_int(g->cpu),
						    row_int(g->start_ns), row_int(g->duration_ns) });
	}
	return rc;
}

int saver_put_interval(struct saver *s, const struct recording *r)
{
	struct db_value row[DB_INTERVAL_COLUMNS];
	uint64_t period;
	int rc = note_samples(s, r);

	s->crc = s->dictionary_crc = 0;
	if (rc == SQLITE_OK)
		rc = put_names(s, r);
	if (rc != SQLITE_OK)
		return rc;
	period = common_period(s, r);
	fill_interval(s, r, period, row);
	s->crc = row_checksum(0, db_tables[DB_INTERVALS].name, row, DB_INTERVAL_CHECKSUM);
	rc = put_losses(s, r);
	if (rc == SQLITE_OK)
		rc = put_counts(s, r, period);
	if (rc == SQLITE_OK)
		rc = saver_put_latency(s, r);
	if (rc == SQLITE_OK)
		rc = put_gaps(s, &r->gaps);
	if (rc == SQLITE_OK)
		rc = saver_put_irq(s, r);
	row[DB_INTERVAL_CHECKSUM] = row_int(s->crc);
	if (rc == SQLITE_OK)
		rc = row_write(s->insert[DB_INTERVALS], row, DB_INTERVAL_COLUMNS);
	return rc == SQLITE_OK ? meta_write(s->insert_meta, r, s->intervals + 1) : rc;
}
