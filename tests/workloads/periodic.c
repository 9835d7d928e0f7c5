/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * periodic [OPTION...]: a thread that wakes at known times, and then may keep its CPU for a known time.
 *   -c CPU       stays on it                     -p CLASS  fifo:80, nice:5, dl:2000,10000 (realtime.h)
 *   -i US        interval, 1000; 0: no sleep     -o US     wakes at multiples of the interval plus this
 *   -n COUNT     rounds, 100                     -w US     works so long, each round
 *   -k KIND      of work: user, which is looping, or kernel, irqsoff, softirq, hardirq (bpfwork.h)
 *   -x CPU       for irqsoff and hardirq: the CPU that is kept       -D FILE  for hardirq: the disk to read
 *   -s NS        timer slack                     -m NAME   calls itself so
 *   -l SECONDS   ends then, 20                   -u        may run for more than a second without sleeping
 *   -v           prints each round
 *
 * First it prints "pid PID TID" and waits for a line of stdin; after its work "done", and waits for another. Then
 *   clock NS                           CLOCK_REALTIME less CLOCK_MONOTONIC
 *   late count= min_ns= max_ns= sum_ns=  from the programmed expiry until it runs in user space, as cyclictest counts
 *   work ...                           how long it worked, by its own clock readings
 *   gap ...                            while it looped: moments of more than GAP_NS that it did not run
 *   switches voluntary= involuntary=   of the kernel's count, in the same time
 *   skipped N                          rounds left out since their time was over before they could sleep
 * with -v before that
 *   round EXPIRY_NS WOKE_NS            work START_NS END_NS            gap FROM_NS TO_NS
 * all of CLOCK_MONOTONIC. Programs that have the same interval wake at the same times, their offsets apart.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>

#include "bpfwork.h"

#define GAP_NS 50000
#define GAPS   65536
#define ROUNDS 65536

struct span {
	uint64_t from_ns, to_ns;
};

struct options {
	const char *class, *kind, *disk, *name;
	uint64_t interval_ns, offset_ns, work_ns;
	unsigned long count, slack_ns;
	unsigned limit_s;
	int cpu, target_cpu;
	bool verbose, unlimited;
};

struct state {
	struct span rounds[ROUNDS], work[ROUNDS], gaps[GAPS];
	size_t n_rounds, n_work, n_gaps;
	struct sums late, worked, away;
	unsigned long skipped;
	struct bpfwork bpf;
};

static void note(struct span *spans, size_t *n, size_t room, uint64_t from_ns, uint64_t to_ns)
{
	if (*n < room)
		spans[(*n)++] = (struct span){ from_ns, to_ns };
}

static void loop(struct state *s, uint64_t length_ns)
{
	uint64_t start_ns = now_ns(), last_ns = start_ns, t_ns = start_ns;

	while (t_ns - start_ns < length_ns) {
		t_ns = now_ns();
		if (t_ns - last_ns > GAP_NS) {
			sums_add(&s->away, t_ns - last_ns);
			note(s->gaps, &s->n_gaps, GAPS, last_ns, t_ns);
		}
		last_ns = t_ns;
	}
	sums_add(&s->worked, t_ns - start_ns);
	note(s->work, &s->n_work, ROUNDS, start_ns, t_ns);
}

static void one_round(struct state *s, const struct options *o, uint64_t at_ns)
{
	uint64_t woke_ns;

	if (at_ns) {
		sleep_until(at_ns);
		woke_ns = now_ns();
		sums_add(&s->late, woke_ns - at_ns);
		note(s->rounds, &s->n_rounds, ROUNDS, at_ns, woke_ns);
	}
	if (!o->work_ns)
		return;
	if (strcmp(o->kind, "user"))
		bpfwork_run(&s->bpf);
	else
		loop(s, o->work_ns);
}

static void all_rounds(struct state *s, const struct options *o)
{
	uint64_t at_ns = o->interval_ns ? next_ns(o->interval_ns, o->offset_ns, 20000 * NSEC_PER_USEC) : 0;

	for (unsigned long i = 0; i < o->count; i++) {
		one_round(s, o, at_ns);
		if (!o->interval_ns)
			continue;
		at_ns += o->interval_ns;
		while (at_ns < now_ns() + 2 * NSEC_PER_USEC) { /* else it would not sleep */
			at_ns += o->interval_ns;
			s->skipped++;
		}
	}
}

/* What the BPF program noted is what it worked. */
static void take_log(struct state *s)
{
	const struct bpfwork_log *log = s->bpf.log;
	uint64_t first = log->count > BPFWORK_RUNS ? log->count - BPFWORK_RUNS : 0;

	for (uint64_t i = first; i < log->count; i++) {
		uint64_t start_ns = log->run[i % BPFWORK_RUNS].start_ns, end_ns = log->run[i % BPFWORK_RUNS].end_ns;

		sums_add(&s->worked, end_ns - start_ns);
		note(s->work, &s->n_work, ROUNDS, start_ns, end_ns);
	}
}

static void print_spans(const char *name, const struct span *spans, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%s %" PRIu64 " %" PRIu64 "\n", name, spans[i].from_ns, spans[i].to_ns);
}

static void print(const struct state *s, const struct options *o, const struct rusage *before,
		  const struct rusage *after)
{
	if (o->verbose) {
		print_spans("round", s->rounds, s->n_rounds);
		print_spans("work", s->work, s->n_work);
		print_spans("gap", s->gaps, s->n_gaps);
	}
	sums_print("late", &s->late);
	sums_print("work", &s->worked);
	sums_print("gap", &s->away);
	printf("switches voluntary=%ld involuntary=%ld\n", after->ru_nvcsw - before->ru_nvcsw,
	       after->ru_nivcsw - before->ru_nivcsw);
	printf("skipped %lu\n", s->skipped);
}

static void parse(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "c:p:i:o:n:w:k:x:D:s:m:l:uv")) != -1) {
		uint64_t us = optarg ? strtoull(optarg, NULL, 10) * NSEC_PER_USEC : 0;

		switch (c) {
		case 'c':
			o->cpu = atoi(optarg);
			break;
		case 'p':
			o->class = optarg;
			break;
		case 'i':
			o->interval_ns = us;
			break;
		case 'o':
			o->offset_ns = us;
			break;
		case 'n':
			o->count = strtoul(optarg, NULL, 10);
			break;
		case 'w':
			o->work_ns = us;
			break;
		case 'k':
			o->kind = optarg;
			break;
		case 'x':
			o->target_cpu = atoi(optarg);
			break;
		case 'D':
			o->disk = optarg;
			break;
		case 's':
			o->slack_ns = strtoul(optarg, NULL, 10);
			break;
		case 'm':
			o->name = optarg;
			break;
		case 'l':
			o->limit_s = (unsigned)atoi(optarg);
			break;
		case 'u':
			o->unlimited = true;
			break;
		case 'v':
			o->verbose = true;
			break;
		default:
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	struct options o = { .class = "other",
			     .kind = "user",
			     .interval_ns = 1000 * NSEC_PER_USEC,
			     .count = 100,
			     .limit_s = 20,
			     .cpu = -1 };
	static struct state s;
	struct rusage before, after;

	parse(&o, argc, argv);
	if (o.name)
		prctl(PR_SET_NAME, o.name);
	if (o.slack_ns)
		prctl(PR_SET_TIMERSLACK, o.slack_ns);
	if (o.cpu >= 0)
		set_cpu(0, o.cpu);
	if (strcmp(o.kind, "user"))
		bpfwork_open(&s.bpf, o.kind, o.work_ns, o.target_cpu, o.disk);
	be_harmless(o.limit_s, o.unlimited ? 0 : 1);
	printf("pid %d %ld\n", getpid(), syscall(SYS_gettid));
	set_class(o.class);
	go();
	if (s.bpf.kind)
		bpfwork_begin(&s.bpf);
	getrusage(RUSAGE_THREAD, &before);
	all_rounds(&s, &o);
	getrusage(RUSAGE_THREAD, &after);
	set_class("other");
	done();
	if (s.bpf.log)
		take_log(&s);
	print(&s, &o, &before, &after);
	return 0;
}
