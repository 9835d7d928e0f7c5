/* SPDX-License-Identifier: GPL-2.0-only */
/* Private to features.c: the trials of BPF programs and maps. */
#ifndef CORE_FEATURES_BPF_H
#define CORE_FEATURES_BPF_H

#include "core/features.h"

/* The BTF of the kernel, read when first needed (25 ms). 0 or -errno. */
int features_load_btf(struct kernel_btf *b);

/* feature_is_bpf(id). Fills *r, returns r->err. */
int features_try_bpf(enum feature id, struct kernel_btf *b, struct feature_result *r);

/* Fills *r and returns err. `step` is the call that failed, `cure` may be NULL. */
int features_refused(struct feature_result *r, int err, const char *step, const char *meaning, const char *cure);
/* The same for the BTF of the kernel. */
int features_no_btf(struct kernel_btf *b, struct feature_result *r, int err);
/* Is the kernel in lockdown of confidentiality, which takes kernel memory from BPF programs? */
bool features_locked_down(void);
struct perf_event_attr;
/* perf_event_open(2); tid -1: all tasks. A descriptor or -errno. */
int features_perf_open(struct perf_event_attr *attr, int tid, int cpu);

#endif
