/* SPDX-License-Identifier: GPL-2.0-only */
/* The worst cases of the report of wakeup, piece by piece; as a whole: tests/unit/view_latency.c. */
#include <time.h>

#include "latency_build.h"
#include "views/latency_stack.h"

static void stack_is(enum latency_stack kind, const char *want, const char *const *names, unsigned n)
{
	struct recording *r = latency_new();
	char text[LATENCY_STACK_BYTES];

	assert_string_equal(latency_stack_text(text, r, latency_stack(r, names, n), kind), want);
	assert_string_equal(latency_stack_text(text, r, -1, kind), "");
	recording_free(r);
}

#define STACK_IS(kind, want, ...)                                  \
	stack_is(kind, want, (const char *const[]){ __VA_ARGS__ }, \
		 sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *const))

/* Leaves as kernels have them: x86 of 6.18 and 5.10, arm64, a paravirtual guest. */
static void test_stacks(void **state)
{
	(void)state;
	STACK_IS(STACK_OUT, "drm_vblank_put < drm_ioctl", "__schedule", "preempt_schedule", "_raw_spin_unlock",
		 "drm_vblank_put", "drm_ioctl");
	STACK_IS(STACK_OUT, "crunch < work", "__traceiter_sched_switch", "__schedule", "preempt_schedule_irq",
		 "raw_irqentry_exit_cond_resched", "irqentry_exit", "sysvec_apic_timer_interrupt",
		 "asm_sysvec_apic_timer_interrupt", "crunch", "work");
	STACK_IS(STACK_OUT, "bpf_test_run < __sys_bpf", "__schedule", "schedule", "preempt_schedule_common",
		 "__cond_resched", "bpf_test_run", "__sys_bpf");
	STACK_IS(STACK_OUT, "exit_to_user_mode_loop < do_syscall_64", "__schedule", "schedule",
		 "exit_to_user_mode_loop", "do_syscall_64");
	STACK_IS(STACK_OUT, "__schedule < schedule", "__schedule", "schedule"); /* better than nothing */
	STACK_IS(STACK_LATE, "uart_write < tty_write", "try_to_wake_up", "hrtimer_wakeup", "__hrtimer_run_queues",
		 "hrtimer_interrupt", "sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt",
		 "pvm_irq_enable", "_raw_spin_unlock_irq", "uart_write", "tty_write");
	STACK_IS(STACK_LATE, "slow_path", "hrtimer_interrupt", "arch_timer_handler_phys", "gic_handle_irq",
		 "do_interrupt_handler", "el1_interrupt", "el1h_64_irq_handler", "el1h_64_irq",
		 "_raw_spin_unlock_irqrestore", "slow_path");
	STACK_IS(STACK_LATE, "free_pgd_range", "asm_sysvec_apic_timer_interrupt", "native_set_pmd", "free_pgd_range");
	STACK_IS(STACK_LATE, "", "try_to_wake_up", "uart_write"); /* no interrupt: not known where it ended */
	STACK_IS(STACK_WAKER, "pipe_write < vfs_write", "try_to_wake_up", "autoremove_wake_function",
		 "__wake_up_common", "__wake_up_sync_key", "pipe_write", "vfs_write");
	STACK_IS(STACK_WAKER, "a < b < c < d < e < ...", "a", "b", "c", "d", "e", "f");
}

static struct recording *one_case(struct rec_case *c, enum latency_kind kind)
{
	struct recording *r = latency_new();

	latency_add(r, "", kind, 50000, 1);
	*c = latency_case_of(r, kind, 50000);
	return r;
}

static void case_has(struct recording *r, const struct rec_case *c, const char *part)
{
	struct rec_case copy = *c;

	r->latency->n_cases = 0; /* the one of the last call, which owns nothing */
	assert_int_equal(latency_case(r->latency, &copy), 0);
	page_has(r, part);
}

/* Who woke it, and ftrace's flags as far as they are known. */
static void test_waker(void **state)
{
	struct rec_case c;
	struct recording *r = one_case(&c, LATENCY_WAKING);

	(void)state;
	case_has(r, &c,
		 "  woken by local timer interrupt, which interrupted camera-svc (TID 233) on CPU 1, flags ?.h1\n");
	c.waker_tid = 0;
	case_has(r, &c, "which interrupted the idle task on CPU 1, flags ?.h1\n");
	c.context = SPAN_SOFTIRQ;
	c.context_id = 3;
	c.preempt_depth = -1;
	case_has(r, &c, "woken by softirq NET_RX, which interrupted the idle task on CPU 1, flags ?.s?\n");
	c.context = SPAN_HARDIRQ;
	c.context_id = 45;
	c.context_name = recording_string(r, "eth0");
	c.resched_ns = 49000;
	c.queued_ns = 48000;
	c.preempt_depth = 0;
	case_has(r, &c, "woken by hard IRQ 45 eth0, which interrupted the idle task on CPU 1, flags ?Nh.\n");
	c.context = SPAN_TASK;
	c.waker_tid = 233;
	c.resched_ns = 47000; /* after it was queued: not by this wakeup */
	case_has(r, &c, "  woken by camera-svc (TID 233) on CPU 1, flags ?...\n");
	r->latency->no_resched = LACK_KERNEL;
	c.waker_stack = LATENCY_STACK(r, "try_to_wake_up", "futex_wake", "do_futex");
	case_has(r, &c, "(TID 233) on CPU 1, flags ??..\n    at futex_wake < do_futex\n");
	recording_free(r);
}

static void test_whose(void **state)
{
	struct rec_case c;
	struct recording *r = one_case(&c, LATENCY_WAKING);

	(void)state;
	case_has(r, &c, "worst: 50.0 us at 22:13:33.123456, CPU 1: motor_ctl (PID 812, FIFO 80), from the waking on\n");
	c.tid = 815;
	c.policy = SCHED_RR;
	case_has(r, &c, "motor_ctl (PID 812, TID 815, RR 80)");
	c.policy = SCHED_OTHER;
	c.normal_prio = 125;
	case_has(r, &c, "motor_ctl (PID 812, TID 815, OTHER nice 5, lent FIFO 80)");
	c.flags = WAKE_NEW | WAKE_RACED | WAKE_THROTTLED;
	c.moves = 2;
	case_has(r, &c, "  its first run, woken before it slept, throttled when the wait began, moved 2 times\n");
	recording_free(r);
}

/* Of 12 spans the 8 longest, in the order of time; those beyond the wait are none of it. */
static void test_window(void **state)
{
	struct rec_case c;
	struct recording *r = one_case(&c, LATENCY_WAKING);
	char *text;

	(void)state;
	latency_span(r, &c, SPAN_TASK, 1, "earlier_on", -9000, 0);
	for (int i = 0; i < 12; i++)
		latency_span(r, &c, SPAN_HARDIRQ, i, "", i * 4000, i * 4000 + (i % 3 ? 2000 + i : 100));
	latency_span(r, &c, SPAN_TASK, 2, "later_on", 50000, 60000);
	assert_int_equal(latency_case(r->latency, &c), 0);
	text = page(r);
	has_not(text, "earlier_on");
	has_not(text, "later_on");
	has(text, "  ran on CPU 1 meanwhile:\n"
		  "          +4.0 ..         +6.0 us, net        2.0 us  hard IRQ 1\n"
		  "          +8.0 ..        +10.0 us, net        2.0 us  hard IRQ 2\n"
		  "         +16.0 ..        +18.0 us, net        2.0 us  hard IRQ 4\n");
	has(text, "hard IRQ 11\n  and 4 shorter ones (-f json has them)\n");
	has_not(text, "hard IRQ 9");
	free(text);
	recording_free(r);
}

/* Threads of a program are one part, and what is below 1 % one line: 50 = 30 + 18.5 + 1 + 0.3 + 0.1 + 0.1. */
static void test_parts(void **state)
{
	struct rec_case c;
	struct recording *r = one_case(&c, LATENCY_WAKING);

	(void)state;
	for (int i = 0; i < 3; i++) {
		latency_part(r, &c, CAUSE_TASK_FAIR, 0, "cc1", 2, 10000);
		c.parts[c.n_parts - 1].tid = 100 + i;
	}
	latency_part(r, &c, CAUSE_SOFTIRQ, 1, "", 1, 18500);
	latency_part(r, &c, CAUSE_NMI, 0, "", 1, 1000);
	latency_part(r, &c, CAUSE_IDLE, 0, "", 1, 300);
	latency_part(r, &c, CAUSE_STEAL, 0, "", 1, 100);
	latency_part(r, &c, CAUSE_SWITCH, 0, "", 1, 100);
	assert_int_equal(latency_case(r->latency, &c), 0);
	page_has(r, "          30.0 us   60 %  cc1 shared the CPU (3 tasks, 6 runs)\n"
		    "          18.5 us   37 %  softirq TIMER\n"
		    "           1.0 us    2 %  NMI\n"
		    "           0.3 us    1 %  idle exit\n"
		    "           0.2 us   <1 %  2 other parts (-f json has them)\n"
		    "          50.0 us         in all\n");
	recording_free(r);
}

/* Names are what their owners like: none of it reaches the terminal. */
static void test_hostile(void **state)
{
	static const char *const evil = "\x1b[2J\nworst";
	struct rec_case c;
	struct recording *r = one_case(&c, LATENCY_WAKING);
	char *text;

	(void)state;
	strcpy(r->meta.target, evil);
	strcpy(r->latency->per, "comm");
	latency_add(r, evil, LATENCY_WAKING, 50000, 1);
	latency_took(r, 50000, CAUSE_TASK_BETTER, 0, evil, 50000);
	c.comm = c.waker_comm = recording_string(r, evil);
	c.out_stack = LATENCY_STACK(r, evil);
	c.user_stack = c.out_stack;
	latency_part(r, &c, CAUSE_TASK_WORSE, 0, evil, 1, 50000);
	latency_span(r, &c, SPAN_TASK, 1, evil, 0, 50000);
	assert_int_equal(latency_case(r->latency, &c), 0);
	text = page(r);
	has_not(text, "\x1b");
	has_not(text, "\nworst\n");
	has(text, "wakeup latency of \\x1b[2J\\x0aworst, ");
	has(text, "\\x1b[2J\\x0aworst (better priority)\n");
	has(text, "\\x1b[2J\\x0aworst (PID 812, FIFO 80)");
	free(text);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks), cmocka_unit_test(test_waker), cmocka_unit_test(test_whose),
		cmocka_unit_test(test_window), cmocka_unit_test(test_parts), cmocka_unit_test(test_hostile),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
