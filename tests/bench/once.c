/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * once COMMAND ARGS...: runs it with its output thrown away and prints what it cost as lines "name value": wall_ms,
 * cpu_ms (user and system, children included), rss_kib (the largest). Exit status: COMMAND's own.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void run(char **argv)
{
	int fd = open("/dev/null", O_WRONLY);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		err(1, "/dev/null");
	execvp(argv[0], argv);
	err(127, "%s", argv[0]);
}

int main(int argc, char **argv)
{
	double start_ms = now_ms(), cpu_ms;
	struct rusage u;
	pid_t pid;
	int status;

	if (argc < 2)
		errx(2, "usage: once COMMAND ARGS...");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid)
		run(argv + 1);
	if (wait4(pid, &status, 0, &u) < 0)
		err(1, "wait4");
	cpu_ms = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
		 (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
	printf("wall_ms %.1f\ncpu_ms %.1f\nrss_kib %ld\n", now_ms() - start_ms, cpu_ms, u.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
