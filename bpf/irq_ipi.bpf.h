/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts that CPUs send each other, and themselves (irq_work): who sends them, and how long until they begin.
 *
 * x86 tells of senders by ipi_send_cpu and ipi_send_cpumask (6.4: 68e2d17c9eb3). That to reschedule has no callback.
 * That for irq_work tells its function and goes to the CPU that tells it, which calls of functions never do. Those are
 * all that is left, and use one vector where a CPU is told, another one for a mask (arch/x86/kernel/smp.c). Other
 * vectors that CPUs send each other are not told. arm64 tells of each by its name in ipi_raise, and since 6.4 of its
 * sender just before that.
 *
 * An interrupt that has not begun takes those that are sent meanwhile with it: the first one's wait is the interrupt's.
 */
#ifndef IRQ_IPI_BPF_H
#define IRQ_IPI_BPF_H

#include "irq_cases.bpf.h"

/* --ipi */
const volatile __u32 ipis_are_measured = 0;

/*
 * The callback of functions that are called on other CPUs, if the kernel also tells of those that it queues without an
 * interrupt, by their own: since 5c3124975e15 (6.4), until csd_queue_cpu tells of them (bf5a8c26ad7c). 0: it does not.
 */
const volatile __u64 ipi_callback = 0;

#define IPI_CPUS_MAX 8192 /* CONFIG_NR_CPUS has this limit on x86 */
#define IPI_WORD     64

/*
 * On some virtual machines one interrupt of hundreds passes without its tracepoints. It would leave a stamp behind, and
 * the next one had waited since then. But on x86 those between CPUs come before timers: if a timer's began so long
 * after the stamp, what it is of has begun before that.
 */
#define IPI_FLIGHT_NS 100000

/* To one CPU, by vector. Only the last two belong to that CPU. */
struct ipi_way {
	__u64 sent_ns[SPAN_VECTORS]; /* of the first that has not begun; 0: none */
	__u64 sent[SPAN_VECTORS];    /* so far */
	__u64 taken[SPAN_VECTORS];   /* of them: before the last one that began */
	__u64 last_ns;		     /* start of the last interrupt without a line */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* CPU ids */
	__type(key, __u32);
	__type(value, struct ipi_way);
} ipi_ways SEC(".maps");

/* The key ends before its stack if none is asked for: without a type, as the kernel would not take another size. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct irq_sender_key));
	__uint(value_size, sizeof(__u64));
} senders SEC(".maps");

/* arm64: who is about to send one, by vector. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SPAN_VECTORS);
	__type(key, __u32);
	__type(value, __u64);
} ipi_callsites SEC(".maps");

static __always_inline bool ipi_is_arm64(void)
{
#if defined(__TARGET_ARCH_arm64)
	return true;
#else
	return false;
#endif
}

/* Is this a vector of which senders are told? */
static __always_inline bool ipi_has_senders(__s32 vector)
{
	if (ipi_is_arm64())
		return vector >= VECTOR_IPIS && vector < SPAN_VECTORS;
	return vector >= VECTOR_RESCHEDULE && vector <= VECTOR_IRQ_WORK;
}

/* -1: nothing is sent. */
static __always_inline __s32 ipi_vector(const void *callback, bool to_self, bool to_mask)
{
	if (!callback)
		return ipi_is_arm64() ? VECTOR_IPI_RESCHEDULE : VECTOR_RESCHEDULE;
	if (to_self)
		return ipi_is_arm64() ? VECTOR_IPI_IRQ_WORK : VECTOR_IRQ_WORK;
	if (ipi_callback && (__u64)callback != ipi_callback)
		return -1;
	return ipi_is_arm64() ? VECTOR_IPI_CALL_FUNCTION : to_mask ? VECTOR_CALL_FUNCTION : VECTOR_CALL_FUNCTION_SINGLE;
}

/* --- The way of one */

/* False: its CPU is not measured. */
static __always_inline bool ipi_send(__u32 cpu_id, __u64 vector, __u64 now_ns)
{
	struct ipi_way *way;
	__u32 *measured;

	if (config.by_cpu) {
		measured = bpf_map_lookup_elem(&measured_cpus, &cpu_id);
		if (!measured || !*measured)
			return false;
	}
	way = bpf_map_lookup_elem(&ipi_ways, &cpu_id);
	KBPFPROF_ONE_REGISTER(vector);
	if (!way || vector >= SPAN_VECTORS)
		return false;
	if (!way->sent_ns[vector])
		way->sent_ns[vector] = now_ns;
	__sync_fetch_and_add(&way->sent[vector], 1);
	return true;
}

/*
 * To those of 64 CPUs from `first` on that have a bit in `word`. Returns how many are measured. A global function: the
 * verifier looks at it once, not for each word.
 */
__noinline int ipi_send_word(__u64 word, __u32 first, __u32 vector, __u64 now_ns)
{
	int n = 0;

	for (__u32 bit = 0; bit < IPI_WORD; bit++)
		if (word >> bit & 1 && ipi_send(first + bit, vector, now_ns))
			n++;
	return n;
}

/* Returns how many CPUs of the mask are measured. */
static __always_inline __u64 ipi_send_mask(const void *mask, __s32 vector)
{
	__u64 now_ns = bpf_ktime_get_ns(), word, n = 0;

	for (__u32 first = 0; first < IPI_CPUS_MAX; first += IPI_WORD) {
		if (first >= config.cpus)
			break;
		word = 0;
		bpf_probe_read_kernel(&word, sizeof(word), mask + first / 8);
		if (word)
			n += (__u32)ipi_send_word(word, first, (__u32)vector, now_ns);
	}
	return n;
}

/* --- Senders */

/* By the preempt count: spans are not there for CPUs that are not measured, which send to others. */
static __always_inline __u32 ipi_context(void)
{
	__u32 count, cpu_id;
	struct irq_cpu *cpu;

	if (core_preempt_count((void *)bpf_get_current_task(), &count))
		return count >> HARDIRQ_SHIFT & HARDIRQ_BITS || count & NMI_MASK ? IRQ_IN_HARDIRQ
		       : count & SOFTIRQ_SERVING				 ? IRQ_IN_SOFTIRQ
										 : IRQ_IN_TASK;
	cpu = irq_cpu_here(&cpu_id);
	if (!cpu)
		return IRQ_IN_TASK;
	return cpu->spans.open[LEVEL_HARDIRQ].kind   ? IRQ_IN_HARDIRQ
	       : cpu->spans.open[LEVEL_SOFTIRQ].kind ? IRQ_IN_SOFTIRQ
						     : IRQ_IN_TASK;
}

static __always_inline void ipi_sender_count(const struct irq_sender_key *key, __u64 n)
{
	__u64 *sum = bpf_map_lookup_elem(&senders, key);
	long err;

	if (!sum) {
		err = bpf_map_update_elem(&senders, key, &n, BPF_NOEXIST);
		if (err == -EBUSY)
			lost_count_update(err);
		else if (err && err != -EEXIST)
			irq_count(IRQ_COUNT_SENDER_FULL);
		if (err != -EEXIST)
			return;
		sum = bpf_map_lookup_elem(&senders, key); /* another CPU's, of just now */
	}
	if (sum)
		__sync_fetch_and_add(sum, n); /* an NMI may send as well */
}

static __always_inline void ipi_sender(void *ctx, __u64 callsite, __s32 vector, __u64 n)
{
	struct irq_sender_key key;

	if (!n)
		return;
	__builtin_memset(&key, 0, __builtin_offsetof(struct irq_sender_key, stack));
	key.callsite = callsite;
	key.vector = vector;
	key.in_context = ipi_context();
	if (key.in_context == IRQ_IN_TASK)
		bpf_get_current_comm(key.comm, sizeof(key.comm));
	if (config.stacks) {
		__builtin_memset(key.stack, 0, sizeof(key.stack));
		bpf_get_stack(ctx, key.stack, sizeof(key.stack), 0);
	}
	ipi_sender_count(&key, n);
}

static __always_inline void ipi_note_callsite(__s32 vector, __u64 callsite)
{
	__u32 at = (__u32)vector;
	__u64 *noted = bpf_map_lookup_elem(&ipi_callsites, &at);

	if (noted)
		*noted = callsite;
}

static __always_inline __u64 ipi_noted_callsite(__s32 vector)
{
	__u32 at = (__u32)vector;
	__u64 *noted = bpf_map_lookup_elem(&ipi_callsites, &at), callsite;

	if (!noted)
		return 0;
	callsite = *noted;
	*noted = 0;
	return callsite;
}

SEC("raw_tp/ipi_send_cpu")
int BPF_PROG(on_ipi_send_cpu, unsigned int target, unsigned long callsite, void *callback)
{
	__s32 vector;

	if (!enabled)
		return 0;
	vector = ipi_vector(callback, (__u32)target == bpf_get_smp_processor_id(), false);
	if (vector < 0)
		return 0;
	if (ipi_is_arm64())
		ipi_note_callsite(vector, callsite);
	else
		ipi_sender(ctx, callsite, vector, ipi_send((__u32)target, (__u64)vector, bpf_ktime_get_ns()));
	return 0;
}

SEC("raw_tp/ipi_send_cpumask")
int BPF_PROG(on_ipi_send_cpumask, const void *mask, unsigned long callsite, void *callback)
{
	__s32 vector;

	if (!enabled)
		return 0;
	vector = ipi_vector(callback, false, true);
	if (vector < 0)
		return 0;
	if (ipi_is_arm64())
		ipi_note_callsite(vector, callsite);
	else
		ipi_sender(ctx, callsite, vector, ipi_send_mask(mask, vector));
	return 0;
}

/* arm64 */
SEC("raw_tp/ipi_raise")
int BPF_PROG(on_ipi_raise, const void *mask, const char *reason)
{
	__s32 vector;

	if (!enabled)
		return 0;
	vector = spans_ipi(reason);
	if (vector >= 0)
		ipi_sender(ctx, ipi_noted_callsite(vector), vector, ipi_send_mask(mask, vector));
	return 0;
}

/* --- The interrupt of `vector` has begun here, at start_ns. */

/* How many of those that were sent have begun with it. */
static __always_inline __u64 ipi_take(struct ipi_way *way, __u64 vector, __u64 *sent_ns)
{
	__u64 sent, n;

	*sent_ns = way->sent_ns[vector];
	way->sent_ns[vector] = 0;
	barrier();
	sent = *(volatile __u64 *)&way->sent[vector];
	n = sent - way->taken[vector];
	way->taken[vector] = sent;
	return n;
}

static __always_inline void ipi_waited(void *ctx, struct irq_cpu *cpu, struct irq_row *row, const struct irq_key *key,
				       __u64 sent_ns, __u64 start_ns)
{
	struct irq_event e = { .of = *key, .measure = IRQ_WAIT, .end_ns = start_ns };

	if (sent_ns > start_ns)
		irq_count(IRQ_COUNT_CLOCK);
	e.total_ns = spans_gap(sent_ns, start_ns);
	irq_row_wait(row, e.total_ns, start_ns);
	irq_case_offer(ctx, cpu, &e, IRQ_WORST_IPIS, IRQ_IN_HARDIRQ);
}

static __always_inline void irq_ipi_arrived(void *ctx, struct irq_cpu *cpu, __u32 cpu_id, __s32 vector, __u64 start_ns)
{
	struct irq_key key = { .id = vector, .cpu = (__u16)cpu_id, .kind = IRQ_IPI };
	__u64 at = (__u64)vector, sent_ns, n, last_ns;
	struct ipi_way *way;
	struct irq_row *row;

	if (!ipis_are_measured)
		return;
	way = bpf_map_lookup_elem(&ipi_ways, &cpu_id);
	KBPFPROF_ONE_REGISTER(at);
	if (!way || at >= SPAN_VECTORS)
		return;
	last_ns = way->last_ns;
	way->last_ns = start_ns;
	if (!ipi_has_senders(vector))
		return;
	row = irq_row_make(&key, NULL);
	if (!row)
		return;
	n = ipi_take(way, at, &sent_ns);
	irq_row_rate(row, start_ns);
	if (!sent_ns || last_ns > sent_ns + IPI_FLIGHT_NS) {
		row->no_start++;
		return;
	}
	if (n > 1)
		row->joined += n - 1;
	ipi_waited(ctx, cpu, row, &key, sent_ns, start_ns);
}

#endif
