/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * beside -o FILE [-n] [-- TOOL ARGS...] -- LOAD ARGS...: starts TOOL, runs LOAD beside it once all of
 * TOOL's BPF programs are at work, then has it end as by Ctrl-C. Prints lines "name value":
 *
 *   program NAME RUNS NS		each of them, while LOAD ran, by the kernel's run statistics
 *   load_ms load_cpu_ms		how long LOAD took, and its CPU time
 *   tool_cpu_ms status		TOOL's CPU time from begin to end, its exit status
 *
 *   -n         TOOL has no BPF programs
 *   -o FILE    gets TOOL's stdout; FILE.err its stderr, LOAD's output is dropped
 *
 * Exit status: 0 also if TOOL failed (see "status"), 1 if nothing was measured.
 */
#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "programs.h"

#define POLL_MS	      20
#define START_MAX_MS  30000
#define SETTLED_MS    400 /* without a new program: all are there */
#define NO_BPF_MS     1500
#define END_MAX_MS    20000
#define PROGRAM_NAMES 16 /* BPF_OBJ_NAME_LEN */

struct counts {
	uint64_t runs, ns;
};

struct tool {
	pid_t tgid;
	struct programs programs;
	int status;
	struct rusage usage;
	bool ended;
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void sleep_ms(unsigned ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

static double cpu_ms(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e3 +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e3;
}

static pid_t start(char **argv, const char *out, const char *err_out)
{
	pid_t tgid = fork();

	if (tgid < 0)
		err(1, "fork");
	if (tgid)
		return tgid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!freopen("/dev/null", "r", stdin) || !freopen(out, "w", stdout) || !freopen(err_out, "w", stderr))
		_exit(126);
	execvp(argv[0], argv);
	warn("%s", argv[0]);
	fflush(stderr);
	_exit(127);
}

static void tool_look(struct tool *tool)
{
	if (!tool->ended)
		tool->ended = wait4(tool->tgid, &tool->status, WNOHANG, &tool->usage) == tool->tgid;
}

/* Until its programs are attached, all of them, and what else was loaded meanwhile is let go. */
static void tool_wait_begin(struct tool *tool)
{
	uint64_t begin_ms = now_ms(), last_ms = begin_ms;

	while (!tool->ended && now_ms() - begin_ms < START_MAX_MS) {
		int n = tool->programs.n;

		programs_look(&tool->programs);
		if (tool->programs.n != n)
			last_ms = now_ms();
		if (now_ms() - last_ms > SETTLED_MS && programs_have_run(&tool->programs, tool->tgid))
			break;
		sleep_ms(POLL_MS);
		tool_look(tool);
	}
	for (int i = tool->programs.n - 1; i >= 0; i--)
		if (!program_is_of(tool->programs.ids[i], tool->tgid))
			programs_drop(&tool->programs, i);
}

static void tool_start(struct tool *tool, char **argv, const char *out, bool no_bpf)
{
	char err_out[PATH_MAX];

	snprintf(err_out, sizeof(err_out), "%s.err", out);
	programs_begin(&tool->programs);
	tool->tgid = start(argv, out, err_out);
	if (no_bpf)
		sleep_ms(NO_BPF_MS);
	else
		tool_wait_begin(tool);
}

static void tool_end(struct tool *tool)
{
	uint64_t begin_ms = now_ms();

	tool_look(tool);
	if (!tool->ended)
		kill(tool->tgid, SIGINT);
	while (!tool->ended) {
		if (now_ms() - begin_ms > END_MAX_MS)
			kill(tool->tgid, SIGKILL);
		sleep_ms(POLL_MS);
		tool_look(tool);
	}
}

static void programs_count(const struct programs *p, struct counts counts[PROGRAMS_MAX], bool print)
{
	struct bpf_prog_info info;

	for (int i = 0; i < p->n; i++) {
		if (program_info(p->fds[i], &info))
			continue;
		if (print && info.run_cnt > counts[i].runs)
			printf("program %.*s %" PRIu64 " %" PRIu64 "\n", PROGRAM_NAMES, info.name,
			       (uint64_t)info.run_cnt - counts[i].runs, (uint64_t)info.run_time_ns - counts[i].ns);
		counts[i] = (struct counts){ info.run_cnt, info.run_time_ns };
	}
}

static void run_load(char **argv, const struct programs *p)
{
	struct counts counts[PROGRAMS_MAX] = { 0 };
	struct rusage usage;
	uint64_t begin_ms;
	int status;
	pid_t load;

	programs_count(p, counts, false);
	begin_ms = now_ms();
	load = start(argv, "/dev/null", "/dev/null");
	if (wait4(load, &status, 0, &usage) != load || !WIFEXITED(status) || WEXITSTATUS(status))
		errx(1, "the load %s failed", argv[0]);
	printf("load_ms %" PRIu64 "\nload_cpu_ms %.1f\n", now_ms() - begin_ms, cpu_ms(&usage));
	programs_count(p, counts, true);
}

/* The first argument of LOAD, behind the last "--". */
static char **find_load(int argc, char **argv)
{
	for (int i = argc - 1; i > 0; i--)
		if (!strcmp(argv[i], "--")) {
			argv[i] = NULL;
			return argv[i + 1] ? argv + i + 1 : NULL;
		}
	return NULL;
}

int main(int argc, char **argv)
{
	char **load = find_load(argc, argv);
	struct tool tool = { 0 };
	const char *out = NULL;
	bool no_bpf = false;
	int letter;

	while (load && (letter = getopt((int)(load - argv) - 1, argv, "+o:n")) != -1) {
		if (letter == 'o')
			out = optarg;
		else if (letter == 'n')
			no_bpf = true;
		else
			return 1;
	}
	if (!load || !out)
		errx(1, "usage: beside -o FILE [-n] [-- TOOL ARGS...] -- LOAD ARGS...");
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) /* until we exit */
		err(1, "cannot enable BPF run statistics (needs root)");
	if (argv[optind])
		tool_start(&tool, argv + optind, out, no_bpf);
	run_load(load, &tool.programs);
	if (!tool.tgid)
		return 0;
	tool_end(&tool);
	printf("tool_cpu_ms %.1f\nstatus %d\n", cpu_ms(&tool.usage),
	       WIFEXITED(tool.status) ? WEXITSTATUS(tool.status) : 128 + WTERMSIG(tool.status));
	return 0;
}
