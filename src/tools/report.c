/* SPDX-License-Identifier: GPL-2.0-only */
/* `kbpfprof report`: any view of a recording, without privileges, on any machine. */
#include "tools/report.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/exit.h"
#include "core/privilege.h"
#include "tools/select.h"

struct report_options {
	const char *input;
	struct offline_options offline;
	struct select_options select;
	struct load_range range;
	bool list;
};

static const struct option_def report_option_defs[] = {
	OPT_STRING('i', "input", struct report_options, input, "FILE", "the recording, as well as by its name alone"),
	OPT_FLAG(0, "list", struct report_options, list, "say what the recording holds, and end"),
	OPT_MOMENT(0, "from", struct report_options, range.from_ns, "TIME", "leave out what was before TIME: 30s"),
	OPT_DURATION(0, "to", struct report_options, range.to_ns, "TIME", "leave out what came after TIME"),
	SELECT_OPTIONS(struct report_options),
	OFFLINE_OPTIONS(struct report_options),
	OPT_END,
};

static const char report_help[] = "Shows a recording that 'profile -o FILE', 'wakeup -o FILE' or 'irq -o FILE'\n"
				  "wrote, in any format of that tool. Needs no privilege and nothing of the machine\n"
				  "that was measured: the names known there are in the file. What was stripped or\n"
				  "unreadable there is named by files given here, if they are the very same build.\n"
				  "\n"
				  "  kbpfprof report FILE                          what its tool shows first\n"
				  "  kbpfprof report FILE --list                   what it holds\n"
				  "  kbpfprof report FILE -f flamegraph > x.html   a flame graph for any browser\n"
				  "  kbpfprof report FILE --from 30s --to 60s      a part of it\n"
				  "  kbpfprof report FILE --comm xz --callers read_pages\n"
				  "  kbpfprof report FILE --symfs ROOTFS -k vmlinux\n";

int report_load(struct load_request *q, const char *path, const struct load_range *range, struct loaded *loaded)
{
	int err = privilege_drop();

	if (err) {
		warnx("cannot give up privileges: %s", strerror(-err));
		return err;
	}
	err = recording_load(path, range, loaded);
	if (!err && loaded->n_damaged)
		q->exit_code = EXIT_DAMAGED;
	return err;
}

static int keep_intervals(struct loaded *loaded)
{
	struct rec_interval *list = calloc(loaded->n_intervals + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < loaded->n_intervals; i++) {
		const struct loaded_interval *from = &loaded->intervals[i];

		list[i] = (struct rec_interval){ from->start_ns, from->duration_ns, from->fires, from->damaged };
	}
	loaded->r->intervals = list;
	loaded->r->n_intervals = loaded->n_intervals;
	return 0;
}

static int input_path(const struct load_request *q, const char **path)
{
	const struct report_options *o = q->options;

	*path = q->n_words ? q->words[0] : o->input;
	if (q->n_words && o->input) {
		warnx("two recordings, %s and -i %s (diff compares two)", q->words[0], o->input);
		return -EINVAL;
	}
	if (*path)
		return 0;
	warnx("no recording named (kbpfprof report FILE; 'kbpfprof profile -o FILE' makes one)");
	return -EINVAL;
}

/* --list tells of all that is there: an option that would leave some out, or name more, gets no answer. */
static int check_list(const struct report_options *o)
{
	const char *filter = select_given(&o->select);
	const struct {
		const char *value, *name;
	} others[] = {
		{ filter, filter },
		{ o->offline.symfs, "--symfs" },
		{ o->offline.vmlinux, "--vmlinux" },
		{ o->offline.kallsyms, "--kallsyms" },
		{ o->offline.debug_dir, "--debug-dir" },
	};

	for (size_t i = 0; o->list && i < sizeof(others) / sizeof(others[0]); i++) {
		if (!others[i].value)
			continue;
		warnx("--list tells all that a recording holds: not with %s (-f list takes it)", others[i].name);
		return -EINVAL;
	}
	return 0;
}

int report_failed(int err, const char *path)
{
	if (err == -ENOMEM)
		warnx("cannot show %s: it needs too much memory (--from and --to show a part)", path);
	return err;
}

/* What they are of was chosen when they were measured. */
static int refuse_selection(const struct report_options *o, const char *what, const char *path)
{
	const char *filter = select_given(&o->select);

	if (!filter)
		return 0;
	warnx("%s holds %s, of which %s can take no part (--from and --to can)", path, what, filter);
	return -EINVAL;
}

static int choose_view(struct load_request *q, const struct recording *r, const char *path)
{
	q->gives = REC_SAMPLES;
	if (r->irq) {
		q->gives = REC_IRQ;
		q->default_view = "irq";
		return refuse_selection(q->options, "interrupts", path);
	}
	if (r->latency) {
		q->gives = REC_LATENCY;
		q->default_view = "latency";
		return refuse_selection(q->options, "latencies", path);
	}
	return 0;
}

static int prepare(struct load_request *q, struct loaded *loaded, const char *path)
{
	const struct report_options *o = q->options;
	struct offline_options offline = o->offline;
	int err;

	err = keep_intervals(loaded);
	if (!err)
		err = choose_view(q, loaded->r, path);
	if (err)
		return err;
	if (o->list) {
		q->format = "list";
		return 0;
	}
	offline.quiet = q->quiet;
	err = offline_resolve(loaded->r, &offline);
	if (err || q->gives != REC_SAMPLES)
		return err;
	return select_samples(loaded->r, &o->select, path); /* by names, so after them */
}

static int load(struct load_request *q, struct recording **r)
{
	const struct report_options *o = q->options;
	struct loaded loaded;
	const char *path;
	int err = input_path(q, &path);

	if (!err && o->range.to_ns && o->range.to_ns <= o->range.from_ns) {
		warnx("--to must be after --from");
		err = -EINVAL;
	}
	if (!err)
		err = check_list(o);
	if (!err)
		err = report_load(q, path, &o->range, &loaded);
	if (err)
		return err;
	err = report_failed(prepare(q, &loaded, path), path);
	if (!err) {
		*r = loaded.r;
		loaded.r = NULL;
	}
	loaded_free(&loaded);
	return err;
}

const struct tool tool_report = {
	.name = "report",
	.summary = "shows a recording, here or elsewhere, later",
	.usage = "FILE [OPTIONS]",
	.help = report_help,
	.groups = TOOL_VIEW,
	.options = report_option_defs,
	.options_bytes = sizeof(struct report_options),
	.load = load,
	.words_max = 1,
	.gives = REC_SAMPLES | REC_LATENCY | REC_IRQ,
	.default_view = "table",
};
