/* SPDX-License-Identifier: GPL-2.0-only */
/* `kbpfprof profile`: samples of perf events, counted by stack in the kernel (bpf/profile.bpf.c). */
#include <bpf/btf.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/features.h"
#include "core/kernel_btf.h"
#include "core/sysfs.h"
#include "core/units.h"
#include "tools/profile.h"

#define DEFAULT_HZ    99
#define MAX_RATE_PATH "/proc/sys/kernel/perf_event_max_sample_rate"

/*
 * Nothing throttles the timers of the clock events, and a sample with deep stacks takes some 10 us:
 * at the 100 kHz that the kernel allows a machine would do nothing else (seen: it stood still).
 */
#define CLOCK_HZ_MAX	    9999
#define CLOCK_PERIOD_MIN_NS (1000000000 / CLOCK_HZ_MAX)

static const struct option_def profile_option_defs[] = {
	OPT_STRING('F', "freq", struct profile_options, freq, "HZ", "samples per second and CPU (99), or max"),
	OPT_COUNT('c', "count", struct profile_options, count, "N", 1, 0, "a sample every N events instead"),
	OPT_STRING('e', "event", struct profile_options, event, "EVENT",
		   "cycles (default), cpu-clock, rNNN, PMU/EVENT/ ..."),
	OPT_FLAG('K', "kernel-stacks", struct profile_options, kernel_only, "kernel stacks only"),
	OPT_FLAG('U', "user-stacks", struct profile_options, user_only, "user stacks only"),
	OPT_COUNT(0, "max-stacks", struct profile_options, max_stacks, "N", 256, 4 << 20,
		  "distinct samples held between two drains"),
	OPT_IGNORED('g', "call-graph", "accepted: stacks are always recorded"),
	OPT_END,
};

static const char profile_help[] = "Shows which functions use the CPU and who calls them, kernel and programs alike.\n"
				   "Without options: the whole machine, 99 samples per second and CPU, until Ctrl-C.\n"
				   "\n"
				   "  kbpfprof profile -d 10s                  the whole machine for 10 s\n"
				   "  kbpfprof profile -p 812 -d 10s           a process, its threads and children\n"
				   "  kbpfprof profile -F 999 -- make -j2      a command, from start to end\n"
				   "  kbpfprof profile -C 0 -s dso --idle      what CPU 0 does, idle included\n"
				   "  kbpfprof profile -e page-faults -c 1     who causes page faults, every one\n"
				   "  kbpfprof profile -d 10s -f folded > out  input for flame graph tools\n";

static const struct feature_need profile_needs[] = {
	{ FEATURE_BTF, NULL },
	{ FEATURE_PERF_EVENT, NULL },
	{ FEATURE_READ_KERNEL, NULL },
	{ FEATURE_RAW_TP, "no -p, -t, -- COMMAND" },
	{ FEATURE_CYCLES, "samples cpu-clock instead of cycles" },
	{ FEATURE_KALLSYMS, "kernel functions have no names" },
	{ FEATURE_PTRACE, "programs of other users have no names for their functions" },
	{ FEATURE_NONE, NULL },
};

/* The kernel refuses higher rates with EINVAL. */
static uint64_t max_rate(const struct profile_state *p)
{
	int64_t limit;
	uint64_t max = sysfs_number(MAX_RATE_PATH, &limit) || limit <= 0 ? 100000 : (uint64_t)limit;

	return p->event.is_time && max > CLOCK_HZ_MAX ? CLOCK_HZ_MAX : max;
}

static int parse_rate(const struct profile_state *p, const char *text, uint64_t *hz)
{
	if (!strcmp(text, "max")) {
		*hz = max_rate(p);
		return 0;
	}
	if (!units_parse_count(text, hz) && *hz)
		return 0;
	warnx("-F %s: must be a rate in Hz, 1 or more, or 'max'", text);
	return -EINVAL;
}

static uint64_t config_hz(void)
{
	return (uint64_t)sysfs_config_number("CONFIG_HZ");
}

/* Of a rate above the limit the limit is taken; the report says what was asked for and what was reached. */
static void set_rate(struct profile_state *p, uint64_t hz)
{
	uint64_t max = max_rate(p);

	p->asked_hz = hz;
	p->event.attr.freq = 1;
	p->event.attr.sample_freq = p->rate_hz = hz > max ? max : hz;
}

static void set_period(struct profile_state *p, uint64_t period)
{
	p->asked_period = period;
	p->event.attr.freq = 0;
	p->event.attr.sample_period = p->event.is_time && period < CLOCK_PERIOD_MIN_NS ? CLOCK_PERIOD_MIN_NS : period;
	p->rate_hz = p->event.is_time ? 1000000000 / p->event.attr.sample_period : 0;
}

static int set_sampling(struct profile_state *p, const struct profile_options *o)
{
	uint64_t hz = DEFAULT_HZ;
	int err;

	if (o->count) {
		set_period(p, o->count);
		return 0;
	}
	err = o->freq ? parse_rate(p, o->freq, &hz) : 0;
	if (!err)
		set_rate(p, hz);
	return err;
}

static int refuse_name(const struct event *event, int err)
{
	if (err == -EINVAL) {
		warnx("-e %s: no name of an event (cycles, cpu-clock, rNNN, PMU/EVENT/, one at a time)", event->name);
		return -EINVAL;
	}
	warnx("-e %s: this machine has no such event (known PMUs: /sys/bus/event_source/devices)", event->name);
	return -EOPNOTSUPP;
}

static int refuse_event(const struct event *event, int err)
{
	bool software = event->attr.type == PERF_TYPE_SOFTWARE;
	char why[256];

	warnx("cannot open event %s: %s (%s%s)", event->name, strerror(-err),
	      features_explain_event(err, !software, why, sizeof(why)),
	      software ? "" : "; -e cpu-clock samples time everywhere");
	return -EOPNOTSUPP;
}

/* Of the clocks, whose timers keep to the rate; a PMU's period is steered and wanders. */
static void warn_of_beat(const struct session *s)
{
	const struct profile_state *p = s->state;

	if (s->quiet || !p->event.is_time || p->asked_period || !event_rate_beats(p->rate_hz, config_hz()))
		return;
	warnx("%" PRIu64 " Hz keeps in step with timers of round rates and may miss or exaggerate them; %d Hz does not",
	      p->rate_hz, p->rate_hz > 500 ? 997 : DEFAULT_HZ);
}

/* Names and numbers are checked before anything is loaded. */
static int check_options(struct session *s)
{
	struct profile_state *p = s->state;
	const struct profile_options *o = s->options;
	int err;

	if (o->freq && o->count) {
		warnx("-F and -c exclude each other: a rate or a period");
		return -EINVAL;
	}
	if (o->kernel_only && o->user_only) {
		warnx("-K and -U exclude each other; both kinds of stacks are the default");
		return -EINVAL;
	}
	err = event_parse(o->event ? o->event : "cycles", &p->event);
	if (err)
		return refuse_name(&p->event, err);
	if (p->event.is_time && (p->event.attr.exclude_user || p->event.attr.exclude_kernel)) {
		/* The kernel drops the samples of the other mode but counts its time: the books would be wrong. */
		warnx("-e %s: a clock runs in both modes (-U or -K shows the stacks of one)", p->event.name);
		return -EOPNOTSUPP;
	}
	err = set_sampling(p, o);
	if (!err)
		warn_of_beat(s);
	return err;
}

static int profile_open(struct session *s)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = s->btf.path);
	struct profile_state *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	s->state = p;
	p->skeleton = profile_bpf__open_opts(&options);
	if (!p->skeleton) {
		warn("cannot open the BPF object");
		return -errno;
	}
	s->skeleton = p->skeleton->skeleton;
	s->object = p->skeleton->obj;
	s->filter_config = (struct filter_config *)&p->skeleton->rodata->filter;
	return check_options(s);
}

static void read_kernel_facts(struct session *s)
{
	struct profile_state *p = s->state;
	struct btf *btf = kernel_btf_load(&s->btf);

	if (btf)
		p->skeleton->rodata->preempt_count_from_rq_bytes = kernel_btf_preempt_count_from_rq(btf);
}

static int profile_configure(struct session *s)
{
	struct profile_state *p = s->state;
	const struct profile_options *o = s->options;
	struct samples_config *config;
	int64_t depth;
	int err;

	config = (struct samples_config *)&p->skeleton->rodata->samples;
	p->by_tgid = s->labels & LABEL_TGID;
	config->by_tid = !!(s->labels & LABEL_TID);
	config->by_cpu = !!(s->labels & LABEL_CPU);
	config->want_kernel = !o->user_only;
	config->want_user = !o->kernel_only;
	read_kernel_facts(s);
#if defined(__x86_64__)
	p->idle_is_guess = !p->skeleton->rodata->preempt_count_from_rq_bytes;
#endif
	p->max_depth = SAMPLE_FRAMES_MAX;
	if (!sysfs_number("/proc/sys/kernel/perf_event_max_stack", &depth) && depth > 0 && depth < SAMPLE_FRAMES_MAX)
		p->max_depth = (unsigned)depth;
	err = samples_size(&p->samples, s->object, config, &s->cpus, o->max_stacks);
	if (!err)
		err = profile_books_size(p);
	if (!err)
		s->tick_ns = samples_look_ns(&p->samples, p->rate_hz);
	return err;
}

/* The default event; where there is no PMU, the clock. What the user named is never replaced. */
static int open_events(struct session *s)
{
	struct profile_state *p = s->state;
	const struct profile_options *o = s->options;
	int err = event_set_open(&p->events, &p->event, &s->cpus, &s->watch.online);

	if (!err)
		return 0;
	if (!o->event && event_errno_is_absent(err)) {
		snprintf(p->fallback, sizeof(p->fallback), "%s: %s", p->event.name, feature_errno_name(err));
		err = event_parse("cpu-clock", &p->event);
		if (!err)
			err = set_sampling(p, o);
		if (!err)
			err = event_set_open(&p->events, &p->event, &s->cpus, &s->watch.online);
		if (!err)
			warn_of_beat(s);
	}
	return err ? refuse_event(&p->event, err) : 0;
}

static int profile_attach(struct session *s)
{
	struct profile_state *p = s->state;
	int err = samples_map(&p->samples, &p->skeleton->bss->samples_active_set);

	if (!err)
		err = profile_books_map(p);
	if (!err)
		err = symbols_open(&p->symbols);
	if (err) {
		warnx("cannot prepare the BPF maps: %s", strerror(-err));
		return err;
	}
	profile_watch_open(s);
	err = open_events(s);
	if (err)
		return err;
	err = event_set_bpf(&p->events, bpf_program__fd(p->skeleton->progs.on_sample));
	if (err) {
		warnx("cannot attach to event %s: %s", p->event.name, strerror(-err));
		err = -EOPNOTSUPP;
	}
	return err;
}

static int profile_enable(struct session *s, bool on)
{
	struct profile_state *p = s->state;
	uint64_t spread_ns = p->rate_hz ? 1000000000 / p->rate_hz : 0;
	int err;

	if (spread_ns > 10 * 1000 * 1000)
		spread_ns = 10 * 1000 * 1000; /* enough to part the CPUs; the run should begin at once */
	if (!on)
		profile_cpus_end(s);
	err = on ? profile_watch_start(s) : 0;
	if (!err)
		err = event_set_enable(&p->events, on, spread_ns);
	if (!err && !on)
		err = event_set_read(&p->events, &p->totals);
	if (err)
		warnx("cannot %s event %s: %s", on ? "start" : "stop", p->event.name, strerror(-err));
	return err;
}

static void profile_close(struct session *s)
{
	struct profile_state *p = s->state;

	if (!p)
		return;
	event_set_close(&p->events);
	profile_books_unmap(p);
	samples_close(&p->samples);
	symbols_close(p->symbols);
	profile_bpf__destroy(p->skeleton);
	free(p);
	s->state = NULL;
}

static void choose_command(void *options, struct target_options *target)
{
	static char *const command[] = { "true", NULL };

	(void)options;
	target->command = command;
}

static const struct tool_variant profile_variants[] = {
	{ "command", choose_command }, /* the filter's programs */
	{ NULL, NULL },
};

static const struct collector profile_collector = {
	.open = profile_open,
	.configure = profile_configure,
	.attach = profile_attach,
	.enable = profile_enable,
	.tick = profile_tick,
	.follow_cpus = profile_follow_cpus,
	.drain = profile_drain,
	.settle = profile_settle,
	.count = profile_count,
	.close = profile_close,
};

const struct tool tool_profile = {
	.name = "profile",
	.summary = "where CPU time goes, and who calls it",
	.usage = "[OPTIONS] [-- COMMAND ARGS...]",
	.help = profile_help,
	.needs = profile_needs,
	.groups = TOOL_TARGET | TOOL_TIME | TOOL_RUN | TOOL_VIEW,
	.options = profile_option_defs,
	.options_bytes = sizeof(struct profile_options),
	.collector = &profile_collector,
	.variants = profile_variants,
	.gives = REC_SAMPLES,
	.default_view = "table",
};
