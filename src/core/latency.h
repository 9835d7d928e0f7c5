/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording holds of latencies: histograms, causes, worst cases and a series. recording.latency is
 * NULL for tools that measure none. Times are ns. Enums of kinds and causes are those of
 * include/kbpfprof/wakeup.h, which the BPF program fills.
 */
#ifndef CORE_LATENCY_H
#define CORE_LATENCY_H

#include "core/recording.h"
#include "kbpfprof/wakeup.h"

/* Values of one kind and one group. Group 0 (the string "") is all of them; others are of --per: "motor_ctl-812". */
struct rec_hist {
	int group; /* string */
	enum latency_kind kind;
	uint64_t count, sum_ns, min_ns, max_ns; /* exact */
	uint64_t *buckets;			/* HIST_BUCKETS */
};

/* A part of delays: how much one cause took of all those whose length lies in one quarter of a power of two. */
struct rec_cause {
	enum wake_cause cause;
	int id;		    /* of a line, vector or softirq; else 0 */
	int name;	    /* string: of a task or a line's handler; 0: it has none */
	unsigned quarter;   /* hist_quarter() of the delays */
	bool preempted;	    /* of delays after a preemption, else after a wakeup */
	uint64_t spans, ns; /* how many spans, their sum */
};

/* A part of one delay. */
struct rec_part {
	enum wake_cause cause;
	int id, name; /* as above */
	int by;	      /* string: the waiter that lent its priority (CAUSE_TASK_BOOSTED) */
	int tid;      /* of the task, as the first pid namespace has it; 0: none */
	int prio;     /* of the task, the kernel's (struct span); 0 if none */
	uint64_t spans, ns;
};

/* What ran on the CPU around a delay, oldest first. */
struct rec_span {
	enum span_kind kind;
	int id, name;
	int prio;
	int64_t start_ns, end_ns; /* after the moment that the delay's total_ns is counted from */
	uint64_t net_ns;
};

/* One delay in full. */
struct rec_case {
	enum latency_kind kind; /* LATENCY_TIMER, LATENCY_WAKING or LATENCY_PREEMPTED */
	bool above;		/* recorded because of --above; else one of the worst */
	uint64_t total_ns;	/* the parts add up to it */
	uint64_t unix_ns;	/* when the task ran at last */
	int comm, tgid, tid, cpu;
	int prio, normal_prio; /* the kernel's */
	unsigned policy;       /* SCHED_* */
	unsigned flags;	       /* enum wake_flags */
	unsigned moves;
	/* Stamps before the moment it ran: how long ago; -1: not known, or none. */
	int64_t expiry_ns, irq_ns, waking_ns, queued_ns, resched_ns;
	/* Who woke it. */
	enum span_kind context; /* SPAN_TASK, or what interrupted the task */
	int context_id, context_name;
	int waker_comm, waker_tgid, waker_tid, waker_cpu;
	int preempt_depth; /* of the waker; -1: not known */
	int waker_stack, out_stack,
		user_stack;	/* stacks of the recording; -1: none. out: of the task that ran before it */
	struct rec_part *parts; /* largest first */
	size_t n_parts;
	struct rec_span *spans;
	size_t n_spans;
	uint64_t number; /* how many latency_case() was given before it; set there */
};

/* One interval of one kind, all groups together. */
struct rec_point {
	uint64_t start_ns, duration_ns; /* from the start of the run */
	enum latency_kind kind;
	uint64_t count, sum_ns, max_ns;
	uint64_t p50_ns, p99_ns; /* upper ends of their buckets, not above max_ns */
};

/* Why something was not shown. In recordings: numbers stay. */
enum rec_lack {
	LACK_NONE,
	LACK_KERNEL, /* this kernel cannot */
	LACK_UNSAFE, /* it can, and can crash by it */
	LACK_CHOICE, /* of what was asked for */
	LACK_FILE,   /* the BTF file does not tell whether it can */
	REC_LACKS,
};

struct rec_latency {
	struct rec_hist *hists;
	size_t n_hists, max_hists;
	struct rec_cause *causes;
	size_t n_causes, max_causes;
	struct rec_case *cases; /* worst first; those of --above in their order, behind the worst */
	size_t n_cases, max_cases;
	struct rec_point *points;
	size_t n_points, max_points;
	uint64_t counts[WAKE_COUNTS];
	uint64_t above_ns; /* of --above or --fail-above; 0: none */
	unsigned worst;	   /* cases asked for */
	char per[16];	   /* "task", "comm", "cpu", "prio", "cgroup"; "": no groups */
	/* What was not shown, and why; the footer says it. */
	enum rec_lack no_timer, no_resched, no_switch_entry, no_vectors, no_nmi, no_interrupts, no_boosts,
		no_preempt_depth;
	bool softirqs_are_threads, no_causes;
	char policy[32];	     /* of the target, if it is one task: "FIFO 80"; "": not known */
	uint64_t n_given;	     /* cases, kept or not */
	struct latency_index *index; /* private to latency.c */
};

/* r->latency, made if there is none; NULL: no memory. */
struct rec_latency *latency_of(struct recording *r);
void latency_free(struct rec_latency *l); /* NULL is fine */

/* The histogram of a group and kind, made if there is none; NULL: no memory. Valid until the next call. */
struct rec_hist *latency_hist(struct rec_latency *l, int group, enum latency_kind kind);
/* NULL: there is none. */
const struct rec_hist *latency_find(const struct rec_latency *l, int group, enum latency_kind kind);
/* Adds values: of min_ns and max_ns the more extreme stay. */
void latency_merge(struct rec_hist *to, const struct hist *more);
/* Adds spans and ns to the cause with the same first five members. 0 or -ENOMEM. */
int latency_cause(struct rec_latency *l, const struct rec_cause *more);
/* Adds a case, whose parts and spans it takes over (they are freed if there is no memory). Keeps `worst` cases that are
 * not `above`. 0 or -ENOMEM. */
int latency_case(struct rec_latency *l, const struct rec_case *c);
int latency_point(struct rec_latency *l, const struct rec_point *p);

/*
 * The value that `permille` of 1000 values do not exceed, as the upper end of its bucket, and never outside of
 * min_ns to max_ns; 0 of an empty histogram.
 */
uint64_t latency_quantile(const struct rec_hist *h, unsigned permille);

#define LATENCY_CAUSE_BYTES 96
/* "softirq NET_RX", "camera-svc kept the CPU (not preemptible)": for people. Returns `buf`. */
char *latency_cause_text(char buf[LATENCY_CAUSE_BYTES], const struct recording *r, enum wake_cause cause, int id,
			 int name, int by);
/* Words of recordings and JSON, stable: "task_worse", "waking", "softirq". NULL: no such value. */
const char *latency_cause_word(enum wake_cause cause);
const char *latency_kind_word(enum latency_kind kind);
const char *latency_span_word(enum span_kind kind);
const char *latency_count_word(enum wake_count count);
/* "NET_RX", "local timer"; NULL: unknown number. */
const char *latency_softirq_name(int id);
const char *latency_vector_name(int id);
/* "FIFO 80", "OTHER", "OTHER nice 5", "DEADLINE", of the kernel's priority. Returns `buf`. */
char *latency_prio_text(char buf[32], int prio);

#endif
