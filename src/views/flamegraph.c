/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame graph as one HTML file that needs nothing else: the page of src/views/flamegraph/, and
 * in a script element that is never run, the data as JSON:
 *
 *	title, header, base_header	what was measured; of the older one in a comparison
 *	books, base_books, notes	the balance, and what the result cannot show, in words
 *	objects			names
 *	names, name_objects, name_kinds	by name: its text, its object (-1: none), enum kind
 *	period, base_period		if it was fixed: weight = fires * period, and is left out
 *	noise				of a comparison: struct noise_scale, [after, before] each
 *	frames				boxes in the picture, beside the root
 *	stacks				one array; of each stack, in the order of a walk: how many levels above a
 *					child of the frame before it starts, how many frames it adds, their
 *					names from the root outwards, and the numbers that "values" lists
 */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/tool.h"
#include "flamegraph_page.h" /* made from src/views/flamegraph/ */
#include "views/flamegraph_tree.h"
#include "views/footer.h"
#include "views/noise.h"

extern const struct view view_flamegraph;

/* Bits of a name's kind; the page knows them too. */
enum kind {
	KIND_KERNEL = 1 << 0,
	KIND_UNNAMED = 1 << 1,
	KIND_PROCESS = 1 << 2,
};

struct writer {
	struct json j;
	const struct recording *r;
	const struct flame_tree *tree;
	uint64_t period, base_period; /* 0: it varied */
};

static void write_text(struct json *j, const char *key, const char *text)
{
	char buf[FRAME_BYTES];

	text_inert(buf, sizeof(buf), text, true);
	json_string(j, key, buf);
}

static void write_meta(struct json *j, const char *key, const struct rec_meta *m, const struct rec_sampling *s)
{
	json_object(j, key);
	write_text(j, "tool", m->tool);
	write_text(j, "target", m->target);
	write_text(j, "command", m->command_line);
	write_text(j, "host", m->host);
	write_text(j, "kernel", m->kernel);
	write_text(j, "version", m->version);
	write_text(j, "event", s->event);
	write_text(j, "fallback", s->fallback);
	write_text(j, "unit", s->unit);
	json_bool(j, "is_time", s->is_time);
	json_uint(j, "asked_hz", s->asked_hz);
	json_uint(j, "asked_period", s->asked_period);
	json_double(j, "achieved_hz", s->achieved_hz);
	json_uint(j, "start_unix_ms", m->start_unix_ns / 1000000);
	json_uint(j, "duration_ns", m->duration_ns);
	json_uint(j, "cpus", m->cpus);
	json_uint(j, "kept", s->kept);
	json_object_end(j);
}

static void write_selection(struct json *j, const struct rec_selection *s)
{
	json_object(j, "selection");
	write_text(j, "text", s->text);
	json_uint(j, "left_out", s->fires);
	json_object_end(j);
}

typedef void footer_part(FILE *f, const struct recording *r, const struct view_options *o);

static int write_lines(struct json *j, const char *key, footer_part *part, const struct recording *r)
{
	const struct view_options plain = { 0 };
	char *text = NULL, *rest, *line;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	if (!f)
		return -ENOMEM;
	part(f, r, &plain);
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	rest = text;
	json_array(j, key);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			json_string(j, NULL, line);
	json_array_end(j);
	free(text);
	return 0;
}

static int write_all_lines(struct writer *w)
{
	const struct recording *r = w->r;
	struct recording after = *r;
	int err;

	after.baseline = NULL; /* else its books would be among these */
	err = write_lines(&w->j, "books", footer_books, &after);
	if (!err)
		err = write_lines(&w->j, "notes", footer_notes, r);
	if (!err && !w->tree->n_lines)
		err = write_lines(&w->j, "empty", footer_no_samples, r);
	if (!err && r->baseline) {
		const struct recording base = footer_before(r);

		err = write_lines(&w->j, "base_books", footer_books, &base);
	}
	return err;
}

/* The footer follows the locale in what it escapes; a file does not. "C" is in every C library. */
static int write_words(struct writer *w)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before;
	int err;

	if (plain == (locale_t)0)
		return -ENOMEM;
	before = uselocale(plain);
	err = write_all_lines(w);
	uselocale(before);
	freelocale(plain);
	return err;
}

static void write_objects(struct json *j, const struct functions *fs)
{
	char buf[FRAME_BYTES];
	int n = 0;

	for (size_t i = 0; i < fs->n; i++)
		n = fs->list[i].object >= n ? fs->list[i].object + 1 : n;
	json_array(j, "objects");
	for (int i = 0; i < n; i++)
		json_string(j, NULL, frame_object(buf, fs->r, fs->object_mappings[i], FRAME_UTF8));
	json_array_end(j);
}

static const struct function *function_at(const struct flame_tree *t, uint32_t rank)
{
	return &t->functions.list[t->by_rank[rank]];
}

static void write_names(struct json *j, const struct flame_tree *t)
{
	size_t n = t->functions.n;
	char buf[FRAME_BYTES];

	json_array(j, "names");
	for (uint32_t i = 0; i < n; i++)
		json_string(j, NULL, t->texts[t->by_rank[i]]);
	for (size_t i = 0; i < t->n_processes; i++)
		json_string(j, NULL, frame_process(buf, t->r, &t->lines[t->processes[i]].labels, FRAME_UTF8));
	json_array_end(j);
	json_array(j, "name_objects");
	for (uint32_t i = 0; i < n; i++)
		json_int(j, NULL, function_at(t, i)->object);
	for (size_t i = 0; i < t->n_processes; i++)
		json_int(j, NULL, -1);
	json_array_end(j);
	json_array(j, "name_kinds");
	for (uint32_t i = 0; i < n; i++)
		json_uint(j, NULL,
			  (function_at(t, i)->kernel ? KIND_KERNEL : 0) | (function_at(t, i)->name ? 0 : KIND_UNNAMED));
	for (size_t i = 0; i < t->n_processes; i++)
		json_uint(j, NULL, KIND_PROCESS);
	json_array_end(j);
}

/* Of each sample weight = fires * period; 0: not so. */
static uint64_t fixed_period(const struct flame_tree *t, bool base)
{
	uint64_t period = 0;

	for (size_t i = 0; i < t->n_lines; i++) {
		const struct flame_value *v = &t->lines[i].value;
		uint64_t fires = base ? v->base_fires : v->fires, weight = base ? v->base_weight : v->weight;

		if (!fires && !weight)
			continue;
		if (!fires || weight % fires || (period && weight / fires != period))
			return 0;
		period = weight / fires;
	}
	return period;
}

struct totals {
	struct flame_value value;
	size_t frames;
};

static void add_stack(void *arg, const struct flame_stack *s)
{
	struct totals *all = arg;

	flame_add(&all->value, &s->value);
	all->frames += s->n;
}

static void write_noise(struct json *j, const struct recording *r, const struct totals *all)
{
	struct noise_scale s = noise_scale(r, all->value.base_fires, all->value.base_weight, all->value.fires,
					   all->value.weight, all->frames);

	json_object(j, "noise");
	json_bool(j, "by_time", r->baseline->by_time);
	json_double(j, "z", s.z);
	json_array(j, "unit_value");
	json_double(j, NULL, s.after);
	json_double(j, NULL, s.before);
	json_array_end(j);
	json_array(j, "fire_value");
	json_double(j, NULL, s.after_fire);
	json_double(j, NULL, s.before_fire);
	json_array_end(j);
	json_array(j, "fires");
	json_uint(j, NULL, s.after_fires);
	json_uint(j, NULL, s.before_fires);
	json_array_end(j);
	json_object_end(j);
}

static void write_stack(void *arg, const struct flame_stack *s)
{
	struct writer *w = arg;

	json_uint(&w->j, NULL, s->up);
	json_uint(&w->j, NULL, s->n);
	for (unsigned i = 0; i < s->n; i++)
		json_uint(&w->j, NULL, s->names[i]);
	json_uint(&w->j, NULL, s->value.fires);
	if (!w->period)
		json_uint(&w->j, NULL, s->value.weight);
	if (w->r->baseline)
		json_uint(&w->j, NULL, s->value.base_fires);
	if (w->r->baseline && !w->base_period)
		json_uint(&w->j, NULL, s->value.base_weight);
}

static void write_stacks(struct writer *w)
{
	struct json *j = &w->j;

	w->period = fixed_period(w->tree, false);
	w->base_period = fixed_period(w->tree, true);
	json_uint(j, "period", w->period);
	json_uint(j, "base_period", w->base_period);
	json_array(j, "values");
	json_string(j, NULL, "fires");
	if (!w->period)
		json_string(j, NULL, "weight");
	if (w->r->baseline)
		json_string(j, NULL, "base_fires");
	if (w->r->baseline && !w->base_period)
		json_string(j, NULL, "base_weight");
	json_array_end(j);
	json_array(j, "stacks");
	flame_walk(w->tree, write_stack, w);
	json_array_end(j);
}

static int write_data(FILE *f, const struct recording *r, const struct flame_tree *tree)
{
	struct writer w = { .r = r, .tree = tree };
	struct totals all = { 0 };
	int err;

	json_start(&w.j, f, false);
	json_object(&w.j, NULL);
	write_meta(&w.j, "header", &r->meta, &r->sampling);
	if (r->baseline)
		write_meta(&w.j, "base_header", &r->baseline->meta, &r->baseline->sampling);
	if (r->selection.text[0])
		write_selection(&w.j, &r->selection);
	err = write_words(&w);
	write_objects(&w.j, &tree->functions);
	write_names(&w.j, tree);
	flame_walk(tree, add_stack, &all);
	json_uint(&w.j, "frames", all.frames);
	if (r->baseline)
		write_noise(&w.j, r, &all);
	write_stacks(&w);
	json_object_end(&w.j);
	json_end(&w.j);
	return err;
}

static int write_flamegraph(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct flame_tree tree;
	int err = flame_open(&tree, r, o);

	if (!err) {
		fwrite(flamegraph_head, 1, sizeof(flamegraph_head), f);
		err = write_data(f, r, &tree);
		fwrite(flamegraph_tail, 1, sizeof(flamegraph_tail), f);
	}
	flame_close(&tree);
	return err;
}

const struct view view_flamegraph = {
	.name = "flamegraph",
	.summary = "one HTML page: zoom, search; opens in any browser, offline",
	.needs = REC_SAMPLES,
	.draws = REC_BASELINE,
	.takes = VIEW_KEYS,
	.is_data = true,
	.write = write_flamegraph,
};
