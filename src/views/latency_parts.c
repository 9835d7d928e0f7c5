/* SPDX-License-Identifier: GPL-2.0-only */
/* What one delay is made of: parts that add up to it, largest first. */
#include <stdlib.h>
#include <string.h>

#include "views/footer.h"
#include "views/latency_case.h"
#include "views/latency_stack.h"
#include "views/latency_view.h"

#define LINE_BYTES 512
#define PARTS_MAX  256 /* programs write fewer: what is beyond is one part */
#define ROWS_MIN   4   /* parts shown however small */
#define SMALL_PCT  1

/* Parts of one cause and name: several threads of a program, say. */
struct row {
	struct rec_part part;
	unsigned tasks;
};

static bool is_alike(const struct rec_part *a, const struct rec_part *b)
{
	return a->cause == b->cause && a->id == b->id && a->name == b->name && a->by == b->by;
}

static void join(struct row *to, const struct rec_part *more)
{
	to->part.ns += more->ns;
	to->part.spans += more->spans;
	to->tasks += more->tid != to->part.tid;
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->part.ns > y->part.ns ? -1 : x->part.ns < y->part.ns;
}

static size_t gather(struct row rows[PARTS_MAX], const struct rec_case *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_parts; i++) {
		size_t j = 0;

		while (j < n && !is_alike(&rows[j].part, &c->parts[i]))
			j++;
		if (j < n)
			join(&rows[j], &c->parts[i]);
		else if (n < PARTS_MAX)
			rows[n++] = (struct row){ c->parts[i], 1 };
	}
	if (n)
		qsort(rows, n, sizeof(*rows), compare);
	return n;
}

static const char *stack_of(char buf[LATENCY_STACK_BYTES], const struct recording *r, const struct rec_case *c,
			    enum wake_cause cause)
{
	if (cause == CAUSE_TASK_WORSE && *latency_stack_text(buf, r, c->out_stack, STACK_OUT))
		return ", left the kernel section at ";
	if (cause == CAUSE_TIMER_IRQS_OFF && *latency_stack_text(buf, r, c->waker_stack, STACK_LATE))
		return ", ended in ";
	return strcpy(buf, "");
}

/* "softirq NET_RX (3 runs)", "camera-svc kept the CPU (not preemptible) [TID 233, OTHER]", "... (9 tasks, 12 runs)" */
static void describe(char buf[LINE_BYTES], const struct recording *r, const struct row *row)
{
	char text[LATENCY_CAUSE_BYTES], prio[32], runs[UNITS_BYTES];
	const struct rec_part *part = &row->part;
	size_t used = (size_t)snprintf(buf, LINE_BYTES, "%s",
				       latency_cause_text(text, r, part->cause, part->id, part->name, part->by));

	if (row->tasks > 1)
		used += (size_t)snprintf(buf + used, LINE_BYTES - used, " (%u tasks, ", row->tasks);
	else if (part->tid)
		used += (size_t)snprintf(buf + used, LINE_BYTES - used, " [TID %d, %s]", part->tid,
					 latency_prio_text(prio, part->prio));
	if (row->tasks > 1 || part->spans > 1)
		snprintf(buf + used, LINE_BYTES - used, "%s%s runs)", row->tasks > 1 ? "" : " (",
			 units_count(runs, part->spans));
}

static double pct_of(const struct rec_case *c, uint64_t ns)
{
	return c->total_ns ? 100 * (double)ns / (double)c->total_ns : 0;
}

/* "      88.2 us   47 %  " */
static char *numbers(char buf[2 * UNITS_BYTES], const struct rec_case *c, uint64_t ns)
{
	char text[UNITS_BYTES], pct[8] = "<1";

	if (!ns || pct_of(c, ns) >= 0.5)
		snprintf(pct, sizeof(pct), "%.0f", pct_of(c, ns));
	snprintf(buf, 2 * UNITS_BYTES, "  %*s us %4s %%  ", LATENCY_US_COLUMNS, latency_us(text, ns), pct);
	return buf;
}

static bool is_shown(const struct rec_case *c, const struct row *row, size_t i)
{
	return i < ROWS_MIN || pct_of(c, row->part.ns) >= SMALL_PCT;
}

void latency_write_parts(const struct latency_page *p, const struct rec_case *c)
{
	char before[2 * UNITS_BYTES], text[LINE_BYTES], stack[LATENCY_STACK_BYTES];
	uint64_t sum_ns = 0, shown_ns = 0;
	struct row rows[PARTS_MAX];
	size_t n = gather(rows, c), shown = 0;

	for (size_t i = 0; i < c->n_parts; i++)
		sum_ns += c->parts[i].ns;
	for (; shown < n && is_shown(c, &rows[shown], shown); shown++) {
		const char *between = stack_of(stack, p->r, c, rows[shown].part.cause);

		describe(text, p->r, &rows[shown]);
		footer_hanging(p->f, p->o, numbers(before, c, rows[shown].part.ns), "%s%s%s", text, between, stack);
		shown_ns += rows[shown].part.ns;
	}
	if (sum_ns > shown_ns)
		footer_hanging(p->f, p->o, numbers(before, c, sum_ns - shown_ns), "%zu other parts (-f json has them)",
			       n - shown);
	if (n > 1)
		fprintf(p->f, "  %*s us         in all\n", LATENCY_US_COLUMNS, latency_us(text, sum_ns));
}
