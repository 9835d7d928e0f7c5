/* SPDX-License-Identifier: GPL-2.0-only */
/* The series of -I: what came to each source since the last point. */
#include <errno.h>
#include <stdlib.h>

#include "core/intern.h"
#include "tools/irq.h"

/* A new source has no past. */
static int make_room(struct irq_state *q, size_t n)
{
	struct irq_seen *seen;

	if (n <= q->n_seen)
		return 0;
	seen = realloc(q->seen, n * sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	for (size_t i = q->n_seen; i < n; i++)
		seen[i] = (struct irq_seen){ 0 };
	q->seen = seen;
	q->n_seen = n;
	return 0;
}

/* Of runs, or of waits where the kind has no runs. */
static void sum(struct irq_seen *now, const struct rec_irq *irq)
{
	for (size_t i = 0; i < irq->n_rows; i++) {
		const struct rec_irq_row *row = &irq->rows[i];
		struct irq_seen *s = &now[row->source];
		const struct rec_irq_values *v =
			&row->of[irq->sources[row->source].kind == IRQ_IPI ? IRQ_WAIT : IRQ_RUN];

		s->count += v->count;
		s->ns += v->sum_ns;
		if (v->max_ns > s->max_ns)
			s->max_ns = v->max_ns;
	}
}

static int add_points(struct irq_state *q, struct rec_irq *irq, const struct irq_seen *now, uint64_t end_ns)
{
	int err = 0;

	for (size_t i = 0; i < irq->n_sources && !err; i++) {
		struct rec_irq_point point = { .start_ns = q->points_end_ns,
					       .duration_ns = end_ns - q->points_end_ns,
					       .source = (int)i,
					       .count = now[i].count - q->seen[i].count,
					       .net_ns = now[i].ns - q->seen[i].ns,
					       .max_ns = now[i].max_ns > q->seen[i].max_ns ? now[i].max_ns : 0 };

		if (point.count)
			err = irq_point(irq, &point);
		q->seen[i] = now[i];
	}
	return err;
}

int irq_points(struct irq_state *q, struct recording *r, uint64_t end_ns)
{
	struct rec_irq *irq = irq_of(r);
	struct irq_seen *now;
	int err;

	if (!irq || end_ns <= q->points_end_ns)
		return irq ? 0 : -ENOMEM;
	now = calloc(irq->n_sources + 1, sizeof(*now));
	err = now ? make_room(q, irq->n_sources) : -ENOMEM;
	if (!err) {
		sum(now, irq);
		err = add_points(q, irq, now, end_ns);
	}
	q->points_end_ns = end_ns;
	free(now);
	return err;
}
