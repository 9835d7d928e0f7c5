/* SPDX-License-Identifier: GPL-2.0-only */
#include "tools/select.h"

#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "core/ids.h"

#define PATTERN_BYTES 4096

struct selector {
	const struct select_options *o;
	struct ids tgids, tids;
	struct cpu_list cpus;
};

static bool fits_one(const char *pattern, size_t bytes, const char *name)
{
	char one[PATTERN_BYTES];

	snprintf(one, sizeof(one), "%.*s", (int)(bytes < sizeof(one) ? bytes : sizeof(one) - 1), pattern);
	return !strcmp(one, name) || !fnmatch(one, name, 0); /* "[kernel]" is a name, and as a pattern another */
}

static bool fits_list(const char *patterns, const char *name)
{
	for (const char *at = patterns;; at++) {
		size_t bytes = strcspn(at, ",");

		if (fits_one(at, bytes, name))
			return true;
		at += bytes;
		if (!*at)
			return false;
	}
}

/* As a table writes it, "libc.so.6" and "[ext4]", or its whole path. */
static bool fits_object(const char *patterns, const struct recording *r, const struct rec_mapping *m)
{
	const char *name = recording_str(r, m->name), *slash = strrchr(name, '/');
	char module[80] = "";

	if (m->kind == MAPPING_MODULE)
		snprintf(module, sizeof(module), "[%.70s]", name);
	return fits_list(patterns, name) || (slash && fits_list(patterns, slash + 1)) ||
	       (*module && fits_list(patterns, module));
}

static const struct rec_location *leaf(const struct recording *r, int stack)
{
	const struct rec_stack *s = &r->stacks[stack];

	return s->kernel_frames + s->user_frames ? &r->locations[r->frames[s->first]] : NULL;
}

static bool keep(const struct recording *r, const struct rec_sample *s, void *arg)
{
	const struct selector *selector = arg;
	const struct select_options *o = selector->o;
	const struct rec_location *l = leaf(r, s->stack);

	return (!o->comms || fits_list(o->comms, recording_str(r, s->labels.comm))) &&
	       (!o->dsos || (l && fits_object(o->dsos, r, &r->mappings[l->mapping]))) &&
	       (!o->sym || (l && l->name && fits_one(o->sym, strlen(o->sym), recording_str(r, l->name)))) &&
	       (!o->pids || ids_has(&selector->tgids, s->labels.tgid)) &&
	       (!o->tids || ids_has(&selector->tids, s->labels.tid)) &&
	       (!o->cpus || (s->labels.cpu >= 0 && cpu_list_has(&selector->cpus, (unsigned)s->labels.cpu)));
}

static void describe(char *text, size_t bytes, const struct select_options *o)
{
	const struct {
		const char *name, *value;
	} parts[] = { { "comm", o->comms }, { "dso", o->dsos }, { "sym", o->sym },
		      { "pid", o->pids },   { "tid", o->tids }, { "cpu", o->cpus } };
	size_t used = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && used < bytes; i++)
		if (parts[i].value)
			used += (size_t)snprintf(text + used, bytes - used, "%s%s=%s", used ? ", " : "", parts[i].name,
						 parts[i].value);
}

static int parse(struct selector *selector)
{
	const struct select_options *o = selector->o;
	int err = o->pids ? ids_parse(o->pids, "--pid", &selector->tgids) : 0;

	if (!err && o->tids)
		err = ids_parse(o->tids, "--tid", &selector->tids);
	if (err || !o->cpus)
		return err;
	err = cpu_list_parse(o->cpus, &selector->cpus);
	if (err == -EINVAL)
		warnx("--cpu %s: no list of CPUs (like 0-3,7)", o->cpus);
	return err;
}

/* Was it recorded at all? Else a filter would leave nothing and seem to say that nothing was. */
static const char *not_told_apart(const struct recording *r, const struct select_options *o)
{
	const struct rec_labels *l = &r->samples[0].labels;

	if (!r->n_samples)
		return NULL;
	if (o->pids && !l->tgid)
		return "--pid";
	if (o->tids && !l->tid)
		return "--tid";
	return o->cpus && l->cpu < 0 ? "--cpu" : NULL;
}

static int apply(struct recording *r, struct selector *selector, const char *what)
{
	const char *unknown = not_told_apart(r, selector->o);

	if (unknown) {
		warnx("%s does not tell that apart, so %s cannot be answered", what, unknown);
		return -ENODATA;
	}
	describe(r->selection.text, sizeof(r->selection.text), selector->o);
	recording_select(r, keep, selector);
	if (r->n_samples || !r->selection.fires)
		return 0;
	warnx("%s has nothing with %s ('--list' and '-s comm' show what it has)", what, r->selection.text);
	return -ENODATA;
}

const char *select_given(const struct select_options *o)
{
	const struct {
		const char *value, *name;
	} filters[] = {
		{ o->comms, "--comm" }, { o->dsos, "--dso" }, { o->sym, "--sym" },
		{ o->pids, "--pid" },	{ o->tids, "--tid" }, { o->cpus, "--cpu" },
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (filters[i].value)
			return filters[i].name;
	return NULL;
}

int select_samples(struct recording *r, const struct select_options *o, const char *what)
{
	struct selector selector = { .o = o };
	int err;

	if (!select_given(o))
		return 0;
	err = parse(&selector);
	if (!err)
		err = apply(r, &selector, what);
	ids_free(&selector.tgids);
	ids_free(&selector.tids);
	cpu_list_free(&selector.cpus);
	return err;
}
