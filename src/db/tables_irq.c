/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of interrupts and their work: nothing in them may surprise who draws them. */
#include <errno.h>
#include <stdlib.h>

#include "core/cpu.h"
#include "db/takers.h"

static bool is_cpu(const struct db_value *v)
{
	return v->i >= 0 && v->i <= CPU_ID_MAX;
}

int take_irq_source(struct tables *t, const struct db_value *v)
{
	int kind = db_irq_kind_of(v[2].bytes);
	struct irq_source_row *row;

	if (!is_id(&v[0]) || kind < 0 || !is_int(&v[3]) || !is_id(&v[4]))
		return ROW_BAD;
	row = rows_add(&t->irq.sources);
	if (!row)
		return -ENOMEM;
	row->row = (struct row){ .id = (uint32_t)v[0].i, .interval = (uint32_t)v[1].i, .to = -1 };
	row->s = (struct rec_irq_source){ .kind = (enum irq_kind)kind, .number = (int)v[3].i, .name = (int)v[4].i };
	return 0;
}

int take_irq_setting(struct tables *t, const struct db_value *v)
{
	struct irq_setting_row *row;

	if (!are_all(v, 1, 4, is_id))
		return ROW_BAD;
	row = rows_add(&t->irq.settings);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->source = (int)v[1].i;
	row->s = (struct rec_irq_source){ .affinity = (int)v[2].i, .effective = (int)v[3].i, .thread = (int)v[4].i };
	return 0;
}

int take_irq_row(struct tables *t, const struct db_value *v)
{
	struct irq_row_row *row;

	if (!is_id(&v[1]) || !is_cpu(&v[2]) || !are_all(v, 3, 11, is_count))
		return ROW_BAD;
	row = rows_add(&t->irq.rows);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->r = (struct rec_irq_row){ .source = (int)v[1].i,
				       .cpu = (unsigned)v[2].i,
				       .gross_ns = (uint64_t)v[3].i,
				       .peak_count = (uint64_t)v[4].i,
				       .peak_unix_ns = (uint64_t)v[5].i,
				       .storms = (uint64_t)v[6].i,
				       .no_start = (uint64_t)v[7].i,
				       .joined = (uint64_t)v[8].i,
				       .by = { [IRQ_IN_TASK] = (uint64_t)v[9].i,
					       [IRQ_IN_SOFTIRQ] = (uint64_t)v[10].i,
					       [IRQ_IN_HARDIRQ] = (uint64_t)v[11].i } };
	return 0;
}

int take_irq_histogram(struct tables *t, const struct db_value *v)
{
	int measure = db_irq_measure_of(v[3].bytes);
	struct irq_histogram_row *row;
	struct buckets_sum sum;

	if (!is_id(&v[1]) || !is_cpu(&v[2]) || measure < 0 || !is_histogram(&v[4], &v[9], &sum) || !is_count(&v[8]))
		return ROW_BAD;
	row = rows_add(&t->irq.histograms);
	if (!row || !keep_blob(t, &v[9], &row->blob))
		return -ENOMEM;
	row->blob_bytes = v[9].n;
	row->interval = (uint32_t)v[0].i;
	row->source = (int)v[1].i;
	row->cpu = (unsigned)v[2].i;
	row->measure = (enum irq_measure)measure;
	row->v = (struct rec_irq_values){
		.count = sum.count, .sum_ns = (uint64_t)v[5].i, .min_ns = (uint64_t)v[6].i, .max_ns = (uint64_t)v[7].i
	};
	row->longest_unix_ns = (uint64_t)v[8].i;
	return 0;
}

/* --- cases --- */

/* Columns of `irq_cases`. */
enum {
	CASE_INTERVAL,
	CASE_ID,
	CASE_LIST,
	CASE_MEASURE,
	CASE_ABOVE,
	CASE_SOURCE,
	CASE_CPU,
	CASE_TOTAL,
	CASE_NET,
	CASE_UNIX,
	CASE_CONTEXT,
	CASE_RAISER,
	CASE_RAISER_NUMBER,
	CASE_RUNNABLE,
	CASE_TASK,		      /* comm, tgid, tid, prio */
	CASE_DELAYED = CASE_TASK + 4, /* likewise */
	CASE_STACK = CASE_DELAYED + 4,
};

static bool is_task(const struct db_value *v)
{
	return are_all(v, 0, 2, is_id) && is_priority(&v[3]);
}

static struct rec_irq_task task_of(const struct db_value *v)
{
	return (struct rec_irq_task){
		.comm = (int)v[0].i, .tgid = (int)v[1].i, .tid = (int)v[2].i, .prio = (int)v[3].i
	};
}

static bool is_case(const struct db_value *v)
{
	return is_id(&v[CASE_ID]) && is_flag(&v[CASE_ABOVE]) && is_id(&v[CASE_SOURCE]) && is_cpu(&v[CASE_CPU]) &&
	       are_all(v, CASE_TOTAL, CASE_UNIX, is_count) && is_moment(&v[CASE_TOTAL]) &&
	       is_int(&v[CASE_RAISER_NUMBER]) && is_id(&v[CASE_RUNNABLE]) && is_task(&v[CASE_TASK]) &&
	       is_task(&v[CASE_DELAYED]) && is_stack(&v[CASE_STACK]);
}

int take_irq_case(struct tables *t, const struct db_value *v)
{
	int list = db_irq_list_of(v[CASE_LIST].bytes), measure = db_irq_measure_of(v[CASE_MEASURE].bytes);
	int context = db_irq_context_of(v[CASE_CONTEXT].bytes), raiser = db_span_kind_of(v[CASE_RAISER].bytes);
	struct irq_case_row *row;

	if (list < 0 || measure < 0 || context < 0 || raiser < 0 || !is_case(v))
		return ROW_BAD;
	row = rows_add(&t->irq.cases);
	if (!row)
		return -ENOMEM;
	row->row = (struct row){ .id = (uint32_t)v[CASE_ID].i, .interval = (uint32_t)v[CASE_INTERVAL].i, .to = -1 };
	row->c = (struct rec_irq_case){ .list = (enum irq_list)list,
					.measure = (enum irq_measure)measure,
					.above = v[CASE_ABOVE].i,
					.source = (int)v[CASE_SOURCE].i,
					.cpu = (unsigned)v[CASE_CPU].i,
					.total_ns = (uint64_t)v[CASE_TOTAL].i,
					.net_ns = (uint64_t)v[CASE_NET].i,
					.unix_ns = (uint64_t)v[CASE_UNIX].i,
					.by = (enum irq_context)context,
					.by_kind = (enum span_kind)raiser,
					.by_id = (int)v[CASE_RAISER_NUMBER].i,
					.runnable = (unsigned)v[CASE_RUNNABLE].i,
					.task = task_of(&v[CASE_TASK]),
					.delayed = task_of(&v[CASE_DELAYED]),
					.stack = stack_of(&v[CASE_STACK]) };
	return 0;
}

int take_irq_span(struct tables *t, const struct db_value *v)
{
	int kind = db_span_kind_of(v[2].bytes);
	struct irq_span_row *row;

	if (!is_id(&v[1]) || kind < 0 || !is_int(&v[3]) || !is_id(&v[4]) || !are_all(v, 5, 6, is_moment) ||
	    v[6].i < v[5].i || v[7].i < 0 || v[7].i > v[6].i - v[5].i)
		return ROW_BAD;
	row = rows_add(&t->irq.spans);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->of_case = (uint32_t)v[1].i;
	row->s = (struct rec_irq_span){ .kind = (enum span_kind)kind,
					.id = (int)v[3].i,
					.name = (int)v[4].i,
					.start_ns = v[5].i,
					.end_ns = v[6].i,
					.net_ns = (uint64_t)v[7].i };
	return 0;
}

/* --- beside the rows --- */

int take_irq_behind(struct tables *t, const struct db_value *v)
{
	struct irq_behind_row *row;

	if (!are_all(v, 1, 2, is_id) || v[3].i < 0 || v[3].i > 2 || !are_all(v, 4, 6, is_count))
		return ROW_BAD;
	row = rows_add(&t->irq.behind);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->b = (struct rec_irq_behind){ .source = (int)v[1].i,
					  .comm = (int)v[2].i,
					  .prio_class = (unsigned)v[3].i,
					  .count = (uint64_t)v[4].i,
					  .ns = (uint64_t)v[5].i,
					  .max_ns = (uint64_t)v[6].i };
	return 0;
}

int take_irq_sender(struct tables *t, const struct db_value *v)
{
	int context = db_irq_context_of(v[3].bytes);
	struct irq_sender_row *row;

	if (!is_int(&v[1]) || !is_id(&v[2]) || context < 0 || !is_id(&v[4]) || !is_stack(&v[5]) || !is_count(&v[6]))
		return ROW_BAD;
	row = rows_add(&t->irq.senders);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->s = (struct rec_irq_sender){ .vector = (int)v[1].i,
					  .callsite = (int)v[2].i,
					  .context = (enum irq_context)context,
					  .comm = (int)v[4].i,
					  .stack = stack_of(&v[5]),
					  .count = (uint64_t)v[6].i };
	return 0;
}

int take_irq_place(struct tables *t, const struct db_value *v)
{
	int kind = db_irq_kind_of(v[1].bytes);
	struct irq_place_row *row;

	if ((kind != IRQ_IRQS_OFF && kind != IRQ_PREEMPT_OFF) || !is_id(&v[2]) || !is_flag(&v[3]) || !is_stack(&v[4]) ||
	    !are_all(v, 5, 7, is_count))
		return ROW_BAD;
	row = rows_add(&t->irq.places);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->p = (struct rec_irq_place){ .kind = (enum irq_kind)kind,
					 .name = (int)v[2].i,
					 .stack = stack_of(&v[4]),
					 .exact = v[3].i,
					 .count = (uint64_t)v[5].i,
					 .ns = (uint64_t)v[6].i,
					 .max_ns = (uint64_t)v[7].i };
	return 0;
}

int take_irq_point(struct tables *t, const struct db_value *v)
{
	struct irq_point_row *row;

	if (!are_all(v, 1, 2, is_count) || v[1].i > INT64_MAX - v[2].i || !is_id(&v[3]) || !are_all(v, 4, 6, is_count))
		return ROW_BAD;
	row = rows_add(&t->irq.points);
	if (!row)
		return -ENOMEM;
	row->interval = (uint32_t)v[0].i;
	row->p = (struct rec_irq_point){ .start_ns = (uint64_t)v[1].i,
					 .duration_ns = (uint64_t)v[2].i,
					 .source = (int)v[3].i,
					 .count = (uint64_t)v[4].i,
					 .net_ns = (uint64_t)v[5].i,
					 .max_ns = (uint64_t)v[6].i };
	return 0;
}

int take_irq_count(struct tables *t, const struct db_value *v)
{
	int what = db_irq_count_of(v[1].bytes);
	struct part *p = &t->parts[v[0].i];

	if (what < 0 || v[2].i <= 0 || p->irq_counts[what])
		return ROW_BAD;
	p->irq_counts[what] = (uint64_t)v[2].i;
	return 0;
}

/* --- what they say of each other --- */

void irq_rows_begin(struct tables *t)
{
	t->irq = (struct irq_tables){ .sources.item_bytes = sizeof(struct irq_source_row),
				      .settings.item_bytes = sizeof(struct irq_setting_row),
				      .rows.item_bytes = sizeof(struct irq_row_row),
				      .histograms.item_bytes = sizeof(struct irq_histogram_row),
				      .cases.item_bytes = sizeof(struct irq_case_row),
				      .spans.item_bytes = sizeof(struct irq_span_row),
				      .behind.item_bytes = sizeof(struct irq_behind_row),
				      .senders.item_bytes = sizeof(struct irq_sender_row),
				      .places.item_bytes = sizeof(struct irq_place_row),
				      .points.item_bytes = sizeof(struct irq_point_row) };
}

/* An event that has a run may have a wait as well; IPIs have no runs. */
static bool counts_events(const struct tables *t, const struct irq_histogram_row *h)
{
	const struct irq_source_row *source = rows_find(&t->irq.sources, (uint64_t)h->source);

	return source && h->measure == irq_counted_by(source->s.kind);
}

void irq_rows_check(struct tables *t)
{
	const struct irq_histogram_row *hists = (const struct irq_histogram_row *)t->irq.histograms.items;
	const struct irq_span_row *spans = (const struct irq_span_row *)t->irq.spans.items;

	for (size_t i = 0; i < t->irq.histograms.n; i++)
		if (counts_events(t, &hists[i]))
			t->parts[hists[i].interval].irq_events += hists[i].v.count;
	for (size_t i = 0; i < t->irq.spans.n; i++) {
		struct irq_case_row *c = rows_find(&t->irq.cases, spans[i].of_case);

		if (c && c->row.interval == spans[i].interval)
			c->c.n_spans++;
		else
			t->parts[spans[i].interval].bad_row = true;
	}
}

void irq_rows_free(struct tables *t)
{
	struct irq_case_row *cases = (struct irq_case_row *)t->irq.cases.items;

	for (size_t i = 0; i < t->irq.cases.n; i++) /* of a loading that failed */
		free(cases[i].c.spans);
	free(t->irq.sources.items);
	free(t->irq.settings.items);
	free(t->irq.rows.items);
	free(t->irq.histograms.items);
	free(t->irq.cases.items);
	free(t->irq.spans.items);
	free(t->irq.behind.items);
	free(t->irq.senders.items);
	free(t->irq.places.items);
	free(t->irq.points.items);
}
