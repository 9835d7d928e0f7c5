/* SPDX-License-Identifier: GPL-2.0-only */
/* Words and names of interrupts and their work: for recordings and programs, which last, and for people. */
#include <stdio.h>

#include "core/irq.h"
#include "core/latency.h"

#define WORD(words, i) ((size_t)(i) < sizeof(words) / sizeof(*(words)) ? (words)[i] : NULL)

const char *irq_kind_word(enum irq_kind kind)
{
	static const char *const words[] = {
		[IRQ_LINE] = "line",	     [IRQ_VECTOR] = "vector",		[IRQ_NMI] = "nmi",
		[IRQ_SOFTIRQ] = "softirq",   [IRQ_KSOFTIRQD] = "ksoftirqd",	[IRQ_THREAD] = "thread",
		[IRQ_WORK] = "work",	     [IRQ_TASKLET] = "tasklet",		[IRQ_IPI] = "ipi",
		[IRQ_IRQS_OFF] = "irqs_off", [IRQ_PREEMPT_OFF] = "preempt_off",
	};

	_Static_assert(sizeof(words) / sizeof(*words) == IRQ_KINDS, "a word for each");
	return WORD(words, kind);
}

const char *irq_measure_word(enum irq_measure measure)
{
	static const char *const words[] = { [IRQ_RUN] = "run", [IRQ_WAIT] = "wait" };

	_Static_assert(sizeof(words) / sizeof(*words) == IRQ_MEASURES, "a word for each");
	return WORD(words, measure);
}

const char *irq_context_word(enum irq_context context)
{
	static const char *const words[] = {
		[IRQ_IN_TASK] = "task",
		[IRQ_IN_SOFTIRQ] = "softirq",
		[IRQ_IN_HARDIRQ] = "hardirq",
	};

	_Static_assert(sizeof(words) / sizeof(*words) == IRQ_CONTEXTS, "a word for each");
	return WORD(words, context);
}

const char *irq_list_word(enum irq_list list)
{
	static const char *const words[] = {
		[IRQ_WORST_HARD] = "hard",	 [IRQ_WORST_SOFT] = "soft",   [IRQ_WORST_RAISED] = "raised",
		[IRQ_WORST_THREADS] = "threads", [IRQ_WORST_WORKS] = "works", [IRQ_WORST_IPIS] = "ipis",
		[IRQ_WORST_OFF] = "off",
	};

	_Static_assert(sizeof(words) / sizeof(*words) == IRQ_LISTS, "a word for each");
	return WORD(words, list);
}

const char *irq_count_word(enum irq_count count)
{
	static const char *const words[] = {
		[IRQ_COUNT_MISSED_END] = "missed_end",
		[IRQ_COUNT_NO_ENTRY] = "no_entry",
		[IRQ_COUNT_CLOCK] = "clock",
		[IRQ_COUNT_OPEN_FULL] = "open_full",
		[IRQ_COUNT_SENDER_FULL] = "sender_full",
		[IRQ_COUNT_PLACE_FULL] = "place_full",
		[IRQ_COUNT_BEHIND_FULL] = "behind_full",
		[IRQ_COUNT_ABOVE] = "above",
		[IRQ_COUNT_ABOVE_UNTOLD] = "above_untold",
	};

	_Static_assert(sizeof(words) / sizeof(*words) == IRQ_COUNTS, "a word for each");
	return WORD(words, count);
}

const char *irq_group_word(enum rec_irq_group group)
{
	switch (group) {
	case REC_IRQ_HARD:
		return "hard";
	case REC_IRQ_SOFT:
		return "soft";
	case REC_IRQ_THREADS:
		return "threads";
	case REC_IRQ_WORK:
		return "work";
	case REC_IRQ_TASKLETS:
		return "tasklets";
	case REC_IRQ_IPIS:
		return "ipis";
	case REC_IRQ_OFFS:
		return "off";
	case REC_IRQ_OFFS_EXACT:
		return "off_exact";
	case REC_IRQ_VECTORS:
		return "vectors";
	case REC_IRQ_NMIS:
		return "nmis";
	case REC_IRQ_GROUPS_END:
		break;
	}
	return NULL;
}

const char *irq_kind_text(enum irq_kind kind)
{
	static const char *const texts[] = {
		[IRQ_LINE] = "hard IRQ",   [IRQ_VECTOR] = "vector",	[IRQ_NMI] = "NMI",
		[IRQ_SOFTIRQ] = "softirq", [IRQ_KSOFTIRQD] = "softirq", /* the source's name says whose */
		[IRQ_THREAD] = "thread",   [IRQ_WORK] = "work",		[IRQ_TASKLET] = "tasklet",
		[IRQ_IPI] = "IPI",	   [IRQ_IRQS_OFF] = "IRQs off", [IRQ_PREEMPT_OFF] = "preempt off",
	};

	_Static_assert(sizeof(texts) / sizeof(*texts) == IRQ_KINDS, "a text for each");
	return WORD(texts, kind) ? texts[kind] : "?";
}

/* A number by its name, if it has one. */
static void named(char *buf, const char *what, const char *known, int number, const char *behind)
{
	if (known)
		snprintf(buf, IRQ_SOURCE_BYTES, "%s%s", known, behind);
	else
		snprintf(buf, IRQ_SOURCE_BYTES, "%s %d%s", what, number, behind);
}

char *irq_source_text(char buf[IRQ_SOURCE_BYTES], const struct recording *r, const struct rec_irq_source *s)
{
	const char *name = s->name ? recording_str(r, s->name) : "";
	const size_t n = IRQ_SOURCE_BYTES;

	switch (s->kind) {
	case IRQ_LINE:
		snprintf(buf, n, "%d%s%s", s->number, *name ? " " : "", name);
		break;
	case IRQ_THREAD: /* as the kernel calls the task: setup_irq_thread() */
		snprintf(buf, n, "irq/%d%s%s", s->number, *name ? "-" : "", name);
		break;
	case IRQ_VECTOR:
	case IRQ_IPI:
		named(buf, "vector", latency_vector_name(s->number), s->number, "");
		break;
	case IRQ_SOFTIRQ:
		named(buf, "softirq", latency_softirq_name(s->number), s->number, "");
		break;
	case IRQ_KSOFTIRQD:
		named(buf, "softirq", latency_softirq_name(s->number), s->number, " in ksoftirqd");
		break;
	case IRQ_IRQS_OFF:
		snprintf(buf, n, "interrupts off");
		break;
	case IRQ_PREEMPT_OFF:
		snprintf(buf, n, "preemption off");
		break;
	default:
		snprintf(buf, n, "%s", *name ? name : s->kind == IRQ_NMI ? "NMI" : "unknown function");
	}
	return buf;
}
