/* SPDX-License-Identifier: GPL-2.0-only */
/* The worst of each list in full, a paragraph each: what it was, what it interrupted, delayed, and came after. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/latency.h"
#include "views/footer.h"
#include "views/irq_view.h"
#include "views/latency_case.h"
#include "views/latency_stack.h"
#include "views/moment.h"

#define CASES_AUTO 2 /* of each list */
#define SPANS_TOLD 5
#define TEXT_BYTES 900

static const char *const titles[IRQ_LISTS] = {
	[IRQ_WORST_HARD] = "longest hard IRQs, with what interrupted them",
	[IRQ_WORST_SOFT] = "longest softirqs, with what interrupted them",
	[IRQ_WORST_RAISED] = "softirqs that waited longest",
	[IRQ_WORST_THREADS] = "threads that waited longest",
	[IRQ_WORST_WORKS] = "works that waited longest",
	[IRQ_WORST_IPIS] = "IPIs that waited longest",
	[IRQ_WORST_OFF] = "longest sections with interrupts or preemption off",
};

/* A text that grows; what finds no room is left out. */
struct text {
	char buf[TEXT_BYTES];
	size_t used;
};

static void say(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(t->buf + t->used, sizeof(t->buf) - t->used, format, args);
	va_end(args);
	t->used += strlen(t->buf + t->used);
}

/* --- who --- */

static const struct rec_irq_source *source_of(const struct irq_page *p, const struct rec_irq_case *c)
{
	return c->source >= 0 && (size_t)c->source < p->q->n_sources ? &p->q->sources[c->source] : NULL;
}

/* The name of a line, if one handler alone is on it; 0: none. */
static int line_name(const struct irq_page *p, enum span_kind kind, int id)
{
	int name = 0;

	for (size_t i = 0; i < p->q->n_sources && kind == SPAN_HARDIRQ; i++) {
		const struct rec_irq_source *source = &p->q->sources[i];

		if (source->kind != IRQ_LINE || source->number != id)
			continue;
		if (name)
			return 0;
		name = source->name;
	}
	return name;
}

static void say_raiser(const struct irq_page *p, const struct rec_irq_case *c, struct text *t)
{
	char who[LATENCY_CAUSE_BYTES], task[IRQ_TASK_BYTES];
	bool has_task = *irq_task_text(task, p->r, &c->task) != '\0';

	if (c->by_kind != SPAN_NONE && c->by_kind != SPAN_TASK && c->by_kind != SPAN_IDLE)
		say(t, ", raised by %s%s%s",
		    latency_context_text(who, p->r, c->by_kind, c->by_id, line_name(p, c->by_kind, c->by_id)),
		    has_task ? "; started in " : "", task);
	else if (c->by != IRQ_IN_TASK)
		say(t, ", raised in a %s%s%s", c->by == IRQ_IN_HARDIRQ ? "hard IRQ" : "softirq",
		    has_task ? "; started in " : "", task);
	else if (has_task)
		say(t, ", raised by %s", task);
}

/* Whom it met: of a run and a section the task that it interrupted, of a wait that which had the CPU. */
static void say_task(const struct irq_page *p, const struct rec_irq_case *c, const struct rec_irq_source *source,
		     struct text *t)
{
	char task[IRQ_TASK_BYTES];

	if (c->measure == IRQ_WAIT && irq_has_kind(source, IRQ_SOFT_KINDS))
		say_raiser(p, c, t);
	else if (*irq_task_text(task, p->r, &c->task))
		say(t, ", %s %s",
		    c->list == IRQ_WORST_OFF		  ? "in"
		    : c->measure == IRQ_WAIT		  ? "its CPU had"
		    : irq_has_kind(source, IRQ_CPU_KINDS) ? "interrupted"
							  : "in",
		    task);
}

static void say_delayed(const struct irq_page *p, const struct rec_irq_case *c, struct text *t)
{
	char task[IRQ_TASK_BYTES];
	bool has_task = *irq_task_text(task, p->r, &c->delayed) != '\0';

	if (has_task)
		say(t, ", delayed %s", task);
	if (c->runnable > 1)
		say(t, "%s %u tasks wanted the CPU", has_task ? ":" : ",", c->runnable);
}

/* --- what ran --- */

static bool is_itself(const struct rec_irq_case *c, const struct rec_irq_source *source, const struct rec_irq_span *s)
{
	static const enum span_kind kinds[IRQ_KINDS] = { [IRQ_LINE] = SPAN_HARDIRQ,
							 [IRQ_VECTOR] = SPAN_VECTOR,
							 [IRQ_NMI] = SPAN_NMI,
							 [IRQ_SOFTIRQ] = SPAN_SOFTIRQ,
							 [IRQ_KSOFTIRQD] = SPAN_SOFTIRQ };

	return c->measure == IRQ_RUN && irq_has_kind(source, IRQ_CPU_KINDS) && s->kind == kinds[source->kind] &&
	       s->id == source->number && !s->end_ns;
}

static bool is_same(const struct rec_irq_span *a, const struct rec_irq_span *b)
{
	return a->kind == b->kind && a->id == b->id && a->name == b->name;
}

/* Spans of one thing, one behind the other. */
struct spans {
	const struct rec_irq_span *first;
	uint64_t net_ns;
	unsigned n;
};

/* Those that ended before the case began, or after. The newest SPANS_TOLD are kept, oldest first; how many there are.
 */
static size_t choose_spans(struct spans told[SPANS_TOLD], const struct rec_irq_case *c,
			   const struct rec_irq_source *source, bool before)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_spans; i++) {
		const struct rec_irq_span *s = &c->spans[i];
		bool is_before = s->end_ns <= 0 && -(uint64_t)s->end_ns >= c->total_ns;

		if (is_before != before || is_itself(c, source, s))
			continue;
		if (!n || !is_same(told[n - 1].first, s)) {
			if (n == SPANS_TOLD)
				memmove(told, told + 1, --n * sizeof(*told));
			told[n++] = (struct spans){ .first = s };
		}
		told[n - 1].net_ns += s->net_ns;
		told[n - 1].n++;
	}
	return n;
}

static void say_spans(const struct irq_page *p, const struct rec_irq_case *c, const struct rec_irq_source *source,
		      bool before, struct text *t)
{
	char what[LATENCY_CAUSE_BYTES], net[UNITS_BYTES], times[32];
	struct spans told[SPANS_TOLD];
	size_t n = choose_spans(told, c, source, before);

	for (size_t i = 0; i < n; i++) {
		const struct rec_irq_span *s = told[i].first;

		times[0] = '\0';
		if (told[i].n > 1)
			snprintf(times, sizeof(times), " (%u times)", told[i].n);
		say(t, "%s%s%s %s",
		    i	     ? ", "
		    : before ? "; before it: "
			     : "; meanwhile: ",
		    latency_context_text(what, p->r, s->kind, s->id, s->name), times,
		    units_duration(net, told[i].net_ns));
	}
}

static void write_case(const struct irq_page *p, const struct rec_irq_case *c)
{
	const struct rec_irq_source *source = source_of(p, c);
	char before[2 * UNITS_BYTES], total[UNITS_BYTES], net[UNITS_BYTES],
		label[IRQ_LABEL_BYTES] = "?", time[MOMENT_BYTES], stack[LATENCY_STACK_BYTES];
	struct text t = { .used = 0 };

	if (!source)
		return;
	say(&t, "%s%s at %s on CPU %u", c->above ? "above the limit: " : "", irq_label(label, p->r, source),
	    moment_text(time, c->unix_ns), c->cpu);
	if (c->measure == IRQ_RUN && c->list != IRQ_WORST_OFF && c->net_ns && c->net_ns < c->total_ns)
		say(&t, " (net %s)", units_duration(net, c->net_ns));
	say_task(p, c, source, &t);
	say_delayed(p, c, &t);
	say_spans(p, c, source, false, &t);
	say_spans(p, c, source, true, &t);
	snprintf(before, sizeof(before), "  %9s  ", units_duration(total, c->total_ns));
	footer_hanging(p->f, p->o, before, "%s", t.buf);
	if (*latency_stack_text(stack, p->r, c->stack, STACK_LATE) ||
	    *latency_stack_text(stack, p->r, c->stack, STACK_OUT))
		footer_hanging(p->f, p->o, "             ", "%s %s", c->list == IRQ_WORST_OFF ? "ended at" : "at",
			       stack);
}

/* --- lists --- */

/* Those of --above behind the worst, in the order in which they came. */
static int compare(const void *a, const void *b)
{
	const struct rec_irq_case *x = *(const struct rec_irq_case *const *)a,
				  *y = *(const struct rec_irq_case *const *)b;

	if (x->list != y->list)
		return x->list < y->list ? -1 : 1;
	if (x->above != y->above)
		return y->above ? -1 : 1;
	if (!x->above && x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x < y ? -1 : x > y; /* of one array */
}

/* All of one list. */
static void write_list(const struct irq_page *p, const struct rec_irq_case *const *cases, size_t n)
{
	bool all = p->o->top == 0;
	size_t worst = 0, shown = 0;
	char count[UNITS_BYTES];

	while (worst < n && !cases[worst]->above)
		worst++;
	worst = irq_shown(p, worst, CASES_AUTO);
	fprintf(p->f, "\n%s\n", titles[cases[0]->list]);
	for (size_t i = 0; i < n; i++) {
		if (!all && (i >= worst || cases[i]->above))
			continue;
		write_case(p, cases[i]);
		shown++;
	}
	if (shown < n)
		fprintf(p->f, "  %s more are recorded in full (--top 0 shows all)\n", units_count(count, n - shown));
}

int irq_write_cases(const struct irq_page *p)
{
	const struct rec_irq_case **cases = calloc(p->q->n_cases + 1, sizeof(const struct rec_irq_case *));
	size_t n = 0, last;

	if (!cases)
		return -ENOMEM;
	for (size_t i = 0; i < p->q->n_cases; i++)
		if ((unsigned)p->q->cases[i].list < IRQ_LISTS)
			cases[n++] = &p->q->cases[i];
	qsort(cases, n, sizeof(const struct rec_irq_case *), compare);
	for (size_t i = 0; i < n; i = last) {
		for (last = i; last < n && cases[last]->list == cases[i]->list;)
			last++;
		write_list(p, cases + i, last - i);
	}
	free(cases);
	return 0;
}
