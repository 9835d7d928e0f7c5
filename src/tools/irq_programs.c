/* SPDX-License-Identifier: GPL-2.0-only */
/* Which programs of bpf/irq.bpf.c are loaded: those that the question needs and that the kernel has hooks for. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <err.h>
#include <errno.h>
#include <string.h>

#include "core/features.h"
#include "core/kernel_btf.h"
#include "core/tracepoints.h"
#include "tools/irq.h"
#include "tools/irq_off.h"
#include "tools/irq_parts.h"

/* Net times need what interrupts: whoever asks for softirqs gets those programs, too. */
#define NEEDS_HARD (REC_IRQ_HARD | REC_IRQ_VECTORS | REC_IRQ_SOFT | REC_IRQ_TASKLETS | REC_IRQ_IPIS | REC_IRQ_OFFS)

static const struct irq_program {
	const char *name;
	enum feature feature;
	unsigned groups;  /* enum rec_irq_group: any of these needs it */
	const char *arch; /* NULL: each */
} programs[] = {
	{ "on_irq_entry", FEATURE_TRACE_IRQS, NEEDS_HARD, NULL },
	{ "on_irq_exit", FEATURE_TRACE_IRQS, NEEDS_HARD, NULL },
	{ "on_softirq_raise", FEATURE_TRACE_IRQS, REC_IRQ_SOFT, NULL },
	{ "on_softirq_entry", FEATURE_TRACE_IRQS, REC_IRQ_SOFT, NULL },
	{ "on_softirq_exit", FEATURE_TRACE_IRQS, REC_IRQ_SOFT, NULL },
	{ "on_vector_entry", FEATURE_TRACE_VECTORS, NEEDS_HARD, "x86" },
	{ "on_vector_exit", FEATURE_TRACE_VECTORS, NEEDS_HARD, "x86" },
	{ "on_nmi", FEATURE_TRACE_NMIS, NEEDS_HARD, "x86" },
	{ "on_ipi_entry", FEATURE_TRACE_VECTORS, NEEDS_HARD, "arm64" },
};

#if defined(__aarch64__)
#define ARCH "arm64"
#else
#define ARCH "x86"
#endif

/* Why a program of the table is left out; NULL: it is not. */
static const char *why_not(const struct irq_state *q, const struct btf *btf, const struct irq_program *p)
{
	const char *missing;
	enum rec_lack lack;

	if (p->arch && strcmp(p->arch, ARCH) != 0)
		return "of another architecture";
	if (!(q->asked & p->groups))
		return "not needed for what was asked";
	lack = btf ? tracepoints_lack(btf, p->feature, &missing) : LACK_NONE;
	return lack ? tracepoints_why(p->feature, lack) : NULL;
}

static bool needs_switches(const struct irq_state *q)
{
	return q->config->threads || (q->config->softirqs_are_threads && q->asked & REC_IRQ_SOFT);
}

const char *irq_programs_left_out(const struct session *s, const char *program)
{
	const struct irq_state *q = s->state;
	struct bpf_program *p = bpf_object__find_program_by_name(q->skeleton->obj, program);
	const char *why;

	if (!p || bpf_program__autoload(p))
		return NULL;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(programs[i].name, program))
			return why_not(q, s->btf.btf, &programs[i]);
	if (!strcmp(program, "on_switch"))
		return "no interrupt has a thread here";
	why = irq_work_left_out(q, s->btf.btf, program);
	if (!why)
		why = irq_ipi_left_out(q, s->btf.btf, program);
	return why ? why : irq_off_left_out(s, program);
}

static int check_needed(const struct irq_state *q, const struct btf *btf)
{
	const char *missing;

	if (!(q->asked & NEEDS_HARD) || !tracepoints_lack(btf, FEATURE_TRACE_IRQS, &missing))
		return 0;
	warnx(TRACEPOINTS_MISSING, missing);
	return -EOPNOTSUPP;
}

static void choose(struct irq_state *q, const struct btf *btf)
{
	unsigned lacking = 0;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const struct irq_program *p = &programs[i];
		const char *why = why_not(q, btf, p);

		bpf_program__set_autoload(bpf_object__find_program_by_name(q->skeleton->obj, p->name), !why);
		if (why && p->feature == FEATURE_TRACE_VECTORS && (!p->arch || !strcmp(p->arch, ARCH)))
			lacking |= REC_IRQ_VECTORS;
		if (why && p->feature == FEATURE_TRACE_NMIS)
			lacking |= REC_IRQ_NMIS;
	}
	bpf_program__set_autoload(q->skeleton->progs.on_switch, needs_switches(q));
	bpf_program__set_autoattach(q->skeleton->progs.on_vector_entry, false);
	bpf_program__set_autoattach(q->skeleton->progs.on_vector_exit, false);
	q->measured = q->asked & ~lacking;
	if (!strcmp(ARCH, "arm64")) /* there they are lines */
		q->asked &= ~(unsigned)REC_IRQ_NMIS;
}

/* --- Maps, by what the machine has. */

#define ROWS_BYTES_MAX (64 << 20)
#define ROWS_A_CPU     8 /* vectors that come seldom, IPIs, sections */
#define ROWS_A_LINE    8 /* CPUs that take turns at one */
#define ROWS_MORE      64
#define WORKS_MAX      1024
#define BEHIND_MAX     512
#define THREADS_MORE   64

static __u32 count_rows(const struct session *s)
{
	const struct irq_state *q = s->state;
	size_t cpus = s->cpus.n, a_line = cpus < ROWS_A_LINE ? cpus : ROWS_A_LINE;
	size_t n = cpus * ROWS_A_CPU + (q->lines.n + q->lines.threads) * a_line + ROWS_MORE, least = cpus * ROWS_A_CPU;

	if (q->asked & (REC_IRQ_WORK | REC_IRQ_TASKLETS))
		n += WORKS_MAX;
	if (n > ROWS_BYTES_MAX / sizeof(struct irq_row))
		n = ROWS_BYTES_MAX / sizeof(struct irq_row);
	return (__u32)(n < least ? least : n);
}

static int size_maps(const struct session *s)
{
	const struct irq_state *q = s->state;
	const struct irq_config *c = q->config;
	const struct {
		struct bpf_map *map;
		size_t n;
	} maps[] = {
		{ q->skeleton->maps.cpus, c->cpus },
		{ q->skeleton->maps.measured_cpus, c->cpus },
		{ q->skeleton->maps.ksoftirqds, c->cpus },
		{ q->skeleton->maps.rows, count_rows(s) },
		{ q->skeleton->maps.fixed_rows, c->cpus * IRQ_FIXED },
		{ q->skeleton->maps.worst_cases, c->worst ? c->cpus * IRQ_LISTS * c->worst : 1 },
		{ q->skeleton->maps.above_cases, c->above_ns ? c->cpus * IRQ_CONTEXTS * IRQ_ABOVE_SLOTS : 1 },
		{ q->skeleton->maps.wanted_lines, q->wanted_lines.n + 1 },
		{ q->skeleton->maps.threads, c->threads ? q->lines.threads + THREADS_MORE : 1 },
		{ q->skeleton->maps.behind, c->threads ? BEHIND_MAX : 1 },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]) && !err; i++)
		err = bpf_map__set_max_entries(maps[i].map, (__u32)maps[i].n);
	return err;
}

int irq_programs_choose(struct session *s)
{
	struct irq_state *q = s->state;
	struct btf *btf = kernel_btf_load(&s->btf);
	int err;

	if (!btf) {
		warnx("the BTF of this kernel cannot be read: " KERNEL_BTF_PATH);
		return -EOPNOTSUPP;
	}
	err = check_needed(q, btf);
	if (err)
		return err;
	q->by_btf = !s->btf.file;
	q->config->softirqs_are_threads = features_preempt_rt();
	q->config->switch_shift = kernel_btf_tracepoint_arg(btf, "sched_switch", "task_struct") == 2;
	q->config->threads = q->asked & REC_IRQ_THREADS && q->lines.threads;
	choose(q, btf);
	err = irq_work_choose(q, btf);
	if (!err)
		err = irq_ipi_choose(q, btf);
	if (!err)
		err = irq_off_choose(s, btf);
	if (!err)
		err = size_maps(s);
	return err || !q->by_btf ? err : trace_programs_choose_types(q->skeleton->obj);
}

int irq_programs_check(const struct irq_state *q)
{
	static const struct {
		unsigned groups;
		enum feature feature;
		const char *option;
	} named[] = {
		{ REC_IRQ_WORK, FEATURE_TRACE_WORKS, "--work" },
		{ REC_IRQ_IPIS, FEATURE_TRACE_IPIS, "--ipi" },
	};

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (!(q->asked & named[i].groups) || q->measured & named[i].groups)
			continue;
		warnx("%s: this kernel does not tell of %s (%s)", named[i].option, tracepoints_shows(named[i].feature),
		      tracepoints_why(named[i].feature, LACK_KERNEL));
		return -EOPNOTSUPP;
	}
	return 0;
}
