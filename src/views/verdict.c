/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time is added up by kind of cause, since what is to be done depends on the kind: nine tasks that shared
 * the CPU are one cause. A single task or interrupt is named if it holds most of it.
 */
#include "views/verdict.h"

#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "views/latency_shares.h"
#include "views/latency_stack.h"
#include "views/verdict_advice.h"

#define SHARE_PCT   40	  /* of the time: a cause that holds less is not the largest by much */
#define DELAYS_MIN  5	  /* a handful */
#define SHORT_NS    20000 /* a wakeup and a switch take that long by themselves on a slow or virtual CPU */
#define WORSE_TIMES 2	  /* so much longer than the others the worst delay deserves a word of its own */

struct tally {
	uint64_t ns[WAKE_CAUSES], all_ns;
	struct {
		int id, name;
		uint64_t ns;
	} most[WAKE_CAUSES]; /* of one kind, the single one with the most time; ns 0: none */
};

/* What a verdict is about. */
struct evidence {
	enum wake_cause cause;
	bool is_single; /* it has these */
	int id, name;
	double pct;
	char of[96]; /* "the 605 delays >= 11.3 us" */
};

/* --- evidence --- */

/* What no span explains is one kind, however it came to be. */
static enum wake_cause kind_of(enum wake_cause cause)
{
	return cause == CAUSE_UNEXPLAINED_SNAPSHOT ? CAUSE_UNEXPLAINED : cause;
}

static void tally_add(struct tally *t, enum wake_cause cause, int id, int name, bool is_single, uint64_t ns)
{
	enum wake_cause kind = kind_of(cause);

	t->all_ns += ns;
	if ((unsigned)kind >= WAKE_CAUSES)
		return;
	t->ns[kind] += ns;
	if (!is_single || ns <= t->most[kind].ns)
		return;
	t->most[kind].id = id;
	t->most[kind].name = cause_has_name(kind) ? name : 0;
	t->most[kind].ns = ns;
}

/* False: none has enough. CAUSE_NONE is what many small causes hold together. */
static bool tally_judge(const struct tally *t, struct evidence *e)
{
	enum wake_cause most = CAUSE_NONE;

	for (int i = CAUSE_NONE + 1; i < WAKE_CAUSES; i++)
		if (t->ns[i] && (most == CAUSE_NONE || t->ns[i] > t->ns[most]))
			most = (enum wake_cause)i;
	if (most == CAUSE_NONE || (double)t->ns[most] * 100 < SHARE_PCT * (double)t->all_ns)
		return false;
	e->cause = most;
	e->is_single = (double)t->most[most].ns * 2 > (double)t->ns[most];
	e->id = t->most[most].id;
	e->name = t->most[most].name;
	e->pct = 100 * (double)t->ns[most] / (double)t->all_ns;
	return true;
}

static bool of_column(struct evidence *e, const struct causes *c, enum causes_column column, bool *is_enough)
{
	const struct causes_of *of = &c->columns[column];
	char delays[LATENCY_DELAYS_BYTES], from[UNITS_BYTES];
	struct tally t = { .all_ns = 0 };

	*is_enough = of->is_there && of->at_least >= (column == COLUMN_ABOVE ? 1 : DELAYS_MIN);
	if (!*is_enough)
		return false;
	if (of->at_most == 1)
		snprintf(e->of, sizeof(e->of), "the one delay >= %s", units_duration(from, of->from_ns));
	else
		snprintf(e->of, sizeof(e->of), "the %s delays >= %s", latency_delays_text(delays, of),
			 units_duration(from, of->from_ns));
	for (size_t i = 0; i < c->n; i++)
		tally_add(&t, c->rows[i].cause, c->rows[i].id, c->rows[i].name, !c->rows[i].others,
			  c->rows[i].ns[column]);
	return tally_judge(&t, e);
}

static bool of_case(struct evidence *e, const struct rec_case *c)
{
	struct tally t = { .all_ns = 0 };
	char total[UNITS_BYTES];

	for (size_t i = 0; i < c->n_parts; i++)
		tally_add(&t, c->parts[i].cause, c->parts[i].id, c->parts[i].name, true, c->parts[i].ns);
	snprintf(e->of, sizeof(e->of), "the worst delay, %s", units_duration(total, c->total_ns));
	return tally_judge(&t, e);
}

static const struct rec_case *worst_case(const struct rec_latency *l)
{
	const struct rec_case *worst = NULL;

	for (size_t i = 0; i < l->n_cases; i++)
		if (!worst || l->cases[i].total_ns > worst->total_ns)
			worst = &l->cases[i];
	return worst;
}

static bool is_part(const struct evidence *e, const struct rec_part *part)
{
	return kind_of(part->cause) == e->cause &&
	       (!e->is_single || !cause_has_name(e->cause) || part->name == e->name);
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

static const char *cause_text(char buf[LATENCY_CAUSE_BYTES], const struct recording *r, const struct evidence *e)
{
	const char *kind = verdict_kind(e->cause);

	return e->is_single || !kind ? latency_cause_text(buf, r, e->cause, e->id, e->name, 0) : kind;
}

static char *judge(char buf[VERDICT_BYTES], const struct recording *r, const struct evidence *e)
{
	const char *advice = verdict_advice(e->cause, e->is_single ? recording_str(r, e->name) : "");
	char what[LATENCY_CAUSE_BYTES], stack[LATENCY_STACK_BYTES];
	bool has_stack = *section(stack, r, e) != '\0';

	if (e->cause == CAUSE_UNEXPLAINED)
		snprintf(buf, VERDICT_BYTES, "none: %.0f %% of %s is unexplained (see the notes below)", e->pct, e->of);
	else
		snprintf(buf, VERDICT_BYTES, "%s is the largest cause, %.0f %% of %s%s%.200s%s%s%s",
			 cause_text(what, r, e), e->pct, e->of, has_stack ? " (ended at " : "", stack,
			 has_stack ? ")" : "", advice ? ": " : "", advice ? advice : "");
	return buf;
}

/* Many middling delays must not hide what one long delay shows. */
static char *add_worst(char buf[VERDICT_BYTES], const struct recording *r, const struct evidence *e,
		       const struct rec_case *worst, uint64_t from_ns)
{
	char what[LATENCY_CAUSE_BYTES];
	size_t used = strlen(buf);
	struct evidence other = { .pct = 0 };

	if (!worst || worst->total_ns / WORSE_TIMES < from_ns || !of_case(&other, worst) || other.cause == e->cause)
		return buf;
	snprintf(buf + used, VERDICT_BYTES - used, "; but %.0f %% of %s, is %s", other.pct, other.of,
		 cause_text(what, r, &other));
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
	struct evidence e = { .pct = 0 };
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
	snprintf(buf, VERDICT_BYTES, "none: %s",
		 l->no_causes ? "the causes of delays were not recorded" : "too few delays for one (measure longer)");
	return buf;
}
