/* SPDX-License-Identifier: GPL-2.0-only */
/* What took time: a row a source, the longest sum first. Interrupts and softirqs, then what runs in tasks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "views/footer.h"
#include "views/irq_view.h"

#define ROWS_AUTO      20
#define ROW_LEAST_PCT  0.1    /* of the table's time: less is not worth a row ... */
#define ROW_LONG_NS    100000 /* ... unless it once ran so long */
#define NUMBER_COLUMNS 58
#define SCREEN_COLUMNS 80
/* In a pipe a row is one line, but a single long name does not widen the column for all. */
#define PIPE_COLUMNS_MAX 40

struct table {
	const struct irq_whole **rows;
	size_t n, shown;
	uint64_t all_ns;
	bool has_tasklets;
};

/* --- names --- */

size_t irq_shown(const struct irq_page *p, size_t n, size_t automatic)
{
	if (p->o->top == VIEW_TOP_AUTO)
		return automatic + 1 < n ? automatic : n; /* a row that says "1 more" takes as much room as that one */
	return p->o->top && p->o->top < n ? (size_t)p->o->top : n;
}

unsigned irq_name_columns(const struct irq_page *p, unsigned others, unsigned longest)
{
	unsigned width = p->o->width > SCREEN_COLUMNS ? p->o->width : SCREEN_COLUMNS;
	unsigned room = p->o->width ? width - others - 2 : PIPE_COLUMNS_MAX;

	return longest < room ? longest : room;
}

unsigned irq_inert_columns(const char *raw)
{
	char name[IRQ_LABEL_BYTES * TEXT_ESCAPE_BYTES];

	text_inert(name, sizeof(name), raw, text_is_utf8());
	return text_columns(name);
}

void irq_write_name(const struct irq_page *p, const char *raw, unsigned columns)
{
	char name[IRQ_LABEL_BYTES * TEXT_ESCAPE_BYTES];
	unsigned used;

	text_inert(name, sizeof(name), raw, text_is_utf8());
	used = text_columns(name);
	if (used > columns) {
		fprintf(p->f, "  %s\n", name);
		used = 0;
		name[0] = '\0';
	}
	fprintf(p->f, "  %s%*s", name, (int)(columns - used), "");
}

/* The title of their table tells that they are works. */
static char *row_label(char buf[IRQ_LABEL_BYTES], const struct recording *r, const struct rec_irq_source *source)
{
	return source->kind == IRQ_WORK ? irq_source_text(buf, r, source) : irq_label(buf, r, source);
}

/* --- rows --- */

static int compare(const void *a, const void *b)
{
	const struct irq_whole *x = *(const struct irq_whole *const *)a, *y = *(const struct irq_whole *const *)b;
	uint64_t x_ns = x->total.of[IRQ_RUN].sum_ns, y_ns = y->total.of[IRQ_RUN].sum_ns;

	if (x_ns != y_ns)
		return x_ns > y_ns ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x < y ? -1 : x > y; /* of one array */
}

static bool is_worth_a_row(const struct table *t, const struct irq_whole *sum)
{
	const struct rec_irq_values *run = &sum->total.of[IRQ_RUN];

	return (double)run->sum_ns * 100 >= ROW_LEAST_PCT * (double)t->all_ns || run->max_ns >= ROW_LONG_NS;
}

/* Those of the kinds that ran, sorted. Small ones behind the last that is worth a row are left out. */
static int gather(const struct irq_page *p, struct table *t, unsigned kinds)
{
	*t = (struct table){ .rows = calloc(p->sums->n + 1, sizeof(const struct irq_whole *)) };
	if (!t->rows)
		return -ENOMEM;
	for (size_t i = 0; i < p->sums->n; i++) {
		const struct irq_whole *sum = &p->sums->list[i];

		if (!irq_has_kind(sum->source, kinds) || !sum->total.of[IRQ_RUN].count)
			continue;
		t->rows[t->n++] = sum;
		t->all_ns += sum->total.of[IRQ_RUN].sum_ns;
		t->has_tasklets |= sum->source->kind == IRQ_TASKLET;
	}
	qsort(t->rows, t->n, sizeof(const struct irq_whole *), compare);
	t->shown = irq_shown(p, t->n, ROWS_AUTO);
	if (p->o->top != VIEW_TOP_AUTO)
		return 0;
	while (t->shown && !is_worth_a_row(t, t->rows[t->shown - 1]))
		t->shown--;
	if (t->shown + 1 == t->n)
		t->shown = t->n;
	return 0;
}

/* "12.3" of a share, its percent sign stands above. */
static const char *share_text(char buf[UNITS_BYTES], double share)
{
	units_pct(buf, share, 1);
	buf[strcspn(buf, " ")] = '\0';
	return buf;
}

static void write_numbers(const struct irq_page *p, uint64_t count, double share, unsigned cpu)
{
	char text[UNITS_BYTES], rate[UNITS_BYTES], pct[UNITS_BYTES];

	fprintf(p->f, " %10s %7s %6s %4u", units_count(text, count), irq_rate_text(rate, irq_rate_hz(p->sums, count)),
		share_text(pct, share), cpu);
}

static void write_row(const struct irq_page *p, const struct irq_whole *sum, unsigned columns)
{
	const struct rec_irq_values *run = &sum->total.of[IRQ_RUN];
	char label[IRQ_LABEL_BYTES], p50[UNITS_BYTES], p99[UNITS_BYTES], max[UNITS_BYTES];

	irq_write_name(p, row_label(label, p->r, sum->source), columns);
	write_numbers(p, run->count, sum->share, sum->cpu);
	fprintf(p->f, " %8s %8s %8s\n", irq_quantile_text(p50, run, 500), irq_quantile_text(p99, run, 990),
		irq_max_text(max, run));
}

/* All that have no row, in one. */
static int write_rest(const struct irq_page *p, const struct table *t, unsigned columns)
{
	bool *chosen = calloc(p->sums->n + 1, sizeof(*chosen));
	uint64_t count = 0, max_ns = 0;
	char name[48], max[UNITS_BYTES];
	double share;
	unsigned cpu;
	int err;

	if (!chosen)
		return -ENOMEM;
	for (size_t i = t->shown; i < t->n; i++) {
		const struct rec_irq_values *run = &t->rows[i]->total.of[IRQ_RUN];

		chosen[t->rows[i] - p->sums->list] = true;
		count += run->count;
		max_ns = run->max_ns > max_ns ? run->max_ns : max_ns;
	}
	err = irq_busiest(p->sums, chosen, &share, &cpu);
	free(chosen);
	if (err)
		return err;
	snprintf(name, sizeof(name), "%zu more", t->n - t->shown);
	irq_write_name(p, name, columns);
	write_numbers(p, count, share, cpu);
	fprintf(p->f, " %8s %8s %8s\n", "-", "-", units_duration(max, max_ns));
	return 0;
}

static int write_rows(const struct irq_page *p, const struct table *t, const char *title, const char *share)
{
	unsigned longest = (unsigned)strlen(title) - 2, columns;
	char label[IRQ_LABEL_BYTES];

	for (size_t i = 0; i < t->shown; i++) {
		unsigned n = irq_inert_columns(row_label(label, p->r, t->rows[i]->source));

		longest = n > longest ? n : longest;
	}
	columns = irq_name_columns(p, NUMBER_COLUMNS, longest);
	fprintf(p->f, "\n%-*s %10s %7s %6s %4s %8s %8s %8s\n", (int)columns + 2, title, "count", "per s", share, "on",
		"p50", "p99", "max");
	for (size_t i = 0; i < t->shown; i++)
		write_row(p, t->rows[i], columns);
	return t->shown < t->n ? write_rest(p, t, columns) : 0;
}

static void write_notes(const struct irq_page *p, const struct table *times, const struct table *tasks)
{
	if (times->n)
		footer_line(p->f, p->o, "times without what interrupted them; CPU %%: of the CPU that had most of it");
	if (tasks->n)
		footer_line(p->f, p->o, "threads and works%s: from start to end, with sleep and preemption%s",
			    tasks->has_tasklets ? ", tasklets" : "",
			    tasks->has_tasklets ? "; a tasklet's time is in its softirq's as well" : "");
	if (times->shown < times->n || tasks->shown < tasks->n)
		footer_line(p->f, p->o, "--top 0 shows all, --hist NAME the histograms of one");
}

int irq_write_times(const struct irq_page *p)
{
	struct table times = { .n = 0 }, tasks = { .n = 0 };
	int err = gather(p, &times, IRQ_CPU_KINDS);

	if (!err)
		err = gather(p, &tasks, IRQ_TASK_KINDS);
	if (!err && times.n)
		err = write_rows(p, &times, "interrupts", "CPU %");
	if (!err && tasks.n)
		err = write_rows(p, &tasks, "threads and works", "time %");
	if (!err)
		write_notes(p, &times, &tasks);
	free(times.rows);
	free(tasks.rows);
	return err;
}
