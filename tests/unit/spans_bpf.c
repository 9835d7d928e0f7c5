/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf/context.bpf.h compiled for the host, on a CPU whose hard IRQs come wherever they can: also in the
 * middle of the programs on softirqs, which have interrupts on. Against a timeline that has who ran at
 * each ns: no one may be charged with what another one took.
 */
#define __TARGET_ARCH_x86
#define __bpf__ /* types come from vmlinux.h */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wunused-function"
static void interrupts_may_come(void);
#define barrier() interrupts_may_come()
#include "vmlinux.h"

#include "../../bpf/context.bpf.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

#define STEPS	 300000
#define TIMELINE 16384 /* ns of the past that are kept; a power of two */
#define IDS	 16384
#define WINDOW	 2000

static struct {
	struct context_cpu cpu;
	struct task_struct task; /* that runs */
	uint64_t now, seed;
	uint32_t who[TIMELINE];
	bool is_irq[IDS];
	uint32_t last_id, softirq;
	bool irqs_on;	       /* a softirq's program runs */
	unsigned irqs_to_come; /* in it: fewer than it tries again */
	unsigned injected, lost, windows;
	__u64 counts[WAKE_COUNTS];
} fake;

static unsigned roll(unsigned sides)
{
	fake.seed ^= fake.seed >> 12;
	fake.seed ^= fake.seed << 25;
	fake.seed ^= fake.seed >> 27;
	return (unsigned)((fake.seed * 0x2545F4914F6CDD1Dull) >> 33) % sides;
}

static uint32_t new_id(void)
{
	fake.last_id = fake.last_id % (IDS - 1) + 1;
	fake.is_irq[fake.last_id] = false;
	return fake.last_id;
}

static void runs(uint32_t who, unsigned ns)
{
	for (; ns; ns--)
		fake.who[fake.now++ % TIMELINE] = who;
}

/* --- the kernel */

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	if (map == &counts)
		return &fake.counts[*(const __u32 *)key];
	return map == &contexts ? &fake.cpu : NULL;
}

static __u64 bpf_ktime_get_ns(void)
{
	__u64 ns;

	interrupts_may_come();
	ns = fake.now;
	interrupts_may_come();
	return ns;
}

static __u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static __u64 bpf_get_current_pid_tgid(void)
{
	return (__u64)fake.task.tgid << 32 | (__u32)fake.task.pid;
}

static long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from)
{
	memcpy(to, from, bytes);
	return 0;
}

static void hardirq(void)
{
	uint32_t id = new_id();

	fake.is_irq[id] = true;
	context_irq_enter(SPAN_HARDIRQ, (__s32)id);
	runs(id, roll(6));
	context_irq_exit(SPAN_HARDIRQ, (__s32)id);
}

static void interrupts_may_come(void)
{
	if (!fake.irqs_on)
		return;
	fake.irqs_on = false;
	while (fake.irqs_to_come && !roll(6)) {
		fake.irqs_to_come--;
		hardirq();
		fake.injected++;
	}
	fake.irqs_on = true;
}

static void softirq(void)
{
	fake.irqs_on = true;
	fake.irqs_to_come = SPANS_TRIES - 1;
	if (fake.softirq) {
		uint32_t id = fake.softirq;

		fake.softirq = 0;
		context_softirq_exit((__s32)id);
	} else {
		uint32_t id = new_id();

		context_softirq_enter((__s32)id);
		fake.softirq = id;
	}
	fake.irqs_on = false;
}

static bool switches(void)
{
	if (fake.softirq)
		return false;
	context_task_end(&fake.cpu, &fake.task, fake.now);
	fake.task.pid = (int)new_id();
	context_task_begin(&fake.cpu, &fake.task);
	return true;
}

static bool step(void)
{
	runs(fake.softirq ? fake.softirq : (uint32_t)fake.task.pid, roll(30));
	switch (roll(6)) {
	case 0:
	case 1:
		hardirq();
		return false;
	case 2:
	case 3:
	case 4:
		softirq();
		return false;
	default:
		return switches();
	}
}

/* --- What the ring says of a window that ends with a switch */

static void check(uint64_t from, uint64_t to)
{
	struct spans_cpu *spans = &fake.cpu.spans;
	static int ns_of[IDS];
	__u64 reach = from, used = 0, lost = 0;
	uint32_t n = spans_since(spans, spans->head, &reach);

	for (uint64_t at = reach; at < to; at++)
		ns_of[fake.who[at % TIMELINE]]++;
	for (uint32_t i = 0; i < n; i++) {
		const struct span *s = spans_slot(spans, spans->head - n + i);

		if (s->start_ns > reach) /* else what is lost is its own: see spans_part_ns() */
			assert_int_equal(spans_part_ns(s, reach, to, &used), ns_of[s->id]);
		else
			spans_part_ns(s, reach, to, &used);
		ns_of[s->id] = 0;
	}
	for (uint32_t id = 0; id < IDS; id++)
		if (ns_of[id]) {
			assert_true(fake.is_irq[id]);
			lost += (unsigned)ns_of[id];
		}
	memset(ns_of, 0, sizeof(ns_of));
	assert_true(used <= to - reach && used + lost >= to - reach);
	fake.lost += lost > 0;
	fake.windows++;
}

static void interrupts_in_softirqs_programs(void **state)
{
	(void)state;
	fake.seed = 20260812;
	fake.cpu.waiting = 1; /* tasks are followed */
	enabled = 1;
	fake.task.pid = (int)new_id();
	for (unsigned i = 0; i < STEPS; i++)
		if (step() && fake.now > TIMELINE && !roll(4))
			check(fake.now - 1 - roll(WINDOW), fake.now);
	assert_true(fake.windows > STEPS / 200);
	assert_true(fake.injected > STEPS / 10);
	assert_int_equal(fake.counts[WAKE_COUNT_MISSED_END], 0);
}

/* An end that was not told is counted, and its time is nobody's. */
static void missed_ends(void **state)
{
	struct spans_cpu *spans = &fake.cpu.spans;

	(void)state;
	memset(&fake, 0, sizeof(fake));
	enabled = 1;
	context_irq_enter(SPAN_HARDIRQ, 1);
	fake.now = 10;
	context_irq_enter(SPAN_HARDIRQ, 2);
	assert_int_equal(fake.counts[WAKE_COUNT_MISSED_END], 1);
	assert_int_equal(spans_slot(spans, 0)->kind, SPAN_UNKNOWN);
	context_irq_exit(SPAN_HARDIRQ, 2);
	assert_int_equal(spans_slot(spans, 1)->kind, SPAN_HARDIRQ);
	context_softirq_enter(3);
	context_softirq_enter(4);
	assert_int_equal(fake.counts[WAKE_COUNT_MISSED_END], 2);
	context_softirq_exit(4);
	context_irq_enter(SPAN_HARDIRQ, 5);
	context_task_end(&fake.cpu, &fake.task, 20);
	assert_int_equal(fake.counts[WAKE_COUNT_MISSED_END], 3);
}

static __u64 timer_here(void)
{
	__u64 irq_ns = context_irq_ns(&fake.cpu);
	const struct context_timer *t = &fake.cpu.timers[irq_ns ? 1 : 0];

	return context_timer_runs(t, irq_ns, (__u32)fake.task.pid) ? t->expiry_ns : 0;
}

/* The end of a timer's function is not told, as the kernel leaves out a program that it is in the midst of. */
static void timers_whose_end_is_missed(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	enabled = 1;
	fake.task.pid = 7;
	fake.now = 100;
	context_irq_enter(SPAN_VECTOR, 1);
	assert_int_equal(timer_here(), 0);
	context_timer_begin(&fake.cpu, 40, 40);
	assert_int_equal(timer_here(), 40);
	fake.now = 110;
	context_irq_exit(SPAN_VECTOR, 1);
	assert_int_equal(timer_here(), 0);
	fake.now = 200;
	context_irq_enter(SPAN_HARDIRQ, 2); /* of a device: what it wakes, no timer does */
	assert_int_equal(timer_here(), 0);
}

/* PREEMPT_RT: a thread that runs a timer's function is preempted, by interrupts and by tasks. */
static void timers_that_are_preempted(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	enabled = 1;
	fake.task.pid = 7;
	fake.now = 100;
	context_timer_begin(&fake.cpu, 40, 45);
	context_irq_enter(SPAN_VECTOR, 1);
	assert_int_equal(timer_here(), 0);
	context_timer_begin(&fake.cpu, 90, 90);
	assert_int_equal(timer_here(), 90);
	context_timer_end(&fake.cpu);
	assert_int_equal(timer_here(), 0);
	fake.now = 110;
	context_irq_exit(SPAN_VECTOR, 1);
	fake.task.pid = 8;
	assert_int_equal(timer_here(), 0);
	fake.task.pid = 7;
	assert_int_equal(timer_here(), 40);
	context_timer_end(&fake.cpu);
	assert_int_equal(timer_here(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupts_in_softirqs_programs),
		cmocka_unit_test(missed_ends),
		cmocka_unit_test(timers_whose_end_is_missed),
		cmocka_unit_test(timers_that_are_preempted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
