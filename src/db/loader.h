/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of the loader: usable.c says what may be used, loader.c sums it up, loader_latency.c latencies, loader_irq.c
 * interrupts. */
#ifndef DB_LOADER_H
#define DB_LOADER_H

#include "db/tables.h"

struct loading {
	struct source source;
	struct tables tables;
	const struct load_range *range;
	struct loaded *out;
	struct recording *r;
	uint64_t fires, weight; /* of all samples used */
	struct db_sums sums;
	uint64_t irq_counts, irq_ns; /* of all interrupts used: what may be summed up stays below 2^63 */
};

/* By the file's ids. */
bool usable_string(const struct tables *t, int id);
bool usable_stack(const struct tables *t, uint32_t id);
bool usable_labels(const struct tables *t, uint32_t id);
/* Marks the intervals whose latencies refer to what cannot be used. */
void usable_latency(struct tables *t);
void usable_irq(struct tables *t); /* likewise their interrupts */

/* Is interval i (from 0) in the sum? */
bool loading_uses(const struct loading *l, size_t i);
/* When the first of them starts: times are told from there. */
uint64_t loading_first_ns(const struct loading *l);
/* The id in the recording, or -ENOMEM; what is asked for must be usable. */
int loading_string(struct loading *l, int id);
int loading_stack(struct loading *l, uint32_t id);
/* false: more than 63 bits. */
bool loading_add(uint64_t *sum, uint64_t more);
/* -EBADMSG after a message. */
int loading_too_large(const struct loading *l);
/* 0 or -errno, told but for -ENOMEM. */
int loading_add_latency(struct loading *l);
int loading_add_irq(struct loading *l);

#endif
