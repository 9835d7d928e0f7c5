/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/tracepoints.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/features_bpf.h"
#include "core/kernel_btf.h"

#define TRACEPOINTS_MAX 5

#if defined(__x86_64__)
#define IS_X86 true
#else
#define IS_X86 false
#endif

static const struct trace {
	const char *tracepoints[TRACEPOINTS_MAX]; /* all of them are used together */
	const char *shows, *why;
	bool is_elsewhere; /* on arm64 NMIs come as interrupts do, and the preempt count is in each task */
} traces[FEATURES] = {
	[FEATURE_TRACE_WAITS] = {
		.tracepoints = { "sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_switch", "sched_migrate_task" },
		.why = "no tracepoints sched:*",
	},
	[FEATURE_TRACE_IRQS] = {
		.tracepoints = { "irq_handler_entry", "irq_handler_exit", "softirq_entry", "softirq_exit" },
		.shows = SHOWS_IRQS, .why = "no tracepoints irq:*",
	},
	[FEATURE_TRACE_VECTORS] = {
#if defined(__x86_64__)
		.tracepoints = { "local_timer_entry", "local_timer_exit" }, .why = "no tracepoints irq_vectors:*",
#else
		.tracepoints = { "ipi_entry" }, .why = "no tracepoint ipi_entry",
#endif
		.shows = SHOWS_VECTORS,
	},
	[FEATURE_TRACE_NMIS] = {
		.tracepoints = { "nmi_handler" }, .shows = SHOWS_NMIS, .why = "no tracepoint nmi_handler",
		.is_elsewhere = !IS_X86,
	},
	[FEATURE_TRACE_TIMERS] = {
		.tracepoints = { "hrtimer_expire_entry", "hrtimer_expire_exit" },
		.shows = SHOWS_TIMERS, .why = "no tracepoints hrtimer_expire_*",
	},
	[FEATURE_TRACE_SCHEDULE] = {
		.tracepoints = { "sched_entry_tp" }, .shows = SHOWS_SCHEDULE, .why = "from 6.15 on",
	},
	[FEATURE_TRACE_RESCHED] = {
		.tracepoints = { "sched_set_need_resched_tp" }, .shows = SHOWS_RESCHED, .why = "from 6.17 on",
	},
	[FEATURE_TRACE_BOOSTS] = {
		.tracepoints = { "sched_pi_setprio" }, .shows = SHOWS_BOOSTS, .why = "no tracepoint sched_pi_setprio",
	},
	[FEATURE_TRACE_WORKS] = {
		.tracepoints = { "workqueue_queue_work", "workqueue_execute_start", "workqueue_execute_end" },
		.shows = SHOWS_WORKS, .why = "no tracepoints workqueue:*",
	},
	[FEATURE_TRACE_TASKLETS] = { /* f4bf3ca2e5cb */
		.tracepoints = { "tasklet_entry", "tasklet_exit" }, .shows = SHOWS_TASKLETS, .why = "from 6.3 on",
	},
	[FEATURE_TRACE_IPIS] = {
#if defined(__x86_64__)
		.tracepoints = { "ipi_send_cpu", "ipi_send_cpumask" }, .why = "from 6.4 on",
#else
		.tracepoints = { "ipi_raise" }, .why = "no tracepoint ipi_raise",
#endif
		.shows = SHOWS_IPIS,
	},
	[FEATURE_PREEMPT_DEPTH] = {
		.shows = SHOWS_PREEMPT_DEPTH, .why = "the kernel's BTF lacks per-CPU variables", .is_elsewhere = !IS_X86,
	},
};

bool tracepoints_has(enum feature id)
{
	return id < FEATURES && traces[id].why;
}

const char *tracepoints_shows(enum feature id)
{
	return traces[id].shows;
}

/*
 * On kernels with CONFIG_PREEMPT_RCU a program on sched_set_need_resched_tp can bring the kernel down, whatever it
 * does: it runs in a read section of RCU, whose end (rcu_read_unlock_special()) may set need_resched, which calls the
 * tracepoint before it sets the flag, and so on until the stack is used up. Seen with 7.2-rt.
 */
static bool is_deadly(const struct btf *btf, enum feature id)
{
	int task_id = btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT);
	const struct btf_type *task = task_id > 0 ? btf__type_by_id(btf, (__u32)task_id) : NULL;

	if (id != FEATURE_TRACE_RESCHED)
		return false;
	for (__u16 i = 0; task && i < btf_vlen(task); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(task)[i].name_off), "rcu_read_lock_nesting"))
			return true;
	return !task;
}

/* A whole file tells all tracepoints; one that was cut down none, and the kernel was asked for all but deadly ones. */
static bool is_cut(const struct btf *btf)
{
	if (!kernel_btf_is_of_file(btf))
		return false;
	for (__u32 id = 1; id < btf__type_cnt(btf); id++)
		if (btf_is_func(btf__type_by_id(btf, id)))
			return false;
	return true;
}

const char *tracepoints_name(size_t index)
{
	for (enum feature id = 0; id < FEATURES; id++) {
		if (id == FEATURE_TRACE_RESCHED) /* is_deadly() */
			continue;
		for (size_t i = 0; i < TRACEPOINTS_MAX && traces[id].tracepoints[i]; i++)
			if (!index--)
				return traces[id].tracepoints[i];
	}
	return NULL;
}

enum rec_lack tracepoints_lack(const struct btf *btf, enum feature id, const char **missing)
{
	const struct trace *t = &traces[id];

	*missing = NULL;
	if (t->is_elsewhere)
		return LACK_NONE;
	if (id == FEATURE_PREEMPT_DEPTH)
		return kernel_btf_preempt_count_from_rq(btf) ? LACK_NONE
		       : kernel_btf_is_of_file(btf)	     ? LACK_FILE
							     : LACK_KERNEL;
	for (size_t i = 0; i < TRACEPOINTS_MAX && t->tracepoints[i]; i++) {
		if (kernel_btf_has_tracepoint(btf, t->tracepoints[i]))
			continue;
		*missing = t->tracepoints[i];
		return id == FEATURE_TRACE_RESCHED && is_cut(btf) ? LACK_FILE : LACK_KERNEL;
	}
	return is_deadly(btf, id) ? LACK_UNSAFE : LACK_NONE;
}

const char *tracepoints_why(enum feature id, enum rec_lack lack)
{
	if (lack == LACK_UNSAFE)
		return "programs there can crash a kernel with CONFIG_PREEMPT_RCU";
	return lack == LACK_FILE ? "the BTF file lacks it" : traces[id].why;
}

int tracepoints_probe(enum feature id, struct kernel_btf *b, struct feature_result *r)
{
	int err = features_load_btf(b);
	char text[sizeof(r->text)];
	const char *missing;
	enum rec_lack lack;

	if (err)
		return features_no_btf(b, r, err);
	lack = tracepoints_lack(b->btf, id, &missing);
	if (!lack)
		return 0;
	if (missing && !traces[id].shows)
		snprintf(text, sizeof(text), TRACEPOINTS_MISSING, missing);
	else
		snprintf(text, sizeof(text), "%s", tracepoints_why(id, lack));
	return features_refused(r, lack == LACK_UNSAFE ? -EOPNOTSUPP : -ENOENT, "BTF", text, "");
}
