/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line: a driver of qemu's device "edu" (docs/specs/edu.rst there), whose interrupts it has raised by a thread of its
 * own. Two handlers share the line: "line_first" takes a known time and wakes a thread that takes one, too;
 * "line_second" has nothing to do. What `kbpfprof irq` says of them is compared with what is known here.
 *
 * In /sys/module/line/parameters: set hard_us and thread_us, then `rounds`, which counts down to 0. The sums are the
 * result; so is `number`, the line's.
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sched.h>

#define EDU_STATUS 0x24
#define EDU_RAISE  0x60
#define EDU_ACK	   0x64

static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "where the thread runs that raises them");

static unsigned int hard_us, thread_us, pause_us = 5300;
module_param(hard_us, uint, 0644);
module_param(thread_us, uint, 0644);
module_param(pause_us, uint, 0644);
MODULE_PARM_DESC(pause_us, "sleep after every round");

static unsigned int rounds;
module_param(rounds, uint, 0644);
MODULE_PARM_DESC(rounds, "how many to come");

static int number;
module_param(number, int, 0444);

static unsigned long hard_count, hard_ns, thread_count, thread_ns, wait_ns, wait_max_ns;
module_param(hard_count, ulong, 0644);
module_param(hard_ns, ulong, 0644);
module_param(thread_count, ulong, 0644);
module_param(thread_ns, ulong, 0644);
module_param(wait_ns, ulong, 0644);
MODULE_PARM_DESC(wait_ns, "from the end of the hard handler until its thread runs: sum");
module_param(wait_max_ns, ulong, 0644);

static struct pci_dev *edu;
static void __iomem *registers;
static struct task_struct *raiser;
static u64 hard_end_ns;
static int second; /* an identity for the other handler */

static u64 line_spin(u64 start_ns, unsigned int us)
{
	u64 now_ns;

	do {
		cpu_relax();
		now_ns = ktime_get_ns();
	} while (now_ns - start_ns < us * 1000ULL);
	return now_ns;
}

static irqreturn_t line_hard(int irq, void *unused)
{
	u64 start_ns = ktime_get_ns();
	u32 status = readl(registers + EDU_STATUS);

	if (!status)
		return IRQ_NONE;
	writel(status, registers + EDU_ACK);
	hard_end_ns = line_spin(start_ns, hard_us);
	hard_ns += hard_end_ns - start_ns;
	hard_count++;
	return IRQ_WAKE_THREAD;
}

static irqreturn_t line_thread(int irq, void *unused)
{
	u64 start_ns = ktime_get_ns(), waited_ns = start_ns - READ_ONCE(hard_end_ns);

	wait_ns += waited_ns;
	if (waited_ns > wait_max_ns)
		wait_max_ns = waited_ns;
	thread_ns += line_spin(start_ns, thread_us) - start_ns;
	thread_count++;
	return IRQ_HANDLED;
}

static irqreturn_t line_second(int irq, void *unused)
{
	return IRQ_NONE;
}

static int line_raiser(void *unused)
{
	while (!kthread_should_stop()) {
		usleep_range(pause_us, pause_us + 10);
		if (!READ_ONCE(rounds))
			continue;
		writel(1, registers + EDU_RAISE);
		rounds--;
	}
	return 0;
}

/* Not forced into threads on PREEMPT_RT: the hard handler is to be one. */
#define FLAGS (IRQF_SHARED | IRQF_NO_THREAD)

static int line_request(void)
{
	int err = request_threaded_irq(number, line_hard, line_thread, FLAGS, "line_first", &edu);

	if (err)
		return err;
	err = request_irq(number, line_second, FLAGS, "line_second", &second);
	if (err)
		free_irq(number, &edu);
	return err;
}

static int line_find(void)
{
	int err;

	edu = pci_get_device(0x1234, 0x11e8, NULL);
	if (!edu)
		return -ENODEV;
	err = pci_enable_device(edu);
	if (err)
		return err;
	pci_set_master(edu);
	err = pci_alloc_irq_vectors(edu, 1, 1, PCI_IRQ_MSI);
	if (err < 0)
		return err;
	number = pci_irq_vector(edu, 0);
	registers = pci_iomap(edu, 0, 0);
	return registers ? 0 : -ENOMEM;
}

/* What fails is left as it is: the guest is there for one run. */
static int __init line_init(void)
{
	int err = line_find();

	if (!err)
		err = line_request();
	if (err)
		return err;
	raiser = kthread_create(line_raiser, NULL, "line_raiser");
	if (IS_ERR(raiser))
		return PTR_ERR(raiser);
	kthread_bind(raiser, cpu);
	wake_up_process(raiser);
	return 0;
}

static void __exit line_exit(void)
{
	kthread_stop(raiser);
	free_irq(number, &second);
	free_irq(number, &edu);
	pci_iounmap(edu, registers);
	pci_free_irq_vectors(edu);
	pci_disable_device(edu);
	pci_dev_put(edu);
}

module_init(line_init);
module_exit(line_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a shared line with a threaded handler, of known lengths");
