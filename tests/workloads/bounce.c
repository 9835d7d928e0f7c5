/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bounce CPU CPU MOVES COUNT: a task that waits is moved between two CPUs that are kept meanwhile. Each 50 ms two
 * loopers (FIFO 40, one a CPU) begin; the guest (FIFO 10) wakes on the first CPU and has to wait; the mover (FIFO 50)
 * moves it to and fro, MOVES times, then lets the loopers sleep.
 *
 * Prints "pid PID GUEST" at first and waits as periodic does. At the end "round EXPIRY WOKE MOVES CPU", in ns of
 * CLOCK_MONOTONIC: CPU is where the guest ran at last, MOVES those of the scheduler's own count (se.nr_migrations) if
 * it tells that, else -1.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "realtime.h"

#define INTERVAL_NS (50000 * NSEC_PER_USEC)
#define LIMIT_NS    (30000 * NSEC_PER_USEC) /* no looper keeps a CPU for longer */
#define ROUNDS	    256

struct round {
	uint64_t expiry_ns, woke_ns;
	long moves;
	int cpu;
};

static struct round rounds[ROUNDS];
static uint64_t first_ns;
static unsigned count;
static struct finish finish;
static int cpus[2];
static long guest_tid;
static atomic_uint released; /* rounds that are over, for the loopers */
static pthread_barrier_t ready;

static uint64_t round_ns(unsigned i)
{
	return first_ns + i * INTERVAL_NS;
}

static void *looper(void *cpu)
{
	set_cpu(0, *(int *)cpu);
	prctl(PR_SET_NAME, "looper");
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	set_class("fifo:40");
	for (unsigned i = 0; i < count; i++) {
		sleep_until(round_ns(i));
		while (atomic_load(&released) <= i && now_ns() < round_ns(i) + LIMIT_NS)
			;
	}
	return finished(&finish);
}

static void *guest(void *unused)
{
	(void)unused;
	guest_tid = syscall(SYS_gettid);
	prctl(PR_SET_NAME, "guest");
	set_cpu(0, cpus[0]);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	set_class("fifo:10");
	for (unsigned i = 0; i < count; i++) {
		rounds[i].expiry_ns = round_ns(i) + 1000 * NSEC_PER_USEC;
		sleep_until(rounds[i].expiry_ns);
		rounds[i].woke_ns = now_ns();
		rounds[i].cpu = sched_getcpu();
	}
	return finished(&finish);
}

static long migrations(void)
{
	char path[64], line[128];
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/sched", guest_tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "se.nr_migrations : %ld", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

static void mover(unsigned moves)
{
	for (unsigned i = 0; i < count; i++) {
		long before;

		sleep_until(round_ns(i) + 3000 * NSEC_PER_USEC); /* the guest waits since 2 ms */
		before = migrations();
		for (unsigned m = 0; m < moves; m++) {
			set_cpu((pid_t)guest_tid, cpus[(m + 1) % 2]);
			for (uint64_t until_ns = now_ns() + 50 * NSEC_PER_USEC; now_ns() < until_ns;)
				;
		}
		rounds[i].moves = before < 0 ? -1 : migrations() - before;
		atomic_store(&released, i + 1);
		sleep_until(round_ns(i) + INTERVAL_NS - 5000 * NSEC_PER_USEC);
		if (i + 1 < count) /* else it may be gone */
			set_cpu((pid_t)guest_tid, cpus[0]);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	if (argc != 5)
		errx(1, "CPU CPU MOVES COUNT?");
	cpus[0] = atoi(argv[1]);
	cpus[1] = atoi(argv[2]);
	count = (unsigned)atoi(argv[4]);
	if (count > ROUNDS)
		errx(1, "too many");
	be_harmless(20, 1);
	pthread_barrier_init(&ready, NULL, 4);
	pthread_create(&threads[0], NULL, looper, &cpus[0]);
	pthread_create(&threads[1], NULL, looper, &cpus[1]);
	pthread_create(&threads[2], NULL, guest, NULL);
	pthread_barrier_wait(&ready);
	printf("pid %d %ld\n", getpid(), guest_tid);
	go();
	first_ns = next_ns(INTERVAL_NS, 0, INTERVAL_NS);
	set_class("fifo:50");
	pthread_barrier_wait(&ready);
	mover((unsigned)atoi(argv[3]));
	until_finished(&finish, 3);
	done();
	for (unsigned i = 0; i < count; i++)
		printf("round %" PRIu64 " %" PRIu64 " %ld %d\n", rounds[i].expiry_ns, rounds[i].woke_ns,
		       rounds[i].moves, rounds[i].cpu);
	return 0;
}
