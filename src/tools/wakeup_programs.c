/* SPDX-License-Identifier: GPL-2.0-only */
/* Which programs of bpf/wakeup.bpf.c are loaded: those that the kernel has hooks for and that the question needs. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <err.h>
#include <errno.h>
#include <string.h>

#include "core/features.h"
#include "core/kernel_btf.h"
#include "core/trace_programs.h"
#include "core/tracepoints.h"
#include "tools/wakeup.h"

static const struct {
	const char *program;
	enum feature feature;
	bool is_detail; /* costs something at each switch: left out when the whole machine is measured */
} optional[] = {
	{ "on_irq_entry", FEATURE_TRACE_IRQS, false },
	{ "on_irq_exit", FEATURE_TRACE_IRQS, false },
	{ "on_softirq_entry", FEATURE_TRACE_IRQS, false },
	{ "on_softirq_exit", FEATURE_TRACE_IRQS, false },
	/* x86 */
	{ "on_vector_entry", FEATURE_TRACE_VECTORS, false },
	{ "on_vector_exit", FEATURE_TRACE_VECTORS, false },
	{ "on_nmi", FEATURE_TRACE_NMIS, false },
	/* arm64 */
	{ "on_ipi_entry", FEATURE_TRACE_VECTORS, false },
	/* all */
	{ "on_timer_entry", FEATURE_TRACE_TIMERS, false },
	{ "on_timer_exit", FEATURE_TRACE_TIMERS, false },
	{ "on_schedule", FEATURE_TRACE_SCHEDULE, true },
	{ "on_resched", FEATURE_TRACE_RESCHED, true },
	{ "on_pi_setprio", FEATURE_TRACE_BOOSTS, false },
};

/* Of another architecture than the one that it is built for. */
static bool is_foreign(const char *program)
{
#if defined(__aarch64__)
	return !strncmp(program, "on_vector", 9) || !strcmp(program, "on_nmi");
#else
	return !strcmp(program, "on_ipi_entry");
#endif
}

static int check_needed(const struct btf *btf)
{
	const char *missing;

	if (!tracepoints_lack(btf, FEATURE_TRACE_WAITS, &missing))
		return 0;
	warnx(TRACEPOINTS_MISSING, missing);
	return -EOPNOTSUPP;
}

static enum rec_lack lack_of(const struct wakeup_state *w, const struct btf *btf, enum feature feature, bool is_detail)
{
	const char *missing;
	enum rec_lack lack = tracepoints_lack(btf, feature, &missing);

	return lack						       ? lack
	       : !w->config->causes && feature != FEATURE_TRACE_TIMERS ? LACK_CHOICE /* they have a histogram */
	       : is_detail && !w->config->details		       ? LACK_CHOICE
								       : LACK_NONE;
}

static void choose_optional(struct wakeup_state *w, const struct btf *btf)
{
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
		struct bpf_program *p = bpf_object__find_program_by_name(w->skeleton->obj, optional[i].program);
		enum rec_lack lack = lack_of(w, btf, optional[i].feature, optional[i].is_detail);
		/* On PREEMPT_RT softirqs are threads, or parts of threads, that can be preempted: tasks like any other.
		 */
		bool is_task = w->config->softirqs_are_threads && !strncmp(optional[i].program, "on_softirq", 10);

		w->lacks[optional[i].feature] = lack;
		bpf_program__set_autoload(p, !lack && !is_task && !is_foreign(optional[i].program));
	}
	w->lacks[FEATURE_PREEMPT_DEPTH] = lack_of(w, btf, FEATURE_PREEMPT_DEPTH, true);
	bpf_program__set_autoattach(w->skeleton->progs.on_vector_entry, false);
	bpf_program__set_autoattach(w->skeleton->progs.on_vector_exit, false);
}

void wakeup_programs_describe(const struct wakeup_state *w, struct rec_latency *l)
{
	l->no_interrupts = w->lacks[FEATURE_TRACE_IRQS];
	l->no_vectors = w->lacks[FEATURE_TRACE_VECTORS];
	l->no_nmi = w->lacks[FEATURE_TRACE_NMIS];
	l->no_timer = w->lacks[FEATURE_TRACE_TIMERS];
	l->no_switch_entry = w->lacks[FEATURE_TRACE_SCHEDULE];
	l->no_resched = w->lacks[FEATURE_TRACE_RESCHED];
	l->no_boosts = w->lacks[FEATURE_TRACE_BOOSTS];
	l->no_preempt_depth = w->lacks[FEATURE_PREEMPT_DEPTH];
	l->softirqs_are_threads = w->config->softirqs_are_threads;
}

const char *wakeup_programs_left_out(const struct wakeup_state *w, const char *program)
{
	if (is_foreign(program))
		return "of another architecture";
	if (!strcmp(program, "on_free") && w->config->task_storage)
		return "waits are kept in task storage";
	if (!strcmp(program, "on_each_task") && !bpf_program__autoload(w->skeleton->progs.on_each_task))
		return KERNEL_BTF_UNUSED;
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
		enum feature feature = optional[i].feature;

		if (strcmp(program, optional[i].program) != 0)
			continue;
		if (w->lacks[feature])
			return w->lacks[feature] == LACK_CHOICE ? "not needed for what was asked"
								: tracepoints_why(feature, w->lacks[feature]);
		return strncmp(program, "on_softirq", 10) ? NULL : "softirqs are threads here";
	}
	return NULL;
}

static int choose_storage(struct session *s)
{
	struct wakeup_state *w = s->state;
	bool with_stacks = w->config->waker_stacks || w->config->user_stacks, storage;
	struct feature_result result;
	int err;

	storage = !feature_probe(&s->btf, FEATURE_WAIT_STORAGE, &result);
	w->config->task_storage = storage;
	err = bpf_map__set_autocreate(w->skeleton->maps.waits, storage);
	if (!err)
		err = bpf_map__set_autocreate(w->skeleton->maps.stacks, storage && with_stacks);
	if (!err)
		err = bpf_map__set_autocreate(w->skeleton->maps.waits_by_tid, !storage);
	if (!err && !storage && !with_stacks) /* on_free() names it */
		err = bpf_map__set_max_entries(w->skeleton->maps.stacks_by_tid, 1);
	if (!err && storage)
		err = bpf_map__set_autocreate(w->skeleton->maps.stacks_by_tid, false);
	bpf_program__set_autoload(w->skeleton->progs.on_free, !storage);
	bpf_program__set_autoload(w->skeleton->progs.on_each_task, !s->btf.file);
	return err;
}

static int choose(struct session *s, const struct btf *btf)
{
	struct wakeup_state *w = s->state;
	int err = check_needed(btf);

	if (err)
		return err;
	w->by_btf = !s->btf.file;
	w->config->softirqs_are_threads = features_preempt_rt();
	w->config->switch_shift = kernel_btf_tracepoint_arg(btf, "sched_switch", "task_struct") == 2;
	w->skeleton->rodata->preempt_count_from_rq_bytes = kernel_btf_preempt_count_from_rq(btf);
	w->skeleton->rodata->irq_regs_from_rq_bytes = kernel_btf_from_rq(btf, "__irq_regs");
	w->skeleton->rodata->steal_from_rq_bytes = kernel_btf_from_rq(btf, "steal_time");
	choose_optional(w, btf);
	err = choose_storage(s);
	return err || !w->by_btf ? err : trace_programs_choose_types(w->skeleton->obj);
}

int wakeup_programs_choose(struct session *s)
{
	struct btf *btf = kernel_btf_load(&s->btf);

	if (btf)
		return choose(s, btf);
	warnx("the BTF of this kernel cannot be read: " KERNEL_BTF_PATH);
	return -EOPNOTSUPP;
}
