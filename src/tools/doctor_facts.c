/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says of itself in /proc and /sys. Each fact stands alone: what cannot be read is "not known". */
#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "core/kernel_btf.h"
#include "core/sysfs.h"
#include "tools/doctor.h"

/* PROC_PID_INIT_INO of include/linux/proc_ns.h: the first PID namespace has this inode everywhere. */
#define FIRST_PID_NS 0xeffffffcu

static const char *const sysctl_paths[SYSCTLS] = {
	[SYSCTL_PARANOID] = "/proc/sys/kernel/perf_event_paranoid",
	[SYSCTL_SAMPLE_RATE] = "/proc/sys/kernel/perf_event_max_sample_rate",
	[SYSCTL_MAX_STACK] = "/proc/sys/kernel/perf_event_max_stack",
	[SYSCTL_KPTR] = "/proc/sys/kernel/kptr_restrict",
	[SYSCTL_UNPRIVILEGED] = "/proc/sys/kernel/unprivileged_bpf_disabled",
	[SYSCTL_JIT] = "/proc/sys/net/core/bpf_jit_enable",
};

const char *doctor_sysctl_name(enum doctor_sysctl id)
{
	return strrchr(sysctl_paths[id], '/') + 1;
}

/* The model whose name is `word`, as a constant; NULL if there is none. */
static const char *preempt_model(const char *word)
{
	static const char *const models[] = { "none", "voluntary", "full", "lazy" };

	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
		if (strcmp(models[i], word) == 0)
			return models[i];
	return NULL;
}

static const char *preempt_configured(void)
{
	if (sysfs_config_is_set("CONFIG_PREEMPT_NONE"))
		return "none";
	if (sysfs_config_is_set("CONFIG_PREEMPT_VOLUNTARY"))
		return "voluntary";
	if (sysfs_config_is_set("CONFIG_PREEMPT_LAZY"))
		return "lazy";
	return sysfs_config_is_set("CONFIG_PREEMPT") ? "full" : NULL;
}

/* A dynamic model is what debugfs says is chosen, or the kernel's command line, or the default of its configuration. */
static const char *preempt_chosen(void)
{
	char line[4096], *word = NULL, *save = NULL;

	if (!sysfs_line("/sys/kernel/debug/sched/preempt", line, sizeof(line))) { /* "none (voluntary) full" */
		strtok_r(line, "(", &save);
		word = strtok_r(NULL, ")", &save);
	} else if (!sysfs_line("/proc/cmdline", line, sizeof(line))) {
		for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save))
			if (strncmp(w, "preempt=", 8) == 0)
				word = w + 8;
	}
	return word && preempt_model(word) ? preempt_model(word) : preempt_configured();
}

static void gather_preempt(struct doctor_facts *f)
{
	const char *version = f->kernel.version;

	f->preempt_dynamic = strstr(version, "PREEMPT_DYNAMIC");
	if (strstr(version, "PREEMPT_RT"))
		f->preempt = "rt";
	else if (f->preempt_dynamic)
		f->preempt = preempt_chosen();
	else if (strstr(version, "PREEMPT"))
		f->preempt = sysfs_config_is_set("CONFIG_PREEMPT_LAZY") ? "lazy" : "full";
	else
		f->preempt = preempt_configured() ? preempt_configured() : "none or voluntary";
}

/* The coarse clock advances once a tick and says so: TICK_NSEC of include/linux/jiffies.h. */
static uint64_t tick_hz(void)
{
	struct timespec tick;
	int64_t configured = sysfs_config_number("CONFIG_HZ");

	if (configured > 0)
		return (uint64_t)configured;
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || tick.tv_sec || tick.tv_nsec <= 0)
		return 0;
	return (1000000000 + (uint64_t)tick.tv_nsec / 2) / (uint64_t)tick.tv_nsec;
}

void doctor_gather_btf(struct doctor_facts *f, const struct kernel_btf *btf)
{
	struct stat st;

	f->btf_file = btf->file;
	if (btf->file)
		f->btf_bytes = !btf->err && !stat(btf->file, &st) ? st.st_size : 0;
	if (btf->err)
		snprintf(f->btf_why, sizeof(f->btf_why), "%s", btf->why);
	else if (!f->btf_bytes)
		snprintf(f->btf_why, sizeof(f->btf_why), "%s", kernel_btf_none());
}

static void gather_btf(struct doctor_facts *f)
{
	struct stat st;
	DIR *dir = opendir("/sys/kernel/btf");

	if (stat("/sys/kernel/btf/vmlinux", &st) == 0)
		f->btf_bytes = st.st_size;
	for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir))
		f->btf_modules += e->d_name[0] != '.' && strcmp(e->d_name, "vmlinux") != 0;
	if (dir)
		closedir(dir);
}

/* "[none] integrity confidentiality" */
static void gather_lockdown(struct doctor_facts *f)
{
	char line[128], *save = NULL, *word;
	struct statfs fs;

	f->securityfs = statfs("/sys/kernel/security", &fs) == 0 && fs.f_type == SECURITYFS_MAGIC;
	if (sysfs_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		return;
	for (word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (word[0] == '[')
			snprintf(f->lockdown, sizeof(f->lockdown), "%.*s", (int)strcspn(word + 1, "]"), word + 1);
}

/* Switched off, the file is there and cannot be read: EOPNOTSUPP. */
static enum doctor_psi psi_state(void)
{
	char line[128];
	int err = sysfs_line("/proc/pressure/cpu", line, sizeof(line));

	if (err == -ENOENT)
		return PSI_ABSENT;
	return err ? PSI_OFF : PSI_ON;
}

static void gather_cgroups(struct doctor_facts *f)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t bytes = 0;

	while (mounts && getline(&line, &bytes, mounts) > 0) {
		f->cgroup_v1 |= strstr(line, " - cgroup ") != NULL;
		f->cgroup_v2 |= strstr(line, " - cgroup2 ") != NULL;
	}
	free(line);
	if (mounts)
		fclose(mounts);
}

/* Tried and put back. Before any BPF: libbpf raises the limit itself where memory counts against it. */
static void gather_memlock(struct doctor_facts *f)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit now;

	f->memlock_bytes = -1;
	if (getrlimit(RLIMIT_MEMLOCK, &now) || now.rlim_cur == RLIM_INFINITY)
		return;
	f->memlock_bytes = (int64_t)now.rlim_cur;
	f->memlock_raisable = setrlimit(RLIMIT_MEMLOCK, &all) == 0;
	if (f->memlock_raisable)
		setrlimit(RLIMIT_MEMLOCK, &now);
}

void doctor_gather(struct doctor_facts *f)
{
	struct stat st;

	*f = (struct doctor_facts){ 0 };
	uname(&f->kernel);
	gather_preempt(f);
	f->tick_hz = tick_hz();
	gather_btf(f);
	for (enum doctor_sysctl id = 0; id < SYSCTLS; id++)
		f->sysctls[id].known = !sysfs_number(sysctl_paths[id], &f->sysctls[id].value);
	gather_lockdown(f);
	f->psi = psi_state();
	gather_cgroups(f);
	gather_memlock(f);
	f->missing_caps = features_missing_caps(FEATURES_CAPS);
	f->user_namespace = features_in_user_namespace();
	f->pid_namespace = stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != FIRST_PID_NS;
}
