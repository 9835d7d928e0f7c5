/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this machine lets us do, found out by doing it: each BPF feature is loaded and attached
 * for a moment, nothing is concluded from a version. `doctor` shows all of it; tools use the same
 * words when something fails.
 */
#ifndef CORE_FEATURES_H
#define CORE_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

enum feature {
	FEATURE_NONE, /* ends a list */
	/* BPF programs, loaded and attached */
	FEATURE_PERF_EVENT, /* on a sampling event of a whole CPU */
	FEATURE_TP_BTF,
	FEATURE_RAW_TP,
	FEATURE_TRACEPOINT, /* through tracefs */
	FEATURE_FENTRY,
	FEATURE_KPROBE,
	FEATURE_KPROBE_MULTI,
	FEATURE_UPROBE,
	FEATURE_ITER,
	FEATURE_READ_KERNEL, /* kernel memory may be read by a program: all CO-RE programs do */
	/* BPF maps, in a program that may use them */
	FEATURE_RINGBUF,
	FEATURE_TASK_STORAGE,	  /* in a tracing program */
	FEATURE_PERF_NO_PREALLOC, /* a hash allocated on demand, in a perf event program */
	/* the rest */
	FEATURE_BTF,
	FEATURE_CYCLES,	      /* sampled by the PMU, whole machine */
	FEATURE_INSTRUCTIONS, /* counted by the PMU */
	FEATURE_KALLSYMS,     /* addresses of kernel symbols are shown to us */
	FEATURE_PTRACE,	      /* mappings and files of other users' processes may be read */
	/* what can be shown of waits (core/tracepoints.h): looked up, not tried */
	FEATURE_TRACE_WAITS, /* anything at all */
	FEATURE_TRACE_IRQS,
	FEATURE_TRACE_VECTORS,
	FEATURE_TRACE_NMIS,
	FEATURE_TRACE_TIMERS,
	FEATURE_TRACE_SCHEDULE,
	FEATURE_TRACE_RESCHED,
	FEATURE_TRACE_BOOSTS,
	FEATURE_TRACE_WORKS,
	FEATURE_TRACE_TASKLETS,
	FEATURE_TRACE_IPIS,
	FEATURE_PREEMPT_DEPTH,
	FEATURE_WAIT_STORAGE, /* FEATURE_TASK_STORAGE, in programs of the scheduler */
	FEATURES,
};

struct feature_result {
	int err;	/* 0: works; else -errno of the step that failed */
	char text[256]; /* what that means and which step it was; "" if it works */
	char cure[96];	/* what the user can do; "" if `text` says it already, nothing helps, or it works */
};

struct kernel_btf; /* core/kernel_btf.h: with a file, the kernel's own BTF is not used */

/* Tries it (some ms) and leaves nothing behind. Returns r->err. */
int feature_probe(struct kernel_btf *k, enum feature id, struct feature_result *r);
/* All of them. Element FEATURE_NONE is unused. */
void features_probe_all(struct kernel_btf *k, struct feature_result results[FEATURES]);
bool feature_is_bpf(enum feature id);	   /* is it one of the first two groups? */
const char *feature_name(enum feature id); /* "kprobe.multi": stable, as `doctor --json` has it */
const char *feature_errno_name(int err);   /* "EPERM" of EPERM or -EPERM, also of the kernel's own 524 */

/* What a subcommand asks of the machine; a list of these ends with FEATURE_NONE. */
struct feature_need {
	enum feature feature;
	const char *without; /* what the user gets without it; NULL: the subcommand cannot work then */
};

/*
 * Why BPF programs or maps could not be loaded or attached, in one clause for the brackets of a
 * message: "needs root, or CAP_BPF and CAP_PERFMON". `err` is an errno of either sign. Returns `buf`.
 */
const char *features_explain_load(int err, char *buf, size_t bytes);
/* The same for perf_event_open(). `hardware`: the event was one of the PMU. */
const char *features_explain_event(int err, bool hardware, char *buf, size_t bytes);

/* Is this a PREEMPT_RT kernel? */
bool features_preempt_rt(void);

enum {
	FEATURES_CAP_BPF = 1 << 0,
	FEATURES_CAP_PERFMON = 1 << 1,
	FEATURES_CAP_SYS_PTRACE = 1 << 2,
	FEATURES_CAP_SYSLOG = 1 << 3,
	FEATURES_CAPS = 15,
};
/* Of `caps`, those not effective in this process. CAP_SYS_ADMIN stands for the first two, as in the kernel. */
unsigned features_missing_caps(unsigned caps);
const char *features_cap_name(unsigned cap); /* "CAP_BPF" of FEATURES_CAP_BPF */
/* True if our capabilities hold only inside a user namespace: BPF and perf events then ignore them. */
bool features_in_user_namespace(void);

#endif
