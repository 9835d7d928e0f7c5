/* SPDX-License-Identifier: GPL-2.0-only */
/* For workloads that keep to times: clocks, scheduling classes, sums of what was measured. */
#ifndef WORKLOADS_REALTIME_H
#define WORKLOADS_REALTIME_H

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_USEC 1000ULL
#define NSEC_PER_SEC  1000000000ULL

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline void sleep_until(uint64_t at_ns)
{
	struct timespec t = { .tv_sec = (time_t)(at_ns / NSEC_PER_SEC), .tv_nsec = (long)(at_ns % NSEC_PER_SEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* The first multiple of `interval_ns`, plus `offset_ns`, that lies at least `ahead_ns` from now. */
static inline uint64_t next_ns(uint64_t interval_ns, uint64_t offset_ns, uint64_t ahead_ns)
{
	uint64_t from_ns = now_ns() + ahead_ns - offset_ns;

	return (from_ns + interval_ns - 1) / interval_ns * interval_ns + offset_ns;
}

struct sums {
	uint64_t count, min_ns, max_ns, sum_ns;
};

static inline void sums_add(struct sums *s, uint64_t ns)
{
	if (!s->count || ns < s->min_ns)
		s->min_ns = ns;
	if (ns > s->max_ns)
		s->max_ns = ns;
	s->count++;
	s->sum_ns += ns;
}

static inline void sums_print(const char *name, const struct sums *s)
{
	printf("%s count=%" PRIu64 " min_ns=%" PRIu64 " max_ns=%" PRIu64 " sum_ns=%" PRIu64 "\n", name, s->count,
	       s->min_ns, s->max_ns, s->sum_ns);
}

/* glibc 2.41 has one of its own. */
struct dl_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

/* "fifo:80", "rr:50", "nice:5", "other", "batch", "idle" or "dl:RUNTIME_US,PERIOD_US", for the calling thread. */
static inline void set_class(const char *class)
{
	const char *colon = strchr(class, ':');
	struct dl_attr a = { .size = sizeof(a) };
	unsigned long long runtime_us, period_us;
	long value = colon ? strtol(colon + 1, NULL, 10) : 0;

	if (!strncmp(class, "fifo:", 5) || !strncmp(class, "rr:", 3)) {
		a.policy = *class == 'f' ? SCHED_FIFO : SCHED_RR;
		a.priority = (uint32_t)value;
	} else if (!strncmp(class, "nice:", 5)) {
		a.nice = (int32_t)value;
	} else if (sscanf(class, "dl:%llu,%llu", &runtime_us, &period_us) == 2) {
		a.policy = SCHED_DEADLINE;
		a.runtime_ns = runtime_us * NSEC_PER_USEC;
		a.deadline_ns = a.period_ns = period_us * NSEC_PER_USEC;
	} else if (!strcmp(class, "batch")) {
		a.policy = SCHED_BATCH;
	} else if (!strcmp(class, "idle")) {
		a.policy = SCHED_IDLE;
	} else if (strcmp(class, "other")) {
		errx(1, "class %s?", class);
	}
	if (syscall(SYS_sched_setattr, 0, &a, 0))
		err(1, "class %s", class);
}

static inline void set_cpu(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(tid, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

/*
 * A realtime task that runs wild must not keep the machine: it ends with its parent, after `limit_s`, and, if
 * `at_a_stretch_s` is not 0, if it runs for so long without sleeping. No page fault is left for later.
 */
static inline void be_harmless(unsigned limit_s, unsigned at_a_stretch_s)
{
	struct rlimit stretch = { at_a_stretch_s * 1000000UL, at_a_stretch_s * 1000000UL };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(limit_s);
	if (at_a_stretch_s)
		setrlimit(RLIMIT_RTTIME, &stretch);
	mlockall(MCL_CURRENT | MCL_FUTURE);
}

/*
 * The test says when: these read a line of stdin each; the end of input will do. Between them all is the workload's
 * work, but for the first wakeup, which is that of go().
 */
static inline void wait_for_line(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
}

static inline void go(void)
{
	fflush(stdout);
	wait_for_line();
}

static inline void done(void)
{
	puts("done");
	fflush(stdout);
	wait_for_line();
	/* To compare with times of day. */
	printf("clock %" PRIu64 "\n", clock_ns(CLOCK_REALTIME) - now_ns());
}

/* Threads stay when their work is over, as the end of a measured thread is an event, too. */
struct finish {
	atomic_uint threads;
};

static inline void *finished(struct finish *f)
{
	atomic_fetch_add(&f->threads, 1);
	for (;;)
		pause();
	return NULL;
}

static inline void until_finished(struct finish *f, unsigned threads)
{
	while (atomic_load(&f->threads) < threads)
		usleep(1000);
}

#endif
