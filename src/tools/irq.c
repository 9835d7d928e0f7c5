/* SPDX-License-Identifier: GPL-2.0-only */
/* `kbpfprof irq`: what interrupts cost, and how long their work waits (bpf/irq.bpf.c). */
#include <bpf/bpf.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "core/clock.h"
#include "core/kernel_btf.h"
#include "core/tracepoints.h"
#include "core/units.h"
#include "tools/irq.h"
#include "tools/irq_off.h"

#define WORST_DEFAULT 3

/* Cases above the limit wait in few slots: these are emptied more often than other things are looked at. */
#define ABOVE_TICK_NS (20 * 1000 * 1000ULL)

static const struct option_def irq_option_defs[] = {
	OPT_STRING(0, "irq", struct irq_options, lines, "LIST", "these hard interrupts: 45,eth0,local_timer; or all"),
	OPT_STRING(0, "softirq", struct irq_options, softirqs, "LIST", "these softirqs: NET_RX,TIMER; or all"),
	OPT_FLAG(0, "work", struct irq_options, work, "works of workqueues, and tasklets"),
	OPT_FLAG(0, "ipi", struct irq_options, ipi, "interrupts between CPUs: who sends them, how late"),
	OPT_FLAG(0, "off", struct irq_options, off, "where interrupts or preemption are off, and how long"),
	OPT_STRING(0, "probe", struct irq_options, probe, "TIME", "of --off: how often to look (1ms), 100us to 100ms"),
	OPT_STRING(0, "off-above", struct irq_options, off_above, "TIME", "of --off: shorter ones do not count (10us)"),
	OPT_FLAG(0, "stacks", struct irq_options, stacks, "of --ipi: from where in the kernel they are sent"),
	OPT_COUNT(0, "worst", struct irq_options, worst, "CASES", 0, IRQ_WORST_MAX, "worst cases kept in full (3)"),
	OPT_STRING(0, "above", struct irq_options, above, "TIME", "tell each case of TIME and more as it happens"),
	OPT_COUNT(0, "storms", struct irq_options, storms, "N", 1, UINT32_MAX, "tell what came N times in a second"),
	OPT_END,
};

static const char irq_help[] = "Shows what hard interrupts, softirqs and threaded handlers cost each CPU, how\n"
			       "long they took and waited, and the worst of them with what they delayed.\n"
			       "Without options: all of the machine, until Ctrl-C.\n"
			       "\n"
			       "  kbpfprof irq -d 10s                     what takes time beside tasks\n"
			       "  kbpfprof irq --irq eth0 --hist eth0     one device, its histograms\n"
			       "  kbpfprof irq --softirq NET_RX -C 2      one softirq on one CPU\n"
			       "  kbpfprof irq -d 10s -f matrix           which interrupt on which CPU\n"
			       "  kbpfprof irq --above 200us              each long one at once\n"
			       "  kbpfprof irq --storms 10000 -d 60s      what came too often\n";

static const struct feature_need irq_needs[] = {
	{ FEATURE_BTF, NULL },
	{ FEATURE_RAW_TP, NULL },
	{ FEATURE_READ_KERNEL, NULL },
	{ FEATURE_TRACE_IRQS, NULL },
	{ FEATURE_TP_BTF, "raw tracepoints instead (each event costs a little more)" },
	{ FEATURE_TRACE_VECTORS, "no interrupts without a line, as timers and IPIs" },
	{ FEATURE_TRACE_WORKS, "no --work" },
	{ FEATURE_TRACE_TASKLETS, "no " SHOWS_TASKLETS " with --work" },
	{ FEATURE_TRACE_IPIS, "no --ipi" },
	{ FEATURE_TRACE_NMIS, "no NMIs (their time counts as what they interrupted)" },
	{ FEATURE_KALLSYMS, "kernel functions have no names" },
	{ FEATURE_NONE, NULL },
};

static void irq_defaults(void *options)
{
	struct irq_options *o = options;

	o->worst = WORST_DEFAULT;
}

static int parse_above(const struct irq_options *o, uint64_t *ns)
{
	if (!o->above)
		return 0;
	if (units_parse_duration(o->above, false, ns)) {
		warnx("--above %s: must be a time with its unit, as 200us or 1ms", o->above);
		return -EINVAL;
	}
	if (!*ns)
		*ns = 1; /* 0us: each of them */
	return 0;
}

static int irq_open(struct session *s)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = s->btf.path);
	struct irq_state *q = calloc(1, sizeof(*q));
	int err;

	if (!q)
		return -ENOMEM;
	s->state = q;
	err = parse_above(s->options, &q->above_ns);
	if (!err)
		err = irq_off_parse(s);
	if (err)
		return err;
	q->skeleton = irq_bpf__open_opts(&options);
	if (!q->skeleton) {
		warn("cannot open the BPF object");
		return -errno;
	}
	s->skeleton = q->skeleton->skeleton;
	s->object = q->skeleton->obj;
	q->config = (struct irq_config *)&q->skeleton->rodata->config;
	err = irq_lines_read(&q->lines);
	if (err)
		warnx("cannot read the interrupts of the machine in /sys/kernel/irq and /proc: %s", strerror(-err));
	return err;
}

static int check_options(const struct irq_options *o)
{
	if (!o->stacks || o->ipi)
		return 0;
	warnx("--stacks tells from where IPIs are sent: it needs --ipi");
	return -EINVAL;
}

static int irq_configure(struct session *s)
{
	const struct irq_options *o = s->options;
	struct irq_state *q = s->state;
	int possible = libbpf_num_possible_cpus(), err;

	if (possible < 0)
		return possible;
	q->possible_cpus = (unsigned)possible;
	*q->config = (struct irq_config){ .above_ns = q->above_ns,
					  .storm_count = (__u32)o->storms,
					  .worst = (__u32)o->worst,
					  .cpus = s->cpus.ids[s->cpus.n - 1] + 1,
					  .stacks = o->stacks,
					  .by_cpu = s->target->cpus != NULL };
	err = check_options(o);
	if (!err)
		err = irq_select(s);
	if (!err)
		err = irq_programs_choose(s);
	if (q->above_ns)
		s->tick_ns = ABOVE_TICK_NS;
	return err;
}

static int map_above(struct irq_state *q)
{
	q->above_bytes = (size_t)q->config->cpus * IRQ_CONTEXTS * IRQ_ABOVE_SLOTS * sizeof(struct irq_case);
	if (!q->above_ns)
		return 0;
	q->above = mmap(NULL, q->above_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			bpf_map__fd(q->skeleton->maps.above_cases), 0);
	if (q->above != MAP_FAILED)
		return 0;
	q->above = NULL;
	return -errno;
}

static int mark_cpus(const struct session *s)
{
	struct irq_state *q = s->state;
	int fd = bpf_map__fd(q->skeleton->maps.measured_cpus);
	__u32 measured = 1;

	for (size_t i = 0; q->config->by_cpu && i < s->cpus.n; i++)
		if (bpf_map_update_elem(fd, &s->cpus.ids[i], &measured, BPF_ANY))
			return -errno;
	return 0;
}

static int mark_lines(const struct irq_state *q)
{
	int fd = bpf_map__fd(q->skeleton->maps.wanted_lines);
	__u32 wanted = 1;

	for (size_t i = 0; i < q->wanted_lines.n; i++)
		if (bpf_map_update_elem(fd, &q->wanted_lines.list[i], &wanted, BPF_ANY))
			return -errno;
	return 0;
}

static int mark_ksoftirqd(void *arg, unsigned cpu, uint32_t tid)
{
	const struct irq_state *q = arg;
	int fd = bpf_map__fd(q->skeleton->maps.ksoftirqds);

	return cpu < q->config->cpus && bpf_map_update_elem(fd, &cpu, &tid, BPF_ANY) ? -errno : 0;
}

static int make_buffers(struct irq_state *q)
{
	size_t sum_bytes = sizeof(struct irq_sum), values = sum_bytes > 8 ? sum_bytes : 8;

	q->values = calloc(q->possible_cpus, values);
	q->row = calloc(1, sizeof(*q->row));
	q->a_case = malloc(sizeof(*q->a_case));
	q->seen_cases = calloc((size_t)q->config->cpus * IRQ_LISTS * q->config->worst + 1, sizeof(*q->seen_cases));
	return q->values && q->row && q->a_case && q->seen_cases ? 0 : -ENOMEM;
}

static int fill_maps(struct session *s)
{
	struct irq_state *q = s->state;
	int err = mark_cpus(s);

	if (!err)
		err = mark_lines(q);
	return !err && q->asked & REC_IRQ_SOFT ? irq_ksoftirqds(mark_ksoftirqd, q) : err;
}

static int irq_attach(struct session *s)
{
	struct irq_state *q = s->state;
	int err = irq_programs_check(q);

	if (err)
		return err;
	err = make_buffers(q);
	if (!err)
		err = map_above(q);
	if (!err)
		err = fill_maps(s);
	if (!err)
		err = symbols_open(&q->symbols);
	if (err) {
		warnx("cannot prepare the BPF maps: %s", strerror(-err));
		return err;
	}
	err = q->by_btf ? trace_programs_attach(s->skeleton) : 0;
	if (!err)
		err = trace_vectors_attach(&q->vectors, q->skeleton->progs.on_vector_entry,
					   q->skeleton->progs.on_vector_exit);
	return err ? err : irq_off_attach(s);
}

/* What cases are sorted out by when they come. */
static int expect_cases(const struct session *s, struct recording *r)
{
	const struct irq_options *o = s->options;
	struct rec_irq *irq = irq_of(r);

	if (!irq)
		return -ENOMEM;
	irq->worst = (unsigned)o->worst;
	return 0;
}

static int irq_enable(struct session *s, bool on)
{
	struct irq_state *q = s->state;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (on) {
		q->realtime_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - now_ns);
		q->next_point_ns = !s->sink && s->time->interval_ns ? now_ns + s->time->interval_ns : UINT64_MAX;
	}
	q->skeleton->bss->enabled = on;
	return irq_off_enable(s, on);
}

static int tell_failure(int err)
{
	if (err)
		warnx("cannot read the BPF maps: %s", strerror(-err));
	return err;
}

static int irq_tick(struct session *s, struct recording *r)
{
	struct irq_state *q = s->state;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	int err = irq_drain_above(s, r);

	irq_off_tick(s);
	if (err || now_ns < q->next_point_ns)
		return tell_failure(err);
	q->next_point_ns += s->time->interval_ns;
	err = irq_drain(s, r);
	return tell_failure(err ? err : irq_points(q, r, now_ns - s->start_ns));
}

static int irq_drain_all(struct session *s, struct recording *r)
{
	int err = expect_cases(s, r);

	if (!err)
		err = irq_drain_above(s, r);
	if (!err)
		err = irq_drain(s, r);
	if (!err)
		err = irq_off_drain(s, r);
	return tell_failure(err ? err : irq_drain_worst(s, r));
}

/* Where lines may go, and go. */
static int describe_affinity(struct recording *r)
{
	struct rec_irq *irq = r->irq;
	char text[256];

	for (size_t i = 0; i < irq->n_sources; i++) {
		struct rec_irq_source *source = &irq->sources[i];

		if (source->kind != IRQ_LINE)
			continue;
		irq_affinity(source->number, "smp_affinity_list", text, sizeof(text));
		source->affinity = recording_string(r, text);
		irq_affinity(source->number, "effective_affinity_list", text, sizeof(text));
		source->effective = recording_string(r, text);
		if (source->affinity < 0 || source->effective < 0)
			return -ENOMEM;
	}
	return 0;
}

static void describe(const struct session *s, struct rec_irq *irq)
{
	const struct irq_options *o = s->options;
	const struct irq_state *q = s->state;

	irq->asked = q->asked;
	irq->measured = q->measured;
	irq->softirqs_are_threads = q->config->softirqs_are_threads;
	irq->above_ns = q->above_ns;
	irq->storm_count = q->config->storm_count;
	snprintf(irq->filter, sizeof(irq->filter), "%s%s%s%s%s", o->lines ? "irq " : "", o->lines ? o->lines : "",
		 o->lines && o->softirqs ? "; " : "", o->softirqs ? "softirq " : "", o->softirqs ? o->softirqs : "");
}

static int irq_settle(struct session *s, struct recording *r, bool last)
{
	struct irq_state *q = s->state;
	struct rec_irq *irq = irq_of(r);
	int err = irq ? symbols_resolve(q->symbols, r) : -ENOMEM;

	if (!err && (s->sink || s->time->interval_ns))
		err = irq_points(q, r, r->meta.duration_ns);
	if (!err)
		err = describe_affinity(r);
	if (!err)
		err = irq_off_settle(s, r);
	if (err)
		return tell_failure(err);
	describe(s, irq);
	(void)last;
	return 0;
}

static uint64_t irq_events(struct session *s)
{
	return irq_drain_count(s);
}

static void irq_close(struct session *s)
{
	struct irq_state *q = s->state;

	if (!q)
		return;
	trace_vectors_detach(&q->vectors);
	irq_off_close(s);
	if (q->above)
		munmap(q->above, q->above_bytes);
	symbols_close(q->symbols);
	irq_bpf__destroy(q->skeleton);
	irq_lines_free(&q->lines);
	ids_free(&q->wanted_lines);
	free(q->values);
	free(q->row);
	free(q->a_case);
	free(q->seen_cases);
	free(q->seen);
	free(q);
	s->state = NULL;
}

static void choose_parts(void *options, struct target_options *target)
{
	struct irq_options *o = options;

	(void)target;
	o->work = o->ipi = o->stacks = true;
	o->above = "100us";
}

static void choose_off(void *options, struct target_options *target)
{
	struct irq_options *o = options;

	(void)target;
	o->off = true;
}

static const struct tool_variant irq_variants[] = {
	{ "parts", choose_parts },
	{ "off", choose_off },
	{ NULL, NULL },
};

static const char *irq_left_out(struct session *s, const char *program)
{
	return irq_programs_left_out(s, program);
}

static const struct collector irq_collector = {
	.open = irq_open,
	.configure = irq_configure,
	.attach = irq_attach,
	.enable = irq_enable,
	.tick = irq_tick,
	.drain = irq_drain_all,
	.settle = irq_settle,
	.count = irq_events,
	.left_out = irq_left_out,
	.close = irq_close,
};

const struct tool tool_irq = {
	.name = "irq",
	.summary = "what interrupts cost, and how long their work waits",
	.usage = "[OPTIONS] [-- COMMAND ARGS...]",
	.help = irq_help,
	.needs = irq_needs,
	.groups = TOOL_CPUS | TOOL_TIME | TOOL_RUN | TOOL_VIEW,
	.options = irq_option_defs,
	.options_bytes = sizeof(struct irq_options),
	.defaults = irq_defaults,
	.collector = &irq_collector,
	.variants = irq_variants,
	.gives = REC_IRQ,
	.default_view = "irq",
};
