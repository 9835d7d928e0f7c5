/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/irq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/intern.h"
#include "core/quantile.h"

struct irq_index {
	uint64_t seed;
	size_t max_sources, max_rows, max_cases, max_behind, max_senders, max_places, max_points;
	struct intern sources, rows, behind, senders, places;
	size_t worst[IRQ_LISTS]; /* cases of each list that are not `above` */
};

/* Room for one more at the end; false: no memory. */
#define GROW_ONE(q, items, n, max)                                                                         \
	({                                                                                                 \
		void *grown_ = intern_grow((q)->items, &(q)->index->max, (q)->n + 1, sizeof(*(q)->items)); \
		if (grown_)                                                                                \
			(q)->items = grown_;                                                               \
		grown_ != NULL;                                                                            \
	})

struct rec_irq *irq_of(struct recording *r)
{
	struct rec_irq *q;

	if (r->irq)
		return r->irq;
	q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->index = calloc(1, sizeof(*q->index));
	if (!q->index) {
		free(q);
		return NULL;
	}
	q->index->seed = intern_seed();
	r->irq = q;
	return q;
}

static void free_index(struct irq_index *x)
{
	intern_free(&x->sources);
	intern_free(&x->rows);
	intern_free(&x->behind);
	intern_free(&x->senders);
	intern_free(&x->places);
	free(x);
}

void irq_free(struct rec_irq *q)
{
	if (!q)
		return;
	for (size_t i = 0; i < q->n_rows; i++)
		for (unsigned m = 0; m < IRQ_MEASURES; m++)
			irq_values_free(&q->rows[i].of[m]);
	for (size_t i = 0; i < q->n_cases; i++)
		free(q->cases[i].spans);
	free(q->sources);
	free(q->rows);
	free(q->cases);
	free(q->behind);
	free(q->senders);
	free(q->places);
	free(q->points);
	free_index(q->index);
	free(q);
}

/* --- sources and rows --- */

static uint64_t mix_ids(uint64_t hash, int a, int b)
{
	return intern_mix(hash, (uint64_t)(unsigned)a << 32 | (unsigned)b);
}

static bool source_equal(const void *owner, uint32_t id, const void *key)
{
	const struct rec_irq_source *have = &((const struct rec_irq *)owner)->sources[id], *want = key;

	return have->kind == want->kind && have->number == want->number && have->name == want->name;
}

int irq_source(struct rec_irq *q, enum irq_kind kind, int number, int name)
{
	struct rec_irq_source new = { .kind = kind, .number = number, .name = name };
	uint64_t hash = mix_ids(intern_mix(q->index->seed, kind), number, name);
	int id = intern_find(&q->index->sources, hash, source_equal, q, &new);

	if (id >= 0)
		return id;
	if (!GROW_ONE(q, sources, n_sources, max_sources) || intern_add(&q->index->sources, hash, (int)q->n_sources))
		return -ENOMEM;
	q->sources[q->n_sources] = new;
	return (int)q->n_sources++;
}

static bool row_equal(const void *owner, uint32_t id, const void *key)
{
	const struct rec_irq_row *have = &((const struct rec_irq *)owner)->rows[id], *want = key;

	return have->source == want->source && have->cpu == want->cpu;
}

struct rec_irq_row *irq_row(struct rec_irq *q, int source, unsigned cpu)
{
	struct rec_irq_row new = { .source = source, .cpu = cpu };
	uint64_t hash = mix_ids(q->index->seed, source, (int)cpu);
	int id = intern_find(&q->index->rows, hash, row_equal, q, &new);

	if (id >= 0)
		return &q->rows[id];
	if (!GROW_ONE(q, rows, n_rows, max_rows) || intern_add(&q->index->rows, hash, (int)q->n_rows))
		return NULL;
	q->rows[q->n_rows] = new;
	return &q->rows[q->n_rows++];
}

/* --- values --- */

void irq_values_free(struct rec_irq_values *v)
{
	free(v->buckets);
	*v = (struct rec_irq_values){ 0 };
}

static bool have_buckets(struct rec_irq_values *v)
{
	if (!v->buckets)
		v->buckets = calloc(HIST_BUCKETS, sizeof(*v->buckets));
	return v->buckets;
}

/* An extreme is written before its bucket, and what was copied meanwhile need not be of one moment. */
static void within_buckets(struct rec_irq_values *v, unsigned lowest, unsigned highest)
{
	uint64_t least_ns = hist_bucket_min_ns(highest), most_ns = hist_bucket_min_ns(lowest + 1) - 1;

	if (v->max_ns < least_ns)
		v->max_ns = least_ns;
	if (lowest < HIST_BUCKETS - 1 && v->min_ns > most_ns)
		v->min_ns = most_ns;
	if (v->min_ns > v->max_ns)
		v->min_ns = v->max_ns;
}

int irq_values_set(struct rec_irq_values *v, const struct hist *h)
{
	struct rec_irq_values new = { .sum_ns = h->sum_ns, .min_ns = h->min_ns, .max_ns = h->max_ns };
	unsigned lowest = HIST_BUCKETS, highest = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		if (!h->buckets[i])
			continue;
		new.count += h->buckets[i];
		lowest = lowest < i ? lowest : i;
		highest = i;
	}
	if (!new.count) {
		irq_values_free(v);
		return 0;
	}
	if (!have_buckets(v))
		return -ENOMEM;
	new.buckets = v->buckets;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		new.buckets[i] = h->buckets[i];
	within_buckets(&new, lowest, highest);
	*v = new;
	return 0;
}

int irq_values_add(struct rec_irq_values *to, const struct rec_irq_values *more)
{
	if (!more->count)
		return 0;
	if (!have_buckets(to))
		return -ENOMEM;
	if (!to->count || more->min_ns < to->min_ns)
		to->min_ns = more->min_ns;
	if (more->max_ns > to->max_ns)
		to->max_ns = more->max_ns;
	to->count += more->count;
	to->sum_ns += more->sum_ns;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		to->buckets[i] += more->buckets[i];
	return 0;
}

uint64_t irq_quantile(const struct rec_irq_values *v, unsigned permille)
{
	return quantile_ns(&(struct quantile_of){ v->buckets, v->count, v->min_ns, v->max_ns }, permille);
}

/* The measure by which a source's longest event is told. */
static enum irq_measure main_measure(const struct rec_irq *q, int source)
{
	for (size_t i = 0; i < q->n_rows; i++)
		if (q->rows[i].source == source && q->rows[i].of[IRQ_RUN].count)
			return IRQ_RUN;
	return IRQ_WAIT;
}

static int add_row(struct rec_irq_row *total, const struct rec_irq_row *row, enum irq_measure by)
{
	int err = 0;

	if (row->of[by].count && row->of[by].max_ns > total->of[by].max_ns)
		total->cpu = row->cpu;
	if (row->peak_count > total->peak_count) {
		total->peak_count = row->peak_count;
		total->peak_unix_ns = row->peak_unix_ns;
	}
	total->gross_ns += row->gross_ns;
	total->storms += row->storms;
	total->no_start += row->no_start;
	total->joined += row->joined;
	for (unsigned c = 0; c < IRQ_CONTEXTS; c++)
		total->by[c] += row->by[c];
	for (unsigned m = 0; m < IRQ_MEASURES && !err; m++) {
		if (row->of[m].count && row->of[m].max_ns > total->of[m].max_ns)
			total->longest_unix_ns[m] = row->longest_unix_ns[m];
		err = irq_values_add(&total->of[m], &row->of[m]);
	}
	return err;
}

int irq_total(const struct rec_irq *q, int source, struct rec_irq_row *total)
{
	enum irq_measure by = main_measure(q, source);
	bool first = true;
	int err = 0;

	*total = (struct rec_irq_row){ .source = source };
	for (size_t i = 0; i < q->n_rows && !err; i++) {
		if (q->rows[i].source != source)
			continue;
		if (first)
			total->cpu = q->rows[i].cpu;
		first = false;
		err = add_row(total, &q->rows[i], by);
	}
	for (unsigned m = 0; m < IRQ_MEASURES && err; m++)
		irq_values_free(&total->of[m]);
	return err;
}

/* --- cases --- */

/* Index of the shortest of a list's worst, of equal ones the latest. There is one. */
static size_t shortest_of(const struct rec_irq *q, enum irq_list list)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < q->n_cases; i++)
		if (q->cases[i].list == list && !q->cases[i].above &&
		    (found == SIZE_MAX || q->cases[i].total_ns <= q->cases[found].total_ns))
			found = i;
	return found;
}

static void drop_case(struct rec_irq *q, size_t at)
{
	q->index->worst[q->cases[at].list]--;
	free(q->cases[at].spans);
	q->n_cases--;
	memmove(q->cases + at, q->cases + at + 1, (q->n_cases - at) * sizeof(*q->cases));
}

int irq_case(struct rec_irq *q, const struct rec_irq_case *c)
{
	if (!GROW_ONE(q, cases, n_cases, max_cases)) {
		free(c->spans);
		return -ENOMEM;
	}
	q->cases[q->n_cases] = *c;
	q->cases[q->n_cases++].number = q->n_given++;
	if (!c->above && ++q->index->worst[c->list] > q->worst)
		drop_case(q, shortest_of(q, c->list));
	return 0;
}

/* --- what is told beside the rows --- */

static bool behind_equal(const void *owner, uint32_t id, const void *key)
{
	const struct rec_irq_behind *have = &((const struct rec_irq *)owner)->behind[id], *want = key;

	return have->source == want->source && have->comm == want->comm && have->prio_class == want->prio_class;
}

/* The one with its identity, made without a count if there is none; NULL: no memory. Likewise the others. */
static struct rec_irq_behind *behind_of(struct rec_irq *q, const struct rec_irq_behind *b)
{
	uint64_t hash = mix_ids(intern_mix(q->index->seed, b->prio_class), b->source, b->comm);
	int id = intern_find(&q->index->behind, hash, behind_equal, q, b);

	if (id >= 0)
		return &q->behind[id];
	if (!GROW_ONE(q, behind, n_behind, max_behind) || intern_add(&q->index->behind, hash, (int)q->n_behind))
		return NULL;
	q->behind[q->n_behind] = *b;
	q->behind[q->n_behind].count = q->behind[q->n_behind].ns = q->behind[q->n_behind].max_ns = 0;
	return &q->behind[q->n_behind++];
}

static bool sender_equal(const void *owner, uint32_t id, const void *key)
{
	const struct rec_irq_sender *have = &((const struct rec_irq *)owner)->senders[id], *want = key;

	return have->vector == want->vector && have->callsite == want->callsite && have->context == want->context &&
	       have->comm == want->comm && have->stack == want->stack;
}

static struct rec_irq_sender *sender_of(struct rec_irq *q, const struct rec_irq_sender *s)
{
	uint64_t hash = mix_ids(mix_ids(intern_mix(q->index->seed, s->context), s->vector, s->callsite), s->comm,
				s->stack);
	int id = intern_find(&q->index->senders, hash, sender_equal, q, s);

	if (id >= 0)
		return &q->senders[id];
	if (!GROW_ONE(q, senders, n_senders, max_senders) || intern_add(&q->index->senders, hash, (int)q->n_senders))
		return NULL;
	q->senders[q->n_senders] = *s;
	q->senders[q->n_senders].count = 0;
	return &q->senders[q->n_senders++];
}

static bool place_equal(const void *owner, uint32_t id, const void *key)
{
	const struct rec_irq_place *have = &((const struct rec_irq *)owner)->places[id], *want = key;

	return have->kind == want->kind && have->name == want->name && have->exact == want->exact;
}

static struct rec_irq_place *place_of(struct rec_irq *q, const struct rec_irq_place *p)
{
	uint64_t hash = mix_ids(intern_mix(q->index->seed, p->exact), (int)p->kind, p->name);
	int id = intern_find(&q->index->places, hash, place_equal, q, p);

	if (id >= 0)
		return &q->places[id];
	if (!GROW_ONE(q, places, n_places, max_places) || intern_add(&q->index->places, hash, (int)q->n_places))
		return NULL;
	q->places[q->n_places] = *p;
	q->places[q->n_places].count = q->places[q->n_places].ns = q->places[q->n_places].max_ns = 0;
	return &q->places[q->n_places++];
}

int irq_behind(struct rec_irq *q, const struct rec_irq_behind *b)
{
	struct rec_irq_behind *have = behind_of(q, b);

	if (!have)
		return -ENOMEM;
	*have = *b;
	return 0;
}

int irq_sender(struct rec_irq *q, const struct rec_irq_sender *s)
{
	struct rec_irq_sender *have = sender_of(q, s);

	if (!have)
		return -ENOMEM;
	*have = *s;
	return 0;
}

int irq_place(struct rec_irq *q, const struct rec_irq_place *p)
{
	struct rec_irq_place *have = place_of(q, p);

	if (!have)
		return -ENOMEM;
	*have = *p;
	return 0;
}

int irq_behind_add(struct rec_irq *q, const struct rec_irq_behind *more)
{
	struct rec_irq_behind *have = behind_of(q, more);

	if (!have)
		return -ENOMEM;
	have->count += more->count;
	have->ns += more->ns;
	if (more->max_ns > have->max_ns)
		have->max_ns = more->max_ns;
	return 0;
}

int irq_sender_add(struct rec_irq *q, const struct rec_irq_sender *more)
{
	struct rec_irq_sender *have = sender_of(q, more);

	if (!have)
		return -ENOMEM;
	have->count += more->count;
	return 0;
}

int irq_place_add(struct rec_irq *q, const struct rec_irq_place *more)
{
	struct rec_irq_place *have = place_of(q, more);

	if (!have)
		return -ENOMEM;
	have->count += more->count;
	have->ns += more->ns;
	if (more->max_ns >= have->max_ns) {
		have->max_ns = more->max_ns;
		have->stack = more->stack;
	}
	return 0;
}

int irq_point(struct rec_irq *q, const struct rec_irq_point *p)
{
	if (!GROW_ONE(q, points, n_points, max_points))
		return -ENOMEM;
	q->points[q->n_points++] = *p;
	return 0;
}
