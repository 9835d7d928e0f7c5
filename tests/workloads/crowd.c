/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * crowd threads TASKS SLEEPS: so many threads at once, each of which sleeps so often, 1 to 20 ms.
 * crowd forks TASKS PARALLEL: as many children, one after the other in PARALLEL lines; each sleeps 1 ms once, and ends.
 *
 * Prints "pid PID" at first and waits as periodic does. At the end "tasks N" and "switches voluntary= involuntary=":
 * how often they left the CPU since then, of the kernel's count. The end of a child may count as one, that of a thread
 * not.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>

#include "realtime.h"

#define STACK_BYTES 65536

static pthread_barrier_t ready;
static unsigned sleeps;

static void *sleeper(void *number)
{
	struct timespec t = { 0, (long)(1 + (uintptr_t)number % 20) * 1000000 };

	pthread_barrier_wait(&ready);
	for (unsigned i = 0; i < sleeps; i++)
		nanosleep(&t, NULL);
	return NULL;
}

static unsigned threads(unsigned n)
{
	pthread_t *all = calloc(n, sizeof(*all));
	pthread_attr_t attr;

	if (!all)
		err(1, "memory");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_barrier_init(&ready, NULL, n);
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&all[i], &attr, sleeper, (void *)(uintptr_t)i))
			errx(1, "thread %u", i); /* the others would wait for it */
	for (unsigned i = 0; i < n; i++)
		pthread_join(all[i], NULL);
	free(all);
	return n;
}

static unsigned forks(unsigned n, unsigned parallel)
{
	unsigned born = 0, alive = 0;

	while (born < n || alive) {
		if (born < n && alive < parallel) {
			pid_t child = fork();

			if (child < 0)
				err(1, "fork");
			if (!child) {
				struct timespec t = { 0, 1000000 };

				nanosleep(&t, NULL);
				_exit(0);
			}
			born++;
			alive++;
		} else if (wait(NULL) > 0) {
			alive--;
		}
	}
	return born;
}

int main(int argc, char **argv)
{
	unsigned n = argc == 4 ? (unsigned)atoi(argv[2]) : 0, tasks;
	struct rusage before, self, children;

	if (!n)
		errx(1, "threads|forks TASKS N?");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(60);
	printf("pid %d\n", getpid());
	getrusage(RUSAGE_SELF, &before);
	go();
	sleeps = (unsigned)atoi(argv[3]);
	tasks = !strcmp(argv[1], "threads") ? threads(n) : forks(n, sleeps);
	getrusage(RUSAGE_SELF, &self);
	done();
	getrusage(RUSAGE_CHILDREN, &children);
	printf("tasks %u\n", tasks);
	printf("switches voluntary=%ld involuntary=%ld\n", self.ru_nvcsw - before.ru_nvcsw + children.ru_nvcsw,
	       self.ru_nivcsw - before.ru_nivcsw + children.ru_nivcsw);
	return 0;
}
