/* SPDX-License-Identifier: GPL-2.0-only */
/* The books of waits, and what their measurement cannot show. */
#include <string.h>

#include "core/latency.h"
#include "core/tracepoints.h"
#include "core/units.h"
#include "views/footer.h"

#define LIST_BYTES 1024

/* "2 first runs, 3 from locks": a text that grows by what is not 0. */
static void list_count(char list[LIST_BYTES], uint64_t count, const char *what)
{
	size_t used = strlen(list);
	char text[UNITS_BYTES];

	if (count)
		snprintf(list + used, LIST_BYTES - used, "%s%s %s", used ? ", " : "", units_count(text, count), what);
}

void footer_latency_header(FILE *f, const struct recording *r, const struct view_options *o)
{
	const uint64_t *n = r->latency->counts;
	char wakeups[UNITS_BYTES], preemptions[UNITS_BYTES], duration[UNITS_BYTES];

	footer_line(f, o, "%s of %s: %s wakeups, %s preemptions in %s on %u CPU%s", r->meta.tool, r->meta.target,
		    units_count(wakeups, n[WAKE_COUNT_WAKEUPS]), units_count(preemptions, n[WAKE_COUNT_PREEMPTIONS]),
		    units_duration(duration, r->meta.duration_ns), r->meta.cpus, r->meta.cpus == 1 ? "" : "s");
}

/* Every wait that ended is in one of the four; which of them were special is said beside. */
void footer_latency_books(FILE *f, const struct recording *r, const struct view_options *o)
{
	const uint64_t *n = r->latency->counts;
	char wakeups[UNITS_BYTES], preemptions[UNITS_BYTES], special[LIST_BYTES] = "", others[LIST_BYTES] = "",
							     wakings[LIST_BYTES] = "";

	list_count(others, n[WAKE_COUNT_NO_START], "whose start was not seen");
	list_count(others, n[WAKE_COUNT_FIRST_SIGHT], "running when first seen");
	footer_line(f, o, "books: measured %s wakeups and %s waits after preemption; not measured: %s",
		    units_count(wakeups, n[WAKE_COUNT_WAKEUPS]), units_count(preemptions, n[WAKE_COUNT_PREEMPTIONS]),
		    *others ? others : "0");
	list_count(special, n[WAKE_COUNT_TIMERS], "woken by a timer");
	list_count(special, n[WAKE_COUNT_NEW], "first runs");
	list_count(special, n[WAKE_COUNT_RACED], "woken before they slept");
	list_count(special, n[WAKE_COUNT_RTLOCK], "from a lock of PREEMPT_RT");
	list_count(special, n[WAKE_COUNT_MIGRATED], "moved to another CPU while they waited");
	if (*special)
		footer_line(f, o, "of them: %s", special);
	list_count(wakings, n[WAKE_COUNT_REDUNDANT], "of tasks that waited already (the first one counts)");
	list_count(wakings, n[WAKE_COUNT_SELF], "of the running task itself");
	if (*wakings)
		footer_line(f, o, "wakings that began no wait: %s", wakings);
	footer_lost(f, r, o, n[WAKE_COUNT_WAKEUPS] + n[WAKE_COUNT_PREEMPTIONS], "their wakeups are not measured");
}

static void note_count(FILE *f, const struct view_options *o, uint64_t count, const char *before, const char *after)
{
	char text[UNITS_BYTES];

	if (count)
		footer_line(f, o, "%s%s %s", before, units_count(text, count), after);
}

static void write_counts(FILE *f, const struct view_options *o, const struct rec_latency *l)
{
	const uint64_t *n = l->counts;

	note_count(f, o, n[WAKE_COUNT_ABOVE_UNTOLD], "above the limit: ",
		   "of the delays were not told one by one, too "
		   "many came at once");
	note_count(f, o, n[WAKE_COUNT_GROUP_FULL], "--per: ",
		   "waits are in the sum of all only, their groups found no "
		   "room");
	note_count(f, o, n[WAKE_COUNT_UNPAIRED_PART],
		   "causes: ", "parts of delays found no room: they are in no cause");
	note_count(f, o, n[WAKE_COUNT_CLOCK], "clock: ", "times were negative between two CPUs, taken as 0");
	note_count(f, o, n[WAKE_COUNT_SNAPSHOT], "unexplained (snapshot): ",
		   "delays have a part that passed on another CPU and was gone from its ring");
	note_count(f, o, n[WAKE_COUNT_MISSED_END], "missed: the end of ",
		   "interrupts and softirqs: their time is unexplained");
}

/* Things that were left out by choice, or not, then with the reason. */
static void list_lacks(char list[LIST_BYTES], const struct rec_latency *l, bool by_choice)
{
	const struct {
		enum feature feature;
		enum rec_lack lack;
	} all[] = {
		{ FEATURE_TRACE_TIMERS, l->no_timer },		{ FEATURE_TRACE_RESCHED, l->no_resched },
		{ FEATURE_TRACE_SCHEDULE, l->no_switch_entry }, { FEATURE_TRACE_IRQS, l->no_interrupts },
		{ FEATURE_TRACE_VECTORS, l->no_vectors },	{ FEATURE_TRACE_NMIS, l->no_nmi },
		{ FEATURE_TRACE_BOOSTS, l->no_boosts },		{ FEATURE_PREEMPT_DEPTH, l->no_preempt_depth },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		size_t used = strlen(list);

		if (!all[i].lack || (all[i].lack == LACK_CHOICE) != by_choice)
			continue;
		snprintf(list + used, LIST_BYTES - used, "%s%s%s%s", used ? "; " : "",
			 tracepoints_shows(all[i].feature), by_choice ? "" : ": ",
			 by_choice ? "" : tracepoints_why(all[i].feature, all[i].lack));
	}
}

/* In the words in which `doctor` tells it in advance. */
static void write_not_shown(FILE *f, const struct view_options *o, const struct rec_latency *l)
{
	char list[LIST_BYTES] = "", choice[LIST_BYTES] = "";

	list_lacks(list, l, false);
	list_lacks(choice, l, true);
	if (*list)
		footer_line(f, o, "not shown on this kernel: %s", list);
	if (*choice && !l->no_causes)
		footer_line(f, o, "shown of chosen tasks only (-p, --rt ...): %s", choice);
	if (l->softirqs_are_threads)
		footer_line(f, o, "PREEMPT_RT: softirqs run in threads here and are shown as those");
	if (l->no_causes)
		footer_line(f, o, "causes: not recorded");
}

/* What no tracepoint of any kernel tells. */
static void write_limits(FILE *f, const struct view_options *o)
{
	footer_line(f, o, "quantiles: upper ends of buckets, up to 6.25 %% too long; count, sum and max are exact");
	footer_line(f, o,
		    "cannot be known: where a section with interrupts or preemption off began, and sections that "
		    "delayed nothing; who held a spinlock; who woke a task from a lock of PREEMPT_RT");
	footer_line(f, o,
		    "cannot be told apart: firmware (SMI), a hypervisor without steal time, and interrupts off; "
		    "an interrupt's entry code counts as what it interrupted");
	footer_line(f, o, "a maximum is the longest seen, not a bound: longer ones may come");
}

void footer_latency_notes(FILE *f, const struct recording *r, const struct view_options *o)
{
	write_counts(f, o, r->latency);
	write_not_shown(f, o, r->latency);
	write_limits(f, o);
}
