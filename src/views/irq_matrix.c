/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which interrupt came on which CPU, beside where it may come: as /proc/interrupts has it, but of the run only, with
 * softirqs and interrupt threads, and without the columns of CPUs that had none.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "views/footer.h"
#include "views/irq_view.h"

extern const struct view view_matrix;

#define SCREEN_COLUMNS	 80
#define COUNT_COLUMNS	 6  /* of a CPU at least */
#define CPUS_MAX	 64 /* columns, on the widest of screens */
#define AFFINITY_COLUMNS 15
#define AFFINITY_BYTES	 4096
#define MATRIX_KINDS	 (IRQ_CPU_KINDS | IRQ_KIND(IRQ_THREAD))

/* A source on a CPU. */
struct cell {
	size_t place; /* of its source in the order shown */
	unsigned cpu;
	uint64_t count;
};

struct matrix {
	FILE *f;
	const struct recording *r;
	const struct view_options *o;
	const struct rec_irq *q;
	size_t *sources; /* in the order shown */
	size_t n_sources;
	struct cell *cells; /* by place, then by CPU */
	size_t n_cells;
	unsigned cpus[CPUS_MAX], widths[CPUS_MAX]; /* sorted */
	unsigned n_cpus;			   /* more than CPUS_MAX: it is a list */
};

static unsigned screen(const struct view_options *o)
{
	return o->width ? o->width : SCREEN_COLUMNS;
}

void irq_write_list(FILE *f, const struct view_options *o, const char *before, const char *list)
{
	unsigned indent = text_columns(before), column = indent;

	fputs(before, f);
	while (*list) {
		size_t bytes = strcspn(list, ",");

		bytes += list[bytes] == ',';
		if (column > indent && column + 1 + bytes > screen(o)) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', f);
			column++;
		}
		fwrite(list, 1, bytes, f);
		column += (unsigned)bytes;
		list += bytes;
		list += strspn(list, " ");
	}
	fputc('\n', f);
}

/* --- gathering --- */

struct order {
	const struct rec_irq_source *source;
	size_t index;
};

/* As the kernel lists them: lines by number, then the others by kind. */
static int compare_sources(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->source->kind != y->source->kind)
		return x->source->kind < y->source->kind ? -1 : 1;
	if (x->source->number != y->source->number)
		return x->source->number < y->source->number ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int order_sources(struct matrix *m, size_t *places)
{
	struct order *order = calloc(m->q->n_sources + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < m->q->n_sources; i++)
		if (irq_has_kind(&m->q->sources[i], MATRIX_KINDS))
			order[m->n_sources++] = (struct order){ &m->q->sources[i], i };
	qsort(order, m->n_sources, sizeof(*order), compare_sources);
	for (size_t i = 0; i < m->n_sources; i++) {
		m->sources[i] = order[i].index;
		places[order[i].index] = i;
	}
	free(order);
	return 0;
}

static void add_cells(struct matrix *m, const size_t *places)
{
	for (size_t i = 0; i < m->q->n_rows; i++) {
		const struct rec_irq_row *row = &m->q->rows[i];
		uint64_t count = row->of[IRQ_RUN].count ? row->of[IRQ_RUN].count : row->of[IRQ_WAIT].count;

		if (row->source >= 0 && (size_t)row->source < m->q->n_sources && count &&
		    irq_has_kind(&m->q->sources[row->source], MATRIX_KINDS))
			m->cells[m->n_cells++] = (struct cell){ places[row->source], row->cpu, count };
	}
	qsort(m->cells, m->n_cells, sizeof(*m->cells), compare_cells);
}

/* Puts a CPU among the columns. */
static void add_cpu(struct matrix *m, const struct cell *cell)
{
	char count[UNITS_BYTES];
	unsigned columns = (unsigned)strlen(units_count(count, cell->count)), i = 0;

	columns = columns > COUNT_COLUMNS ? columns : COUNT_COLUMNS;
	while (i < m->n_cpus && m->cpus[i] < cell->cpu)
		i++;
	if (i < m->n_cpus && m->cpus[i] == cell->cpu) {
		m->widths[i] = m->widths[i] > columns ? m->widths[i] : columns;
		return;
	}
	if (m->n_cpus == CPUS_MAX) {
		m->n_cpus++;
		return;
	}
	memmove(m->cpus + i + 1, m->cpus + i, (m->n_cpus - i) * sizeof(*m->cpus));
	memmove(m->widths + i + 1, m->widths + i, (m->n_cpus - i) * sizeof(*m->widths));
	m->cpus[i] = cell->cpu;
	m->widths[i] = columns;
	m->n_cpus++;
}

static int matrix_open(struct matrix *m)
{
	size_t *places = calloc(m->q->n_sources + 1, sizeof(*places));
	int err = -ENOMEM;

	m->sources = calloc(m->q->n_sources + 1, sizeof(*m->sources));
	m->cells = calloc(m->q->n_rows + 1, sizeof(*m->cells));
	if (places && m->sources && m->cells)
		err = order_sources(m, places);
	if (!err)
		add_cells(m, places);
	free(places);
	for (size_t i = 0; i < m->n_cells && !err && m->n_cpus <= CPUS_MAX; i++)
		add_cpu(m, &m->cells[i]);
	return err;
}

/* --- writing --- */

/* "0-3 (1)": allowed, and in brackets where it does come if that is told. Inert. */
static char *affinity(char buf[AFFINITY_BYTES * TEXT_ESCAPE_BYTES], const struct matrix *m,
		      const struct rec_irq_source *source, const char *before, const char *between, const char *end)
{
	const char *allowed = source->affinity ? recording_str(m->r, source->affinity) : "",
		   *effective = source->effective ? recording_str(m->r, source->effective) : "";
	char raw[AFFINITY_BYTES];

	if (!*allowed && !*effective)
		raw[0] = '\0';
	else if (!*effective || !strcmp(allowed, effective))
		snprintf(raw, sizeof(raw), "%s%s", before, allowed);
	else
		snprintf(raw, sizeof(raw), "%s%s%s%s%s", before, *allowed ? allowed : "?", between, effective, end);
	text_inert(buf, AFFINITY_BYTES * TEXT_ESCAPE_BYTES, raw, text_is_utf8());
	return buf;
}

static unsigned longest_name(const struct matrix *m)
{
	char label[IRQ_LABEL_BYTES];
	unsigned longest = 0;

	for (size_t i = 0; i < m->n_cells; i++) {
		unsigned n = irq_inert_columns(irq_label(label, m->r, &m->q->sources[m->sources[m->cells[i].place]]));

		longest = n > longest ? n : longest;
	}
	return longest;
}

/* False: it does not fit. */
static bool has_room(const struct matrix *m, unsigned names)
{
	unsigned columns = 2 + names + 2 + AFFINITY_COLUMNS;

	if (m->n_cpus > CPUS_MAX)
		return false;
	for (unsigned i = 0; i < m->n_cpus; i++)
		columns += 1 + m->widths[i];
	return columns <= screen(m->o);
}

/* The cells of one source, as columns. */
static void write_columns(const struct matrix *m, const struct cell *cells, size_t n, unsigned names)
{
	const struct rec_irq_source *source = &m->q->sources[m->sources[cells->place]];
	const struct irq_page page = { .f = m->f, .r = m->r, .q = m->q, .o = m->o };
	char label[IRQ_LABEL_BYTES], count[UNITS_BYTES], where[AFFINITY_BYTES * TEXT_ESCAPE_BYTES];
	size_t next = 0;

	irq_write_name(&page, irq_label(label, m->r, source), names);
	for (unsigned i = 0; i < m->n_cpus; i++) {
		bool is_here = next < n && cells[next].cpu == m->cpus[i];

		fprintf(m->f, " %*s", (int)m->widths[i], is_here ? units_count(count, cells[next].count) : ".");
		next += is_here;
	}
	affinity(where, m, source, "", " (", ")");
	fprintf(m->f, "%s%s\n", *where ? "  " : "", where);
}

/* The same as a list: CPUs beside each other with the same count are one item. */
static int write_cells(const struct matrix *m, const struct cell *cells, size_t n)
{
	const struct rec_irq_source *source = &m->q->sources[m->sources[cells->place]];
	const size_t bytes = n * (2 * UNITS_BYTES) + 1;
	char label[IRQ_LABEL_BYTES], count[UNITS_BYTES], where[AFFINITY_BYTES * TEXT_ESCAPE_BYTES],
		*list = calloc(bytes, 1);
	uint64_t sum = 0;
	size_t used = 0, last;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < n; i = last) {
		for (last = i + 1;
		     last < n && cells[last].cpu == cells[last - 1].cpu + 1 && cells[last].count == cells[i].count;)
			last++;
		used += (size_t)snprintf(list + used, bytes - used, "%s%u", i ? ", " : "", cells[i].cpu);
		if (last > i + 1)
			used += (size_t)snprintf(list + used, bytes - used, "-%u", cells[last - 1].cpu);
		used += (size_t)snprintf(list + used, bytes - used, ":%s", units_count(count, cells[i].count));
		sum += cells[i].count * (last - i);
	}
	affinity(where, m, source, ", allowed ", ", effective ", "");
	irq_label(label, m->r, source);
	if (n == 1) {
		footer_line(m->f, m->o, "%s: %s on CPU %u%s", label, units_count(count, sum), cells->cpu, where);
	} else {
		footer_line(m->f, m->o, "%s: %s on %zu CPUs%s", label, units_count(count, sum), n, where);
		irq_write_list(m->f, m->o, "    ", list);
	}
	free(list);
	return 0;
}

static void write_head(const struct matrix *m, unsigned names)
{
	char cpu[UNITS_BYTES];

	fprintf(m->f, "\n  %-*s", (int)names, "");
	for (unsigned i = 0; i < m->n_cpus; i++) {
		snprintf(cpu, sizeof(cpu), "CPU%u", m->cpus[i]);
		fprintf(m->f, " %*s", (int)m->widths[i], cpu);
	}
	fprintf(m->f, "  allowed\n");
}

static int write_matrix(const struct matrix *m)
{
	unsigned names = longest_name(m);
	bool fits = has_room(m, names);
	size_t last;
	int err = 0;

	if (fits)
		write_head(m, names);
	else
		fprintf(m->f, "\nCPU:count, of the CPUs that had any\n");
	for (size_t i = 0; i < m->n_cells && !err; i = last) {
		for (last = i; last < m->n_cells && m->cells[last].place == m->cells[i].place;)
			last++;
		if (fits)
			write_columns(m, m->cells + i, last - i, names);
		else
			err = write_cells(m, m->cells + i, last - i);
	}
	if (fits)
		footer_line(m->f, m->o, "allowed: smp_affinity at the end, in brackets where it takes effect");
	return err;
}

static int view(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct matrix m = { .f = f, .r = r, .o = o, .q = r->irq };
	int err;

	if (!r->irq) {
		warnx("the recording has no interrupts");
		return -EINVAL;
	}
	err = matrix_open(&m);
	if (!err) {
		footer_header(f, r, o);
		if (m.n_cells)
			err = write_matrix(&m);
		else
			footer_line(f, o, "no interrupts or softirqs were measured in this time");
	}
	free(m.sources);
	free(m.cells);
	if (err)
		return err;
	fputc('\n', f);
	footer_write(f, r, o);
	return 0;
}

const struct view view_matrix = {
	.name = "matrix",
	.summary = "which interrupt came on which CPU, beside its affinity",
	.needs = REC_IRQ,
	.write = view,
};
