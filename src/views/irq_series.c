/* SPDX-License-Identifier: GPL-2.0-only */
/* -I: a line an interval, with what took most of it. */
#include <errno.h>
#include <stdlib.h>

#include "views/footer.h"
#include "views/irq_view.h"

static int compare_points(const void *a, const void *b)
{
	const struct rec_irq_point *x = *(const struct rec_irq_point *const *)a,
				   *y = *(const struct rec_irq_point *const *)b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->net_ns != y->net_ns)
		return x->net_ns > y->net_ns ? -1 : 1;
	return x < y ? -1 : x > y; /* of one array */
}

/* `n` points of one interval, that with most time first. */
static void write_interval(const struct irq_page *p, const struct rec_irq_point *const *points, size_t n)
{
	const struct rec_irq_point *top = points[0];
	double of = (double)top->duration_ns * p->r->meta.cpus;
	char start[UNITS_BYTES], all[UNITS_BYTES], share[UNITS_BYTES], count[UNITS_BYTES], label[IRQ_LABEL_BYTES],
		before[6 * UNITS_BYTES], max[UNITS_BYTES];
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < n; i++)
		sum_ns += points[i]->net_ns;
	snprintf(before, sizeof(before), "  %9s %8s %8s %10s %9s  ", units_duration(start, top->start_ns),
		 units_pct(all, (double)sum_ns, of), units_pct(share, (double)top->net_ns, of),
		 units_count(count, top->count), top->max_ns ? units_duration(max, top->max_ns) : "-");
	footer_hanging(p->f, p->o, before, "%s", irq_label(label, p->r, &p->q->sources[top->source]));
}

int irq_write_series(const struct irq_page *p)
{
	const struct rec_irq_point **points = calloc(p->q->n_points + 1, sizeof(const struct rec_irq_point *));
	size_t n = 0, last;

	if (!points)
		return -ENOMEM;
	for (size_t i = 0; i < p->q->n_points; i++) {
		const struct rec_irq_point *point = &p->q->points[i];

		if (point->source >= 0 && (size_t)point->source < p->q->n_sources &&
		    irq_has_kind(&p->q->sources[point->source], IRQ_CPU_KINDS))
			points[n++] = point;
	}
	qsort(points, n, sizeof(const struct rec_irq_point *), compare_points);
	if (n)
		fprintf(p->f, "\nby interval\n  %9s %8s %8s %10s %9s  %s\n", "start", "CPU time", "of which", "count",
			"new max", "most by");
	for (size_t i = 0; i < n; i = last) {
		for (last = i; last < n && points[last]->start_ns == points[i]->start_ns;)
			last++;
		write_interval(p, points + i, last - i);
	}
	free(points);
	return 0;
}
