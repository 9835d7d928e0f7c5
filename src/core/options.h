/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One typed table of options per group, over getopt_long. Parsing, range checks and --help come
 * from the same rows, so they cannot disagree; man pages and completion are made from them too (make docs).
 * A row's macro refuses a field of the wrong C type at compile time.
 */
#ifndef CORE_OPTIONS_H
#define CORE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPTION_FLAG,	 /* bool: set to true */
	OPTION_IGNORED,	 /* accepted, for fingers that know perf; no field */
	OPTION_STRING,	 /* const char *: points into argv */
	OPTION_CHOICE,	 /* const char *: one of `choices` */
	OPTION_COUNT,	 /* uint64_t: decimal, with range */
	OPTION_PCT,	 /* double: 0 to 100, "%" accepted at the end */
	OPTION_DURATION, /* uint64_t ns: "5s", "200us", a bare number is seconds */
};

struct option_def {
	char letter; /* 0: long only */
	const char *name;
	enum option_type type;
	size_t offset;	      /* of the field in the group's struct */
	const char *argument; /* name of the argument in help; NULL for flags */
	const char *help;     /* one line, lower case; starts what the manual says */
	uint64_t min, max;    /* OPTION_COUNT, OPTION_DURATION; max 0: no upper limit */
	const char *choices;  /* OPTION_CHOICE: "auto,always,never"; else NULL */
};

#define OPTION_FIELD_(s, f, ctype) \
	(offsetof(s, f) + 0 * sizeof(char[1 - 2 * !__builtin_types_compatible_p(__typeof__(((s *)0)->f), ctype)]))
#define OPT_FLAG(l, n, s, f, h)                                                   \
	{                                                                         \
		l, n, OPTION_FLAG, OPTION_FIELD_(s, f, bool), NULL, h, 0, 0, NULL \
	}
#define OPT_STRING(l, n, s, f, a, h)                                                     \
	{                                                                                \
		l, n, OPTION_STRING, OPTION_FIELD_(s, f, const char *), a, h, 0, 0, NULL \
	}
#define OPT_CHOICE(l, n, s, f, a, c, h)                                               \
	{                                                                             \
		l, n, OPTION_CHOICE, OPTION_FIELD_(s, f, const char *), a, h, 0, 0, c \
	}
#define OPT_COUNT(l, n, s, f, a, min, max, h)                                           \
	{                                                                               \
		l, n, OPTION_COUNT, OPTION_FIELD_(s, f, uint64_t), a, h, min, max, NULL \
	}
#define OPT_PCT(l, n, s, f, a, h)                                                 \
	{                                                                         \
		l, n, OPTION_PCT, OPTION_FIELD_(s, f, double), a, h, 0, 100, NULL \
	}
#define OPT_DURATION(l, n, s, f, a, h)                                                 \
	{                                                                              \
		l, n, OPTION_DURATION, OPTION_FIELD_(s, f, uint64_t), a, h, 1, 0, NULL \
	}
#define OPT_MOMENT(l, n, s, f, a, h)                                                   \
	{                                                                              \
		l, n, OPTION_DURATION, OPTION_FIELD_(s, f, uint64_t), a, h, 0, 0, NULL \
	}
#define OPT_IGNORED(l, n, h)                                 \
	{                                                    \
		l, n, OPTION_IGNORED, 0, NULL, h, 0, 0, NULL \
	}
#define OPT_END                                                 \
	{                                                       \
		0, NULL, OPTION_FLAG, 0, NULL, NULL, 0, 0, NULL \
	}

/* Rows and the struct they write to. */
struct option_group {
	const char *title; /* heading in help */
	const struct option_def *defs;
	void *base;
};

/* Which tasks: shared by all collectors. Lists stay text; filter.c reads them. */
struct target_options {
	bool all;
	const char *pids, *tids, *cpus, *cgroup, *comms;
	bool no_inherit;
	char *const *command; /* argv after "--", NULL if none */
};

struct time_options {
	uint64_t duration_ns; /* 0: until Ctrl-C or the end of COMMAND */
	uint64_t delay_ns;
	uint64_t interval_ns; /* 0: not given */
};

/* How a result is shown: of all tools that have one, live or read from a recording. */
struct view_option_values {
	const char *format; /* view; NULL: the tool's default */
	const char *sort;
	bool children;
	bool idle;    /* idle time as a row */
	uint64_t top; /* rows of a table; 0: all; VIEW_TOP_AUTO unless given */
	uint64_t depth;
	double min_pct; /* < 0 unless given */
	const char *callers, *callees;
	const char *hist;
	const char *color; /* auto, always, never */
	bool no_pager;
	bool quiet;
};

/* Of a run that measures. */
struct run_options {
	const char *out;     /* recording to write; NULL: none */
	double max_loss_pct; /* < 0: no limit */
	bool self_cost;
	const char *btf; /* NULL: the kernel's own, or that of KERNEL_BTF_VARIABLE */
	bool verbose;
};
/* Its row, for `doctor` too. */
#define OPT_BTF(s) OPT_STRING(0, "btf", s, btf, "FILE", "BTF of this very kernel, which has none of its own")

extern const struct option_def target_option_defs[], cpu_option_defs[], time_option_defs[], view_option_defs[],
	run_option_defs[];

/*
 * Reads argv (argv[0] is the subcommand). *rest is the index of the first word that is no option:
 * there options end, or, if `mixed`, may go on, and words are moved behind them.
 * A fault is told on stderr, prefixed by `who`. 0; -EINVAL: usage; 1: --help was asked for.
 */
int options_parse(const struct option_group *groups, size_t n_groups, int argc, char **argv, const char *who,
		  bool mixed, int *rest);
/* Is `word` one of the words of a list like "comm,dso,sym"? NULL is an empty list. */
bool options_list_has(const char *list, const char *word);
#define OPTION_HELP_BYTES 160
/* What stands beside an option in help: its line, and its choices. Returns `buf`. */
const char *option_help(char buf[OPTION_HELP_BYTES], const struct option_def *def);
/* The rows as help shows them, to stdout. */
void options_print(const struct option_group *groups, size_t n_groups);

#endif
