/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording holds, without drawing it: how it was made, how much of what, which objects a
 * reader may want to provide files of, and the intervals it can be cut at.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/irq.h"
#include "core/latency.h"
#include "core/units.h"
#include "views/footer.h"
#include "views/frame.h"

extern const struct view view_list;

#define BUILD_ID_TEXT_BYTES (2 * BUILD_ID_BYTES_MAX + 1)

struct object {
	int mapping;
	uint64_t fires;	 /* of samples that ran in it; of latencies and interrupts: their stacks */
	uint64_t frames; /* distinct locations ... */
	uint64_t named;	 /* ... that have a name */
};

static char *build_id_text(char buf[BUILD_ID_TEXT_BYTES], const struct build_id *id)
{
	buf[0] = '\0';
	for (unsigned i = 0; i < id->n && i < BUILD_ID_BYTES_MAX; i++)
		snprintf(buf + 2 * (size_t)i, 3, "%02x", id->bytes[i]);
	return buf[0] ? buf : strcpy(buf, "-");
}

static int compare_objects(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	if (x->fires != y->fires)
		return x->fires > y->fires ? -1 : 1;
	return x->mapping < y->mapping ? -1 : x->mapping > y->mapping;
}

static void count_stack(struct object *objects, const struct recording *r, int stack, uint64_t fires)
{
	const struct rec_stack *s = stack < 0 ? NULL : &r->stacks[stack];

	if (s && s->kernel_frames + s->user_frames)
		objects[r->locations[r->frames[s->first]].mapping].fires += fires;
}

static void count_cases(struct object *objects, const struct recording *r)
{
	for (size_t i = 0; i < r->latency->n_cases; i++) {
		count_stack(objects, r, r->latency->cases[i].waker_stack, 1);
		count_stack(objects, r, r->latency->cases[i].out_stack, 1);
		count_stack(objects, r, r->latency->cases[i].user_stack, 1);
	}
}

static void count_irq(struct object *objects, const struct recording *r)
{
	const struct rec_irq *q = r->irq;

	for (size_t i = 0; i < q->n_cases; i++)
		count_stack(objects, r, q->cases[i].stack, 1);
	for (size_t i = 0; i < q->n_senders; i++)
		count_stack(objects, r, q->senders[i].stack, 1);
	for (size_t i = 0; i < q->n_places; i++)
		count_stack(objects, r, q->places[i].stack, 1);
}

static void count_objects(struct object *objects, const struct recording *r)
{
	for (size_t i = 0; i < r->n_mappings; i++)
		objects[i].mapping = (int)i;
	for (size_t i = 0; i < r->n_locations; i++) {
		objects[r->locations[i].mapping].frames++;
		objects[r->locations[i].mapping].named += r->locations[i].why == WHY_NAMED;
	}
	for (size_t i = 0; i < r->n_samples; i++)
		count_stack(objects, r, r->samples[i].stack, r->samples[i].fires);
	if (r->latency)
		count_cases(objects, r);
	if (r->irq)
		count_irq(objects, r);
}

static int write_objects(FILE *f, const struct recording *r)
{
	struct object *objects = calloc(r->n_mappings + 1, sizeof(*objects));
	char path[FRAME_BYTES], build_id[BUILD_ID_TEXT_BYTES], count[UNITS_BYTES];

	if (!objects)
		return -ENOMEM;
	count_objects(objects, r);
	qsort(objects, r->n_mappings, sizeof(*objects), compare_objects);
	fprintf(f, "\n%10s  %9s  %-40s  %s\n", footer_has_samples(r) ? "samples" : "stacks", "named", "build-id",
		"object");
	for (size_t i = 0; i < r->n_mappings; i++) {
		const struct rec_mapping *m = &r->mappings[objects[i].mapping];
		char named[2 * UNITS_BYTES];

		if (m->kind == MAPPING_NONE || !objects[i].frames)
			continue;
		snprintf(named, sizeof(named), "%" PRIu64 "/%" PRIu64, objects[i].named, objects[i].frames);
		text_inert(path, sizeof(path), recording_str(r, m->name), text_is_utf8());
		fprintf(f, "%10s  %9s  %-40s  %s\n", units_count(count, objects[i].fires), named,
			build_id_text(build_id, &m->build_id), path);
	}
	free(objects);
	return 0;
}

/* What intervals count. */
static const char *events_of(const struct recording *r)
{
	return r->irq ? "events" : footer_has_samples(r) ? "samples" : "delays";
}

static void write_intervals(FILE *f, const struct recording *r)
{
	if (!r->n_intervals)
		return;
	fprintf(f, "\n%8s  %10s  %10s  %10s\n", "interval", "from", "to", events_of(r));
	for (size_t i = 0; i < r->n_intervals; i++) {
		const struct rec_interval *interval = &r->intervals[i];
		char from[UNITS_BYTES], to[UNITS_BYTES], count[UNITS_BYTES];

		fprintf(f, "%8zu  %10s  %10s  %10s%s\n", i + 1, units_duration(from, interval->start_ns),
			units_duration(to, interval->start_ns + interval->duration_ns),
			units_count(count, interval->fires), interval->damaged ? "  damaged, left out" : "");
	}
}

static void write_distinct(FILE *f, const struct recording *r, const struct view_options *o)
{
	const struct rec_latency *l = r->latency;
	char samples[UNITS_BYTES], stacks[UNITS_BYTES], locations[UNITS_BYTES], hists[UNITS_BYTES], causes[UNITS_BYTES],
		cases[UNITS_BYTES];

	if (l)
		footer_line(f, o, "histograms: %s; causes by length of the delay: %s; delays in full: %s",
			    units_count(hists, l->n_hists), units_count(causes, l->n_causes),
			    units_count(cases, l->n_cases));
	if (r->irq)
		footer_line(f, o, "sources: %s; of them on a CPU: %s; events in full: %s",
			    units_count(hists, r->irq->n_sources), units_count(causes, r->irq->n_rows),
			    units_count(cases, r->irq->n_cases));
	if (footer_has_samples(r))
		footer_line(f, o, "distinct: %s samples, %s stacks, %s addresses", units_count(samples, r->n_samples),
			    units_count(stacks, r->n_stacks), units_count(locations, r->n_locations));
	else
		footer_line(f, o, "distinct: %s stacks, %s addresses", units_count(stacks, r->n_stacks),
			    units_count(locations, r->n_locations));
}

static int write_list(FILE *f, const struct recording *r, const struct view_options *o)
{
	int err;

	footer_header(f, r, o);
	footer_line(f, o, "recorded by kbpfprof %s on %s: %s", r->meta.version, r->meta.host, r->meta.command_line);
	write_distinct(f, r, o);
	err = write_objects(f, r);
	write_intervals(f, r);
	fputc('\n', f);
	footer_write(f, r, o);
	return err;
}

const struct view view_list = {
	.name = "list",
	.summary = "what a recording holds",
	.draws = REC_SAMPLES | REC_LATENCY | REC_IRQ,
	.takes = VIEW_IDLE,
	.write = write_list,
};
