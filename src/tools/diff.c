/* SPDX-License-Identifier: GPL-2.0-only */
/* `kbpfprof diff`: what changed between two recordings, or two parts of one. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "tools/compare.h"
#include "tools/report.h"
#include "tools/select.h"

struct diff_options {
	const char *before, *after; /* ranges: "0..30s" */
	const char *normalize;
	struct offline_options offline;
	struct select_options select;
};

static const struct option_def diff_option_defs[] = {
	OPT_STRING(0, "before", struct diff_options, before, "FROM..TO", "of the first, only this part: 0..30s"),
	OPT_STRING(0, "after", struct diff_options, after, "FROM..TO", "of the second, only this part: 30s.."),
	OPT_CHOICE(0, "normalize", struct diff_options, normalize, "HOW", "samples,time",
		   "shares (default) or use per second"),
	SELECT_OPTIONS(struct diff_options),
	OFFLINE_OPTIONS(struct diff_options),
	OPT_END,
};

static const char diff_help[] = "Compares two recordings, by function and by stack. A change is one only if it\n"
				"exceeds what chance makes of so many samples; all others are summed up as noise.\n"
				"Compared are shares of the samples; with --normalize time, CPU time per second.\n"
				"\n"
				"  kbpfprof diff OLD NEW                             what got slower, what faster\n"
				"  kbpfprof diff FILE --before 0..30s --after 60s..  two parts of one recording\n"
				"  kbpfprof diff OLD NEW -f flamegraph > diff.html   red: more, blue: less\n"
				"  kbpfprof diff OLD NEW -f folded                   two counts a stack\n";

/* "FROM..TO", either may be missing. 0 or -EINVAL after a message. */
static int parse_range(const char *text, const char *option, struct load_range *range)
{
	char from[UNITS_BYTES];
	const char *dots = text ? strstr(text, "..") : NULL;

	*range = (struct load_range){ 0 };
	if (!text)
		return 0;
	if (dots && (size_t)(dots - text) < sizeof(from)) {
		snprintf(from, sizeof(from), "%.*s", (int)(dots - text), text);
		if ((!*from || !units_parse_duration(from, true, &range->from_ns)) &&
		    (!dots[2] ||
		     (!units_parse_duration(dots + 2, true, &range->to_ns) && range->to_ns > range->from_ns)))
			return 0;
	}
	warnx("%s %s: must be a part such as 0..30s or 60s.., from its start", option, text);
	return -EINVAL;
}

static int check_side(const struct recording *r, const char *path)
{
	if (!r->latency && !r->irq)
		return 0;
	warnx("%s holds %s: only recordings of 'profile' can be compared", path, r->irq ? "interrupts" : "latencies");
	return -EINVAL;
}

/* One side, named and filtered as the options want. */
static int load_side(struct load_request *q, const char *path, const struct load_range *range, struct loaded *side)
{
	const struct diff_options *o = q->options;
	struct offline_options offline = o->offline;
	int err = report_load(q, path, range, side);

	if (err)
		return err;
	offline.quiet = q->quiet;
	err = check_side(side->r, path);
	if (!err)
		err = offline_resolve(side->r, &offline);
	if (!err)
		err = select_samples(side->r, &o->select, path);
	if (err)
		loaded_free(side);
	return report_failed(err, path);
}

static bool wants_time(const struct diff_options *o)
{
	return o->normalize && !strcmp(o->normalize, "time");
}

static int load_both(struct load_request *q, const struct load_range ranges[2], struct recording **r)
{
	const char *before_path = q->words[0], *after_path = q->words[q->n_words - 1];
	struct loaded before, after;
	int err = load_side(q, before_path, &ranges[0], &before);

	if (err)
		return err;
	err = load_side(q, after_path, &ranges[1], &after);
	if (!err) {
		err = report_failed(compare_recordings(before.r, after.r, wants_time(q->options), r), after_path);
		loaded_free(&after);
	}
	loaded_free(&before);
	return err;
}

static int load(struct load_request *q, struct recording **r)
{
	const struct diff_options *o = q->options;
	struct load_range ranges[2];
	int err = parse_range(o->before, "--before", &ranges[0]);

	if (!err)
		err = parse_range(o->after, "--after", &ranges[1]);
	if (!err && q->n_words == 1 && (!o->before || !o->after)) {
		warnx("one recording is compared with itself by --before FROM..TO and --after FROM..TO");
		err = -EINVAL;
	}
	if (!err && q->n_words == 2 && !strcmp(q->words[0], "-") && !strcmp(q->words[1], "-")) {
		warnx("stdin holds one recording");
		err = -EINVAL;
	}
	return err ? err : load_both(q, ranges, r);
}

const struct tool tool_diff = {
	.name = "diff",
	.summary = "what changed between two recordings, beyond noise",
	.usage = "BEFORE AFTER [OPTIONS]",
	.help = diff_help,
	.groups = TOOL_VIEW,
	.options = diff_option_defs,
	.options_bytes = sizeof(struct diff_options),
	.load = load,
	.words_min = 1,
	.words_max = 2,
	.gives = REC_SAMPLES | REC_BASELINE,
	.default_view = "changes",
};
