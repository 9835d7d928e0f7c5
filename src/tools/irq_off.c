/* SPDX-License-Identifier: GPL-2.0-only */
#include "tools/irq_off.h"

#include <bpf/bpf.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/clock.h"
#include "core/event.h"
#include "core/features.h"
#include "core/kernel_btf.h"
#include "core/tracepoints.h"
#include "core/units.h"
#include "kbpfprof/off.h"
#include "tools/irq.h"

#define PROBE_NS     (1000 * 1000)
#define PROBE_MIN_NS (100 * 1000)
#define PROBE_MAX_NS (100 * 1000 * 1000)
#define LEAST_NS     (10 * 1000)
#define PLACES_BYTES (8 << 20)
#define PLACES_MIN   256
#define PLACES_MAX   8192
#define LOOK_NS	     (1000 * 1000 * 1000ULL) /* asking a timer costs an interrupt of its CPU */

/* As the map has it, with its stack in the recording. */
struct off_place {
	enum irq_kind kind;
	bool is_exact;
	int stack; /* -1: none */
	struct irq_sum sum;
};

struct irq_off {
	uint64_t probe_ns, least_ns;
	bool is_exact;
	bool no_preempt_depth;
	struct event event;
	struct event_set events;
	uint64_t look_ns; /* CLOCK_MONOTONIC: when CPUs are looked after next */
	struct off_place *places;
	size_t n_places, max_places;
	uint64_t fires, preempt_fires;
};

static struct irq_off *off_of(const struct session *s)
{
	const struct irq_state *q = s->state;

	return q->off;
}

static int parse_time(const char *option, const char *text, uint64_t min_ns, uint64_t max_ns, uint64_t *ns)
{
	if (!text || (!units_parse_duration(text, false, ns) && *ns >= min_ns && *ns <= max_ns))
		return 0;
	if (max_ns == UINT64_MAX)
		warnx("%s %s: must be a time with its unit, as 20us", option, text);
	else
		warnx("%s %s: must be a time from 100us to 100ms, with its unit", option, text);
	return -EINVAL;
}

int irq_off_parse(struct session *s)
{
	const struct irq_options *o = s->options;
	struct irq_state *q = s->state;
	struct irq_off *off;
	int err;

	if (!o->off && (o->probe || o->off_above)) {
		warnx("%s belongs to --off", o->probe ? "--probe" : "--off-above");
		return -EINVAL;
	}
	if (!o->off)
		return 0;
	off = q->off = calloc(1, sizeof(*off));
	if (!off)
		return -ENOMEM;
	off->probe_ns = PROBE_NS;
	off->least_ns = LEAST_NS;
	err = parse_time("--probe", o->probe, PROBE_MIN_NS, PROBE_MAX_NS, &off->probe_ns);
	if (!err)
		err = parse_time("--off-above", o->off_above, 0, UINT64_MAX, &off->least_ns);
	if (!off->least_ns)
		off->least_ns = 1; /* 0us: each of them */
	return err;
}

/* --- Programs and maps. */

static const struct {
	const char *program;
	bool is_exact;
} programs[] = {
	{ "on_probe", false },		{ "on_irq_disable", true },    { "on_irq_enable", true },
	{ "on_preempt_disable", true }, { "on_preempt_enable", true },
};

static bool tells_sections(const struct btf *btf)
{
	return kernel_btf_has_tracepoint(btf, "irq_disable") && kernel_btf_has_tracepoint(btf, "irq_enable");
}

/*
 * Kernels that are not preemptible count nothing, and on all others the version says "PREEMPT", with more behind it
 * (scripts/mkcompile_h, init/Makefile).
 */
static bool kernel_counts_preemption(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT");
}

static int size_places(const struct irq_state *q)
{
	size_t bytes = sizeof(struct irq_place_key) + 64 + q->possible_cpus * sizeof(struct irq_sum);
	size_t n = PLACES_BYTES / bytes;

	return bpf_map__set_max_entries(q->skeleton->maps.places, !q->off	   ? 1
								  : n < PLACES_MIN ? PLACES_MIN
								  : n > PLACES_MAX ? PLACES_MAX
										   : (__u32)n);
}

static void set_config(struct irq_state *q, const struct btf *btf)
{
	struct irq_off *off = q->off;

	q->skeleton->rodata->preempt_count_from_rq_bytes = kernel_btf_preempt_count_from_rq(btf);
	q->skeleton->rodata->steal_from_rq_bytes = kernel_btf_from_rq(btf, "steal_time");
	off->is_exact = tells_sections(btf);
	off->no_preempt_depth = !kernel_counts_preemption();
#if defined(__x86_64__)
	if (!q->skeleton->rodata->preempt_count_from_rq_bytes)
		off->no_preempt_depth = true;
#endif
	q->config->probe_ns = off->probe_ns;
	q->config->off_least_ns = off->least_ns;
	if (off->is_exact) {
		q->asked = (q->asked & ~(unsigned)REC_IRQ_OFFS) | REC_IRQ_OFFS_EXACT;
		q->measured = (q->measured & ~(unsigned)REC_IRQ_OFFS) | REC_IRQ_OFFS_EXACT;
		off->no_preempt_depth = !kernel_btf_has_tracepoint(btf, "preempt_disable");
	}
}

/* Of preemption some kernels tell that do not tell of interrupts, and the other way round. */
static bool is_wanted(const struct irq_off *off, size_t i)
{
	return off && programs[i].is_exact == off->is_exact &&
	       (!strstr(programs[i].program, "_preempt_") || !off->no_preempt_depth);
}

int irq_off_choose(struct session *s, const struct btf *btf)
{
	struct irq_state *q = s->state;
	int err;

	if (q->off)
		set_config(q, btf);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(q->skeleton->obj, programs[i].program),
					  is_wanted(q->off, i));
	err = bpf_map__set_max_entries(q->skeleton->maps.off_cpus, q->off ? q->config->cpus : 1);
	return err ? err : size_places(q);
}

const char *irq_off_left_out(const struct session *s, const char *program)
{
	const struct irq_off *off = off_of(s);

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(programs[i].program, program) != 0 || is_wanted(off, i))
			continue;
		if (!off)
			return "not needed for what was asked";
		return programs[i].is_exact ? "no tracepoints preemptirq:* (CONFIG_PREEMPTIRQ_TRACEPOINTS)"
					    : "the kernel tells of each section itself";
	}
	return NULL;
}

/* --- The timers. */

static int refuse_event(int err)
{
	char why[256];

	warnx("cannot open event cpu-clock: %s (%s)", strerror(-err),
	      features_explain_event(err, false, why, sizeof(why)));
	return -EOPNOTSUPP;
}

int irq_off_attach(struct session *s)
{
	struct irq_state *q = s->state;
	struct irq_off *off = q->off;
	int err;

	if (!off || off->is_exact)
		return 0;
	err = event_parse("cpu-clock", &off->event);
	if (err)
		return err;
	off->event.attr.freq = 0;
	off->event.attr.sample_period = off->probe_ns;
	off->event.attr.pinned = 1; /* never stopped while other events are opened */
	err = event_set_open(&off->events, &off->event, &s->cpus, &s->watch.online);
	if (err)
		return refuse_event(err);
	err = event_set_bpf(&off->events, bpf_program__fd(q->skeleton->progs.on_probe));
	if (err)
		warnx("cannot attach to event cpu-clock: %s", strerror(-err));
	return err ? -EOPNOTSUPP : 0;
}

int irq_off_enable(struct session *s, bool on)
{
	struct irq_off *off = off_of(s);
	int err;

	if (!off || !off->events.by_cpu)
		return 0;
	err = event_set_enable(&off->events, on, off->probe_ns);
	if (err)
		warnx("cannot %s event cpu-clock: %s", on ? "start" : "stop", strerror(-err));
	off->look_ns = clock_ns(CLOCK_MONOTONIC) + LOOK_NS;
	return err;
}

/* What cannot be started now is tried again. */
void irq_off_tick(struct session *s)
{
	struct irq_off *off = off_of(s);
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), end_ns;

	if (!off || !off->events.by_cpu || now_ns < off->look_ns)
		return;
	off->look_ns = now_ns + LOOK_NS;
	for (size_t i = 0; i < s->cpus.n; i++) {
		bool is_online = cpu_list_has(&s->watch.online, s->cpus.ids[i]);

		event_set_ended(&off->events, i, is_online, &end_ns);
		if (is_online && !event_set_has(&off->events, i))
			event_set_restart(&off->events, i);
	}
}

/* --- Places. */

static void add_sums(struct irq_sum *sum, const struct irq_sum *more)
{
	sum->count += more->count;
	sum->ns += more->ns;
	if (more->max_ns > sum->max_ns)
		sum->max_ns = more->max_ns;
}

static int stack_of(struct irq_state *q, struct recording *r, const struct irq_place_key *key)
{
	uint64_t frames[IRQ_PLACE_FRAMES];
	struct raw_stack raw = { .kernel = frames, .max_frames = IRQ_PLACE_FRAMES };

	while (raw.kernel_frames < IRQ_PLACE_FRAMES && key->stack[raw.kernel_frames]) {
		frames[raw.kernel_frames] = key->stack[raw.kernel_frames];
		raw.kernel_frames++;
	}
	if (!raw.kernel_frames)
		return -1;
	if (key->is_exact)
		frames[0]--; /* an address that is returned to, like the others */
	return symbols_stack(q->symbols, r, &raw);
}

static int take_place(struct irq_state *q, struct recording *r, const struct irq_place_key *key)
{
	struct irq_off *off = q->off;
	struct off_place *place, *more;
	const struct irq_sum *per_cpu = q->values;

	if (off->n_places == off->max_places) {
		size_t max = off->max_places ? 2 * off->max_places : 64;

		more = realloc(off->places, max * sizeof(*more));
		if (!more)
			return -ENOMEM;
		off->places = more;
		off->max_places = max;
	}
	place = &off->places[off->n_places];
	*place = (struct off_place){ .kind = key->kind, .is_exact = key->is_exact, .stack = stack_of(q, r, key) };
	if (place->stack == -ENOMEM)
		return -ENOMEM;
	for (unsigned i = 0; i < q->possible_cpus; i++)
		add_sums(&place->sum, &per_cpu[i]);
	if (place->sum.count)
		off->n_places++;
	return 0;
}

static int count_fires(const struct irq_state *q)
{
	struct irq_off *off = q->off;
	int fd = bpf_map__fd(q->skeleton->maps.off_cpus);
	struct off_cpu cpu;

	off->fires = off->preempt_fires = 0;
	for (__u32 i = 0; i < q->config->cpus; i++) {
		if (bpf_map_lookup_elem(fd, &i, &cpu))
			return -errno;
		off->fires += cpu.fires;
		off->preempt_fires += cpu.preempt_fires;
	}
	return 0;
}

int irq_off_drain(struct session *s, struct recording *r)
{
	struct irq_state *q = s->state;
	struct irq_place_key key, *before = NULL;
	int fd = bpf_map__fd(q->skeleton->maps.places), err;

	if (!q->off)
		return 0;
	q->off->n_places = 0;
	err = count_fires(q);
	while (!err && !bpf_map_get_next_key(fd, before, &key)) {
		before = &key;
		if ((key.kind == IRQ_IRQS_OFF || key.kind == IRQ_PREEMPT_OFF) &&
		    !bpf_map_lookup_elem(fd, &key, q->values))
			err = take_place(q, r, &key);
	}
	return err;
}

/* The same place, of other addresses in the function or other callers. */
static struct rec_irq_place *find(struct rec_irq_place *list, size_t n, const struct rec_irq_place *like)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].name == like->name && list[i].kind == like->kind && list[i].exact == like->exact)
			return &list[i];
	return NULL;
}

/* Of a probe: a fire stands for a period. */
static uint64_t place_ns(const struct irq_off *off, const struct off_place *p)
{
	return p->kind == IRQ_PREEMPT_OFF && !p->is_exact ? p->sum.count * off->probe_ns : p->sum.ns;
}

static int join_place(const struct irq_off *off, struct recording *r, const struct off_place *p,
		      struct rec_irq_place *list, size_t *n)
{
	struct rec_irq_place one = { .kind = p->kind,
				     .name = p->stack < 0 ? recording_string(r, IRQ_OFF_NOT_KERNEL)
							  : irq_off_name(r, p->stack),
				     .stack = p->stack,
				     .exact = p->is_exact,
				     .count = p->sum.count,
				     .ns = place_ns(off, p),
				     .max_ns = p->sum.max_ns };
	struct rec_irq_place *same;

	if (one.name < 0)
		return one.name;
	same = find(list, *n, &one);
	if (!same) {
		list[(*n)++] = one;
		return 0;
	}
	same->count += one.count;
	same->ns += one.ns;
	if (one.max_ns > same->max_ns) {
		same->max_ns = one.max_ns;
		same->stack = one.stack;
	}
	return 0;
}

int irq_off_settle(struct session *s, struct recording *r)
{
	const struct irq_off *off = off_of(s);
	struct rec_irq *irq = irq_of(r);
	struct rec_irq_place *list;
	size_t n = 0;
	int err = 0;

	if (!off)
		return 0;
	list = calloc(off->n_places + 1, sizeof(*list));
	if (!list || !irq) {
		free(list);
		return -ENOMEM;
	}
	irq->probe_ns = off->is_exact ? 0 : off->probe_ns;
	irq->off_fires = off->fires;
	irq->off_preempt_fires = off->preempt_fires;
	irq->no_preempt_depth = off->no_preempt_depth;
	for (size_t i = 0; i < off->n_places && !err; i++)
		err = join_place(off, r, &off->places[i], list, &n);
	for (size_t i = 0; i < n && !err; i++)
		err = irq_place(irq, &list[i]);
	free(list);
	return err;
}

void irq_off_close(struct session *s)
{
	struct irq_state *q = s->state;

	if (!q->off)
		return;
	event_set_close(&q->off->events);
	free(q->off->places);
	free(q->off);
	q->off = NULL;
}
