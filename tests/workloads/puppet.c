/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * puppet: obeys lines on stdin and answers each on stdout when that is done, first with "PID TID" of
 * itself and of its second thread.
 *   touch N    exactly N page faults in touch_main()
 *   worker N   as many in touch_worker(), by the second thread
 *   thread N   in touch_thread(), by a new thread that ends after it; answers its TID
 *   fork N     in touch_child(), by a child that ends after it; answers its PID
 *   deep N     in touch_child(), by a child of a child; answers the child's PID
 *   cpu N      stays on that CPU from now on
 *   comm NAME  calls its main thread so
 *   quit N     ends with that status
 * Children stay for LINGER_MS, so that a profiler that looks now and then may learn where their code came from.
 * Ends with its input. Sampled with `-e page-faults -c 1` each function has as many samples as faults.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINGER_MS 300

/* Each in a frame of its own, which a leaf only has if somebody wants its address. */
#define TOUCH(name)                                                                  \
	__attribute__((noinline)) void touch_##name(volatile char *page);            \
	void touch_##name(volatile char *page)                                       \
	{                                                                            \
		__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory"); \
		*page = 1;                                                           \
	}

TOUCH(main)
TOUCH(worker)
TOUCH(thread)
TOUCH(child)

/* What the main thread asks of the others, one at a time. */
struct task {
	pthread_barrier_t begin, end;
	unsigned long pages;
	pid_t tid;
};

static void touch_pages(void (*touch)(volatile char *), unsigned long n)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), bytes = (n + 1) * page_bytes;
	char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(1);
	madvise(pages, bytes, MADV_NOHUGEPAGE); /* or one fault may serve many pages */
	for (unsigned long i = 0; i < n; i++)
		touch(pages + i * page_bytes);
	munmap(pages, bytes);
}

static void *work(void *arg)
{
	struct task *task = arg;

	task->tid = (pid_t)syscall(SYS_gettid);
	for (;;) {
		pthread_barrier_wait(&task->begin);
		touch_pages(touch_worker, task->pages);
		pthread_barrier_wait(&task->end);
	}
	return NULL;
}

static void *touch_once(void *arg)
{
	struct task *task = arg;

	task->tid = (pid_t)syscall(SYS_gettid);
	touch_pages(touch_thread, task->pages);
	return NULL;
}

static pid_t in_thread(unsigned long n)
{
	struct task task = { .pages = n };
	pthread_t thread;

	if (pthread_create(&thread, NULL, touch_once, &task))
		exit(1);
	pthread_join(thread, NULL);
	return task.tid;
}

/* Generations: 1 is a child, 2 a child of a child. */
static pid_t in_child(unsigned long n, int generations)
{
	pid_t child = fork();

	if (child < 0)
		exit(1);
	if (!child) {
		if (generations > 1)
			in_child(n, generations - 1);
		else
			touch_pages(touch_child, n);
		usleep(LINGER_MS * 1000);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return child;
}

static void stay_on_cpu(unsigned long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
}

static pid_t obey(struct task *worker, const char *what, const char *argument)
{
	unsigned long n = strtoul(argument, NULL, 10);

	if (!strcmp(what, "touch")) {
		touch_pages(touch_main, n);
	} else if (!strcmp(what, "worker")) {
		worker->pages = n;
		pthread_barrier_wait(&worker->begin);
		pthread_barrier_wait(&worker->end);
		return worker->tid;
	} else if (!strcmp(what, "thread")) {
		return in_thread(n);
	} else if (!strcmp(what, "fork")) {
		return in_child(n, 1);
	} else if (!strcmp(what, "deep")) {
		return in_child(n, 2);
	} else if (!strcmp(what, "cpu")) {
		stay_on_cpu(n);
	} else if (!strcmp(what, "comm")) {
		prctl(PR_SET_NAME, argument);
	} else if (!strcmp(what, "quit")) {
		exit((int)n);
	} else {
		fprintf(stderr, "puppet: %s?\n", what);
		exit(1);
	}
	return getpid();
}

int main(void)
{
	char line[128], what[32], argument[64];
	struct task worker = { .pages = 0 };
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* no longer than the test */
	pthread_barrier_init(&worker.begin, NULL, 2);
	pthread_barrier_init(&worker.end, NULL, 2);
	if (pthread_create(&thread, NULL, work, &worker))
		return 1;
	worker.pages = 0;
	pthread_barrier_wait(&worker.begin);
	pthread_barrier_wait(&worker.end);
	printf("%d %d\n", getpid(), worker.tid);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%31s %63s", what, argument) != 2)
			return 1;
		printf("%d\n", obey(&worker, what, argument));
		fflush(stdout);
	}
	return 0;
}
