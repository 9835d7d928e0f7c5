/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is looked for stands in the order of its weight: what makes a machine unusable first, then what delays others,
 * then what is merely long. The first that the numbers bear out is said, and nothing else.
 */
#include "views/irq_verdict.h"

#include <stdio.h>
#include <string.h>

#include "core/latency.h"
#include "views/irq_device.h"
#include "views/moment.h"

/* Without --storms: so many in a second leave a handler less than 10 us, and the kernel itself watches for 100 000
 * unhandled ones (note_interrupt() of kernel/irq/spurious.c). */
#define STORM_HZ    100000
#define STORM_SHARE 0.05 /* of the CPU: a cheap flood of reschedules harms nobody */

/* ksoftirqd takes over now and then, after 2 ms or 10 rounds (kernel/softirq.c): a tenth is no exception any more. */
#define KSOFTIRQD_SHARE 0.1
#define KSOFTIRQD_RUNS	100

/* One CPU for all of a device: below it would not be felt. */
#define DEVICE_SHARE 0.05
#define DEVICE_COUNT 1000
#define NEARLY_ALL   0.999 /* what is less than all is never told as 100.0 % */

/* In a handler the CPU does nothing else, whatever its priority: 100 us is what realtime tasks are commonly allowed to
 * be late. Softirqs are let run for 2 ms (MAX_SOFTIRQ_TIME), 1 ms is half of it. */
#define LONG_HARD_NS 100000
#define LONG_SOFT_NS 1000000
#define LONG_COUNT   100 /* of which a hundredth can be told ... */
#define LONG_LONGEST 5	 /* ... by a handful */

/* A thread's wait: a wakeup and a switch take 20 us on a slow CPU, so this is somebody's doing. */
#define BEHIND_MEAN_NS 100000
#define BEHIND_SHARE   0.4 /* of all its waits, as of the verdict on wakeups */
#define BEHIND_COUNT   5

/* Interrupts off: a tick of 1000 Hz is missed. */
#define OFF_NS 1000000
/* Places of a probe that came late in user code, where interrupts are always on: then something outside of this kernel
 * had the CPU, and may have had it in any other place for as long, by chance for twice as long. */
#define OFF_OUTSIDE	  "[user code"
#define OFF_OUTSIDE_TIMES 2
#define OFF_OUTSIDE_COUNT 5

/* In a sentence: "reschedule interrupts". */
static char *in_words(char buf[IRQ_LABEL_BYTES], const struct irq_sums *s, const struct rec_irq_source *source)
{
	size_t used = strlen(irq_label(buf, s->r, source));

	if (source->kind == IRQ_VECTOR && !strstr(buf, "interrupts"))
		snprintf(buf + used, IRQ_LABEL_BYTES - used, " interrupts");
	return buf;
}

/* --- storms --- */

static const char *storm_advice(enum irq_kind kind)
{
	switch (kind) {
	case IRQ_LINE:
		return "let the device raise fewer (ethtool -C for coalescing, a driver that polls), or look whether "
		       "its "
		       "driver leaves the line asserted";
	case IRQ_VECTOR:
	case IRQ_IPI:
		return "see who sends them (--ipi)";
	case IRQ_NMI:
		return "find who asks for NMIs (perf, the watchdog, hardware errors)";
	default:
		return "see who raises it (--hist), and how often its device interrupts";
	}
}

static bool is_storm(const struct irq_sums *s, const struct irq_whole *sum)
{
	if (irq_has_kind(sum->source, IRQ_OFF_KINDS))
		return false;
	if (s->q->storm_count)
		return sum->total.storms;
	return irq_has_kind(sum->source, IRQ_CPU_KINDS) && sum->total.peak_count >= STORM_HZ &&
	       sum->share >= STORM_SHARE;
}

static bool is_worse_storm(const struct irq_whole *sum, const struct irq_whole *than)
{
	if (sum->total.storms != than->total.storms)
		return sum->total.storms > than->total.storms;
	return sum->total.peak_count > than->total.peak_count;
}

static bool storm(char *buf, const struct irq_sums *s)
{
	const struct irq_whole *most = NULL;
	char label[IRQ_LABEL_BYTES], seconds[UNITS_BYTES], limit[UNITS_BYTES], peak[UNITS_BYTES], time[MOMENT_BYTES],
		pct[UNITS_BYTES], of[128] = "", worst[128] = "";

	for (size_t i = 0; i < s->n; i++)
		if (is_storm(s, &s->list[i]) && (!most || is_worse_storm(&s->list[i], most)))
			most = &s->list[i];
	if (!most)
		return false;
	if (s->q->storm_count)
		snprintf(of, sizeof(of), "in %s s it came %s times or more, ", units_count(seconds, most->total.storms),
			 units_count(limit, s->q->storm_count));
	if (most->total.peak_count) /* else it was not in this part of the recording */
		snprintf(worst, sizeof(worst), "at its worst %s times in one second (%s), ",
			 units_count(peak, most->total.peak_count), moment_second_text(time, most->total.peak_unix_ns));
	snprintf(buf, IRQ_VERDICT_BYTES, "a storm of %s: %s%s%s of CPU %u in all: %s", in_words(label, s, most->source),
		 of, worst, units_pct(pct, most->share, 1), most->cpu, storm_advice(most->source->kind));
	return true;
}

/* --- softirqs in ksoftirqd --- */

static const char *network_name(int id)
{
	const char *name = latency_softirq_name(id);

	return name && !strncmp(name, "NET_", 4) ? name : NULL;
}

static bool ksoftirqd(char *buf, const struct irq_sums *s)
{
	uint64_t runs[2] = { 0 }, ns[2] = { 0 };
	double by_runs, by_time;
	char pct[UNITS_BYTES];

	for (size_t i = 0; i < s->n; i++) {
		const struct irq_whole *sum = &s->list[i];
		bool in_thread = sum->source->kind == IRQ_KSOFTIRQD;

		if (!irq_has_kind(sum->source, IRQ_SOFT_KINDS) || !network_name(sum->source->number))
			continue;
		runs[in_thread] += sum->total.of[IRQ_RUN].count;
		ns[in_thread] += sum->total.of[IRQ_RUN].sum_ns;
	}
	if (runs[0] + runs[1] < KSOFTIRQD_RUNS)
		return false;
	by_runs = (double)runs[1] / (double)(runs[0] + runs[1]);
	by_time = ns[0] + ns[1] ? (double)ns[1] / (double)(ns[0] + ns[1]) : 0;
	if (by_runs <= KSOFTIRQD_SHARE && by_time <= KSOFTIRQD_SHARE)
		return false;
	snprintf(
		buf, IRQ_VERDICT_BYTES,
		"%s of the %s of network softirqs is in ksoftirqd, which waits for the CPU as an ordinary task: spread "
		"packets over more CPUs (RPS, more queues), let NAPI have threads of its own "
		"(/sys/class/net/IF/threaded) "
		"and give those a priority, or let fewer packets in",
		units_pct(pct, by_time > by_runs ? by_time : by_runs, 1), by_time > by_runs ? "time" : "runs");
	return true;
}

/* --- all of a device on one CPU --- */

static bool one_cpu(char *buf, const struct irq_sums *s)
{
	char share[UNITS_BYTES], count[UNITS_BYTES], with[64] = "", pct[UNITS_BYTES];
	struct irq_device device;

	if (s->r->meta.cpus < 2 || irq_device_busiest(&device, s) || !device.count)
		return false;
	if (device.count < DEVICE_COUNT || device.share + device.net_share <= DEVICE_SHARE)
		return false;
	if (device.net_part >= 1)
		snprintf(with, sizeof(with), " and does all of NET_RX");
	else if (device.net_part > 0)
		snprintf(with, sizeof(with), " and does %s of NET_RX",
			 units_pct(pct, device.net_part < NEARLY_ALL ? device.net_part : NEARLY_ALL, 1));
	snprintf(
		buf, IRQ_VERDICT_BYTES,
		"CPU %u takes all %s interrupts of %.32s%s, which takes %s of it, though smp_affinity (%.64s) allows "
		"others: give the device more queues and spread them (smp_affinity, irqbalance), or spread its packets "
		"(RPS)",
		device.cpu, units_count(count, device.count), device.name, with,
		units_pct(share, device.share + device.net_share, 1), recording_str(s->r, device.affinity));
	return true;
}

/* --- long handlers --- */

static uint64_t limit_of(const struct rec_irq_source *source)
{
	return irq_has_kind(source, IRQ_HARD_KINDS) ? LONG_HARD_NS : LONG_SOFT_NS;
}

/* Is more than a hundredth longer than `limit_ns`? Buckets that begin there are so for sure. */
static bool is_long(const struct rec_irq_values *v, uint64_t limit_ns)
{
	uint64_t longer = 0;

	if (v->count < LONG_COUNT || !v->buckets)
		return false;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		longer += hist_bucket_min_ns(i) >= limit_ns ? v->buckets[i] : 0;
	return longer >= LONG_LONGEST && longer * 100 >= v->count;
}

static const char *long_advice(const struct rec_irq_source *source)
{
	if (source->kind == IRQ_LINE)
		return "move its work into a thread (request_threaded_irq(), or the threadirqs option) or a softirq";
	if (source->kind == IRQ_VECTOR)
		return "see what it runs: timers or calls from other CPUs; keep those off this CPU";
	if (source->kind == IRQ_NMI)
		return "find who asks for NMIs (perf, the watchdog)";
	if (network_name(source->number))
		return "let it do less at once (net.core.netdev_budget and netdev_budget_usecs), or use threaded NAPI";
	return "let it do less at once, or move its work into a thread";
}

static bool long_handler(char *buf, const struct irq_sums *s)
{
	char label[IRQ_LABEL_BYTES], p99[UNITS_BYTES], limit[UNITS_BYTES];
	const struct irq_whole *most = NULL;
	double most_times = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct irq_whole *sum = &s->list[i];
		uint64_t limit_ns = limit_of(sum->source);
		double times = (double)irq_quantile(&sum->total.of[IRQ_RUN], 990) / (double)limit_ns;

		/* What runs in threads can be preempted there: its length harms none that has a better priority. */
		if (!irq_has_kind(sum->source, IRQ_HARD_KINDS | IRQ_KIND(IRQ_SOFTIRQ)) ||
		    (sum->source->kind == IRQ_SOFTIRQ && s->q->softirqs_are_threads) ||
		    !is_long(&sum->total.of[IRQ_RUN], limit_ns) || times <= most_times)
			continue;
		most = sum;
		most_times = times;
	}
	if (!most)
		return false;
	snprintf(buf, IRQ_VERDICT_BYTES,
		 "one in a hundred runs of %s takes longer than %s (p99 %s), while its CPU can do nothing else: %s",
		 in_words(label, s, most->source), units_duration(limit, limit_of(most->source)),
		 units_duration(p99, irq_quantile(&most->total.of[IRQ_RUN], 990)), long_advice(most->source));
	return true;
}

/* --- threads that wait --- */

static bool is_somebodys_doing(const struct irq_sums *s, const struct rec_irq_behind *b)
{
	if (b->source < 0 || (size_t)b->source >= s->n || b->count < BEHIND_COUNT || !b->comm)
		return false;
	return b->ns / b->count >= BEHIND_MEAN_NS &&
	       (double)b->ns >= BEHIND_SHARE * (double)s->list[b->source].total.of[IRQ_WAIT].sum_ns;
}

#define WAIT_ADVICE_BYTES 256

static char *wait_advice(char buf[WAIT_ADVICE_BYTES], unsigned prio_class, const char *tid)
{
	if (prio_class == 0)
		snprintf(buf, WAIT_ADVICE_BYTES, "raise the thread's priority above it (chrt -f -p PRIO %s)", tid);
	else if (prio_class == 1)
		snprintf(buf, WAIT_ADVICE_BYTES, "give them different priorities (chrt -f -p PRIO %s)", tid);
	else
		snprintf(buf, WAIT_ADVICE_BYTES,
			 "that task cannot be preempted in its kernel section: take a kernel that preempts more "
			 "(preempt=full, PREEMPT_RT), or keep the task off the interrupt's CPU");
	return buf;
}

static bool thread_waits(char *buf, const struct irq_sums *s)
{
	char thread[IRQ_LABEL_BYTES], ns[UNITS_BYTES], max[UNITS_BYTES], count[UNITS_BYTES],
		tid[16] = "TID", advice[WAIT_ADVICE_BYTES], see[64] = "";
	const struct rec_irq_behind *most = NULL;

	for (size_t i = 0; i < s->q->n_behind; i++)
		if (is_somebodys_doing(s, &s->q->behind[i]) && (!most || s->q->behind[i].ns > most->ns))
			most = &s->q->behind[i];
	if (!most)
		return false;
	if (s->list[most->source].source->thread) {
		snprintf(tid, sizeof(tid), "%d", s->list[most->source].source->thread);
		snprintf(see, sizeof(see), "; kbpfprof wakeup -t %s explains its waits", tid);
	}
	snprintf(buf, IRQ_VERDICT_BYTES, "%s waited %s times behind %.32s, %s in all%s%s: %s%s",
		 irq_label(thread, s->r, s->list[most->source].source), units_count(count, most->count),
		 recording_str(s->r, most->comm), units_duration(ns, most->ns), most->max_ns ? ", longest " : "",
		 most->max_ns ? units_duration(max, most->max_ns) : "", wait_advice(advice, most->prio_class, tid),
		 see);
	return true;
}

/* --- interrupts off --- */

static bool is_outside(const struct irq_sums *s, const struct rec_irq_place *place)
{
	const char *name = place->name ? recording_str(s->r, place->name) : "";

	return place->kind == IRQ_IRQS_OFF && !place->exact && !strncmp(name, OFF_OUTSIDE, strlen(OFF_OUTSIDE));
}

/* The longest that something outside of the kernel took; NULL: none was seen. */
static const struct rec_irq_place *longest_outside(const struct irq_sums *s)
{
	const struct rec_irq_place *longest = NULL;

	for (size_t i = 0; i < s->q->n_places; i++)
		if (is_outside(s, &s->q->places[i]) && (!longest || s->q->places[i].max_ns > longest->max_ns))
			longest = &s->q->places[i];
	return longest;
}

static bool interrupts_off(char *buf, const struct irq_sums *s)
{
	const struct rec_irq_place *longest = NULL, *outside = longest_outside(s);
	uint64_t beyond_ns = outside ? OFF_OUTSIDE_TIMES * outside->max_ns : 0;
	char max[UNITS_BYTES], count[UNITS_BYTES];

	for (size_t i = 0; i < s->q->n_places; i++) {
		const struct rec_irq_place *place = &s->q->places[i];

		if (place->kind != IRQ_IRQS_OFF || !place->name || place->max_ns < OFF_NS || is_outside(s, place) ||
		    (!place->exact && place->max_ns <= beyond_ns))
			continue;
		if (!longest || place->max_ns > longest->max_ns)
			longest = place;
	}
	if (!longest)
		return false;
	snprintf(
		buf, IRQ_VERDICT_BYTES,
		"interrupts were off for %s%s until %.128s (seen there %s time%s)%s: shorten that section, or keep its "
		"work off this CPU",
		longest->exact ? "" : "at least ", units_duration(max, longest->max_ns),
		recording_str(s->r, longest->name), units_count(count, longest->count), longest->count == 1 ? "" : "s",
		longest->exact ? "" : ", if it was not firmware or a hypervisor");
	return true;
}

static bool outside(char *buf, const struct irq_sums *s)
{
	const struct rec_irq_place *longest = longest_outside(s);
	char max[UNITS_BYTES], count[UNITS_BYTES], fires[UNITS_BYTES];

	if (!longest || longest->max_ns < OFF_NS || longest->count < OFF_OUTSIDE_COUNT)
		return false;
	snprintf(buf, IRQ_VERDICT_BYTES,
		 "the probe was late by up to %s in user code, where interrupts are never off (%s of %s fires): a "
		 "hypervisor or firmware took the CPU, so that other places prove nothing: give the virtual CPU a core "
		 "of its own, or on real hardware look for SMIs (the hwlat tracer)",
		 units_duration(max, longest->max_ns), units_count(count, longest->count),
		 units_count(fires, s->q->off_fires));
	return true;
}

char *irq_verdict(char buf[IRQ_VERDICT_BYTES], const struct irq_sums *s)
{
	static bool (*const findings[])(char *, const struct irq_sums *) = { storm,	   ksoftirqd,	 one_cpu,
									     long_handler, thread_waits, interrupts_off,
									     outside };

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof(findings) / sizeof(findings[0]); i++)
		if (findings[i](buf, s))
			break;
	return buf;
}
