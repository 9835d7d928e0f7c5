/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings for the tests of files, and files for those of damage. Included by one test program each. */
#ifndef DB_BUILD_H
#define DB_BUILD_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/db.h"
#include "db_irq.h"
#include "db_latency.h"
#include "unit.h"

#define SECOND_NS 1000000000ull

/* Below it lie a test's files: made and removed by the group's functions. */
static char db_folder[64];

static inline int make_folder(void **state)
{
	(void)state;
	strcpy(db_folder, "/tmp/kbpfprof-test-XXXXXX");
	if (!mkdtemp(db_folder))
		return -1;
	return setenv("TMPDIR", db_folder, 1); /* what the loader leaves behind is seen by remove_folder() */
}

/* rmdir() fails if something was left. */
static inline int remove_folder(void **state)
{
	(void)state;
	return rmdir(db_folder);
}

static inline const char *in_folder(const char *name)
{
	static char path[4][128];
	static int next;

	next = (next + 1) % 4;
	snprintf(path[next], sizeof(path[next]), "%s/%s", db_folder, name);
	return path[next];
}

/* What goes to stderr while it is open. */
struct heard {
	int saved, file;
	char text[16384];
};

static inline void hear(struct heard *h)
{
	fflush(stderr);
	h->saved = dup(STDERR_FILENO);
	h->file = open(db_folder, O_TMPFILE | O_RDWR, 0600);
	assert_true(h->file >= 0);
	dup2(h->file, STDERR_FILENO);
}

static inline const char *heard(struct heard *h)
{
	ssize_t n;

	fflush(stderr);
	dup2(h->saved, STDERR_FILENO);
	close(h->saved);
	n = pread(h->file, h->text, sizeof(h->text) - 1, 0);
	close(h->file);
	h->text[n > 0 ? n : 0] = '\0';
	return h->text;
}

static inline void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

static inline int load_quiet(const char *path, const struct load_range *range, struct loaded *l, struct heard *h)
{
	int err;

	hear(h);
	err = recording_load(path, range, l);
	heard(h);
	return err;
}

/* A function of a file, by name. */
static inline uint32_t db_location(struct recording *r, const char *object, enum mapping_kind kind, const char *name,
				   uint64_t address)
{
	struct rec_mapping m = { .name = recording_string(r, object), .kind = kind, .inode = 7 };
	int mapping = recording_mapping(r, &m), location = recording_location(r, mapping, address, WHY_UNRESOLVED);

	assert_true(location >= 0);
	recording_name(r, location, recording_string(r, name), address % 16, WHY_NAMED);
	return (uint32_t)location;
}

static inline void db_add(struct recording *r, const char *comm, int stack, uint64_t fires)
{
	struct rec_sample s = { .labels = { .comm = recording_string(r, comm), .tgid = 10, .tid = 11, .cpu = 1 },
				.stack = stack,
				.fires = fires,
				.weight = fires * 1000 };

	assert_int_equal(recording_add(r, &s), 0);
	r->sampling.kept += fires;
	r->sampling.kept_weight += fires * 1000;
	r->sampling.seen += fires;
	r->sampling.expected += fires;
}

static inline struct recording *db_new(void)
{
	struct recording *r = recording_new();

	assert_non_null(r);
	r->meta = (struct rec_meta){ .version = "1.2.3",
				     .tool = "profile",
				     .command_line = "kbpfprof profile -o x",
				     .host = "board",
				     .target = "whole machine",
				     .kernel = "6.1.0 aarch64",
				     .start_unix_ns = 1700000000 * SECOND_NS,
				     .cpus = 4 };
	r->sampling = (struct rec_sampling){
		.event = "cpu-clock", .unit = "ns", .is_time = true, .asked_hz = 99, .max_depth = 127
	};
	return r;
}

/* Interval i (from 0) of 10 s, CPU i being offline once: stack "f<i>" < "main" 10 * (i + 1) times, and "shared" <
 * "main" once; latencies; interrupts. */
static inline void db_grow(struct recording *r, unsigned i)
{
	char name[16];
	uint32_t frames[2] = { 0, db_location(r, "/bin/prog", MAPPING_FILE, "main", 0x100) };

	snprintf(name, sizeof(name), "f%u", i);
	frames[0] = db_location(r, "/bin/prog", MAPPING_FILE, name, 0x1000 + 0x10 * i);
	db_add(r, "prog", recording_stack(r, frames, 0, 2), 10 * (i + 1));
	frames[0] = db_location(r, "/lib/shared.so", MAPPING_FILE, "shared", 0x50);
	db_add(r, "prog", recording_stack(r, frames, 0, 2), 1);
	db_grow_latency(r, i, recording_stack(r, frames, 0, 2));
	db_grow_irq(r, i, recording_stack(r, frames, 0, 2));
	assert_int_equal(recording_gap(r, &(struct rec_gap){ i, (10 * i + 2) * SECOND_NS, SECOND_NS + i }), 0);
	r->meta.duration_ns = (i + 1) * 10 * SECOND_NS;
	r->sampling.sideband_lost += i + 1;
	r->sampling.enabled_ns = r->sampling.running_ns = r->meta.duration_ns * r->meta.cpus;
	r->sampling.achieved_hz = (double)r->sampling.seen * 1e9 / (double)r->sampling.running_ns;
}

static inline void db_save(const char *path, unsigned intervals)
{
	struct recording *r = db_new();
	struct saver *s;

	assert_int_equal(saver_open(&s, path), 0);
	for (unsigned i = 0; i < intervals; i++) {
		db_grow(r, i);
		assert_int_equal(saver_interval(s, r), 0);
	}
	assert_int_equal(saver_finish(s), 0);
	saver_close(s);
	recording_free(r);
}

static inline void print_location(FILE *f, const struct recording *r, const struct rec_location *l)
{
	const struct rec_mapping *m = &r->mappings[l->mapping];

	fprintf(f, " %s+%" PRIu64 "(%" PRIx64 ",%d)@%s,%d,%" PRIx64 ",%" PRIx64 ",%" PRIu64 ",%" PRIx64 ",%" PRIu64 ",",
		recording_str(r, l->name), l->offset, l->address, l->why, recording_str(r, m->name), m->kind, m->dev,
		m->inode, m->changed_ns, m->start, m->bytes);
	for (unsigned i = 0; i < m->build_id.n; i++)
		fprintf(f, "%02x", m->build_id.bytes[i]);
}

/* Each sample as a line with all that hangs on it, sorted: recordings are equal if these are. */
static inline char *samples_text(const struct recording *r)
{
	char **lines = calloc(r->n_samples + 1, sizeof(*lines)), *all = NULL;
	size_t bytes;
	FILE *f;

	for (size_t i = 0; i < r->n_samples; i++) {
		const struct rec_sample *s = &r->samples[i];
		const struct rec_stack *stack = &r->stacks[s->stack];

		f = open_memstream(&lines[i], &bytes);
		fprintf(f, "%" PRIu64 "/%" PRIu64 " %s %d %d %d [%u %u]", s->fires, s->weight,
			recording_str(r, s->labels.comm), s->labels.tgid, s->labels.tid, s->labels.cpu,
			stack->kernel_frames, stack->user_frames);
		for (uint32_t k = 0; k < (uint32_t)stack->kernel_frames + stack->user_frames; k++)
			print_location(f, r, &r->locations[r->frames[stack->first + k]]);
		fclose(f);
	}
	qsort(lines, r->n_samples, sizeof(*lines), by_text);
	f = open_memstream(&all, &bytes);
	for (size_t i = 0; i < r->n_samples; i++) {
		fprintf(f, "%s\n", lines[i]);
		free(lines[i]);
	}
	fclose(f);
	free(lines);
	return all;
}

/* Samples, books, losses, cost, description, latencies and interrupts: all that a recording says. */
static inline void print_gaps(FILE *f, const struct recording *r)
{
	struct rec_gaps gaps;

	assert_int_equal(recording_gaps_join(&gaps, &r->gaps), 0);
	for (size_t i = 0; i < gaps.n; i++)
		fprintf(f, "offline %u %" PRIu64 " %" PRIu64 "\n", gaps.list[i].cpu, gaps.list[i].start_ns,
			gaps.list[i].duration_ns);
	free(gaps.list);
}

static inline char *recording_text(const struct recording *r)
{
	const struct rec_sampling *s = &r->sampling;
	const struct rec_meta *m = &r->meta;
	char *samples = samples_text(r), *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	fprintf(f, "meta %s %s %s %s %s %s %" PRIu64 " %" PRIu64 " %u\n", m->version, m->tool, m->command_line, m->host,
		m->target, m->kernel, m->start_unix_ns, m->duration_ns, m->cpus);
	fprintf(f, "event %s %s %d %s %" PRIu64 " %" PRIu64 " %.9g %d %u\n", s->event, s->unit, s->is_time, s->fallback,
		s->asked_hz, s->asked_period, s->achieved_hz, s->idle_is_guess, s->max_depth);
	fprintf(f, "books %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRIu64 " %" PRIu64,
		s->expected, s->seen, s->kept, s->idle, s->filtered, s->not_delivered, s->kept_weight, s->idle_weight);
	fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s->enabled_ns, s->running_ns,
		s->user_stacks, s->short_user_stacks, s->sideband_lost);
	fprintf(f, "cost %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\nlost", r->cost.known, r->cost.bpf_ns, r->cost.bpf_runs,
		r->cost.user_ns);
	for (int i = 0; i < LOST_CAUSES; i++)
		fprintf(f, " %" PRIu64, r->lost.by_cause[i]);
	fprintf(f, "\n%s", samples);
	print_gaps(f, r);
	if (r->latency)
		print_latency(f, r);
	if (r->irq)
		print_irq(f, r);
	fclose(f);
	free(samples);
	return text;
}

static inline void assert_same(const struct recording *have, const struct recording *want)
{
	char *a = recording_text(have), *b = recording_text(want);

	assert_string_equal(a, b);
	free(a);
	free(b);
}

/* What those intervals of db_save()'s file come to whose bit is set, made anew. */
static inline struct recording *db_some(unsigned mask)
{
	struct recording *r = db_new();
	uint64_t first_ns = 0;
	bool first = true;

	for (unsigned i = 0; mask >> i; i++) {
		uint64_t duration_ns = r->meta.duration_ns;

		if (!(mask & 1u << i))
			continue;
		if (first)
			first_ns = i * 10 * SECOND_NS;
		first = false;
		db_grow(r, i);
		r->latency->points[r->latency->n_points - 1].start_ns -= first_ns;
		for (size_t k = 1; k <= 2; k++)
			r->irq->points[r->irq->n_points - k].start_ns -= first_ns;
		r->gaps.list[r->gaps.n - 1].start_ns -= first_ns;
		r->meta.duration_ns = duration_ns + 10 * SECOND_NS;
		r->sampling.enabled_ns = r->sampling.running_ns = r->meta.duration_ns * r->meta.cpus;
		r->sampling.achieved_hz = (double)r->sampling.seen * 1e9 / (double)r->sampling.running_ns;
	}
	r->meta.start_unix_ns += first_ns;
	return r;
}

#endif
