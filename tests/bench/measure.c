/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * measure -o FILE [-l LOAD] [-w MS] [-n] [-x SCRIPT] [-- TOOL ARGS...]: runs LOAD, beside it TOOL, and prints what
 * TOOL cost as lines "name value".
 *
 *   -l LOAD    tests/workloads/deep, built; it runs from before TOOL starts until after it has ended
 *   -w MS      the rounds of the load are counted for so long, from TOOL's first sample on (-n, or no TOOL:
 *              from 500 ms after its start on)
 *   -n         TOOL has no BPF programs
 *   -x SCRIPT  run by sh when the rounds are counted
 *   -o FILE    gets TOOL's stdout; FILE.err its stderr
 *
 * The run statistics of its BPF programs are read when it has ended. Exit status: 0 also if TOOL failed (see
 * "status"), 1 if nothing was measured.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "programs.h"

#define LOAD_SECONDS   "600" /* until killed */
#define LOAD_WARM_MS   300
#define START_POLL_MS  1
#define START_LOOKS    10    /* polls a look at the memory */
#define START_MAX_MS   20000 /* then TOOL takes no samples */
#define WINDOW_POLL_MS 250
#define END_POLL_MS    10
#define NO_BPF_WAIT_MS 500

struct options {
	const char *out, *load, *script;
	char **tool;
	unsigned window_ms;
	bool no_bpf;
};

struct load {
	pid_t tgid;
	FILE *lines;
	uint64_t rounds, at_ns, cpu_ns; /* of the last line */
};

struct tool {
	pid_t tgid;
	struct programs programs;
	uint64_t start_ns;
	uint64_t first_sample_ns;	       /* after the start; 0: none seen */
	uint64_t first_cpu_ns;		       /* CPU time used by then: the least that it takes */
	uint64_t maps_kib;		       /* BPF maps in its address space, at their largest */
	uint64_t beyond_maps_kib;	       /* all else that is resident, at its largest */
	double rounds_per_s, rounds_per_cpu_s; /* of the load */
	double window_cpu_pct;		       /* of one CPU, while the rounds were counted */
	bool ended;
	int status;
	struct rusage usage;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void sleep_ms(unsigned ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

/* In the child: dies with us, reads nothing. */
static void become(char **argv, const char *out)
{
	char path[PATH_MAX];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (out) {
		snprintf(path, sizeof(path), "%s.err", out);
		if (!freopen("/dev/null", "r", stdin) || !freopen(out, "w", stdout) || !freopen(path, "w", stderr))
			_exit(126);
	}
	execvp(argv[0], argv);
	warn("%s", argv[0]);
	fflush(stderr); /* buffered, now that it is a file */
	_exit(127);
}

static void load_start(struct load *load, const char *path)
{
	char *argv[] = { (char *)path, LOAD_SECONDS, NULL };
	int pipe_fds[2];

	if (pipe2(pipe_fds, O_CLOEXEC))
		err(1, "pipe");
	load->tgid = fork();
	if (load->tgid < 0)
		err(1, "fork");
	if (!load->tgid) {
		dup2(pipe_fds[1], STDOUT_FILENO);
		become(argv, NULL);
	}
	close(pipe_fds[1]);
	load->lines = fdopen(pipe_fds[0], "r");
	sleep_ms(LOAD_WARM_MS);
}

static void load_read(struct load *load)
{
	if (kill(load->tgid, SIGUSR1) ||
	    fscanf(load->lines, "%" SCNu64 " %" SCNu64 " %" SCNu64, &load->rounds, &load->at_ns, &load->cpu_ns) != 3)
		errx(1, "the load does not say what it has done");
}

static void load_stop(struct load *load)
{
	if (!load->tgid)
		return;
	kill(load->tgid, SIGKILL);
	waitpid(load->tgid, NULL, 0);
	fclose(load->lines);
}

static void programs_print(const struct programs *p)
{
	uint64_t runs = 0, ns = 0;
	struct bpf_prog_info info;

	for (int i = 0; i < p->n; i++)
		if (!program_info(p->fds[i], &info)) {
			runs += info.run_cnt;
			ns += info.run_time_ns;
		}
	printf("bpf_runs %" PRIu64 "\nbpf_ns %" PRIu64 "\n", runs, ns);
}

static void tool_start(struct tool *tool, const struct options *o)
{
	tool->programs.type = BPF_PROG_TYPE_PERF_EVENT;
	programs_begin(&tool->programs);
	tool->start_ns = now_ns();
	tool->tgid = fork();
	if (tool->tgid < 0)
		err(1, "fork");
	if (!tool->tgid)
		become(o->tool, o->out);
}

static void tool_look(struct tool *tool)
{
	if (tool->ended || !tool->tgid)
		return;
	tool->ended = wait4(tool->tgid, &tool->status, WNOHANG, &tool->usage) == tool->tgid;
}

/* Pages of BPF maps belong to the kernel's memory, though they are counted as resident. */
static void tool_look_at_memory(struct tool *tool)
{
	uint64_t kib, maps_kib = 0, all_kib = 0;
	char path[64], line[PATH_MAX + 128];
	bool is_map = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps", tool->tgid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Rss: %" SCNu64, &kib) == 1) {
			all_kib += kib;
			maps_kib += is_map ? kib : 0;
		} else if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' ')) {
			is_map = strstr(line, "anon_inode:bpf-map");
		}
	}
	fclose(f);
	if (maps_kib > tool->maps_kib)
		tool->maps_kib = maps_kib;
	if (all_kib - maps_kib > tool->beyond_maps_kib)
		tool->beyond_maps_kib = all_kib - maps_kib;
}

/* Of all its threads, so far; 0 if it has ended. */
static uint64_t tool_cpu_ns(const struct tool *tool)
{
	struct timespec t;
	clockid_t clock;

	if (!tool->tgid || clock_getcpuclockid(tool->tgid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void wait_for_first_sample(struct tool *tool)
{
	unsigned look = 0;

	while (!tool->ended && now_ns() - tool->start_ns < START_MAX_MS * 1000000ull) {
		programs_look(&tool->programs);
		if (programs_have_run(&tool->programs, tool->tgid)) {
			tool->first_sample_ns = now_ns() - tool->start_ns;
			tool->first_cpu_ns = tool_cpu_ns(tool);
			return;
		}
		sleep_ms(START_POLL_MS);
		if (look++ % START_LOOKS == 0)
			tool_look_at_memory(tool);
		tool_look(tool);
	}
}

static void watch(struct tool *tool, struct load *load, unsigned window_ms)
{
	uint64_t end_ns = now_ns() + window_ms * 1000000ull, used_ns = tool_cpu_ns(tool);
	struct load before;

	load_read(load);
	before = *load;
	while (!tool->ended && now_ns() < end_ns) {
		uint64_t left_ms = (end_ns - now_ns()) / 1000000 + 1;

		sleep_ms(left_ms < WINDOW_POLL_MS ? (unsigned)left_ms : WINDOW_POLL_MS);
		if (tool->tgid)
			tool_look_at_memory(tool);
		tool_look(tool);
	}
	load_read(load);
	tool->rounds_per_s = (double)(load->rounds - before.rounds) * 1e9 / (double)(load->at_ns - before.at_ns);
	tool->rounds_per_cpu_s = (double)(load->rounds - before.rounds) * 1e9 / (double)(load->cpu_ns - before.cpu_ns);
	tool->window_cpu_pct = (double)(tool_cpu_ns(tool) - used_ns) * 100 / (double)(load->at_ns - before.at_ns);
}

static void wait_for_end(struct tool *tool)
{
	while (tool->tgid && !tool->ended) {
		tool_look_at_memory(tool);
		sleep_ms(END_POLL_MS);
		tool_look(tool);
	}
}

static double ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static void print(const struct tool *tool)
{
	if (tool->rounds_per_s > 0)
		printf("rounds_per_s %.1f\nrounds_per_cpu_s %.1f\nwindow_cpu_pct %.3f\n", tool->rounds_per_s,
		       tool->rounds_per_cpu_s, tool->window_cpu_pct);
	if (!tool->tgid)
		return;
	printf("status %d\n", WIFEXITED(tool->status) ? WEXITSTATUS(tool->status) : 128 + WTERMSIG(tool->status));
	printf("start_s %.6f\n", (double)tool->start_ns / 1e9);
	if (tool->first_sample_ns) {
		printf("first_sample_ms %.1f\nfirst_cpu_ms %.1f\n", (double)tool->first_sample_ns / 1e6,
		       (double)tool->first_cpu_ns / 1e6);
		programs_print(&tool->programs);
	}
	printf("user_ms %.1f\nsystem_ms %.1f\n", ms(tool->usage.ru_utime), ms(tool->usage.ru_stime));
	printf("rss_kib %ld\nmaps_kib %" PRIu64 "\nbeyond_maps_kib %" PRIu64 "\n", tool->usage.ru_maxrss,
	       tool->maps_kib, tool->beyond_maps_kib);
}

static struct options parse(int argc, char **argv)
{
	struct options o = { 0 };
	int letter;

	while ((letter = getopt(argc, argv, "o:l:w:x:n")) != -1)
		switch (letter) {
		case 'o':
			o.out = optarg;
			break;
		case 'l':
			o.load = optarg;
			break;
		case 'w':
			o.window_ms = (unsigned)atoi(optarg);
			break;
		case 'x':
			o.script = optarg;
			break;
		case 'n':
			o.no_bpf = true;
			break;
		default:
			exit(1);
		}
	o.tool = optind < argc ? argv + optind : NULL;
	if ((o.tool && !o.out) || (o.window_ms && !o.load))
		errx(1, "a tool needs -o, -w needs -l");
	return o;
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	struct tool tool = { 0 };
	struct load load = { 0 };

	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) /* until we exit */
		err(1, "cannot enable BPF run statistics (needs root)");
	if (o.load)
		load_start(&load, o.load);
	if (o.tool)
		tool_start(&tool, &o);
	if (o.tool && !o.no_bpf)
		wait_for_first_sample(&tool);
	else if (o.window_ms)
		sleep_ms(NO_BPF_WAIT_MS);
	if (o.window_ms)
		watch(&tool, &load, o.window_ms);
	if (o.script && system(o.script))
		warnx("failed: %s", o.script);
	wait_for_end(&tool);
	print(&tool);
	load_stop(&load);
	return 0;
}
