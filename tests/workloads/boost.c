/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * boost CPU HOLD_US COUNT: priority inversion that priority inheritance bounds. On one CPU, each 20 ms:
 *   owner    (OTHER)    takes a mutex with PTHREAD_PRIO_INHERIT and loops HOLD_US, holding it
 *   waiter   (FIFO 70)  wants it 1 ms later, so that the owner runs at FIFO 70
 *   victim   (FIFO 60)  wakes 2 ms after the owner: the owner, lent a better priority, keeps the CPU
 *
 * Prints "pid PID OWNER WAITER VICTIM" (TIDs) at first and waits as periodic does. At the end, of each round and in ns
 * of CLOCK_MONOTONIC, "round EXPIRY WOKE LOCKED UNLOCKED": of the victim, then of the owner.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "realtime.h"

#define INTERVAL_NS (20000 * NSEC_PER_USEC)
#define ROUNDS	    256

struct round {
	uint64_t expiry_ns, woke_ns, locked_ns, unlocked_ns;
};

static pthread_mutex_t mutex;
static pthread_barrier_t ready;
static struct round rounds[ROUNDS];
static uint64_t first_ns, hold_ns;
static unsigned count;
static struct finish finish;
static long tids[3];

static void begin(int who, const char *name, const char *class)
{
	tids[who] = syscall(SYS_gettid);
	prctl(PR_SET_NAME, name);
	pthread_barrier_wait(&ready); /* all are named */
	pthread_barrier_wait(&ready); /* first_ns is set */
	set_class(class);
}

static void *owner(void *unused)
{
	(void)unused;
	begin(0, "owner", "other");
	for (unsigned i = 0; i < count; i++) {
		struct round *r = &rounds[i];

		sleep_until(first_ns + i * INTERVAL_NS);
		pthread_mutex_lock(&mutex);
		r->locked_ns = now_ns();
		while (now_ns() - r->locked_ns < hold_ns)
			;
		r->unlocked_ns = now_ns();
		pthread_mutex_unlock(&mutex);
	}
	return finished(&finish);
}

static void *waiter(void *unused)
{
	(void)unused;
	begin(1, "waiter", "fifo:70");
	for (unsigned i = 0; i < count; i++) {
		sleep_until(first_ns + i * INTERVAL_NS + 1000 * NSEC_PER_USEC);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return finished(&finish);
}

static void *victim(void *unused)
{
	(void)unused;
	begin(2, "victim", "fifo:60");
	for (unsigned i = 0; i < count; i++) {
		rounds[i].expiry_ns = first_ns + i * INTERVAL_NS + 2000 * NSEC_PER_USEC;
		sleep_until(rounds[i].expiry_ns);
		rounds[i].woke_ns = now_ns();
	}
	return finished(&finish);
}

int main(int argc, char **argv)
{
	void *(*const what[3])(void *) = { owner, waiter, victim };
	pthread_mutexattr_t attr;
	pthread_t threads[3];

	if (argc != 4)
		errx(1, "CPU HOLD_US COUNT?");
	hold_ns = strtoull(argv[2], NULL, 10) * NSEC_PER_USEC;
	count = (unsigned)atoi(argv[3]);
	if (count > ROUNDS || hold_ns > INTERVAL_NS / 2)
		errx(1, "too much");
	set_cpu(0, atoi(argv[1]));
	be_harmless(20, 1);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&mutex, &attr);
	pthread_barrier_init(&ready, NULL, 4);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, what[i], NULL);
	pthread_barrier_wait(&ready);
	printf("pid %d %ld %ld %ld\n", getpid(), tids[0], tids[1], tids[2]);
	go();
	first_ns = next_ns(INTERVAL_NS, 0, INTERVAL_NS);
	pthread_barrier_wait(&ready);
	until_finished(&finish, 3);
	done();
	for (unsigned i = 0; i < count; i++)
		printf("round %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", rounds[i].expiry_ns,
		       rounds[i].woke_ns, rounds[i].locked_ns, rounds[i].unlocked_ns);
	return 0;
}
