/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report as one JSON object, described in kbpfprof-json(5): keys are added, never renamed, or
 * the version changes. Frames stand in a table of their own, since many samples share them, and
 * the samples' stacks are lists of indexes into it. What is not known, or not told apart, is null.
 */
#include "core/tool.h"
#include "views/json_books.h"
#include "views/json_frames.h"
#include "views/json_irq.h"
#include "views/json_latency.h"
#include "views/json_values.h"

extern const struct view view_json;

#define FORMAT_NAME    "kbpfprof-report"
#define FORMAT_VERSION 1

struct report {
	struct json j;
	const struct recording *r;
	struct json_frames frames;
};

static void write_sample(struct report *p, const struct rec_sample *s)
{
	const struct rec_labels *l = &s->labels;

	json_line(&p->j, NULL);
	json_string(&p->j, "comm", l->comm ? recording_str(p->r, l->comm) : NULL);
	json_known(&p->j, "pid", l->tgid != 0, (uint64_t)l->tgid);
	json_known(&p->j, "tid", l->tid != 0, (uint64_t)l->tid);
	json_known(&p->j, "cpu", l->cpu >= 0, (uint64_t)l->cpu);
	json_uint(&p->j, "fires", s->fires);
	json_uint(&p->j, "weight", s->weight);
	if (p->r->baseline) {
		json_uint(&p->j, "base_fires", s->base_fires);
		json_uint(&p->j, "base_weight", s->base_weight);
	}
	json_frames_stack(&p->frames, &p->j, "stack", s->stack);
	json_line_end(&p->j);
}

static void write_samples(struct report *p)
{
	json_array(&p->j, "samples");
	for (size_t i = 0; i < p->r->n_samples; i++)
		write_sample(p, &p->r->samples[i]);
	json_array_end(&p->j);
}

static int write_report(struct report *p)
{
	int err;

	json_object(&p->j, NULL);
	json_string(&p->j, "format", FORMAT_NAME);
	json_uint(&p->j, "version", FORMAT_VERSION);
	json_books(&p->j, p->r);
	err = json_frames_write(&p->frames, &p->j);
	if (err)
		return err;
	write_samples(p);
	json_latency(&p->j, p->r, &p->frames);
	json_irq(&p->j, p->r, &p->frames);
	json_object_end(&p->j);
	json_end(&p->j);
	return 0;
}

/* What a report leaves out has no place in its tables. */
static void use_stacks(struct report *p)
{
	for (size_t i = 0; i < p->r->n_samples; i++)
		json_frames_use(&p->frames, p->r->samples[i].stack);
	json_latency_use(p->r, &p->frames);
	json_irq_use(p->r, &p->frames);
}

static int write_json(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct report p = { .r = r };
	int err = json_frames_open(&p.frames, r);

	(void)o;
	json_start(&p.j, f, true);
	if (!err) {
		use_stacks(&p);
		err = write_report(&p);
	}
	json_frames_close(&p.frames);
	return err;
}

const struct view view_json = {
	.name = "json",
	.summary = "all of it, for jq and programs: kbpfprof-json(5)",
	.takes = VIEW_KEYS | VIEW_IDLE,
	.draws = REC_SAMPLES | REC_BASELINE | REC_LATENCY | REC_IRQ,
	.labels = LABEL_TGID | LABEL_TID,
	.is_data = true,
	.write = write_json,
};
