/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * brief: processes that are soon gone, each spending its time in a function that tells what it is.
 *   brief burn MS [PROGRAM ARGS...]   MS of CPU time in burn_brief(), then becomes that program
 *   brief library FILE NAME           loads FILE and calls its function NAME
 *   brief spawn N PROGRAM ARGS...     N times that program, one after the other
 *   brief fork N MS                   N children, one after the other, with MS in burn_child(), without exec
 * Built with -DNAME=burn_x the function of `burn` is called so instead.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef NAME
#define NAME burn_brief
#endif

extern char **environ;

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static volatile uint64_t sink;

/* Some 100 us, in a frame of its own, which a leaf only has if somebody wants its address. */
#define BURN(name)                                                                   \
	__attribute__((noinline)) void name(void);                                   \
	void name(void)                                                              \
	{                                                                            \
		__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory"); \
		for (int i = 0; i < 100000; i++)                                     \
			sink += (uint64_t)i;                                         \
	}

BURN(NAME)
BURN(burn_child)

static void burn(void (*function)(void), const char *ms)
{
	uint64_t end_ns = cpu_ns() + strtoull(ms, NULL, 10) * 1000000;

	while (cpu_ns() < end_ns)
		function();
}

static int become(char **argv)
{
	if (!argv[0])
		return 0;
	execv(argv[0], argv);
	perror(argv[0]);
	return 1;
}

static int call(const char *file, const char *name)
{
	void *library = dlopen(file, RTLD_NOW);
	void (*function)(void) = NULL;

	if (library)
		*(void **)&function = dlsym(library, name);
	if (!function) {
		fprintf(stderr, "brief: %s\n", dlerror());
		return 1;
	}
	function();
	return 0;
}

static int spawn(unsigned long n, char **argv)
{
	int status = 0;

	for (unsigned long i = 0; i < n && !status; i++) {
		pid_t child;

		if (posix_spawn(&child, argv[0], NULL, NULL, argv, environ) || waitpid(child, &status, 0) != child)
			return 1;
	}
	return status != 0;
}

static int fork_children(unsigned long n, const char *ms)
{
	for (unsigned long i = 0; i < n; i++) {
		pid_t child = fork();

		if (!child) {
			burn(burn_child, ms);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "burn")) {
		burn(NAME, argv[2]);
		return become(argv + 3);
	}
	if (argc == 4 && !strcmp(argv[1], "library"))
		return call(argv[2], argv[3]);
	if (argc >= 4 && !strcmp(argv[1], "spawn"))
		return spawn(strtoul(argv[2], NULL, 10), argv + 3);
	if (argc == 4 && !strcmp(argv[1], "fork"))
		return fork_children(strtoul(argv[2], NULL, 10), argv[3]);
	fprintf(stderr, "usage: brief burn|library|spawn|fork ...\n");
	return 2;
}
