/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads profile.proto, known from its own text, for the test of the view. Included by one test program.
 * What is not as CheckValid() of google/pprof (profile/profile.go) wants it fails the test.
 */
#ifndef PPROF_READ_H
#define PPROF_READ_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <zlib.h>

#include "unit.h"

#define PROFILE_MAX 40000

struct field {
	unsigned number, type;
	uint64_t value;
	const unsigned char *bytes; /* of type 2, `value` of them */
};

struct reader {
	const unsigned char *at, *end;
};

static inline uint64_t read_number(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		assert_true(r->at < r->end);
		value |= (uint64_t)(*r->at & 0x7f) << shift;
		if (!(*r->at++ & 0x80))
			return value;
	}
	fail_msg("a number of more than ten bytes");
	return 0;
}

static inline bool next_field(struct reader *r, struct field *f)
{
	uint64_t tag;

	if (r->at == r->end)
		return false;
	tag = read_number(r);
	*f = (struct field){ .number = (unsigned)(tag >> 3), .type = tag & 7 };
	f->value = read_number(r);
	if (f->type == 2) {
		assert_true(f->value <= (uint64_t)(r->end - r->at));
		f->bytes = r->at;
		r->at += f->value;
	} else {
		assert_int_equal(f->type, 0);
	}
	return true;
}

static inline struct reader inside(const struct field *f)
{
	assert_int_equal(f->type, 2);
	return (struct reader){ f->bytes, f->bytes + f->value };
}

/* Messages whose fields are numbers by their field number; locations have their line's function in [4]. */
struct numbers {
	uint64_t by_field[16];
};

struct sample {
	unsigned n_locations;
	uint64_t locations[64], values[2];
	unsigned n_labels;
	struct numbers labels[4];
};

struct profile {
	unsigned char *bytes;
	size_t n;
	char *strings[PROFILE_MAX];
	size_t n_strings, n_mappings, n_locations, n_functions, n_samples, n_types, n_comments;
	struct numbers types[2], period_type, self, comments[32];
	struct numbers mappings[PROFILE_MAX], locations[PROFILE_MAX], functions[PROFILE_MAX];
	struct sample samples[PROFILE_MAX];
};

static inline struct numbers read_numbers(const struct field *message)
{
	struct reader r = inside(message), line;
	struct numbers n = { 0 };
	struct field f, in_line;

	while (next_field(&r, &f)) {
		assert_in_range(f.number, 1, 15);
		n.by_field[f.number] = f.value;
		if (f.type == 0)
			continue;
		line = inside(&f);
		assert_true(next_field(&line, &in_line));
		assert_int_equal(in_line.number, 1);
		n.by_field[f.number] = in_line.value;
	}
	return n;
}

static inline struct sample read_sample(const struct field *message)
{
	struct reader r = inside(message), list;
	struct sample s = { 0 };
	struct field f;

	while (next_field(&r, &f)) {
		unsigned n = 0;

		if (f.number == 3) {
			assert_true(s.n_labels < 4);
			s.labels[s.n_labels++] = read_numbers(&f);
			continue;
		}
		for (list = inside(&f); list.at < list.end; n++)
			*(f.number == 1 ? &s.locations[n] : &s.values[n]) = read_number(&list);
		if (f.number == 1)
			s.n_locations = n;
		else
			assert_int_equal(n, 2);
	}
	return s;
}

static inline void take_field(struct profile *p, const struct field *f)
{
	assert_true(p->n_samples < PROFILE_MAX && p->n_strings < PROFILE_MAX && p->n_locations < PROFILE_MAX);
	switch (f->number) {
	case 1:
		assert_true(p->n_types < 2);
		p->types[p->n_types++] = read_numbers(f);
		break;
	case 2:
		p->samples[p->n_samples++] = read_sample(f);
		break;
	case 3:
		p->mappings[p->n_mappings++] = read_numbers(f);
		break;
	case 4:
		p->locations[p->n_locations++] = read_numbers(f);
		break;
	case 5:
		p->functions[p->n_functions++] = read_numbers(f);
		break;
	case 6:
		p->strings[p->n_strings++] = strndup((const char *)f->bytes, f->value);
		break;
	case 11:
		p->period_type = read_numbers(f);
		break;
	case 13:
		assert_true(p->n_comments < 32);
		p->comments[p->n_comments++].by_field[0] = f->value;
		break;
	default:
		assert_int_equal(f->type, 0);
		p->self.by_field[f->number] = f->value;
	}
}

/* gzip, and nothing else. */
static inline void inflate_all(struct profile *p, const char *text, size_t bytes)
{
	z_stream z = { .next_in = (unsigned char *)text, .avail_in = (unsigned)bytes };

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	p->bytes = malloc(1 << 26);
	z.next_out = p->bytes;
	z.avail_out = 1 << 26;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	p->n = z.total_out;
	inflateEnd(&z);
}

static inline const char *string(const struct profile *p, uint64_t id)
{
	assert_true(id < p->n_strings);
	return p->strings[id];
}

static inline const struct numbers *find(const struct numbers *list, size_t n, uint64_t id)
{
	const struct numbers *found = NULL;

	assert_true(id);
	for (size_t i = 0; i < n; i++) {
		if (list[i].by_field[1] != id)
			continue;
		assert_null(found);
		found = &list[i];
	}
	assert_non_null(found);
	return found;
}

static inline const char *function_name(const struct profile *p, uint64_t location)
{
	const struct numbers *l = find(p->locations, p->n_locations, location);

	return string(p, find(p->functions, p->n_functions, l->by_field[4])->by_field[2]);
}

static inline const struct numbers *mapping_of(const struct profile *p, const char *file)
{
	for (size_t i = 0; i < p->n_mappings; i++)
		if (!strcmp(string(p, p->mappings[i].by_field[5]), file))
			return &p->mappings[i];
	fail_msg("no mapping %s", file);
	return NULL;
}

/* CheckValid(), and that each location lies in its mapping. */
static inline void check_places(const struct profile *p)
{
	for (size_t i = 0; i < p->n_mappings; i++)
		find(p->mappings, p->n_mappings, p->mappings[i].by_field[1]);
	for (size_t i = 0; i < p->n_functions; i++) {
		find(p->functions, p->n_functions, p->functions[i].by_field[1]);
		assert_true(*string(p, p->functions[i].by_field[2]));
		assert_int_equal(p->functions[i].by_field[2], p->functions[i].by_field[3]);
	}
	for (size_t i = 0; i < p->n_locations; i++) {
		const uint64_t *l = p->locations[i].by_field;
		const struct numbers *m = l[2] ? find(p->mappings, p->n_mappings, l[2]) : NULL;

		find(p->locations, p->n_locations, l[1]);
		find(p->functions, p->n_functions, l[4]);
		if (m)
			assert_true(l[3] >= m->by_field[2] && l[3] < m->by_field[3]);
	}
}

static inline void check_valid(const struct profile *p, bool thorough)
{
	wchar_t wide[4096];

	assert_string_equal(p->strings[0], "");
	assert_int_equal(p->n_types, 2);
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	for (size_t i = 0; i < p->n_strings; i++) {
		assert_true(mbstowcs(wide, p->strings[i], 4096) != (size_t)-1);
		for (size_t j = 0; thorough && j < i; j++)
			assert_string_not_equal(p->strings[i], p->strings[j]);
	}
	setlocale(LC_CTYPE, "C");
	if (thorough)
		check_places(p);
	for (size_t i = 0; i < p->n_samples; i++) {
		assert_true(p->samples[i].n_locations);
		for (unsigned j = 0; thorough && j < p->samples[i].n_locations; j++)
			find(p->locations, p->n_locations, p->samples[i].locations[j]);
	}
}

static inline void profile_free(struct profile *p)
{
	for (size_t i = 0; i < p->n_strings; i++)
		free(p->strings[i]);
	free(p->bytes);
	free(p);
}

/* "leaf < caller < ... = samples, weight", comm and numbers in front as they are labelled. */
static inline char *sample_text(const struct profile *p, const struct sample *s, char *buf, size_t bytes)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < s->n_labels; i++) {
		const uint64_t *l = s->labels[i].by_field;

		if (l[2])
			used += (size_t)snprintf(buf + used, bytes - used, "%s=%s ", string(p, l[1]), string(p, l[2]));
		else
			used += (size_t)snprintf(buf + used, bytes - used, "%s=%lu%s ", string(p, l[1]), l[3],
						 string(p, l[4]));
	}
	for (unsigned i = 0; i < s->n_locations; i++)
		used += (size_t)snprintf(buf + used, bytes - used, "%s%s", i ? " < " : "",
					 function_name(p, s->locations[i]));
	snprintf(buf + used, bytes - used, " = %lu, %lu", s->values[0], s->values[1]);
	return buf;
}

static inline void has_sample(const struct profile *p, const char *want)
{
	char buf[8192];

	for (size_t i = 0; i < p->n_samples; i++)
		if (!strcmp(sample_text(p, &p->samples[i], buf, sizeof(buf)), want))
			return;
	for (size_t i = 0; i < p->n_samples; i++)
		print_message("%s\n", sample_text(p, &p->samples[i], buf, sizeof(buf)));
	fail_msg("no sample '%s'", want);
}

static inline void has_comment(const struct profile *p, const char *part)
{
	for (size_t i = 0; i < p->n_comments; i++)
		if (strstr(string(p, p->comments[i].by_field[0]), part))
			return;
	fail_msg("no comment with '%s'", part);
}

#endif
