/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of `kbpfprof irq`: what interrupts cost, how long their work waited, and the worst cases. From the whole
 * to the single event, then the verdict, then what the numbers leave out.
 */
#include <err.h>
#include <errno.h>
#include <string.h>

#include "views/footer.h"
#include "views/irq_verdict.h"
#include "views/irq_view.h"

extern const struct view view_irq;

static int check(const struct view_options *o)
{
	if (!o->children)
		return 0;
	warnx("--children means nothing to --format irq");
	return -EINVAL;
}

static void add_share(char *list, size_t bytes, const struct irq_page *p, unsigned kinds, const char *name)
{
	size_t used = strlen(list);
	char pct[UNITS_BYTES];

	snprintf(list + used, bytes - used, "%s%s %s", used ? ", " : "", name,
		 units_pct(pct, (double)irq_kinds_ns(p->sums, kinds), (double)irq_cpu_time_ns(p->r)));
}

/* "interrupts of whole machine, 10.0 s, 2 CPUs: 3.1 % of CPU time (hard IRQs 0.9 %, softirqs 2.2 %), 0 lost" */
static void write_header(const struct irq_page *p)
{
	const unsigned hard = REC_IRQ_HARD | REC_IRQ_VECTORS | REC_IRQ_NMIS;
	char duration[UNITS_BYTES], all[UNITS_BYTES], lost[UNITS_BYTES], shares[4 * UNITS_BYTES] = "", time[256] = "";

	if (p->q->measured & hard)
		add_share(shares, sizeof(shares), p, IRQ_HARD_KINDS, "hard IRQs");
	if (p->q->measured & REC_IRQ_SOFT)
		add_share(shares, sizeof(shares), p, IRQ_SOFT_KINDS, "softirqs");
	if (*shares)
		snprintf(time, sizeof(time), ": %s of CPU time (%s)",
			 units_pct(all, (double)irq_kinds_ns(p->sums, IRQ_CPU_KINDS), (double)irq_cpu_time_ns(p->r)),
			 shares);
	footer_line(p->f, p->o, "interrupts of %s%s%s%s, %s, %u CPU%s%s, %s lost", p->r->meta.target,
		    *p->q->filter ? " (" : "", p->q->filter, *p->q->filter ? ")" : "",
		    units_duration(duration, p->r->meta.duration_ns), p->r->meta.cpus, p->r->meta.cpus == 1 ? "" : "s",
		    time, units_count(lost, recording_lost_sum(p->r)));
}

static bool is_empty(const struct irq_page *p)
{
	for (size_t i = 0; i < p->sums->n; i++)
		if (p->sums->list[i].count || p->sums->list[i].total.no_start)
			return false;
	return !p->q->n_places && !p->q->n_senders && !p->q->probe_ns;
}

static void write_nothing(const struct irq_page *p)
{
	if (*p->q->filter)
		footer_line(p->f, p->o, "nothing that was asked for (%s) came in this time", p->q->filter);
	else
		footer_line(p->f, p->o, "no interrupt and no softirq came in this time");
}

static int write_verdict(const struct irq_page *p)
{
	char verdict[IRQ_VERDICT_BYTES];

	if (!irq_verdict(verdict, p->sums))
		return -ENOMEM;
	if (*verdict) {
		fputc('\n', p->f);
		footer_line(p->f, p->o, "verdict: %s", verdict);
	}
	return 0;
}

static int write_page(const struct irq_page *p)
{
	static int (*const parts[])(const struct irq_page *) = {
		irq_write_times,  irq_write_waits,  irq_write_behind, irq_write_off, irq_write_senders,
		irq_write_storms, irq_write_series, irq_write_cases,  write_verdict,
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !err; i++)
		err = parts[i](p);
	return err;
}

static int write_all(const struct irq_page *p)
{
	int err = 0;

	write_header(p);
	if (p->o->hist)
		err = irq_write_hists(p);
	else if (is_empty(p))
		write_nothing(p);
	else
		err = write_page(p);
	if (err)
		return err;
	fputc('\n', p->f);
	footer_write(p->f, p->r, p->o);
	return 0;
}

static int write_irq(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct irq_sums sums;
	int err;

	if (!r->irq) {
		warnx("the recording has no interrupts");
		return -EINVAL;
	}
	err = irq_sums_open(&sums, r);
	if (err)
		return err;
	err = write_all(&(struct irq_page){ .f = f, .r = r, .q = r->irq, .o = o, .sums = &sums });
	irq_sums_close(&sums);
	return err;
}

const struct view view_irq = {
	.name = "irq",
	.summary = "what interrupts cost, how long work waited, the worst, a verdict",
	.needs = REC_IRQ,
	.takes = VIEW_ROWS | VIEW_HISTS,
	.check = check,
	.write = write_irq,
};
