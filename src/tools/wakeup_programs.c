/* SPDX-License-Identifier: GPL-2.0-only */
/* Which programs of bpf/wakeup.bpf.c are loaded: those that the kernel has hooks for and that the question needs. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <err.h>
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/features.h"
#include "core/kernel_btf.h"
#include "tools/wakeup.h"

/* A wait cannot be measured without these. */
static const char *const needed[] = { "sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_switch",
				      "sched_migrate_task" };

static const struct {
	const char *program, *tracepoint;
	bool is_detail; /* costs something at each switch: left out when the whole machine is measured */
} optional[] = {
	{ "on_irq_entry", "irq_handler_entry", false },
	{ "on_irq_exit", "irq_handler_exit", false },
	{ "on_softirq_entry", "softirq_entry", false },
	{ "on_softirq_exit", "softirq_exit", false },
	{ "on_nmi", "nmi_handler", false },
	{ "on_timer_entry", "hrtimer_expire_entry", false },
	{ "on_timer_exit", "hrtimer_expire_exit", false },
	{ "on_schedule", "sched_entry_tp", true },
	{ "on_resched", "sched_set_need_resched_tp", true },
	{ "on_pi_setprio", "sched_pi_setprio", false },
};

/* In the order of enum span_vector. */
static const char *const vectors[SPAN_VECTORS] = {
	"local_timer",	    "reschedule",   "call_function",  "call_function_single", "irq_work",
	"x86_platform_ipi", "thermal_apic", "threshold_apic", "error_apic",	      "spurious_apic",
};

static bool is_preempt_rt(void)
{
	struct utsname u;

	return !uname(&u) && strstr(u.version, "PREEMPT_RT");
}

static int check_needed(const struct btf *btf)
{
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (kernel_btf_has_tracepoint(btf, needed[i]))
			continue;
		warnx("this kernel has no tracepoint %s that a BPF program can read", needed[i]);
		return -EOPNOTSUPP;
	}
	return 0;
}

/*
 * On kernels with CONFIG_PREEMPT_RCU a program on sched_set_need_resched_tp can bring the kernel down, whatever it
 * does: it runs in a read section of RCU, whose end (rcu_read_unlock_special()) may set need_resched, which calls the
 * tracepoint before it sets the flag, and so on until the stack is used up. Seen with 7.2-rt.
 */
static bool is_deadly(const struct btf *btf, const char *program)
{
	int id = btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT);
	const struct btf_type *task = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;

	if (strcmp(program, "on_resched"))
		return false;
	for (__u16 i = 0; task && i < btf_vlen(task); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(task)[i].name_off), "rcu_read_lock_nesting"))
			return true;
	return !task;
}

static void choose_optional(struct wakeup_state *w, const struct btf *btf)
{
	bool is_left_out;

	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
		struct bpf_program *p = bpf_object__find_program_by_name(w->skeleton->obj, optional[i].program);
		bool is_softirq = !strncmp(optional[i].tracepoint, "softirq", 7);

		/* On PREEMPT_RT softirqs are threads, or parts of threads, that can be preempted: tasks like any other.
		 */
		is_left_out = !w->config->causes || (optional[i].is_detail && !w->config->details) ||
			      (is_softirq && w->config->softirqs_are_threads) || is_deadly(btf, optional[i].program) ||
			      !kernel_btf_has_tracepoint(btf, optional[i].tracepoint);
		bpf_program__set_autoload(p, !is_left_out);
	}
}

static void choose_vectors(struct wakeup_state *w, const struct btf *btf)
{
	bool has = w->config->causes && kernel_btf_has_tracepoint(btf, "local_timer_entry");

	bpf_program__set_autoload(w->skeleton->progs.on_vector_entry, has);
	bpf_program__set_autoload(w->skeleton->progs.on_vector_exit, has);
	bpf_program__set_autoattach(w->skeleton->progs.on_vector_entry, false);
	bpf_program__set_autoattach(w->skeleton->progs.on_vector_exit, false);
}

/*
 * Memory of tasks may be made in a tracepoint of the scheduler only where it does not come from the
 * general allocator: on PREEMPT_RT that sleeps, and not every kernel of it has another one.
 */
static bool can_use_task_storage(const struct wakeup_state *w)
{
	struct feature_result result;

	return !w->config->softirqs_are_threads && !feature_probe(FEATURE_TASK_STORAGE, &result);
}

static int choose_storage(struct wakeup_state *w)
{
	bool storage = can_use_task_storage(w), with_stacks = w->config->waker_stacks || w->config->user_stacks;
	int err;

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
	return err;
}

static int choose(struct wakeup_state *w, const struct btf *btf)
{
	int err = check_needed(btf);

	if (err)
		return err;
	w->config->softirqs_are_threads = is_preempt_rt();
	w->config->switch_shift = kernel_btf_tracepoint_arg(btf, "sched_switch", "task_struct") == 2;
	w->skeleton->rodata->preempt_count_from_rq_bytes = kernel_btf_preempt_count_from_rq(btf);
	w->skeleton->rodata->irq_regs_from_rq_bytes = kernel_btf_from_rq(btf, "__irq_regs");
	w->skeleton->rodata->steal_from_rq_bytes = kernel_btf_from_rq(btf, "steal_time");
	choose_optional(w, btf);
	choose_vectors(w, btf);
	return choose_storage(w);
}

int wakeup_programs_choose(struct session *s)
{
	struct btf *btf = kernel_btf_load();
	int err;

	if (!btf) {
		warnx("this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
		return -EOPNOTSUPP;
	}
	err = choose(s->state, btf);
	btf__free(btf);
	return err;
}

static int attach_vector(struct wakeup_state *w, struct bpf_program *program, const char *vector, const char *end,
			 struct bpf_link **link)
{
	char name[64];

	(void)w;
	snprintf(name, sizeof(name), "%s_%s", vector, end);
	*link = bpf_program__attach_raw_tracepoint(program, name);
	if (*link)
		return 0;
	return errno == ENOENT ? 0 : -errno; /* not every kernel has every vector */
}

int wakeup_vectors_attach(struct wakeup_state *w)
{
	int err = 0;

	if (!bpf_program__autoload(w->skeleton->progs.on_vector_entry))
		return 0;
	for (unsigned i = 0; i < SPAN_VECTORS && !err; i++) {
		err = attach_vector(w, w->skeleton->progs.on_vector_exit, vectors[i], "exit", &w->vector_links[2 * i]);
		if (!err && w->vector_links[2 * i])
			err = attach_vector(w, w->skeleton->progs.on_vector_entry, vectors[i], "entry",
					    &w->vector_links[2 * i + 1]);
	}
	if (err)
		warnx("cannot attach to the tracepoints irq_vectors:*: %s", strerror(-err));
	return err;
}

void wakeup_vectors_detach(struct wakeup_state *w)
{
	for (unsigned i = 0; i < 2 * SPAN_VECTORS; i++)
		bpf_link__destroy(w->vector_links[i]);
}
