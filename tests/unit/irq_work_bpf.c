/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf/irq_work.bpf.h compiled for the host: works and tasklets are replayed in the order in which kernel/workqueue.c
 * tells of them. Waits and runs are known from the times in the replay.
 */
#define __TARGET_ARCH_x86
#define __bpf__ /* types come from vmlinux.h */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "vmlinux.h"

#include "../../bpf/irq_work.bpf.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

#define CPUS  2
#define ROWS  16
#define PLACE 8 /* works and runs */
#define WORST 2

#define IN_LIST 5 /* WORK_STRUCT_PENDING | WORK_STRUCT_PWQ */

static struct {
	uint64_t now;
	unsigned cpu;
	struct task_struct *current;
	struct irq_cpu cpus[CPUS];
	struct irq_row zeros;
	struct irq_key keys[ROWS];
	struct irq_row rows[ROWS];
	unsigned n_rows;
	__u64 queued_keys[PLACE], running_keys[PLACE];
	struct irq_queued queued[PLACE];
	struct irq_runs running[PLACE];
	unsigned n_queued, n_running;
	long fails; /* what updates of those two return */
	__u32 offers[CPUS], measured[CPUS];
	__u64 counts[IRQ_COUNTS], lost[LOST_CAUSES];
	struct irq_case worst[CPUS * IRQ_LISTS * WORST], above[CPUS * IRQ_CONTEXTS * IRQ_ABOVE_SLOTS];
} fake;

static struct irq_config *settings(void)
{
	return (struct irq_config *)&config;
}

/* --- the kernel */

static void *find(const void *keys, size_t bytes, unsigned n, const void *key, void *values, size_t value_bytes)
{
	for (unsigned i = 0; i < n; i++)
		if (!memcmp((const char *)keys + i * bytes, key, bytes))
			return (char *)values + i * value_bytes;
	return NULL;
}

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	__u32 index = *(const __u32 *)key;

	if (map == &rows)
		return find(fake.keys, sizeof(fake.keys[0]), fake.n_rows, key, fake.rows, sizeof(fake.rows[0]));
	if (map == &works_queued)
		return find(fake.queued_keys, 8, fake.n_queued, key, fake.queued, sizeof(fake.queued[0]));
	if (map == &works_running)
		return find(fake.running_keys, 8, fake.n_running, key, fake.running, sizeof(fake.running[0]));
	if (map == &cpus)
		return &fake.cpus[index];
	if (map == &row_zeros)
		return &fake.zeros;
	if (map == &counts)
		return &fake.counts[index];
	if (map == &losses)
		return &fake.lost[index];
	if (map == &work_offers)
		return &fake.offers[index];
	if (map == &measured_cpus)
		return &fake.measured[index];
	if (map == &above_cases)
		return &fake.above[index];
	return map == &worst_cases ? &fake.worst[index] : NULL;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	if (map == &rows) {
		assert_true(fake.n_rows < ROWS);
		memcpy(&fake.keys[fake.n_rows], key, sizeof(struct irq_key));
		memcpy(&fake.rows[fake.n_rows++], value, sizeof(struct irq_row));
		return 0;
	}
	if (fake.fails)
		return fake.fails;
	if (map == &works_queued) {
		assert_true(fake.n_queued < PLACE);
		memcpy(&fake.queued_keys[fake.n_queued], key, 8);
		memcpy(&fake.queued[fake.n_queued++], value, sizeof(fake.queued[0]));
	} else if (map == &works_running) {
		assert_true(fake.n_running < PLACE);
		memcpy(&fake.running_keys[fake.n_running], key, 8);
		memcpy(&fake.running[fake.n_running++], value, sizeof(fake.running[0]));
	}
	return 0;
}

static __u64 bpf_ktime_get_ns(void)
{
	return fake.now;
}

static __u32 bpf_get_smp_processor_id(void)
{
	return fake.cpu;
}

static __u64 bpf_get_current_pid_tgid(void)
{
	return (__u64)fake.current->tgid << 32 | (__u32)fake.current->pid;
}

static __u64 bpf_get_current_task(void)
{
	return (__u64)(uintptr_t)fake.current;
}

static long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from)
{
	if (!from)
		return -14;
	memcpy(to, from, bytes);
	return 0;
}

/* Cases have no name here. */
static long bpf_probe_read_kernel_str(void *to, __u32 bytes, const void *from)
{
	return -14;
}

/* --- who does what */

static struct rq rq = { .rt.highest_prio.curr = 100 };
static struct cfs_rq cfs_rq = { .rq = &rq };
static struct task_struct worker = { .tgid = 41, .pid = 41, .comm = "kworker/0:1", .se.cfs_rq = &cfs_rq },
			  other = { .tgid = 42, .pid = 42, .comm = "kworker/1:1", .se.cfs_rq = &cfs_rq },
			  idle = { .comm = "swapper", .se.cfs_rq = &cfs_rq };
static char flush, reset, bottom; /* functions */
static struct work_struct work = { .func = &flush }, twin = { .func = &flush }, second = { .func = &reset },
			  in_softirq = { .func = &bottom };

static void start_over(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.current = &worker;
	*settings() = (struct irq_config){ .cpus = CPUS, .worst = WORST };
	enabled = 1;
	work.data.counter = second.data.counter = in_softirq.data.counter = 0;
}

static const struct irq_row *row_of(enum irq_kind kind, const void *function, unsigned cpu)
{
	struct irq_key key = { .what = (__u64)(uintptr_t)function, .kind = (__u8)kind, .cpu = (__u16)cpu };
	const struct irq_row *row = find(fake.keys, sizeof(key), fake.n_rows, &key, fake.rows, sizeof(fake.rows[0]));

	assert_non_null(row);
	return row;
}

static void queue(uint64_t at, struct work_struct *w)
{
	fake.now = at;
	on_work_queued(NULL, 0, NULL, w);
	w->data.counter = IN_LIST;
}

/* A worker takes it out of its list ... */
static void takes(struct work_struct *w)
{
	w->data.counter = 0x20;
}

/* ... and then tells that it starts. */
static void tells(uint64_t at, struct work_struct *w)
{
	fake.now = at;
	on_work_start(NULL, w);
}

static void start(uint64_t at, struct work_struct *w)
{
	takes(w);
	tells(at, w);
}

static void end(uint64_t at, struct work_struct *w)
{
	fake.now = at;
	on_work_end(NULL, w);
}

static void assert_hist(const struct hist *h, uint64_t count, uint64_t sum_ns, uint64_t max_ns)
{
	assert_int_equal(h->count, count);
	assert_int_equal(h->sum_ns, sum_ns);
	if (count)
		assert_int_equal(h->max_ns, max_ns);
}

static void assert_nothing_missed(void)
{
	for (unsigned i = 0; i < IRQ_COUNTS; i++)
		assert_int_equal(fake.counts[i], 0);
	for (unsigned i = 0; i < LOST_CAUSES; i++)
		assert_int_equal(fake.lost[i], 0);
}

/* --- works */

static void waits_and_runs_by_function(void **state)
{
	const struct irq_row *row;

	(void)state;
	start_over();
	queue(1000, &work);
	queue(1100, &twin);
	queue(1200, &second);
	start(1500, &work);
	end(1700, &work);
	start(1800, &twin);
	end(2800, &twin);
	start(2900, &second);
	end(2950, &second);
	row = row_of(IRQ_WORK, &flush, 0);
	assert_hist(&row->of[IRQ_WAIT], 2, 500 + 700, 700);
	assert_hist(&row->of[IRQ_RUN], 2, 200 + 1000, 1000);
	assert_int_equal(row->gross_ns, 1200);
	assert_int_equal(row->longest_ns[IRQ_WAIT], 1800);
	assert_int_equal(row->longest_ns[IRQ_RUN], 2800);
	assert_int_equal(row->no_start + row->joined, 0);
	assert_hist(&row_of(IRQ_WORK, &reset, 0)->of[IRQ_WAIT], 1, 1700, 1700);
	assert_int_equal(fake.n_rows, 2);
	assert_int_equal(fake.n_queued, 3); /* and their places are used again */
	queue(3000, &work);
	assert_int_equal(fake.n_queued, 3);
	assert_nothing_missed();
}

/* It queues itself anew while it runs: from then on it waits for the next time. */
static void requeues_while_it_runs(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	start(1300, &work);
	queue(1400, &work);
	end(1600, &work);
	start(1900, &work);
	end(2000, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 2, 300 + 500, 500);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_RUN], 2, 300 + 100, 300);
	assert_nothing_missed();
}

/* Another CPU queues it when a worker has taken it and not yet told that it starts. */
static void queued_just_before_the_start(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	takes(&work);
	queue(1290, &work);
	tells(1300, &work);
	end(1600, &work);
	start(1990, &work);
	end(2000, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 2, 300 + 700, 700);
	assert_int_equal(row_of(IRQ_WORK, &flush, 0)->no_start, 0);
	assert_nothing_missed();
}

/* The kernel does not tell of it. It does not wait since before that. */
static void cancelled(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	work.data.counter = 0;
	queue(9000, &work);
	start(9100, &work);
	end(9200, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 1, 100, 100);
	/* Likewise if it is queued once more just before it starts. */
	queue(10000, &work);
	work.data.counter = 0;
	queue(20000, &work);
	takes(&work);
	queue(20200, &work);
	tells(20300, &work);
	end(20400, &work);
	start(20600, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 3, 100 + 300 + 400, 400);
	assert_nothing_missed();
}

static void two_cpus_at_once(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	queue(1000, &second);
	start(1100, &work);
	fake.cpu = 1;
	fake.current = &other;
	start(1200, &second);
	fake.cpu = 0;
	fake.current = &worker;
	end(1400, &work);
	fake.cpu = 1;
	fake.current = &other;
	end(1800, &second);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_RUN], 1, 300, 300);
	assert_hist(&row_of(IRQ_WORK, &reset, 1)->of[IRQ_RUN], 1, 600, 600);
	assert_int_equal(fake.n_rows, 2);
	assert_nothing_missed();
}

/* Waits count where it starts, runs where it ends. */
static void moves_to_another_cpu(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	start(1100, &work);
	fake.cpu = 1;
	end(1400, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 1, 100, 100);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_RUN], 0, 0, 0);
	assert_hist(&row_of(IRQ_WORK, &flush, 1)->of[IRQ_RUN], 1, 300, 300);
	assert_nothing_missed();
}

/* Works of softirqs interrupt another work in the same task, and the idle tasks of two CPUs, which share a tid. */
static void works_within_works(void **state)
{
	(void)state;
	start_over();
	start(1000, &work);
	start(1100, &in_softirq);
	end(1200, &in_softirq);
	end(1500, &work);
	assert_hist(&row_of(IRQ_WORK, &bottom, 0)->of[IRQ_RUN], 1, 100, 100);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_RUN], 1, 500, 500);
	fake.current = &idle;
	start(2000, &in_softirq);
	fake.cpu = 1;
	start(2100, &second);
	fake.cpu = 0;
	end(2300, &in_softirq);
	fake.cpu = 1;
	end(2600, &second);
	assert_hist(&row_of(IRQ_WORK, &bottom, 0)->of[IRQ_RUN], 2, 100 + 300, 300);
	assert_hist(&row_of(IRQ_WORK, &reset, 1)->of[IRQ_RUN], 1, 500, 500);
	assert_nothing_missed();
}

static void beginnings_and_ends_unseen(void **state)
{
	(void)state;
	start_over();
	start(1000, &work); /* queued before we were there */
	assert_int_equal(row_of(IRQ_WORK, &flush, 0)->no_start, 1);
	end(1100, &work);
	end(1200, &second); /* began before that */
	assert_int_equal(fake.counts[IRQ_COUNT_NO_ENTRY], 1);
	start(2000, &work); /* does not end ... */
	start(2100, &second);
	end(2200, &second);
	assert_hist(&row_of(IRQ_WORK, &reset, 0)->of[IRQ_RUN], 1, 100, 100);
	start(2300, &second); /* ... nor this */
	start(2400, &in_softirq);
	assert_int_equal(fake.counts[IRQ_COUNT_MISSED_END], 1);
	end(2500, &in_softirq);
	assert_hist(&row_of(IRQ_WORK, &bottom, 0)->of[IRQ_RUN], 1, 100, 100);
	enabled = 0;
	queue(3000, &work);
	start(3100, &work);
	end(3200, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_RUN], 1, 100, 100);
}

/* Clocks of two CPUs may differ. */
static void negative_times(void **state)
{
	(void)state;
	start_over();
	queue(1000, &work);
	start(990, &work);
	assert_hist(&row_of(IRQ_WORK, &flush, 0)->of[IRQ_WAIT], 1, 0, 0);
	assert_int_equal(fake.counts[IRQ_COUNT_CLOCK], 1);
}

static void full_tables(void **state)
{
	(void)state;
	start_over();
	fake.fails = -E2BIG;
	queue(1000, &work);
	assert_int_equal(fake.counts[IRQ_COUNT_OPEN_FULL], 1);
	start(1100, &work);
	assert_int_equal(fake.counts[IRQ_COUNT_OPEN_FULL], 2);
	assert_int_equal(row_of(IRQ_WORK, &flush, 0)->no_start, 1);
	end(1200, &work);
	assert_int_equal(fake.counts[IRQ_COUNT_NO_ENTRY], 1);
	fake.fails = -EBUSY;
	queue(2000, &work);
	assert_int_equal(fake.lost[LOST_MAP_BUSY], 1);
	assert_int_equal(fake.counts[IRQ_COUNT_OPEN_FULL], 2);
}

/* -C is for where it runs, wherever it was queued. */
static void of_one_cpu(void **state)
{
	(void)state;
	start_over();
	settings()->by_cpu = 1;
	fake.measured[1] = 1;
	queue(1000, &work);
	queue(1000, &second);
	start(1100, &second);
	end(1200, &second);
	fake.cpu = 1;
	start(1500, &work);
	end(1600, &work);
	assert_int_equal(fake.n_rows, 1);
	assert_hist(&row_of(IRQ_WORK, &flush, 1)->of[IRQ_WAIT], 1, 500, 500);
	/* What started unmeasured leaves no stamp. */
	queue(2000, &second);
	start(2300, &second);
	assert_hist(&row_of(IRQ_WORK, &reset, 1)->of[IRQ_WAIT], 1, 300, 300);
	assert_nothing_missed();
}

static const struct irq_case *worst_of(unsigned list, unsigned slot)
{
	return &fake.worst[list * WORST + slot];
}

static long bpf_get_stack(void *ctx, void *buf, __u32 bytes, __u64 flags)
{
	return 0;
}

static void worst_waits_are_kept(void **state)
{
	(void)state;
	start_over();
	settings()->above_ns = 600;
	for (unsigned i = 1; i <= 3; i++) {
		queue(10000 * i, &work);
		start(10000 * i + 100 * i + 400, &work);
		end(10000 * i + 5000, &work);
	}
	assert_int_equal(worst_of(IRQ_WORST_WORKS, 0)->total_ns + worst_of(IRQ_WORST_WORKS, 1)->total_ns, 700 + 600);
	assert_int_equal(worst_of(IRQ_WORST_WORKS, 0)->measure, IRQ_WAIT);
	assert_int_equal(worst_of(IRQ_WORST_WORKS, 0)->of.kind, IRQ_WORK);
	assert_int_equal(worst_of(IRQ_WORST_WORKS, 0)->of.what, (__u64)(uintptr_t)&flush);
	assert_int_equal(worst_of(IRQ_WORST_WORKS, 0)->task.tid, 41);
	assert_int_equal(fake.counts[IRQ_COUNT_ABOVE], 2);
	assert_int_equal(fake.above[0].total_ns, 600);
	assert_int_equal(fake.offers[0], 0);
	/* One that a softirq starts while a case is written to that list is in the histograms only. */
	fake.offers[0] = 1;
	queue(50000, &in_softirq);
	start(100000, &in_softirq);
	assert_hist(&row_of(IRQ_WORK, &bottom, 0)->of[IRQ_WAIT], 1, 50000, 50000);
	assert_int_equal(fake.offers[0], 1);
	assert_true(worst_of(IRQ_WORST_WORKS, 0)->total_ns + worst_of(IRQ_WORST_WORKS, 1)->total_ns == 700 + 600);
}

/* --- tasklets */

static void tasklets_net_of_interrupts(void **state)
{
	struct spans_cpu *spans = &fake.cpus[0].spans;

	(void)state;
	start_over();
	fake.now = 1000;
	spans_softirq_enter(spans, 6);
	fake.now = 1100;
	on_tasklet_entry(NULL, NULL, &flush);
	fake.now = 1200;
	spans_irq_enter(spans, SPAN_HARDIRQ, 45);
	fake.now = 1450;
	spans_irq_exit(spans, SPAN_HARDIRQ, 45);
	fake.now = 1600;
	on_tasklet_exit(NULL, NULL, &flush);
	on_tasklet_entry(NULL, NULL, &reset);
	fake.now = 1640;
	on_tasklet_exit(NULL, NULL, &reset);
	spans_softirq_exit(spans, 6);
	assert_hist(&row_of(IRQ_TASKLET, &flush, 0)->of[IRQ_RUN], 1, 500 - 250, 250);
	assert_int_equal(row_of(IRQ_TASKLET, &flush, 0)->gross_ns, 500);
	assert_hist(&row_of(IRQ_TASKLET, &flush, 0)->of[IRQ_WAIT], 0, 0, 0);
	assert_int_equal(row_of(IRQ_TASKLET, &flush, 0)->no_start, 0);
	assert_hist(&row_of(IRQ_TASKLET, &reset, 0)->of[IRQ_RUN], 1, 40, 40);
	assert_int_equal(worst_of(IRQ_WORST_SOFT, 0)->total_ns, 500);
	assert_int_equal(worst_of(IRQ_WORST_SOFT, 0)->net_ns, 250);
	assert_nothing_missed();
}

/* Where softirqs are not followed the interrupts are those of the task. */
static void tasklets_alone(void **state)
{
	struct spans_cpu *spans = &fake.cpus[0].spans;

	(void)state;
	start_over();
	fake.now = 1100;
	on_tasklet_entry(NULL, NULL, &flush);
	fake.now = 1200;
	spans_irq_enter(spans, SPAN_VECTOR, 0);
	fake.now = 1300;
	spans_irq_exit(spans, SPAN_VECTOR, 0);
	fake.now = 1500;
	on_tasklet_exit(NULL, NULL, &flush);
	assert_hist(&row_of(IRQ_TASKLET, &flush, 0)->of[IRQ_RUN], 1, 300, 300);
	on_tasklet_exit(NULL, NULL, &flush);
	assert_int_equal(fake.counts[IRQ_COUNT_NO_ENTRY], 1);
	on_tasklet_entry(NULL, NULL, &flush);
	on_tasklet_entry(NULL, NULL, &reset);
	assert_int_equal(fake.counts[IRQ_COUNT_MISSED_END], 1);
	on_tasklet_exit(NULL, NULL, &flush);
	assert_int_equal(fake.counts[IRQ_COUNT_NO_ENTRY], 2);
}

/* PREEMPT_RT: one task's is preempted by another one's. */
static void tasklets_of_tasks(void **state)
{
	(void)state;
	start_over();
	settings()->softirqs_are_threads = 1;
	fake.now = 1000;
	on_tasklet_entry(NULL, NULL, &flush);
	fake.current = &other;
	fake.now = 1100;
	on_tasklet_entry(NULL, NULL, &reset);
	fake.now = 1200;
	on_tasklet_exit(NULL, NULL, &reset);
	fake.current = &worker;
	fake.now = 1700;
	on_tasklet_exit(NULL, NULL, &flush);
	assert_hist(&row_of(IRQ_TASKLET, &reset, 0)->of[IRQ_RUN], 1, 100, 100);
	assert_hist(&row_of(IRQ_TASKLET, &flush, 0)->of[IRQ_RUN], 1, 700, 700);
	assert_nothing_missed();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_and_runs_by_function),
		cmocka_unit_test(requeues_while_it_runs),
		cmocka_unit_test(queued_just_before_the_start),
		cmocka_unit_test(cancelled),
		cmocka_unit_test(two_cpus_at_once),
		cmocka_unit_test(moves_to_another_cpu),
		cmocka_unit_test(works_within_works),
		cmocka_unit_test(beginnings_and_ends_unseen),
		cmocka_unit_test(negative_times),
		cmocka_unit_test(full_tables),
		cmocka_unit_test(of_one_cpu),
		cmocka_unit_test(worst_waits_are_kept),
		cmocka_unit_test(tasklets_net_of_interrupts),
		cmocka_unit_test(tasklets_alone),
		cmocka_unit_test(tasklets_of_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
