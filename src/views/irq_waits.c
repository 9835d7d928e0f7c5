/* SPDX-License-Identifier: GPL-2.0-only */
/* How long work waited: softirqs, threads, works and IPIs, a table with a part for each kind of wait. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/latency.h"
#include "views/footer.h"
#include "views/irq_view.h"

#define ROWS_AUTO      8 /* of each kind: the longest waits are what is looked for */
#define BEHIND_AUTO    8
#define NUMBER_COLUMNS 53

static const struct part {
	unsigned kinds;
	const char *title; /* tells the kind of its rows */
} parts[] = {
	{ IRQ_SOFT_KINDS, "softirqs: raise -> start" },
	{ IRQ_KIND(IRQ_THREAD), "threads: hard IRQ's end -> thread runs" },
	{ IRQ_KIND(IRQ_WORK), "works: queue -> start" },
	{ IRQ_KIND(IRQ_TASKLET), "tasklets: scheduled -> start" },
	{ IRQ_KIND(IRQ_IPI), "IPIs: sent -> handled" },
};

/* All of them have waits, so that a hard interrupt's distance to the one before is none. */
#define WAIT_KINDS (IRQ_SOFT_KINDS | IRQ_TASK_KINDS | IRQ_KIND(IRQ_IPI))

static int compare(const void *a, const void *b)
{
	const struct irq_whole *x = *(const struct irq_whole *const *)a, *y = *(const struct irq_whole *const *)b;
	const struct rec_irq_values *xw = &x->total.of[IRQ_WAIT], *yw = &y->total.of[IRQ_WAIT];

	if (!xw->count != !yw->count)
		return xw->count ? -1 : 1;
	if (xw->max_ns != yw->max_ns)
		return xw->max_ns > yw->max_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool has_wait(const struct irq_whole *sum, unsigned kinds)
{
	return irq_has_kind(sum->source, kinds) && (sum->total.of[IRQ_WAIT].count || sum->total.no_start);
}

/* Columns of the longest name of a source with waits. */
static unsigned longest_name(const struct irq_page *p, unsigned kinds)
{
	char label[IRQ_LABEL_BYTES];
	unsigned longest = 0;

	for (size_t i = 0; i < p->sums->n; i++) {
		const struct irq_whole *sum = &p->sums->list[i];
		unsigned n = has_wait(sum, kinds) ? irq_inert_columns(irq_source_text(label, p->r, sum->source)) : 0;

		longest = n > longest ? n : longest;
	}
	return longest;
}

static void write_row(const struct irq_page *p, const struct irq_whole *sum, unsigned columns)
{
	const struct rec_irq_values *wait = &sum->total.of[IRQ_WAIT];
	char label[IRQ_LABEL_BYTES], count[UNITS_BYTES], p50[UNITS_BYTES], p99[UNITS_BYTES], p999[UNITS_BYTES],
		max[UNITS_BYTES], unseen[UNITS_BYTES];

	irq_write_name(p, irq_source_text(label, p->r, sum->source), columns);
	fprintf(p->f, " %10s %8s %8s %8s %8s", units_count(count, wait->count), irq_quantile_text(p50, wait, 500),
		irq_quantile_text(p99, wait, 990), irq_quantile_text(p999, wait, 999), irq_max_text(max, wait));
	if (sum->total.no_start)
		fprintf(p->f, " %5s", units_count(unseen, sum->total.no_start));
	fputc('\n', p->f);
}

/* `rows` has room for all. */
static void write_part(const struct irq_page *p, const struct irq_whole **rows, const struct part *part,
		       unsigned columns)
{
	size_t n = 0, shown;

	for (size_t i = 0; i < p->sums->n; i++)
		if (has_wait(&p->sums->list[i], part->kinds))
			rows[n++] = &p->sums->list[i];
	if (!n)
		return;
	qsort(rows, n, sizeof(const struct irq_whole *), compare);
	shown = irq_shown(p, n, ROWS_AUTO);
	fprintf(p->f, " %s\n", part->title);
	for (size_t i = 0; i < shown; i++)
		write_row(p, rows[i], columns);
	if (shown < n)
		fprintf(p->f, "  and %zu with shorter waits (--top 0 shows all)\n", n - shown);
}

int irq_write_waits(const struct irq_page *p)
{
	const struct irq_whole **rows;
	uint64_t unseen = 0;
	unsigned columns;

	for (size_t i = 0; i < p->sums->n; i++)
		unseen += has_wait(&p->sums->list[i], WAIT_KINDS) ? p->sums->list[i].total.no_start : 0;
	if (!longest_name(p, WAIT_KINDS))
		return 0;
	rows = calloc(p->sums->n + 1, sizeof(const struct irq_whole *));
	if (!rows)
		return -ENOMEM;
	columns = irq_name_columns(p, NUMBER_COLUMNS, longest_name(p, WAIT_KINDS));
	fprintf(p->f, "\n%-*s %10s %8s %8s %8s %8s%s\n", (int)columns + 2, "waits", "count", "p50", "p99", "p99.9",
		"max", unseen ? " lacks" : "");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		write_part(p, rows, &parts[i], columns);
	free(rows);
	if (unseen)
		footer_line(p->f, p->o, "lacks: that started as well, but the beginning of their wait was not seen");
	if (p->q->softirqs_are_threads)
		footer_line(p->f, p->o,
			    "PREEMPT_RT: softirqs run in threads, and wait for the CPU as other tasks of their "
			    "priority do");
	return 0;
}

/* --- behind whom --- */

static int compare_behind(const void *a, const void *b)
{
	const struct rec_irq_behind *x = *(const struct rec_irq_behind *const *)a,
				    *y = *(const struct rec_irq_behind *const *)b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x < y ? -1 : x > y; /* of one array */
}

static void write_behind(const struct irq_page *p, const struct rec_irq_behind *b)
{
	static const char *const classes[] = { "better priority", "same priority",
					       "worse priority: it could not be preempted" };
	char thread[IRQ_LABEL_BYTES] = "a thread", ns[UNITS_BYTES], max[UNITS_BYTES], count[UNITS_BYTES];

	if (b->source >= 0 && (size_t)b->source < p->q->n_sources)
		irq_label(thread, p->r, &p->q->sources[b->source]);
	footer_hanging(p->f, p->o, "  ", "%s waited %s time%s behind %.32s (%s), %s in all%s%s", thread,
		       units_count(count, b->count), b->count == 1 ? "" : "s", recording_str(p->r, b->comm),
		       classes[b->prio_class < 2 ? b->prio_class : 2], units_duration(ns, b->ns),
		       b->max_ns ? ", longest " : "", b->max_ns ? units_duration(max, b->max_ns) : "");
}

int irq_write_behind(const struct irq_page *p)
{
	const struct rec_irq_behind **rows;
	size_t n = p->q->n_behind, shown = irq_shown(p, n, BEHIND_AUTO);

	if (!n)
		return 0;
	rows = calloc(n, sizeof(const struct rec_irq_behind *));
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		rows[i] = &p->q->behind[i];
	qsort(rows, n, sizeof(const struct rec_irq_behind *), compare_behind);
	fprintf(p->f, "\nwho had the CPU while threads waited\n");
	for (size_t i = 0; i < shown; i++)
		write_behind(p, rows[i]);
	if (shown < n)
		fprintf(p->f, "  and %zu more, shorter in all (--top 0 shows all)\n", n - shown);
	free(rows);
	return 0;
}
