/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/irq_sums.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/latency.h"

static uint64_t gaps_ns(const struct recording *r, unsigned cpu, bool all)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < r->gaps.n; i++)
		if (all || r->gaps.list[i].cpu == cpu)
			sum_ns += r->gaps.list[i].duration_ns;
	return sum_ns;
}

uint64_t irq_measured_ns(const struct recording *r, unsigned cpu)
{
	uint64_t gap_ns = gaps_ns(r, cpu, false);

	return gap_ns < r->meta.duration_ns ? r->meta.duration_ns - gap_ns : 0;
}

uint64_t irq_cpu_time_ns(const struct recording *r)
{
	uint64_t all_ns = r->meta.duration_ns * r->meta.cpus, gap_ns = gaps_ns(r, 0, true);

	return gap_ns < all_ns ? all_ns - gap_ns : 0;
}

bool irq_has_kind(const struct rec_irq_source *source, unsigned kinds)
{
	return (unsigned)source->kind < IRQ_KINDS && IRQ_KIND(source->kind) & kinds;
}

static double share_on(const struct recording *r, unsigned cpu, uint64_t ns)
{
	uint64_t of_ns = irq_measured_ns(r, cpu);

	return of_ns ? (double)ns / (double)of_ns : 0;
}

static void add_shares(struct irq_sums *s)
{
	for (size_t i = 0; i < s->q->n_rows; i++) {
		const struct rec_irq_row *row = &s->q->rows[i];
		struct irq_whole *sum;
		double share;

		if (row->source < 0 || (size_t)row->source >= s->n)
			continue;
		sum = &s->list[row->source];
		share = share_on(s->r, row->cpu, row->of[IRQ_RUN].sum_ns);
		if (share <= sum->share)
			continue;
		sum->share = share;
		sum->cpu = row->cpu;
	}
}

int irq_sums_open(struct irq_sums *s, const struct recording *r)
{
	int err = 0;

	*s = (struct irq_sums){ .r = r, .q = r->irq };
	s->list = calloc(r->irq->n_sources + 1, sizeof(*s->list));
	if (!s->list)
		return -ENOMEM;
	while (s->n < r->irq->n_sources && !err) {
		struct irq_whole *sum = &s->list[s->n];

		err = irq_total(r->irq, (int)s->n, &sum->total);
		if (err)
			break;
		sum->source = &r->irq->sources[s->n++];
		sum->count = sum->total.of[IRQ_RUN].count ? sum->total.of[IRQ_RUN].count
							  : sum->total.of[IRQ_WAIT].count;
		sum->cpu = sum->total.cpu;
	}
	if (err)
		irq_sums_close(s);
	else
		add_shares(s);
	return err;
}

void irq_sums_close(struct irq_sums *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (int m = 0; m < IRQ_MEASURES; m++)
			irq_values_free(&s->list[i].total.of[m]);
	free(s->list);
	*s = (struct irq_sums){ .list = NULL };
}

uint64_t irq_kinds_ns(const struct irq_sums *s, unsigned kinds)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < s->n; i++)
		if (irq_has_kind(s->list[i].source, kinds))
			sum_ns += s->list[i].total.of[IRQ_RUN].sum_ns;
	return sum_ns;
}

struct cpu_ns {
	unsigned cpu;
	uint64_t ns;
};

static int compare_cpus(const void *a, const void *b)
{
	const struct cpu_ns *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

int irq_busiest(const struct irq_sums *s, const bool *chosen, double *share, unsigned *cpu)
{
	struct cpu_ns *of = calloc(s->q->n_rows + 1, sizeof(*of));
	uint64_t ns = 0;
	size_t n = 0;

	*share = 0;
	*cpu = 0;
	if (!of)
		return -ENOMEM;
	for (size_t i = 0; i < s->q->n_rows; i++) {
		const struct rec_irq_row *row = &s->q->rows[i];

		if (row->source >= 0 && (size_t)row->source < s->n && chosen[row->source])
			of[n++] = (struct cpu_ns){ row->cpu, row->of[IRQ_RUN].sum_ns };
	}
	qsort(of, n, sizeof(*of), compare_cpus);
	for (size_t i = 0; i < n; i++) {
		double here;

		ns = (i && of[i].cpu == of[i - 1].cpu ? ns : 0) + of[i].ns;
		here = ns ? share_on(s->r, of[i].cpu, ns) : 0;
		if (here <= *share)
			continue;
		*share = here;
		*cpu = of[i].cpu;
	}
	free(of);
	return 0;
}

double irq_rate_hz(const struct irq_sums *s, uint64_t count)
{
	return s->r->meta.duration_ns ? (double)count / ((double)s->r->meta.duration_ns / 1e9) : 0;
}

/* --- words --- */

char *irq_label(char buf[IRQ_LABEL_BYTES], const struct recording *r, const struct rec_irq_source *source)
{
	static const char *const before[IRQ_KINDS] = {
		[IRQ_LINE] = "IRQ ",  [IRQ_NMI] = "NMI ",	  [IRQ_SOFTIRQ] = "softirq ",
		[IRQ_WORK] = "work ", [IRQ_TASKLET] = "tasklet ", [IRQ_IPI] = "IPI ",
	};
	const char *kind = (unsigned)source->kind < IRQ_KINDS ? before[source->kind] : NULL;
	char text[IRQ_SOURCE_BYTES];

	irq_source_text(text, r, source);
	if (!kind || !strncmp(text, kind, strlen(kind) - 1)) /* an NMI without a name, IPIs of arm64 */
		kind = "";
	snprintf(buf, IRQ_LABEL_BYTES, "%s%s", kind, text);
	return buf;
}

char *irq_task_text(char buf[IRQ_TASK_BYTES], const struct recording *r, const struct rec_irq_task *task)
{
	const char *comm = task->comm ? recording_str(r, task->comm) : "";
	char prio[32];

	buf[0] = '\0';
	if (task->tid)
		snprintf(buf, IRQ_TASK_BYTES, "%.32s-%d (%s)", comm, task->tid, latency_prio_text(prio, task->prio));
	else if (!strncmp(comm, "swapper", 7))
		snprintf(buf, IRQ_TASK_BYTES, "the idle task");
	else if (*comm)
		snprintf(buf, IRQ_TASK_BYTES, "%.32s", comm);
	return buf;
}

char *irq_quantile_text(char buf[UNITS_BYTES], const struct rec_irq_values *v, unsigned permille)
{
	if (v->count < 1000 / (1000 - permille))
		return strcpy(buf, "-");
	return units_duration(buf, irq_quantile(v, permille));
}

char *irq_max_text(char buf[UNITS_BYTES], const struct rec_irq_values *v)
{
	return v->count ? units_duration(buf, v->max_ns) : strcpy(buf, "-");
}

char *irq_rate_text(char buf[UNITS_BYTES], double rate_hz)
{
	if (rate_hz >= 9.95)
		return units_count(buf, (uint64_t)(rate_hz + 0.5));
	snprintf(buf, UNITS_BYTES, rate_hz > 0 && rate_hz < 0.05 ? "<0.1" : "%.1f", rate_hz);
	return buf;
}

const char *irq_wait_name(enum irq_kind kind)
{
	static const char *const names[IRQ_KINDS] = {
		[IRQ_LINE] = "between two of them", [IRQ_VECTOR] = "between two of them",
		[IRQ_NMI] = "between two of them",  [IRQ_SOFTIRQ] = "raise -> start",
		[IRQ_KSOFTIRQD] = "raise -> start", [IRQ_THREAD] = "hard IRQ's end -> thread runs",
		[IRQ_WORK] = "queue -> start",	    [IRQ_TASKLET] = "scheduled -> start",
		[IRQ_IPI] = "sent -> handled",
	};

	return (unsigned)kind < IRQ_KINDS ? names[kind] : NULL;
}
