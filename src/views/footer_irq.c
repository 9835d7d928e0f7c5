/* SPDX-License-Identifier: GPL-2.0-only */
/* The books of interrupts, and what their measurement cannot show. */
#include <string.h>

#include "core/irq.h"
#include "core/units.h"
#include "views/footer.h"

#define LIST_BYTES 1024

static const struct group {
	unsigned group; /* enum rec_irq_group */
	unsigned kinds; /* bits of enum irq_kind: whose events it counts */
	const char *what, *needs;
} groups[] = {
	{ REC_IRQ_HARD, 1u << IRQ_LINE, "hard IRQs of lines", "tracepoints irq:irq_handler_*" },
	{ REC_IRQ_VECTORS, 1u << IRQ_VECTOR, "interrupts without a line", "tracepoints irq_vectors:*, of arm64 ipi:*" },
	{ REC_IRQ_NMIS, 1u << IRQ_NMI, "NMIs", "tracepoint nmi:nmi_handler, of x86" },
	{ REC_IRQ_SOFT, 1u << IRQ_SOFTIRQ | 1u << IRQ_KSOFTIRQD, "softirqs", "tracepoints irq:softirq_*" },
	{ REC_IRQ_TASKLETS, 1u << IRQ_TASKLET, "tasklets", "tracepoints irq:tasklet_*" },
	{ REC_IRQ_THREADS, 1u << IRQ_THREAD, "interrupt threads", "tracepoints sched:*" },
	{ REC_IRQ_WORK, 1u << IRQ_WORK, "works", "tracepoints workqueue:*" },
	{ REC_IRQ_IPIS, 1u << IRQ_IPI, "sent IPIs", "tracepoints ipi:*" },
	{ REC_IRQ_OFFS, 1u << IRQ_IRQS_OFF | 1u << IRQ_PREEMPT_OFF, "sections with interrupts off", "a probe timer" },
	{ REC_IRQ_OFFS_EXACT, 0, "every section with interrupts off", "tracepoints preemptirq:*" },
};

/* Runs; waits where there are no runs. */
static uint64_t events_of(const struct rec_irq *q, unsigned kinds)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < q->n_rows; i++) {
		const struct rec_irq_row *row = &q->rows[i];
		int source = row->source;

		if (source < 0 || (size_t)source >= q->n_sources || (unsigned)q->sources[source].kind >= IRQ_KINDS ||
		    !(kinds & 1u << q->sources[source].kind))
			continue;
		sum += row->of[IRQ_RUN].count ? row->of[IRQ_RUN].count : row->of[IRQ_WAIT].count;
	}
	return sum;
}

/* "12 345 hard IRQs of lines, 99 softirqs": of what was measured. */
static uint64_t list_events(char list[LIST_BYTES], const struct rec_irq *q)
{
	uint64_t all = 0;
	char text[UNITS_BYTES];

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		uint64_t events = events_of(q, groups[i].kinds);
		size_t used = strlen(list);

		all += events;
		if (groups[i].kinds && (events || q->measured & groups[i].group))
			snprintf(list + used, LIST_BYTES - used, "%s%s %s", used ? ", " : "", units_count(text, events),
				 groups[i].what);
	}
	return all;
}

void footer_irq_header(FILE *f, const struct recording *r, const struct view_options *o)
{
	char list[LIST_BYTES] = "", duration[UNITS_BYTES];

	list_events(list, r->irq);
	footer_line(f, o, "%s of %s: %s in %s on %u CPU%s", r->meta.tool, r->meta.target, *list ? list : "nothing",
		    units_duration(duration, r->meta.duration_ns), r->meta.cpus, r->meta.cpus == 1 ? "" : "s");
}

void footer_irq_books(FILE *f, const struct recording *r, const struct view_options *o)
{
	const uint64_t *n = r->irq->counts;
	char list[LIST_BYTES] = "", missed[UNITS_BYTES], running[UNITS_BYTES];
	uint64_t events = list_events(list, r->irq);

	footer_line(f, o, "books: measured %s; not measured: %s whose end was not seen, %s that ran already",
		    *list ? list : "nothing", units_count(missed, n[IRQ_COUNT_MISSED_END]),
		    units_count(running, n[IRQ_COUNT_NO_ENTRY]));
	footer_lost(f, r, o, events, "");
}

static void write_counts(FILE *f, const struct view_options *o, const uint64_t *n)
{
	static const struct {
		enum irq_count count;
		const char *what;
	} notes[] = {
		{ IRQ_COUNT_OPEN_FULL, "found no room among what was under way: they are not measured" },
		{ IRQ_COUNT_SENDER_FULL, "IPIs are in no sender's count, those found no room" },
		{ IRQ_COUNT_PLACE_FULL, "sections are in no place, those found no room" },
		{ IRQ_COUNT_BEHIND_FULL, "waits of threads are behind no task, those found no room" },
		{ IRQ_COUNT_CLOCK, "times were negative between two CPUs, taken as 0" },
		{ IRQ_COUNT_ABOVE_UNTOLD, "above the limit were not told one by one, too many came at once" },
	};
	char count[UNITS_BYTES];

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (n[notes[i].count])
			footer_line(f, o, "%s %s", units_count(count, n[notes[i].count]), notes[i].what);
}

static void write_not_shown(FILE *f, const struct view_options *o, const struct rec_irq *q)
{
	unsigned lacks = q->asked & ~q->measured;
	char list[LIST_BYTES] = "";

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		size_t used = strlen(list);

		if (lacks & groups[i].group)
			snprintf(list + used, LIST_BYTES - used, "%s%s (%s)", used ? ", " : "", groups[i].what,
				 groups[i].needs);
	}
	if (*list)
		footer_line(f, o, "not to be had on this kernel: %s", list);
}

/* What no tracepoint of any kernel tells. */
static void write_limits(FILE *f, const struct view_options *o, const struct rec_irq *q)
{
	footer_line(f, o, "quantiles: upper ends of buckets, up to 6.25 %% too long; count, sum and max are exact");
	if (q->measured & (REC_IRQ_HARD | REC_IRQ_VECTORS))
		footer_line(f, o,
			    "an interrupt's time is that of its handler: its entry and exit code, and what the CPU's "
			    "caches lost, are in what it interrupted");
	if (q->measured & REC_IRQ_OFFS)
		footer_line(f, o,
			    "cannot be told apart: interrupts off, firmware (SMI), and a hypervisor that ran something "
			    "else");
	footer_line(f, o, "a maximum is the longest seen, not a bound: longer ones may come");
}

void footer_irq_notes(FILE *f, const struct recording *r, const struct view_options *o)
{
	write_counts(f, o, r->irq->counts);
	write_not_shown(f, o, r->irq);
	write_limits(f, o, r->irq);
}
