/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the time went: the share of each cause, side by side over all delays and over the long ones. */
#include <string.h>

#include "views/footer.h"
#include "views/latency_causes.h"
#include "views/latency_shares.h"
#include "views/latency_view.h"

#define COLUMN 11
#define CELL   64

/* Of a row that stands for several tasks, lines or numbers. */
static const char *plural_of(enum wake_cause cause)
{
	static const char *const names[WAKE_CAUSES] = {
		[CAUSE_TIMER_BEHIND] = "timer late: behind others",
		[CAUSE_HARDIRQ] = "other hard IRQs",
		[CAUSE_VECTOR] = "other interrupts without a line",
		[CAUSE_SOFTIRQ] = "other softirqs",
		[CAUSE_TASK_BETTER] = "others of better priority",
		[CAUSE_TASK_SAME] = "others of the same priority",
		[CAUSE_TASK_FAIR] = "others that shared the CPU",
		[CAUSE_TASK_WORSE] = "others that kept the CPU (not preemptible)",
		[CAUSE_TASK_BOOSTED] = "others with a priority lent to them",
		[CAUSE_AFFINITY] = "others that ran here, idle CPUs forbidden by affinity",
	};

	return (unsigned)cause < WAKE_CAUSES && names[cause] ? names[cause] : "others";
}

char *latency_row_text(char buf[LATENCY_CAUSE_BYTES], const struct recording *r, const struct cause_row *row)
{
	char text[UNITS_BYTES];

	if (row->cause == CAUSE_NONE)
		snprintf(buf, LATENCY_CAUSE_BYTES, "other causes");
	else if (row->others)
		snprintf(buf, LATENCY_CAUSE_BYTES, "%s (%s)", plural_of(row->cause), units_count(text, row->others));
	else
		latency_cause_text(buf, r, row->cause, row->id, row->name, 0);
	return buf;
}

static const char *title(char buf[CELL], const struct causes *c, enum causes_column column)
{
	double percentile = c->columns[column].percentile;

	switch (column) {
	case COLUMN_TOP: /* "p99", "p99.1", "p99.97" */
		snprintf(buf, CELL, "p%.*g", percentile < 99.95 ? 3 : 5, percentile);
		return buf;
	case COLUMN_PREEMPTED:
		return "preempted";
	case COLUMN_ABOVE:
		return "limit";
	default:
		return "all wakeups";
	}
}

static const char *limit(char buf[CELL], const struct causes_of *column)
{
	char text[UNITS_BYTES];

	if (!column->quarter)
		return "";
	snprintf(buf, CELL, ">= %s", units_duration(text, column->from_ns));
	return buf;
}

char *latency_delays_text(char buf[LATENCY_DELAYS_BYTES], const struct causes_of *column)
{
	char least[UNITS_BYTES], most[UNITS_BYTES];

	if (column->at_least == column->at_most)
		snprintf(buf, LATENCY_DELAYS_BYTES, "%s", units_count(least, column->at_least));
	else
		snprintf(buf, LATENCY_DELAYS_BYTES, "%s-%s", units_count(least, column->at_least),
			 units_count(most, column->at_most));
	return buf;
}

static const char *share(char buf[CELL], const struct cause_row *row, enum causes_column column)
{
	if (!row->ns[column])
		return "-";
	if (!row->pct[column])
		return "<1 %";
	snprintf(buf, CELL, "%u %%", row->pct[column]);
	return buf;
}

static const char *head_cell(char buf[CELL], const struct causes *c, enum causes_column column, int line)
{
	if (line == 0)
		return title(buf, c, column);
	return line == 1 ? limit(buf, &c->columns[column]) : latency_delays_text(buf, &c->columns[column]);
}

static void write_head(const struct latency_page *p, const struct causes *c)
{
	char cell[CELL];

	for (int line = 0; line < 3; line++) {
		unsigned blanks = 1;

		for (int i = 0; i < CAUSES_COLUMNS; i++) {
			const char *text = head_cell(cell, c, (enum causes_column)i, line);

			blanks += c->columns[i].is_there ? COLUMN + 1 : 0;
			if (!c->columns[i].is_there || !*text)
				continue;
			fprintf(p->f, "%*s", (int)blanks, text); /* nothing stands behind the last text of a line */
			blanks = 0;
		}
		fputs(line < 2 ? "\n" : "", p->f);
	}
	fprintf(p->f, "  delays\n");
}

static void write_row(const struct latency_page *p, const struct causes *c, const struct cause_row *row)
{
	char text[LATENCY_CAUSE_BYTES], cell[CELL], before[CAUSES_COLUMNS * (COLUMN + 1) + CELL] = " ";
	size_t used = 1;

	for (int i = 0; i < CAUSES_COLUMNS; i++)
		if (c->columns[i].is_there)
			used += (size_t)snprintf(before + used, sizeof(before) - used, " %*s", COLUMN,
						 share(cell, row, (enum causes_column)i));
	snprintf(before + used, sizeof(before) - used, "  ");
	footer_hanging(p->f, p->o, before, "%s", latency_row_text(text, p->r, row));
}

void latency_write_causes(const struct latency_page *p, const struct causes *c)
{
	if (!c->n)
		return;
	fprintf(p->f, "\nwhere the time went\n");
	write_head(p, c);
	for (size_t i = 0; i < c->n; i++)
		write_row(p, c, &c->rows[i]);
}
