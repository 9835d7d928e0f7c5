/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Features and the words for what is missing. Privileges are dropped in children, so as root all
 * of it runs; without root what needs capabilities to drop is skipped.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "core/features.h"
#include "core/kernel_btf.h"

/* Numbers of capabilities(7). */
#define BIT(n)	  (UINT64_C(1) << (n))
#define SYSLOG	  BIT(34)
#define SYS_ADMIN BIT(21)
#define PTRACE	  BIT(19)
#define PERFMON	  BIT(38)
#define BPF	  BIT(39)

static bool set_effective(uint64_t caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return false;
	data[0].effective = (uint32_t)caps;
	data[1].effective = (uint32_t)(caps >> 32);
	return syscall(SYS_capset, &header, data) == 0;
}

/* Makes bpf(2) fail with `err`, as a container's filter would. */
static bool deny_bpf(int err)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int probe(enum feature id, struct feature_result *r)
{
	struct kernel_btf btf;
	int err;

	assert_int_equal(kernel_btf_open(&btf, NULL), 0);
	err = feature_probe(&btf, id, r);
	kernel_btf_close(&btf);
	return err;
}

static void probe_all(struct feature_result r[FEATURES])
{
	struct kernel_btf btf;

	assert_int_equal(kernel_btf_open(&btf, NULL), 0);
	features_probe_all(&btf, r);
	kernel_btf_close(&btf);
}

static void feature_text(char *text, size_t bytes)
{
	struct feature_result r;

	probe(FEATURE_PERF_EVENT, &r);
	snprintf(text, bytes, "%s", r.text);
}

static void load_eperm(char *text, size_t bytes)
{
	features_explain_load(-EPERM, text, bytes);
}

static void event_eacces(char *text, size_t bytes)
{
	features_explain_event(EACCES, true, text, bytes);
}

static void missing(char *text, size_t bytes)
{
	snprintf(text, bytes, "%u", features_missing_caps(FEATURES_CAPS));
}

/*
 * What `ask` says in a child with these capabilities and, unless 0, bpf(2) failing with `deny`.
 * False if the child may not have them.
 */
static bool child_says(uint64_t caps, int deny, void (*ask)(char *, size_t), char *text, size_t bytes)
{
	int ends[2], status;
	ssize_t n;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		char said[256];

		if (!set_effective(caps) || (deny && !deny_bpf(deny)))
			_exit(1);
		ask(said, sizeof(said));
		_exit(write(ends[1], said, strlen(said)) < 0 ? 2 : 0);
	}
	close(ends[1]);
	n = read(ends[0], text, bytes - 1);
	text[n < 0 ? 0 : n] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status) == 0;
}

static void names(void **state)
{
	(void)state;
	for (enum feature i = FEATURE_NONE + 1; i < FEATURES; i++) {
		assert_non_null(feature_name(i));
		for (enum feature j = FEATURE_NONE + 1; j < i; j++)
			assert_string_not_equal(feature_name(i), feature_name(j));
	}
	assert_string_equal(features_cap_name(FEATURES_CAP_SYS_PTRACE), "CAP_SYS_PTRACE");
}

/* The C library's names are the right ones. */
static void errno_names(void **state)
{
	static const int known[] = { EPERM, ENOENT, ESRCH, EINVAL, EACCES, ENOSYS, EOPNOTSUPP, E2BIG, ENOSPC, ENODEV };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		assert_string_equal(feature_errno_name(known[i]), strerrorname_np(known[i]));
		assert_string_equal(feature_errno_name(-known[i]), strerrorname_np(known[i]));
	}
	assert_string_equal(feature_errno_name(-524), "ENOTSUPP"); /* the kernel's include/linux/errno.h */
	assert_string_equal(feature_errno_name(12345), "unknown errno");
}

static void missing_caps(void **state)
{
	static const struct {
		uint64_t has;
		unsigned missing;
	} cases[] = {
		{ 0, FEATURES_CAPS },
		{ BPF, FEATURES_CAPS & ~FEATURES_CAP_BPF },
		{ PERFMON | PTRACE, FEATURES_CAP_BPF | FEATURES_CAP_SYSLOG },
		{ BPF | PERFMON | PTRACE | SYSLOG, 0 },
		/* It stands for CAP_BPF and CAP_PERFMON (capabilities(7)), and for nothing else. */
		{ SYS_ADMIN, FEATURES_CAP_SYS_PTRACE | FEATURES_CAP_SYSLOG },
	};
	char text[256], want[16];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (!child_says(cases[i].has, 0, missing, text, sizeof(text)))
			skip();
		snprintf(want, sizeof(want), "%u", cases[i].missing);
		assert_string_equal(text, want);
	}
}

static void words_for_eperm(void **state)
{
	char text[256];

	(void)state;
	assert_true(child_says(0, 0, load_eperm, text, sizeof(text)));
	assert_string_equal(text, "needs root, or CAP_BPF and CAP_PERFMON");
	assert_true(child_says(0, 0, event_eacces, text, sizeof(text)));
	assert_string_equal(text, "needs root, or CAP_PERFMON");
	if (!child_says(BPF, 0, load_eperm, text, sizeof(text)))
		skip();
	assert_string_equal(text, "needs root, or CAP_PERFMON");
	assert_true(child_says(PERFMON, 0, load_eperm, text, sizeof(text)));
	assert_string_equal(text, "needs root, or CAP_BPF");
}

static void words_for_seccomp(void **state)
{
	char text[256];

	(void)state;
	assert_true(child_says(0, ENOSYS, feature_text, text, sizeof(text)));
	assert_string_equal(text, "no bpf system call: CONFIG_BPF_SYSCALL is off, or seccomp hides it (load: ENOSYS)");
	if (!child_says(SYS_ADMIN, EPERM, feature_text, text, sizeof(text)) || features_in_user_namespace())
		skip();
	assert_string_equal(text, "refused by policy: this process is under a seccomp filter (load: EPERM)");
}

static void words_for_events(void **state)
{
	char text[256];

	(void)state;
	assert_string_equal(features_explain_event(-ENOENT, true, text, sizeof(text)), "no PMU in this machine");
	assert_string_equal(features_explain_event(ENOENT, false, text, sizeof(text)), "no such event");
	assert_string_equal(features_explain_event(-EOPNOTSUPP, true, text, sizeof(text)),
			    "the PMU cannot do this event");
	assert_string_equal(features_explain_event(-EIO, true, text, sizeof(text)), strerror(EIO));
	assert_string_equal(features_explain_event(-EBUSY, true, text, 9), "somebody");
}

static unsigned open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Programs of ours that the kernel still holds; they go a moment after the last descriptor. */
static unsigned programs_left(void)
{
	unsigned n = 0;

	for (__u32 id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
		struct bpf_prog_info info = { 0 };
		__u32 bytes = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &bytes))
			n += strcmp(info.name, "kbpfprof_try") == 0;
		close(fd);
	}
	return n;
}

static void nothing_is_left(void **state)
{
	struct feature_result r[FEATURES];
	unsigned before = open_files();

	(void)state;
	probe_all(r);
	assert_int_equal(open_files(), before);
	for (int tries = 0; programs_left() && tries < 100; tries++)
		usleep(50000);
	assert_int_equal(programs_left(), 0);
}

static void results_are_whole(void **state)
{
	struct feature_result all[FEATURES], one;

	(void)state;
	probe_all(all);
	for (enum feature id = FEATURE_NONE + 1; id < FEATURES; id++) {
		assert_true(all[id].err <= 0);
		assert_int_equal(*all[id].text == '\0', all[id].err == 0);
		assert_true(all[id].err || *all[id].cure == '\0');
		assert_true(strlen(all[id].text) < sizeof(all[id].text) - 1); /* not cut */
		assert_int_equal(probe(id, &one), all[id].err);
		assert_string_equal(one.text, all[id].text);
	}
	assert_int_equal(probe(FEATURES, &one), -EINVAL);
}

static void btf_is_seen(void **state)
{
	struct feature_result r;
	struct stat st;

	(void)state;
	if (stat("/sys/kernel/btf/vmlinux", &st))
		skip();
	assert_int_equal(probe(FEATURE_BTF, &r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(errno_names),
		cmocka_unit_test(missing_caps),
		cmocka_unit_test(words_for_eperm),
		cmocka_unit_test(words_for_seccomp),
		cmocka_unit_test(words_for_events),
		cmocka_unit_test(nothing_is_left),
		cmocka_unit_test(results_are_whole),
		cmocka_unit_test(btf_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
