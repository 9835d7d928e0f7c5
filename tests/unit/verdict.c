/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict: for each cause the right advice, and none where the evidence is thin. */
#include <locale.h>

#include "latency_build.h"
#include "views/verdict.h"
#include "views/verdict_advice.h"

static char *verdict_of(struct recording *r)
{
	static char buf[VERDICT_BYTES]; /* a test's, one at a time */
	struct causes causes;

	assert_int_equal(causes_open(&causes, r->latency), 0);
	verdict_text(buf, r, &causes);
	causes_close(&causes);
	return buf;
}

static void says(struct recording *r, const char *part)
{
	has(verdict_of(r), part);
}

static void says_not(struct recording *r, const char *part)
{
	has_not(verdict_of(r), part);
}

/* 1000 delays, 990 of 3 us by the switch, 10 of 100 us; those by `cause` to `pct` percent, the rest by the switch. */
static struct recording *hundredth(enum wake_cause cause, int id, const char *name, unsigned pct)
{
	struct recording *r = latency_new();

	latency_add(r, "", LATENCY_WAKING, 3000, 990);
	latency_add(r, "", LATENCY_WAKING, 100000, 10);
	latency_took(r, 3000, CAUSE_SWITCH, 0, "", 990 * 3000);
	latency_took(r, 100000, cause, id, name, 10000 * pct);
	if (pct < 100)
		latency_took(r, 100000, CAUSE_SWITCH, 0, "", 10000 * (100 - pct));
	return r;
}

/* What the field tells to do about each: the words that must not be missing. */
static void test_each_cause(void **state)
{
	static const struct {
		enum wake_cause cause;
		int id;
		const char *name, *what, *advice;
	} rows[] = {
		{ CAUSE_TIMER_PAST, 0, "", "timer due before", "TIMER_ABSTIME" },
		{ CAUSE_TIMER_SLACK, 0, "", "timer slack is the", "PR_SET_TIMERSLACK" },
		{ CAUSE_TIMER_IRQS_OFF, 0, "", "timer late: interrupts off is", "shorten the section" },
		{ CAUSE_TIMER_HARDWARE, 0, "", "hypervisor or firmware", "SMI" },
		{ CAUSE_TIMER_IDLE, 0, "", "idle exit", "cpu_dma_latency" },
		{ CAUSE_TIMER_BEHIND, 0, "eth0", "behind eth0", "smp_affinity" },
		{ CAUSE_TIMER_HANDLER, 0, "", "handler", "move some" },
		{ CAUSE_TIMER_SOFTIRQ, 0, "", "softirq or thread", "realtime policy" },
		{ CAUSE_ACTIVATION, 0, "", "activation", "wake it from the CPU" },
		{ CAUSE_ACTIVATION_REMOTE, 0, "", "activation by", "interrupts off there" },
		{ CAUSE_HARDIRQ, 45, "eth0", "hard IRQ 45 eth0 is", "smp_affinity) or run it threaded" },
		{ CAUSE_VECTOR, VECTOR_CALL_FUNCTION, "", "function call interrupt", "isolcpus" },
		{ CAUSE_NMI, 0, "", "NMI is", "nmi_watchdog" },
		{ CAUSE_SOFTIRQ, 3, "", "softirq NET_RX is", "RPS" },
		{ CAUSE_TASK_BETTER, 0, "logger", "logger (better priority) is", "raise the task's priority" },
		{ CAUSE_TASK_BETTER, 0, "irq/45-eth0", "irq/45-eth0", "steer the interrupt" },
		{ CAUSE_TASK_BETTER, 0, "ksoftirqd/1", "ksoftirqd/1", "softirq thread" },
		{ CAUSE_TASK_SAME, 0, "twin", "twin (same priority) is", "different priorities" },
		{ CAUSE_TASK_FAIR, 0, "cc1", "cc1 shared the CPU is", "chrt" },
		{ CAUSE_TASK_WORSE, 0, "camera", "camera kept the CPU", "PREEMPT_RT" },
		{ CAUSE_TASK_BOOSTED, 0, "owner", "owner (priority lent by", "lock" },
		{ CAUSE_RT_THROTTLED, 0, "", "RT throttling is", "sched_rt_runtime_us" },
		{ CAUSE_QUOTA, 0, "", "CPU quota", "cpu.max" },
		{ CAUSE_DL_BUDGET, 0, "", "DEADLINE budget", "--sched-runtime" },
		{ CAUSE_AFFINITY, 0, "spin", "spin ran here", "taskset" },
		{ CAUSE_IDLE, 0, "", "idle exit is", "cpu_dma_latency" },
		{ CAUSE_STEAL, 0, "", "hypervisor (steal) is", "core of its own" },
		{ CAUSE_SWITCH, 0, "", "context switch is", "scheduler's own work" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct recording *r = hundredth(rows[i].cause, rows[i].id, rows[i].name, 80);

		says(r, rows[i].what);
		says(r, rows[i].advice);
		says(r, rows[i].cause == CAUSE_SWITCH ? "100 % of the 10 delays >= " : "80 % of the 10 delays >= ");
		recording_free(r);
	}
}

/* Two fifths are asked for: 40 % are enough, 39 % are not, however few the others have. */
static void test_two_fifths(void **state)
{
	struct recording *r = latency_new();

	(void)state;
	latency_add(r, "", LATENCY_WAKING, 3000, 990);
	latency_add(r, "", LATENCY_WAKING, 100000, 10);
	latency_took(r, 100000, CAUSE_NMI, 0, "", 400000);
	latency_took(r, 100000, CAUSE_IDLE, 0, "", 300000);
	latency_took(r, 100000, CAUSE_STEAL, 0, "", 300000);
	says(r, "NMI is the largest cause, 40 %");
	latency_took(r, 100000, CAUSE_SWITCH, 0, "", 20000);
	says(r, "no single cause holds 40 % of the time of the 10 delays >= ");
	says(r, "(--above TIME)");
	recording_free(r);
}

/* The unexplained has no cure, wherever it came from. */
static void test_unexplained(void **state)
{
	struct recording *r = hundredth(CAUSE_UNEXPLAINED, 0, "", 45);

	(void)state;
	latency_took(r, 100000, CAUSE_UNEXPLAINED_SNAPSHOT, 0, "", 1000000);
	says(r, "none: 72 % of the 10 delays >= ");
	says(r, "is unexplained");
	says_not(r, ": steer");
	recording_free(r);
}

/* Ten tasks of 0.2 ms each, of 2.8 in all, are one cause; one that holds most, 5.2 of 7.8, is named. */
static void test_many_of_a_kind(void **state)
{
	struct recording *r = hundredth(CAUSE_TASK_FAIR, 0, "cc1", 20);
	char name[] = "sh-0";

	(void)state;
	for (; name[3] < '9'; name[3]++)
		latency_took(r, 100000, CAUSE_TASK_FAIR, 0, name, 200000);
	says(r, "sharing the CPU with other tasks is the largest cause, 71 %");
	says(r, "chrt");
	latency_took(r, 100000, CAUSE_TASK_FAIR, 0, "cc1", 5000000);
	says(r, "cc1 shared the CPU is the largest cause, 90 %");
	recording_free(r);
}

/* The user's own limit is what matters, even if it was reached once. */
static void test_limit(void **state)
{
	struct recording *r = hundredth(CAUSE_NMI, 0, "", 100);
	struct rec_case c;

	(void)state;
	latency_add(r, "", LATENCY_WAKING, 5000000, 1);
	latency_took(r, 5000000, CAUSE_QUOTA, 0, "", 5000000);
	r->latency->above_ns = 1000000;
	says(r, "CPU quota of its cgroup is the largest cause, 100 % of the one delay >= 917.5 us");
	r->latency->above_ns = 6000000;
	assert_string_equal(verdict_of(r), "no delay reached 6.0 ms, the longest was 5.0 ms: nothing to mend");
	/* Without a limit the hundredth says the time's cause, and the worst is told beside it if it differs. */
	r->latency->above_ns = 0;
	c = latency_case_of(r, LATENCY_WAKING, 5000000);
	latency_part(r, &c, CAUSE_QUOTA, 0, "", 1, 5000000);
	assert_int_equal(latency_case(r->latency, &c), 0);
	latency_took(r, 100000, CAUSE_NMI, 0, "", 5000000);
	says(r, "NMI is the largest cause, 55 % of the 11 delays >= ");
	says(r, "; but 100 % of the worst delay, 5.0 ms, is CPU quota of its cgroup");
	recording_free(r);
}

/* Waits after a preemption count for the limit as wakeups do. */
static void test_preempted(void **state)
{
	struct recording *r = latency_new();

	(void)state;
	latency_add(r, "", LATENCY_PREEMPTED, 8000000, 20);
	latency_preempted_took(r, 8000000, CAUSE_TASK_FAIR, "cc1", 160000000);
	r->latency->above_ns = 1000000;
	says(r, "cc1 shared the CPU is the largest cause, 100 % of the 20 delays >= ");
	recording_free(r);
}

/* Too few delays for a hundredth: the worst one speaks. Without any evidence nobody does. */
static void test_few(void **state)
{
	struct recording *r = latency_new();
	struct rec_case c = latency_case_of(r, LATENCY_WAKING, 100000);

	(void)state;
	assert_string_equal(verdict_of(r), "");
	latency_add(r, "", LATENCY_WAKING, 100000, 3);
	latency_took(r, 100000, CAUSE_STEAL, 0, "", 300000);
	assert_string_equal(verdict_of(r), "none: too few delays for one (measure longer)");
	r->latency->no_causes = true;
	assert_string_equal(verdict_of(r), "none: the causes of delays were not recorded");
	latency_part(r, &c, CAUSE_STEAL, 0, "", 1, 90000);
	latency_part(r, &c, CAUSE_SWITCH, 0, "", 1, 10000);
	assert_int_equal(latency_case(r->latency, &c), 0);
	says(r, "hypervisor (steal) is the largest cause, 90 % of the worst delay, 100.0 us: ");
	recording_free(r);
}

/* Delays that nobody can shorten are no problem. */
static void test_short(void **state)
{
	struct recording *r = latency_new();

	(void)state;
	latency_add(r, "", LATENCY_WAKING, 3000, 999);
	latency_add(r, "", LATENCY_WAKING, 19000, 1);
	latency_took(r, 19000, CAUSE_HARDIRQ, 45, "eth0", 19000);
	says(r, "the longest delay was 19.0 us");
	says(r, "nothing to mend");
	says_not(r, "eth0");
	recording_free(r);
}

/* The section that could not be preempted is named, from the longest delay that has it. */
static void test_section(void **state)
{
	struct recording *r = hundredth(CAUSE_TASK_WORSE, 0, "camera", 90);
	struct rec_case c = latency_case_of(r, LATENCY_WAKING, 100000);

	(void)state;
	c.out_stack = LATENCY_STACK(r, "__schedule", "preempt_schedule_common", "__cond_resched", "drm_copy",
				    "drm_ioctl");
	latency_part(r, &c, CAUSE_TASK_WORSE, 0, "camera", 1, 100000);
	assert_int_equal(latency_case(r->latency, &c), 0);
	says(r, "90 % of the 10 delays >= 98.3 us (ended at drm_copy < drm_ioctl): its kernel section");
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_cause),  cmocka_unit_test(test_two_fifths),
		cmocka_unit_test(test_unexplained), cmocka_unit_test(test_many_of_a_kind),
		cmocka_unit_test(test_limit),	    cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_few),	    cmocka_unit_test(test_short),
		cmocka_unit_test(test_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
