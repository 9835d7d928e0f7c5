/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/session_set_up.h"

#include <bpf/bpf.h>
#include <err.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/verifier.h"

static int call(int (*step)(struct session *), struct session *s)
{
	return step ? step(s) : 0;
}

/* -C names CPUs that are online now. */
static int parse_cpus(struct session *s)
{
	int err = cpu_list_parse(s->target->cpus, &s->cpus);

	if (err)
		warnx("-C %s: no list of CPUs (like 0-3,7)", s->target->cpus);
	for (size_t i = 0; !err && i < s->cpus.n; i++) {
		if (cpu_list_has(&s->watch.online, s->cpus.ids[i]))
			continue;
		warnx("-C %s: CPU %u is not online", s->target->cpus, s->cpus.ids[i]);
		err = -ENODEV;
	}
	return err;
}

static int no_cpus(int err)
{
	warnx("cannot read the lists of CPUs in /sys/devices/system/cpu: %s%s", strerror(-err),
	      err == -ENOENT ? " (is sysfs mounted?)" : "");
	return err == -ENOENT ? -EOPNOTSUPP : err;
}

/* The CPUs to measure: -C, or all that are online or can come. */
static int choose_cpus(struct session *s)
{
	int err = cpu_watch_open(&s->watch);

	if (err)
		return no_cpus(err);
	if (s->target->cpus) {
		err = parse_cpus(s);
	} else if (cpu_list_present(&s->cpus)) {
		err = cpu_list_online(&s->cpus);
		if (err)
			return no_cpus(err);
	}
	return err ? err : cpu_gaps_open(&s->gaps, &s->cpus);
}

/* Of --btf or its variable; else the kernel's own is looked for when it is needed. */
static int open_btf(struct session *s)
{
	int err = kernel_btf_open(&s->btf, s->run->btf);

	if (err)
		warnx("%s", s->btf.why);
	return err;
}

static int need_btf(const struct session *s)
{
	if (kernel_btf_is_there(&s->btf))
		return 0;
	if (strcmp(kernel_btf_none(), KERNEL_BTF_NONE) != 0)
		warnx("%s (%s)", kernel_btf_none(), kernel_btf_none_cure());
	else
		warnx(KERNEL_BTF_NONE " (give one by " KERNEL_BTF_CURE "; 'kbpfprof doctor' tells how to make it)");
	return -EOPNOTSUPP;
}

static int load(struct session *s)
{
	struct verifier verifier;
	int err;

	verifier_watch(&verifier, s->object, s->run->verbose ? VERIFIER_TALKS : VERIFIER_QUIET);
	err = bpf_object__load_skeleton(s->skeleton);
	if (!err && s->filter_config)
		err = filter_fill(&s->filter, s->object, s->command.tgid);
	if (err)
		verifier_tell(&verifier, err);
	verifier_close(&verifier);
	return err ? -EOPNOTSUPP : 0;
}

static int attach(struct session *s)
{
	int err = bpf_object__attach_skeleton(s->skeleton);

	if (err) {
		warnx("cannot attach BPF programs: %s", strerror(-err));
		return -EOPNOTSUPP;
	}
	return call(s->tool->collector->attach, s);
}

static int enable_stats(struct session *s)
{
	if (!s->run->self_cost)
		return 0;
	s->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (s->stats_fd >= 0)
		return 0;
	warnx("--self-cost: cannot enable BPF run statistics: %s", strerror(errno));
	return -EOPNOTSUPP;
}

static int prepare_command(struct session *s, const sigset_t *user_mask)
{
	int err;

	memory_unbind(s->data_bytes); /* COMMAND is free */
	err = command_prepare(&s->command, s->target->command, user_mask,
			      s->stdout_is_data ? STDERR_FILENO : STDOUT_FILENO);
	memory_bind(&s->data_bytes);
	if (err)
		warnx("cannot fork: %s", strerror(-err));
	return err;
}

/* Where tasks are no target, COMMAND only tells how long. */
static int parse_filter(struct session *s)
{
	struct target_options machine = { .cpus = s->target->cpus };

	return filter_parse(&s->filter, s->tool->groups & TOOL_CPUS ? &machine : s->target, &s->btf);
}

int session_prepare(struct session *s, const sigset_t *user_mask)
{
	int err = open_btf(s);

	if (!err)
		err = choose_cpus(s);
	if (!err)
		err = parse_filter(s);
	if (!err)
		err = call(s->tool->collector->open, s);
	if (!err)
		err = need_btf(s);
	if (!err && s->target->command && user_mask)
		err = prepare_command(s, user_mask);
	if (!err)
		err = s->filter_config ? filter_configure(&s->filter, s->object, s->filter_config) : 0;
	return err ? err : call(s->tool->collector->configure, s);
}

int session_set_up(struct session *s, const sigset_t *user_mask)
{
	int err = session_prepare(s, user_mask);

	if (!err)
		err = enable_stats(s);
	if (!err)
		err = load(s);
	kernel_btf_close(&s->btf);
	return err ? err : attach(s);
}
