/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording holds of interrupts, softirqs, threaded handlers, works, IPIs and sections with interrupts off.
 * recording.irq is NULL for tools that measure none. Times are ns. Kinds are those of include/kbpfprof/irq.h, which
 * the BPF program fills.
 */
#ifndef CORE_IRQ_H
#define CORE_IRQ_H

#include "core/recording.h"
#include "kbpfprof/irq.h"

struct rec_irq_values {
	uint64_t count, sum_ns, min_ns, max_ns; /* exact */
	uint64_t *buckets;			/* HIST_BUCKETS; NULL if count is 0 */
};

/* Something that takes time: a line's action, a softirq, a function. Told apart by the first three. */
struct rec_irq_source {
	enum irq_kind kind;
	int number; /* of the line, enum span_vector, of the softirq; else 0 */
	int name;   /* string: the action, the function; 0: `number` says it all */

	int affinity;  /* string: smp_affinity_list of the line at the end, "0-3"; 0: it has none, or it is not known */
	int effective; /* string: likewise effective_affinity_list */
	int thread;    /* of IRQ_THREAD: its tid; 0: not known */
};

/* A source on one CPU. */
struct rec_irq_row {
	int source; /* index into rec_irq.sources */
	unsigned cpu;
	uint64_t gross_ns;		   /* sum of the runs with what interrupted them */
	uint64_t peak_count, peak_unix_ns; /* most events in one second, and when that began; of a part of a recording
					      0: that was not in it */
	uint64_t storms;		   /* seconds with rec_irq.storm_count events or more */
	uint64_t no_start, joined;	   /* see struct irq_row */
	uint64_t longest_unix_ns[IRQ_MEASURES]; /* when the longest ended; 0: none, or not known */
	uint64_t by[IRQ_CONTEXTS];
	struct rec_irq_values of[IRQ_MEASURES];
};

struct rec_irq_task {
	int comm, tgid, tid; /* tid 0: none, or not known */
	int prio;	     /* the kernel's */
};

struct rec_irq_span {
	enum span_kind kind;
	int id, name;
	int64_t start_ns, end_ns; /* before the end of the case: 0 or less */
	uint64_t net_ns;
};

/* One event in full. */
struct rec_irq_case {
	enum irq_list list;
	enum irq_measure measure;
	bool above; /* recorded because of --above; else one of the worst */
	int source; /* index into rec_irq.sources */
	unsigned cpu;
	uint64_t total_ns, net_ns; /* net: of runs */
	uint64_t unix_ns;	   /* when it ended */
	/* Of a softirq's wait: who raised it. */
	enum irq_context by;
	enum span_kind by_kind; /* SPAN_NONE: not known, or a task */
	int by_id;
	unsigned runnable;	     /* tasks that wanted the CPU when it ended; 0: not known */
	struct rec_irq_task task;    /* interrupted; of a wait: that ran before, or raised it */
	struct rec_irq_task delayed; /* waited for the CPU when it ended */
	int stack;		     /* of the recording; -1: none */
	struct rec_irq_span *spans;  /* what ran before, oldest first; from malloc() */
	size_t n_spans;
	uint64_t number; /* how many irq_case() was given before it; set there */
};

/* How long a thread waited, by the task that had its CPU. */
struct rec_irq_behind {
	int source;		    /* IRQ_THREAD */
	int comm;		    /* string */
	unsigned prio_class;	    /* 0: of better priority, 1: of the same, 2: of worse */
	uint64_t count, ns, max_ns; /* max 0: not known, of a part of a recording */
};

/* Who sent IPIs. */
struct rec_irq_sender {
	int vector;   /* enum span_vector */
	int callsite; /* string: "ttwu_queue_wakelist"; 0: not told */
	enum irq_context context;
	int comm;  /* string: of the task, if context is IRQ_IN_TASK */
	int stack; /* of the recording; -1: not asked for */
	uint64_t count;
};

/* Where sections ended: the first caller that is no helper that unlocks or enables. */
struct rec_irq_place {
	enum irq_kind kind; /* IRQ_IRQS_OFF or IRQ_PREEMPT_OFF */
	int name;	    /* string: the function; 0: not known */
	int stack;	    /* of the recording, of the longest; -1: none */
	bool exact;
	uint64_t count, ns, max_ns; /* likewise */
};

/* A source in one interval of -I. */
struct rec_irq_point {
	uint64_t start_ns, duration_ns; /* from the start of the run */
	int source;
	uint64_t count, net_ns, max_ns; /* of runs; of waits where the kind has no runs. max: of the run so far, if it
					   rose in the interval, else 0 */
};

/* What was measured. */
enum rec_irq_group {
	REC_IRQ_HARD = 1 << 0, /* lines, vectors, NMIs */
	REC_IRQ_SOFT = 1 << 1,
	REC_IRQ_THREADS = 1 << 2,
	REC_IRQ_WORK = 1 << 3,
	REC_IRQ_TASKLETS = 1 << 4,
	REC_IRQ_IPIS = 1 << 5,
	REC_IRQ_OFFS = 1 << 6,	     /* inferred by a probe timer */
	REC_IRQ_OFFS_EXACT = 1 << 7, /* by the kernel's tracepoints of each section */
	REC_IRQ_VECTORS = 1 << 8,    /* of hard ones: those without a line */
	REC_IRQ_NMIS = 1 << 9,
	REC_IRQ_GROUPS_END = 1 << 10,
};

struct rec_irq {
	struct rec_irq_source *sources;
	struct rec_irq_row *rows;
	struct rec_irq_case *cases; /* in the order given; views sort */
	struct rec_irq_behind *behind;
	struct rec_irq_sender *senders;
	struct rec_irq_place *places;
	struct rec_irq_point *points;
	size_t n_sources, n_rows, n_cases, n_behind, n_senders, n_places, n_points;
	uint64_t counts[IRQ_COUNTS];
	unsigned measured;	   /* enum rec_irq_group */
	unsigned asked;		   /* likewise: what was asked for and is not in `measured`, this kernel has not */
	bool softirqs_are_threads; /* PREEMPT_RT */
	uint64_t above_ns;	   /* --above; 0: none */
	uint64_t storm_count;	   /* --storms; 0: not asked for */
	uint64_t probe_ns;	   /* --off: resolution; 0: no probe */
	uint64_t off_fires, off_preempt_fires; /* of the probe, and of them: where preemption was off */
	bool no_preempt_depth;		       /* --off: the latter is not known here */
	unsigned worst;			       /* cases asked for, of each list */
	char filter[160];		       /* "irq 45,eth0; softirq NET_RX", "": all */
	uint64_t n_given;		       /* cases, kept or not */
	struct irq_index *index;	       /* private to irq.c */
};

/* r->irq, made if there is none; NULL: no memory. */
struct rec_irq *irq_of(struct recording *r);
void irq_free(struct rec_irq *q); /* NULL is fine */

/* Index of the source with this kind, number and name, made if there is none; or -ENOMEM. */
int irq_source(struct rec_irq *q, enum irq_kind kind, int number, int name);
/* The row of a source on a CPU, made if there is none; NULL: no memory. Valid until the next call. */
struct rec_irq_row *irq_row(struct rec_irq *q, int source, unsigned cpu);
/* Replaces the values of one measure by those of `h`; of a histogram that was being written the buckets count. 0 or
 * -ENOMEM. */
int irq_values_set(struct rec_irq_values *v, const struct hist *h);
/* Adds values. 0 or -ENOMEM. */
int irq_values_add(struct rec_irq_values *to, const struct rec_irq_values *more);
void irq_values_free(struct rec_irq_values *v);
/* As latency_quantile(). */
uint64_t irq_quantile(const struct rec_irq_values *v, unsigned permille);
/* All CPUs' rows of a source added up; cpu is that of the longest run, or wait if it has no runs. To be freed with
 * irq_values_free() of both measures. 0 or -ENOMEM. */
int irq_total(const struct rec_irq *q, int source, struct rec_irq_row *total);
/* Adds a case, whose spans it takes over (they are freed if there is no memory). Keeps `worst` of each list that are
 * not `above`. 0 or -ENOMEM. */
int irq_case(struct rec_irq *q, const struct rec_irq_case *c);
/*
 * Likewise; one with equal identity is replaced: that is all but count, ns and max_ns, and of places all but their
 * stack as well, that being the longest's. 0 or -ENOMEM.
 */
int irq_behind(struct rec_irq *q, const struct rec_irq_behind *b);
int irq_sender(struct rec_irq *q, const struct rec_irq_sender *s);
int irq_place(struct rec_irq *q, const struct rec_irq_place *p);
/* Adds to the one with equal identity: counts and sums; of max_ns the larger stays, with its stack. 0 or -ENOMEM. */
int irq_behind_add(struct rec_irq *q, const struct rec_irq_behind *more);
int irq_sender_add(struct rec_irq *q, const struct rec_irq_sender *more);
int irq_place_add(struct rec_irq *q, const struct rec_irq_place *more);
int irq_point(struct rec_irq *q, const struct rec_irq_point *p);

/* The measure that counts a kind's events: each has one, and IPIs have no runs. */
static inline enum irq_measure irq_counted_by(enum irq_kind kind)
{
	return kind == IRQ_IPI ? IRQ_WAIT : IRQ_RUN;
}

#define IRQ_SOURCE_BYTES 96
/* "45 eth0", "local timer", "NET_RX", "NET_RX in ksoftirqd", "irq/45-eth0", a function: for people. Returns `buf`. */
char *irq_source_text(char buf[IRQ_SOURCE_BYTES], const struct recording *r, const struct rec_irq_source *s);
/* "hard IRQ", "vector", "softirq", "thread": for people. */
const char *irq_kind_text(enum irq_kind kind);
/* Words of recordings and JSON, stable: "line", "vector", "softirq", "ksoftirqd". NULL: no such value. */
const char *irq_kind_word(enum irq_kind kind);
const char *irq_measure_word(enum irq_measure measure);
const char *irq_context_word(enum irq_context context);
const char *irq_list_word(enum irq_list list);
const char *irq_count_word(enum irq_count count);
const char *irq_group_word(enum rec_irq_group group);

#endif
