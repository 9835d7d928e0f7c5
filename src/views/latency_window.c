/* SPDX-License-Identifier: GPL-2.0-only */
/* What ran on a CPU while a task waited for it, in the order of time. */
#include <string.h>

#include "views/footer.h"
#include "views/latency_case.h"

#define SHOWN 8

static bool is_in_window(const struct rec_case *c, const struct rec_span *s)
{
	return s->end_ns > 0 && (s->start_ns < 0 || (uint64_t)s->start_ns < c->total_ns);
}

static bool is_longer(const struct rec_case *c, size_t a, size_t b)
{
	uint64_t a_ns = c->spans[a].net_ns, b_ns = c->spans[b].net_ns;

	return a_ns > b_ns || (a_ns == b_ns && a < b);
}

/* Is it one of the SHOWN longest? A ring has 256, so this is no matter of time. */
static bool is_shown(const struct rec_case *c, size_t i)
{
	unsigned longer = 0;

	for (size_t j = 0; j < c->n_spans && longer < SHOWN; j++)
		longer += is_in_window(c, &c->spans[j]) && is_longer(c, j, i);
	return longer < SHOWN;
}

/* "+12.1", "-3.0" */
static char *moment(char buf[UNITS_BYTES + 1], int64_t ns)
{
	buf[0] = ns < 0 ? '-' : '+';
	latency_us(buf + 1, ns < 0 ? -(uint64_t)ns : (uint64_t)ns);
	return buf;
}

static void write_span(const struct latency_page *p, const struct rec_span *s)
{
	char text[LATENCY_CAUSE_BYTES], who[64] = "", prio[32], start[UNITS_BYTES + 1], end[UNITS_BYTES + 1],
					net[UNITS_BYTES], before[4 * UNITS_BYTES];

	if (s->kind == SPAN_TASK)
		snprintf(who, sizeof(who), " [TID %d, %s]", s->id, latency_prio_text(prio, s->prio));
	snprintf(before, sizeof(before), "  %*s .. %*s us, net %*s us  ", LATENCY_US_COLUMNS,
		 moment(start, s->start_ns), LATENCY_US_COLUMNS, moment(end, s->end_ns), LATENCY_US_COLUMNS - 2,
		 latency_us(net, s->net_ns));
	footer_hanging(p->f, p->o, before, "%s%s", latency_context_text(text, p->r, s->kind, s->id, s->name), who);
}

void latency_write_window(const struct latency_page *p, const struct rec_case *c)
{
	size_t all = 0, shown = 0;

	for (size_t i = 0; i < c->n_spans; i++)
		all += is_in_window(c, &c->spans[i]);
	if (!all)
		return;
	fprintf(p->f, "  ran on CPU %d meanwhile:\n", c->cpu);
	for (size_t i = 0; i < c->n_spans; i++) {
		if (!is_in_window(c, &c->spans[i]) || !is_shown(c, i))
			continue;
		write_span(p, &c->spans[i]);
		shown++;
	}
	if (shown < all)
		fprintf(p->f, "  and %zu shorter ones (-f json has them)\n", all - shown);
}
