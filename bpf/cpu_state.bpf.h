/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a CPU's per-CPU variables say of it. They lie at distances from its run queue that user space takes from the
 * kernel's BTF (core/kernel_btf.h); a run queue is what a task leads to. NULL in place of one: nothing is known.
 */
#ifndef CPU_STATE_BPF_H
#define CPU_STATE_BPF_H

#include "core.bpf.h"

/* From the per-CPU variable `runqueues` to `steal_time`; 0: no hypervisor that tells. */
const volatile __s64 steal_from_rq_bytes = 0;
/* Likewise to `__irq_regs`; 0: not known. */
const volatile __s64 irq_regs_from_rq_bytes = 0;

/* ns for which the hypervisor ran something else than this CPU, although it had work. */
static __always_inline __u64 cpu_steal_ns(struct rq *rq)
{
	__u64 ns = 0;

	if (steal_from_rq_bytes && rq)
		bpf_probe_read_kernel(&ns, sizeof(ns), (void *)rq + steal_from_rq_bytes);
	return ns;
}

/*
 * Did the interrupt that is being handled here find the CPU in user code, where interrupts are always on? The kernel
 * keeps the registers it interrupted in the per-CPU variable __irq_regs.
 */
static __always_inline bool cpu_interrupted_user(struct rq *rq)
{
	struct pt_regs *regs = NULL;

	if (!irq_regs_from_rq_bytes || !rq)
		return false;
	bpf_probe_read_kernel(&regs, sizeof(regs), (void *)rq + irq_regs_from_rq_bytes);
	return regs && core_is_user(regs);
}

/* The preempt count here, with what marks interrupts. False: not known. */
static __always_inline bool cpu_preempt_count(struct rq *rq, __u32 *count)
{
#if defined(__TARGET_ARCH_arm64)
	struct task_struct *task = (void *)bpf_get_current_task();

	*count = (__u32)BPF_CORE_READ(task, thread_info.preempt_count);
	return true;
#else
	__s64 at = preempt_count_from_rq_bytes;

	if (!at || !rq)
		return false;
	if (bpf_core_type_exists(struct pcpu_hot))
		at += bpf_core_field_offset(struct pcpu_hot, preempt_count);
	return !bpf_probe_read_kernel(count, sizeof(*count), (void *)rq + at);
#endif
}

#endif
