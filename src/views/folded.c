/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folded stacks: one line a stack, "comm;root;...;leaf COUNT", for flamegraph.pl, speedscope,
 * inferno and their like. The user's frames come first, then the kernel's, which end in "_[k]".
 * The first frame is the command, "comm-PID" or "comm-PID/TID" if processes or threads are told
 * apart. Lines are unique and in the order of strcmp(), frame by frame.
 *
 * COUNT is the weight in units of the mean period. With a fixed period (-c, and the clocks) these
 * are the samples; where the kernel varies the period to hold a rate, a sample that stands for more
 * counts more. Rounding is carried from line to line, so that the sum is the number of samples
 * kept; a line whose count becomes 0 is left out. A comparison has two counts, before and after, as
 * flamegraph.pl reads them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/intern.h"
#include "core/tool.h"
#include "views/frame.h"
#include "views/labels.h"

extern const struct view view_folded;

/* A text and its place in the order of all; equal texts have one rank. */
struct word {
	char *text; /* NULL: not used */
	uint32_t rank;
};

struct process {
	struct rec_labels labels; /* without the CPU */
	struct word word;
};

struct line {
	int process; /* index */
	int stack;
	uint64_t fires, weight, base_fires, base_weight;
};

struct folded {
	const struct recording *r;
	const struct view_options *options;
	struct word *frames; /* by location and side; the last one is for stacks without frames */
	size_t n_frames;
	struct process *processes;
	size_t n_processes, capacity;
	struct intern ids; /* of processes, by labels */
	struct line *lines;
};

static struct word *frame_word(const struct folded *fd, const struct rec_stack *stack, unsigned i)
{
	return &fd->frames[2 * (size_t)fd->r->frames[stack->first + i] + (i < stack->kernel_frames)];
}

static int set_text(struct word *word, const char *text)
{
	word->text = strdup(text);
	return word->text ? 0 : -ENOMEM;
}

static int write_frame_words(struct folded *fd)
{
	const struct recording *r = fd->r;
	char buf[FRAME_BYTES];
	int err;

	fd->n_frames = 2 * r->n_locations + 1;
	fd->frames = calloc(fd->n_frames, sizeof(*fd->frames));
	if (!fd->frames)
		return -ENOMEM;
	err = set_text(&fd->frames[fd->n_frames - 1], frame_text(buf, r, FRAME_NO_STACK, FRAME_FOLDED));
	for (size_t i = 0; i < r->n_stacks; i++) {
		const struct rec_stack *stack = &r->stacks[i];

		for (unsigned j = 0; !err && j < stack->kernel_frames + stack->user_frames; j++) {
			struct word *word = frame_word(fd, stack, j);
			unsigned flags = FRAME_FOLDED | (j < stack->kernel_frames ? FRAME_KERNEL : 0);

			if (!word->text)
				err = set_text(word, frame_text(buf, r, (int)r->frames[stack->first + j], flags));
		}
	}
	return err;
}

static bool same_process(const void *owner, uint32_t id, const void *key)
{
	const struct rec_labels *a = &((const struct folded *)owner)->processes[id].labels, *b = key;

	return a->comm == b->comm && a->tgid == b->tgid && a->tid == b->tid;
}

/* Index, or -ENOMEM. */
static int process_of(struct folded *fd, const struct rec_labels *labels)
{
	uint64_t hash = intern_mix(intern_mix((uint32_t)labels->comm, (uint32_t)labels->tgid), (uint32_t)labels->tid);
	int id = intern_find(&fd->ids, hash, same_process, fd, labels);
	struct process *grown;
	char buf[FRAME_BYTES];

	if (id >= 0)
		return id;
	grown = intern_grow(fd->processes, &fd->capacity, fd->n_processes + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	fd->processes = grown;
	id = (int)fd->n_processes++;
	grown[id] = (struct process){ .labels = *labels };
	if (set_text(&grown[id].word, frame_process(buf, fd->r, labels, FRAME_FOLDED)))
		return -ENOMEM;
	return intern_add(&fd->ids, hash, id) ? -ENOMEM : id;
}

static int make_lines(struct folded *fd)
{
	fd->lines = calloc(fd->r->n_samples + 1, sizeof(*fd->lines));
	if (!fd->lines)
		return -ENOMEM;
	for (size_t i = 0; i < fd->r->n_samples; i++) {
		const struct rec_sample *s = &fd->r->samples[i];
		struct rec_labels labels = labels_wanted(&s->labels, fd->options);
		int process = process_of(fd, &labels);

		if (process < 0)
			return process;
		fd->lines[i] = (struct line){ process, s->stack, s->fires, s->weight, s->base_fires, s->base_weight };
	}
	return 0;
}

/* A word while it is sorted. */
struct entry {
	const char *text;
	uint32_t *rank;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static void rank(struct entry *entries, size_t n)
{
	qsort(entries, n, sizeof(*entries), compare_entries);
	for (size_t i = 1; i < n; i++)
		*entries[i].rank = *entries[i - 1].rank + (compare_entries(&entries[i - 1], &entries[i]) != 0);
}

static int rank_words(struct folded *fd)
{
	struct entry *entries = malloc((fd->n_frames + fd->n_processes) * sizeof(*entries));
	size_t n = 0;

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < fd->n_frames; i++)
		if (fd->frames[i].text)
			entries[n++] = (struct entry){ fd->frames[i].text, &fd->frames[i].rank };
	rank(entries, n);
	for (n = 0; n < fd->n_processes; n++)
		entries[n] = (struct entry){ fd->processes[n].word.text, &fd->processes[n].word.rank };
	rank(entries, n);
	free(entries);
	return 0;
}

/* The word at `depth` below the root; NULL beyond the leaf. */
static const struct word *word_at(const struct folded *fd, int id, unsigned depth)
{
	const struct rec_stack *stack = &fd->r->stacks[id];
	unsigned n = stack->kernel_frames + stack->user_frames;

	if (!n)
		return depth ? NULL : &fd->frames[fd->n_frames - 1];
	return depth < n ? frame_word(fd, stack, n - 1 - depth) : NULL;
}

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct folded *fd = context;
	const struct line *x = a, *y = b;
	uint32_t p = fd->processes[x->process].word.rank, q = fd->processes[y->process].word.rank;

	if (p != q)
		return p < q ? -1 : 1;
	if (x->stack == y->stack)
		return 0;
	for (unsigned depth = 0;; depth++) {
		const struct word *v = word_at(fd, x->stack, depth), *w = word_at(fd, y->stack, depth);

		if (!v || !w)
			return (v != NULL) - (w != NULL);
		if (v->rank != w->rank)
			return v->rank < w->rank ? -1 : 1;
	}
}

/* `weight` in units of the mean period, rounded half up. */
static uint64_t in_periods(uint64_t weight, uint64_t all_weight, uint64_t all_fires)
{
	return (uint64_t)(((unsigned __int128)weight * all_fires + all_weight / 2) / all_weight);
}

/* Counts of lines, one after the other, whose sum is that of the samples: what is rounded off goes to the next. */
struct counter {
	uint64_t all_fires, all_weight;
	uint64_t sum, written;
};

static void counter_expect(struct counter *c, uint64_t fires, uint64_t weight)
{
	c->all_fires += fires;
	c->all_weight += weight;
}

static void counter_add(struct counter *c, uint64_t fires, uint64_t weight)
{
	c->sum += c->all_weight ? weight : fires;
}

/* What was added since the last call. */
static uint64_t counter_take(struct counter *c)
{
	uint64_t upto = c->all_weight ? in_periods(c->sum, c->all_weight, c->all_fires) : c->sum;
	uint64_t count = upto - c->written;

	c->written = upto;
	return count;
}

static void write_line(FILE *f, const struct folded *fd, const struct line *line, uint64_t base_count, uint64_t count)
{
	const struct word *word;

	if (!base_count && !count)
		return;
	fputs(fd->processes[line->process].word.text, f);
	for (unsigned depth = 0; (word = word_at(fd, line->stack, depth)); depth++) {
		fputc(';', f);
		fputs(word->text, f);
	}
	if (fd->r->baseline)
		fprintf(f, " %" PRIu64, base_count);
	fprintf(f, " %" PRIu64 "\n", count);
}

static void write_lines(FILE *f, const struct folded *fd)
{
	struct counter before = { 0 }, now = { 0 };
	size_t n = fd->r->n_samples;

	for (size_t i = 0; i < n; i++) {
		counter_expect(&before, fd->lines[i].base_fires, fd->lines[i].base_weight);
		counter_expect(&now, fd->lines[i].fires, fd->lines[i].weight);
	}
	for (size_t i = 0; i < n; i++) {
		const struct line *line = &fd->lines[i];

		counter_add(&before, line->base_fires, line->base_weight);
		counter_add(&now, line->fires, line->weight);
		if (i + 1 == n || compare_lines(line, line + 1, (void *)fd))
			write_line(f, fd, line, counter_take(&before), counter_take(&now));
	}
}

/* After all others, since it is no command. */
static void write_idle(FILE *f, const struct recording *r)
{
	const struct rec_sampling *s = &r->sampling;

	if (s->idle)
		fprintf(f, "[idle] %" PRIu64 "\n",
			s->kept_weight ? in_periods(s->idle_weight, s->kept_weight, s->kept) : s->idle);
}

static int write_folded(FILE *f, const struct recording *r, const struct view_options *o)
{
	struct folded fd = { .r = r, .options = o };
	int err = write_frame_words(&fd);

	if (!err)
		err = make_lines(&fd);
	if (!err)
		err = rank_words(&fd);
	if (!err) {
		qsort_r(fd.lines, r->n_samples, sizeof(*fd.lines), compare_lines, &fd);
		write_lines(f, &fd);
	}
	if (!err && o->idle && !r->baseline)
		write_idle(f, r);
	for (size_t i = 0; i < fd.n_frames && fd.frames; i++)
		free(fd.frames[i].text);
	for (size_t i = 0; i < fd.n_processes; i++)
		free(fd.processes[i].word.text);
	free(fd.frames);
	free(fd.processes);
	intern_free(&fd.ids);
	free(fd.lines);
	return err;
}

const struct view view_folded = {
	.name = "folded",
	.summary = "one line a stack, for flame graph tools",
	.needs = REC_SAMPLES,
	.takes = VIEW_KEYS | VIEW_IDLE,
	.draws = REC_BASELINE,
	.is_data = true,
	.write = write_folded,
};
