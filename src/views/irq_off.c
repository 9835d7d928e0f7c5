/* SPDX-License-Identifier: GPL-2.0-only */
/* --off: where interrupts or preemption were off; and --ipi: who interrupted other CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/latency.h"
#include "views/footer.h"
#include "views/irq_view.h"
#include "views/latency_stack.h"

#define ROWS_AUTO 10

/* --- sections --- */

static int compare_places(const void *a, const void *b)
{
	const struct rec_irq_place *x = *(const struct rec_irq_place *const *)a,
				   *y = *(const struct rec_irq_place *const *)b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->exact != y->exact)
		return x->exact ? -1 : 1;
	if (x->ns != y->ns) /* so that long ones come before what is frequent */
		return x->ns > y->ns ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x < y ? -1 : x > y; /* of one array */
}

/*
 * A probe fires at moments that do not depend on what runs: the share of its fires that find a section is the
 * section's share of the time. Exact ones have times.
 */
static double place_share(const struct irq_page *p, const struct rec_irq_place *place)
{
	double of = place->exact ? (double)irq_cpu_time_ns(p->r) : (double)p->q->off_fires;

	return of > 0 ? (place->exact ? (double)place->ns : (double)place->count) / of : 0;
}

static void write_place(const struct irq_page *p, const struct rec_irq_place *place)
{
	char count[UNITS_BYTES], share[UNITS_BYTES], max[UNITS_BYTES], before[4 * UNITS_BYTES],
		stack[LATENCY_STACK_BYTES];
	const char *name = place->name ? recording_str(p->r, place->name) : "";

	snprintf(before, sizeof(before), "  %10s %8s %9s  ", units_count(count, place->count),
		 units_pct(share, place_share(p, place), 1), place->max_ns ? units_duration(max, place->max_ns) : "-");
	if (!*name && *latency_stack_text(stack, p->r, place->stack, STACK_OUT))
		name = stack;
	footer_hanging(p->f, p->o, before, "%s", *name ? name : "a place not known");
}

static void write_title(const struct irq_page *p, const struct rec_irq_place *place)
{
	fputc('\n', p->f);
	footer_line(p->f, p->o, "%s off, where %s (%s)", place->kind == IRQ_IRQS_OFF ? "interrupts" : "preemption",
		    place->kind == IRQ_IRQS_OFF || place->exact ? "it ended" : "the probe found it",
		    place->exact ? "exact" : "inferred");
	fprintf(p->f, "  %10s %8s %9s  %s\n", "count", place->exact ? "of time" : "of fires", "longest", "place");
}

/* Of one kind, found one way. */
static void write_places(const struct irq_page *p, const struct rec_irq_place *const *rows, size_t n)
{
	size_t shown = irq_shown(p, n, ROWS_AUTO);
	uint64_t left = 0;
	char count[UNITS_BYTES];

	write_title(p, rows[0]);
	for (size_t i = 0; i < n; i++) {
		if (i < shown)
			write_place(p, rows[i]);
		else
			left += rows[i]->count;
	}
	if (shown < n)
		fprintf(p->f, "  %10s in %zu more places (--top 0 shows all)\n", units_count(count, left), n - shown);
}

static void write_resolution(const struct irq_page *p)
{
	char period[UNITS_BYTES], fires[UNITS_BYTES], off[UNITS_BYTES], pct[UNITS_BYTES];

	if (!p->q->probe_ns)
		return;
	footer_line(p->f, p->o,
		    "a probe each %s on each CPU: shorter sections are seen with a probability of length/period, and "
		    "lengths are from the probe's expiry on: at least so long",
		    units_duration(period, p->q->probe_ns));
	if (p->q->no_preempt_depth)
		footer_line(p->f, p->o, "preemption: whether it was off is not known on this kernel");
	else if (p->q->off_fires)
		footer_line(p->f, p->o, "preemption was off at %s of %s fires (%s)",
			    units_count(off, p->q->off_preempt_fires), units_count(fires, p->q->off_fires),
			    units_pct(pct, (double)p->q->off_preempt_fires, (double)p->q->off_fires));
}

int irq_write_off(const struct irq_page *p)
{
	const struct rec_irq_place **rows = calloc(p->q->n_places + 1, sizeof(const struct rec_irq_place *));
	size_t n = p->q->n_places, last;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		rows[i] = &p->q->places[i];
	qsort(rows, n, sizeof(const struct rec_irq_place *), compare_places);
	for (size_t i = 0; i < n; i = last) {
		for (last = i; last < n && rows[last]->kind == rows[i]->kind && rows[last]->exact == rows[i]->exact;)
			last++;
		write_places(p, rows + i, last - i);
	}
	free(rows);
	if (!n && p->q->probe_ns)
		fprintf(p->f, "\nsections with interrupts or preemption off: none was seen\n");
	write_resolution(p);
	return 0;
}

/* --- senders --- */

static int compare_senders(const void *a, const void *b)
{
	const struct rec_irq_sender *x = *(const struct rec_irq_sender *const *)a,
				    *y = *(const struct rec_irq_sender *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x < y ? -1 : x > y; /* of one array */
}

/* "IPI reschedule at ttwu_queue_wakelist, by cc1" */
static void write_sender(const struct irq_page *p, const struct rec_irq_sender *s, uint64_t all)
{
	const struct rec_irq_source vector = { .kind = IRQ_IPI, .number = s->vector };
	char count[UNITS_BYTES], share[UNITS_BYTES], before[3 * UNITS_BYTES], label[IRQ_LABEL_BYTES],
		stack[LATENCY_STACK_BYTES];
	const char *comm = s->comm ? recording_str(p->r, s->comm) : "";
	const char *by = s->context == IRQ_IN_HARDIRQ	? "in a hard IRQ"
			 : s->context == IRQ_IN_SOFTIRQ ? "in a softirq"
			 : *comm			? "by "
							: "by a task";

	snprintf(before, sizeof(before), "  %10s %7s  ", units_count(count, s->count),
		 units_pct(share, (double)s->count, (double)all));
	footer_hanging(p->f, p->o, before, "%s%s%.200s, %s%.32s", irq_label(label, p->r, &vector),
		       s->callsite ? " at " : "", s->callsite ? recording_str(p->r, s->callsite) : "", by,
		       s->context == IRQ_IN_TASK ? comm : "");
	if (*latency_stack_text(stack, p->r, s->stack, STACK_WAKER))
		footer_hanging(p->f, p->o, "                        ", "%s", stack);
}

int irq_write_senders(const struct irq_page *p)
{
	const struct rec_irq_sender **rows;
	size_t n = p->q->n_senders, shown = irq_shown(p, n, ROWS_AUTO);
	uint64_t all = 0, left = 0;
	char count[UNITS_BYTES];

	if (!n)
		return 0;
	rows = calloc(n, sizeof(const struct rec_irq_sender *));
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		rows[i] = &p->q->senders[i];
		all += rows[i]->count;
	}
	qsort(rows, n, sizeof(const struct rec_irq_sender *), compare_senders);
	fprintf(p->f, "\nwho sent IPIs\n");
	for (size_t i = 0; i < n; i++) {
		if (i < shown)
			write_sender(p, rows[i], all);
		else
			left += rows[i]->count;
	}
	if (shown < n)
		fprintf(p->f, "  %10s by %zu others (--top 0 shows all)\n", units_count(count, left), n - shown);
	free(rows);
	return 0;
}
