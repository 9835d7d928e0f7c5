/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loader of recordings. An input is a file; or "edit" and then, of ten bytes each, changes to
 * rows of a good one, which reach what lies behind SQLite. In this build checksums are taken for
 * right (row_checksum_is()). Beyond the sanitizers' rules: whatever is loaded is whole in itself.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/irq.h"
#include "core/latency.h"
#include "db/db.h"
#include "db/schema.h"

#define EDIT_BYTES 10

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static char path[128];
static uint8_t *good;
static sqlite3_int64 good_bytes;

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Not emptied first: ext4 would see to it that what follows reaches the disk. */
static void write_file(const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	must(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && !ftruncate(fd, (off_t)n));
	close(fd);
}

static void remove_file(void)
{
	unlink(path);
}

static void add_latency(struct recording *r, unsigned i, int stack)
{
	struct rec_latency *l = latency_of(r);
	struct rec_case c = { .kind = LATENCY_WAKING,
			      .above = i % 2,
			      .total_ns = 30,
			      .comm = recording_string(r, "x"),
			      .context = SPAN_TASK,
			      .waker_stack = stack,
			      .out_stack = -1,
			      .user_stack = stack,
			      .n_parts = 2,
			      .n_spans = 1,
			      .parts = calloc(2, sizeof(*c.parts)),
			      .spans = calloc(1, sizeof(*c.spans)) };
	struct hist more = { 0 };

	must(l && c.parts && c.spans);
	l->worst = 3;
	hist_add(&more, 30 + i);
	hist_add(&more, 3000);
	latency_merge(latency_hist(l, recording_string(r, i % 2 ? "x" : ""), LATENCY_WAKING), &more);
	c.parts[0] = (struct rec_part){ .cause = CAUSE_TASK_BOOSTED, .name = c.comm, .by = c.comm, .ns = 20 };
	c.parts[1] = (struct rec_part){ .cause = CAUSE_SWITCH, .ns = 10 };
	c.spans[0] = (struct rec_span){ SPAN_TASK, 3, c.comm, 120, -10, 20, 30 };
	must(!latency_case(l, &c));
	must(!latency_cause(l, &(struct rec_cause){ CAUSE_HARDIRQ, (int)i, 0, i, i % 2, 1, 2 }));
	must(!latency_point(l, &(struct rec_point){ i * 1000, 1000, LATENCY_WAKING, 2, 3030, 3000, 31, 3000 }));
	l->counts[i]++;
}

static void add_irq(struct recording *r, unsigned i, int stack)
{
	int x = recording_string(r, "x"), source = irq_source(irq_of(r), (enum irq_kind)(i % IRQ_KINDS), 45, x);
	struct rec_irq_row *row = irq_row(r->irq, source, i % 2);
	struct rec_irq_case c = { .list = (enum irq_list)(i % IRQ_LISTS),
				  .above = i % 2,
				  .source = source,
				  .task = { x, 1, 2, 120 },
				  .stack = stack,
				  .n_spans = 1,
				  .spans = calloc(1, sizeof(*c.spans)) };
	struct hist more = { 0 };

	must(row && c.spans);
	r->irq->worst = 2;
	hist_add(&more, 30 + i);
	hist_add(&more, 3000);
	must(!irq_values_set(&row->of[i % IRQ_MEASURES], &more));
	row->joined = row->peak_count = i + 1;
	r->irq->sources[source].affinity = x;
	c.spans[0] = (struct rec_irq_span){ SPAN_TASK, 3, x, -10, 0, 9 };
	must(!irq_case(r->irq, &c));
	must(!irq_behind(r->irq, &(struct rec_irq_behind){ source, x, i % 3, 1, 2, 2 }));
	must(!irq_sender(r->irq, &(struct rec_irq_sender){ 1, x, IRQ_IN_TASK, x, stack, 1 }));
	must(!irq_place(r->irq,
			&(struct rec_irq_place){
				.kind = IRQ_IRQS_OFF, .name = x, .stack = stack, .count = 1, .ns = i, .max_ns = i }));
	must(!irq_point(r->irq, &(struct rec_irq_point){ i * 1000, 1000, source, 2, 3030, 3000 }));
	r->irq->counts[i]++;
}

static void add(struct recording *r, unsigned i)
{
	struct rec_mapping m = { .name = recording_string(r, i % 2 ? "/a" : "[kernel]"), .kind = MAPPING_FILE };
	int mapping = recording_mapping(r, &m);
	uint32_t frames[2] = { (uint32_t)recording_location(r, mapping, i, WHY_UNRESOLVED),
			       (uint32_t)recording_location(r, mapping, 1000, WHY_STRIPPED) };
	struct rec_sample s = { .labels = { recording_string(r, "x"), 1, 2, (int)i / 2 },
				.fires = i + 1,
				.weight = 10 };

	recording_name(r, (int)frames[0], recording_string(r, "f"), 1, WHY_NAMED);
	s.stack = recording_stack(r, frames, 1, 1);
	recording_add(r, &s);
	add_latency(r, i, s.stack);
	add_irq(r, i, s.stack);
	r->lost.by_cause[LOST_MAP_FULL]++;
	r->meta.duration_ns += 1000;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *folder = getenv("TMPDIR");
	struct recording *r = recording_new();
	struct saver *s;
	sqlite3 *db;

	(void)argc;
	(void)argv;
	snprintf(path, sizeof(path), "%s/kbpfprof-fuzz-%d", folder ? folder : "/tmp", getpid());
	atexit(remove_file);
	must(r && !saver_open(&s, path));
	for (unsigned i = 0; i < 6; i++) {
		add(r, i);
		must(i % 2 || !saver_interval(s, r));
	}
	must(!saver_finish(s));
	saver_close(s);
	recording_free(r);
	must(sqlite3_open(path, &db) == SQLITE_OK);
	good = sqlite3_serialize(db, "main", &good_bytes, 0);
	must(good != NULL);
	sqlite3_close(db);
	return 0;
}

static void bind(sqlite3_stmt *q, const uint8_t *e)
{
	int64_t number = (int64_t)((uint64_t)e[4] << 56 | (uint64_t)e[5] << 32 | (uint64_t)e[6] << 16 | e[7] << 8 |
				   e[8]);

	switch (e[3] % 6) {
	case 0:
		sqlite3_bind_int64(q, 1, number);
		break;
	case 1:
		sqlite3_bind_int64(q, 1, (int8_t)e[8]);
		break;
	case 2:
		sqlite3_bind_blob(q, 1, e + 4, e[9] % 6, SQLITE_STATIC);
		break;
	case 3:
		sqlite3_bind_text(q, 1, (const char *)e + 4, e[9] % 6, SQLITE_STATIC);
		break;
	case 4:
		sqlite3_bind_double(q, 1, (double)number / 256);
		break;
	default:
		sqlite3_bind_zeroblob(q, 1, e[8] << 8);
	}
}

static const char *column_name(sqlite3 *db, const char *table, unsigned column, char name[32])
{
	sqlite3_stmt *q;
	char sql[96];

	snprintf(sql, sizeof(sql), "SELECT name FROM pragma_table_info('%s') LIMIT 1 OFFSET %u", table, column);
	must(sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW);
	snprintf(name, 32, "%s", (const char *)sqlite3_column_text(q, 0));
	sqlite3_finalize(q);
	return name;
}

/* One value of one row, or the row as a whole. */
static void edit(sqlite3 *db, const uint8_t *e)
{
	const struct db_table_def *t = &db_tables[e[0] % DB_TABLES];
	unsigned column = e[1] % (unsigned)strlen(t->types), row = e[2] % 12;
	char sql[256], name[32];
	sqlite3_stmt *q;

	if (e[3] >= 250)
		snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE rowid = %u", t->name, row);
	else
		snprintf(sql, sizeof(sql), "UPDATE OR REPLACE %s SET \"%s\" = ? WHERE rowid = %u", t->name,
			 column_name(db, t->name, column, name), row);
	must(sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK);
	bind(q, e);
	sqlite3_step(q);
	sqlite3_finalize(q);
}

static void write_edited(const uint8_t *edits, size_t bytes)
{
	unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)good_bytes), *image;
	sqlite3_int64 n = 0;
	sqlite3 *db = NULL;

	must(copy && sqlite3_open(":memory:", &db) == SQLITE_OK);
	memcpy(copy, good, (size_t)good_bytes);
	sqlite3_deserialize(db, "main", copy, good_bytes, good_bytes,
			    SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
	for (; bytes >= EDIT_BYTES; edits += EDIT_BYTES, bytes -= EDIT_BYTES)
		edit(db, edits);
	image = sqlite3_serialize(db, "main", &n, 0);
	if (image)
		write_file(image, (size_t)n);
	sqlite3_free(image);
	sqlite3_close(db);
}

static void walk_string(const struct recording *r, int id)
{
	must(id >= 0 && strlen(recording_str(r, id)) <= DB_STRING_BYTES_MAX);
}

static void walk_case(const struct recording *r, const struct rec_case *c)
{
	const int stacks[] = { c->waker_stack, c->out_stack, c->user_stack };
	uint64_t sum_ns = 0;

	for (unsigned i = 0; i < 3; i++)
		must(stacks[i] >= -1 && stacks[i] < (int)r->n_stacks);
	must(latency_kind_word(c->kind) && latency_span_word(c->context));
	walk_string(r, c->comm);
	walk_string(r, c->context_name);
	walk_string(r, c->waker_comm);
	for (size_t i = 0; i < c->n_parts; i++) {
		must(c->parts[i].cause < WAKE_CAUSES && c->parts[i].tid >= 0);
		walk_string(r, c->parts[i].name);
		walk_string(r, c->parts[i].by);
		sum_ns += c->parts[i].ns;
	}
	must(!c->n_parts || sum_ns == c->total_ns);
	for (size_t i = 0; i < c->n_spans; i++) {
		const struct rec_span *s = &c->spans[i];

		must(latency_span_word(s->kind) && s->end_ns >= s->start_ns &&
		     s->net_ns <= (uint64_t)(s->end_ns - s->start_ns));
		walk_string(r, s->name);
	}
}

static void walk_hist(const struct recording *r, const struct rec_hist *h)
{
	uint64_t count = 0;

	walk_string(r, h->group);
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		count += h->buckets[i];
	must(count == h->count && h->count && h->min_ns <= h->max_ns && h->kind < LATENCY_KINDS);
	for (unsigned p = 0; p <= 1000; p += 125)
		must(latency_quantile(h, p) >= h->min_ns && latency_quantile(h, p) <= h->max_ns);
}

static void walk_latency(const struct recording *r)
{
	const struct rec_latency *l = r->latency;
	size_t worst = 0;

	for (size_t i = 0; i < l->n_hists; i++)
		walk_hist(r, &l->hists[i]);
	for (size_t i = 0; i < l->n_causes; i++) {
		must(l->causes[i].cause < WAKE_CAUSES && l->causes[i].quarter < HIST_QUARTERS);
		walk_string(r, l->causes[i].name);
	}
	for (size_t i = 0; i < l->n_cases; i++) {
		worst += !l->cases[i].above;
		walk_case(r, &l->cases[i]);
	}
	must(worst <= l->worst);
	for (size_t i = 0; i < l->n_points; i++)
		must(l->points[i].kind < LATENCY_KINDS && l->points[i].p50_ns <= l->points[i].max_ns);
}

static void walk_values(const struct rec_irq_values *v)
{
	uint64_t count = 0;

	for (unsigned i = 0; v->buckets && i < HIST_BUCKETS; i++)
		count += v->buckets[i];
	must(count == v->count && v->min_ns <= v->max_ns && !v->buckets == !v->count);
	for (unsigned p = 0; p <= 1000 && v->count; p += 125)
		must(irq_quantile(v, p) >= v->min_ns && irq_quantile(v, p) <= v->max_ns);
}

static void walk_source(const struct recording *r, int source)
{
	must(source >= 0 && (size_t)source < r->irq->n_sources);
}

static void walk_irq_stack(const struct recording *r, int stack)
{
	must(stack >= -1 && stack < (int)r->n_stacks);
}

static void walk_irq_rows(const struct recording *r)
{
	const struct rec_irq *q = r->irq;

	for (size_t i = 0; i < q->n_sources; i++) {
		struct rec_irq_row total;

		must(irq_kind_word(q->sources[i].kind) && q->sources[i].thread >= 0);
		walk_string(r, q->sources[i].name);
		walk_string(r, q->sources[i].affinity);
		walk_string(r, q->sources[i].effective);
		must(!irq_total(q, (int)i, &total));
		for (unsigned m = 0; m < IRQ_MEASURES; m++) {
			walk_values(&total.of[m]);
			irq_values_free(&total.of[m]);
		}
	}
	for (size_t i = 0; i < q->n_rows; i++) {
		walk_source(r, q->rows[i].source);
		for (unsigned m = 0; m < IRQ_MEASURES; m++)
			walk_values(&q->rows[i].of[m]);
	}
	for (size_t i = 0; i < q->n_points; i++)
		walk_source(r, q->points[i].source);
}

static void walk_irq_cases(const struct recording *r)
{
	const struct rec_irq *q = r->irq;
	size_t worst[IRQ_LISTS] = { 0 };

	for (size_t i = 0; i < q->n_cases; i++) {
		const struct rec_irq_case *c = &q->cases[i];

		must(irq_list_word(c->list) && irq_measure_word(c->measure) && irq_context_word(c->by) &&
		     latency_span_word(c->by_kind));
		worst[c->list] += !c->above;
		must(worst[c->list] <= q->worst);
		walk_source(r, c->source);
		walk_string(r, c->task.comm);
		walk_string(r, c->delayed.comm);
		walk_irq_stack(r, c->stack);
		for (size_t k = 0; k < c->n_spans; k++) {
			must(latency_span_word(c->spans[k].kind) && c->spans[k].end_ns >= c->spans[k].start_ns);
			walk_string(r, c->spans[k].name);
		}
	}
}

static void walk_irq(const struct recording *r)
{
	const struct rec_irq *q = r->irq;

	walk_irq_rows(r);
	walk_irq_cases(r);
	for (size_t i = 0; i < q->n_behind; i++) {
		must(q->behind[i].prio_class <= 2);
		walk_source(r, q->behind[i].source);
		walk_string(r, q->behind[i].comm);
	}
	for (size_t i = 0; i < q->n_senders; i++) {
		must(irq_context_word(q->senders[i].context) != NULL);
		walk_string(r, q->senders[i].callsite);
		walk_string(r, q->senders[i].comm);
		walk_irq_stack(r, q->senders[i].stack);
	}
	for (size_t i = 0; i < q->n_places; i++) {
		must(q->places[i].kind == IRQ_IRQS_OFF || q->places[i].kind == IRQ_PREEMPT_OFF);
		walk_string(r, q->places[i].name);
		walk_irq_stack(r, q->places[i].stack);
	}
}

static void walk(const struct loaded *l)
{
	const struct recording *r = l->r;

	must(l->n_used > 0 && l->n_used + l->n_damaged <= l->n_intervals);
	for (size_t i = 0; i < r->n_mappings; i++)
		must(strlen(recording_str(r, r->mappings[i].name)) <= DB_STRING_BYTES_MAX &&
		     r->mappings[i].kind <= MAPPING_ANON && r->mappings[i].build_id.n <= BUILD_ID_BYTES_MAX);
	for (size_t i = 0; i < r->n_locations; i++)
		must((size_t)r->locations[i].mapping < r->n_mappings && r->locations[i].why < WHY_CAUSES &&
		     strlen(recording_str(r, r->locations[i].name)) <= DB_STRING_BYTES_MAX);
	for (size_t i = 0; i < r->n_samples; i++) {
		const struct rec_sample *s = &r->samples[i];
		const struct rec_stack *k = &r->stacks[s->stack];

		must((size_t)s->stack < r->n_stacks && s->labels.cpu >= -1 && s->labels.tgid >= 0 &&
		     s->labels.tid >= 0);
		must(strlen(recording_str(r, s->labels.comm)) <= DB_STRING_BYTES_MAX);
		for (uint32_t f = 0; f < (uint32_t)k->kernel_frames + k->user_frames; f++)
			must(r->frames[k->first + f] < r->n_locations);
	}
	if (r->latency)
		walk_latency(r);
	if (r->irq)
		walk_irq(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct load_range range = { 500, 1500 };
	struct loaded l;
	int err;

	if (bytes >= 4 && !memcmp(data, "edit", 4))
		write_edited(data + 4, bytes - 4);
	else
		write_file(data, bytes);
	err = recording_load(path, bytes % 4 ? NULL : &range, &l);
	must(err <= 0);
	if (!err)
		walk(&l);
	else
		must(!l.r && !l.intervals);
	loaded_free(&l);
	return 0;
}
