/* SPDX-License-Identifier: GPL-2.0-only */
/* Words and names of latencies: for recordings and programs, which last, and for people. */
#include <stdio.h>
#include <string.h>

#include "core/latency.h"

#define WORD(words, i) ((size_t)(i) < sizeof(words) / sizeof(*(words)) ? (words)[i] : NULL)

const char *latency_cause_word(enum wake_cause cause)
{
	static const char *const words[] = {
		[CAUSE_NONE] = "none",
		[CAUSE_TIMER_PAST] = "timer_past",
		[CAUSE_TIMER_SLACK] = "timer_slack",
		[CAUSE_TIMER_IRQS_OFF] = "timer_irqs_off",
		[CAUSE_TIMER_IDLE] = "timer_idle",
		[CAUSE_TIMER_HARDWARE] = "timer_hardware",
		[CAUSE_TIMER_BEHIND] = "timer_behind",
		[CAUSE_TIMER_HANDLER] = "timer_handler",
		[CAUSE_TIMER_SOFTIRQ] = "timer_softirq",
		[CAUSE_ACTIVATION] = "activation",
		[CAUSE_ACTIVATION_REMOTE] = "activation_remote",
		[CAUSE_HARDIRQ] = "hardirq",
		[CAUSE_VECTOR] = "vector",
		[CAUSE_NMI] = "nmi",
		[CAUSE_SOFTIRQ] = "softirq",
		[CAUSE_TASK_BETTER] = "task_better",
		[CAUSE_TASK_SAME] = "task_same",
		[CAUSE_TASK_FAIR] = "task_fair",
		[CAUSE_TASK_WORSE] = "task_worse",
		[CAUSE_TASK_BOOSTED] = "task_boosted",
		[CAUSE_RT_THROTTLED] = "rt_throttled",
		[CAUSE_QUOTA] = "quota",
		[CAUSE_DL_BUDGET] = "dl_budget",
		[CAUSE_AFFINITY] = "affinity",
		[CAUSE_IDLE] = "idle",
		[CAUSE_STEAL] = "steal",
		[CAUSE_SWITCH] = "switch",
		[CAUSE_CORE_SCHED] = "core_sched",
		[CAUSE_SCHED_EXT] = "sched_ext",
		[CAUSE_UNEXPLAINED] = "unexplained",
		[CAUSE_UNEXPLAINED_SNAPSHOT] = "unexplained_snapshot",
	};

	_Static_assert(sizeof(words) / sizeof(*words) == WAKE_CAUSES, "a word for each");
	return WORD(words, cause);
}

const char *latency_kind_word(enum latency_kind kind)
{
	static const char *const words[] = {
		[LATENCY_TIMER] = "timer", [LATENCY_WAKING] = "waking",	      [LATENCY_ACTIVATION] = "activation",
		[LATENCY_QUEUE] = "queue", [LATENCY_PREEMPTED] = "preempted",
	};

	_Static_assert(sizeof(words) / sizeof(*words) == LATENCY_KINDS, "a word for each");
	return WORD(words, kind);
}

const char *latency_span_word(enum span_kind kind)
{
	static const char *const words[] = {
		[SPAN_NONE] = "none",	  [SPAN_TASK] = "task",	      [SPAN_IDLE] = "idle",
		[SPAN_SWITCH] = "switch", [SPAN_SOFTIRQ] = "softirq", [SPAN_HARDIRQ] = "hardirq",
		[SPAN_VECTOR] = "vector", [SPAN_NMI] = "nmi",	      [SPAN_UNKNOWN] = "unknown",
	};

	return WORD(words, kind);
}

const char *latency_count_word(enum wake_count count)
{
	static const char *const words[] = {
		[WAKE_COUNT_WAKEUPS] = "wakeups",
		[WAKE_COUNT_PREEMPTIONS] = "preemptions",
		[WAKE_COUNT_TIMERS] = "timers",
		[WAKE_COUNT_NEW] = "new",
		[WAKE_COUNT_RACED] = "raced",
		[WAKE_COUNT_RTLOCK] = "rtlock",
		[WAKE_COUNT_MIGRATED] = "migrated",
		[WAKE_COUNT_REDUNDANT] = "redundant",
		[WAKE_COUNT_SELF] = "self",
		[WAKE_COUNT_NO_START] = "no_start",
		[WAKE_COUNT_FIRST_SIGHT] = "first_sight",
		[WAKE_COUNT_CLOCK] = "clock",
		[WAKE_COUNT_SNAPSHOT] = "snapshot",
		[WAKE_COUNT_MISSED_END] = "missed_end",
		[WAKE_COUNT_ABOVE] = "above",
		[WAKE_COUNT_ABOVE_UNTOLD] = "above_untold",
		[WAKE_COUNT_GROUP_FULL] = "group_full",
		[WAKE_COUNT_UNPAIRED_PART] = "unpaired_part",
	};

	_Static_assert(sizeof(words) / sizeof(*words) == WAKE_COUNTS, "a word for each");
	return WORD(words, count);
}

/* The enum of include/linux/interrupt.h, as /proc/softirqs prints it. */
const char *latency_softirq_name(int id)
{
	static const char *const names[] = { "HI",	 "TIMER",   "NET_TX", "NET_RX",	 "BLOCK",
					     "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU" };

	return id < 0 ? NULL : WORD(names, id);
}

const char *latency_vector_name(int id)
{
	static const char *const names[] = {
		[VECTOR_LOCAL_TIMER] = "local timer",
		[VECTOR_RESCHEDULE] = "reschedule",
		[VECTOR_CALL_FUNCTION] = "function call",
		[VECTOR_CALL_FUNCTION_SINGLE] = "single function call",
		[VECTOR_IRQ_WORK] = "IRQ work",
		[VECTOR_PLATFORM_IPI] = "platform",
		[VECTOR_THERMAL] = "thermal",
		[VECTOR_THRESHOLD] = "threshold",
		[VECTOR_ERROR] = "APIC error",
		[VECTOR_SPURIOUS] = "spurious",
		/* as /proc/interrupts of arm64 has them */
		[VECTOR_IPI_RESCHEDULE] = "IPI Rescheduling interrupts",
		[VECTOR_IPI_CALL_FUNCTION] = "IPI Function call interrupts",
		[VECTOR_IPI_TIMER] = "IPI Timer broadcast interrupts",
		[VECTOR_IPI_IRQ_WORK] = "IPI IRQ work interrupts",
		[VECTOR_IPI_WAKEUP] = "IPI CPU wake-up interrupts",
		[VECTOR_IPI_STOP] = "IPI CPU stop interrupts",
	};

	_Static_assert(sizeof(names) / sizeof(*names) == SPAN_VECTORS, "a name for each");
	return id < 0 ? NULL : WORD(names, id);
}

/* Of causes that need no name or number. */
static const char *phrase_of(enum wake_cause cause)
{
	static const char *const phrases[WAKE_CAUSES] = {
		[CAUSE_NONE] = "no cause",
		[CAUSE_TIMER_PAST] = "timer due before the task slept",
		[CAUSE_TIMER_SLACK] = "timer slack",
		[CAUSE_TIMER_IRQS_OFF] = "timer late: interrupts off",
		[CAUSE_TIMER_IDLE] = "timer late: idle exit",
		[CAUSE_TIMER_HARDWARE] = "timer late: hypervisor or firmware",
		[CAUSE_TIMER_HANDLER] = "timer interrupt's handler",
		[CAUSE_TIMER_SOFTIRQ] = "timer expired in a softirq or thread",
		[CAUSE_ACTIVATION] = "activation",
		[CAUSE_ACTIVATION_REMOTE] = "activation by an interrupt of its CPU",
		[CAUSE_NMI] = "NMI",
		[CAUSE_RT_THROTTLED] = "RT throttling",
		[CAUSE_QUOTA] = "CPU quota of its cgroup",
		[CAUSE_DL_BUDGET] = "DEADLINE budget used up",
		[CAUSE_IDLE] = "idle exit",
		[CAUSE_STEAL] = "hypervisor (steal)",
		[CAUSE_SWITCH] = "context switch",
		[CAUSE_CORE_SCHED] = "core scheduling",
		[CAUSE_SCHED_EXT] = "sched_ext",
		[CAUSE_UNEXPLAINED] = "unexplained",
		[CAUSE_UNEXPLAINED_SNAPSHOT] = "unexplained (snapshot)",
	};

	return (unsigned)cause < WAKE_CAUSES && phrases[cause] ? phrases[cause] : "?";
}

/* "softirq NET_RX", "softirq 12" */
static void numbered(char *buf, const char *what, const char *known, int id)
{
	if (known)
		snprintf(buf, LATENCY_CAUSE_BYTES, "%s %s", what, known);
	else
		snprintf(buf, LATENCY_CAUSE_BYTES, "%s %d", what, id);
}

/* Behind the name of one of x86. */
static const char *vector_noun(int id)
{
	return id < VECTOR_IPIS ? " interrupt" : "";
}

static void vector_text(char *buf, int id)
{
	const char *name = latency_vector_name(id);

	if (name)
		snprintf(buf, LATENCY_CAUSE_BYTES, "%s%s", name, vector_noun(id));
	else
		snprintf(buf, LATENCY_CAUSE_BYTES, "interrupt vector %d", id);
}

/* Names are comms: 15 bytes, but a recording may hold anything. */
#define NAME "%.32s"

/* Of short delays, whose causes are not told apart. */
static const char *any_of(enum wake_cause cause)
{
	return cause == CAUSE_HARDIRQ ? "hard IRQs" : cause == CAUSE_SOFTIRQ ? "softirqs" : "interrupts without a line";
}

/* A line by its handler's name, else a vector by its id, -1 an NMI. */
static void behind_text(char buf[LATENCY_CAUSE_BYTES], int id, const char *handler)
{
	const char *vector = latency_vector_name(id);
	const char *who = handler ? handler : id == -1 ? "an NMI" : vector ? vector : "another interrupt";

	snprintf(buf, LATENCY_CAUSE_BYTES, "timer late: behind " NAME "%s", who,
		 !handler && vector ? vector_noun(id) : "");
}

char *latency_cause_text(char buf[LATENCY_CAUSE_BYTES], const struct recording *r, enum wake_cause cause, int id,
			 int name, int by)
{
	const char *who = name ? recording_str(r, name) : "other tasks";
	const size_t n = LATENCY_CAUSE_BYTES;

	if (id == WAKE_ID_ANY && cause != CAUSE_TIMER_BEHIND) {
		snprintf(buf, n, "%s", any_of(cause));
		return buf;
	}
	switch (cause) {
	case CAUSE_TIMER_BEHIND:
		behind_text(buf, id, name ? who : NULL);
		break;
	case CAUSE_HARDIRQ:
		snprintf(buf, n, "hard IRQ %d%s" NAME, id, name ? " " : "", name ? who : "");
		break;
	case CAUSE_VECTOR:
		vector_text(buf, id);
		break;
	case CAUSE_SOFTIRQ:
		numbered(buf, "softirq", latency_softirq_name(id), id);
		break;
	case CAUSE_TASK_BETTER:
		snprintf(buf, n, NAME " (better priority)", who);
		break;
	case CAUSE_TASK_SAME:
		snprintf(buf, n, NAME " (same priority)", who);
		break;
	case CAUSE_TASK_FAIR:
		snprintf(buf, n, NAME " shared the CPU", who);
		break;
	case CAUSE_TASK_WORSE:
		snprintf(buf, n, NAME " kept the CPU (not preemptible)", who);
		break;
	case CAUSE_TASK_BOOSTED:
		snprintf(buf, n, NAME " (priority lent by " NAME ")", who, by ? recording_str(r, by) : "a waiter");
		break;
	case CAUSE_AFFINITY:
		snprintf(buf, n, NAME " ran here, idle CPUs forbidden by affinity", who);
		break;
	default:
		snprintf(buf, n, "%s", phrase_of(cause));
	}
	return buf;
}

char *latency_prio_text(char buf[32], int prio)
{
	if (prio == -1)
		snprintf(buf, 32, "DEADLINE");
	else if (prio >= 0 && prio < 99)
		snprintf(buf, 32, "FIFO %d", 99 - prio);
	else if (prio == 120)
		snprintf(buf, 32, "OTHER");
	else if (prio >= 100 && prio < 140)
		snprintf(buf, 32, "OTHER nice %d", prio - 120);
	else if (prio == 140)
		snprintf(buf, 32, "idle");
	else
		snprintf(buf, 32, "priority %d", prio);
	return buf;
}
