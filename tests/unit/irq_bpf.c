/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf/irq_hard.bpf.h, irq_soft.bpf.h and irq_threads.bpf.h compiled for the host: what happens on CPUs is replayed as
 * the tracepoints would tell it, and who is charged with what is known from the times in the replay.
 */
#define __TARGET_ARCH_x86
#define __bpf__ /* types come from vmlinux.h */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "vmlinux.h"

#include "../../bpf/irq_hard.bpf.h"
#include "../../bpf/irq_soft.bpf.h"
#include "../../bpf/irq_threads.bpf.h"

#include "irq_kernel.h"
#include "unit.h"

#define NET_RX 3
#define TIMER  1

static struct irq_config *settings(void)
{
	return (struct irq_config *)&config;
}

/* --- the replay */

static struct cfs_rq queue; /* of no run queue: nobody waits */
static struct task_struct idle = { .comm = "swapper", .prio = 120, .se.cfs_rq = &queue },
			  worker = { .pid = 10,
				     .tgid = 10,
				     .prio = 120,
				     .on_rq = 1,
				     .comm = "worker",
				     .se.cfs_rq = &queue },
			  hog = { .pid = 11, .tgid = 11, .prio = 9, .on_rq = 1, .comm = "hog", .se.cfs_rq = &queue },
			  irq_task = { .pid = 50,
				       .tgid = 50,
				       .prio = 49,
				       .on_rq = 1,
				       .flags = PF_KTHREAD,
				       .comm = "irq/45-eth0",
				       .se.cfs_rq = &queue },
			  ksoftirqd = { .pid = 20,
					.tgid = 20,
					.prio = 120,
					.on_rq = 1,
					.flags = PF_KTHREAD,
					.comm = "ksoftirqd/0",
					.se.cfs_rq = &queue };
static struct irqaction eth0 = { .name = "eth0", .thread = &irq_task }, usb1 = { .name = "usb1" };

static void begin(bool is_rt)
{
	memset(&fake, 0, sizeof(fake));
	fake.room = ROWS;
	fake.current = &worker;
	fake.now = 1000;
	*settings() = (struct irq_config){
		.cpus = CPUS, .softirqs = ~0U, .vectors = ~0U, .threads = 1, .softirqs_are_threads = is_rt
	};
	enabled = 1;
}

static void at(uint64_t ns)
{
	fake.now = 1000 + ns;
}

static void irq(int number)
{
	on_irq_entry(NULL, number);
}

static void irq_end(int number, struct irqaction *action, int ret)
{
	on_irq_exit(NULL, number, action, ret);
}

/* Room for the one argument that is looked at. */
struct vector_context {
	struct bpf_raw_tracepoint_args args;
	__u64 number;
};

static void vector(__u64 number, bool is_end)
{
	struct vector_context c = { .number = number };

	if (is_end)
		on_vector_exit(&c.args);
	else
		on_vector_entry(&c.args);
}

static void switches(struct task_struct *prev, struct task_struct *next)
{
	struct irq_cpu *cpu = &fake.cpus[fake.cpu];

	if (config.softirqs_are_threads)
		soft_switch(cpu, (__u32)prev->pid, (__u32)next->pid, fake.now);
	thread_switch(NULL, cpu, fake.cpu, prev, next, fake.now);
	fake.current = next;
}

static const struct irq_row *row(enum irq_kind kind, int id, const void *what, unsigned cpu)
{
	struct irq_key key = { .what = (__u64)(uintptr_t)what, .id = id, .cpu = (__u16)cpu, .kind = kind };

	const struct irq_row *fixed = &fake.fixed[cpu * IRQ_FIXED + irq_fixed(kind, id) % IRQ_FIXED];

	if (irq_fixed(kind, id) < IRQ_FIXED)
		return fixed->of[IRQ_RUN].count + fixed->no_start ? fixed : NULL;
	return find(fake.keys, sizeof(key), fake.n_rows, &key, fake.rows, sizeof(fake.rows[0]));
}

static void has(const struct irq_row *r, enum irq_measure measure, uint64_t count, uint64_t sum_ns, uint64_t max_ns)
{
	assert_non_null(r);
	assert_int_equal(r->of[measure].count, count);
	assert_int_equal(r->of[measure].sum_ns, sum_ns);
	assert_int_equal(r->of[measure].max_ns, max_ns);
}

/* Task, in it a softirq, in it an interrupt and then a vector: each has its own time only. */
static void nested(void **state)
{
	(void)state;
	begin(false);
	on_softirq_raise(NULL, NET_RX); /* by the task */
	at(100);
	on_softirq_entry(NULL, NET_RX);
	at(150);
	irq(45);
	at(180);
	irq_end(45, &eth0, 1);
	at(200);
	vector(0xec, false);
	at(207);
	vector(0xec, true);
	at(300);
	on_softirq_exit(NULL, NET_RX);
	has(row(IRQ_SOFTIRQ, NET_RX, NULL, 0), IRQ_RUN, 1, 200 - 30 - 7, 200 - 30 - 7);
	has(row(IRQ_SOFTIRQ, NET_RX, NULL, 0), IRQ_WAIT, 1, 100, 100);
	assert_int_equal(row(IRQ_SOFTIRQ, NET_RX, NULL, 0)->gross_ns, 200);
	assert_int_equal(row(IRQ_SOFTIRQ, NET_RX, NULL, 0)->by[IRQ_IN_TASK], 1);
	has(row(IRQ_LINE, 45, &eth0, 0), IRQ_RUN, 1, 30, 30);
	has(row(IRQ_VECTOR, VECTOR_LOCAL_TIMER, NULL, 0), IRQ_RUN, 1, 7, 7);
	assert_string_equal(row(IRQ_LINE, 45, &eth0, 0)->name, "eth0");
	assert_int_equal(fake.counts[IRQ_COUNT_MISSED_END], 0);
}

/* A line that two drivers share: each handler is called, and each has its own row. */
static void shared_line(void **state)
{
	(void)state;
	begin(false);
	for (unsigned i = 0; i < 3; i++) {
		at(1000 * i);
		irq(9);
		at(1000 * i + 40);
		irq_end(9, &eth0, 1);
		irq(9);
		at(1000 * i + 45);
		irq_end(9, &usb1, 0);
	}
	has(row(IRQ_LINE, 9, &eth0, 0), IRQ_RUN, 3, 120, 40);
	has(row(IRQ_LINE, 9, &usb1, 0), IRQ_RUN, 3, 15, 5);
	has(row(IRQ_LINE, 9, &eth0, 0), IRQ_WAIT, 2, 2000, 1000); /* from start to start */
}

/* The same line on two CPUs at once: neither has the other's start (bcc#3740, bcc#2804). */
static void two_cpus(void **state)
{
	(void)state;
	begin(false);
	irq(45);
	at(10);
	fake.cpu = 1;
	irq(45);
	at(30);
	fake.cpu = 0;
	irq_end(45, &eth0, 1);
	at(110);
	fake.cpu = 1;
	irq_end(45, &eth0, 1);
	has(row(IRQ_LINE, 45, &eth0, 0), IRQ_RUN, 1, 30, 30);
	has(row(IRQ_LINE, 45, &eth0, 1), IRQ_RUN, 1, 100, 100);
}

/* Measuring begins in the midst of an interrupt and a softirq, and ends are missed. */
static void torn(void **state)
{
	(void)state;
	begin(false);
	irq_end(45, &eth0, 1); /* it began before */
	on_softirq_exit(NULL, TIMER);
	assert_int_equal(fake.counts[IRQ_COUNT_NO_ENTRY], 2);
	assert_int_equal(fake.n_rows, 0);
	at(100);
	irq(45); /* its end is not told */
	at(200);
	irq(46);
	at(210);
	irq_end(46, &usb1, 1);
	assert_int_equal(fake.counts[IRQ_COUNT_MISSED_END], 1);
	assert_null(row(IRQ_LINE, 45, &eth0, 0));
	has(row(IRQ_LINE, 46, &usb1, 0), IRQ_RUN, 1, 10, 10);
	on_softirq_entry(NULL, TIMER); /* nor is this one's */
	at(300);
	on_softirq_entry(NULL, NET_RX);
	at(350);
	on_softirq_exit(NULL, NET_RX);
	assert_int_equal(fake.counts[IRQ_COUNT_MISSED_END], 2);
	assert_null(row(IRQ_SOFTIRQ, TIMER, NULL, 0));
	has(row(IRQ_SOFTIRQ, NET_RX, NULL, 0), IRQ_RUN, 1, 50, 50);
	has(row(IRQ_SOFTIRQ, NET_RX, NULL, 0), IRQ_WAIT, 0, 0, 0); /* nobody saw the raise */
	assert_int_equal(row(IRQ_SOFTIRQ, NET_RX, NULL, 0)->no_start, 1);
}

/* The first raise counts; one during the run is for the next. Who raised it, and where it runs. */
static void raises(void **state)
{
	(void)state;
	begin(false);
	fake.ksoftirqds[0] = (__u32)ksoftirqd.pid;
	irq(45);
	on_softirq_raise(NULL, NET_RX);
	at(20);
	on_softirq_raise(NULL, NET_RX);
	irq_end(45, &eth0, 1);
	at(50);
	on_softirq_entry(NULL, NET_RX);
	at(60);
	on_softirq_raise(NULL, NET_RX); /* by itself, for the next */
	at(90);
	on_softirq_exit(NULL, NET_RX);
	fake.current = &ksoftirqd;
	at(160);
	on_softirq_entry(NULL, NET_RX);
	at(165);
	on_softirq_exit(NULL, NET_RX);
	has(row(IRQ_SOFTIRQ, NET_RX, NULL, 0), IRQ_WAIT, 1, 50, 50);
	assert_int_equal(row(IRQ_SOFTIRQ, NET_RX, NULL, 0)->joined, 1);
	assert_int_equal(row(IRQ_SOFTIRQ, NET_RX, NULL, 0)->by[IRQ_IN_HARDIRQ], 1);
	has(row(IRQ_KSOFTIRQD, NET_RX, NULL, 0), IRQ_WAIT, 1, 100, 100);
	has(row(IRQ_KSOFTIRQD, NET_RX, NULL, 0), IRQ_RUN, 1, 5, 5);
	assert_int_equal(row(IRQ_KSOFTIRQD, NET_RX, NULL, 0)->by[IRQ_IN_SOFTIRQ], 1);
}

/* PREEMPT_RT: one task's softirq is preempted by another task, which runs one, too; an interrupt comes in each. */
static void interleaved(void **state)
{
	(void)state;
	begin(true);
	on_softirq_entry(NULL, NET_RX); /* worker, from 0 */
	at(10);
	irq(45);
	at(14);
	irq_end(45, &eth0, 1);
	at(30);
	switches(&worker, &hog);
	at(40);
	on_softirq_entry(NULL, TIMER); /* hog, from 40 */
	at(50);
	irq(45);
	at(57);
	irq_end(45, &eth0, 1);
	at(60);
	on_softirq_exit(NULL, TIMER);
	hog.on_rq = 0;
	at(80);
	switches(&hog, &worker);
	hog.on_rq = 1;
	at(100);
	on_softirq_exit(NULL, NET_RX);
	has(row(IRQ_SOFTIRQ, TIMER, NULL, 0), IRQ_RUN, 1, 20 - 7, 13);
	has(row(IRQ_SOFTIRQ, NET_RX, NULL, 0), IRQ_RUN, 1, 30 - 4 + 20, 46); /* 0 to 30 and 80 to 100 */
	assert_int_equal(row(IRQ_SOFTIRQ, NET_RX, NULL, 0)->gross_ns, 100);
	assert_int_equal(fake.counts[IRQ_COUNT_MISSED_END] + fake.counts[IRQ_COUNT_OPEN_FULL], 0);
}

/* More tasks in the midst of a softirq than there is room for: counted. */
static void too_many_open(void **state)
{
	struct task_struct tasks[IRQ_SOFTS + 1];

	(void)state;
	begin(true);
	for (unsigned i = 0; i <= IRQ_SOFTS; i++) {
		tasks[i] = worker;
		tasks[i].pid = 100 + (int)i;
		fake.current = &tasks[i];
		on_softirq_entry(NULL, TIMER);
	}
	assert_int_equal(fake.counts[IRQ_COUNT_OPEN_FULL], 1);
}

/* Hard handler, a hog of better priority, then the thread, which is preempted once. */
static void thread(void **state)
{
	const struct irq_row *r;

	(void)state;
	begin(false);
	switches(&idle, &worker);
	irq(45);
	at(10);
	irq_end(45, &eth0, IRQ_WAKE_THREAD);
	at(15);
	irq(45);
	at(20);
	irq_end(45, &eth0, IRQ_WAKE_THREAD); /* it is woken already */
	at(110);
	switches(&worker, &hog);
	hog.on_rq = 0;
	at(1010);
	switches(&hog, &irq_task); /* hog had the last 900 */
	hog.on_rq = 1;
	at(1100);
	switches(&irq_task, &hog); /* preempted, it wants to run */
	hog.on_rq = 0;
	at(1200);
	switches(&hog, &irq_task);
	irq_task.on_rq = 0;
	at(1300);
	switches(&irq_task, &worker);
	irq_task.on_rq = 1;
	hog.on_rq = 1;
	r = row(IRQ_THREAD, 45, &eth0, 0);
	has(r, IRQ_WAIT, 1, 1000, 1000);
	has(r, IRQ_RUN, 1, 290, 290);
	assert_int_equal(r->joined, 1);
	assert_string_equal(r->name, "eth0");
	assert_int_equal(fake.n_behinds, 1);
	assert_string_equal(fake.behind_keys[0].comm, "hog");
	assert_int_equal(fake.behind_keys[0].prio_class, 0);
	assert_int_equal(fake.behinds[0].ns, 900);
}

/* A table that is full: lost, and said so. */
static void rows_full(void **state)
{
	(void)state;
	begin(false);
	fake.room = 0;
	irq(45);
	at(10);
	irq_end(45, &eth0, 1);
	assert_int_equal(fake.lost[LOST_MAP_FULL], 1);
}

/* What comes often in a second; seconds begin with an event. */
static void storms(void **state)
{
	const struct irq_row *r;

	(void)state;
	begin(false);
	settings()->storm_count = 100;
	for (unsigned i = 0; i < 250; i++) { /* one each 4 ms: 250 in the first second */
		at(i * 4000000ULL);
		irq(45);
		irq_end(45, &eth0, 1);
	}
	for (unsigned i = 0; i < 20; i++) {
		at(2000000000ULL + i * 50000000ULL);
		irq(45);
		irq_end(45, &eth0, 1);
	}
	r = row(IRQ_LINE, 45, &eth0, 0);
	assert_int_equal(r->peak_count, 250);
	assert_int_equal(r->peak_ns, 1000);
	assert_int_equal(r->storms, 1);
}

/* The longest two of five are kept, with what ran before. */
static void worst(void **state)
{
	static const unsigned took_ns[] = { 50, 300, 20, 400, 100 };
	unsigned found = 0;

	(void)state;
	begin(false);
	settings()->worst = 2;
	for (unsigned i = 0; i < 5; i++) {
		at(1000 * i);
		irq(45);
		at(1000 * i + took_ns[i]);
		irq_end(45, &eth0, 1);
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct irq_case *c = &fake.worst[IRQ_WORST_HARD * 2 + i];

		assert_true(c->complete);
		assert_string_equal(c->name, "eth0");
		assert_string_equal(c->task.comm, "worker");
		assert_true(c->total_ns == 300 || c->total_ns == 400);
		found += (unsigned)c->total_ns;
	}
	assert_int_equal(found, 700);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested),	 cmocka_unit_test(shared_line), cmocka_unit_test(two_cpus),
		cmocka_unit_test(torn),		 cmocka_unit_test(raises),	cmocka_unit_test(interleaved),
		cmocka_unit_test(too_many_open), cmocka_unit_test(thread),	cmocka_unit_test(rows_full),
		cmocka_unit_test(storms),	 cmocka_unit_test(worst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
