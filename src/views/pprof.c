/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The format of pprof: profile.proto (github.com/google/pprof, proto/profile.proto), compressed.
 * Sample types are samples/count and cpu/nanoseconds, or EVENT/count. Labels: comm, pid, tid, cpu,
 * as far as they are told apart. Comments hold what the header and the footer of a table say, so
 * that no loss is silent.
 *
 * A function is what has one name in one object. A frame without a name has a function all the
 * same, whose name says why: "libfoo.so [stripped]"; its address is in the location.
 *
 * Addresses: of a file they are those of its own headers (st_value), whatever address it was mapped
 * to. For this pprof has the fake mapping from 0 to the end of the address space (GetBase() in
 * internal/elfexec: "the address has already been adjusted"), so that it can name what is still
 * unnamed from a file with that build-id. All other addresses are those of the machine, in a
 * mapping just large enough.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/tool.h"
#include "views/footer.h"
#include "views/frame.h"
#include "views/pprof_fields.h"
#include "views/pprof_places.h"

extern const struct view view_pprof;

/* Ids of locations are theirs in the recording plus one; then come two that are none. */
static uint64_t no_stack_id(const struct pprof *p)
{
	return p->r->n_locations + 1;
}

static uint64_t idle_id(const struct pprof *p)
{
	return p->r->n_locations + 2;
}

/* What is written in a frame's place. */
static int write_remark(struct pprof *p, uint64_t id, const char *text)
{
	return pprof_location(p, id, 0, 0, (struct function_key){ pprof_stream_string(&p->out, text), 0 });
}

static void add_label(struct pprof *p, const char *key, const char *unit, int number, bool known)
{
	if (!known)
		return;
	pprof_text(p, &p->part, LABEL_KEY, key);
	protobuf_uint(&p->part, LABEL_NUM, (uint64_t)number);
	pprof_text(p, &p->part, LABEL_NUM_UNIT, unit);
	pprof_part(p, SAMPLE_LABEL);
}

static void add_comm(struct pprof *p, int comm)
{
	char buf[FRAME_BYTES];

	if (!text_inert(buf, sizeof(buf), recording_str(p->r, comm), true))
		return;
	pprof_text(p, &p->part, LABEL_KEY, "comm");
	pprof_text(p, &p->part, LABEL_STR, buf);
	pprof_part(p, SAMPLE_LABEL);
}

/* Values are of type int64. */
static void add_values(struct pprof *p, uint64_t fires, uint64_t weight)
{
	protobuf_element(&p->part, fires > INT64_MAX ? INT64_MAX : fires);
	protobuf_element(&p->part, weight > INT64_MAX ? INT64_MAX : weight);
	pprof_part(p, SAMPLE_VALUE);
}

static void write_sample(struct pprof *p, const struct rec_sample *s)
{
	const struct rec_stack *stack = &p->r->stacks[s->stack];
	unsigned n = stack->kernel_frames + stack->user_frames;

	for (unsigned i = 0; i < n; i++)
		protobuf_element(&p->part, (uint64_t)p->r->frames[stack->first + i] + 1);
	if (!n)
		protobuf_element(&p->part, no_stack_id(p));
	pprof_part(p, SAMPLE_LOCATION_ID);
	add_values(p, s->fires, s->weight);
	add_comm(p, s->labels.comm);
	add_label(p, "pid", "", s->labels.tgid, s->labels.tgid != 0);
	add_label(p, "tid", "", s->labels.tid, s->labels.tid != 0);
	/* pprof does not see a 0 that has no unit, and takes the key for one anyway. */
	add_label(p, "cpu", "cpu", s->labels.cpu, s->labels.cpu >= 0);
	pprof_message(p, PROFILE_SAMPLE);
}

static int write_idle(struct pprof *p)
{
	const struct rec_sampling *s = &p->r->sampling;
	int err = s->idle ? write_remark(p, idle_id(p), "[idle]") : 0;

	if (err || !s->idle)
		return err;
	protobuf_element(&p->part, idle_id(p));
	pprof_part(p, SAMPLE_LOCATION_ID);
	add_values(p, s->idle, s->idle_weight);
	pprof_message(p, PROFILE_SAMPLE);
	return 0;
}

static int write_samples(struct pprof *p, bool idle)
{
	bool without_stack = false;
	int err = 0;

	for (size_t i = 0; i < p->r->n_samples && !err; i++) {
		const struct rec_sample *s = &p->r->samples[i];
		const struct rec_stack *stack = &p->r->stacks[s->stack];

		if (!pprof_is_listed(s))
			continue;
		if (!without_stack && !stack->kernel_frames && !stack->user_frames) {
			err = write_remark(p, no_stack_id(p), "[no stack]");
			without_stack = true;
		}
		write_sample(p, s);
	}
	return err || !idle ? err : write_idle(p);
}

static void write_value_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
	pprof_text(p, &p->message, VALUE_TYPE_TYPE, type);
	pprof_text(p, &p->message, VALUE_TYPE_UNIT, unit);
	pprof_message(p, field);
}

/* What a sample stands for, on average where the kernel varies it to hold a rate. */
static uint64_t mean_period(const struct rec_sampling *s)
{
	if (s->asked_period)
		return s->asked_period;
	if (s->is_time && s->asked_hz)
		return 1000000000 / s->asked_hz;
	return s->kept ? s->kept_weight / s->kept : 0;
}

static void write_types(struct pprof *p)
{
	const struct rec_sampling *s = &p->r->sampling;
	const char *unit = s->is_time ? "nanoseconds" : "count";
	char weight[sizeof(s->unit) * TEXT_ESCAPE_BYTES];

	text_inert(weight, sizeof(weight), s->is_time ? "cpu" : s->unit, true);
	write_value_type(p, PROFILE_SAMPLE_TYPE, "samples", "count");
	write_value_type(p, PROFILE_SAMPLE_TYPE, weight, unit);
	write_value_type(p, PROFILE_PERIOD_TYPE, weight, unit);
	pprof_stream_uint(&p->out, PROFILE_PERIOD, mean_period(s));
	pprof_stream_uint(&p->out, PROFILE_DEFAULT_SAMPLE_TYPE, pprof_stream_string(&p->out, weight));
	pprof_stream_uint(&p->out, PROFILE_TIME_NANOS, p->r->meta.start_unix_ns);
	pprof_stream_uint(&p->out, PROFILE_DURATION_NANOS, p->r->meta.duration_ns);
}

/* pprof shows comments above its reports, except those that begin with '#'. */
static int write_comments(struct pprof *p)
{
	static const struct view_options o = { 0 };
	const struct rec_meta *m = &p->r->meta;
	char *text = NULL, *rest, *line;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	if (!f)
		return -ENOMEM;
	footer_line(f, &o, "kbpfprof %s, kernel %s%s%s", m->version, m->kernel, m->host[0] ? ", host " : "", m->host);
	if (m->command_line[0])
		footer_line(f, &o, "command line: %s", m->command_line);
	footer_header(f, p->r, &o);
	footer_books(f, p->r, &o);
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	for (rest = text; (line = strsep(&rest, "\n"));)
		if (*line)
			pprof_stream_uint(&p->out, PROFILE_COMMENT, pprof_stream_string(&p->out, line));
	free(text);
	return 0;
}

static int write_pprof(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct pprof p = { .r = r };
	int err = pprof_stream_open(&p.out, f), stream_err;

	if (!err)
		err = pprof_mark_used(&p);
	if (!err)
		err = write_comments(&p);
	if (!err) {
		write_types(&p);
		pprof_mappings(&p);
		err = pprof_locations(&p);
	}
	if (!err)
		err = write_samples(&p, o->idle);
	stream_err = pprof_stream_close(&p.out);
	pprof_free(&p);
	return err ? err : stream_err;
}

const struct view view_pprof = {
	.name = "pprof",
	.summary = "for pprof and what reads its format, compressed",
	.needs = REC_SAMPLES,
	.takes = VIEW_KEYS | VIEW_IDLE,
	.labels = LABEL_TGID | LABEL_TID,
	.is_data = true,
	.is_binary = true,
	.write = write_pprof,
};
