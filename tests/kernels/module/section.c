/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * section: a kernel thread that keeps interrupts off, or preemption, for a known time.
 * What `kbpfprof wakeup` says of such sections is compared with what is known here: their length by
 * the clock, and the names of the functions in which they lie.
 *
 * In /sys/module/section/parameters: set one length, then `rounds`, which counts down to 0. longest_ns and total_ns are
 * the result.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "where the thread runs");

static unsigned int irqs_off_us, preemption_off_us;
module_param(irqs_off_us, uint, 0644);
MODULE_PARM_DESC(irqs_off_us, "length of a section with interrupts off; 0: none");
module_param(preemption_off_us, uint, 0644);
MODULE_PARM_DESC(preemption_off_us, "length of a section with preemption off; 0: none");

static unsigned int pause_ms = 20;
module_param(pause_ms, uint, 0644);
MODULE_PARM_DESC(pause_ms, "sleep after every round");

static unsigned int rounds;
module_param(rounds, uint, 0644);
MODULE_PARM_DESC(rounds, "how many to come");

static unsigned long longest_ns;
module_param(longest_ns, ulong, 0644);
MODULE_PARM_DESC(longest_ns, "of all sections since it was 0");

static unsigned long total_ns;
module_param(total_ns, ulong, 0644);
MODULE_PARM_DESC(total_ns, "likewise: sum");

static struct task_struct *thread;

/* Returns how long it took. */
static noinline u64 section_spin(unsigned int us)
{
	u64 start_ns = ktime_get_ns(), now_ns;

	do {
		cpu_relax();
		now_ns = ktime_get_ns();
	} while (now_ns - start_ns < us * 1000ULL);
	return now_ns - start_ns;
}

/* Not inlined, and never in a tail call: a section's end is to be seen in the function that it is named after. */
static noinline u64 section_irqs_off(unsigned int us)
{
	u64 length_ns;

	local_irq_disable();
	length_ns = section_spin(us);
	local_irq_enable();
	barrier();
	return length_ns;
}

static noinline u64 section_preemption_off(unsigned int us)
{
	u64 length_ns;

	preempt_disable();
	length_ns = section_spin(us);
	preempt_enable();
	barrier();
	return length_ns;
}

static void section_round(void)
{
	u64 length_ns = 0;

	if (irqs_off_us)
		length_ns = section_irqs_off(irqs_off_us);
	if (preemption_off_us)
		length_ns = section_preemption_off(preemption_off_us);
	total_ns += length_ns;
	if (length_ns > longest_ns)
		longest_ns = length_ns;
}

static int section_thread(void *unused)
{
	while (!kthread_should_stop()) {
		msleep_interruptible(pause_ms);
		if (!READ_ONCE(rounds))
			continue;
		section_round();
		rounds--;
	}
	return 0;
}

static int __init section_init(void)
{
	thread = kthread_create(section_thread, NULL, "section");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, cpu);
	wake_up_process(thread);
	return 0;
}

static void __exit section_exit(void)
{
	kthread_stop(thread);
}

module_init(section_init);
module_exit(section_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("sections without interrupts or preemption, of known length");
