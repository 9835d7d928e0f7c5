// SPDX-License-Identifier: GPL-2.0-only
/*
 * Question: what do interrupts cost, and how long does their work wait?
 * Hook:     irq_handler_*, irq_vectors:* (x86), ipi_entry (arm64), nmi_handler; softirq_*; sched_switch where
 *           interrupts have threads; workqueue_*, tasklet_*, ipi_send_*, a timer of its own if asked for. Only those
 *           that the question needs are loaded (src/tools/irq_programs.c).
 * Counted:  each event that began and ended while measured, in the row of its source and CPU.
 * Kernel:   5.10; what later ones add is left out where it is not there.
 */
#include "vmlinux.h"

#include "irq_cases.bpf.h"
#include "irq_hard.bpf.h"
#include "irq_ipi.bpf.h"
#include "irq_off.bpf.h"
#include "irq_rows.bpf.h"
#include "irq_soft.bpf.h"
#include "irq_threads.bpf.h"
#include "irq_work.bpf.h"

char LICENSE[] SEC("license") = "GPL";

static __always_inline int switched(void *ctx, struct task_struct *prev, struct task_struct *next)
{
	bool softs = config.softirqs_are_threads && config.softirqs;
	__u32 cpu_id;
	struct irq_cpu *cpu = softs || threads_awake ? irq_cpu_here(&cpu_id) : NULL;
	__u64 now_ns;

	if (!cpu)
		return 0;
	now_ns = bpf_ktime_get_ns();
	if (softs)
		soft_switch(cpu, (__u32)core_read(prev, pid), (__u32)core_read(next, pid), now_ns);
	if (config.threads && threads_awake)
		thread_switch(ctx, cpu, cpu_id, prev, next, now_ns);
	return 0;
}

/* Where interrupts have threads, and where softirqs are tasks' work. */
SEC("raw_tp/sched_switch")
int on_switch(unsigned long long *ctx)
{
	if (config.switch_shift)
		return switched(ctx, (struct task_struct *)ctx[2], (struct task_struct *)ctx[3]);
	return switched(ctx, (struct task_struct *)ctx[1], (struct task_struct *)ctx[2]);
}
