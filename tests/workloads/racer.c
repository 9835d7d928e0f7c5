/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * racer COUNT CPU CPU: the thread "sleeper" waits on a futex, COUNT times, 200 us apart; "waker", on the other CPU,
 * sees it come and wakes it a moment later, 0 to 4 us: often just before it has left its CPU.
 *
 * Prints "pid PID SLEEPER" at first and waits as periodic does. At the end "switches voluntary= involuntary=" of the
 * sleeper, of the kernel's count, in the same time. All its wakeups are by the waker, or by the timer of its pauses.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>

#include "realtime.h"

#define DELAYS 64 /* different ones, tried in turn */

static atomic_uint coming, word;
static struct rusage before, after;
static struct finish finish;
static pthread_barrier_t ready;
static unsigned count;
static int cpus[2];
static long tid;

static void *sleeper(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "sleeper");
	set_cpu(0, cpus[0]);
	tid = syscall(SYS_gettid);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	getrusage(RUSAGE_THREAD, &before);
	for (unsigned i = 0; i < count; i++) {
		sleep_until(now_ns() + 200 * NSEC_PER_USEC);
		atomic_store(&word, 0);
		atomic_store(&coming, i + 1);
		while (!atomic_load(&word))
			syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	}
	getrusage(RUSAGE_THREAD, &after);
	return finished(&finish);
}

static void *waker(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "waker");
	set_cpu(0, cpus[1]);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	for (unsigned i = 0; i < count; i++) {
		uint64_t from_ns;

		while (atomic_load(&coming) <= i)
			;
		from_ns = now_ns();
		while (now_ns() - from_ns < i % DELAYS * 4000 / DELAYS)
			;
		atomic_store(&word, 1);
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	return finished(&finish);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc != 4)
		errx(1, "COUNT CPU CPU?");
	count = (unsigned)atoi(argv[1]);
	cpus[0] = atoi(argv[2]);
	cpus[1] = atoi(argv[3]);
	be_harmless(30, 0);
	pthread_barrier_init(&ready, NULL, 3);
	pthread_create(&threads[0], NULL, sleeper, NULL);
	pthread_create(&threads[1], NULL, waker, NULL);
	pthread_barrier_wait(&ready);
	printf("pid %d %ld\n", getpid(), tid);
	go();
	pthread_barrier_wait(&ready);
	until_finished(&finish, 2);
	done();
	printf("switches voluntary=%ld involuntary=%ld\n", after.ru_nvcsw - before.ru_nvcsw,
	       after.ru_nivcsw - before.ru_nivcsw);
	return 0;
}
