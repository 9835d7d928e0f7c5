/* SPDX-License-Identifier: GPL-2.0-only */
/* bpf/irq_ipi.bpf.h compiled for the host, as on x86: CPUs that send each other interrupts, as the kernel tells of it.
 */
#define __TARGET_ARCH_x86
#define __bpf__ /* types come from vmlinux.h */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "vmlinux.h"

#include "../../bpf/irq_ipi.bpf.h"

#include "unit.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CPUS	  200
#define ROWS	  16
#define SENDERS	  4
#define KEY_BYTES (config.stacks ? sizeof(struct irq_sender_key) : offsetof(struct irq_sender_key, stack))

#define HARDIRQ (1U << HARDIRQ_SHIFT)

static struct {
	uint64_t now;
	unsigned cpu;
	struct task_struct *current;
	struct irq_cpu cpus[2];
	struct irq_row zeros;
	struct irq_key keys[ROWS];
	struct irq_row rows[ROWS];
	unsigned n_rows;
	struct ipi_way ways[CPUS];
	__u32 measured[CPUS];
	unsigned char sender_keys[SENDERS][sizeof(struct irq_sender_key)];
	__u64 senders[SENDERS]; /* of one CPU: the test adds up nothing */
	unsigned n_senders;
	long fails;  /* what an update of those returns */
	bool exists; /* once: another CPU has just put it there */
	__u64 counts[IRQ_COUNTS], lost[LOST_CAUSES];
	struct irq_case worst[2 * IRQ_LISTS];
	__u64 stack[IRQ_STACK_FRAMES];
} fake;

static struct irq_config *settings(void)
{
	return (struct irq_config *)&config;
}

/* --- the kernel */

static struct irq_row *find_row(const struct irq_key *key)
{
	for (unsigned i = 0; i < fake.n_rows; i++)
		if (!memcmp(&fake.keys[i], key, sizeof(*key)))
			return &fake.rows[i];
	return NULL;
}

static __u64 *find_sender(const void *key)
{
	for (unsigned i = 0; i < fake.n_senders; i++)
		if (!memcmp(fake.sender_keys[i], key, KEY_BYTES))
			return &fake.senders[i];
	return NULL;
}

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	__u32 index;

	if (map == &rows)
		return find_row(key);
	if (map == &senders)
		return find_sender(key);
	index = *(const __u32 *)key;
	if (map == &ipi_ways)
		return index < CPUS ? &fake.ways[index] : NULL;
	if (map == &measured_cpus)
		return index < CPUS ? &fake.measured[index] : NULL;
	if (map == &cpus)
		return index < 2 ? &fake.cpus[index] : NULL;
	if (map == &row_zeros)
		return &fake.zeros;
	if (map == &counts)
		return &fake.counts[index];
	if (map == &losses)
		return &fake.lost[index];
	return map == &worst_cases ? &fake.worst[index] : NULL;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	if (map == &rows) {
		assert_true(fake.n_rows < ROWS);
		fake.keys[fake.n_rows] = *(const struct irq_key *)key;
		memcpy(&fake.rows[fake.n_rows++], value, sizeof(struct irq_row));
		return 0;
	}
	assert_ptr_equal(map, &senders);
	if (fake.fails)
		return fake.fails;
	if (fake.n_senders == SENDERS)
		return -E2BIG;
	memcpy(fake.sender_keys[fake.n_senders], key, KEY_BYTES);
	fake.senders[fake.n_senders] = fake.exists ? 0 : *(const __u64 *)value;
	fake.n_senders++;
	return fake.exists ? -EEXIST : 0;
}

#include "host_moment.h"

static long bpf_get_current_comm(void *buf, __u32 bytes)
{
	memcpy(buf, fake.current->comm, bytes);
	return 0;
}

static long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from)
{
	memcpy(to, from, bytes);
	return 0;
}

static long bpf_probe_read_kernel_str(void *to, __u32 bytes, const void *from)
{
	return -14;
}

static long bpf_get_stack(void *ctx, void *buf, __u32 bytes, __u64 flags)
{
	memcpy(buf, fake.stack, bytes);
	return (long)bytes;
}

/* --- who sends */

static struct rq rq = { .rt.highest_prio.curr = 100 };
static struct cfs_rq cfs_rq = { .rq = &rq };
static struct task_struct db = { .tgid = 7, .pid = 7, .comm = "postgres", .se.cfs_rq = &cfs_rq },
			  web = { .tgid = 8, .pid = 8, .comm = "nginx", .se.cfs_rq = &cfs_rq };
static char callback, work; /* functions */

static void start_over(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.current = &db;
	*settings() = (struct irq_config){ .cpus = CPUS, .worst = 1 };
	*(__u32 *)&ipis_are_measured = 1;
	*(__u64 *)&ipi_callback = 0;
	enabled = 1;
}

static const struct irq_row *row_of(int vector, unsigned cpu)
{
	struct irq_key key = { .id = vector, .kind = IRQ_IPI, .cpu = (__u16)cpu };
	const struct irq_row *row = find_row(&key);

	assert_non_null(row);
	return row;
}

static __u64 sent_by(__u64 callsite, int vector, enum irq_context context, const char *comm)
{
	struct irq_sender_key key = { .callsite = callsite, .vector = vector, .in_context = context };
	const __u64 *sum;

	memcpy(key.comm, comm, strlen(comm));
	memcpy(key.stack, fake.stack, sizeof(key.stack));
	sum = find_sender(&key);
	return sum ? *sum : 0;
}

static void send(uint64_t at, unsigned to, void *function)
{
	fake.now = at;
	on_ipi_send_cpu(NULL, to, 0xc0de, function);
}

static void arrive(uint64_t at, unsigned cpu, int vector)
{
	fake.cpu = cpu;
	irq_ipi_arrived(NULL, &fake.cpus[cpu], cpu, vector, at);
	fake.cpu = 0;
}

static void assert_waits(int vector, unsigned cpu, uint64_t count, uint64_t sum_ns, uint64_t no_start, uint64_t joined)
{
	const struct irq_row *row = row_of(vector, cpu);

	assert_int_equal(row->of[IRQ_WAIT].count, count);
	assert_int_equal(row->of[IRQ_WAIT].sum_ns, sum_ns);
	assert_int_equal(row->no_start, no_start);
	assert_int_equal(row->joined, joined);
}

/* --- waits */

/* A vector for each: without a callback, to one CPU, to a mask, to itself. */
static void by_vector(void **state)
{
	__u64 mask[4] = { 1 << 1 };

	(void)state;
	start_over();
	send(1000, 1, NULL);
	send(1010, 1, &callback);
	send(1020, 0, &work);
	fake.now = 1030;
	on_ipi_send_cpumask(NULL, mask, 0xc0de, &callback);
	arrive(1500, 1, VECTOR_RESCHEDULE);
	arrive(1600, 1, VECTOR_CALL_FUNCTION);
	arrive(1700, 1, VECTOR_CALL_FUNCTION_SINGLE);
	arrive(1800, 0, VECTOR_IRQ_WORK);
	assert_waits(VECTOR_RESCHEDULE, 1, 1, 500, 0, 0);
	assert_waits(VECTOR_CALL_FUNCTION, 1, 1, 570, 0, 0);
	assert_waits(VECTOR_CALL_FUNCTION_SINGLE, 1, 1, 690, 0, 0);
	assert_waits(VECTOR_IRQ_WORK, 0, 1, 780, 0, 0);
	assert_int_equal(fake.n_rows, 4);
	assert_int_equal(fake.counts[IRQ_COUNT_CLOCK], 0);
}

static void first_of_several_counts(void **state)
{
	(void)state;
	start_over();
	send(1000, 1, NULL);
	send(1100, 1, NULL);
	send(1200, 1, NULL);
	arrive(1500, 1, VECTOR_RESCHEDULE);
	assert_waits(VECTOR_RESCHEDULE, 1, 1, 500, 0, 2);
	send(2000, 1, NULL);
	arrive(2100, 1, VECTOR_RESCHEDULE);
	assert_waits(VECTOR_RESCHEDULE, 1, 2, 600, 0, 2);
	assert_int_equal(row_of(VECTOR_RESCHEDULE, 1)->peak_count, 2);
}

/* Sent before we were there, or by what the kernel does not tell of. */
static void without_a_send(void **state)
{
	(void)state;
	start_over();
	arrive(1500, 1, VECTOR_RESCHEDULE);
	assert_waits(VECTOR_RESCHEDULE, 1, 0, 0, 1, 0);
	send(2000, 1, NULL);
	arrive(2050, 1, VECTOR_RESCHEDULE);
	arrive(2080, 1, VECTOR_RESCHEDULE);
	assert_waits(VECTOR_RESCHEDULE, 1, 1, 50, 2, 0);
	arrive(3000, 1, VECTOR_LOCAL_TIMER);
	arrive(3000, 1, VECTOR_THERMAL);
	assert_int_equal(fake.n_rows, 1);
}

/* The first one's interrupt was not told of: the second has not waited since then. */
static void arrived_untold(void **state)
{
	(void)state;
	start_over();
	send(1000000, 1, NULL);
	arrive(5000000, 1, VECTOR_LOCAL_TIMER);
	send(6000000, 1, NULL);
	arrive(6010000, 1, VECTOR_RESCHEDULE);
	assert_waits(VECTOR_RESCHEDULE, 1, 0, 0, 1, 0);
	send(7000000, 1, NULL);
	arrive(7020000, 1, VECTOR_RESCHEDULE);
	assert_waits(VECTOR_RESCHEDULE, 1, 1, 20000, 1, 0);
	/* A timer's that began when this was about to be sent may well come first, and interrupts may be off for long.
	 */
	send(8000000, 1, NULL);
	arrive(8001000, 1, VECTOR_LOCAL_TIMER);
	arrive(9000000, 1, VECTOR_RESCHEDULE);
	assert_waits(VECTOR_RESCHEDULE, 1, 2, 20000 + 1000000, 1, 0);
}

static void negative_times(void **state)
{
	(void)state;
	start_over();
	send(1000, 1, NULL);
	arrive(990, 1, VECTOR_RESCHEDULE);
	assert_waits(VECTOR_RESCHEDULE, 1, 1, 0, 0, 0);
	assert_int_equal(fake.counts[IRQ_COUNT_CLOCK], 1);
}

static void longest_is_kept(void **state)
{
	const struct irq_case *worst = &fake.worst[IRQ_LISTS + IRQ_WORST_IPIS];

	(void)state;
	start_over();
	send(1000, 1, NULL);
	arrive(1700, 1, VECTOR_RESCHEDULE);
	send(2000, 1, &callback);
	fake.current = &web;
	arrive(2300, 1, VECTOR_CALL_FUNCTION_SINGLE);
	assert_int_equal(worst->total_ns, 700);
	assert_int_equal(worst->of.id, VECTOR_RESCHEDULE);
	assert_int_equal(worst->measure, IRQ_WAIT);
	assert_string_equal(worst->task.comm, "postgres");
}

/* --- masks */

static void to_many(void **state)
{
	__u64 mask[4] = { 1ULL << 1 | 1ULL << 63, 0, 1ULL << 2, 1ULL << 7 | 1ULL << 63 };

	(void)state;
	start_over();
	fake.now = 1000;
	on_ipi_send_cpumask(NULL, mask, 0xc0de, &callback);
	for (unsigned i = 0; i < CPUS; i++) {
		bool is_sent = i == 1 || i == 63 || i == 130 || i == 199;

		assert_int_equal(fake.ways[i].sent_ns[VECTOR_CALL_FUNCTION], is_sent ? 1000 : 0);
		assert_int_equal(fake.ways[i].sent[VECTOR_CALL_FUNCTION], is_sent);
	}
	/* 255 is none of this machine's CPUs */
	assert_int_equal(sent_by(0xc0de, VECTOR_CALL_FUNCTION, IRQ_IN_TASK, "postgres"), 4);
}

/* --- senders */

static void senders_by_context_and_callsite(void **state)
{
	static int preempt_count;

	(void)state;
	start_over();
	send(1000, 1, NULL);
	send(1100, 1, NULL);
	fake.current = &web;
	on_ipi_send_cpu(NULL, 1, 0xbeef, NULL);
	*(__s64 *)&preempt_count_from_rq_bytes = (char *)&preempt_count - (char *)&rq;
	preempt_count = (int)(HARDIRQ | SOFTIRQ_SERVING);
	send(1200, 1, NULL);
	preempt_count = SOFTIRQ_SERVING;
	send(1300, 1, NULL);
	preempt_count = 3;
	send(1400, 1, NULL);
	*(__s64 *)&preempt_count_from_rq_bytes = 0;
	assert_int_equal(sent_by(0xc0de, VECTOR_RESCHEDULE, IRQ_IN_TASK, "postgres"), 2);
	assert_int_equal(sent_by(0xbeef, VECTOR_RESCHEDULE, IRQ_IN_TASK, "nginx"), 1);
	assert_int_equal(sent_by(0xc0de, VECTOR_RESCHEDULE, IRQ_IN_HARDIRQ, ""), 1);
	assert_int_equal(sent_by(0xc0de, VECTOR_RESCHEDULE, IRQ_IN_SOFTIRQ, ""), 1);
	assert_int_equal(fake.counts[IRQ_COUNT_SENDER_FULL], 1); /* nginx from there was one too many */
	send(1500, 1, NULL);
	assert_int_equal(fake.counts[IRQ_COUNT_SENDER_FULL], 2);
	assert_int_equal(fake.ways[1].sent[VECTOR_RESCHEDULE], 7); /* its wait is measured all the same */
	fake.n_senders = 0;
	fake.fails = -EBUSY;
	send(1600, 1, NULL);
	assert_int_equal(fake.lost[LOST_MAP_BUSY], 1);
}

/* Where the preempt count is not to be had, spans tell. */
static void context_by_spans(void **state)
{
	struct spans_cpu *spans = &fake.cpus[0].spans;

	(void)state;
	start_over();
	spans_softirq_enter(spans, 3);
	send(1000, 1, NULL);
	spans_irq_enter(spans, SPAN_VECTOR, VECTOR_LOCAL_TIMER);
	send(1100, 1, NULL);
	assert_int_equal(sent_by(0xc0de, VECTOR_RESCHEDULE, IRQ_IN_SOFTIRQ, ""), 1);
	assert_int_equal(sent_by(0xc0de, VECTOR_RESCHEDULE, IRQ_IN_HARDIRQ, ""), 1);
}

static void put_there_by_another_cpu(void **state)
{
	(void)state;
	start_over();
	fake.exists = true;
	send(1000, 1, NULL);
	assert_int_equal(sent_by(0xc0de, VECTOR_RESCHEDULE, IRQ_IN_TASK, "postgres"), 1);
	assert_int_equal(fake.counts[IRQ_COUNT_SENDER_FULL], 0);
}

static void stacks_tell_senders_apart(void **state)
{
	(void)state;
	start_over();
	settings()->stacks = 1;
	fake.stack[0] = 0x1000;
	send(1000, 1, NULL);
	send(1100, 1, NULL);
	assert_int_equal(sent_by(0xc0de, VECTOR_RESCHEDULE, IRQ_IN_TASK, "postgres"), 2);
	fake.stack[1] = 0x2000;
	send(1200, 1, NULL);
	assert_int_equal(sent_by(0xc0de, VECTOR_RESCHEDULE, IRQ_IN_TASK, "postgres"), 1);
	assert_int_equal(fake.n_senders, 2);
}

/* --- what is not sent, or not measured */

/* 6.4: a function that is queued while an interrupt is on its way is told by its own name. */
static void queued_without_an_interrupt(void **state)
{
	(void)state;
	start_over();
	*(__u64 *)&ipi_callback = (__u64)(uintptr_t)&callback;
	send(1000, 1, &work);
	assert_int_equal(fake.n_senders, 0);
	assert_int_equal(fake.ways[1].sent[VECTOR_CALL_FUNCTION_SINGLE], 0);
	send(1100, 1, &callback);
	assert_int_equal(sent_by(0xc0de, VECTOR_CALL_FUNCTION_SINGLE, IRQ_IN_TASK, "postgres"), 1);
	send(1200, 0, &work); /* irq_work */
	assert_int_equal(sent_by(0xc0de, VECTOR_IRQ_WORK, IRQ_IN_TASK, "postgres"), 1);
}

/* -C is for CPUs that interrupts are sent to, whoever sends. */
static void to_measured_cpus(void **state)
{
	__u64 mask[4] = { 1 << 1 | 1 << 5 };

	(void)state;
	start_over();
	settings()->by_cpu = 1;
	fake.measured[1] = 1;
	send(1000, 5, NULL);
	assert_int_equal(fake.n_senders, 0);
	on_ipi_send_cpumask(NULL, mask, 0xc0de, &callback);
	send(1100, 1, NULL);
	assert_int_equal(sent_by(0xc0de, VECTOR_CALL_FUNCTION, IRQ_IN_TASK, "postgres"), 1);
	assert_int_equal(sent_by(0xc0de, VECTOR_RESCHEDULE, IRQ_IN_TASK, "postgres"), 1);
	assert_int_equal(fake.ways[5].sent[VECTOR_RESCHEDULE], 0);
}

static void not_asked_for(void **state)
{
	(void)state;
	start_over();
	enabled = 0;
	send(1000, 1, NULL);
	assert_int_equal(fake.n_senders, 0);
	enabled = 1;
	*(__u32 *)&ipis_are_measured = 0;
	arrive(1100, 1, VECTOR_RESCHEDULE);
	assert_int_equal(fake.n_rows, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_vector),
		cmocka_unit_test(first_of_several_counts),
		cmocka_unit_test(without_a_send),
		cmocka_unit_test(arrived_untold),
		cmocka_unit_test(negative_times),
		cmocka_unit_test(longest_is_kept),
		cmocka_unit_test(to_many),
		cmocka_unit_test(senders_by_context_and_callsite),
		cmocka_unit_test(context_by_spans),
		cmocka_unit_test(put_there_by_another_cpu),
		cmocka_unit_test(stacks_tell_senders_apart),
		cmocka_unit_test(queued_without_an_interrupt),
		cmocka_unit_test(to_measured_cpus),
		cmocka_unit_test(not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
