/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of `irq` share: irq.c (options, run), irq_programs.c (which programs and maps this kernel and question
 * get), irq_select.c (--irq, --softirq), irq_lines.c (what the machine has), irq_drain.c (maps to rows and counts),
 * irq_cases.c (events in full), irq_points.c (the series); beside them irq_work.c, irq_ipi.c and irq_off.c.
 */
#ifndef TOOLS_IRQ_H
#define TOOLS_IRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "core/ids.h"
#include "core/irq.h"
#include "core/session.h"
#include "core/trace_programs.h"
#include "symbols/symbols.h"

#include "irq.skel.h"

struct irq_options {
	const char *lines, *softirqs; /* --irq, --softirq; NULL: not given */
	bool work, ipi, stacks, off;
	const char *probe, *off_above;
	const char *above;
	uint64_t worst, storms;
};

/* Of /sys/kernel/irq. */
struct irq_line {
	int number;
	char *actions; /* "eth0,usb1"; "" if none has it now */
};

struct irq_lines {
	struct irq_line *list;
	size_t n;
	size_t threads; /* tasks irq/N-NAME */
};

/* A source when the last point of the series was made. */
struct irq_seen {
	uint64_t count, ns, max_ns;
};

struct irq_off;

struct irq_state {
	struct irq_bpf *skeleton;
	struct irq_config *config; /* in .rodata */
	struct symbols *symbols;
	struct irq_lines lines;
	struct ids wanted_lines; /* --irq */
	unsigned possible_cpus;
	unsigned asked, measured; /* enum rec_irq_group */
	uint64_t above_ns;
	int64_t realtime_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	uint64_t next_point_ns; /* CLOCK_MONOTONIC: without a sink the series is ours to time */
	uint64_t points_end_ns; /* since the start of the run */
	bool by_btf;
	struct trace_vectors vectors;
	struct irq_case *above; /* by CPU, IRQ_CONTEXTS, IRQ_ABOVE_SLOTS; shared with the programs */
	size_t above_bytes;
	uint64_t *seen_cases; /* end_ns of the case last taken of each slot of worst_cases */
	struct irq_row *row;  /* of one lookup */
	struct irq_case *a_case;
	void *values;	       /* of all CPUs, for one lookup of a per-CPU map */
	struct irq_seen *seen; /* by source */
	size_t n_seen;
	struct irq_off *off; /* irq_off.h; NULL: not asked for */
};

/* --- irq_lines.c. 0 or -errno. */
int irq_lines_read(struct irq_lines *lines);
void irq_lines_free(struct irq_lines *lines);
/* Names of a line for spans: a string of `r`, 0 if there is none. -ENOMEM. */
int irq_lines_name(const struct irq_lines *lines, struct recording *r, int number);
/* "0-3" of /proc/irq/NUMBER/FILE; "" if it cannot be read. */
void irq_affinity(int number, const char *file, char *text, size_t bytes);
/* tid of ksoftirqd of a CPU, by all tasks of /proc; calls found() for each. 0 or -errno. */
int irq_ksoftirqds(int (*found)(void *arg, unsigned cpu, uint32_t tid), void *arg);

/* --- irq_select.c: --irq and --softirq, into config, wanted_lines and asked. 0 or -errno after a message. */
int irq_select(struct session *s);
/* Is a source one of those that were asked for by name? Lines are shared, actions are not. */
bool irq_is_selected(const struct session *s, enum irq_kind kind, int number, const char *name);

/* --- irq_programs.c: before load. 0 or -errno after a message. */
int irq_programs_choose(struct session *s);
/* Of a run, not of a trial: what was asked for by name cannot be left out. 0 or -EOPNOTSUPP after a message. */
int irq_programs_check(const struct irq_state *q);
const char *irq_programs_left_out(const struct session *s, const char *program);

/* --- irq_drain.c: rows and counts as they are now. 0 or -errno. */
int irq_drain(struct session *s, struct recording *r);
uint64_t irq_drain_count(struct session *s);
/* The recording's source of a key, made if there is none; `name` of an action, or "". */
int irq_source_of(struct irq_state *q, struct recording *r, const struct irq_key *key, const char *name);

/* --- irq_cases.c */
int irq_drain_worst(struct session *s, struct recording *r);
/* Those above the limit, each told on stderr unless quiet. */
int irq_drain_above(struct session *s, struct recording *r);

/* --- irq_points.c: closes an interval of the series at `end_ns` since the start. */
int irq_points(struct irq_state *q, struct recording *r, uint64_t end_ns);

#endif
