/* SPDX-License-Identifier: GPL-2.0-only */
/* From the maps of rows and counts to the recording. They only grow: each look takes all of it. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/latency.h"
#include "tools/irq.h"
#include "tools/irq_parts.h"

static bool has_function(unsigned kind)
{
	return kind == IRQ_WORK || kind == IRQ_TASKLET;
}

int irq_source_of(struct irq_state *q, struct recording *r, const struct irq_key *key, const char *name)
{
	struct rec_irq *irq = irq_of(r);
	char text[IRQ_NAME_BYTES + 1] = "";
	int string;

	if (!irq)
		return -ENOMEM;
	if (has_function(key->kind)) {
		string = irq_function_name(q->symbols, key->what, r);
	} else {
		memcpy(text, name, strnlen(name, IRQ_NAME_BYTES));
		string = recording_string(r, text);
	}
	return string < 0 ? string : irq_source(irq, key->kind, key->id, string);
}

static uint64_t unix_of(const struct irq_state *q, uint64_t ns)
{
	return ns ? (uint64_t)((int64_t)ns + q->realtime_ns) : 0;
}

static int set_row(const struct irq_state *q, struct rec_irq_row *to, const struct irq_row *row)
{
	int err = 0;

	to->gross_ns = row->gross_ns;
	to->peak_count = row->peak_count;
	to->peak_unix_ns = unix_of(q, row->peak_ns);
	to->storms = row->storms;
	to->no_start = row->no_start;
	to->joined = row->joined;
	for (unsigned i = 0; i < IRQ_CONTEXTS; i++)
		to->by[i] = row->by[i];
	for (unsigned i = 0; i < IRQ_MEASURES && !err; i++) {
		to->longest_unix_ns[i] = unix_of(q, row->longest_ns[i]);
		err = irq_values_set(&to->of[i], &row->of[i]);
	}
	return err;
}

static int drain_row(struct session *s, void *arg, const struct irq_key *key)
{
	struct irq_state *q = s->state;
	struct recording *r = arg;
	const struct irq_row *row = q->row;
	char name[IRQ_NAME_BYTES + 1] = "";
	struct rec_irq_row *to;
	int source;

	memcpy(name, row->name, IRQ_NAME_BYTES);
	if (!(row->of[IRQ_RUN].count + row->of[IRQ_WAIT].count + row->no_start + row->joined) ||
	    key->kind >= IRQ_KINDS || (key->kind == IRQ_NMI && !(q->measured & REC_IRQ_NMIS)) ||
	    !irq_is_selected(s, key->kind, key->id, name))
		return 0;
	source = irq_source_of(q, r, key, name);
	if (source < 0)
		return source;
	to = irq_row(r->irq, source, key->cpu);
	return to ? set_row(q, to, row) : -ENOMEM;
}

/* What irq_fixed() makes `fixed` of. */
static struct irq_key key_of_fixed(unsigned fixed, unsigned cpu)
{
#if defined(__aarch64__)
	const int first_vector = VECTOR_IPIS;
#else
	const int first_vector = 0;
#endif
	struct irq_key key = { .cpu = (__u16)cpu, .id = (__s32)(fixed % IRQ_FIXED_SOFTIRQS), .kind = IRQ_SOFTIRQ };

	if (fixed >= 2 * IRQ_FIXED_SOFTIRQS) {
		key.kind = fixed == IRQ_FIXED_NMI ? IRQ_NMI : IRQ_VECTOR;
		key.id = fixed == IRQ_FIXED_NMI ? 0 : first_vector + (int)fixed - 2 * IRQ_FIXED_SOFTIRQS;
	} else if (fixed >= IRQ_FIXED_SOFTIRQS) {
		key.kind = IRQ_KSOFTIRQD;
	}
	return key;
}

/* Calls for each row, which is then in q->row. 0, or the first error. */
static int each_row(struct session *s, int (*take)(struct session *s, void *arg, const struct irq_key *key), void *arg)
{
	struct irq_state *q = s->state;
	int fd = bpf_map__fd(q->skeleton->maps.rows), fixed_fd = bpf_map__fd(q->skeleton->maps.fixed_rows), err = 0;
	struct irq_key key, *before = NULL;

	for (size_t i = 0; i < s->cpus.n * IRQ_FIXED && !err; i++) {
		unsigned cpu = s->cpus.ids[i / IRQ_FIXED], fixed = i % IRQ_FIXED;
		__u32 at = cpu * IRQ_FIXED + fixed;

		key = key_of_fixed(fixed, cpu);
		err = bpf_map_lookup_elem(fixed_fd, &at, q->row) ? -errno : take(s, arg, &key);
	}
	while (!err && !bpf_map_get_next_key(fd, before, &key)) {
		before = &key;
		if (!bpf_map_lookup_elem(fd, &key, q->row))
			err = take(s, arg, &key);
	}
	return err;
}

/* --- Threads. */

static int drain_behind(struct irq_state *q, struct recording *r, const struct irq_behind_key *key, int source)
{
	const struct irq_sum *per_cpu = q->values;
	struct rec_irq_behind b = { .source = source, .prio_class = key->prio_class };
	char comm[KBPFPROF_COMM_BYTES + 1] = "";

	memcpy(comm, key->comm, KBPFPROF_COMM_BYTES);
	b.comm = recording_string(r, comm);
	for (unsigned i = 0; i < q->possible_cpus; i++) {
		b.count += per_cpu[i].count;
		b.ns += per_cpu[i].ns;
		b.max_ns = per_cpu[i].max_ns > b.max_ns ? per_cpu[i].max_ns : b.max_ns;
	}
	return b.comm < 0 ? b.comm : irq_behind(r->irq, &b);
}

/* The source of a thread, which tells its tid. */
static int thread_source(struct irq_state *q, struct recording *r, const struct irq_thread *t, uint32_t tid)
{
	struct irq_key key = { .what = t->what, .id = t->id, .kind = IRQ_THREAD };
	int source = irq_source_of(q, r, &key, t->name);

	if (source >= 0)
		r->irq->sources[source].thread = (int)tid;
	return source;
}

static int drain_behinds_of(struct irq_state *q, struct recording *r, uint64_t what, int source)
{
	int fd = bpf_map__fd(q->skeleton->maps.behind), err = 0;
	struct irq_behind_key key, *before = NULL;

	while (!err && !bpf_map_get_next_key(fd, before, &key)) {
		before = &key;
		if (key.what == what && key.prio_class < 3 && !bpf_map_lookup_elem(fd, &key, q->values))
			err = drain_behind(q, r, &key, source);
	}
	return err;
}

static int drain_threads(struct session *s, struct recording *r)
{
	struct irq_state *q = s->state;
	int fd = bpf_map__fd(q->skeleton->maps.threads), err = 0, source;
	struct irq_thread t;
	__u32 tid, *before = NULL;

	while (!err && q->config->threads && !bpf_map_get_next_key(fd, before, &tid)) {
		before = &tid;
		if (bpf_map_lookup_elem(fd, &tid, &t) || !irq_is_selected(s, IRQ_THREAD, t.id, t.name))
			continue;
		source = thread_source(q, r, &t, tid);
		err = source < 0 ? source : drain_behinds_of(q, r, t.what, source);
	}
	return err;
}

/* --- Counts. */

static int drain_counts(struct irq_state *q, struct rec_irq *irq)
{
	int fd = bpf_map__fd(q->skeleton->maps.counts);
	const __u64 *per_cpu = q->values;

	for (__u32 i = 0; i < IRQ_COUNTS; i++) {
		if (bpf_map_lookup_elem(fd, &i, q->values))
			return -errno;
		irq->counts[i] = 0;
		for (unsigned cpu = 0; cpu < q->possible_cpus; cpu++)
			irq->counts[i] += per_cpu[cpu];
	}
	return 0;
}

int irq_drain(struct session *s, struct recording *r)
{
	struct rec_irq *irq = irq_of(r);
	int err = irq ? irq_functions_expect(s->state, r) : -ENOMEM;

	if (!err)
		err = each_row(s, drain_row, r);
	if (!err)
		err = drain_threads(s, r);
	if (!err)
		err = irq_senders_drain(s->state, r);
	return err ? err : drain_counts(s->state, irq);
}

static int count_row(struct session *s, void *arg, const struct irq_key *key)
{
	const struct irq_state *q = s->state;
	uint64_t *sum = arg;

	(void)key;
	*sum += q->row->of[IRQ_RUN].count;
	return 0;
}

uint64_t irq_drain_count(struct session *s)
{
	uint64_t sum = 0;

	return each_row(s, count_row, &sum) ? 0 : sum;
}
