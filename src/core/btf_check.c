/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/btf_check.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/features.h"
#include "core/kernel_btf.h"
#include "kbpfprof/btf_check.h"

#include "btf_check.skel.h"

/* PROC_TIME_INIT_INO of include/linux/proc_ns.h: the first time namespace has this inode everywhere. */
#define FIRST_TIME_NS 0xeffffffau

/* A task comes by sched_switch when it sleeps so long, and a timer ends it. */
#define NAP_NS	 2000000
#define NS_PER_S UINT64_C(1000000000)
/* Of that timer, from the expiry asked for to the last one: like nothing else. */
#define SLACK_NS 123457
/* Of the look: other than that of most, and its fields then differ from each other. */
#define PRIORITY 3
/* More than loading takes. */
#define DESCRIPTORS 32

static const char *const names[CHECKS] = {
	[CHECK_TGID] = "task_struct.tgid",
	[CHECK_PID] = "task_struct.pid",
	[CHECK_COMM] = "task_struct.comm",
	[CHECK_FLAGS] = "task_struct.flags",
	[CHECK_STATE] = "task_struct.__state",
	[CHECK_ON_CPU] = "task_struct.on_cpu",
	[CHECK_ON_RQ] = "task_struct.on_rq",
	[CHECK_CPU] = "thread_info.cpu",
	[CHECK_PRIO] = "task_struct.prio",
	[CHECK_NORMAL_PRIO] = "task_struct.normal_prio",
	[CHECK_POLICY] = "task_struct.policy",
	[CHECK_CPUS_ALLOWED] = "task_struct.nr_cpus_allowed",
	[CHECK_GROUP_LEADER] = "task_struct.group_leader",
	[CHECK_START_BOOTTIME] = "task_struct.start_boottime",
	[CHECK_START_CODE] = "mm_struct.start_code",
	[CHECK_THREADS] = "signal_struct.live",
	[CHECK_PID_NS] = "pid_namespace.ns",
	[CHECK_PID_NR] = "upid.nr",
	[CHECK_RQ_CURR] = "rq.curr",
	[CHECK_CGROUP] = "css_set.dfl_cgrp",
	[CHECK_ANCESTOR] = "cgroup.ancestors",
	[CHECK_PERCPU] = "the per-CPU variables",
	[CHECK_SWITCH] = "sched_switch",
	[CHECK_TIMER_SOFT] = "hrtimer._softexpires",
	[CHECK_TIMER_HARD] = "hrtimer.node",
};

/* --- What is known of our task in other ways; what is not is left as it is. */

static void know(struct btf_check_value *v, enum btf_check_field field, uint64_t want)
{
	if (v[field].state != CHECK_SEEN)
		return;
	v[field].want = want;
	v[field].state = CHECK_BOTH;
}

/* Numbers by their place in proc(5)'s /proc/PID/stat; behind the name, which may hold anything. */
#define STAT_FLAGS	9
#define STAT_PRIORITY	18
#define STAT_THREADS	20
#define STAT_START	22
#define STAT_START_CODE 26

static void know_by_stat(struct btf_check_value *v)
{
	int64_t field[STAT_START_CODE + 1] = { 0 };
	char line[1024], *at, *save = NULL;
	FILE *f = fopen("/proc/thread-self/stat", "re");
	unsigned n = 3;

	at = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	if (f)
		fclose(f);
	for (char *word = at ? strtok_r(at + 1, " ", &save) : NULL; word && n <= STAT_START_CODE;
	     word = strtok_r(NULL, " ", &save))
		field[n++] = (int64_t)strtoull(word, NULL, 10);
	if (n <= STAT_START_CODE)
		return;
	know(v, CHECK_FLAGS, (uint64_t)field[STAT_FLAGS] & CHECK_FLAGS_MASK);
	know(v, CHECK_PRIO, (uint64_t)(field[STAT_PRIORITY] + 100)); /* less MAX_RT_PRIO (fs/proc/array.c) */
	know(v, CHECK_NORMAL_PRIO, (uint64_t)(field[STAT_PRIORITY] + 100));
	know(v, CHECK_THREADS, (uint64_t)field[STAT_THREADS]);
	if (field[STAT_START_CODE] > 1) /* 0, 1: not told */
		know(v, CHECK_START_CODE, (uint64_t)field[STAT_START_CODE]);
	v[CHECK_START_BOOTTIME].got /= NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	know(v, CHECK_START_BOOTTIME, (uint64_t)field[STAT_START]);
}

/* In a time namespace /proc tells other start times. */
static bool in_time_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/time", &st) == 0 && st.st_ino != FIRST_TIME_NS;
}

/* Bits of "Cpus_allowed:\tff,ffffffff"; 0: not told. */
static unsigned cpus_allowed(void)
{
	FILE *f = fopen("/proc/thread-self/status", "re");
	char *line = NULL;
	size_t bytes = 0;
	unsigned n = 0;

	while (f && !n && getline(&line, &bytes, f) > 0) {
		if (strncmp(line, "Cpus_allowed:\t", 14) != 0)
			continue;
		for (const char *c = line + 14; *c; c++) {
			const char digit[] = { *c, '\0' };

			n += (unsigned)__builtin_popcount((unsigned)strtoul(digit, NULL, 16));
		}
	}
	free(line);
	if (f)
		fclose(f);
	return n;
}

static void know_all(struct btf_check_value *v)
{
	unsigned allowed = cpus_allowed();
	int policy = sched_getscheduler(0);
	struct stat st;

	if (in_time_namespace())
		v[CHECK_START_BOOTTIME].state = CHECK_UNSEEN;
	know_by_stat(v);
	if (policy >= 0)
		know(v, CHECK_POLICY, (uint64_t)(policy & ~SCHED_RESET_ON_FORK));
	if (allowed)
		know(v, CHECK_CPUS_ALLOWED, allowed);
	know(v, CHECK_PID_NR, (uint64_t)syscall(SYS_gettid));
	if (!stat("/proc/self/ns/pid", &st))
		know(v, CHECK_PID_NS, st.st_ino);
}

/* --- The look, in a thread of its own: that has numbers and a priority like no other field. */

struct look {
	struct btf_check_bpf *skeleton;
	struct btf_check_result *r;
	int switch_arg; /* as the file has it; -1: it has not */
	int err;	/* -EINVAL: r->why */
};

static int run(struct btf_check_bpf *skeleton)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return bpf_prog_test_run_opts(bpf_program__fd(skeleton->progs.check_task), &opts);
}

/* The number of CPU 0 is easily found elsewhere: the last one of ours is looked for. */
static int run_elsewhere(struct btf_check_bpf *skeleton, struct btf_check_value *cpu)
{
	cpu_set_t ours, last;
	int at = CPU_SETSIZE - 1, err;

	if (sched_getaffinity(0, sizeof(ours), &ours)) /* more CPUs than that */
		return 0;
	while (at && !CPU_ISSET(at, &ours))
		at--;
	CPU_ZERO(&last);
	CPU_SET(at, &last);
	if (sched_setaffinity(0, sizeof(last), &last))
		return 0;
	err = run(skeleton);
	sched_setaffinity(0, sizeof(ours), &ours);
	*cpu = skeleton->bss->values[CHECK_CPU];
	return err;
}

static bool is_fair(void)
{
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;

	return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
}

static void nap(struct btf_check_value *v)
{
	struct timespec at;
	uint64_t wake_ns, slack_ns;

	prctl(PR_SET_TIMERSLACK, SLACK_NS, 0, 0, 0);
	slack_ns = is_fair() ? SLACK_NS : 0;
	clock_gettime(CLOCK_MONOTONIC, &at);
	wake_ns = (uint64_t)at.tv_sec * NS_PER_S + (uint64_t)at.tv_nsec + NAP_NS;
	at = (struct timespec){ (time_t)(wake_ns / NS_PER_S), (long)(wake_ns % NS_PER_S) };
	if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) || in_time_namespace())
		return;
	know(v, CHECK_TIMER_SOFT, wake_ns);
	know(v, CHECK_TIMER_HARD, wake_ns + slack_ns);
}

static int look_asleep(struct btf_check_bpf *skeleton)
{
	struct bpf_link *at_switch = bpf_program__attach(skeleton->progs.check_switch);
	struct bpf_link *at_timer = at_switch ? bpf_program__attach(skeleton->progs.check_timer) : NULL;
	int err = at_timer ? 0 : -errno;

	if (!err)
		nap(skeleton->bss->values);
	bpf_link__destroy(at_timer);
	bpf_link__destroy(at_switch);
	return err;
}

static int judge(const struct btf_check_value *v, struct btf_check_result *r)
{
	for (unsigned i = 0; i < CHECKS; i++) {
		if (v[i].state == CHECK_BOTH && v[i].got == v[i].want)
			continue;
		if (v[i].state != CHECK_BOTH && v[i].state != CHECK_LACKING)
			continue;
		snprintf(r->why, sizeof(r->why), "%s %s", names[i],
			 v[i].state == CHECK_BOTH ? "differs" : "is not in it");
		return -EINVAL;
	}
	return 0;
}

static int look(struct look *l)
{
	struct btf_check_value cpu = { 0 }, *v = l->skeleton->bss->values;
	int err = run_elsewhere(l->skeleton, &cpu);

	if (!err)
		err = run(l->skeleton);
	if (!err)
		err = look_asleep(l->skeleton);
	if (err)
		return err == -EINVAL ? -EOPNOTSUPP : err;
	if (cpu.state == CHECK_BOTH)
		v[CHECK_CPU] = cpu;
	know_all(v);
	l->r->switch_arg = v[CHECK_SWITCH].state == CHECK_SEEN ? (int)v[CHECK_SWITCH].got : -1;
	if (l->switch_arg >= 0)
		know(v, CHECK_SWITCH, (uint64_t)l->switch_arg);
	return judge(v, l->r);
}

/* Once more with another priority, if that is permitted: then it differs from the static one. */
static int look_again(struct look *l)
{
	const struct sched_param priority = { .sched_priority = PRIORITY };

	if (sched_setscheduler(0, SCHED_FIFO, &priority) || run(l->skeleton))
		return 0;
	know_all(l->skeleton->bss->values);
	return judge(l->skeleton->bss->values, l->r);
}

static void *look_in_thread(void *arg)
{
	struct look *l = arg;

	l->err = look(l);
	if (!l->err)
		l->err = look_again(l);
	return NULL;
}

static int64_t current_from_rq(const struct btf *btf)
{
	int64_t bytes = kernel_btf_from_rq(btf, "current_task");

	return bytes ? bytes : kernel_btf_from_rq(btf, "pcpu_hot"); /* its first member, 6.2 to 6.14 */
}

/* Where descriptors run out libbpf takes some features of the kernel for missing, and fails otherwise. */
static bool can_open_more(void)
{
	int fds[DESCRIPTORS], n = 0;

	while (n < DESCRIPTORS && (fds[n] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0)
		n++;
	for (int i = 0; i < n; i++)
		close(fds[i]);
	return n == DESCRIPTORS || errno != EMFILE;
}

/* Of a file that no program can be loaded by, while others can. */
static int explain_load(int err, struct btf_check_result *r)
{
	if (err != -EINVAL && err != -ESRCH && err != -EUCLEAN && err != -ERANGE)
		return err;
	if (!can_open_more())
		return -EMFILE;
	snprintf(r->why, sizeof(r->why), "no program can be loaded by it: %s", strerror(-err));
	return -EINVAL;
}

static int check(const struct btf *btf, struct btf_check_bpf *skeleton, struct btf_check_result *r)
{
	struct look l = { .skeleton = skeleton, .r = r };
	pthread_t thread;
	int err;

	l.switch_arg = kernel_btf_tracepoint_arg(btf, "sched_switch", "task_struct");
	skeleton->rodata->current_from_rq_bytes = current_from_rq(btf);
	err = btf_check_bpf__load(skeleton);
	if (err)
		return explain_load(err, r);
	err = pthread_create(&thread, NULL, look_in_thread, &l);
	if (err)
		return -err;
	pthread_join(thread, NULL);
	return l.err;
}

int btf_check(const struct btf *btf, const char *path, struct btf_check_result *r)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = path);
	struct btf_check_bpf *skeleton = btf_check_bpf__open_opts(&options);
	char why[256];
	int err;

	*r = (struct btf_check_result){ .switch_arg = -1 };
	err = skeleton ? check(btf, skeleton, r) : -errno;
	btf_check_bpf__destroy(skeleton);
	if (!err || *r->why)
		return err;
	snprintf(r->why, sizeof(r->why), "%.150s", features_explain_load(err, why, sizeof(why)));
	return -EOPNOTSUPP;
}
