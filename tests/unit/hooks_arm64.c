/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf/hooks.bpf.h as for arm64, compiled for the host: IPIs, whose lines are all called the same, and interrupts that
 * come as NMIs in the midst of others.
 */
#define __TARGET_ARCH_arm64
#define __bpf__ /* types come from vmlinux.h */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "vmlinux.h"

#include "../../bpf/hooks.bpf.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

#define IN_HARDIRQ (1 << 16) /* include/linux/preempt.h */
#define IN_NMI	   (1 << 20)

static struct {
	struct context_cpu cpu;
	struct task_struct task;
	uint64_t now;
	__u64 counts[WAKE_COUNTS];
} fake;

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	if (map == &counts)
		return &fake.counts[*(const __u32 *)key];
	return map == &contexts ? &fake.cpu : NULL;
}

static __u64 bpf_ktime_get_ns(void)
{
	return fake.now;
}

static __u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static __u64 bpf_get_current_pid_tgid(void)
{
	return 0;
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
	strncpy(to, from, bytes - 1);
	return 0;
}

static void begin(void)
{
	memset(&fake, 0, sizeof(fake));
	enabled = 1;
	fake.now = 1000;
}

static void entry(int irq, const char *name, int preempt_count)
{
	struct irqaction action = { .name = name };

	fake.task.thread_info.preempt_count = preempt_count;
	on_irq_entry(NULL, irq, &action);
}

static void end(int irq, int preempt_count)
{
	fake.task.thread_info.preempt_count = preempt_count;
	on_irq_exit(NULL, irq);
}

static const struct span *newest(unsigned back)
{
	return spans_slot(&fake.cpu.spans, fake.cpu.spans.head - 1 - back);
}

/* As arch/arm64/kernel/smp.c and /proc/interrupts have them, from 5.10 to 7.2. */
static void ipis_by_their_text(void **state)
{
	static const struct {
		const char *text;
		int id; /* -1: stays the line's */
	} rows[] = {
		{ "Rescheduling interrupts", VECTOR_IPI_RESCHEDULE },
		{ "Function call interrupts", VECTOR_IPI_CALL_FUNCTION },
		{ "CPU stop interrupts", VECTOR_IPI_STOP },
		{ "CPU stop (for crash dump) interrupts", VECTOR_IPI_STOP },
		{ "CPU stop NMIs", VECTOR_IPI_STOP },
		{ "Timer broadcast interrupts", VECTOR_IPI_TIMER },
		{ "IRQ work interrupts", VECTOR_IPI_IRQ_WORK },
		{ "CPU wake-up interrupts", VECTOR_IPI_WAKEUP },
		{ "CPU backtrace interrupts", -1 },
		{ "KGDB roundup interrupts", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		entry(3, "IPI", IN_HARDIRQ);
		on_ipi_entry(NULL, rows[i].text);
		fake.now += 5;
		end(3, IN_HARDIRQ);
		assert_int_equal(fake.cpu.spans.head, 1);
		assert_int_equal(newest(0)->net_ns, 5);
		assert_int_equal(newest(0)->kind, rows[i].id < 0 ? SPAN_HARDIRQ : SPAN_VECTOR);
		assert_int_equal(newest(0)->id, rows[i].id < 0 ? 3 : rows[i].id);
		assert_string_equal(newest(0)->name, rows[i].id < 0 ? "IPI" : "");
		assert_int_equal(fake.counts[WAKE_COUNT_MISSED_END], 0);
	}
}

/* Without an interrupt that is open nothing begins: its line was not seen. */
static void ipi_without_its_line(void **state)
{
	(void)state;
	begin();
	on_ipi_entry(NULL, "Rescheduling interrupts");
	assert_int_equal(fake.cpu.spans.open[LEVEL_HARDIRQ].kind, SPAN_NONE);
	assert_int_equal(fake.cpu.spans.head, 0);
}

/* The timer's interrupt from 1000 to 1100; from 1020 to 1050 the PMU's, as an NMI. */
static void nmi_in_an_interrupt(void **state)
{
	(void)state;
	begin();
	entry(11, "arch_timer", IN_HARDIRQ);
	fake.now = 1020;
	entry(16, "arm-pmu", IN_HARDIRQ + IN_HARDIRQ + IN_NMI);
	assert_string_equal(fake.cpu.spans.open[LEVEL_HARDIRQ].name, "arch_timer");
	fake.now = 1050;
	end(16, IN_HARDIRQ + IN_HARDIRQ + IN_NMI);
	fake.now = 1100;
	end(11, IN_HARDIRQ);
	end(16, IN_HARDIRQ + IN_NMI); /* of one that was not seen to begin */
	assert_int_equal(fake.counts[WAKE_COUNT_MISSED_END], 0);
	assert_int_equal(fake.cpu.spans.head, 2);
	assert_int_equal(newest(1)->kind, SPAN_NMI);
	assert_int_equal(newest(1)->start_ns, 1020);
	assert_int_equal(newest(1)->net_ns, 30);
	assert_int_equal(newest(0)->kind, SPAN_HARDIRQ);
	assert_int_equal(newest(0)->id, 11);
	assert_int_equal(newest(0)->net_ns, 70);
	assert_int_equal(fake.cpu.spans.inner_ns[LEVEL_TASK], 100);
}

/* An IPI that comes as an NMI is that, and not the interrupt in which it comes. */
static void ipi_as_nmi(void **state)
{
	(void)state;
	begin();
	entry(11, "arch_timer", IN_HARDIRQ);
	entry(4, "IPI", IN_HARDIRQ + IN_HARDIRQ + IN_NMI);
	on_ipi_entry(NULL, "CPU stop NMIs");
	assert_int_equal(fake.cpu.spans.open[LEVEL_HARDIRQ].kind, SPAN_HARDIRQ);
	assert_int_equal(fake.cpu.spans.open[LEVEL_HARDIRQ].id, 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipis_by_their_text),
		cmocka_unit_test(ipi_without_its_line),
		cmocka_unit_test(nmi_in_an_interrupt),
		cmocka_unit_test(ipi_as_nmi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
