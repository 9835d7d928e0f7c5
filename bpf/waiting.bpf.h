/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who waits for this CPU while an interrupt or softirq has it: looked up in the run queue, since following all tasks
 * would cost something at each switch. The queue is not locked: others may change it meanwhile, so what is found is
 * looked at again, and not told if it no longer fits.
 */
#ifndef WAITING_BPF_H
#define WAITING_BPF_H

#include "core.bpf.h"

#define WAITING_PRIO_IDLE 140 /* below all of the kernel's priorities */
/* Groups of tasks nest deeper than this seldom; then nobody is named. */
#define WAITING_DEPTH 4

/* The first of the realtime tasks with the best priority, if that is better than `prio`. */
static __always_inline struct task_struct *waiting_rt(struct rq *rq, int prio)
{
	struct rt_rq *rt = (void *)rq + bpf_core_field_offset(rq->rt);
	struct sched_rt_entity *entity = NULL;
	void *queue, *first;
	int best;

	for (int i = 0; i < WAITING_DEPTH && rt; i++) {
		best = BPF_CORE_READ(rt, highest_prio.curr);
		if (best < 0 || best >= PRIO_FAIR_MIN || best >= prio)
			return NULL;
		queue = (void *)rt + bpf_core_field_offset(rt->active.queue) +
			(__u32)best * bpf_core_type_size(struct list_head);
		first = BPF_CORE_READ((struct list_head *)queue, next);
		if (!first || first == queue)
			return NULL;
		entity = first - bpf_core_field_offset(entity->run_list);
		rt = bpf_core_field_exists(entity->my_q) ? BPF_CORE_READ(entity, my_q) : NULL;
	}
	return rt || !entity ? NULL : (void *)entity - bpf_core_field_offset(struct task_struct, rt);
}

/* The ordinary task that is first in its queue. */
static __always_inline struct task_struct *waiting_fair(struct rq *rq)
{
	struct cfs_rq *cfs = (void *)rq + bpf_core_field_offset(rq->cfs);
	struct sched_entity *entity = NULL;
	void *first;

	for (int i = 0; i < WAITING_DEPTH && cfs; i++) {
		first = BPF_CORE_READ(cfs, tasks_timeline.rb_leftmost);
		if (!first)
			return NULL;
		entity = first - bpf_core_field_offset(entity->run_node);
		cfs = bpf_core_field_exists(entity->my_q) ? BPF_CORE_READ(entity, my_q) : NULL;
	}
	return cfs || !entity ? NULL : (void *)entity - bpf_core_field_offset(struct task_struct, se);
}

/*
 * A task that an interrupt keeps from running here: one of better priority than `running`, which was interrupted, or
 * any if that is the idle task. NULL: there is none, or it is not known. *runnable: how many want this CPU, `running`
 * included; 0: not known. To be read with a helper.
 */
static __always_inline struct task_struct *waiting_task(struct task_struct *running, __u32 *runnable)
{
	struct task_struct *task;
	struct rq *rq = NULL;
	bool is_idle = !BPF_CORE_READ(running, pid);

	*runnable = 0;
	if (bpf_core_field_exists(running->se.cfs_rq))
		rq = BPF_CORE_READ(running, se.cfs_rq, rq);
	if (!rq || !bpf_core_field_exists(rq->rt.highest_prio.curr))
		return NULL;
	*runnable = BPF_CORE_READ(rq, nr_running);
	if (*runnable < (is_idle ? 1 : 2))
		return NULL;
	task = waiting_rt(rq, is_idle ? WAITING_PRIO_IDLE : BPF_CORE_READ(running, prio));
	if (!task && is_idle)
		task = waiting_fair(rq);
	if (!task || task == running || !BPF_CORE_READ(task, on_rq) || BPF_CORE_READ(task, on_cpu))
		return NULL;
	return task;
}

#endif
