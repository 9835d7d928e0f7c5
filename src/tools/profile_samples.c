/* SPDX-License-Identifier: GPL-2.0-only */
/* From the store of samples to the recording. */
#include <err.h>
#include <string.h>

#include "tools/profile.h"

struct drain {
	struct profile_state *p;
	struct recording *r;
	bool has_begun;
};

struct look {
	struct profile_state *p;
	bool no_room;
};

static struct process_id process_of(const struct sample_record *record)
{
	return (struct process_id){ (int)record->tgid, record->exec_id, record->start_ns };
}

static struct raw_stack raw_stack(const struct profile_state *p, const struct sample_record *record)
{
	return (struct raw_stack){
		.process = process_of(record),
		.seen_ns = record->seen_ns,
		.kernel = (const uint64_t *)record->frames,
		.user = (const uint64_t *)record->frames + record->kernel_frames,
		.kernel_frames = record->kernel_frames,
		.user_frames = record->user_frames,
		.max_frames = p->max_depth,
		.kernel_failed = !!(record->flags & SAMPLE_KERNEL_FAILED),
		.user_failed = !!(record->flags & SAMPLE_USER_FAILED),
	};
}

/* The mappings this stack needs are read now if they are not known, since its process may end soon. */
static int learn(void *arg, const struct sample_record *record, const struct sample_sums *sums)
{
	struct look *look = arg;
	struct raw_stack raw = raw_stack(look->p, record);

	(void)sums;
	look->no_room |= !symbols_learn(look->p->symbols, &raw);
	return 0;
}

/* How many user stacks are too short to be true, by frame pointers. */
static void count_user_stack(struct profile_state *p, const struct sample_record *record, unsigned user_frames,
			     uint64_t fires)
{
	if (!record->user_frames && !(record->flags & SAMPLE_USER_FAILED))
		return;
	p->user_stacks += fires;
	if (user_frames <= 2)
		p->short_user_stacks += fires;
}

static int add_sample(void *arg, const struct sample_record *record, const struct sample_sums *sums)
{
	struct drain *d = arg;
	struct raw_stack raw = raw_stack(d->p, record);
	struct rec_sample sample = { .fires = sums->fires, .weight = sums->weight };
	char comm[KBPFPROF_COMM_BYTES + 1] = "";

	if (!d->has_begun)
		symbols_watch(d->p->symbols);
	d->has_begun = true;
	memcpy(comm, record->comm, KBPFPROF_COMM_BYTES);
	sample.stack = symbols_stack(d->p->symbols, d->r, &raw);
	if (sample.stack < 0)
		return sample.stack;
	sample.labels.comm = recording_string(d->r, comm);
	if (sample.labels.comm < 0)
		return sample.labels.comm;
	/* A label that nobody asked for would only keep equal stacks apart. */
	sample.labels.tgid = d->p->by_tgid || record->tid ? (int)record->tgid : 0;
	sample.labels.tid = (int)record->tid;
	sample.labels.cpu = record->cpu == SAMPLE_NO_CPU ? -1 : (int)record->cpu;
	count_user_stack(d->p, record, d->r->stacks[sample.stack].user_frames, sums->fires);
	d->p->drained_fires += sums->fires;
	d->p->drained_weight += sums->weight;
	return recording_add(d->r, &sample);
}

int profile_drain(struct session *s, struct recording *r)
{
	struct profile_state *p = s->state;
	struct drain d = { .p = p, .r = r };
	int err = samples_drain(&p->samples, add_sample, &d);

	symbols_age(p->symbols);
	r->sampling.sideband_lost = symbols_watch_lost(p->symbols);
	if (err)
		warnx("cannot read the BPF maps: %s", strerror(-err));
	return err;
}

/*
 * What the kernel told until the samples were made is taken in before they are looked at, so first it is
 * noted which samples there are.
 */
int profile_tick(struct session *s, struct recording *r)
{
	struct profile_state *p = s->state;
	struct look look = { .p = p };
	bool filling;
	int err;

	samples_mark(&p->samples);
	symbols_watch(p->symbols);
	err = samples_look(&p->samples, learn, &look, &filling);
	if (!err && (filling || look.no_room))
		err = profile_drain(s, r);
	else if (err)
		warnx("cannot read the BPF maps: %s", strerror(-err));
	symbols_learnt(p->symbols);
	return err;
}

void profile_watch_open(struct session *s)
{
	struct profile_state *p = s->state;
	int err = p->samples.config->want_user ? symbols_watch_open(p->symbols) : 0;

	if (err && s->run->verbose)
		warnx("cannot watch processes begin and end: %s (those that are gone soon have no names)",
		      strerror(-err));
}

int profile_watch_start(struct session *s)
{
	struct profile_state *p = s->state;
	int err = symbols_watch_start(p->symbols);

	for (size_t i = 0; i < s->filter.tgids.n && !err; i++)
		symbols_expect(p->symbols, s->filter.tgids.list[i]);
	return err;
}
