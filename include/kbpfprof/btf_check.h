/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a BTF file that of the running kernel? What our own task looks like through it, beside what is known of that task
 * in another way. Shared by bpf/btf_check.bpf.c and src/core/btf_check.c.
 */
#ifndef KBPFPROF_BTF_CHECK_H
#define KBPFPROF_BTF_CHECK_H

enum btf_check_field {
	CHECK_TGID,
	CHECK_PID,
	CHECK_COMM,
	CHECK_FLAGS,
	CHECK_STATE,
	CHECK_ON_CPU,
	CHECK_ON_RQ,
	CHECK_CPU,
	CHECK_PRIO,
	CHECK_NORMAL_PRIO,
	CHECK_POLICY,
	CHECK_CPUS_ALLOWED,
	CHECK_GROUP_LEADER,
	CHECK_START_BOOTTIME,
	CHECK_START_CODE,
	CHECK_THREADS,
	CHECK_PID_NS,
	CHECK_PID_NR,
	CHECK_RQ_CURR,
	CHECK_CGROUP,
	CHECK_ANCESTOR,
	CHECK_PERCPU,
	CHECK_SWITCH,
	CHECK_TIMER_SOFT,
	CHECK_TIMER_HARD,
	CHECKS,
};

enum btf_check_state {
	CHECK_UNSEEN,  /* this kernel has no such thing, or it is not known in another way */
	CHECK_SEEN,    /* `got` is set; what it should be user space knows, if anyone */
	CHECK_BOTH,    /* `got` and `want` */
	CHECK_LACKING, /* every kernel has it, and the file has not */
};

struct btf_check_value {
	__u64 got, want;
	__u64 state; /* enum btf_check_state */
};

/* Bits of task_struct.flags that user space knows of its task. */
#define CHECK_FLAGS_MASK 0x00600000 /* PF_KTHREAD, PF_RANDOMIZE (include/linux/sched.h) */

_Static_assert(sizeof(struct btf_check_value) == 24, "shared by both sides");

#endif
