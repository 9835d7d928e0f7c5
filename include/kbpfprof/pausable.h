/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A piece of work of a task that can be preempted in the midst of it, as softirqs are on PREEMPT_RT: how long it took
 * on a CPU, net of interrupts and of what ran while its task did not. Pure C: BPF programs and unit tests run the same
 * lines. `inner_ns` is all the time that interrupts took from tasks of the CPU so far, which only grows.
 */
#ifndef KBPFPROF_PAUSABLE_H
#define KBPFPROF_PAUSABLE_H

#include "types.h"

struct pausable {
	__u64 start_ns;
	__u64 net_ns;	/* of the stretches that are over */
	__u64 from_ns;	/* start of the present one; 0: it is paused */
	__u64 inner_ns; /* at that moment */
};

static inline void pausable_resume(struct pausable *p, __u64 now_ns, __u64 inner_ns)
{
	p->from_ns = now_ns;
	p->inner_ns = inner_ns;
}

static inline void pausable_begin(struct pausable *p, __u64 now_ns, __u64 inner_ns)
{
	p->start_ns = now_ns;
	p->net_ns = 0;
	pausable_resume(p, now_ns, inner_ns);
}

static inline void pausable_pause(struct pausable *p, __u64 now_ns, __u64 inner_ns)
{
	__u64 gross_ns = now_ns - p->from_ns, taken_ns = inner_ns - p->inner_ns;

	if (!p->from_ns)
		return;
	if (now_ns > p->from_ns && gross_ns > taken_ns)
		p->net_ns += gross_ns - taken_ns;
	p->from_ns = 0;
}

#endif
