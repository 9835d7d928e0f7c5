/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/verdict.h"

#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "views/latency_shares.h"
#include "views/latency_stack.h"

#define SHARE_PCT   40	  /* of the time, that makes a cause the largest by more than chance */
#define DELAYS_MIN  5	  /* a handful */
#define SHORT_NS    20000 /* a wakeup and a switch take that long by themselves on a slow or virtual CPU */
#define WORSE_TIMES 2	  /* so much longer than the others the worst delay deserves a word of its own */

/* What a verdict is about. */
struct evidence {
	enum wake_cause cause;
	int id, name;
	double pct;
	char of[96]; /* "the 605 delays >= 11.3 us (p99)" */
};

/* --- what to do --- */

static const char *const advices[WAKE_CAUSES] = {
	[CAUSE_TIMER_PAST] = "the task itself programs its timer late: let it sleep until a fixed time "
			     "(clock_nanosleep with TIMER_ABSTIME), and do less in a period",
	[CAUSE_TIMER_SLACK] =
		"set its timer slack (prctl PR_SET_TIMERSLACK), or give it a realtime policy, which has none",
	[CAUSE_TIMER_IRQS_OFF] = "shorten the section that keeps interrupts off, or keep that work off this CPU",
	[CAUSE_TIMER_HARDWARE] = "interrupts were on and yet it came late: give the virtual CPU a core of its own; on "
				 "bare metal look for SMIs (hwlat)",
	[CAUSE_TIMER_IDLE] = "forbid deep idle states (hold /dev/cpu_dma_latency open at 0, or cpupower idle-set -D 0)",
	[CAUSE_TIMER_BEHIND] = "steer that interrupt to another CPU (/proc/irq/N/smp_affinity)",
	[CAUSE_TIMER_HANDLER] =
		"many timers expire at once on this CPU: move some of their tasks, or the task, elsewhere",
	[CAUSE_TIMER_SOFTIRQ] =
		"its timer waits for a softirq or its thread: give the task a realtime policy, or raise "
		"the thread's priority",
	[CAUSE_ACTIVATION] = "the waker takes long to put it into a run queue: wake it from the CPU it runs on",
	[CAUSE_ACTIVATION_REMOTE] =
		"its CPU takes the wakeup late: look at what keeps interrupts off there, or wake it "
		"from its own CPU",
	[CAUSE_HARDIRQ] = "steer that interrupt to another CPU (/proc/irq/N/smp_affinity) or run it threaded",
	[CAUSE_VECTOR] = "keep what sends that interrupt off this CPU (isolcpus, nohz_full)",
	[CAUSE_NMI] = "find who asks for NMIs (perf, the watchdog: sysctl kernel.nmi_watchdog=0)",
	[CAUSE_SOFTIRQ] =
		"steer the device's interrupt to another CPU (smp_affinity), spread its packets (RPS), or use "
		"threaded NAPI",
	[CAUSE_TASK_BETTER] = "raise the task's priority above it, or move one of them to another CPU",
	[CAUSE_TASK_SAME] = "give them different priorities, or different CPUs",
	[CAUSE_TASK_FAIR] = "give the task a realtime policy (chrt) or a better nice value, or let fewer tasks run on "
			    "its CPU",
	[CAUSE_TASK_WORSE] =
		"its kernel section cannot be preempted: shorten it, keep that task off this CPU, or use a "
		"kernel that preempts more (preempt=full, PREEMPT_RT)",
	[CAUSE_TASK_BOOSTED] = "shorten what it does under the lock, or do not share that lock with it",
	[CAUSE_RT_THROTTLED] = "realtime tasks used up their share of the CPU: let them sleep more, or raise "
			       "kernel.sched_rt_runtime_us",
	[CAUSE_QUOTA] = "widen the CPU quota of its cgroup (cpu.max), or lengthen its period",
	[CAUSE_DL_BUDGET] = "give it a larger runtime (chrt --sched-runtime)",
	[CAUSE_AFFINITY] = "allow it more CPUs (taskset, cpuset): some were idle",
	[CAUSE_IDLE] = "forbid deep idle states (hold /dev/cpu_dma_latency open at 0, or cpupower idle-set -D 0)",
	[CAUSE_STEAL] = "the host runs something else: give this virtual CPU a core of its own there",
	[CAUSE_SWITCH] = "that is the scheduler's own work: fewer or longer waits cost less, a faster CPU helps",
};

char *verdict_advice(char buf[VERDICT_BYTES], enum wake_cause cause, const char *name)
{
	const char *advice = (unsigned)cause < WAKE_CAUSES ? advices[cause] : NULL;

	if (cause == CAUSE_TASK_BETTER && !strncmp(name, "irq/", 4))
		advice = "raise the task's priority above that interrupt thread, or steer the interrupt to another CPU "
			 "(smp_affinity; its thread follows)";
	else if (cause == CAUSE_TASK_BETTER && (!strncmp(name, "ksoftirqd", 9) || !strncmp(name, "ktimers", 7)))
		advice = "raise the task's priority above that softirq thread, or steer the device's interrupt to "
			 "another "
			 "CPU (smp_affinity)";
	if (!advice)
		return NULL;
	snprintf(buf, VERDICT_BYTES, "%s", advice);
	return buf;
}

/* --- evidence --- */

static bool of_column(struct evidence *e, const struct causes *c, enum causes_column column, bool *is_enough)
{
	const struct causes_of *of = &c->columns[column];
	const struct cause_row *most = NULL;
	char delays[LATENCY_DELAYS_BYTES], from[UNITS_BYTES];

	*is_enough = of->is_there && of->at_least >= (column == COLUMN_ABOVE ? 1 : DELAYS_MIN);
	if (!*is_enough)
		return false;
	snprintf(e->of, sizeof(e->of), "the %s %s%s%s", of->at_most == 1 ? "one" : latency_delays_text(delays, of),
		 of->at_most == 1 ? "delay" : "delays", of->quarter ? " >= " : "",
		 of->quarter ? units_duration(from, of->from_ns) : "");
	for (size_t i = 0; i < c->n; i++)
		if (c->rows[i].cause != CAUSE_NONE && (!most || c->rows[i].ns[column] > most->ns[column]))
			most = &c->rows[i];
	if (!most || (double)most->ns[column] * 100 < SHARE_PCT * (double)of->ns)
		return false;
	e->cause = most->cause;
	e->id = most->others ? 0 : most->id;
	e->name = most->others ? 0 : most->name;
	e->pct = 100 * (double)most->ns[column] / (double)of->ns;
	return true;
}

static bool is_part(const struct evidence *e, const struct rec_part *part)
{
	return part->cause == e->cause && part->id == e->id && (part->name == e->name || !cause_has_name(part->cause));
}

/* Parts are largest first. */
static bool of_case(struct evidence *e, const struct rec_case *c)
{
	char total[UNITS_BYTES];

	if (!c->n_parts || !c->total_ns || (double)c->parts[0].ns * 100 < SHARE_PCT * (double)c->total_ns)
		return false;
	e->cause = c->parts[0].cause;
	e->id = c->parts[0].id;
	e->name = cause_has_name(e->cause) ? c->parts[0].name : 0;
	e->pct = 100 * (double)c->parts[0].ns / (double)c->total_ns;
	snprintf(e->of, sizeof(e->of), "the worst delay, %s", units_duration(total, c->total_ns));
	return true;
}

static const struct rec_case *worst_case(const struct rec_latency *l)
{
	const struct rec_case *worst = NULL;

	for (size_t i = 0; i < l->n_cases; i++)
		if (!worst || l->cases[i].total_ns > worst->total_ns)
			worst = &l->cases[i];
	return worst;
}

/* Of the longest delay with this cause that was recorded in full: where its section ended. */
static char *section(char buf[LATENCY_STACK_BYTES], const struct recording *r, const struct evidence *e)
{
	const struct rec_latency *l = r->latency;

	buf[0] = '\0';
	for (size_t i = 0; i < l->n_cases && !*buf; i++) {
		const struct rec_case *c = &l->cases[i];

		for (size_t j = 0; j < c->n_parts && !*buf; j++) {
			if (!is_part(e, &c->parts[j]))
				continue;
			if (e->cause == CAUSE_TASK_WORSE)
				latency_stack_text(buf, r, c->out_stack, STACK_OUT);
			else if (e->cause == CAUSE_TIMER_IRQS_OFF)
				latency_stack_text(buf, r, c->waker_stack, STACK_LATE);
		}
	}
	return buf;
}

/* --- words --- */

static bool is_unknown(enum wake_cause cause)
{
	return cause == CAUSE_UNEXPLAINED || cause == CAUSE_UNEXPLAINED_SNAPSHOT;
}

static char *judge(char buf[VERDICT_BYTES], const struct recording *r, const struct evidence *e)
{
	char what[LATENCY_CAUSE_BYTES], advice[VERDICT_BYTES], stack[LATENCY_STACK_BYTES];
	bool has_stack = *section(stack, r, e) != '\0';

	if (is_unknown(e->cause)) {
		snprintf(buf, VERDICT_BYTES, "none: %.0f %% of %s is unexplained (see the notes below)", e->pct, e->of);
		return buf;
	}
	latency_cause_text(what, r, e->cause, e->id, e->name, 0);
	snprintf(buf, VERDICT_BYTES, "%s is the largest cause, %.0f %% of %s%s%.200s%s%s", what, e->pct, e->of,
		 has_stack ? " (it ended at " : "", stack, has_stack ? ")" : "",
		 verdict_advice(advice, e->cause, recording_str(r, e->name)) ? ": " : "");
	if (verdict_advice(advice, e->cause, recording_str(r, e->name)))
		strncat(buf, advice, VERDICT_BYTES - 1 - strlen(buf));
	return buf;
}

/* Many middling delays must not hide what one long delay shows. */
static char *add_worst(char buf[VERDICT_BYTES], const struct recording *r, const struct evidence *e,
		       const struct rec_case *worst, uint64_t from_ns)
{
	char what[LATENCY_CAUSE_BYTES];
	size_t used = strlen(buf);
	struct evidence other;

	if (!worst || worst->total_ns / WORSE_TIMES < from_ns || !of_case(&other, worst) ||
	    is_part(e, &worst->parts[0]))
		return buf;
	snprintf(buf + used, VERDICT_BYTES - used, "; but %.0f %% of %s, is %s", other.pct, other.of,
		 latency_cause_text(what, r, other.cause, other.id, other.name, 0));
	return buf;
}

static char *no_single(char buf[VERDICT_BYTES], const struct rec_latency *l, const struct evidence *e)
{
	snprintf(buf, VERDICT_BYTES, "no single cause holds %d %% of the time of %s: look at the worst ones%s",
		 SHARE_PCT, e->of, l->above_ns ? ", or raise --above" : ", or at the longest alone (--above TIME)");
	return buf;
}

static char *nothing_long(char buf[VERDICT_BYTES], const struct rec_latency *l, uint64_t longest_ns)
{
	char longest[UNITS_BYTES], limit[UNITS_BYTES];

	if (l->above_ns)
		snprintf(buf, VERDICT_BYTES, "no delay reached %s, the longest was %s: nothing to mend",
			 units_duration(limit, l->above_ns), units_duration(longest, longest_ns));
	else
		snprintf(buf, VERDICT_BYTES,
			 "the longest delay was %s, hardly more than a switch takes: nothing to mend",
			 units_duration(longest, longest_ns));
	return buf;
}

static uint64_t longest_ns(const struct rec_latency *l)
{
	static const enum latency_kind kinds[] = { LATENCY_TIMER, LATENCY_WAKING, LATENCY_PREEMPTED };
	uint64_t max_ns = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct rec_hist *h = latency_find(l, 0, kinds[i]);

		if (h && h->count && h->max_ns > max_ns)
			max_ns = h->max_ns;
	}
	return max_ns;
}

char *verdict_text(char buf[VERDICT_BYTES], const struct recording *r, const struct causes *c)
{
	static const enum causes_column columns[] = { COLUMN_ABOVE, COLUMN_TOP };
	const struct rec_latency *l = r->latency;
	const struct rec_case *worst = worst_case(l);
	uint64_t longest = longest_ns(l);
	struct evidence e;
	bool is_enough;

	buf[0] = '\0';
	if (!longest)
		return buf;
	if (longest < (l->above_ns ? l->above_ns : SHORT_NS))
		return nothing_long(buf, l, longest);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (of_column(&e, c, columns[i], &is_enough))
			return add_worst(judge(buf, r, &e), r, &e, worst, c->columns[columns[i]].from_ns);
		if (is_enough)
			return no_single(buf, l, &e);
	}
	if (worst && of_case(&e, worst))
		return judge(buf, r, &e);
	snprintf(buf, VERDICT_BYTES, "none: too few delays for one (%s)",
		 l->no_causes ? "their causes were not recorded" : "measure longer");
	return buf;
}
