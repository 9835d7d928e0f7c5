/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of `kbpfprof wakeup`: how late tasks ran, where the time went, and the worst cases. From
 * the whole to the single delay, then the verdict, then what the numbers leave out.
 */
#include <err.h>
#include <errno.h>
#include <string.h>

#include "views/footer.h"
#include "views/latency_causes.h"
#include "views/latency_view.h"
#include "views/verdict.h"

extern const struct view view_latency;

static int check(const struct view_options *o)
{
	if (!o->children)
		return 0;
	warnx("--children means nothing to --format latency");
	return -EINVAL;
}

static bool has_values(const struct rec_latency *l, enum latency_kind kind)
{
	const struct rec_hist *h = latency_find(l, 0, kind);

	return h && h->count;
}

/* What a task that waits for timers is judged by; else from the waking on, which each wakeup has. */
static enum latency_kind headline_of(const struct rec_latency *l)
{
	if (has_values(l, LATENCY_TIMER) && l->counts[WAKE_COUNT_TIMERS] > l->counts[WAKE_COUNT_WAKEUPS] / 2)
		return LATENCY_TIMER;
	return has_values(l, LATENCY_WAKING) || !has_values(l, LATENCY_PREEMPTED) ? LATENCY_WAKING : LATENCY_PREEMPTED;
}

/* "motor_ctl (PID 812, FIFO 80)" */
static void write_header(const struct latency_page *p)
{
	const struct rec_latency *l = p->l;
	const char *target = p->r->meta.target;
	size_t bytes = strlen(target);
	bool closes = bytes && target[bytes - 1] == ')';
	char duration[UNITS_BYTES], wakeups[UNITS_BYTES], preemptions[UNITS_BYTES], lost[UNITS_BYTES];

	footer_line(p->f, p->o, "wakeup latency of %.*s%s%s%s, %s, %s wakeups, %s preemptions, %s lost",
		    (int)(bytes - (closes && *l->policy)), target,
		    !*l->policy ? ""
		    : closes	? ", "
				: " (",
		    l->policy, *l->policy ? ")" : "", units_duration(duration, p->r->meta.duration_ns),
		    units_count(wakeups, l->counts[WAKE_COUNT_WAKEUPS]),
		    units_count(preemptions, l->counts[WAKE_COUNT_PREEMPTIONS]),
		    units_count(lost, recording_lost_sum(p->r)));
}

static void write_nothing(const struct latency_page *p)
{
	const uint64_t *n = p->l->counts;
	char count[UNITS_BYTES];

	if (n[WAKE_COUNT_NO_START])
		footer_line(p->f, p->o, "no delays: of %s waits the start was not seen, no other ended in this time",
			    units_count(count, n[WAKE_COUNT_NO_START]));
	else if (n[WAKE_COUNT_FIRST_SIGHT])
		footer_line(p->f, p->o, "no delays: the target ran, but it neither slept nor was it preempted");
	else
		footer_line(p->f, p->o, "no delays: no task of the target was woken in this time");
}

static int write_page(const struct latency_page *p)
{
	char verdict[VERDICT_BYTES];
	struct causes causes;
	int err = causes_open(&causes, p->l);

	if (!err) {
		latency_write_kinds(p);
		latency_write_bars(p);
		err = latency_write_groups(p);
	}
	if (!err) {
		latency_write_series(p);
		latency_write_causes(p, &causes);
		latency_write_cases(p);
		if (*verdict_text(verdict, p->r, &causes)) {
			fputc('\n', p->f);
			footer_line(p->f, p->o, "verdict: %s", verdict);
		}
	}
	causes_close(&causes);
	return err;
}

static int write_latency(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct latency_page p = { .f = f, .r = r, .l = r->latency, .o = o };
	int err = 0;

	if (!r->latency) {
		warnx("the recording has no latencies");
		return -EINVAL;
	}
	p.headline = headline_of(p.l);
	write_header(&p);
	if (has_values(p.l, LATENCY_WAKING) || has_values(p.l, LATENCY_PREEMPTED))
		err = write_page(&p);
	else
		write_nothing(&p);
	if (err)
		return err;
	fputc('\n', f);
	footer_write(f, r, o);
	return 0;
}

const struct view view_latency = {
	.name = "latency",
	.summary = "how late tasks ran, what took the time, the worst, a verdict",
	.needs = REC_LATENCY,
	.takes = VIEW_ROWS,
	.check = check,
	.write = write_latency,
};
