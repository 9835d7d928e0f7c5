/* SPDX-License-Identifier: GPL-2.0-only */
/* Private to doctor*.c: what doctor finds out, and the two ways to show it. */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "core/tool.h"

enum doctor_sysctl {
	SYSCTL_PARANOID,
	SYSCTL_SAMPLE_RATE,
	SYSCTL_MAX_STACK,
	SYSCTL_KPTR,
	SYSCTL_UNPRIVILEGED,
	SYSCTL_JIT,
	SYSCTLS,
};

enum doctor_psi {
	PSI_ON,
	PSI_OFF,    /* built in, switched off at boot */
	PSI_ABSENT, /* not built in */
};

struct doctor_facts {
	struct utsname kernel;
	const char *preempt; /* none, voluntary, "none or voluntary", full, lazy, rt; NULL: not known */
	bool preempt_dynamic;
	uint64_t tick_hz;     /* CONFIG_HZ; 0: not known */
	int64_t btf_bytes;    /* of vmlinux, or of the file; 0: none */
	const char *btf_file; /* given in its place; NULL: none */
	char btf_why[768];    /* why there is none, or the file is refused; "": neither */
	unsigned btf_modules; /* modules with BTF of their own */
	struct {
		bool known;
		int64_t value;
	} sysctls[SYSCTLS];
	char lockdown[32]; /* none, integrity, confidentiality; "" see below */
	bool securityfs;   /* mounted: then a kernel without the word has no lockdown */
	enum doctor_psi psi;
	bool cgroup_v1, cgroup_v2; /* mounted where we can see it */
	int64_t memlock_bytes;	   /* soft limit; -1: none */
	bool memlock_raisable;
	unsigned missing_caps;		    /* FEATURES_CAP_* */
	bool user_namespace, pid_namespace; /* in one that is not the machine's first */
};

/* How to make a file for a kernel without BTF: commands. */
#define DOCTOR_BTF_MAKE "pahole --btf_encode_detached FILE vmlinux"
#define DOCTOR_BTF_CUT	"bpftool gen min_core_btf FILE SMALLER bpf/*.bpf.o"

/* What a subcommand asks for, never NULL. */
const struct feature_need *doctor_needs(const struct tool *tool);

enum doctor_verdict {
	VERDICT_WORKS,
	VERDICT_DEGRADED,
	VERDICT_CANNOT,
};

struct doctor_report {
	struct doctor_facts facts;
	struct feature_result features[FEATURES];
};

/* Is there no BTF, and would a file help? Not if only /sys is missing. */
bool doctor_wants_btf(const struct doctor_report *r);

enum doctor_verdict doctor_judge(const struct doctor_report *r, const struct feature_need *needs);

void doctor_gather(struct doctor_facts *f);
struct kernel_btf;
void doctor_gather_btf(struct doctor_facts *f, const struct kernel_btf *btf); /* opened */
const char *doctor_sysctl_name(enum doctor_sysctl id);			      /* "perf_event_paranoid" */

/* To stdout, whose errors are the caller's to see. */
void doctor_print_text(const struct doctor_report *r);
void doctor_print_json(const struct doctor_report *r);

/* Parts of them. */
struct json;
void doctor_print_kernel(const struct doctor_facts *f);
void doctor_print_item(const char *label, const char *text); /* broken at blanks */
void doctor_write_kernel(struct json *j, const struct doctor_facts *f);

/* Tries the programs of all collectors and tells on stdout, whose errors are the caller's to see. An exit code. */
int doctor_programs(bool json, const char *btf);

#endif
