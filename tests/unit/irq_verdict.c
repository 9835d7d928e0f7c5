/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict on interrupts: each finding at its limit and just below, their order, and the names of devices. */
#include <locale.h>
#include <time.h>

#include "irq_build.h"
#include "views/irq_device.h"
#include "views/irq_verdict.h"

static char *verdict_of(struct recording *r)
{
	static char buf[IRQ_VERDICT_BYTES]; /* a test's, one at a time */
	struct irq_sums sums;

	assert_int_equal(irq_sums_open(&sums, r), 0);
	assert_non_null(irq_verdict(buf, &sums));
	irq_sums_close(&sums);
	return buf;
}

static void says(struct recording *r, const char *part)
{
	has(verdict_of(r), part);
}

static void says_nothing(struct recording *r)
{
	assert_string_equal(verdict_of(r), "");
}

/* --- none --- */

static void test_none(void **state)
{
	struct recording *r = irq_new(2);

	(void)state;
	says_nothing(r);
	recording_free(r);
	r = irq_idle();
	says_nothing(r);
	recording_free(r);
	r = irq_many(); /* each queue on a CPU of its own */
	says_nothing(r);
	recording_free(r);
}

/* --- storms --- */

static void test_storm(void **state)
{
	struct recording *r = irq_new(2);
	int tick = irq_named(r, IRQ_VECTOR, VECTOR_CALL_FUNCTION, ""), line = irq_named(r, IRQ_LINE, 19, "ohci");

	(void)state;
	r->irq->storm_count = 5000;
	irq_ran(r, line, 0, 1000, 30000);
	irq_peak(r, line, 0, 4999, 3, 0);
	says_nothing(r);
	irq_peak(r, line, 0, 5000, 3, 1);
	says(r, "a storm of IRQ 19 ohci: in 1 s it came 5000 times or more, at its worst 5000 times in one second "
		"(22:13:23), 0.3 % of CPU 0 in all: let the device raise fewer");
	irq_ran(r, tick, 1, 1000, 30000);
	irq_peak(r, tick, 1, 20000, 4, 1); /* as long, but denser */
	says(r, "a storm of function call interrupts: in 1 s");
	says(r, "see who sends them (--ipi)");
	irq_peak(r, line, 0, 0, 0, 2); /* of a part of the recording: the peak is not known */
	says(r, "a storm of IRQ 19 ohci: in 2 s it came 5000 times or more, 0.3 % of CPU 0 in all");
	recording_free(r);
}

/* Without --storms: 100 000 a second, and 5 % of the CPU, which are 500 ms of 10 s. */
static void test_storm_unasked(void **state)
{
	struct recording *r = irq_new(2);
	int line = irq_named(r, IRQ_LINE, 19, "ohci");

	(void)state;
	irq_ran(r, line, 0, 1000, 499000);
	irq_peak(r, line, 0, 100000, 3, 0);
	says_nothing(r);
	irq_ran(r, line, 0, 1000, 1000);
	says(r, "a storm of IRQ 19 ohci: at its worst 100 000 times in one second (22:13:23), 5.0 % of CPU 0 in all");
	irq_peak(r, line, 0, 99999, 3, 0);
	says_nothing(r);
	recording_free(r);
}

/* --- softirqs in ksoftirqd --- */

/* 1000 runs of 10 us in interrupts, and so many of so long in ksoftirqd. */
static struct recording *with_ksoftirqd(uint64_t runs, uint64_t ns)
{
	struct recording *r = irq_new(2);

	irq_ran(r, irq_named(r, IRQ_SOFTIRQ, NET_RX, ""), 0, 10000, 1000);
	irq_ran(r, irq_named(r, IRQ_KSOFTIRQD, NET_RX, ""), 1, ns, runs);
	return r;
}

static void test_ksoftirqd(void **state)
{
	static const struct {
		uint64_t runs, ns;
		const char *part;
	} rows[] = {
		{ 111, 10000, NULL },					  /* 111 of 1111: 9.99 % of both */
		{ 112, 10000, "10.1 % of the runs of network softirqs" }, /* 112 of 1112; as much of the time */
		{ 10, 111100, NULL },					  /* 1.111 of 11.111 ms: 9.999 % */
		{ 10, 112000, "10.1 % of the time of network softirqs" },
		{ 500, 1000, "33.3 % of the runs" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct recording *r = with_ksoftirqd(rows[i].runs, rows[i].ns);

		if (rows[i].part) {
			says(r, rows[i].part);
			says(r, "is in ksoftirqd");
		} else {
			says_nothing(r);
		}
		recording_free(r);
	}
}

/* Few runs, and softirqs that nobody waits for. */
static void test_ksoftirqd_not(void **state)
{
	struct recording *r = irq_new(2);

	(void)state;
	irq_ran(r, irq_named(r, IRQ_KSOFTIRQD, NET_RX, ""), 1, 10000, 99);
	irq_ran(r, irq_named(r, IRQ_KSOFTIRQD, SCHED, ""), 1, 10000, 5000);
	says_nothing(r);
	irq_ran(r, irq_named(r, IRQ_KSOFTIRQD, NET_TX, ""), 1, 10000, 1);
	says(r, "100.0 % of the runs of network softirqs is in ksoftirqd");
	recording_free(r);
}

/* --- one CPU --- */

/* 5 000 interrupts of 2 us on CPU 1 of 4, in two queues, and NET_RX of `net_ns` that they raised. Ticks on all. */
static struct recording *card(const char *affinity, uint64_t net_ns)
{
	struct recording *r = irq_new(4);
	int net = irq_named(r, IRQ_SOFTIRQ, NET_RX, ""), tick = irq_named(r, IRQ_VECTOR, VECTOR_LOCAL_TIMER, "");

	for (unsigned cpu = 0; cpu < 4; cpu++)
		irq_ran(r, tick, cpu, 1000, 2500);
	irq_ran(r, irq_line(r, 45, "eth0-TxRx-0", affinity, "1"), 1, 2000, 4000);
	irq_ran(r, irq_line(r, 46, "eth0-TxRx-1", affinity, "1"), 1, 2000, 1000);
	irq_ran(r, net, 1, net_ns, 4800);
	irq_on(r, net, 1)->by[IRQ_IN_HARDIRQ] = 4800;
	return r;
}

static void test_one_cpu(void **state)
{
	/* 10 ms of handlers are 0.1 % of 10 s; 4 800 * 102 us 4.896 %, * 103 us 4.944 %: with the handlers 5.04 % */
	struct recording *r = card("0-3", 102000);

	(void)state;
	says_nothing(r);
	recording_free(r);
	r = card("0-3", 103000);
	says(r, "CPU 1 takes all 5000 interrupts of eth0 and does all of NET_RX, which takes 5.0 % of it, though "
		"smp_affinity (0-3) allows others");
	irq_ran(r, irq_named(r, IRQ_SOFTIRQ, NET_RX, ""), 0, 50, 1);
	says(r, "and does 99.9 % of NET_RX");
	recording_free(r);
	r = irq_network();
	says(r, "CPU 1 takes all 59 998 interrupts of eth0 and does 99.9 % of NET_RX, which takes 33.1 % of it");
	recording_free(r);
}

static void test_one_cpu_not(void **state)
{
	struct recording *r = card("1", 200000); /* it is meant so */

	(void)state;
	says_nothing(r);
	recording_free(r);
	r = card("1,64-127", 200000); /* CPUs that did nothing: perhaps there are none */
	says_nothing(r);
	recording_free(r);
	r = card("0-3", 200000); /* a third queue elsewhere */
	irq_ran(r, irq_line(r, 47, "eth0-TxRx-2", "0-3", "2"), 2, 2000, 1);
	says_nothing(r);
	recording_free(r);
	r = card("0-3", 200000); /* packets are done elsewhere as well: a fifth of them */
	irq_ran(r, irq_named(r, IRQ_SOFTIRQ, NET_RX, ""), 0, 200000, 1200);
	says_nothing(r);
	recording_free(r);
	r = card("0-3", 200000); /* other CPUs may have raised more than half of it (RPS) */
	irq_ran(r, irq_named(r, IRQ_VECTOR, VECTOR_CALL_FUNCTION_SINGLE, ""), 1, 1000, 2401);
	says_nothing(r);
	recording_free(r);
	r = card("0-3", 200000);
	r->meta.cpus = 1;
	says_nothing(r);
	recording_free(r);
}

/* Handlers that cost enough by themselves, of another kind of device: 20 000 * 25.1 us are 5.02 %. */
static void test_one_cpu_by_handlers(void **state)
{
	struct recording *r = irq_new(2);

	(void)state;
	irq_ran(r, irq_named(r, IRQ_VECTOR, VECTOR_LOCAL_TIMER, ""), 1, 1000, 100);
	irq_ran(r, irq_line(r, 30, "nvme0q3", "0-1", "0"), 0, 25100, 20000);
	says(r, "CPU 0 takes all 20 000 interrupts of nvme0, which takes 5.0 % of it, though smp_affinity (0-1)");
	recording_free(r);
}

static void test_device_names(void **state)
{
	static const struct {
		const char *action, *device;
	} rows[] = {
		{ "eth0", "eth0" },
		{ "eth0-rx-0", "eth0" },
		{ "eth0-TxRx-12", "eth0" },
		{ "eth0-Tx-Rx-3", "eth0" },
		{ "eth0-tx", "eth0" },
		{ "enp3s0f1-fp-2", "enp3s0f1" },
		{ "i40e-eth1-TxRx-0", "i40e-eth1" },
		{ "virtio0-input.0", "virtio0" },
		{ "virtio0-output.1", "virtio0" },
		{ "virtio0-config", "virtio0" },
		{ "virtio2-req.0", "virtio2" },
		{ "nvme0q0", "nvme0" },
		{ "nvme1q31", "nvme1" },
		{ "iwlwifi:queue_1", "iwlwifi" },
		{ "mlx5_comp3@pci:0000:81:00.0", "pci:0000:81:00.0" },
		{ "mlx5_async@pci:0000:81:00.0", "pci:0000:81:00.0" },
		{ "megasas0-msix12", "megasas0" },
		{ "ahci[0000:00:1f.2]", "ahci[0000:00:1f.2]" },
		{ "xhci_hcd", "xhci_hcd" },
		{ "i8042", "i8042" },
		{ "rtc0", "rtc0" },
		{ "box", "box" },
		{ "faq1", "faq1" }, /* a word of its own that ends like a queue's */
		{ "rx", "rx" },
		{ "0-rx-0", "0" },
		{ "-rx-0", "-rx-0" },
		{ "42", "42" },
		{ "@", "@" },
		{ "", "" },
	};
	char name[IRQ_DEVICE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(irq_device_name(name, rows[i].action), rows[i].device);
}

/* --- long handlers --- */

static void test_long(void **state)
{
	static const struct {
		enum irq_kind kind;
		int number;
		const char *name, *what, *advice;
		uint64_t limit_ns; /* the start of the first bucket from the limit on: what it holds is longer for sure
				    */
	} rows[] = {
		{ IRQ_LINE, 45, "eth0", "IRQ 45 eth0 takes longer than 100.0 us", "request_threaded_irq()", 102400 },
		{ IRQ_VECTOR, VECTOR_CALL_FUNCTION, "", "function call interrupts takes", "other CPUs", 102400 },
		{ IRQ_NMI, 0, "", "NMI takes longer than 100.0 us", "watchdog", 102400 },
		{ IRQ_SOFTIRQ, NET_RX, "", "softirq NET_RX takes longer than 1.0 ms", "netdev_budget", 1015808 },
		{ IRQ_SOFTIRQ, TIMER, "", "softirq TIMER takes longer than 1.0 ms", "into a thread", 1015808 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct recording *r = irq_new(1);
		int source = irq_named(r, rows[i].kind, rows[i].number, rows[i].name);

		irq_ran(r, source, 0, 1000, 485);
		irq_ran(r, source, 0, rows[i].limit_ns - 1, 10); /* in the bucket of the limit: perhaps shorter */
		irq_ran(r, source, 0, rows[i].limit_ns, 4);
		says_nothing(r); /* 4 are no handful */
		irq_ran(r, source, 0, rows[i].limit_ns, 1);
		says(r, "one in a hundred runs of ");
		says(r, rows[i].what);
		says(r, rows[i].advice);
		irq_ran(r, source, 0, 1000, 1); /* 5 of 501 are less than a hundredth */
		says_nothing(r);
		recording_free(r);
	}
}

/* Of 99 there is no hundredth, however long they are. */
static void test_long_few(void **state)
{
	struct recording *r = irq_new(1);

	(void)state;
	irq_ran(r, irq_named(r, IRQ_LINE, 45, "eth0"), 0, 9000000, 99);
	says_nothing(r);
	irq_ran(r, irq_named(r, IRQ_LINE, 45, "eth0"), 0, 9000000, 1);
	says(r, "(p99 9.0 ms)");
	recording_free(r);
}

/* The one that is farthest over its limit is told; what can be preempted is none. */
static void test_long_which(void **state)
{
	struct recording *r = irq_new(1);
	int net = irq_named(r, IRQ_SOFTIRQ, NET_RX, "");

	(void)state;
	irq_ran(r, irq_named(r, IRQ_KSOFTIRQD, BLOCK, ""), 0, 9000000, 200);
	irq_ran(r, irq_named(r, IRQ_THREAD, 45, "eth0"), 0, 9000000, 200);
	irq_ran(r, irq_named(r, IRQ_WORK, 0, "flush"), 0, 9000000, 200);
	says_nothing(r);
	irq_ran(r, net, 0, 4000000, 200); /* 4 times */
	says(r, "softirq NET_RX takes");
	irq_ran(r, irq_named(r, IRQ_LINE, 45, "eth0"), 0, 300000, 200); /* 3 times */
	says(r, "softirq NET_RX takes");
	irq_ran(r, irq_named(r, IRQ_LINE, 46, "eth1"), 0, 500000, 200); /* 5 times */
	says(r, "IRQ 46 eth1 takes");
	r->irq->softirqs_are_threads = true;
	irq_ran(r, net, 0, 8000000, 200);
	says(r, "IRQ 46 eth1 takes");
	recording_free(r);
}

/* --- threads that wait --- */

static void behind(struct recording *r, int source, const char *comm, unsigned prio_class, uint64_t count, uint64_t ns)
{
	struct rec_irq_behind b = { source, recording_string(r, comm), prio_class, count, ns, ns / count };

	assert_int_equal(irq_behind(r->irq, &b), 0);
}

static void test_behind(void **state)
{
	static const char *const advices[] = { "raise the thread's priority above it (chrt -f -p PRIO TID)",
					       "give them different priorities (chrt -f -p PRIO TID)", "PREEMPT_RT" };

	(void)state;
	for (unsigned prio_class = 0; prio_class < 3; prio_class++) {
		struct recording *r = irq_new(2);
		int thread = irq_named(r, IRQ_THREAD, 45, "eth0");

		/* 500 us and 750 us: 40 % of the waits, with 5 of 100 us in the mean */
		irq_waited(r, thread, 0, 100000, 5);
		irq_waited(r, thread, 0, 10000, 75);
		behind(r, thread, "hog", prio_class, 5, 499999);
		says_nothing(r);
		behind(r, thread, "hog", prio_class, 5, 500000);
		says(r, "irq/45-eth0 waited 5 times behind hog, 500.0 us in all, longest 100.0 us: ");
		says(r, advices[prio_class]);
		r->irq->sources[thread].thread = 345;
		if (prio_class < 2)
			says(r, "chrt -f -p PRIO 345");
		says(r, "; kbpfprof wakeup -t 345 explains its waits");
		irq_waited(r, thread, 0, 10000, 1);
		says_nothing(r);
		recording_free(r);
	}
}

static void test_behind_few(void **state)
{
	struct recording *r = irq_new(2);
	int thread = irq_named(r, IRQ_THREAD, 45, "eth0");

	(void)state;
	irq_waited(r, thread, 0, 5000000, 4);
	behind(r, thread, "hog", 0, 4, 20000000);
	says_nothing(r);
	recording_free(r);
}

/* --- interrupts off --- */

static void test_off(void **state)
{
	struct recording *r = irq_new(2);
	struct rec_irq_place place = { .kind = IRQ_IRQS_OFF, .stack = -1, .count = 1, .ns = 999999, .max_ns = 999999 };

	(void)state;
	place.name = recording_string(r, "uart_write");
	assert_int_equal(irq_place(r->irq, &place), 0);
	says_nothing(r);
	place.max_ns = 1000000;
	assert_int_equal(irq_place(r->irq, &place), 0);
	says(r,
	     "interrupts were off for at least 1.0 ms until uart_write (seen there 1 time), if it was not firmware or "
	     "a hypervisor: shorten");
	place = (struct rec_irq_place){ IRQ_PREEMPT_OFF, recording_string(r, "other"), -1, false, 1, 9000000, 9000000 };
	assert_int_equal(irq_place(r->irq, &place), 0);
	place = (struct rec_irq_place){ IRQ_IRQS_OFF, 0, -1, false, 1, 9000000, 9000000 };
	assert_int_equal(irq_place(r->irq, &place), 0); /* where, is not known */
	says(r, "until uart_write");
	place = (struct rec_irq_place){
		IRQ_IRQS_OFF, recording_string(r, "mydev_ioctl"), -1, true, 3, 9000000, 4000000
	};
	assert_int_equal(irq_place(r->irq, &place), 0);
	says(r, "interrupts were off for 4.0 ms until mydev_ioctl (seen there 3 times): shorten");
	recording_free(r);
}

/* A probe that is late in user code shows that the others' lateness may not be the kernel's. */
static void test_outside(void **state)
{
	struct recording *r = irq_new(2);
	struct rec_irq_place place = { .kind = IRQ_IRQS_OFF,
				       .stack = -1,
				       .count = 3,
				       .ns = 9000000,
				       .max_ns = 8000000 },
			     user = { .kind = IRQ_IRQS_OFF, .stack = -1, .count = 4, .ns = 9000000, .max_ns = 4000000 };

	(void)state;
	r->irq->off_fires = 7238;
	user.name = recording_string(r, "[user code: hypervisor or firmware]");
	assert_int_equal(irq_place(r->irq, &user), 0);
	says_nothing(r); /* 4 are no handful */
	place.name = recording_string(r, "ext4_finish_bio");
	assert_int_equal(irq_place(r->irq, &place), 0);
	says_nothing(r); /* 8 ms are not more than twice 4 ms */
	user.count = 5;
	assert_int_equal(irq_place(r->irq, &user), 0);
	says(r, "the probe was late by up to 4.0 ms in user code, where interrupts are never off (5 of 7238 fires): a "
		"hypervisor or firmware took the CPU");
	place.max_ns = 8000001;
	assert_int_equal(irq_place(r->irq, &place), 0);
	says(r, "interrupts were off for at least 8.0 ms until ext4_finish_bio");
	place.max_ns = 1000;
	assert_int_equal(irq_place(r->irq, &place), 0);
	place.exact = true;
	place.max_ns = 2000000;
	assert_int_equal(irq_place(r->irq, &place), 0);
	says(r, "interrupts were off for 2.0 ms until ext4_finish_bio");
	recording_free(r);
}

/* --- the order of their weight --- */

/* Each is added to those that weigh less. */
static void test_order(void **state)
{
	struct recording *r = irq_new(4);
	struct rec_irq_place place = {
		.kind = IRQ_IRQS_OFF, .stack = -1, .count = 1, .ns = 2000000, .max_ns = 2000000
	};
	int thread = irq_named(r, IRQ_THREAD, 45, "eth0"), line = irq_line(r, 45, "eth0", "0-3", "1"),
	    net = irq_named(r, IRQ_SOFTIRQ, NET_RX, "");

	(void)state;
	place.name = recording_string(r, "uart_write");
	assert_int_equal(irq_place(r->irq, &place), 0);
	says(r, "interrupts were off");
	irq_waited(r, thread, 0, 100000, 5);
	behind(r, thread, "hog", 0, 5, 500000);
	says(r, "waited 5 times behind hog");
	irq_ran(r, line, 1, 200000, 500);
	says(r, "one in a hundred runs of IRQ 45 eth0");
	irq_ran(r, irq_named(r, IRQ_VECTOR, VECTOR_LOCAL_TIMER, ""), 0, 1000, 100);
	irq_ran(r, line, 1, 200000, 3000);
	says(r, "CPU 1 takes all 3500 interrupts of eth0");
	irq_ran(r, net, 1, 10000, 100);
	irq_ran(r, irq_named(r, IRQ_KSOFTIRQD, NET_RX, ""), 1, 10000, 100);
	says(r, "50.0 % of the runs of network softirqs is in ksoftirqd");
	r->irq->storm_count = 1000;
	irq_peak(r, line, 1, 1500, 3, 1);
	says(r, "a storm of IRQ 45 eth0");
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),	      cmocka_unit_test(test_storm),
		cmocka_unit_test(test_storm_unasked), cmocka_unit_test(test_ksoftirqd),
		cmocka_unit_test(test_ksoftirqd_not), cmocka_unit_test(test_one_cpu),
		cmocka_unit_test(test_one_cpu_not),   cmocka_unit_test(test_one_cpu_by_handlers),
		cmocka_unit_test(test_device_names),  cmocka_unit_test(test_long),
		cmocka_unit_test(test_long_few),      cmocka_unit_test(test_long_which),
		cmocka_unit_test(test_behind),	      cmocka_unit_test(test_behind_few),
		cmocka_unit_test(test_off),	      cmocka_unit_test(test_outside),
		cmocka_unit_test(test_order),
	};

	setlocale(LC_ALL, "C");
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
