/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The worst delays in full: parts that add up, who woke the task and how things stood, what ran
 * meanwhile. Times of one delay are all in us with one digit, so that they can be added by eye.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "views/footer.h"
#include "views/latency_case.h"
#include "views/latency_stack.h"
#include "views/latency_view.h"
#include "views/moment.h"

#define SHOWN_AUTO 5
#define LINE_BYTES 512
#define LEGEND                                                                                         \
	"flags of wakings as ftrace prints them: interrupts off (? cannot be known), N need_resched, " \
	"h hard IRQ or s softirq, depth of preempt_disable"

char *latency_us(char buf[UNITS_BYTES], uint64_t ns)
{
	char whole[UNITS_BYTES];
	uint64_t tenths = ns / 100 + (ns % 100 >= 50);

	snprintf(buf, UNITS_BYTES, "%.24s.%u", units_count(whole, tenths / 10), (unsigned)(tenths % 10));
	return buf;
}

/* After the moment that the delay is counted from. */
static char *after(char buf[UNITS_BYTES + 1], const struct rec_case *c, int64_t ago_ns)
{
	uint64_t ago = (uint64_t)ago_ns;

	if (ago > c->total_ns) {
		buf[0] = '-';
		latency_us(buf + 1, ago - c->total_ns);
	} else {
		buf[0] = '+';
		latency_us(buf + 1, c->total_ns - ago);
	}
	return buf;
}

char *latency_context_text(char buf[LATENCY_CAUSE_BYTES], const struct recording *r, enum span_kind kind, int id,
			   int name)
{
	switch (kind) {
	case SPAN_TASK:
		snprintf(buf, LATENCY_CAUSE_BYTES, "%.32s", recording_str(r, name));
		break;
	case SPAN_IDLE:
		snprintf(buf, LATENCY_CAUSE_BYTES, "idle");
		break;
	case SPAN_SWITCH:
		snprintf(buf, LATENCY_CAUSE_BYTES, "scheduler");
		break;
	case SPAN_SOFTIRQ:
		latency_cause_text(buf, r, CAUSE_SOFTIRQ, id, 0, 0);
		break;
	case SPAN_HARDIRQ:
		latency_cause_text(buf, r, CAUSE_HARDIRQ, id, name, 0);
		break;
	case SPAN_VECTOR:
		latency_cause_text(buf, r, CAUSE_VECTOR, id, name, 0);
		break;
	case SPAN_NMI:
		latency_cause_text(buf, r, CAUSE_NMI, 0, 0, 0);
		break;
	default:
		snprintf(buf, LATENCY_CAUSE_BYTES, "not known (its end was missed)");
	}
	return buf;
}

/* --- whose, when --- */

/* "FIFO 80", "RR 10", "OTHER, lent FIFO 80": the policy tells what the kernel's number does not. */
static char *prio_text(char buf[96], const struct rec_case *c)
{
	char own[32], lent[32];

	if (c->policy == SCHED_RR && c->normal_prio >= 0 && c->normal_prio < 99)
		snprintf(own, sizeof(own), "RR %d", 99 - c->normal_prio);
	else if (c->policy == SCHED_BATCH || c->policy == SCHED_IDLE)
		snprintf(own, sizeof(own), "%s", c->policy == SCHED_BATCH ? "BATCH" : "IDLE");
	else
		latency_prio_text(own, c->normal_prio);
	if (c->prio != c->normal_prio)
		snprintf(buf, 96, "%s, lent %s", own, latency_prio_text(lent, c->prio));
	else
		snprintf(buf, 96, "%s", own);
	return buf;
}

static void write_title(const struct latency_page *p, const struct rec_case *c, const char *title)
{
	char total[UNITS_BYTES], time[MOMENT_BYTES], thread[32] = "", prio[96];

	if (c->tid != c->tgid)
		snprintf(thread, sizeof(thread), ", TID %d", c->tid);
	footer_line(p->f, p->o, "%s: %s at %s, CPU %d: %.32s (PID %d%s, %s), %s", title,
		    units_duration(total, c->total_ns), moment_text(time, c->unix_ns), c->cpu,
		    recording_str(p->r, c->comm), c->tgid, thread, prio_text(prio, c),
		    c->kind == LATENCY_TIMER	? "from the timer on"
		    : c->kind == LATENCY_WAKING ? "from the waking on"
						: "preempted");
}

/* --- how things stood --- */

/*
 * As ftrace's latency format has them at sched_wakeup, without what is not known here: "?Nh1". Whom the wakeup is
 * to preempt was told so before that tracepoint.
 */
static void flags(char buf[8], const struct latency_page *p, const struct rec_case *c)
{
	bool hard = c->context == SPAN_HARDIRQ || c->context == SPAN_VECTOR;

	buf[0] = '?';
	buf[1] = p->l->no_resched ? '?' : c->resched_ns >= 0 && c->resched_ns >= c->queued_ns ? 'N' : '.';
	buf[2] = hard ? 'h' : c->context == SPAN_SOFTIRQ ? 's' : '.';
	snprintf(buf + 3, 5, "%c",
		 c->preempt_depth < 0	? '?'
		 : c->preempt_depth > 9 ? '+'
		 : c->preempt_depth	? '0' + c->preempt_depth
					: '.');
}

static void write_waker(const struct latency_page *p, const struct rec_case *c)
{
	char by[LATENCY_CAUSE_BYTES] = "", whom[128], mark[8], stack[LATENCY_STACK_BYTES];
	bool interrupted = c->context != SPAN_TASK && c->context != SPAN_NONE;

	if (c->kind == LATENCY_PREEMPTED)
		return;
	if (c->waker_tid)
		snprintf(whom, sizeof(whom), "%.32s (TID %d)", recording_str(p->r, c->waker_comm), c->waker_tid);
	else
		snprintf(whom, sizeof(whom), "%s", interrupted ? "the idle task" : "a task not known");
	if (interrupted)
		latency_context_text(by, p->r, c->context, c->context_id, c->context_name);
	flags(mark, p, c);
	footer_hanging(p->f, p->o, "  ", "woken by %s%s%s on CPU %d, flags %s", by,
		       interrupted ? ", which interrupted " : "", whom, c->waker_cpu, mark);
	if (c->expiry_ns < 0 &&
	    *latency_stack_text(stack, p->r, c->waker_stack, STACK_WAKER)) /* timers have all the same */
		footer_hanging(p->f, p->o, "    ", "at %s", stack);
}

struct stamp {
	const char *name;
	int64_t ago_ns;
};

static int compare_stamps(const void *a, const void *b)
{
	const struct stamp *x = a, *y = b;

	return x->ago_ns > y->ago_ns ? -1 : x->ago_ns < y->ago_ns;
}

static void write_stamps(const struct latency_page *p, const struct rec_case *c)
{
	struct stamp stamps[] = {
		{ "timer due", c->expiry_ns }, { "interrupt", c->irq_ns },	  { "waking", c->waking_ns },
		{ "run queue", c->queued_ns }, { "need_resched", c->resched_ns }, { "ran", 0 },
	};
	char line[LINE_BYTES] = "", ns[UNITS_BYTES + 1];
	size_t n = sizeof(stamps) / sizeof(stamps[0]), used = 0;

	qsort(stamps, n, sizeof(stamps[0]), compare_stamps);
	for (size_t i = 0; i < n; i++)
		if (stamps[i].ago_ns >= 0)
			used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s %s", used ? ", " : "",
						 stamps[i].name, after(ns, c, stamps[i].ago_ns));
	footer_hanging(p->f, p->o, "  ", "%s us", line);
}

static void write_also(const struct latency_page *p, const struct rec_case *c)
{
	static const struct {
		unsigned flag;
		const char *text;
	} words[] = {
		{ WAKE_NEW, "its first run" },
		{ WAKE_RACED, "woken before it slept" },
		{ WAKE_RTLOCK, "slept on a lock of PREEMPT_RT" },
		{ WAKE_THROTTLED, "throttled when the wait began" },
		{ WAKE_REMOTE, "queued by another CPU than the waking one" },
		{ WAKE_PINNED, "pinned: not on every CPU" },
		{ WAKE_CLOCK, "clocks of two CPUs differed" },
	};
	char line[LINE_BYTES] = "", stack[LATENCY_STACK_BYTES];
	size_t used = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (c->flags & words[i].flag)
			used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", used ? ", " : "",
						 words[i].text);
	if (c->moves)
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%smoved %u time%s", used ? ", " : "",
					 c->moves, c->moves == 1 ? "" : "s");
	if (used)
		footer_hanging(p->f, p->o, "  ", "%s", line);
	if (*latency_stack_text(stack, p->r, c->user_stack, STACK_USER))
		footer_hanging(p->f, p->o, "  ", "began to wait at %s", stack);
}

void latency_write_case(const struct latency_page *p, const struct rec_case *c, const char *title)
{
	fputc('\n', p->f);
	write_title(p, c, title);
	latency_write_parts(p, c);
	write_waker(p, c);
	write_stamps(p, c);
	write_also(p, c);
	latency_write_window(p, c);
}

/* The worst; those of --above come one by one when all are asked for. */
void latency_write_cases(const struct latency_page *p)
{
	uint64_t top = p->o->top == VIEW_TOP_AUTO ? SHOWN_AUTO : p->o->top;
	size_t shown = 0, left = 0;
	char title[64], count[UNITS_BYTES];

	for (size_t i = 0; i < p->l->n_cases; i++) {
		const struct rec_case *c = &p->l->cases[i];

		if (top && (c->above || shown >= top)) {
			left++;
			continue;
		}
		shown++;
		snprintf(title, sizeof(title), c->above ? "above the limit" : i ? "%zu. worst" : "worst", i + 1);
		latency_write_case(p, c, title);
	}
	if (shown) {
		fputc('\n', p->f);
		footer_line(p->f, p->o, LEGEND);
	}
	if (left)
		footer_line(p->f, p->o, "%s more delays are recorded in full (--top 0 shows all)",
			    units_count(count, left));
}
