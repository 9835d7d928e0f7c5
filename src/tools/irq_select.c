/* SPDX-License-Identifier: GPL-2.0-only */
/* --irq and --softirq: lists of numbers and names. A name is that of an action, a vector or a softirq, whole. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/latency.h"
#include "core/options.h"
#include "tools/irq.h"

#define WORD_BYTES 64
#define ALL	   "all"

/* The next word of a comma separated list into `word`; NULL: no more. */
static const char *next_word(const char *list, char word[WORD_BYTES])
{
	size_t bytes = strcspn(list, ",");

	if (!*list)
		return NULL;
	snprintf(word, WORD_BYTES, "%.*s", (int)bytes, list);
	return list + bytes + (list[bytes] == ',');
}

/* "local timer" is also local_timer and local-timer: nobody likes to quote. */
static bool is_name(const char *name, const char *word)
{
	for (; *name && *word; name++, word++)
		if (tolower((unsigned char)*name) != tolower((unsigned char)*word) &&
		    !(*name == ' ' && (*word == '_' || *word == '-')))
			return false;
	return !*name && !*word;
}

/* Of a list "eth0,usb1". */
static bool has_action(const char *actions, const char *word)
{
	char action[WORD_BYTES];

	while ((actions = next_word(actions, action)))
		if (!strcmp(action, word))
			return true;
	return false;
}

static int add_wanted(struct ids *wanted, int number)
{
	pid_t *list;

	if (ids_has(wanted, number))
		return 0;
	list = realloc(wanted->list, (wanted->n + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	wanted->list = list;
	list[wanted->n++] = number;
	return 0;
}

/* Lines by number or action. Returns how many, or -ENOMEM. */
static int want_lines(struct irq_state *q, const char *word)
{
	char *end;
	long number = strtol(word, &end, 10);
	bool is_number = end != word && !*end;
	int n = 0;

	for (size_t i = 0; i < q->lines.n; i++) {
		const struct irq_line *line = &q->lines.list[i];

		if (is_number ? line->number != number : !has_action(line->actions, word))
			continue;
		n++;
		if (add_wanted(&q->wanted_lines, line->number))
			return -ENOMEM;
	}
	return n;
}

static int want_vectors(struct irq_state *q, const char *word)
{
	int n = 0;

	for (int i = 0; i < SPAN_VECTORS; i++) {
		if (!is_name(latency_vector_name(i), word))
			continue;
		q->config->vectors |= 1U << i;
		n++;
	}
	return n;
}

static int select_lines(struct irq_state *q, const char *list)
{
	char word[WORD_BYTES];
	int lines;

	while ((list = next_word(list, word))) {
		lines = want_lines(q, word);
		if (lines < 0)
			return lines;
		if (lines + want_vectors(q, word))
			continue;
		warnx("--irq: no interrupt '%s' (lines by number or name as in /proc/interrupts, vectors as "
		      "'local_timer'; " ALL ")",
		      word);
		return -EINVAL;
	}
	return 0;
}

static int select_softirqs(struct irq_state *q, const char *list)
{
	char word[WORD_BYTES];
	int i;

	while ((list = next_word(list, word))) {
		for (i = 0; latency_softirq_name(i); i++)
			if (!strcasecmp(latency_softirq_name(i), word))
				break;
		if (!latency_softirq_name(i)) {
			warnx("--softirq: no softirq '%s' (names as in /proc/softirqs, like NET_RX; " ALL ")", word);
			return -EINVAL;
		}
		q->config->softirqs |= 1U << i;
	}
	return 0;
}

static void ask(const struct irq_options *o, struct irq_state *q)
{
	bool chosen = o->lines || o->softirqs || o->work || o->ipi || o->off;

	q->asked = (o->lines || !chosen ? REC_IRQ_HARD | REC_IRQ_VECTORS | REC_IRQ_NMIS | REC_IRQ_THREADS : 0) |
		   (o->softirqs || !chosen ? REC_IRQ_SOFT : 0) | (o->work ? REC_IRQ_WORK | REC_IRQ_TASKLETS : 0) |
		   (o->ipi ? REC_IRQ_IPIS : 0) | (o->off ? REC_IRQ_OFFS : 0);
}

int irq_select(struct session *s)
{
	const struct irq_options *o = s->options;
	struct irq_state *q = s->state;
	int err = 0;

	ask(o, q);
	if (q->asked & REC_IRQ_SOFT && (!o->softirqs || !strcmp(o->softirqs, ALL)))
		q->config->softirqs = ~0U;
	else if (o->softirqs)
		err = select_softirqs(q, o->softirqs);
	if (err)
		return err;
	if (q->asked & REC_IRQ_HARD && (!o->lines || !strcmp(o->lines, ALL))) {
		q->config->vectors = ~0U;
		return 0;
	}
	q->config->by_line = true;
	if (!o->lines)
		return 0;
	err = select_lines(q, o->lines);
	if (!q->config->vectors)
		q->asked &= ~(unsigned)(REC_IRQ_VECTORS | REC_IRQ_NMIS);
	if (!q->wanted_lines.n)
		q->asked &= ~(unsigned)(REC_IRQ_THREADS | REC_IRQ_NMIS);
	return err;
}

/* Is the line asked for by its number, or by this name? */
static bool is_wanted(const char *list, int number, const char *name)
{
	char word[WORD_BYTES], digits[16];

	snprintf(digits, sizeof(digits), "%d", number);
	while ((list = next_word(list, word)))
		if (!strcmp(word, digits) || !strcmp(word, name))
			return true;
	return false;
}

bool irq_is_selected(const struct session *s, enum irq_kind kind, int number, const char *name)
{
	const struct irq_options *o = s->options;

	if (!o->lines || !strcmp(o->lines, ALL) || (kind != IRQ_LINE && kind != IRQ_THREAD))
		return true;
	return is_wanted(o->lines, number, name);
}
