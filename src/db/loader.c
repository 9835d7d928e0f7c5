/* SPDX-License-Identifier: GPL-2.0-only */
/* From the rows of a file to a recording: which intervals can be used, and their sum. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "db/loader.h"
#include "db/meta.h"
#include "db/row.h"

#define DAMAGED_LINES_MAX 20

static void check_parts(struct tables *t)
{
	for (size_t i = 1; i <= t->n_parts; i++) {
		struct part *p = &t->parts[i];

		if (!p->exists || !row_checksum_is(p->crc, p->checksum))
			p->bad_row = true;
		if (!p->exists || !row_checksum_is(p->dictionary_crc, p->dictionary_checksum))
			p->bad_names = true;
	}
	for (size_t i = 0; i < t->n_counts; i++) {
		const struct count_row *c = &t->counts[i];

		if (!usable_stack(t, c->stack) || !usable_labels(t, c->labels))
			t->parts[c->interval].bad_reference = true;
	}
	usable_latency(t);
	usable_irq(t);
}

/* --- the intervals --- */

static bool is_damaged(const struct part *p)
{
	return p->bad_row || p->bad_reference;
}

static uint64_t fires_of(const struct loading *l, const struct part *p)
{
	if (l->r->irq)
		return p->irq_events;
	return l->r->latency ? p->waits[WAKE_COUNT_WAKEUPS] + p->waits[WAKE_COUNT_PREEMPTIONS]
			     : (uint64_t)p->sums.of[DB_SUM_KEPT];
}

/* A damaged one lies where its neighbours leave room. */
static void place_interval(const struct loading *l, size_t i)
{
	const struct part *p = &l->tables.parts[i + 1], *next = p + 1;
	struct loaded_interval *at = &l->out->intervals[i];

	*at = (struct loaded_interval){ .id = (int64_t)i + 1, .damaged = is_damaged(p) };
	if (!p->bad_row) {
		at->start_ns = p->start_ns;
		at->duration_ns = p->duration_ns;
		at->fires = fires_of(l, p);
		return;
	}
	if (i)
		at->start_ns = at[-1].start_ns + at[-1].duration_ns;
	if (i + 1 < l->tables.n_parts && !next->bad_row && next->start_ns > at->start_ns)
		at->duration_ns = next->start_ns - at->start_ns;
}

static void tell_damaged(const struct loading *l, size_t i)
{
	const struct loaded_interval *at = &l->out->intervals[i];
	const struct part *p = &l->tables.parts[i + 1];
	char from[UNITS_BYTES], to[UNITS_BYTES], when[2 * UNITS_BYTES + 8] = "";
	const char *what = "checksum wrong";

	if (at->duration_ns)
		snprintf(when, sizeof(when), " (%s to %s)", units_duration(from, at->start_ns),
			 units_duration(to, at->start_ns + at->duration_ns));
	if (!p->exists)
		what = "missing";
	else if (!p->bad_row)
		what = "its names or stacks are damaged";
	warnx("%s: interval %" PRId64 "%s: %s, left out", l->source.name, at->id, when, what);
}

static int list_intervals(struct loading *l)
{
	struct loaded *out = l->out;

	out->n_intervals = l->tables.n_parts;
	out->intervals = calloc(out->n_intervals + 1, sizeof(*out->intervals));
	if (!out->intervals)
		return -ENOMEM;
	for (size_t i = 0; i < out->n_intervals; i++) {
		place_interval(l, i);
		if (!out->intervals[i].damaged)
			continue;
		if (out->n_damaged++ < DAMAGED_LINES_MAX)
			tell_damaged(l, i);
	}
	if (out->n_damaged > DAMAGED_LINES_MAX)
		warnx("%s: %zu more intervals damaged, left out", l->source.name, out->n_damaged - DAMAGED_LINES_MAX);
	return 0;
}

/* Twice its middle lies within the range, which is taken without its end: each moment is in one range only. */
static bool in_range(const struct loading *l, const struct loaded_interval *i)
{
	const struct load_range *range = l->range;
	uint64_t middle = i->start_ns + i->duration_ns / 2;

	return !range || (middle >= range->from_ns && (!range->to_ns || middle < range->to_ns));
}

bool loading_uses(const struct loading *l, size_t i)
{
	return !l->out->intervals[i].damaged && in_range(l, &l->out->intervals[i]);
}

uint64_t loading_first_ns(const struct loading *l)
{
	size_t i = 0;

	while (!loading_uses(l, i)) /* one is */
		i++;
	return l->tables.parts[i + 1].start_ns;
}

/* --- their sum --- */

int loading_string(struct loading *l, int id)
{
	struct string_row *s = rows_find(&l->tables.strings, (uint64_t)id);

	if (s->row.to < 0)
		s->row.to = recording_string(l->r, l->tables.text + s->at);
	return s->row.to;
}

static int mapping_to(struct loading *l, int id)
{
	struct mapping_row *m = rows_find(&l->tables.mappings, (uint64_t)id);
	struct rec_mapping mapping = m->m;

	if (m->row.to >= 0)
		return m->row.to;
	mapping.name = loading_string(l, mapping.name);
	if (mapping.name < 0)
		return mapping.name;
	m->row.to = recording_mapping(l->r, &mapping);
	return m->row.to;
}

static bool is_same(const struct rec_location *have, int mapping, int name, const struct rec_location *want)
{
	return have->mapping == mapping && have->name == name && have->offset == want->offset && have->why == want->why;
}

/*
 * Two locations may have come to one mapping and address by different ways, with names of their own
 * (recording_move()). They stay apart by what they are found by, which is of no further use here.
 */
static int add_location(struct recording *r, int mapping, int name, const struct rec_location *want)
{
	for (unsigned i = 0; i < WHY_CAUSES; i++) {
		enum why key = (enum why)((want->why + i) % WHY_CAUSES);
		size_t before = r->n_locations;
		int id = recording_location(r, mapping, want->address, key);

		if (id < 0)
			return id;
		if (r->n_locations > before)
			recording_name(r, id, name, want->offset, want->why);
		if (is_same(&r->locations[id], mapping, name, want))
			return id;
	}
	return -EBADMSG;
}

static int location_to(struct loading *l, uint32_t id)
{
	struct location_row *row = rows_find(&l->tables.locations, id);
	int mapping, name;

	if (row->row.to >= 0)
		return row->row.to;
	mapping = mapping_to(l, row->l.mapping);
	name = mapping < 0 ? mapping : loading_string(l, row->l.name);
	row->row.to = name < 0 ? name : add_location(l->r, mapping, name, &row->l);
	return row->row.to;
}

int loading_stack(struct loading *l, uint32_t id)
{
	struct stack_row *s = rows_find(&l->tables.stacks, id);
	size_t n = (size_t)s->kernel_frames + s->user_frames;
	uint32_t *frames = l->tables.frames + s->first;

	if (s->row.to >= 0)
		return s->row.to;
	for (size_t i = 0; i < n; i++) { /* in place: a stack is asked for once */
		int to = location_to(l, frames[i]);

		if (to < 0)
			return to;
		frames[i] = (uint32_t)to;
	}
	s->row.to = recording_stack(l->r, frames, s->kernel_frames, s->user_frames);
	return s->row.to;
}

static int add_samples(struct loading *l)
{
	int err = 0;

	for (size_t i = 0; i < l->tables.n_counts && !err; i++) {
		const struct count_row *c = &l->tables.counts[i];
		struct rec_sample sample = { .fires = c->fires, .weight = c->weight };

		if (!loading_uses(l, c->interval - 1))
			continue;
		sample.labels = ((struct label_row *)rows_find(&l->tables.labels, c->labels))->l;
		sample.labels.comm = loading_string(l, sample.labels.comm);
		sample.stack = sample.labels.comm < 0 ? sample.labels.comm : loading_stack(l, c->stack);
		err = sample.stack < 0 ? sample.stack : recording_add(l->r, &sample);
	}
	return err;
}

/* What is left of a part's sums is small enough: they are below 2^63, and so must the sum of all be. */
bool loading_add(uint64_t *sum, uint64_t more)
{
	return !__builtin_add_overflow(*sum, more, sum) && *sum <= INT64_MAX;
}

static bool add_numbers(struct loading *l, const struct part *p)
{
	struct recording *r = l->r;
	bool good = loading_add(&l->fires, p->fires) && loading_add(&l->weight, p->weight) &&
		    loading_add(&r->meta.duration_ns, p->duration_ns) && loading_add(&r->cost.bpf_ns, p->bpf_ns) &&
		    loading_add(&r->cost.bpf_runs, p->bpf_runs) && loading_add(&r->cost.user_ns, p->user_ns);

	for (int i = 0; i < DB_SUMS; i++)
		good &= !__builtin_add_overflow(l->sums.of[i], p->sums.of[i], &l->sums.of[i]);
	for (int i = 0; i < LOST_CAUSES; i++)
		good &= loading_add(&r->lost.by_cause[i], p->lost[i]);
	return good;
}

/*
 * The cost may have been measured at the end only: then what the last interval says is that of all
 * before it, and known only with all of them.
 */
static bool cost_is_known(const struct loading *l)
{
	bool pending = false, pending_used = false;

	for (size_t i = 0; i < l->tables.n_parts; i++) {
		bool used = loading_uses(l, i);

		if (pending && used != pending_used)
			return false;
		pending_used = used;
		pending = !l->tables.parts[i + 1].cost_known;
	}
	return !pending || !pending_used;
}

static void finish_sums(struct loading *l)
{
	struct recording *r = l->r;
	double achieved_hz = r->sampling.achieved_hz;

	if (l->sums.of[DB_SUM_EXPECTED] < 0) { /* an estimate: nothing was due before it was mended */
		l->sums.of[DB_SUM_NOT_DELIVERED] -= l->sums.of[DB_SUM_EXPECTED];
		l->sums.of[DB_SUM_EXPECTED] = 0;
	}
	db_sums_to(&r->sampling, &l->sums);
	if (l->out->n_used < l->out->n_intervals)
		achieved_hz = r->sampling.running_ns ? (double)r->sampling.seen * 1e9 / (double)r->sampling.running_ns
						     : 0;
	r->sampling.achieved_hz = achieved_hz;
	r->cost.known = cost_is_known(l);
}

int loading_too_large(const struct loading *l)
{
	warnx("%s: its numbers are too large to be true", l->source.name);
	return -EBADMSG;
}

/* Of the intervals used; times are from the start of the first of them, as those of points. */
static int add_gaps(struct loading *l, uint64_t first_ns)
{
	const struct gap_row *rows = (const struct gap_row *)l->tables.gaps.items;
	int err = 0;

	for (size_t i = 0; i < l->tables.gaps.n && !err; i++) {
		struct rec_gap gap = rows[i].g;

		if (!loading_uses(l, rows[i].interval - 1))
			continue;
		if (gap.start_ns < first_ns) { /* found late: it began in an interval that is not shown */
			uint64_t before_ns = first_ns - gap.start_ns;

			gap.duration_ns -= before_ns < gap.duration_ns ? before_ns : gap.duration_ns;
			gap.start_ns = first_ns;
		}
		gap.start_ns -= first_ns;
		if (gap.duration_ns)
			err = recording_gap(l->r, &gap);
	}
	return err;
}

static int sum_up(struct loading *l)
{
	struct recording *r = l->r;
	uint64_t first_ns = 0;
	int err;

	for (size_t i = 0; i < l->tables.n_parts; i++) {
		const struct part *p = &l->tables.parts[i + 1];

		if (!loading_uses(l, i))
			continue;
		if (!l->out->n_used++)
			first_ns = p->start_ns;
		if (!add_numbers(l, p))
			return loading_too_large(l);
	}
	r->meta.start_unix_ns += first_ns;
	finish_sums(l);
	err = add_samples(l);
	if (!err)
		err = add_gaps(l, first_ns);
	if (!err)
		err = loading_add_latency(l);
	return err ? err : loading_add_irq(l);
}

/* --- the whole --- */

static int refuse_range(const struct loading *l)
{
	const struct loaded *out = l->out;
	const struct loaded_interval *last = out->intervals + out->n_intervals - 1;
	bool damaged = false;
	char end[UNITS_BYTES];

	if (!out->n_intervals) {
		warnx("%s holds no interval: its run ended before the first one did", l->source.name);
		return -ENODATA;
	}
	for (size_t i = 0; i < out->n_intervals; i++)
		damaged |= out->intervals[i].damaged && in_range(l, &out->intervals[i]);
	if (damaged) {
		warnx("%s: nothing of it can be used", l->source.name);
		return -EBADMSG;
	}
	warnx("%s: no interval lies in that range (there are %zu, to %s)", l->source.name, out->n_intervals,
	      units_duration(end, last->start_ns + last->duration_ns));
	return -ENODATA;
}

static int read_source(struct loading *l)
{
	int64_t n = 0;
	int err = meta_read(&l->source, l->r, &n);

	if (!err)
		err = tables_read(&l->tables, &l->source, n, l->r);
	if (err == -EBADMSG)
		warnx("%s is damaged: what describes the whole of it cannot be read", l->source.name);
	if (err)
		return err;
	check_parts(&l->tables);
	return list_intervals(l);
}

static bool any_is_used(const struct loading *l)
{
	for (size_t i = 0; i < l->out->n_intervals; i++)
		if (loading_uses(l, i))
			return true;
	return false;
}

static int load(struct loading *l, const char *path)
{
	int err;

	l->r = l->out->r = recording_new();
	if (!l->r)
		return -ENOMEM;
	err = source_open(&l->source, path);
	l->out->file_bytes = l->source.file_bytes;
	if (!err)
		err = read_source(l);
	if (!err)
		err = any_is_used(l) ? sum_up(l) : refuse_range(l);
	tables_free(&l->tables);
	source_close(&l->source);
	return err;
}

int recording_load(const char *path, const struct load_range *range, struct loaded *out)
{
	struct loading l = { .range = range, .out = out };
	int err;

	*out = (struct loaded){ 0 };
	err = load(&l, path);
	if (err == -ENOMEM) /* wherever it ran out */
		warnx("cannot read %s: it needs too much memory", path);
	if (err)
		loaded_free(out);
	return err;
}

void loaded_free(struct loaded *l)
{
	recording_free(l->r);
	free(l->intervals);
	*l = (struct loaded){ 0 };
}
