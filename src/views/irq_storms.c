/* SPDX-License-Identifier: GPL-2.0-only */
/* Sources that came in storms, and without --storms those that came in bursts. */
#include <errno.h>
#include <stdlib.h>

#include "views/footer.h"
#include "views/irq_view.h"
#include "views/moment.h"

#define ROWS_AUTO 8
/* A peak is told if it is that far above the mean, and often enough to matter: a CPU takes 1 us for an interrupt. */
#define BURST_TIMES 10
#define BURST_HZ    1000

struct peak {
	const struct irq_whole *sum;
	unsigned cpu;  /* of the highest second */
	unsigned cpus; /* with storms */
};

static int compare(const void *a, const void *b)
{
	const struct peak *x = a, *y = b;

	if (x->sum->total.storms != y->sum->total.storms)
		return x->sum->total.storms > y->sum->total.storms ? -1 : 1;
	if (x->sum->total.peak_count != y->sum->total.peak_count)
		return x->sum->total.peak_count > y->sum->total.peak_count ? -1 : 1;
	return x->sum < y->sum ? -1 : x->sum > y->sum; /* of one array */
}

static bool is_told(const struct irq_page *p, const struct irq_whole *sum)
{
	double peak_hz = (double)sum->total.peak_count;

	if (p->q->storm_count)
		return sum->total.storms;
	return peak_hz >= BURST_HZ && peak_hz >= BURST_TIMES * irq_rate_hz(p->sums, sum->count) &&
	       !irq_has_kind(sum->source, IRQ_OFF_KINDS);
}

static struct peak peak_of(const struct irq_page *p, const struct irq_whole *sum)
{
	struct peak peak = { .sum = sum };

	for (size_t i = 0; i < p->q->n_rows; i++) {
		const struct rec_irq_row *row = &p->q->rows[i];

		if (row->source != sum - p->sums->list)
			continue;
		peak.cpus += row->storms > 0;
		if (row->peak_count == sum->total.peak_count && row->peak_unix_ns == sum->total.peak_unix_ns)
			peak.cpu = row->cpu;
	}
	return peak;
}

static void write_storm(const struct irq_page *p, const struct peak *peak)
{
	const struct rec_irq_row *total = &peak->sum->total;
	char label[IRQ_LABEL_BYTES], seconds[UNITS_BYTES], limit[UNITS_BYTES], count[UNITS_BYTES], time[MOMENT_BYTES],
		of[64] = "", most[128] = "";

	if (peak->cpus > 1)
		snprintf(of, sizeof(of), " (of %u CPUs added up)", peak->cpus);
	if (total->peak_count) /* else it was not in this part of the recording */
		snprintf(most, sizeof(most), ", most %s/s at %s on CPU %u", units_count(count, total->peak_count),
			 moment_second_text(time, total->peak_unix_ns), peak->cpu);
	footer_hanging(p->f, p->o, "  ", "%s: %s s with %s or more%s%s", irq_label(label, p->r, peak->sum->source),
		       units_count(seconds, total->storms), units_count(limit, p->q->storm_count), of, most);
}

static void write_burst(const struct irq_page *p, const struct peak *peak)
{
	const struct rec_irq_row *total = &peak->sum->total;
	char label[IRQ_LABEL_BYTES], most[UNITS_BYTES], mean[UNITS_BYTES], time[MOMENT_BYTES];

	footer_hanging(p->f, p->o, "  ", "%s: %s in one second at %s on CPU %u, the mean is %s/s of all CPUs",
		       irq_label(label, p->r, peak->sum->source), units_count(most, total->peak_count),
		       moment_second_text(time, total->peak_unix_ns), peak->cpu,
		       irq_rate_text(mean, irq_rate_hz(p->sums, peak->sum->count)));
}

int irq_write_storms(const struct irq_page *p)
{
	struct peak *peaks = calloc(p->sums->n + 1, sizeof(*peaks));
	size_t n = 0, shown;
	char limit[UNITS_BYTES];

	if (!peaks)
		return -ENOMEM;
	for (size_t i = 0; i < p->sums->n; i++)
		if (is_told(p, &p->sums->list[i]))
			peaks[n++] = peak_of(p, &p->sums->list[i]);
	qsort(peaks, n, sizeof(*peaks), compare);
	shown = irq_shown(p, n, ROWS_AUTO);
	if (n)
		fprintf(p->f, "\n%s\n", p->q->storm_count ? "storms" : "bursts");
	else if (p->q->storm_count)
		fprintf(p->f, "\nstorms: none, no source came %s times in one second on one CPU\n",
			units_count(limit, p->q->storm_count));
	for (size_t i = 0; i < shown; i++) {
		if (p->q->storm_count)
			write_storm(p, &peaks[i]);
		else
			write_burst(p, &peaks[i]);
	}
	if (shown < n)
		fprintf(p->f, "  and %zu more (--top 0 shows all)\n", n - shown);
	free(peaks);
	return 0;
}
