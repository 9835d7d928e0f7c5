/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/session.h"

#include <bpf/bpf.h>
#include <err.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/exit.h"
#include "core/features.h"
#include "core/heap.h"
#include "core/losses.h"
#include "core/memory.h"
#include "core/session_set_up.h"
#include "core/verifier.h"
#include "core/version.h"

#define TICK_NS	 (100 * 1000 * 1000ULL)
#define WATCH_NS TICK_NS /* a CPU that is back is measured again after so long */

static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static int print_all(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_DEBUG ? 0 : vfprintf(stderr, format, args);
}

static int start_command(struct session *s)
{
	int err = s->command.tgid ? command_start(&s->command) : 0;

	if (err)
		warnx("cannot run %s: %s", s->target->command[0], strerror(-err));
	return err;
}

/* One step of waiting: true when the run is over. */
static bool is_over(struct session *s, int signal_fd)
{
	struct signalfd_siginfo info;

	while (read(signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			s->interrupted = true;
	if (s->interrupted)
		return true;
	if (s->command.tgid && command_ended(&s->command))
		return true;
	return filter_targets_gone(&s->filter);
}

/*
 * Of samples the books say what was not delivered; an event that a tracepoint's program was not run for is known from
 * the kernel alone.
 */
static int read_losses(const struct session *s, struct recording *r)
{
	if (!(s->tool->gives & REC_SAMPLES))
		r->lost.by_cause[LOST_SKIPPED] = losses_skipped(s->object) - s->skipped_before;
	return losses_read(s->object, &r->lost);
}

/* Brings the recording up to date: what the maps hold, the losses, the books, names for what is new. */
static int settle(struct session *s, struct recording *r, bool last)
{
	const struct collector *c = s->tool->collector;
	int err = c->drain(s, r);

	if (!err)
		err = read_losses(s, r);
	if (!err)
		err = cpu_gaps_tell(&s->gaps, s->start_ns + r->meta.duration_ns, r);
	return err ? err : c->settle(s, r, last);
}

/* Which CPUs are online, and so measured. */
static int follow_cpus(struct session *s, struct recording *r, uint64_t now)
{
	const struct collector *c = s->tool->collector;
	bool changed = cpu_watch_look(&s->watch) > 0;
	int err = c->follow_cpus ? c->follow_cpus(s, r, changed) : 0;

	if (!c->follow_cpus && changed)
		err = cpu_gaps_follow(&s->gaps, &s->watch.online, now, r);
	s->watched_ns = now;
	r->meta.cpus = s->gaps.measured;
	return err;
}

static void plan_interval(struct session *s)
{
	s->interval_end_ns = s->sink ? clock_ns(CLOCK_MONOTONIC) + s->sink->every_ns : UINT64_MAX;
}

static int end_interval(struct session *s, struct recording *r)
{
	int err;

	r->meta.duration_ns = clock_ns(CLOCK_MONOTONIC) - s->start_ns;
	plan_interval(s);
	err = settle(s, r, false);
	return err ? err : s->sink->interval(s->sink->arg, r);
}

static int show_progress(struct session *s, struct recording *r)
{
	const struct collector *c = s->tool->collector;
	int err = read_losses(s, r);
	struct progress_news news = { .what = s->tool->gives & REC_LATENCY ? "wakeups" : "samples",
				      .kept = c->count ? c->count(s) : 0,
				      .lost = recording_lost_sum(r) };

	if (!err)
		progress_show(&s->progress, &news);
	return err;
}

/* What is done beside waiting, as it falls due. */
static int tick(struct session *s, struct recording *r)
{
	const struct collector *c = s->tool->collector;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int err = now >= s->watched_ns + WATCH_NS ? follow_cpus(s, r, now) : 0;

	if (!err && progress_is_due(&s->progress))
		err = show_progress(s, r);
	if (err || now < s->interval_end_ns)
		return err || !c->tick ? err : c->tick(s, r);
	return end_interval(s, r);
}

/* Waits until `end_ns` of the monotonic clock (0: for ever) or the end of the run; ticks if there is a recording. */
static int wait_until(struct session *s, struct recording *r, int signal_fd, uint64_t end_ns)
{
	struct pollfd signals = { .fd = signal_fd, .events = POLLIN };

	while (!is_over(s, signal_fd)) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), left = s->tick_ns;
		struct timespec pause;
		int err;

		if (end_ns && now >= end_ns)
			return 0;
		if (end_ns && end_ns - now < left)
			left = end_ns - now;
		pause = (struct timespec){ (time_t)(left / 1000000000), (long)(left % 1000000000) };
		if (ppoll(&signals, 1, &pause, NULL) < 0 && errno != EINTR)
			return -errno;
		err = r ? tick(s, r) : 0;
		if (err)
			return err;
	}
	return 0;
}

static uint64_t deadline(uint64_t duration_ns)
{
	return duration_ns ? clock_ns(CLOCK_MONOTONIC) + duration_ns : 0;
}

/*
 * Programs that began before all was disabled may not have ended on other CPUs, and what they write is to be read
 * whole: the kernel's membarrier waits for that, as programs are readers under RCU. It does not with nohz_full.
 */
static void await_programs(void)
{
	const struct timespec longer_than_any = { .tv_nsec = 1000000 };

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&longer_than_any, NULL);
}

/* From the first sample to the last. */
static int measure(struct session *s, struct recording *r, int signal_fd)
{
	const struct collector *c = s->tool->collector;
	int err = 0;

	r->meta.start_unix_ns = clock_ns(CLOCK_REALTIME);
	if (s->time->delay_ns) {
		err = start_command(s);
		if (!err)
			err = wait_until(s, NULL, signal_fd, deadline(s->time->delay_ns));
		if (err || is_over(s, signal_fd)) /* over before it began */
			return err;
		r->meta.start_unix_ns = clock_ns(CLOCK_REALTIME);
	}
	s->start_ns = clock_ns(CLOCK_MONOTONIC);
	s->watched_ns = s->start_ns;
	cpu_watch_look(&s->watch); /* -D may be long ago */
	cpu_gaps_start(&s->gaps, &s->watch.online, s->start_ns);
	r->meta.cpus = s->gaps.measured;
	plan_interval(s);
	s->skipped_before = losses_skipped(s->object);
	err = c->enable(s, true);
	if (!err && !s->time->delay_ns)
		err = start_command(s);
	if (!err)
		err = wait_until(s, r, signal_fd, deadline(s->time->duration_ns));
	if (!err)
		err = c->enable(s, false);
	r->meta.duration_ns = clock_ns(CLOCK_MONOTONIC) - s->start_ns;
	await_programs();
	return err;
}

static void read_cost(struct session *s, struct recording *r)
{
	struct bpf_program *program;

	if (s->stats_fd < 0)
		return;
	bpf_object__for_each_program(program, s->object)
	{
		struct bpf_prog_info info;

		if (!losses_program(program, &info))
			continue;
		r->cost.bpf_ns += info.run_time_ns;
		r->cost.bpf_runs += info.run_cnt;
	}
	r->cost.known = true;
}

static void describe(const struct session *s, struct recording *r)
{
	struct utsname u;

	snprintf(r->meta.version, sizeof(r->meta.version), "%s", KBPFPROF_VERSION);
	snprintf(r->meta.command_line, sizeof(r->meta.command_line), "%s", s->command_line);
	snprintf(r->meta.tool, sizeof(r->meta.tool), "%s", s->tool->name);
	snprintf(r->meta.target, sizeof(r->meta.target), "%s", s->filter.text);
	if (!uname(&u)) {
		snprintf(r->meta.kernel, sizeof(r->meta.kernel), "%s %s", u.release, u.machine);
		snprintf(r->meta.host, sizeof(r->meta.host), "%s", u.nodename);
	}
}

/* The run itself, once all is set up. */
static int run(struct session *s, struct recording *r, int signal_fd, const sigset_t *user_mask)
{
	int err;

	if (!s->quiet && isatty(STDERR_FILENO) && !s->time->duration_ns && !s->target->command)
		fprintf(stderr, "measuring %s, Ctrl-C ends and reports\n", s->filter.text);
	describe(s, r);
	/* The terminal is COMMAND's, if there is one. */
	progress_start(&s->progress, !s->quiet && !s->target->command, s->time->duration_ns);
	err = measure(s, r, signal_fd);
	progress_end(&s->progress);
	/* From here on Ctrl-C means: stop at once. */
	sigprocmask(SIG_SETMASK, user_mask, NULL);
	read_cost(s, r);
	if (!err)
		err = settle(s, r, true);
	r->cost.user_ns = progress_cpu_ns(); /* reading and naming, without writing the report */
	return err || !s->sink ? err : s->sink->interval(s->sink->arg, r);
}

static void tear_down(struct session *s)
{
	if (s->tool->collector->close)
		s->tool->collector->close(s);
	if (s->stats_fd >= 0)
		close(s->stats_fd);
	kernel_btf_close(&s->btf);
	filter_close(&s->filter);
	cpu_gaps_close(&s->gaps);
	cpu_watch_close(&s->watch);
	cpu_list_free(&s->cpus);
}

static int exit_code(const struct session *s, int err)
{
	if (s->command.exec_failed)
		return command_exit_code(&s->command);
	if (!err && s->command.tgid && !s->command.running && !s->interrupted)
		return command_exit_code(&s->command);
	return exit_code_of(err);
}

/* What this process needs before any BPF. */
static void begin(struct session *s)
{
	s->tick_ns = TICK_NS;
	s->stats_fd = -1;
	libbpf_set_print(s->run->verbose ? print_all : print_nothing);
	memory_raise_locked();
	memory_warn();
	memory_bind(&s->data_bytes);
	heap_prepare();
}

int session_try(struct session *s, int (*then)(struct session *s, void *arg), void *arg)
{
	int err;

	begin(s);
	err = session_prepare(s, NULL);
	if (!err)
		err = then(s, arg);
	tear_down(s);
	memory_unbind(s->data_bytes);
	heap_trim();
	return err;
}

int session_run(struct session *s, struct recording *r)
{
	struct sigaction hup = { .sa_handler = SIG_DFL };
	sigset_t watched, user_mask;
	int signal_fd, err;

	sigemptyset(&watched);
	sigaddset(&watched, SIGINT);
	sigaddset(&watched, SIGTERM);
	sigaddset(&watched, SIGCHLD);
	sigaction(SIGHUP, NULL, &hup);
	if (hup.sa_handler != SIG_IGN) /* nohup; a signalfd would hear it all the same */
		sigaddset(&watched, SIGHUP);
	sigprocmask(SIG_BLOCK, &watched, &user_mask);
	signal_fd = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd < 0)
		return -errno;
	begin(s);
	err = session_set_up(s, &user_mask);
	memory_unbind(s->data_bytes); /* never again as much as for the load */
	heap_trim();
	if (!err && s->sink)
		err = s->sink->begin(s->sink->arg);
	if (!err)
		err = run(s, r, signal_fd, &user_mask);
	s->exit_code = exit_code(s, err);
	command_stop(&s->command);
	tear_down(s);
	close(signal_fd);
	sigprocmask(SIG_SETMASK, &user_mask, NULL);
	return err;
}
