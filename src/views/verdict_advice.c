/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/verdict_advice.h"

#include <string.h>

#define STEER	    "steer that interrupt to another CPU (/proc/irq/N/smp_affinity)"
#define IDLE_STATES "forbid deep idle states (hold /dev/cpu_dma_latency open at 0, or cpupower idle-set -D 0)"
#define HOST	    "give this virtual CPU a core of its own on the host"

static const char *const advices[WAKE_CAUSES] = {
	[CAUSE_TIMER_PAST] =
		"the task itself programs its timer late: let it sleep until a fixed time (clock_nanosleep "
		"with TIMER_ABSTIME), and do less in a period",
	[CAUSE_TIMER_SLACK] =
		"set its timer slack (prctl PR_SET_TIMERSLACK), or give it a realtime policy, which has none",
	[CAUSE_TIMER_IRQS_OFF] = "shorten the section that keeps interrupts off, or keep that work off this CPU",
	[CAUSE_TIMER_HARDWARE] = HOST ", or, on real hardware, look for SMIs (the hwlat tracer, firmware settings)",
	[CAUSE_TIMER_IDLE] = IDLE_STATES,
	[CAUSE_TIMER_BEHIND] = STEER,
	[CAUSE_TIMER_HANDLER] =
		"many timers expire at once on this CPU: move some of their tasks, or this one, elsewhere",
	[CAUSE_TIMER_SOFTIRQ] =
		"its timer waits for a softirq or its thread: give the task a realtime policy, or raise "
		"that thread's priority",
	[CAUSE_ACTIVATION] = "waking takes long: wake it from the CPU it runs on, and fewer tasks at once",
	[CAUSE_ACTIVATION_REMOTE] =
		"its CPU takes the wakeup late: see what keeps interrupts off there, or wake it from "
		"its own CPU",
	[CAUSE_HARDIRQ] = STEER " or run it threaded",
	[CAUSE_VECTOR] = "keep what sends these interrupts off this CPU (isolcpus, nohz_full)",
	[CAUSE_NMI] = "find who asks for NMIs (perf, or the watchdog: sysctl kernel.nmi_watchdog=0)",
	[CAUSE_SOFTIRQ] =
		"steer the device's interrupt to another CPU (smp_affinity), spread its packets (RPS), or use "
		"threaded NAPI",
	[CAUSE_TASK_BETTER] = "raise the task's priority above it, or move one of them to another CPU",
	[CAUSE_TASK_SAME] = "give them different priorities, or different CPUs",
	[CAUSE_TASK_FAIR] =
		"give the task a realtime policy (chrt) or a better nice value, or let fewer tasks run on its "
		"CPU",
	[CAUSE_TASK_WORSE] =
		"its kernel section cannot be preempted: shorten it, keep that task off this CPU, or use a "
		"kernel that preempts more (preempt=full, PREEMPT_RT)",
	[CAUSE_TASK_BOOSTED] = "shorten what it does under the lock, or do not share that lock with it",
	[CAUSE_RT_THROTTLED] = "realtime tasks used up their share of the CPU: let them sleep more, or raise "
			       "kernel.sched_rt_runtime_us",
	[CAUSE_QUOTA] = "widen the CPU quota of its cgroup (cpu.max)",
	[CAUSE_DL_BUDGET] = "give it a larger runtime (chrt --sched-runtime)",
	[CAUSE_AFFINITY] = "allow it more CPUs (taskset, cpuset): some were idle",
	[CAUSE_IDLE] = IDLE_STATES,
	[CAUSE_STEAL] = "the hypervisor ran something else: " HOST,
	[CAUSE_SWITCH] = "that is the scheduler's own work: fewer wakeups, or a faster CPU, are all that helps",
};

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

const char *verdict_advice(enum wake_cause cause, const char *name)
{
	if (cause == CAUSE_TASK_BETTER && begins(name, "irq/"))
		return "raise the task's priority above that interrupt's thread, or steer the interrupt to another CPU "
		       "(smp_affinity: its thread follows)";
	if (cause == CAUSE_TASK_BETTER && (begins(name, "ksoftirqd/") || begins(name, "ktimers/")))
		return "raise the task's priority above that softirq thread, or steer the device's interrupt to "
		       "another "
		       "CPU (smp_affinity)";
	return (unsigned)cause < WAKE_CAUSES ? advices[cause] : NULL;
}

const char *verdict_kind(enum wake_cause cause)
{
	static const char *const kinds[WAKE_CAUSES] = {
		[CAUSE_TIMER_BEHIND] = "timers late behind other interrupts",
		[CAUSE_HARDIRQ] = "work in hard IRQs",
		[CAUSE_VECTOR] = "work in interrupts without a line",
		[CAUSE_SOFTIRQ] = "work in softirqs",
		[CAUSE_TASK_BETTER] = "waiting for tasks of better priority",
		[CAUSE_TASK_SAME] = "waiting for tasks of the same priority",
		[CAUSE_TASK_FAIR] = "sharing the CPU with other tasks",
		[CAUSE_TASK_WORSE] = "waiting for tasks that kept the CPU (not preemptible)",
		[CAUSE_TASK_BOOSTED] = "waiting for tasks with a lent priority",
		[CAUSE_AFFINITY] = "waiting here while idle CPUs are forbidden by affinity",
	};

	return (unsigned)cause < WAKE_CAUSES ? kinds[cause] : NULL;
}
