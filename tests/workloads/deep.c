/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * deep SECONDS [DEPTH [WORKERS [PATHS]]]: the load of the benchmark. Each worker calls down one of PATHS paths,
 * DEPTH / 2 to DEPTH frames deep, some paths far more often than others, and there computes, reads
 * /dev/zero, maps pages or asks the time: mixed user and kernel time under deep stacks that come again.
 * On SIGUSR1, and at the end, it prints the rounds done so far, the monotonic time and the CPU time used for
 * them, both in ns: the differences of two such lines are what a profiler slows down.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAPPED_BYTES (16 * 4096)
#define READ_BYTES   65536

static volatile uint64_t sink;
static int zero_fd;

/* One a worker, in a cache line of its own. */
struct counter {
	volatile uint64_t rounds, cpu_ns;
	uint64_t unused[6];
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void compute(int n)
{
	uint64_t x = sink | 1;

	for (int i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
}

static void leaf(unsigned path)
{
	static char buf[READ_BYTES];
	void *pages;

	compute(2000);
	if (path % 3 == 0 && read(zero_fd, buf, sizeof(buf)) < 0)
		exit(1);
	if (path % 7 == 0) {
		pages = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1,
			     0);
		if (pages != MAP_FAILED)
			munmap(pages, MAPPED_BYTES);
	}
}

__attribute__((noinline)) void left(unsigned path, int depth);
__attribute__((noinline)) void right(unsigned path, int depth);

static inline __attribute__((always_inline)) void descend(unsigned path, int depth)
{
	if (!depth)
		leaf(path);
	else if (path >> (depth % 16) & 1)
		left(path, depth - 1);
	else
		right(path, depth - 1);
	sink++; /* no tail call: the caller stays on the stack */
}

void left(unsigned path, int depth)
{
	descend(path, depth);
}

void right(unsigned path, int depth)
{
	descend(path, depth);
}

/* The path, and with it the depth, follows from `choice`; the product of two even numbers prefers small ones. */
static void go_down(uint32_t choice, unsigned paths, int depth)
{
	unsigned n = (unsigned)(((uint64_t)(choice >> 16) * (choice & 0xffff) * paths) >> 32);

	descend(n * 2654435761u >> 7, depth - (int)(n % (unsigned)(depth / 2 + 1)));
}

static void work(struct counter *counter, uint64_t end_ns, unsigned paths, int depth)
{
	uint64_t random = (uint64_t)getpid() | 1;

	while (now_ns(CLOCK_MONOTONIC) < end_ns) {
		for (int i = 0; i < 64; i++, counter->rounds++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			go_down((uint32_t)(random >> 32), paths, depth);
		}
		counter->cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	}
}

static void print_rounds(const struct counter *counters, int workers)
{
	uint64_t rounds = 0, cpu_ns = 0;

	for (int i = 0; i < workers; i++) {
		rounds += counters[i].rounds;
		cpu_ns += counters[i].cpu_ns;
	}
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", rounds, now_ns(CLOCK_MONOTONIC), cpu_ns);
	fflush(stdout);
}

static int start_worker(struct counter *counter, uint64_t end_ns, unsigned paths, int depth)
{
	pid_t pid = fork();

	if (pid)
		return pid < 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	work(counter, end_ns, paths, depth);
	exit(0);
}

int main(int argc, char **argv)
{
	uint64_t end_ns = now_ns(CLOCK_MONOTONIC) + (uint64_t)((argc > 1 ? atof(argv[1]) : 1) * 1e9);
	int depth = argc > 2 ? atoi(argv[2]) : 60;
	int workers = argc > 3 ? atoi(argv[3]) : (int)sysconf(_SC_NPROCESSORS_ONLN);
	unsigned paths = argc > 4 ? (unsigned)atoi(argv[4]) : 64;
	struct counter *counters;
	sigset_t watched;
	int left_to_end = workers, signal;

	sigemptyset(&watched);
	sigaddset(&watched, SIGUSR1);
	sigaddset(&watched, SIGCHLD);
	sigprocmask(SIG_BLOCK, &watched, NULL);
	counters = mmap(NULL, (size_t)workers * sizeof(*counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	zero_fd = open("/dev/zero", O_RDONLY);
	if (counters == MAP_FAILED || zero_fd < 0)
		return 1;
	for (int i = 0; i < workers; i++)
		if (start_worker(&counters[i], end_ns, paths, depth))
			return 1;
	while (left_to_end && !sigwait(&watched, &signal)) {
		if (signal == SIGUSR1)
			print_rounds(counters, workers);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			left_to_end--;
	}
	print_rounds(counters, workers);
	return 0;
}
