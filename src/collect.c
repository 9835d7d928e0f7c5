/* SPDX-License-Identifier: GPL-2.0-only */
#include "collect.h"

#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/exit.h"
#include "core/session.h"
#include "core/units.h"
#include "db/db.h"
#include "show.h"
#include "symbols/offline.h"
#include "views/footer.h"

#define INTERVAL_NS 10000000000 /* what a killed run loses at most */

/* The file of -o. */
struct output {
	const char *path;
	struct saver *saver; /* NULL: none, or not yet */
	struct stat made;
	bool holds_some; /* an interval at least */
};

/* A view is shown if there is no file, or if one was asked for beside it. */
static bool wants_view(const struct invocation *in)
{
	return !in->run.out || in->view.format;
}

static int begin_output(void *arg)
{
	struct output *o = arg;
	int err = saver_open(&o->saver, o->path);

	if (!err && strcmp(o->path, "-") != 0 && lstat(o->path, &o->made))
		o->made = (struct stat){ 0 };
	return err;
}

static int save_interval(void *arg, const struct recording *r)
{
	struct output *o = arg;
	int err = saver_interval(o->saver, r);

	o->holds_some |= !err;
	return err;
}

/* A run that failed before its first interval leaves no file; one that somebody put in its place is not ours. */
static void close_output(struct output *o)
{
	struct stat there;

	saver_close(o->saver);
	if (!o->saver || o->holds_some || !o->made.st_ino || lstat(o->path, &there))
		return;
	if (there.st_dev == o->made.st_dev && there.st_ino == o->made.st_ino)
		unlink(o->path);
}

/* A file tells apart all that a reader may ask for. */
static unsigned labels(const struct invocation *in, const struct view *view)
{
	unsigned labels = view ? view->labels : 0;

	if (in->run.out)
		return LABEL_TGID | LABEL_TID | LABEL_CPU;
	if (options_list_has(in->view.sort, "pid"))
		labels |= LABEL_TGID;
	if (options_list_has(in->view.sort, "tid"))
		labels |= LABEL_TGID | LABEL_TID;
	if (options_list_has(in->view.sort, "cpu"))
		labels |= LABEL_CPU;
	return labels;
}

static void tell_saved(const struct invocation *in, const struct recording *r, const struct saver *saver)
{
	struct view_options plain = { 0 };
	char bytes[UNITS_BYTES];

	footer_books(stderr, r, &plain);
	if (strcmp(in->run.out, "-") != 0)
		fprintf(stderr, "%s: %s ('kbpfprof report %s' shows it)\n", in->run.out,
			units_bytes(bytes, saver_bytes(saver)), in->run.out);
}

/* What is due once the run has ended: the file, the view. 0 or -errno. */
static int finish(const struct invocation *in, const struct show *show, struct saver *saver, struct recording *r)
{
	static const struct offline_options here = { .quiet = true };
	int err = saver ? saver_finish(saver) : 0;

	if (!err && saver && !in->view.quiet)
		tell_saved(in, r, saver);
	if (err || !wants_view(in))
		return err;
	err = offline_resolve(r, &here); /* separate debug files, if this machine has some: as a report would */
	return err ? err : show_recording(show, r);
}

static int run(const struct invocation *in, const struct show *show, struct output *output, struct recording *r)
{
	struct sink sink = { .every_ns = in->time.interval_ns ? in->time.interval_ns : INTERVAL_NS,
			     .begin = begin_output,
			     .interval = save_interval,
			     .arg = output };
	struct session session = {
		.tool = in->tool,
		.options = in->own,
		.target = &in->target,
		.time = &in->time,
		.run = &in->run,
		.labels = labels(in, show->view),
		.command_line = in->command_line,
		.stdout_is_data = show->view ? show->view->is_data : !strcmp(in->run.out, "-"),
		.quiet = in->view.quiet,
		.sink = output->path ? &sink : NULL,
	};

	int err;

	if (session_run(&session, r))
		return session.exit_code;
	err = finish(in, show, output->saver, r);
	if (err)
		return err == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	if (r->limit_exceeded)
		return EXIT_LIMIT;
	if (in->run.max_loss_pct >= 0 && recording_lost_pct(r) > in->run.max_loss_pct)
		return EXIT_LOSS;
	return session.exit_code;
}

int collect(const struct invocation *in)
{
	struct show show = { 0 };
	struct output output = { .path = in->run.out };
	struct recording *r;
	int code = EXIT_FAILED, err;

	err = wants_view(in) ? show_prepare(&show, in) : show_nothing(in);
	if (err)
		return exit_code_of(err);
	r = recording_new();
	if (r)
		code = run(in, &show, &output, r);
	recording_free(r);
	close_output(&output);
	return code;
}

int load_and_show(const struct invocation *in)
{
	struct load_request request = {
		.options = in->own,
		.words = in->words,
		.n_words = in->n_words,
		.quiet = in->view.quiet,
		.gives = in->tool->gives,
		.default_view = in->tool->default_view,
	};
	struct recording *r = NULL;
	struct show show = { 0 };
	int err = show_prepare(&show, in);

	if (!err)
		err = in->tool->load(&request, &r);
	if (!err)
		err = show_loaded(&show, in, &request);
	if (!err)
		err = show_recording(&show, r);
	recording_free(r);
	return err ? (int)exit_code_of(err) : request.exit_code;
}
