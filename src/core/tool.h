/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The three interfaces everything hangs on. A tool is a subcommand; a collector fills a recording
 * from BPF maps; a view draws a recording. A collector never prints, a view never sees a map.
 *
 * To add a tool: bpf/NAME.bpf.c, src/tools/NAME.c with its `const struct tool tool_NAME`, a live
 * test, one line in tools/tools.c, and its page docs/kbpfprof-NAME.1. To add a view:
 * src/views/NAME.c, one line in views.c, a golden test. Then `make docs`, as after any change of
 * options. session.c and the shared headers do not change for either.
 */
#ifndef CORE_TOOL_H
#define CORE_TOOL_H

#include <stdbool.h>
#include <stdio.h>

#include "core/features.h"
#include "core/options.h"
#include "core/recording.h"

struct session;

/*
 * A skeleton and its maps. Called by session.c alone, in this order; each returns 0 or -errno and
 * has told on stderr why it failed. A NULL member is skipped.
 */
struct collector {
	int (*open)(struct session *s); /* skeleton opened, s->skeleton, s->object and, with TOOL_TARGET,
					   s->filter_config set */
	int (*configure)(
		struct session *s); /* .rodata, map sizes, which programs load; then the session loads and attaches */
	int (*attach)(struct session *s); /* what the skeleton's own attach cannot do; nothing is measured yet */
	int (*enable)(struct session *s, bool on); /* the moment that measuring starts, and stops */
	int (*tick)(struct session *s,
		    struct recording *r); /* every s->tick_ns while running: cheap looks, a drain if maps fill up */
	/*
	 * Sees to the CPUs, s->watch having `changed` or some ticks having passed: begins and ends their gaps
	 * (s->gaps). NULL: offline is all that keeps one from being measured.
	 */
	int (*follow_cpus)(struct session *s, struct recording *r, bool changed);
	int (*drain)(struct session *s, struct recording *r); /* moves what the maps hold into the recording */
	/* After a drain, at the end of each interval and, `last`, of the run: the books so far, names for what is new.
	 */
	int (*settle)(struct session *s, struct recording *r, bool last);
	uint64_t (*count)(struct session *s); /* samples kept so far, for the line of progress; cheap */
	/* Why configure() left the program out, in a clause; NULL: it did not, or the filter did. For `doctor`. */
	const char *(*left_out)(struct session *s, const char *program);
	void (*close)(struct session *s); /* accepts a half-open session */
};

/*
 * What tools that read recordings have instead of a collector: a recording, or -errno after a message.
 * exit_code starts as EXIT_DONE; EXIT_DAMAGED if it could be read in part only.
 */
struct load_request {
	const void *options; /* the tool's own */
	char *const *words;  /* what stands on the command line beside the options */
	unsigned n_words;
	bool quiet;
	const char *format; /* the load's to set, if its options ask for a view of their own */
	/* What was loaded, and the view of it if no -f says otherwise: as the tool has them, but the load's to set. */
	unsigned gives;
	const char *default_view;
	int exit_code;
};
typedef int load_fn(struct load_request *q, struct recording **r);

enum rec_content {
	REC_SAMPLES = 1 << 0,  /* stacks, samples, locations */
	REC_BASELINE = 1 << 1, /* the samples of two recordings (rec_baseline) */
	REC_LATENCY = 1 << 2,  /* histograms, causes and worst cases (core/latency.h) */
	REC_IRQ = 1 << 3,      /* interrupts and what else takes time beside tasks (core/irq.h) */
};

#define VIEW_TOP_AUTO UINT64_MAX

struct view_options {
	const char *sort; /* keys, comma separated; NULL: the view's own */
	bool children;
	bool idle;		       /* show idle as a row */
	uint64_t top;		       /* rows; 0: all; VIEW_TOP_AUTO: those worth showing, the view's choice */
	uint64_t depth;		       /* of call trees; 0: no limit */
	double min_pct;		       /* rows and branches below are summed up; < 0: the view's choice */
	const char *callers, *callees; /* only this function, wherever it stands, and who calls it or what it calls */
	const char *hist;	       /* histograms of sources so named instead of the table; NULL: the table */
	bool color;
	unsigned width; /* columns; 0: not a terminal */
};

/* Options that mean nothing to some views: there they are refused, an answer to another question being a wrong one. */
enum view_takes {
	VIEW_ROWS = 1 << 0,  /* top, children */
	VIEW_IDLE = 1 << 1,  /* idle */
	VIEW_TREES = 1 << 2, /* depth, min_pct, callers, callees */
	VIEW_KEYS = 1 << 3,  /* sort */
	VIEW_HISTS = 1 << 4, /* hist */
};

struct view {
	const char *name, *summary;
	unsigned needs;	 /* enum rec_content, all of them */
	unsigned draws;	 /* enum rec_content: what else it can draw; if it needs nothing, any of them is enough */
	unsigned takes;	 /* enum view_takes */
	unsigned labels; /* enum rec_label: of samples, that it always shows */
	bool is_data;	 /* for programs: it has no header and no footer */
	bool is_binary;	 /* refused on a terminal */
	/* Checks the options before the run: 0, or -EINVAL after a message on stderr. NULL: nothing to check. */
	int (*check)(const struct view_options *o);
	/* 0 or -errno. Errors of the stream itself are the caller's to see by ferror(). */
	int (*write)(FILE *f, const struct recording *r, const struct view_options *o);
};

enum tool_groups {
	TOOL_TARGET = 1 << 0,
	TOOL_TIME = 1 << 1,
	TOOL_VIEW = 1 << 2,
	TOOL_RUN = 1 << 3,
	TOOL_CPUS = 1 << 4,			/* instead of TOOL_TARGET: -C alone, where tasks are no target */
	TOOL_COMMAND = TOOL_TARGET | TOOL_CPUS, /* either takes a COMMAND */
};

/* A way to use a collector that loads other programs than its defaults do: `doctor --programs` tries it, too. */
struct tool_variant {
	const char *name;
	void (*choose)(void *options, struct target_options *target);
};

struct tool {
	const char *name, *summary;
	const char *usage;		  /* what follows "kbpfprof NAME " */
	const char *help;		  /* some paragraphs: what it answers, and examples */
	const struct feature_need *needs; /* of the machine, for doctor; ends with FEATURE_NONE; NULL: nothing */
	unsigned groups;		  /* enum tool_groups: shared options it takes */
	const struct option_def *options; /* its own rows ... */
	size_t options_bytes;		  /* ... and the struct they write to, zeroed, then: */
	void (*defaults)(void *options);  /* NULL: zero is the default */
	const struct collector *collector;
	const struct tool_variant *variants; /* of the collector; ends with a NULL name; NULL: none */
	load_fn *load;			     /* instead of a collector */
	unsigned words_min, words_max;	     /* of load: files it reads */
	unsigned gives;			     /* enum rec_content; of a load: what there may be */
	const char *default_view;
	int (*run)(const void *options); /* instead of both: its exit code */
};

#endif
