/* SPDX-License-Identifier: GPL-2.0-only */
#include "views/footer.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "core/text.h"
#include "core/units.h"

#define LINE_BYTES     1024
#define HANGING_INDENT 2
#define WIDTH_MIN      20

/* Shares above which a line is worth the reader's time, in percent. */
#define NOT_DELIVERED_PCT 1
#define SHORT_STACKS_PCT  20

static bool is_unit(const char *s)
{
	return *s == '%' || (*s >= '0' && *s <= '9') ||
	       ((*s == 'n' || *s == 'u' || *s == 'm') && s[1] == 's' && !isalpha((unsigned char)s[2]));
}

/* "95 %", "59 998" and "12.1 us" stay together, and so does "< caller", as in the tree of the table. */
static bool is_inside(const char *start, const char *space)
{
	if (space == start + 1 && *start == '<')
		return true;
	return space > start && space[-1] >= '0' && space[-1] <= '9' && is_unit(space + 1);
}

/* Bytes up to the next space where a line may be broken, or the end. */
static size_t next_word(const char *s)
{
	size_t bytes = strcspn(s, " ");

	while (s[bytes] && is_inside(s, s + bytes))
		bytes += 1 + strcspn(s + bytes + 1, " ");
	return bytes;
}

/* Breaks at spaces; a word longer than a line stays whole. `before` columns of the first line are used. */
static void write_wrapped(FILE *f, const char *s, unsigned width, unsigned before, unsigned indent)
{
	unsigned column = before;

	while (*s) {
		char word[LINE_BYTES * TEXT_ESCAPE_BYTES];
		size_t bytes = next_word(s);
		unsigned columns;

		memcpy(word, s, bytes);
		word[bytes] = '\0';
		columns = text_columns(word);
		if (column > before && column + 1 + columns > width) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = before = indent;
		} else if (column > before) {
			fputc(' ', f);
			column++;
		}
		fputs(word, f);
		column += columns;
		s += bytes + (s[bytes] == ' ');
	}
	fputc('\n', f);
}

static void write_line(FILE *f, const struct view_options *o, unsigned before, unsigned indent, const char *raw)
{
	char line[LINE_BYTES * TEXT_ESCAPE_BYTES];

	text_inert(line, sizeof(line), raw, text_is_utf8());
	if (o->width)
		write_wrapped(f, line, o->width < indent + WIDTH_MIN ? indent + WIDTH_MIN : o->width, before, indent);
	else
		fprintf(f, "%s\n", line);
}

void footer_line(FILE *f, const struct view_options *o, const char *format, ...)
{
	char raw[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	write_line(f, o, 0, HANGING_INDENT, raw);
}

void footer_hanging(FILE *f, const struct view_options *o, const char *before, const char *format, ...)
{
	unsigned columns = text_columns(before);
	char raw[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	fputs(before, f);
	write_line(f, o, columns, columns, raw);
}

static void write_event(FILE *f, const struct recording *r, const struct view_options *o)
{
	const struct rec_sampling *s = &r->sampling;
	char count[UNITS_BYTES], rate[UNITS_BYTES + 16] = "";

	if (s->asked_hz)
		snprintf(rate, sizeof(rate), " at %s Hz", units_count(count, s->asked_hz));
	else if (s->asked_period)
		snprintf(rate, sizeof(rate), ", every %s", units_count(count, s->asked_period));
	footer_line(f, o, "%s%s (%.1f Hz achieved)", s->event, rate, s->achieved_hz);
	if (s->fallback[0])
		footer_line(f, o, "the default event is not available here (%s), so %s", s->fallback, s->event);
}

static bool is_worth_saying(const struct rec_sampling *s)
{
	return s->not_delivered > 0 && (double)s->not_delivered * 100 > NOT_DELIVERED_PCT * (double)s->expected;
}

/* Where the time went, in one unit. */
struct shares {
	double kept, idle, other, missing, all;
};

/*
 * By weight, of which the rows are made too. But of what is not here only the number of samples is
 * known: other tasks, and what was not delivered, so that with them it is by samples. What was lost
 * had been found busy before.
 */
static struct shares shares_of(const struct recording *r)
{
	const struct rec_sampling *s = &r->sampling;
	struct shares parts = { .kept = (double)s->kept_weight, .idle = (double)s->idle_weight };

	if (s->filtered || is_worth_saying(s))
		parts = (struct shares){ .kept = (double)s->kept,
					 .idle = (double)s->idle,
					 .other = (double)s->filtered };
	if (is_worth_saying(s)) {
		parts.kept += (double)recording_lost_sum(r);
		parts.missing = (double)s->not_delivered;
	}
	parts.all = parts.kept + parts.idle + parts.other + parts.missing;
	return parts;
}

static void write_shares(FILE *f, const struct recording *r, const struct view_options *o)
{
	const struct rec_sampling *s = &r->sampling;
	const struct shares parts = shares_of(r);
	double lost = (double)recording_lost_sum(r);
	char kept_pct[UNITS_BYTES], idle_pct[UNITS_BYTES], count[UNITS_BYTES], pct[UNITS_BYTES];
	char other[2 * UNITS_BYTES] = "", missing[2 * UNITS_BYTES] = "";

	if (s->filtered)
		snprintf(other, sizeof(other), "%s other tasks, ", units_pct(pct, parts.other, parts.all));
	if (parts.missing > 0)
		snprintf(missing, sizeof(missing), ", %s not delivered", units_pct(pct, parts.missing, parts.all));
	if (parts.all > 0)
		footer_line(f, o, "%s: %s %s, %s%s %s%s; lost: %s (%s)", s->is_time ? "CPU time" : s->event,
			    units_pct(kept_pct, parts.kept, parts.all), s->filtered ? "target" : "busy", other,
			    units_pct(idle_pct, parts.idle, parts.all),
			    s->idle_is_guess ? "idle or its interrupts" : "idle", missing,
			    units_count(count, recording_lost_sum(r)), units_pct(pct, lost, (double)s->kept + lost));
}

/* Samples that the result is made of. */
static uint64_t shown_fires(const struct recording *r)
{
	return r->sampling.kept - r->selection.fires;
}

static void write_selection(FILE *f, const struct recording *r, const struct view_options *o)
{
	char shown[UNITS_BYTES], kept[UNITS_BYTES];

	if (r->selection.text[0])
		footer_line(f, o, "shown: %s of %s samples kept (%s)", units_count(shown, shown_fires(r)),
			    units_count(kept, r->sampling.kept), r->selection.text);
}

void footer_header(FILE *f, const struct recording *r, const struct view_options *o)
{
	char samples[UNITS_BYTES], duration[UNITS_BYTES];

	if (!footer_has_samples(r)) {
		if (r->latency)
			footer_latency_header(f, r, o);
		if (r->irq)
			footer_irq_header(f, r, o);
		return;
	}
	footer_line(f, o, "%s of %s: %s samples in %s on %u CPU%s", r->meta.tool, r->meta.target,
		    units_count(samples, r->sampling.kept), units_duration(duration, r->meta.duration_ns), r->meta.cpus,
		    r->meta.cpus == 1 ? "" : "s");
	write_event(f, r, o);
	write_shares(f, r, o);
	write_selection(f, r, o);
}

void footer_no_samples(FILE *f, const struct recording *r, const struct view_options *o)
{
	const struct rec_sampling *s = &r->sampling;
	char count[UNITS_BYTES], idle[UNITS_BYTES];

	if (s->enabled_ns && !s->running_ns)
		footer_line(f, o, "no samples: %s never counted (another user holds the counter)", s->event);
	else if (!s->expected && !s->seen)
		footer_line(f, o, "no samples: %s did not come often enough for one in this time", s->event);
	else if (!s->seen)
		footer_line(f, o, "no samples: none of the %s that were due was delivered",
			    units_count(count, s->expected));
	else if (r->selection.fires)
		footer_line(f, o, "no samples: none of the %s kept has %s", units_count(count, s->kept),
			    r->selection.text);
	else if (recording_lost_sum(r))
		footer_line(f, o, "no samples: %s were lost", units_count(count, recording_lost_sum(r)));
	else if (s->filtered)
		footer_line(f, o, "no samples: the target did not run when one was taken (%s of other tasks, %s idle)",
			    units_count(count, s->filtered), units_count(idle, s->idle));
	else
		footer_line(f, o, "no samples: the CPUs were idle (%s samples, --idle shows them)",
			    units_count(count, s->idle));
}

/*
 * Every term but the last is counted on its own. "unexplained" holds what the BPF program saw and
 * put nowhere: 0, or there is a bug to report.
 */
static void write_books(FILE *f, const struct recording *r, const struct view_options *o)
{
	const struct rec_sampling *s = &r->sampling;
	uint64_t lost = recording_lost_sum(r),
		 missing = (uint64_t)(s->not_delivered < 0 ? -s->not_delivered : s->not_delivered);
	int64_t unexplained = (int64_t)(s->seen - s->kept - s->idle - s->filtered - lost);
	char due[UNITS_BYTES], kept[UNITS_BYTES], idle[UNITS_BYTES], other[UNITS_BYTES], lost_text[UNITS_BYTES],
		missing_text[UNITS_BYTES], pct[UNITS_BYTES],
		selected[4 * UNITS_BYTES] = "", others[2 * UNITS_BYTES] = "", rest[2 * UNITS_BYTES] = "";

	if (r->selection.text[0])
		snprintf(selected, sizeof(selected), " (%s shown + %s not)", units_count(kept, shown_fires(r)),
			 units_count(other, r->selection.fires));
	if (s->filtered)
		snprintf(others, sizeof(others), " + %s other tasks", units_count(other, s->filtered));
	if (unexplained)
		snprintf(rest, sizeof(rest), " %c %" PRIu64 " unexplained", unexplained < 0 ? '-' : '+',
			 (uint64_t)(unexplained < 0 ? -unexplained : unexplained));
	footer_line(f, o, "books: %s due = %s kept%s + %s idle%s + %s lost%s %c %s %s (%s)",
		    units_count(due, s->expected), units_count(kept, s->kept), selected, units_count(idle, s->idle),
		    others, units_count(lost_text, lost), rest, s->not_delivered < 0 ? '-' : '+',
		    units_count(missing_text, missing), s->not_delivered < 0 ? "more than due" : "not delivered",
		    units_pct(pct, (double)missing, (double)s->expected));
	if (is_worth_saying(s))
		footer_line(f, o,
			    "not delivered: the timer was late by more than a period, or rested in idle, or another "
			    "BPF program "
			    "was running on that CPU when it fired");
}

void footer_lost(FILE *f, const struct recording *r, const struct view_options *o, uint64_t kept,
		 const char *not_followed)
{
	uint64_t lost = recording_lost_sum(r), children = r->lost.by_cause[LOST_TARGET_FULL];
	char causes[LINE_BYTES / 2] = "", count[UNITS_BYTES], pct[UNITS_BYTES], of[UNITS_BYTES];
	size_t used = 0;

	for (int i = 0; i < LOST_CAUSES && used < sizeof(causes); i++)
		if (i != LOST_TARGET_FULL && r->lost.by_cause[i])
			used += (size_t)snprintf(causes + used, sizeof(causes) - used, "%s%s %s", used ? ", " : "",
						 units_count(count, r->lost.by_cause[i]),
						 lost_name((enum lost_cause)i));
	if (lost)
		footer_line(f, o, "lost: %s (%s of %s)", causes,
			    units_pct(pct, (double)lost, (double)kept + (double)lost), units_count(of, kept + lost));
	else
		footer_line(f, o, "lost: 0");
	if (children)
		footer_line(f, o, "not followed: %s children of the target (%s): %s", units_count(count, children),
			    lost_name(LOST_TARGET_FULL), not_followed);
}

static void write_unit(FILE *f, const struct recording *r, const struct view_options *o)
{
	const struct rec_sampling *s = &r->sampling;
	const char *idle = o->idle ? "with idle" : "without idle";
	uint64_t weight = s->kept_weight - r->selection.weight + (o->idle ? s->idle_weight : 0);
	char text[UNITS_BYTES];

	if (s->is_time && weight)
		footer_line(f, o, "shares: of %s CPU time %s", units_duration(text, weight), idle);
	else if (weight)
		footer_line(f, o, "shares: of %s %s %s", units_count(text, weight), s->unit, idle);
	if (s->running_ns < s->enabled_ns - s->enabled_ns / 1000)
		footer_line(f, o, "counted: %s of the time, since others use the counter too; \"due\" is of that time",
			    units_pct(text, (double)s->running_ns, (double)s->enabled_ns));
}

/* Samples, by fires, whose stack has a frame that says so. */
static void count_stacks(const struct recording *r, uint64_t *truncated, uint64_t *failed)
{
	*truncated = *failed = 0;
	for (size_t i = 0; i < r->n_samples; i++) {
		const struct rec_stack *stack = &r->stacks[r->samples[i].stack];
		uint32_t end = stack->first + stack->kernel_frames + stack->user_frames;
		bool is_truncated = false, is_failed = false;

		for (uint32_t j = stack->first; j < end; j++) {
			is_truncated |= r->locations[r->frames[j]].why == WHY_TRUNCATED;
			is_failed |= r->locations[r->frames[j]].why == WHY_STACK_FAILED;
		}
		*truncated += is_truncated ? r->samples[i].fires : 0;
		*failed += is_failed ? r->samples[i].fires : 0;
	}
}

static void write_stacks(FILE *f, const struct recording *r, const struct view_options *o)
{
	const struct rec_sampling *s = &r->sampling;
	uint64_t truncated, failed;
	char pct[UNITS_BYTES];

	count_stacks(r, &truncated, &failed);
	if (truncated)
		footer_line(f, o, "stacks: %s are cut, having more than %u frames on a side",
			    units_pct(pct, (double)truncated, (double)shown_fires(r)), s->max_depth);
	if (failed)
		footer_line(f, o, "stacks: %s lack a side that the kernel could not read",
			    units_pct(pct, (double)failed, (double)shown_fires(r)));
	if ((double)s->short_user_stacks * 100 > SHORT_STACKS_PCT * (double)s->user_stacks)
		footer_line(f, o,
			    "user stacks: %s have two frames or fewer (built without frame pointers: "
			    "-fno-omit-frame-pointer "
			    "mends it)",
			    units_pct(pct, (double)s->short_user_stacks, (double)s->user_stacks));
}

/* cpu-clock and task-clock are hrtimers: perf_swevent_start_hrtimer() in kernel/events/core.c. */
static bool is_timer(const char *event)
{
	size_t bytes = strcspn(event, ":");

	return (bytes == strlen("cpu-clock") && !strncmp(event, "cpu-clock", bytes)) ||
	       (bytes == strlen("task-clock") && !strncmp(event, "task-clock", bytes));
}

/* Cycles and instructions of arm64 come by an interrupt like others, but where it is set up as an NMI. */
static bool is_masked_pmu(const struct rec_sampling *s, const char *kernel)
{
	return strstr(kernel, "aarch64") && (!strncmp(s->event, "cycles", 6) || !strncmp(s->event, "cpu-cycles", 10) ||
					     !strncmp(s->event, "instructions", 12));
}

/* The share that a function unseen in `n` samples may have, with two digits: 3/N, but never more than all. */
static char *rare_text(char buf[UNITS_BYTES], uint64_t n)
{
	if (n <= 3)
		return strcpy(buf, "100 %");
	snprintf(buf, UNITS_BYTES, "%.2g %%", 300 / (double)n);
	return buf;
}

static void write_sideband(FILE *f, const struct recording *r, const struct view_options *o)
{
	char count[UNITS_BYTES];

	if (r->sampling.sideband_lost)
		footer_line(f, o, "process events: %s missed, so some short-lived processes may lack names",
			    units_count(count, r->sampling.sideband_lost));
}

/* What this kind of measurement cannot show. "Rule of three": (1 - 3/N)^N is 5 %. */
static void write_limits(FILE *f, const struct recording *r, const struct view_options *o)
{
	const struct rec_sampling *s = &r->sampling;
	uint64_t shown = shown_fires(r);
	char count[UNITS_BYTES], pct[UNITS_BYTES];

	if (!shown)
		return;
	if (is_timer(s->event))
		footer_line(
			f, o,
			"skid: %s is a timer interrupt, so time with interrupts off is shown where they are enabled "
			"again",
			s->event);
	if (is_masked_pmu(s, r->meta.kernel))
		footer_line(f, o,
			    "skid: time with interrupts off is shown where they are enabled again, unless arm64's PMU "
			    "interrupts by NMI (irqchip.gicv3_pseudo_nmi=1)");
	footer_line(f, o,
		    "rare: a function never seen in %s samples may still hold up to %s (3/N, 95 %% sure); "
		    "for rare stalls measure latencies, not shares",
		    units_count(count, shown), rare_text(pct, shown));
}

/* The statistics charge 70 to 100 ns to a program that does nothing (measured, x86-64, 6.18). */
static void write_cost(FILE *f, const struct recording *r, const struct view_options *o)
{
	const struct rec_cost *c = &r->cost;
	char bpf[UNITS_BYTES], user[UNITS_BYTES];
	double run_ns = (double)r->meta.duration_ns;

	if (c->known)
		footer_line(f, o,
			    "own cost: %.0f ns a BPF run (70 to 100 of them for measuring it), %s of one CPU in BPF, "
			    "%s in user "
			    "space",
			    c->bpf_runs ? (double)c->bpf_ns / (double)c->bpf_runs : 0,
			    units_pct(bpf, (double)c->bpf_ns, run_ns), units_pct(user, (double)c->user_ns, run_ns));
}

static void write_origin(FILE *f, const struct recording *r, const struct view_options *o)
{
	time_t start = (time_t)(r->meta.start_unix_ns / 1000000000u);
	char text[64] = "";
	struct tm tm;

	if (gmtime_r(&start, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	footer_line(f, o, "kernel: %s; started %s", r->meta.kernel, text);
}

struct recording footer_before(const struct recording *r)
{
	struct recording before = *r;

	before.meta = r->baseline->meta;
	before.sampling = r->baseline->sampling;
	before.lost = r->baseline->lost;
	before.gaps = r->baseline->gaps;
	before.selection = r->baseline->selection;
	before.baseline = NULL;
	return before;
}

bool footer_has_samples(const struct recording *r)
{
	return (!r->latency && !r->irq) || r->sampling.event[0];
}

void footer_books(FILE *f, const struct recording *r, const struct view_options *o)
{
	if (r->latency)
		footer_latency_books(f, r, o);
	if (r->irq)
		footer_irq_books(f, r, o);
	if (!footer_has_samples(r)) {
		footer_gaps(f, r, o);
		return;
	}
	if (r->baseline) {
		struct recording before = footer_before(r);

		footer_line(f, o, "before:");
		footer_books(f, &before, o);
		footer_line(f, o, "after:");
	}
	write_books(f, r, o);
	footer_lost(f, r, o, r->sampling.kept, "their samples are among other tasks");
	footer_gaps(f, r, o);
}

void footer_notes(FILE *f, const struct recording *r, const struct view_options *o)
{
	if (footer_has_samples(r)) {
		write_unit(f, r, o);
		write_stacks(f, r, o);
		write_sideband(f, r, o);
		write_limits(f, r, o);
	}
	if (r->latency)
		footer_latency_notes(f, r, o);
	if (r->irq)
		footer_irq_notes(f, r, o);
	write_cost(f, r, o);
	write_origin(f, r, o);
}

void footer_write(FILE *f, const struct recording *r, const struct view_options *o)
{
	footer_books(f, r, o);
	footer_notes(f, r, o);
}
