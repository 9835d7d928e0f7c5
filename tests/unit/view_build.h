/* SPDX-License-Identifier: GPL-2.0-only */
/* Small recordings by hand, for the tests of the views. Included by one test program each. */
#ifndef VIEW_BUILD_H
#define VIEW_BUILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tool.h"
#include "unit.h"
#include "views/views.h"

#define PERIOD_NS 10000000ull /* 100 Hz */

/* A function, or without a name an address and why. */
struct build_frame {
	const char *name, *object;
	enum mapping_kind kind;
	enum why why;
	uint64_t address;
};

#define USER(n, o)                       \
	{                                \
		n, o, MAPPING_FILE, 0, 0 \
	}
#define KERNEL(n)                                   \
	{                                           \
		n, "[kernel]", MAPPING_KERNEL, 0, 0 \
	}
#define STRIPPED(o, a)                                 \
	{                                              \
		NULL, o, MAPPING_FILE, WHY_STRIPPED, a \
	}
#define NOWHERE(w, a)                        \
	{                                    \
		NULL, "", MAPPING_NONE, w, a \
	}

static inline int build_location(struct recording *r, const struct build_frame *f)
{
	struct rec_mapping m = { .name = recording_string(r, f->object), .kind = f->kind };
	uint64_t address = f->address;
	int location;

	/* Functions have addresses of their own: some hash of the name does. */
	for (const char *c = f->name; c && *c; c++)
		address = address * 31 + (unsigned char)*c;
	location = recording_location(r, recording_mapping(r, &m), address, f->name ? WHY_UNRESOLVED : f->why);
	assert_true(location >= 0);
	recording_name(r, location, f->name ? recording_string(r, f->name) : 0, 0, f->name ? WHY_NAMED : f->why);
	return location;
}

/* Frames leaf first; those of the kernel are told by their kind. A side that failed is taken for the kernel's. */
static inline int build_stack(struct recording *r, const struct build_frame *frames, unsigned n)
{
	uint32_t ids[512];
	unsigned kernel = 0;

	assert_true(n <= 512);
	for (unsigned i = 0; i < n; i++) {
		kernel += frames[i].kind == MAPPING_KERNEL || frames[i].kind == MAPPING_MODULE ||
			  frames[i].why == WHY_STACK_FAILED;
		ids[i] = (uint32_t)build_location(r, &frames[i]);
	}
	return recording_stack(r, ids, kernel, n - kernel);
}

static inline void build_add(struct recording *r, struct rec_labels labels, int stack, uint64_t fires, uint64_t weight)
{
	struct rec_sample s = { .labels = labels, .stack = stack, .fires = fires, .weight = weight };

	assert_int_equal(recording_add(r, &s), 0);
	r->sampling.kept += fires;
	r->sampling.kept_weight += weight;
}

static inline struct rec_labels build_comm(struct recording *r, const char *comm)
{
	return (struct rec_labels){ .comm = recording_string(r, comm), .cpu = -1 };
}

/* `count` samples of PERIOD_NS with these labels and frames, leaf first. */
#define BUILD_OF(r, labels, count, ...)                                                                          \
	do {                                                                                                     \
		const struct build_frame frames_[] = { __VA_ARGS__ };                                            \
                                                                                                                 \
		build_add((r), (labels), build_stack((r), frames_, sizeof(frames_) / sizeof(frames_[0])), count, \
			  PERIOD_NS *(count));                                                                   \
	} while (0)
#define BUILD(r, comm, count, ...) BUILD_OF(r, build_comm(r, comm), count, __VA_ARGS__)

/* An empty recording of cpu-clock at 100 Hz: samples, idle and losses are added, then build_balance(). */
static inline struct recording *build_new(void)
{
	struct recording *r = recording_new();

	assert_non_null(r);
	r->meta = (struct rec_meta){ .tool = "profile",
				     .target = "whole machine",
				     .kernel = "6.1.0-18-amd64 x86_64",
				     .start_unix_ns = 1700000000ull * 1000000000, /* 2023-11-14 22:13:20 UTC */
				     .duration_ns = 10ull * 1000000000,
				     .cpus = 2 };
	r->sampling = (struct rec_sampling){ .event = "cpu-clock",
					     .unit = "ns",
					     .is_time = true,
					     .asked_hz = 100,
					     .max_depth = 127,
					     .enabled_ns = 20ull * 1000000000,
					     .running_ns = 20ull * 1000000000 };
	return r;
}

static inline void build_balance(struct recording *r, uint64_t expected)
{
	struct rec_sampling *s = &r->sampling;

	s->seen = s->kept + s->idle + s->filtered + recording_lost_sum(r);
	s->idle_weight = s->idle * PERIOD_NS;
	s->expected = expected;
	s->not_delivered = (int64_t)(expected - s->seen);
	s->achieved_hz = s->running_ns ? (double)s->seen / ((double)s->running_ns / 1e9) : 0;
}

/* What --percent-limit 0 gives: in these tests 0 is the view's choice, as -1 is elsewhere. */
#define PCT_ZERO 1e-12

/* What the view writes; the caller frees it. */
static inline char *build_view(const char *view, const struct recording *r, struct view_options o)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	o.min_pct = o.min_pct == PCT_ZERO ? 0 : o.min_pct ? o.min_pct : -1;
	assert_non_null(f);
	assert_non_null(view_find(view));
	assert_int_equal(view_find(view)->write(f, r, &o), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static inline void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

static inline void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" in:\n%s", part, text);
}

/* The lines between the names of the columns and the sum. */
static inline char *view_rows(const struct recording *r, struct view_options o)
{
	char *text = build_view("table", r, o), *start, *end, *rows;

	start = strstr(text, o.children ? "children" : "overhead");
	assert_non_null(start);
	start = strchr(start, '\n') + 1;
	end = strstr(start, "\ntable:");
	assert_non_null(end);
	*end = '\0';
	rows = strdup(start);
	free(text);
	return rows;
}

/* 1000 samples in stacks of few functions, so that a share of 0.1 % is one sample and nothing is rounded. */
static inline struct recording *random_thousand(unsigned seed)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	struct recording *r = build_new();
	unsigned left = 1000;

	srand(seed);
	while (left) {
		unsigned n = (unsigned)rand() % 9, fires = 1 + (unsigned)rand() % (rand() % 4 ? 3 : 120);
		unsigned kinds = 2 + (unsigned)rand() % 7;
		struct build_frame frames[8];

		for (unsigned i = 0; i < n; i++)
			frames[i] = (struct build_frame)USER(names[(unsigned)rand() % kinds], "/usr/bin/prog");
		fires = fires < left ? fires : left;
		build_add(r, build_comm(r, rand() % 2 ? "x" : "y"), build_stack(r, frames, n), fires,
			  fires * PERIOD_NS);
		left -= fires;
	}
	build_balance(r, 1000);
	return r;
}

/* A share in tenths of a percent: samples. */
static inline unsigned tenths(const char *s)
{
	unsigned whole, part;

	assert_int_equal(sscanf(s, "%u.%u%%", &whole, &part), 2);
	return 10 * whole + part;
}

#endif
