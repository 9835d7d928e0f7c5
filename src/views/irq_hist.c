/* SPDX-License-Identifier: GPL-2.0-only */
/* --hist NAME: all that is known of the sources with that name, bars before all. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "views/bars.h"
#include "views/footer.h"
#include "views/irq_view.h"

#define NAMES_TOLD 12

/* How a source is looked for, from the strictest on: the first that finds any is taken. */
enum match { MATCH_NUMBER, MATCH_TEXT, MATCH_PART, MATCHES };

static bool is_number(const char *s)
{
	return *s && !s[strspn(s, "0123456789")];
}

static bool matches(const struct irq_page *p, const struct rec_irq_source *source, enum match match)
{
	const char *want = p->o->hist, *name = source->name ? recording_str(p->r, source->name) : "";
	char text[IRQ_SOURCE_BYTES], label[IRQ_LABEL_BYTES];

	if (match == MATCH_NUMBER)
		return irq_has_kind(source, IRQ_KIND(IRQ_LINE) | IRQ_KIND(IRQ_THREAD)) && is_number(want) &&
		       source->number >= 0 && strtoul(want, NULL, 10) == (unsigned long)source->number;
	irq_source_text(text, p->r, source);
	irq_label(label, p->r, source);
	if (match == MATCH_TEXT)
		return !strcmp(want, text) || !strcmp(want, label) || !strcmp(want, name);
	return !is_number(want) && strcasestr(label, want); /* which holds text and name */
}

static bool has_values(const struct irq_whole *sum)
{
	return sum->total.of[IRQ_RUN].count || sum->total.of[IRQ_WAIT].count;
}

static size_t choose(const struct irq_page *p, bool *chosen)
{
	size_t n = 0;

	for (int match = 0; match < MATCHES && !n; match++)
		for (size_t i = 0; i < p->sums->n; i++) {
			const struct irq_whole *sum = &p->sums->list[i];

			chosen[i] = has_values(sum) && matches(p, sum->source, (enum match)match);
			n += chosen[i];
		}
	return n;
}

static int refuse(const struct irq_page *p)
{
	char list[NAMES_TOLD * (IRQ_SOURCE_BYTES + 2) + 8] = "", inert[sizeof(list) * TEXT_ESCAPE_BYTES],
							want[256 * TEXT_ESCAPE_BYTES], text[IRQ_SOURCE_BYTES];
	size_t used = 0, n = 0;

	for (size_t i = 0; i < p->sums->n; i++) {
		if (!has_values(&p->sums->list[i]) || n++ >= NAMES_TOLD)
			continue;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "",
					 irq_source_text(text, p->r, p->sums->list[i].source));
	}
	text_inert(want, sizeof(want), p->o->hist, text_is_utf8());
	text_inert(inert, sizeof(inert), list, text_is_utf8());
	if (n)
		warnx("--hist %s: nothing of that name was measured (there are: %s%s)", want, inert,
		      n > NAMES_TOLD ? ", ..." : "");
	else
		warnx("--hist %s: nothing was measured", want);
	return -EINVAL;
}

/* --- one source --- */

static void write_values(const struct irq_page *p, const struct rec_irq_values *v, const char *title)
{
	char p50[UNITS_BYTES], p90[UNITS_BYTES], p99[UNITS_BYTES], p999[UNITS_BYTES], min[UNITS_BYTES],
		max[UNITS_BYTES], mean[UNITS_BYTES];

	if (!v->count || !bars_write(p->f, p->o, v->buckets, title))
		return;
	footer_hanging(p->f, p->o, "  ", "p50 %s, p90 %s, p99 %s, p99.9 %s; min %s, mean %s, max %s",
		       irq_quantile_text(p50, v, 500), irq_quantile_text(p90, v, 900), irq_quantile_text(p99, v, 990),
		       irq_quantile_text(p999, v, 999), units_duration(min, v->min_ns),
		       units_duration(mean, v->sum_ns / v->count), irq_max_text(max, v));
}

struct on_cpu {
	unsigned cpu;
	uint64_t count;
};

static int compare_cpus(const void *a, const void *b)
{
	const struct on_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* "by CPU: 0 12 345, 1 99" */
static int write_cpus(const struct irq_page *p, const struct irq_whole *sum)
{
	struct on_cpu *on = calloc(p->q->n_rows + 1, sizeof(*on));
	size_t n = 0, used = 0, bytes;
	char count[UNITS_BYTES], *line;

	if (!on)
		return -ENOMEM;
	for (size_t i = 0; i < p->q->n_rows; i++) {
		const struct rec_irq_row *row = &p->q->rows[i];
		uint64_t events = row->of[IRQ_RUN].count ? row->of[IRQ_RUN].count : row->of[IRQ_WAIT].count;

		if (row->source == sum - p->sums->list && events)
			on[n++] = (struct on_cpu){ row->cpu, events };
	}
	qsort(on, n, sizeof(*on), compare_cpus);
	bytes = n * 2 * UNITS_BYTES + 1;
	line = calloc(bytes, 1);
	for (size_t i = 0; line && i < n; i++)
		used += (size_t)snprintf(line + used, bytes - used, "%s%u: %s", i ? ", " : "", on[i].cpu,
					 units_count(count, on[i].count));
	if (line)
		irq_write_list(p->f, p->o, "  by CPU: ", line);
	free(line);
	free(on);
	return line ? 0 : -ENOMEM;
}

/* What stands beside the histograms. */
static void write_counts(const struct irq_page *p, const struct irq_whole *sum)
{
	const struct rec_irq_row *total = &sum->total;
	uint64_t raised = 0;
	char net[UNITS_BYTES], gross[UNITS_BYTES], count[UNITS_BYTES], pct[IRQ_CONTEXTS][UNITS_BYTES];

	if (irq_has_kind(sum->source, IRQ_CPU_KINDS))
		footer_hanging(p->f, p->o, "  ", "ran %s, and %s with what interrupted it",
			       units_duration(net, total->of[IRQ_RUN].sum_ns), units_duration(gross, total->gross_ns));
	for (int i = 0; i < IRQ_CONTEXTS; i++)
		raised += total->by[i];
	for (int i = 0; i < IRQ_CONTEXTS; i++)
		units_pct(pct[i], (double)total->by[i], (double)raised);
	if (raised)
		footer_hanging(p->f, p->o, "  ", "raised: %s in hard IRQs, %s in softirqs, %s in tasks",
			       pct[IRQ_IN_HARDIRQ], pct[IRQ_IN_SOFTIRQ], pct[IRQ_IN_TASK]);
	if (total->joined)
		footer_hanging(p->f, p->o, "  ", "asked for again while it waited already: %s times",
			       units_count(count, total->joined));
	if (total->no_start && irq_wait_name(sum->source->kind))
		footer_hanging(p->f, p->o, "  ", "the beginning of the wait was not seen: %s times",
			       units_count(count, total->no_start));
}

static int write_source(const struct irq_page *p, const struct irq_whole *sum)
{
	bool in_tasks = irq_has_kind(sum->source, IRQ_KIND(IRQ_THREAD) | IRQ_KIND(IRQ_WORK));
	const char *wait = irq_wait_name(sum->source->kind);
	char label[IRQ_LABEL_BYTES], count[UNITS_BYTES], rate[UNITS_BYTES];

	fputc('\n', p->f);
	footer_line(p->f, p->o, "%s: %s, %s a second", irq_label(label, p->r, sum->source),
		    units_count(count, sum->count), irq_rate_text(rate, irq_rate_hz(p->sums, sum->count)));
	write_counts(p, sum);
	write_values(p, &sum->total.of[IRQ_RUN],
		     irq_has_kind(sum->source, IRQ_OFF_KINDS) ? "seen to last"
		     : in_tasks				      ? "from start to end, with sleep and preemption"
							      : "run, without what interrupted it");
	write_values(p, &sum->total.of[IRQ_WAIT], wait ? wait : "wait");
	return write_cpus(p, sum);
}

int irq_write_hists(const struct irq_page *p)
{
	bool *chosen = calloc(p->sums->n + 1, sizeof(*chosen));
	int err = 0;

	if (!chosen)
		return -ENOMEM;
	if (!choose(p, chosen))
		err = refuse(p);
	for (size_t i = 0; i < p->sums->n && !err; i++)
		if (chosen[i])
			err = write_source(p, &p->sums->list[i]);
	free(chosen);
	return err;
}
