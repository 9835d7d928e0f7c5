/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/features.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/features_bpf.h"
#include "core/kernel_btf.h"
#include "core/sysfs.h"
#include "core/tracepoints.h"

#define LOCKED_DOWN "refused by policy: the kernel is locked down (confidentiality; integrity would do)"

/* Older headers lack them: include/uapi/linux/capability.h since 5.8. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

/* PROC_USER_INIT_INO of include/linux/proc_ns.h: the first user namespace has this inode everywhere. */
#define FIRST_USER_NS 0xeffffffdu

static const char *const names[FEATURES] = {
	[FEATURE_PERF_EVENT] = "perf_event",
	[FEATURE_TP_BTF] = "tp_btf",
	[FEATURE_RAW_TP] = "raw_tp",
	[FEATURE_TRACEPOINT] = "tracepoint",
	[FEATURE_FENTRY] = "fentry",
	[FEATURE_KPROBE] = "kprobe",
	[FEATURE_KPROBE_MULTI] = "kprobe.multi",
	[FEATURE_UPROBE] = "uprobe",
	[FEATURE_ITER] = "iter",
	[FEATURE_READ_KERNEL] = "read_kernel",
	[FEATURE_RINGBUF] = "ringbuf",
	[FEATURE_TASK_STORAGE] = "task_storage",
	[FEATURE_PERF_NO_PREALLOC] = "perf_no_prealloc",
	[FEATURE_BTF] = "btf",
	[FEATURE_CYCLES] = "cycles",
	[FEATURE_INSTRUCTIONS] = "instructions",
	[FEATURE_KALLSYMS] = "kallsyms",
	[FEATURE_PTRACE] = "ptrace",
	[FEATURE_TRACE_WAITS] = "trace_waits",
	[FEATURE_TRACE_IRQS] = "trace_irqs",
	[FEATURE_TRACE_VECTORS] = "trace_vectors",
	[FEATURE_TRACE_NMIS] = "trace_nmis",
	[FEATURE_TRACE_TIMERS] = "trace_timers",
	[FEATURE_TRACE_SCHEDULE] = "trace_schedule",
	[FEATURE_TRACE_RESCHED] = "trace_resched",
	[FEATURE_TRACE_BOOSTS] = "trace_boosts",
	[FEATURE_TRACE_WORKS] = "trace_works",
	[FEATURE_TRACE_TASKLETS] = "trace_tasklets",
	[FEATURE_TRACE_IPIS] = "trace_ipis",
	[FEATURE_PREEMPT_DEPTH] = "preempt_depth",
	[FEATURE_WAIT_STORAGE] = "wait_storage",
};

static const struct {
	unsigned bit, number;
	const char *name;
} caps_known[] = {
	{ FEATURES_CAP_BPF, CAP_BPF, "CAP_BPF" },
	{ FEATURES_CAP_PERFMON, CAP_PERFMON, "CAP_PERFMON" },
	{ FEATURES_CAP_SYS_PTRACE, CAP_SYS_PTRACE, "CAP_SYS_PTRACE" },
	{ FEATURES_CAP_SYSLOG, CAP_SYSLOG, "CAP_SYSLOG" },
};

const char *feature_name(enum feature id)
{
	return names[id];
}

bool feature_is_bpf(enum feature id)
{
	return id >= FEATURE_PERF_EVENT && id <= FEATURE_PERF_NO_PREALLOC;
}

const char *feature_errno_name(int err)
{
	static const struct {
		int err;
		const char *name;
	} known[] = {
		{ EPERM, "EPERM" },
		{ ENOENT, "ENOENT" },
		{ ESRCH, "ESRCH" },
		{ EINTR, "EINTR" },
		{ EIO, "EIO" },
		{ ENXIO, "ENXIO" },
		{ E2BIG, "E2BIG" },
		{ EBADF, "EBADF" },
		{ EAGAIN, "EAGAIN" },
		{ ENOMEM, "ENOMEM" },
		{ EACCES, "EACCES" },
		{ EFAULT, "EFAULT" },
		{ EBUSY, "EBUSY" },
		{ EEXIST, "EEXIST" },
		{ ENODEV, "ENODEV" },
		{ EINVAL, "EINVAL" },
		{ ENFILE, "ENFILE" },
		{ EMFILE, "EMFILE" },
		{ ENOSPC, "ENOSPC" },
		{ ERANGE, "ERANGE" },
		{ ENOSYS, "ENOSYS" },
		{ ENODATA, "ENODATA" },
		{ EOVERFLOW, "EOVERFLOW" },
		{ EOPNOTSUPP, "EOPNOTSUPP" },
		{ ETIMEDOUT, "ETIMEDOUT" },
		/* include/linux/errno.h: not meant for user space, but BPF attachment leaks it. */
		{ 524, "ENOTSUPP" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].err == err || known[i].err == -err)
			return known[i].name;
	return "unknown errno";
}

const char *features_cap_name(unsigned cap)
{
	for (size_t i = 0; i < sizeof(caps_known) / sizeof(*caps_known); i++)
		if (caps_known[i].bit == cap)
			return caps_known[i].name;
	return "unknown capability";
}

/* Bit n: capability n. None if they cannot be had. */
static uint64_t effective_caps(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

static bool has_cap(unsigned number)
{
	return effective_caps() >> number & 1;
}

unsigned features_missing_caps(unsigned caps)
{
	uint64_t effective = effective_caps();

	/* bpf_capable() and perfmon_capable() of include/linux/capability.h; the other two have no such rule. */
	if (effective >> CAP_SYS_ADMIN & 1)
		effective |= UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_PERFMON;
	for (size_t i = 0; i < sizeof(caps_known) / sizeof(*caps_known); i++)
		if (effective >> caps_known[i].number & 1)
			caps &= ~caps_known[i].bit;
	return caps;
}

bool features_in_user_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) == 0 && st.st_ino != FIRST_USER_NS;
}

/* Is this process under a seccomp filter (proc(5))? */
static bool seccomp_filters(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strcmp(line, "Seccomp:\t2\n") == 0;
	if (f)
		fclose(f);
	return found;
}

/* Without securityfs, as in small systems and containers, only what the kernel was booted with is known. */
bool features_locked_down(void)
{
	char line[4096];

	if (!sysfs_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		return strstr(line, "[confidentiality]");
	return !sysfs_line("/proc/cmdline", line, sizeof(line)) && strstr(line, "lockdown=confidentiality");
}

/*
 * Before 5.11 BPF memory counts against RLIMIT_MEMLOCK, and a map over the limit gives EPERM. Kernels
 * that count in the cgroup know bpf_ktime_get_coarse_ns(), which came with 5.11 too: libbpf asks likewise.
 */
static bool memlock_limits(void)
{
	const struct bpf_insn body[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_coarse_ns },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct rlimit limit;
	int fd;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return false;
	fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "kbpfprof_try", "GPL", body, 2, NULL);
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

/* EPERM or EACCES of something that takes `caps`. Writes to `buf` and returns it, or returns a constant. */
static const char *why_refused(unsigned caps, int err, char *buf, size_t bytes)
{
	unsigned missing = features_missing_caps(caps);
	bool both = missing == (FEATURES_CAP_BPF | FEATURES_CAP_PERFMON);

	if (missing) {
		snprintf(buf, bytes, "needs root, or %s",
			 both ? "CAP_BPF and CAP_PERFMON" : features_cap_name(missing));
		return buf;
	}
	if (features_in_user_namespace())
		return "root of a user namespace is not enough: run it outside of the container";
	if (features_locked_down())
		return LOCKED_DOWN;
	if (seccomp_filters())
		return "refused by policy: this process is under a seccomp filter";
	if (err == EPERM && caps & FEATURES_CAP_BPF && memlock_limits())
		return "the limit of locked memory is too small: ulimit -l unlimited";
	return "refused by policy";
}

static const char *why_not_loaded(int err, char *buf, size_t bytes)
{
	/* Policy answers EPERM, the verifier EACCES or EINVAL; but missing privileges and lockdown can look like
	 * either. */
	if (err == EACCES && !features_missing_caps(FEATURES_CAP_BPF | FEATURES_CAP_PERFMON) && !features_locked_down())
		return "this kernel's verifier refuses the program: a bug, please report it with the log";
	switch (err) {
	case EPERM:
	case EACCES:
		return why_refused(FEATURES_CAP_BPF | FEATURES_CAP_PERFMON, err, buf, bytes);
	case ENOSYS:
		return "no bpf system call: CONFIG_BPF_SYSCALL is off, or seccomp hides it";
	case ENOMEM:
		return "out of memory, perhaps by the limit of this cgroup";
	case EMFILE:
		return "too many open files: ulimit -n";
	default:
		if (features_locked_down())
			return LOCKED_DOWN;
		snprintf(buf, bytes, "%s, this kernel lacks something: see `kbpfprof doctor`", strerror(err));
		return buf;
	}
}

/* Debian and Android: kernel.perf_event_paranoid over 2 keeps out all but CAP_SYS_ADMIN, with EACCES. */
static bool paranoid_beyond_perfmon(void)
{
	int64_t paranoid;

	return !features_missing_caps(FEATURES_CAP_PERFMON) && !has_cap(CAP_SYS_ADMIN) &&
	       !sysfs_number("/proc/sys/kernel/perf_event_paranoid", &paranoid) && paranoid > 2;
}

static const char *why_not_opened(int err, bool hardware, char *buf, size_t bytes)
{
	switch (err) {
	case EPERM:
	case EACCES:
		if (err == EACCES && paranoid_beyond_perfmon())
			return "needs root, or sysctl kernel.perf_event_paranoid=2";
		return why_refused(FEATURES_CAP_PERFMON, err, buf, bytes);
	case ENOENT:
		return hardware ? "no PMU in this machine" : "no such event";
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		return hardware ? "the PMU cannot do this event" : "this event cannot be had here";
	case ENOSYS:
		return "no perf events: CONFIG_PERF_EVENTS is off, or seccomp hides them";
	case EBUSY:
		return "somebody else holds the PMU";
	case EMFILE:
		return "too many open files: ulimit -n";
	case EINVAL:
		return "the kernel does not know this event or rate";
	default:
		return strerror(err);
	}
}

const char *features_explain_load(int err, char *buf, size_t bytes)
{
	const char *why = why_not_loaded(err < 0 ? -err : err, buf, bytes);

	if (why != buf)
		snprintf(buf, bytes, "%s", why);
	return buf;
}

const char *features_explain_event(int err, bool hardware, char *buf, size_t bytes)
{
	const char *why = why_not_opened(err < 0 ? -err : err, hardware, buf, bytes);

	if (why != buf)
		snprintf(buf, bytes, "%s", why);
	return buf;
}

int features_refused(struct feature_result *r, int err, const char *step, const char *meaning, const char *cure)
{
	r->err = err;
	snprintf(r->text, sizeof(r->text), "%s (%s%s%s)", meaning, step, *step ? ": " : "", feature_errno_name(err));
	snprintf(r->cure, sizeof(r->cure), "%s", cure ? cure : "");
	return err;
}

int features_no_btf(struct kernel_btf *b, struct feature_result *r, int err)
{
	if (b->file)
		return features_refused(r, err, "BTF", b->why, "");
	if (!kernel_btf_is_there(b))
		return features_refused(r, err, "BTF", kernel_btf_none(), kernel_btf_none_cure());
	return features_refused(r, err, "BTF", "the BTF of this kernel cannot be read: " KERNEL_BTF_PATH, "");
}

int features_perf_open(struct perf_event_attr *attr, int tid, int cpu)
{
	int fd;

	attr->size = sizeof(*attr);
	fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int try_btf(struct kernel_btf *b, struct feature_result *r)
{
	int err = features_load_btf(b);

	return err ? features_no_btf(b, r, err) : 0;
}

/* Opened is not counted: some hypervisors give out a PMU that stands still. */
static int count_moves(uint64_t event, struct feature_result *r)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = event,
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	uint64_t got[2] = { 0 }; /* count, ns that it had a counter */
	int fd = features_perf_open(&attr, 0, -1);
	bool read_ok;

	if (fd < 0) {
		char text[sizeof(r->text)];

		features_explain_event(fd, true, text, sizeof(text));
		return features_refused(r, fd, "perf_event_open", text, "");
	}
	for (volatile unsigned i = 0; i < 100000; i++)
		;
	read_ok = read(fd, got, sizeof(got)) == sizeof(got);
	close(fd);
	if (!read_ok || !got[1])
		return features_refused(r, -EBUSY, "read", "all counters of the PMU are in use", "");
	if (!got[0])
		return features_refused(r, -ENODATA, "read", "the PMU of this machine stands still", "");
	return 0;
}

static int try_cycles(struct feature_result *r)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000000000,
		.disabled = 1,
	};
	char text[sizeof(r->text)];
	int fd = features_perf_open(&attr, -1, sched_getcpu());

	if (fd < 0) {
		features_explain_event(fd, true, text, sizeof(text));
		return features_refused(r, fd, "perf_event_open", text, "");
	}
	close(fd);
	return count_moves(PERF_COUNT_HW_CPU_CYCLES, r);
}

/* Where addresses are hidden all of them read 0; some true ones do so too (per-CPU data), _stext does not. */
static int try_kallsyms(struct feature_result *r)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[64];
	const char *cure = "run as root, or with CAP_SYSLOG";
	unsigned long long address = 0;
	bool found = false;

	if (!f)
		return features_refused(r, -errno, "", "/proc/kallsyms cannot be read: CONFIG_KALLSYMS", "");
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%llx %*c %63s", &address, name) == 2 && strcmp(name, "_stext") == 0;
	fclose(f);
	if (address && found)
		return 0;
	if (features_in_user_namespace())
		cure = "run it outside of the container";
	else if (!features_missing_caps(FEATURES_CAP_SYSLOG))
		cure = "sysctl kernel.kptr_restrict=1";
	return features_refused(r, -EPERM, "", "/proc/kallsyms hides addresses from us", cure);
}

/* Not tried: that would take a process of another user. */
static int try_ptrace(struct feature_result *r)
{
	if (!features_missing_caps(FEATURES_CAP_SYS_PTRACE))
		return 0;
	return features_refused(r, -EPERM, "", "needs CAP_SYS_PTRACE", "run as root, or with CAP_SYS_PTRACE");
}

bool features_preempt_rt(void)
{
	struct utsname u;

	return !uname(&u) && strstr(u.version, "PREEMPT_RT");
}

/*
 * Memory of tasks may be made in a tracepoint of the scheduler only where it does not come from the
 * general allocator: on PREEMPT_RT that sleeps, and not every kernel of it has another one.
 */
static int try_wait_storage(struct kernel_btf *b, struct feature_result *r)
{
	if (features_preempt_rt())
		return features_refused(r, -EOPNOTSUPP, "", "not in the scheduler of PREEMPT_RT", "");
	if (b->file || !kernel_btf_is_there(b)) /* a task is known as one by the kernel's own */
		return features_refused(r, -EOPNOTSUPP, "BTF", b->file ? KERNEL_BTF_UNUSED : kernel_btf_none(), "");
	return features_try_bpf(FEATURE_TASK_STORAGE, b, r);
}

static int probe(enum feature id, struct kernel_btf *b, struct feature_result *r)
{
	*r = (struct feature_result){ 0 };
	if (feature_is_bpf(id))
		return features_try_bpf(id, b, r);
	if (tracepoints_has(id))
		return tracepoints_probe(id, b, r);
	switch (id) {
	case FEATURE_BTF:
		return try_btf(b, r);
	case FEATURE_CYCLES:
		return try_cycles(r);
	case FEATURE_INSTRUCTIONS:
		return count_moves(PERF_COUNT_HW_INSTRUCTIONS, r);
	case FEATURE_KALLSYMS:
		return try_kallsyms(r);
	case FEATURE_PTRACE:
		return try_ptrace(r);
	case FEATURE_WAIT_STORAGE:
		return try_wait_storage(b, r);
	default:
		return features_refused(r, -EINVAL, "", "no such feature", "");
	}
}

int feature_probe(struct kernel_btf *k, enum feature id, struct feature_result *r)
{
	return probe(id, k, r);
}

void features_probe_all(struct kernel_btf *k, struct feature_result results[FEATURES])
{
	results[FEATURE_NONE] = (struct feature_result){ 0 };
	for (enum feature id = FEATURE_NONE + 1; id < FEATURES; id++)
		probe(id, k, &results[id]);
}
