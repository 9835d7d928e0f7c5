/* SPDX-License-Identifier: GPL-2.0-only */
/* bpf/irq_work.bpf.h compiled for the host, and the kernel that its programs ask. */
#ifndef IRQ_WORK_HOST_H
#define IRQ_WORK_HOST_H

#define __TARGET_ARCH_x86
#define __bpf__ /* types come from vmlinux.h */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "vmlinux.h"

#include "../../bpf/irq_work.bpf.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

#define CPUS  2
#define ROWS  16
#define PLACE 8 /* works and runs */
#define WORST 2

#define IN_LIST 5 /* WORK_STRUCT_PENDING | WORK_STRUCT_PWQ */

static struct {
	uint64_t now;
	unsigned cpu;
	struct task_struct *current;
	struct irq_cpu cpus[CPUS];
	struct irq_row zeros;
	struct irq_key keys[ROWS];
	struct irq_row rows[ROWS];
	unsigned n_rows;
	__u64 queued_keys[PLACE], running_keys[PLACE];
	struct irq_queued queued[PLACE];
	struct irq_runs running[PLACE];
	unsigned n_queued, n_running;
	long fails; /* what updates of those two return */
	__u32 offers[CPUS], measured[CPUS];
	__u64 counts[IRQ_COUNTS], lost[LOST_CAUSES];
	struct irq_case worst[CPUS * IRQ_LISTS * WORST], above[CPUS * IRQ_CONTEXTS * IRQ_ABOVE_SLOTS];
} fake;

static struct irq_config *settings(void)
{
	return (struct irq_config *)&config;
}

/* --- the kernel */

static inline void *find(const void *keys, size_t bytes, unsigned n, const void *key, void *values, size_t value_bytes)
{
	for (unsigned i = 0; i < n; i++)
		if (!memcmp((const char *)keys + i * bytes, key, bytes))
			return (char *)values + i * value_bytes;
	return NULL;
}

static inline void *bpf_map_lookup_elem(void *map, const void *key)
{
	__u32 index = *(const __u32 *)key;

	if (map == &rows)
		return find(fake.keys, sizeof(fake.keys[0]), fake.n_rows, key, fake.rows, sizeof(fake.rows[0]));
	if (map == &works_queued)
		return find(fake.queued_keys, 8, fake.n_queued, key, fake.queued, sizeof(fake.queued[0]));
	if (map == &works_running)
		return find(fake.running_keys, 8, fake.n_running, key, fake.running, sizeof(fake.running[0]));
	if (map == &cpus)
		return &fake.cpus[index];
	if (map == &row_zeros)
		return &fake.zeros;
	if (map == &counts)
		return &fake.counts[index];
	if (map == &losses)
		return &fake.lost[index];
	if (map == &work_offers)
		return &fake.offers[index];
	if (map == &measured_cpus)
		return &fake.measured[index];
	if (map == &above_cases)
		return &fake.above[index];
	return map == &worst_cases ? &fake.worst[index] : NULL;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	if (map == &rows) {
		assert_true(fake.n_rows < ROWS);
		memcpy(&fake.keys[fake.n_rows], key, sizeof(struct irq_key));
		memcpy(&fake.rows[fake.n_rows++], value, sizeof(struct irq_row));
		return 0;
	}
	if (fake.fails)
		return fake.fails;
	if (map == &works_queued) {
		assert_true(fake.n_queued < PLACE);
		memcpy(&fake.queued_keys[fake.n_queued], key, 8);
		memcpy(&fake.queued[fake.n_queued++], value, sizeof(fake.queued[0]));
	} else if (map == &works_running) {
		assert_true(fake.n_running < PLACE);
		memcpy(&fake.running_keys[fake.n_running], key, 8);
		memcpy(&fake.running[fake.n_running++], value, sizeof(fake.running[0]));
	}
	return 0;
}

#include "host_moment.h"

static long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from)
{
	if (!from)
		return -14;
	memcpy(to, from, bytes);
	return 0;
}

/* Cases have no name here. */
static long bpf_probe_read_kernel_str(void *to, __u32 bytes, const void *from)
{
	return -14;
}

static long bpf_get_stack(void *ctx, void *buf, __u32 bytes, __u64 flags)
{
	return 0;
}

/* --- who does what */

static struct rq rq = { .rt.highest_prio.curr = 100 };
static struct cfs_rq cfs_rq = { .rq = &rq };
static struct task_struct worker = { .tgid = 41, .pid = 41, .comm = "kworker/0:1", .se.cfs_rq = &cfs_rq },
			  other = { .tgid = 42, .pid = 42, .comm = "kworker/1:1", .se.cfs_rq = &cfs_rq };
static char flush, reset, bottom; /* functions */
static struct work_struct work = { .func = &flush }, second = { .func = &reset }, in_softirq = { .func = &bottom };

static inline void start_over(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.current = &worker;
	*settings() = (struct irq_config){ .cpus = CPUS, .worst = WORST };
	enabled = 1;
	work.data.counter = second.data.counter = in_softirq.data.counter = 0;
}

static inline const struct irq_row *row_of(enum irq_kind kind, const void *function, unsigned cpu)
{
	struct irq_key key = { .what = (__u64)(uintptr_t)function, .kind = (__u8)kind, .cpu = (__u16)cpu };
	const struct irq_row *row = find(fake.keys, sizeof(key), fake.n_rows, &key, fake.rows, sizeof(fake.rows[0]));

	assert_non_null(row);
	return row;
}

static inline void queue(uint64_t at, struct work_struct *w)
{
	fake.now = at;
	on_work_queued(NULL, 0, NULL, w);
	w->data.counter = IN_LIST;
}

/* A worker takes it out of its list ... */
static inline void takes(struct work_struct *w)
{
	w->data.counter = 0x20;
}

/* ... and then tells that it starts. */
static inline void tells(uint64_t at, struct work_struct *w)
{
	fake.now = at;
	on_work_start(NULL, w);
}

static inline void start(uint64_t at, struct work_struct *w)
{
	takes(w);
	tells(at, w);
}

static inline void end(uint64_t at, struct work_struct *w)
{
	fake.now = at;
	on_work_end(NULL, w);
}

static inline void assert_hist(const struct hist *h, uint64_t count, uint64_t sum_ns, uint64_t max_ns)
{
	assert_int_equal(h->count, count);
	assert_int_equal(h->sum_ns, sum_ns);
	if (count)
		assert_int_equal(h->max_ns, max_ns);
}

static inline void assert_nothing_missed(void)
{
	for (unsigned i = 0; i < IRQ_COUNTS; i++)
		assert_int_equal(fake.counts[i], 0);
	for (unsigned i = 0; i < LOST_CAUSES; i++)
		assert_int_equal(fake.lost[i], 0);
}

static inline const struct irq_case *worst_of(unsigned list, unsigned slot)
{
	return &fake.worst[list * WORST + slot];
}

#endif
