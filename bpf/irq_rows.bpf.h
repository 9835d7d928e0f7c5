/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all programs of `irq` share: each CPU's state, the rows that events are counted in, and what is counted beside
 * them. A row belongs to one CPU and to one level of context (hard interrupt, softirq, task), whose programs never
 * interrupt each other: no event needs a lock or an atomic.
 */
#ifndef IRQ_ROWS_BPF_H
#define IRQ_ROWS_BPF_H

#include "core.bpf.h"
#include "kbpfprof/irq.h"
#include "kbpfprof/pausable.h"
#include "lost.bpf.h"
#include "spans.bpf.h"

const volatile struct irq_config config = { .worst = 1 };

/* Flipped when everything is attached; nothing is kept before. */
volatile __u32 enabled = 0;

/* The raise of a softirq that has not started yet. */
struct irq_raise {
	__u64 ns; /* of the first one; 0: none */
	__s32 id; /* of the interrupt or softirq that raised it; by a task: its tid */
	__u8 by;  /* enum irq_context */
	__u8 by_kind;
	__u8 unused[2];
	__u32 joined; /* raises after the first */
	__u64 task;   /* its task_struct, while it lives: the name is looked up when it is wanted */
};

/* A softirq that runs. */
struct irq_soft {
	struct pausable run;
	__u64 wait_ns;
	__u32 tid; /* PREEMPT_RT: of the task that runs it; 0: the slot is free */
	__u32 joined;
	__s32 id;
	__u8 kind; /* enum irq_kind */
	__u8 by;   /* enum irq_context */
	__u8 has_wait;
	__u8 unused;
};

/* PREEMPT_RT: so many tasks of a CPU may be in the midst of one at a time. Elsewhere there is one. */
#define IRQ_SOFTS 4

#define IRQ_SOFTIRQS 16 /* NR_SOFTIRQS is 10 */

struct irq_cpu {
	__u64 least_worst_ns[IRQ_LISTS]; /* a case that is no longer than this is none of the worst */
	__u64 worst_ns[IRQ_LISTS][IRQ_WORST_MAX];
	struct irq_soft softs[IRQ_SOFTS];
	struct irq_raise raises[IRQ_SOFTIRQS];
	__u64 switch_ns; /* the running task was switched in */
	__u64 nmi_ns;	 /* arm64: when the NMI that is being handled began */
	struct spans_cpu spans;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPU ids */
	__type(key, __u32);
	__type(value, struct irq_cpu);
} cpus SEC(".maps");

/* By CPU, then irq_fixed(). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct irq_row);
} fixed_rows SEC(".maps");

/* All others. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* by what the machine has */
	__type(key, struct irq_key);
	__type(value, struct irq_row);
} rows SEC(".maps");

/* What a new row starts with: one is too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct irq_row);
} row_zeros SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, IRQ_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

/* -C */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPU ids */
	__type(key, __u32);
	__type(value, __u32);
} measured_cpus SEC(".maps");

/* tid of ksoftirqd, by CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPU ids */
	__type(key, __u32);
	__type(value, __u32);
} ksoftirqds SEC(".maps");

static __always_inline void irq_count(__u32 what)
{
	__u64 *n = bpf_map_lookup_elem(&counts, &what);

	if (n)
		__sync_fetch_and_add(n, 1);
}

static __always_inline void spans_count_missed(void)
{
	irq_count(IRQ_COUNT_MISSED_END);
}

static __always_inline struct irq_cpu *irq_cpu_of(__u32 cpu_id)
{
	return bpf_map_lookup_elem(&cpus, &cpu_id);
}

/* NULL: this CPU is not measured, or not yet. */
static __always_inline struct irq_cpu *irq_cpu_here(__u32 *cpu_id)
{
	__u32 *measured;

	if (!enabled)
		return NULL;
	*cpu_id = bpf_get_smp_processor_id();
	if (config.by_cpu) {
		measured = bpf_map_lookup_elem(&measured_cpus, cpu_id);
		if (!measured || !*measured)
			return NULL;
	}
	return irq_cpu_of(*cpu_id);
}

/* The row of a key, made if there is none; `name`, of the kernel, or NULL, is for a new one. NULL: lost, and counted.
 */
static __always_inline struct irq_row *irq_row_make(const struct irq_key *key, const char *name)
{
	struct irq_row *row = bpf_map_lookup_elem(&rows, key), *zeros;
	__u32 zero = 0;
	long err;

	if (row)
		return row;
	zeros = bpf_map_lookup_elem(&row_zeros, &zero);
	if (!zeros)
		return NULL;
	err = bpf_map_update_elem(&rows, key, zeros, BPF_NOEXIST);
	if (err && err != -EEXIST) {
		lost_count_update(err);
		return NULL;
	}
	row = bpf_map_lookup_elem(&rows, key);
	if (row && name)
		bpf_probe_read_kernel_str(row->name, sizeof(row->name), name);
	return row;
}

/* The same, wherever it is. */
static __always_inline struct irq_row *irq_row_of(const struct irq_key *key, const char *name)
{
	__u32 fixed = irq_fixed(key->kind, key->id), at = key->cpu * IRQ_FIXED + fixed;

	return fixed < IRQ_FIXED ? bpf_map_lookup_elem(&fixed_rows, &at) : irq_row_make(key, name);
}

#define IRQ_SECOND_NS 1000000000ULL

/* Counts the event that began at `start_ns` in its second. */
static __always_inline void irq_row_rate(struct irq_row *row, __u64 start_ns)
{
	if (!row->second_count || start_ns - row->second_ns >= IRQ_SECOND_NS) {
		row->second_ns = start_ns;
		row->second_count = 0;
	}
	row->second_count++;
	if (row->second_count > row->peak_count) {
		row->peak_count = row->second_count;
		row->peak_ns = row->second_ns;
	}
	if (config.storm_count && row->second_count == config.storm_count)
		row->storms++;
}

/* Something ran from start_ns to end_ns, of which net_ns were its own. */
static __always_inline void irq_row_run(struct irq_row *row, __u64 start_ns, __u64 end_ns, __u64 net_ns)
{
	irq_row_rate(row, start_ns);
	row->gross_ns += end_ns - start_ns;
	if (net_ns >= row->of[IRQ_RUN].max_ns)
		row->longest_ns[IRQ_RUN] = end_ns;
	hist_add(&row->of[IRQ_RUN], net_ns);
}

/* It had waited for `ns`, until end_ns. */
static __always_inline void irq_row_wait(struct irq_row *row, __u64 ns, __u64 end_ns)
{
	if (ns >= row->of[IRQ_WAIT].max_ns)
		row->longest_ns[IRQ_WAIT] = end_ns;
	hist_add(&row->of[IRQ_WAIT], ns);
}

#endif
