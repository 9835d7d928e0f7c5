/* SPDX-License-Identifier: GPL-2.0-only */
/* `kbpfprof wakeup`: how late tasks ran after they were woken, and why (bpf/wakeup.bpf.c). */
#include <bpf/bpf.h>
#include <err.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/kernel_btf.h"
#include "core/tracepoints.h"
#include "core/units.h"
#include "tools/wakeup.h"

#define WORST_DEFAULT 5
/* Memory of one map of groups, or of causes: what a 512 MB board can spare. */
#define GROUPS_BYTES (8 << 20)
#define GROUPS_MIN   64
#define GROUPS_MAX   4096
#define CAUSES_MAX   4096
#define CAUSES_MIN   1024

/* Cases above the limit wait in few slots: these are emptied more often than other things are looked at. */
#define ABOVE_TICK_NS (20 * 1000 * 1000ULL)

static const struct option_def wakeup_option_defs[] = {
	OPT_FLAG(0, "rt", struct wakeup_options, realtime, "realtime and DEADLINE tasks only"),
	OPT_CHOICE(0, "per", struct wakeup_options, per, "KEY", "task,comm,cpu,prio,cgroup", "a histogram per"),
	OPT_COUNT(0, "worst", struct wakeup_options, worst, "CASES", 0, WAKE_WORST_MAX,
		  "worst delays kept in full (5)"),
	OPT_STRING(0, "above", struct wakeup_options, above, "TIME", "tell each delay of TIME and more as it happens"),
	OPT_STRING(0, "fail-above", struct wakeup_options, fail_above, "TIME", "end with 2 if a delay reached TIME"),
	OPT_FLAG(0, "user-stacks", struct wakeup_options, user_stacks, "where in its program the task waited"),
	OPT_FLAG(0, "no-stacks", struct wakeup_options, no_stacks, "no stacks of who woke the task"),
	OPT_FLAG(0, "no-causes", struct wakeup_options, no_causes, "histograms only"),
	OPT_END,
};

static const char wakeup_help[] = "Shows how late tasks ran after they were woken, and what took the time: an\n"
				  "interrupt, a softirq, interrupts off, a kernel section that cannot be\n"
				  "preempted, a task of better priority, throttling, the hypervisor ...\n"
				  "Without options: all tasks of the machine, until Ctrl-C.\n"
				  "\n"
				  "  kbpfprof wakeup -p 812 -d 60s           a process, its threads and children\n"
				  "  kbpfprof wakeup --rt --per task -d 9s   each realtime task of the machine\n"
				  "  kbpfprof wakeup -p 812 --above 100us    each delay of 100 us and more at once\n"
				  "  kbpfprof wakeup -p 812 -I 1s -d 60s     second by second\n"
				  "  kbpfprof wakeup --fail-above 200us -- cyclictest -q -p80 -D60\n"
				  "                                          exit status 2 if one was that long\n";

static const struct feature_need wakeup_needs[] = {
	{ FEATURE_BTF, NULL },
	{ FEATURE_RAW_TP, NULL },
	{ FEATURE_READ_KERNEL, NULL },
	{ FEATURE_TRACE_WAITS, NULL },
	{ FEATURE_TP_BTF, "raw tracepoints instead (each event costs a little more)" },
	{ FEATURE_TRACE_TIMERS, "no " SHOWS_TIMERS },
	{ FEATURE_TRACE_RESCHED, "no " SHOWS_RESCHED },
	{ FEATURE_TRACE_SCHEDULE, "no " SHOWS_SCHEDULE },
	{ FEATURE_TRACE_IRQS, "no " SHOWS_IRQS },
	{ FEATURE_TRACE_VECTORS, "no " SHOWS_VECTORS },
	{ FEATURE_TRACE_NMIS, "no " SHOWS_NMIS },
	{ FEATURE_TRACE_BOOSTS, "no " SHOWS_BOOSTS },
	{ FEATURE_PREEMPT_DEPTH, "no " SHOWS_PREEMPT_DEPTH },
	{ FEATURE_WAIT_STORAGE, "at most 16384 tasks at once" },
	{ FEATURE_KALLSYMS, "kernel functions have no names" },
	{ FEATURE_NONE, NULL },
};

static void wakeup_defaults(void *options)
{
	struct wakeup_options *o = options;

	o->worst = WORST_DEFAULT;
}

static int parse_limit(const char *option, const char *text, uint64_t *ns)
{
	if (!text || !units_parse_duration(text, false, ns))
		return 0;
	warnx("%s %s: must be a time with its unit, as 200us or 1ms", option, text);
	return -EINVAL;
}

static enum wake_per parse_per(const char *text)
{
	static const char *const words[] = { "", "task", "comm", "cpu", "prio", "cgroup" };

	for (unsigned i = 1; text && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i]))
			return (enum wake_per)i;
	return WAKE_PER_NONE;
}

static int check_options(struct session *s)
{
	const struct wakeup_options *o = s->options;
	struct wakeup_state *w = s->state;
	int err = parse_limit("--above", o->above, &w->above_ns);

	if (!err)
		err = parse_limit("--fail-above", o->fail_above, &w->fail_above_ns);
	if (!err && o->above && !w->above_ns)
		w->above_ns = 1; /* 0us: each of them */
	if (!err && o->fail_above && !w->fail_above_ns)
		w->fail_above_ns = 1;
	if (!w->above_ns)
		w->above_ns = w->fail_above_ns;
	w->per = parse_per(o->per);
	return err;
}

static int wakeup_open(struct session *s)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = s->btf.path);
	struct wakeup_state *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	s->state = w;
	err = check_options(s);
	if (err)
		return err;
	w->skeleton = wakeup_bpf__open_opts(&options);
	if (!w->skeleton) {
		warn("cannot open the BPF object");
		return -errno;
	}
	s->skeleton = w->skeleton->skeleton;
	s->object = w->skeleton->obj;
	s->filter_config = (struct filter_config *)&w->skeleton->rodata->filter;
	w->config = (struct wakeup_config *)&w->skeleton->rodata->config;
	return 0;
}

static __u32 fitting(size_t bytes_each, __u32 least, __u32 most)
{
	size_t n = GROUPS_BYTES / bytes_each;

	return n < least ? least : n > most ? most : (__u32)n;
}

static int size_maps(struct wakeup_state *w)
{
	__u32 cpus = w->possible_cpus, worst = w->config->worst ? cpus * w->config->worst : 1;
	__u32 groups = w->per ? fitting(cpus * sizeof(struct hist), GROUPS_MIN, GROUPS_MAX) : 1;
	__u32 causes = w->config->causes ? fitting(cpus * sizeof(struct wake_cause_sum), CAUSES_MIN, CAUSES_MAX) : 1;
	int err = bpf_map__set_max_entries(w->skeleton->maps.contexts, cpus);

	if (!err)
		err = bpf_map__set_max_entries(w->skeleton->maps.measured_cpus, cpus);
	if (!err)
		err = bpf_map__set_max_entries(w->skeleton->maps.group_hists, groups);
	if (!err)
		err = bpf_map__set_max_entries(w->skeleton->maps.cause_sums, causes);
	if (!err)
		err = bpf_map__set_max_entries(w->skeleton->maps.worst_cases, worst);
	if (!err)
		err = bpf_map__set_max_entries(w->skeleton->maps.above_cases,
					       w->above_ns ? cpus * WAKE_ABOVE_SLOTS : 1);
	return err;
}

/* Stacks at each waking cost a microsecond: of tasks that were chosen, that is little. */
static bool is_selective(const struct session *s)
{
	const struct wakeup_options *o = s->options;
	const struct filter_config *f = s->filter_config;

	return f->by_task || f->by_comm || f->by_cgroup || o->realtime;
}

static int wakeup_configure(struct session *s)
{
	const struct wakeup_options *o = s->options;
	struct wakeup_state *w = s->state;
	int possible = libbpf_num_possible_cpus(), err;

	if (possible < 0)
		return possible;
	w->possible_cpus = (unsigned)possible;
	*w->config = (struct wakeup_config){ .above_ns = w->above_ns,
					     .worst = (__u32)o->worst,
					     .self_tgid = (__u32)getpid(),
					     .cpus = (__u32)possible,
					     .per = (__u8)w->per,
					     .causes = !o->no_causes,
					     .rt_only = o->realtime,
					     .by_cpu = s->target->cpus != NULL,
					     .details = is_selective(s),
					     .waker_stacks = !o->no_stacks && is_selective(s),
					     .user_stacks = o->user_stacks };
	w->config->cpus_online = (__u32)s->watch.online.n;
	err = wakeup_programs_choose(s);
	if (!err)
		err = size_maps(w);
	if (w->above_ns)
		s->tick_ns = ABOVE_TICK_NS;
	return err;
}

static int map_above(struct wakeup_state *w)
{
	w->above_bytes = (size_t)w->possible_cpus * WAKE_ABOVE_SLOTS * sizeof(struct wake_case);
	if (!w->above_ns)
		return 0;
	w->above = mmap(NULL, w->above_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			bpf_map__fd(w->skeleton->maps.above_cases), 0);
	if (w->above != MAP_FAILED)
		return 0;
	w->above = NULL;
	return -errno;
}

/* -C: waits that end on one of these CPUs are measured. */
static int mark_cpus(const struct session *s)
{
	struct wakeup_state *w = s->state;
	int fd = bpf_map__fd(w->skeleton->maps.measured_cpus);
	__u32 measured = 1;

	for (size_t i = 0; w->config->by_cpu && i < s->cpus.n; i++)
		if (bpf_map_update_elem(fd, &s->cpus.ids[i], &measured, BPF_ANY))
			return -errno;
	return 0;
}

static int make_buffers(struct wakeup_state *w)
{
	w->values = calloc(w->possible_cpus, sizeof(struct wake_hists));
	w->a_case = malloc(sizeof(*w->a_case));
	w->seen = calloc(1, sizeof(*w->seen));
	w->seen_cases = calloc((size_t)w->possible_cpus * w->config->worst + 1, sizeof(*w->seen_cases));
	return w->values && w->a_case && w->seen && w->seen_cases ? 0 : -ENOMEM;
}

/* Programs that end during the run have names for their functions only if the kernel tells of them. */
static void watch_processes(struct session *s)
{
	struct wakeup_state *w = s->state;
	int err = w->config->user_stacks ? symbols_watch_open(w->symbols) : 0;

	if (err && s->run->verbose)
		warnx("cannot watch processes begin and end: %s (those that are gone soon have no names)",
		      strerror(-err));
}

static int wakeup_attach(struct session *s)
{
	struct wakeup_state *w = s->state;
	int err = make_buffers(w);

	if (!err)
		err = map_above(w);
	if (!err)
		err = mark_cpus(s);
	if (!err)
		err = symbols_open(&w->symbols);
	if (err) {
		warnx("cannot prepare the BPF maps: %s", strerror(-err));
		return err;
	}
	watch_processes(s);
	err = w->by_btf ? trace_programs_attach(s->skeleton) : 0;
	return err ? err
		   : trace_vectors_attach(&w->vectors, w->skeleton->progs.on_vector_entry,
					  w->skeleton->progs.on_vector_exit);
}

static int start_watch(struct session *s)
{
	struct wakeup_state *w = s->state;
	int err = symbols_watch_start(w->symbols);

	for (size_t i = 0; i < s->filter.tgids.n && !err; i++)
		symbols_expect(w->symbols, s->filter.tgids.list[i]);
	if (err)
		warnx("cannot watch processes: %s", strerror(-err));
	return err;
}

/* Makes room for the waits of tasks that are there already. What fails is made when they wake. */
static void meet_tasks(const struct wakeup_state *w)
{
	const struct bpf_link *link = w->skeleton->links.on_each_task;
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	char nothing[64];

	if (fd < 0)
		return;
	while (read(fd, nothing, sizeof(nothing)) > 0)
		;
	close(fd);
}

static int wakeup_enable(struct session *s, bool on)
{
	struct wakeup_state *w = s->state;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	int err;

	if (on) {
		w->boottime_ns = (int64_t)(clock_ns(CLOCK_BOOTTIME) - now_ns);
		w->realtime_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - now_ns);
		w->next_point_ns = !s->sink && s->time->interval_ns ? now_ns + s->time->interval_ns : UINT64_MAX;
	}
	err = on && w->config->user_stacks ? start_watch(s) : 0;
	if (on)
		meet_tasks(w);
	w->skeleton->bss->enabled = on;
	return err;
}

static int tell_failure(int err)
{
	if (err)
		warnx("cannot read the BPF maps: %s", strerror(-err));
	return err;
}

static int wakeup_tick(struct session *s, struct recording *r)
{
	struct wakeup_state *w = s->state;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	int err = wakeup_drain_above(w, r, s->quiet);

	if (!err && w->config->user_stacks) /* while their processes live */
		err = wakeup_drain_worst(w, r);
	if (err || now_ns < w->next_point_ns)
		return tell_failure(err);
	w->next_point_ns += s->time->interval_ns;
	err = wakeup_drain_sums(w, r);
	if (!err)
		err = wakeup_drain_points(w, r, now_ns - s->start_ns);
	return tell_failure(err);
}

static int wakeup_drain(struct session *s, struct recording *r)
{
	struct wakeup_state *w = s->state;
	int err = wakeup_drain_above(w, r, s->quiet);

	if (!err)
		err = wakeup_drain_sums(w, r);
	if (!err && w->config->worst)
		err = wakeup_drain_worst(w, r);
	return tell_failure(err);
}

/* "FIFO 80" of a target that is one task. */
static void describe_policy(const struct session *s, struct rec_latency *l)
{
	static const char *const names[] = { "OTHER", "FIFO", "RR", "BATCH", "ISO", "IDLE", "DEADLINE", "EXT" };
	int tid = s->filter.tgids.n + s->filter.tids.n != 1 ? 0
		  : s->filter.tgids.n			    ? s->filter.tgids.list[0]
							    : s->filter.tids.list[0];
	int policy = tid ? sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK : -1;
	struct sched_param param;

	if (policy < 0 || policy >= (int)(sizeof(names) / sizeof(names[0])) || sched_getparam(tid, &param))
		return;
	if (policy == SCHED_FIFO || policy == SCHED_RR)
		snprintf(l->policy, sizeof(l->policy), "%s %d", names[policy], param.sched_priority);
	else
		snprintf(l->policy, sizeof(l->policy), "%s", names[policy]);
}

static void describe(const struct session *s, struct rec_latency *l)
{
	const struct wakeup_options *o = s->options;
	const struct wakeup_state *w = s->state;

	l->above_ns = w->above_ns;
	l->worst = w->config->worst;
	snprintf(l->per, sizeof(l->per), "%s", o->per ? o->per : "");
	l->no_causes = o->no_causes;
	wakeup_programs_describe(w, l);
	describe_policy(s, l);
}

static bool reached(const struct rec_latency *l, uint64_t limit_ns)
{
	for (unsigned kind = 0; limit_ns && kind < LATENCY_KINDS; kind++) {
		const struct rec_hist *h = latency_find(l, 0, kind);

		if (h && h->count && h->max_ns >= limit_ns)
			return true;
	}
	return false;
}

static int wakeup_settle(struct session *s, struct recording *r, bool last)
{
	struct wakeup_state *w = s->state;
	struct rec_latency *l = latency_of(r);
	int err = l ? symbols_resolve(w->symbols, r) : -ENOMEM;

	if (!err && (s->sink || s->time->interval_ns))
		err = wakeup_drain_points(w, r, r->meta.duration_ns);
	if (err)
		return tell_failure(err);
	describe(s, l);
	r->limit_exceeded = reached(l, w->fail_above_ns);
	(void)last;
	return 0;
}

static uint64_t wakeup_count(struct session *s)
{
	struct wakeup_state *w = s->state;

	return wakeup_drain_count(w);
}

static void wakeup_close(struct session *s)
{
	struct wakeup_state *w = s->state;

	if (!w)
		return;
	trace_vectors_detach(&w->vectors);
	if (w->above)
		munmap(w->above, w->above_bytes);
	symbols_close(w->symbols);
	wakeup_bpf__destroy(w->skeleton);
	free(w->values);
	free(w->a_case);
	free(w->seen);
	free(w->seen_cases);
	free(w);
	s->state = NULL;
}

/* With all that costs programs something: details and stacks come with a target. */
static void choose_most(void *options, struct target_options *target)
{
	static char *const command[] = { "true", NULL };
	struct wakeup_options *o = options;

	target->command = command;
	target->comms = "true";
	o->per = "task";
	o->above = "100us";
	o->user_stacks = true;
}

static const struct tool_variant wakeup_variants[] = {
	{ "command", choose_most },
	{ NULL, NULL },
};

static const char *wakeup_left_out(struct session *s, const char *program)
{
	return wakeup_programs_left_out(s->state, program);
}

static const struct collector wakeup_collector = {
	.open = wakeup_open,
	.configure = wakeup_configure,
	.attach = wakeup_attach,
	.enable = wakeup_enable,
	.tick = wakeup_tick,
	.follow_cpus = wakeup_follow_cpus,
	.drain = wakeup_drain,
	.settle = wakeup_settle,
	.count = wakeup_count,
	.left_out = wakeup_left_out,
	.close = wakeup_close,
};

const struct tool tool_wakeup = {
	.name = "wakeup",
	.summary = "how late tasks ran after they were woken, and why",
	.usage = "[OPTIONS] [-- COMMAND ARGS...]",
	.help = wakeup_help,
	.needs = wakeup_needs,
	.groups = TOOL_TARGET | TOOL_TIME | TOOL_RUN | TOOL_VIEW,
	.options = wakeup_option_defs,
	.options_bytes = sizeof(struct wakeup_options),
	.defaults = wakeup_defaults,
	.collector = &wakeup_collector,
	.variants = wakeup_variants,
	.gives = REC_LATENCY,
	.default_view = "latency",
};
