/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel that the programs of irq_bpf.c run in: maps, clocks and tasks as the test sets them. Included behind them.
 */
#ifndef IRQ_KERNEL_H
#define IRQ_KERNEL_H

#include <stdint.h>
#include <string.h>

#define CPUS	2
#define ROWS	32
#define THREADS 4
#define BEHINDS 8

static struct {
	uint64_t now;
	unsigned cpu;
	struct task_struct *current;
	struct irq_cpu cpus[CPUS];
	struct irq_row zeros;
	struct irq_key keys[ROWS];
	struct irq_row rows[ROWS], fixed[CPUS * IRQ_FIXED];
	unsigned n_rows, room;
	__u32 tids[THREADS];
	struct irq_thread threads[THREADS];
	unsigned n_threads;
	struct irq_behind_key behind_keys[BEHINDS];
	struct irq_sum behinds[BEHINDS];
	unsigned n_behinds;
	__u64 counts[IRQ_COUNTS], lost[LOST_CAUSES];
	struct irq_case worst[CPUS * IRQ_LISTS * 2];
	__u32 ksoftirqds[CPUS];
} fake;

/* --- the kernel */

static void *find(const void *keys, size_t bytes, unsigned n, const void *key, void *values, size_t value_bytes)
{
	for (unsigned i = 0; i < n; i++)
		if (!memcmp((const char *)keys + i * bytes, key, bytes))
			return (char *)values + i * value_bytes;
	return NULL;
}

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	__u32 index = *(const __u32 *)key;

	if (map == &rows)
		return find(fake.keys, sizeof(fake.keys[0]), fake.n_rows, key, fake.rows, sizeof(fake.rows[0]));
	if (map == &threads)
		return find(fake.tids, 4, fake.n_threads, key, fake.threads, sizeof(fake.threads[0]));
	if (map == &behind)
		return find(fake.behind_keys, sizeof(fake.behind_keys[0]), fake.n_behinds, key, fake.behinds,
			    sizeof(fake.behinds[0]));
	if (map == &fixed_rows)
		return &fake.fixed[index];
	if (map == &cpus)
		return &fake.cpus[index];
	if (map == &row_zeros)
		return &fake.zeros;
	if (map == &counts)
		return &fake.counts[index];
	if (map == &losses)
		return &fake.lost[index];
	if (map == &ksoftirqds)
		return &fake.ksoftirqds[index];
	return map == &worst_cases ? &fake.worst[index] : NULL;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	if (map == &rows) {
		if (fake.n_rows == fake.room)
			return -E2BIG;
		memcpy(&fake.keys[fake.n_rows], key, sizeof(struct irq_key));
		memcpy(&fake.rows[fake.n_rows++], value, sizeof(struct irq_row));
	} else if (map == &threads) {
		memcpy(&fake.tids[fake.n_threads], key, 4);
		memcpy(&fake.threads[fake.n_threads++], value, sizeof(struct irq_thread));
	} else if (map == &behind) {
		memcpy(&fake.behind_keys[fake.n_behinds], key, sizeof(struct irq_behind_key));
		memcpy(&fake.behinds[fake.n_behinds++], value, sizeof(struct irq_sum));
	}
	return 0;
}

static long bpf_map_delete_elem(void *map, const void *key)
{
	return 0;
}

#include "host_moment.h"

static long bpf_get_current_comm(void *buf, __u32 bytes)
{
	memcpy(buf, fake.current->comm, bytes);
	return 0;
}

static long bpf_get_stack(void *ctx, void *buf, __u32 bytes, __u64 flags)
{
	return 0;
}

static long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from)
{
	memcpy(to, from, bytes);
	return 0;
}

static long bpf_probe_read_kernel_str(void *to, __u32 bytes, const void *from)
{
	memset(to, 0, bytes);
	strncpy(to, from, bytes - 1);
	return 0;
}

#endif
