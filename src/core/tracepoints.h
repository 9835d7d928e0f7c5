/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of waits and interrupts a kernel can show, by its tracepoints and its BTF. `wakeup` and `irq` choose their
 * programs by this, reports say what was left out, and `doctor` says so in advance: all in the same words.
 */
#ifndef CORE_TRACEPOINTS_H
#define CORE_TRACEPOINTS_H

#include "core/features.h"
#include "core/latency.h"

struct btf;
struct kernel_btf;

/* What is not shown, in the words of a list. */
#define SHOWS_IRQS	    "interrupts and softirqs (their time counts as what they interrupted)"
#define SHOWS_VECTORS	    "interrupts without a line (their time counts as what they interrupted)"
#define SHOWS_NMIS	    "NMIs (their time counts as what they interrupted)"
#define SHOWS_TIMERS	    "expiry of timers (no timer -> running)"
#define SHOWS_SCHEDULE	    "entry of the scheduler (its time counts as the task's before)"
#define SHOWS_RESCHED	    "need_resched (when a switch was first wanted)"
#define SHOWS_BOOSTS	    "priorities lent to a running task (all its time counts as with the last one)"
#define SHOWS_PREEMPT_DEPTH "preempt depth of wakers"
#define SHOWS_WORKS	    "works of workqueues"
#define SHOWS_TASKLETS	    "tasklets"
#define SHOWS_IPIS	    "who sends interrupts to other CPUs, and how long they take"

/* Is it one of FEATURE_TRACE_* or FEATURE_PREEMPT_DEPTH, which the functions here are about? */
bool tracepoints_has(enum feature id);
/* "need_resched ...": the macros above. NULL: of FEATURE_TRACE_WAITS, without which nothing is shown. */
const char *tracepoints_shows(enum feature id);
/* Can a kernel with this BTF show it? If not, `missing` is the first tracepoint it lacks, or NULL. */
enum rec_lack tracepoints_lack(const struct btf *btf, enum feature id, const char **missing);
/* Of FEATURE_TRACE_WAITS, which tools cannot do without. */
#define TRACEPOINTS_MISSING "this kernel has no tracepoint %s that a BPF program can read"
/* "from 6.17 on": why LACK_KERNEL, LACK_UNSAFE or LACK_FILE. */
const char *tracepoints_why(enum feature id, enum rec_lack lack);

/*
 * Names of them, one after the other; NULL: no more. Without those of which the kernel's BTF has to tell that they do
 * no harm (LACK_UNSAFE).
 */
const char *tracepoints_name(size_t index);

/* For features.c: fills *r, returns r->err. */
int tracepoints_probe(enum feature id, struct kernel_btf *b, struct feature_result *r);

#endif
