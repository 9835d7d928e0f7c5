/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/section_end.h"

#include <stddef.h>
#include <string.h>

/* Names below are beginnings. They are of kernels 5.10 to 7.2, x86 and arm64. */

static const char *const ends[] = {
	/* Spinlocks and reader-writer locks: released, then interrupts or preemption are on
	   (kernel/locking/spinlock.c). */
	"_raw_spin_unlock",
	"_raw_read_unlock",
	"_raw_write_unlock",
	"__raw_spin_unlock",
	"__raw_read_unlock",
	"__raw_write_unlock",
	/* PREEMPT_RT's, which let tasks move between CPUs again (kernel/locking/spinlock_rt.c). */
	"rt_spin_unlock",
	"rt_read_unlock",
	"rt_write_unlock",
	"migrate_enable",
	/* A run queue's lock, whoever had it (kernel/sched/core.c, since 5.14). */
	"raw_spin_rq_unlock",
	/* Interrupts on, or as they were before; inlined but where somebody watches (include/linux/irqflags.h). */
	"local_irq_",
	"raw_local_irq_",
	"arch_local_irq_",
	"trace_hardirqs_on",
	"lockdep_hardirqs_on",
	/* Softirqs on: those that are due run at once (kernel/softirq.c). */
	"__local_bh_enable",
	"local_bh_enable",
	"_local_bh_enable",
	/* Preemption on, where it is watched or debugged (kernel/sched/core.c). */
	"preempt_count_sub",
	"trace_preempt_on",
	/* RCU's readers, where they may be preempted (kernel/rcu/tree_plugin.h). */
	"__rcu_read_unlock",
	"rcu_read_unlock",
	/* x86: what a kernel on the bare machine, or a guest of Xen, PVM and others has for interrupts on and for other
	 * single instructions, called through a table (arch/x86/kernel/paravirt.c). */
	"native_",
	"pv_",
	"pvm_",
	"xen_irq_",
	"xen_restore_fl",
	"paravirt_",
	"__raw_callee_save_",
};

static const char *const locks[] = {
	"_raw_spin_lock",
	"_raw_spin_trylock",
	"_raw_read_lock",
	"_raw_write_lock",
	"raw_spin_rq_lock",
	/* The slow ways, where the lock is another CPU's (kernel/locking/qspinlock.c). */
	"__pv_queued_spin_lock",
	"queued_spin_lock",
	"queued_read_lock",
	"queued_write_lock",
	"do_raw_spin_lock",
	/* Softirqs and preemption off. */
	"__local_bh_disable",
	"preempt_count_add",
};

#define HAS(list, name) has(list, sizeof(list) / sizeof((list)[0]), name)

static bool has(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, list[i], strlen(list[i])))
			return true;
	return false;
}

bool section_is_end(const char *function)
{
	return HAS(ends, function);
}

bool section_is_lock(const char *function)
{
	return HAS(locks, function);
}
