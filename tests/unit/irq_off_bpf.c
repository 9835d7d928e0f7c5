/* SPDX-License-Identifier: GPL-2.0-only */
/* bpf/irq_off.bpf.h compiled for the host: what its programs make of what the kernel shows them. */
#define __TARGET_ARCH_x86
#define __bpf__ /* types come from vmlinux.h */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "vmlinux.h"

#include "../../bpf/irq_off.bpf.h"

#include "unit.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define US	   1000ULL
#define PLACES	   8
#define ROWS	   4
#define COUNT_BYTE 64 /* from the run queue to the preempt count ... */
#define STEAL_BYTE 72 /* ... and to what was stolen */

/* The kernel, as far as the programs see it. */
static struct {
	struct {
		struct rq rq;
		char more[128];
	} per_cpu;
	struct cfs_rq cfs;
	struct task_struct task;
	struct perf_event event;
	struct bpf_perf_event_data ctx;
	uint64_t now_ns, stack[IRQ_STACK_FRAMES];
	long frames; /* of it; negative: what the helper returns */
	long update_returns;

	struct irq_cpu cpu;
	struct off_cpu off;
	__u64 counts[IRQ_COUNTS], losses[LOST_CAUSES];
	struct irq_row zeros, row[ROWS];
	struct irq_key row_key[ROWS];
	size_t n_rows, n_places;
	struct irq_place_key place_key[PLACES];
	struct irq_sum place[PLACES];
	struct irq_case worst[IRQ_LISTS];
} fake;

static void *find_row(const struct irq_key *key)
{
	for (size_t i = 0; i < fake.n_rows; i++)
		if (!memcmp(&fake.row_key[i], key, sizeof(*key)))
			return &fake.row[i];
	return NULL;
}

static void *find_place(const struct irq_place_key *key)
{
	for (size_t i = 0; i < fake.n_places; i++)
		if (!memcmp(&fake.place_key[i], key, sizeof(*key)))
			return &fake.place[i];
	return NULL;
}

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	__u32 number = *(const __u32 *)key;

	if (map == &rows)
		return find_row(key);
	if (map == &places)
		return find_place(key);
	if (map == &cpus)
		return &fake.cpu;
	if (map == &off_cpus)
		return &fake.off;
	if (map == &row_zeros)
		return &fake.zeros;
	if (map == &counts)
		return &fake.counts[number];
	if (map == &losses)
		return &fake.losses[number];
	if (map == &worst_cases)
		return number < IRQ_LISTS ? &fake.worst[number] : NULL;
	return NULL;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	assert_int_equal(flags, BPF_NOEXIST);
	if (map == &rows) {
		assert_true(fake.n_rows < ROWS);
		fake.row_key[fake.n_rows] = *(const struct irq_key *)key;
		fake.row[fake.n_rows++] = *(const struct irq_row *)value;
		return 0;
	}
	assert_true(map == &places && fake.n_places < PLACES);
	if (fake.update_returns)
		return fake.update_returns;
	fake.place_key[fake.n_places] = *(const struct irq_place_key *)key;
	fake.place[fake.n_places++] = *(const struct irq_sum *)value;
	return 0;
}

static long bpf_get_stack(void *ctx, void *buf, __u32 bytes, __u64 flags)
{
	assert_int_equal(flags, 0);
	memset(buf, 0, bytes);
	if (fake.frames < 0)
		return fake.frames;
	memcpy(buf, fake.stack, (size_t)fake.frames * 8 < bytes ? (size_t)fake.frames * 8 : bytes);
	return fake.frames * 8 < bytes ? fake.frames * 8 : bytes;
}

static __u64 bpf_ktime_get_ns(void)
{
	return fake.now_ns;
}

static __u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static __u64 bpf_get_current_pid_tgid(void)
{
	return (__u64)fake.task.tgid << 32 | (__u32)fake.task.pid;
}

static __u64 bpf_get_current_task(void)
{
	return (__u64)(uintptr_t)&fake.task;
}

static long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from)
{
	memcpy(to, from, bytes);
	return 0;
}

static long bpf_probe_read_kernel_str(void *to, __u32 bytes, const void *from)
{
	strncpy(to, from, bytes);
	return 0;
}

static void set_per_cpu(int byte, __u64 value)
{
	memcpy((char *)&fake.per_cpu.rq + byte, &value, sizeof(value));
}

static int boot(void **state)
{
	struct irq_config *c = (struct irq_config *)(uintptr_t)&config;

	(void)state;
	memset(&fake, 0, sizeof(fake));
	*c = (struct irq_config){ .off_least_ns = 10 * US, .probe_ns = 1000 * US, .worst = 1 };
	*(__s64 *)(uintptr_t)&preempt_count_from_rq_bytes = sizeof(struct rq) + COUNT_BYTE;
	*(__s64 *)(uintptr_t)&steal_from_rq_bytes = sizeof(struct rq) + STEAL_BYTE;
	enabled = 1;
	fake.task.se.cfs_rq = &fake.cfs;
	fake.cfs.rq = &fake.per_cpu.rq;
	fake.task.pid = fake.task.tgid = 812;
	fake.ctx.regs.r15 = (__u64)(uintptr_t)&fake.event; /* the context that the kernel has in place of ours */
	fake.ctx.regs.ip = 0xffffffff81000000;
	fake.frames = 3;
	for (int i = 0; i < 3; i++)
		fake.stack[i] = 0xffffffff81000100 + (__u64)i;
	/* The machine takes 2 us for each timer. */
	fake.off.least_ns = 2 * US;
	return 0;
}

/* The probe fires: it was due at `due_us`, its interrupt began `late_us` later; the count is that of code that had one
 * of `preempt`. */
static void fires(uint64_t due_us, uint64_t late_us, __u32 preempt)
{
	fake.now_ns = (due_us + late_us) * US;
	fake.event.hw.hrtimer.node.expires = (long long)(due_us * US);
	spans_irq_enter(&fake.cpu.spans, SPAN_VECTOR, VECTOR_LOCAL_TIMER);
	set_per_cpu(sizeof(struct rq) + COUNT_BYTE, 0x10000 + preempt);
	fake.now_ns += 3 * US; /* the handler's way to the program */
	on_probe(&fake.ctx);
	fake.now_ns += US;
	spans_irq_exit(&fake.cpu.spans, SPAN_VECTOR, VECTOR_LOCAL_TIMER);
}

static const struct irq_sum *place(__u32 kind, __u32 is_exact, uint64_t frame0, uint64_t frame1, uint64_t frame2)
{
	struct irq_place_key key = { .kind = kind, .is_exact = is_exact, .stack = { frame0, frame1, frame2 } };
	static const struct irq_sum none;
	const struct irq_sum *sum = find_place(&key);

	return sum ? sum : &none;
}
#define HERE fake.stack[0], fake.stack[1], fake.stack[2]

static void a_section_in_the_kernel(void **state)
{
	const struct irq_sum *p;

	(void)state;
	fires(1000, 402, 0);
	fires(2000, 102, 0);
	fires(3000, 2, 0);
	p = place(IRQ_IRQS_OFF, 0, HERE);
	assert_int_equal(p->count, 2);
	assert_int_equal(p->ns, 500 * US);
	assert_int_equal(p->max_ns, 400 * US);
	assert_int_equal(fake.n_rows, 1);
	assert_int_equal(fake.row_key[0].kind, IRQ_IRQS_OFF);
	assert_int_equal(fake.row[0].of[IRQ_RUN].count, 2);
	assert_int_equal(fake.row[0].of[IRQ_RUN].max_ns, 400 * US);
	assert_int_equal(fake.worst[IRQ_WORST_OFF].total_ns, 400 * US);
	assert_int_equal(fake.worst[IRQ_WORST_OFF].end_ns, 1402 * US);
	assert_int_equal(fake.worst[IRQ_WORST_OFF].task.tid, 812);
	assert_int_equal(fake.worst[IRQ_WORST_OFF].frames, 3);
	assert_int_equal(fake.off.fires, 3);
	assert_int_equal(fake.off.preempt_fires, 0);
}

static void short_ones_do_not_count(void **state)
{
	(void)state;
	fires(1000, 11, 0); /* 9 us */
	assert_int_equal(fake.n_places, 0);
	fires(2000, 12, 0);
	assert_int_equal(place(IRQ_IRQS_OFF, 0, HERE)->ns, 10 * US);
}

static void user_code_is_no_section(void **state)
{
	(void)state;
	fake.ctx.regs.cs = 0x33;
	fires(1000, 402, 0);
	assert_int_equal(place(IRQ_IRQS_OFF, 0, 0, 0, 0)->count, 1);
	assert_int_equal(fake.n_places, 1);
	assert_int_equal(fake.n_rows, 0);
}

static void idle_is_no_section(void **state)
{
	(void)state;
	fake.task.pid = 0;
	fires(1000, 402, 1);
	assert_int_equal(fake.n_places, 0);
	assert_int_equal(fake.off.fires, 1);
	fake.now_ns = 2100 * US;
	spans_softirq_enter(&fake.cpu.spans, 3);
	fires(2000, 402, 0x101); /* a softirq of an interrupt that woke it later than the probe should have */
	assert_int_equal(fake.n_places, 0);
	fires(3000, 402, 0x101); /* while it runs */
	assert_int_equal(place(IRQ_IRQS_OFF, 0, HERE)->count, 1);
	assert_int_equal(place(IRQ_PREEMPT_OFF, 0, HERE)->count, 0);
}

static void other_interrupts_and_the_hypervisor(void **state)
{
	(void)state;
	fires(900, 2, 0);
	/* One of 150 us that ends when the probe's interrupt can begin. */
	fake.now_ns = 1252 * US;
	spans_irq_enter(&fake.cpu.spans, SPAN_HARDIRQ, 45);
	fake.now_ns = 1402 * US;
	spans_irq_exit(&fake.cpu.spans, SPAN_HARDIRQ, 45);
	fires(1000, 402, 0);
	assert_int_equal(place(IRQ_IRQS_OFF, 0, HERE)->ns, 250 * US);
	set_per_cpu(sizeof(struct rq) + STEAL_BYTE, 395 * US);
	fires(2000, 402, 0);
	assert_int_equal(place(IRQ_IRQS_OFF, 0, HERE)->count, 1);
	fires(3000, 402, 0); /* it was not held up any more */
	assert_int_equal(place(IRQ_IRQS_OFF, 0, HERE)->ns, (250 + 400) * US);
}

static void whole_periods_are_missed(void **state)
{
	(void)state;
	fires(1000, 7402, 0);
	assert_int_equal(place(IRQ_IRQS_OFF, 0, HERE)->ns, 7400 * US);
}

static void preemption(void **state)
{
	(void)state;
	fires(1000, 2, 1);
	fires(2000, 2, 0);
	fires(3000, 402, 2);
	assert_int_equal(place(IRQ_PREEMPT_OFF, 0, HERE)->count, 2);
	assert_int_equal(place(IRQ_IRQS_OFF, 0, HERE)->count, 1);
	assert_int_equal(fake.off.preempt_fires, 2);
	/* In user code nobody keeps it off: what is counted there is of the probe's making. */
	fake.ctx.regs.cs = 0x33;
	fires(4000, 2, 1);
	fake.ctx.regs.cs = 0x10;
	fires(5000, 2, 1);
	assert_int_equal(fake.off.preempt_fires, 2);
	*(__s64 *)(uintptr_t)&preempt_count_from_rq_bytes = 0;
	fires(6000, 2, 5);
	assert_int_equal(fake.off.preempt_fires, 2);
}

static void no_room(void **state)
{
	(void)state;
	fake.update_returns = -E2BIG;
	fires(1000, 402, 1);
	assert_int_equal(fake.counts[IRQ_COUNT_PLACE_FULL], 2);
	fake.update_returns = -EBUSY;
	fires(2000, 402, 0);
	assert_int_equal(fake.losses[LOST_MAP_BUSY], 1);
	assert_int_equal(fake.counts[IRQ_COUNT_PLACE_FULL], 2);
	assert_int_equal(fake.row[0].of[IRQ_RUN].count, 2); /* they count all the same */
}

static void no_stack(void **state)
{
	(void)state;
	fake.frames = -EFAULT;
	fires(1000, 402, 0);
	assert_int_equal(place(IRQ_IRQS_OFF, 0, fake.ctx.regs.ip, 0, 0)->count, 1);
}

static void not_yet(void **state)
{
	(void)state;
	enabled = 0;
	fires(1000, 402, 1);
	assert_int_equal(fake.off.fires + fake.n_places, 0);
}

/* --- The kernel's own tracepoints. */

#define AT 0x1000, 0x2000 /* where it is switched, and that function's caller */

static void exact_sections(void **state)
{
	(void)state;
	fake.now_ns = 100 * US;
	on_irq_disable(NULL, AT);
	fake.now_ns = 150 * US;
	on_irq_disable(NULL, 0x3000, 0x4000); /* inside of it */
	fake.now_ns = 300 * US;
	on_irq_enable(NULL, AT);
	on_irq_enable(NULL, AT); /* they were on */
	assert_int_equal(place(IRQ_IRQS_OFF, 1, AT, 0)->count, 1);
	assert_int_equal(place(IRQ_IRQS_OFF, 1, AT, 0)->ns, 200 * US);
	assert_int_equal(fake.row[0].of[IRQ_RUN].max_ns, 200 * US);
	assert_int_equal(fake.worst[IRQ_WORST_OFF].total_ns, 200 * US);
	on_preempt_disable(NULL, AT);
	fake.now_ns = 800 * US;
	on_preempt_enable(NULL, AT);
	assert_int_equal(place(IRQ_PREEMPT_OFF, 1, AT, 0)->ns, 500 * US);
	assert_int_equal(fake.row_key[1].kind, IRQ_PREEMPT_OFF);
	assert_int_equal(fake.row[1].of[IRQ_RUN].count, 1);
	assert_int_equal(fake.worst[IRQ_WORST_OFF].total_ns, 200 * US); /* cases are of the other kind only */
}

/* An interrupt keeps others waiting; that is its own time. */
static void exact_without_interrupts(void **state)
{
	(void)state;
	fake.now_ns = 2 * US;
	on_irq_disable(NULL, AT);
	fake.now_ns = 5 * US;
	spans_irq_enter(&fake.cpu.spans, SPAN_HARDIRQ, 45);
	fake.now_ns = 105 * US;
	spans_irq_exit(&fake.cpu.spans, SPAN_HARDIRQ, 45);
	fake.now_ns = 110 * US;
	on_irq_enable(NULL, AT);
	assert_int_equal(fake.n_places, 0); /* 8 us are left */
	on_irq_disable(NULL, AT);
	fake.now_ns = 109 * US; /* clocks may do that */
	on_irq_enable(NULL, AT);
	assert_int_equal(fake.n_places, 0);
}

static void exact_idle(void **state)
{
	(void)state;
	fake.task.pid = 0;
	fake.now_ns = 100 * US;
	on_irq_disable(NULL, AT);
	on_preempt_disable(NULL, AT);
	fake.now_ns = 900 * US;
	fake.task.pid = 812; /* the idle task's section ends in the next one */
	on_irq_enable(NULL, AT);
	on_preempt_enable(NULL, AT);
	assert_int_equal(fake.n_places, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_section_in_the_kernel, boot),
		cmocka_unit_test_setup(short_ones_do_not_count, boot),
		cmocka_unit_test_setup(user_code_is_no_section, boot),
		cmocka_unit_test_setup(idle_is_no_section, boot),
		cmocka_unit_test_setup(other_interrupts_and_the_hypervisor, boot),
		cmocka_unit_test_setup(whole_periods_are_missed, boot),
		cmocka_unit_test_setup(preemption, boot),
		cmocka_unit_test_setup(no_room, boot),
		cmocka_unit_test_setup(no_stack, boot),
		cmocka_unit_test_setup(not_yet, boot),
		cmocka_unit_test_setup(exact_sections, boot),
		cmocka_unit_test_setup(exact_without_interrupts, boot),
		cmocka_unit_test_setup(exact_idle, boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
