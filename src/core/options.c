/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/options.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"

/* getopt_long() answers with the row's number above all letters, so that long-only rows have one too. */
#define ROW_BASE 256
#define ROWS_MAX 96
#define HELP_ROW (ROW_BASE + ROWS_MAX)

#define CHOICES_BYTES 64

#define OPT_CPUS OPT_STRING('C', "cpu", struct target_options, cpus, "LIST", "these CPUs only, like 0-3,7")

const struct option_def target_option_defs[] = {
	OPT_FLAG('a', "all", struct target_options, all, "the whole machine (the default)"),
	OPT_STRING('p', "pid", struct target_options, pids, "PID,...", "these processes, their threads and children"),
	OPT_STRING('t', "tid", struct target_options, tids, "TID,...", "these threads and what they start"),
	OPT_CPUS,
	OPT_STRING('G', "cgroup", struct target_options, cgroup, "PATH",
		   "this cgroup and all below it (v2, or v1 by directory)"),
	OPT_STRING(0, "comm", struct target_options, comms, "NAME,...", "tasks with one of these names"),
	OPT_FLAG(0, "no-inherit", struct target_options, no_inherit, "leave out what the targets start later"),
	OPT_END,
};

const struct option_def cpu_option_defs[] = {
	OPT_CPUS,
	OPT_END,
};

const struct option_def time_option_defs[] = {
	OPT_DURATION('d', "duration", struct time_options, duration_ns, "TIME",
		     "end after TIME: 10s, 2m, 500ms; bare: seconds"),
	OPT_DURATION('D', "delay", struct time_options, delay_ns, "TIME", "start measuring after TIME"),
	OPT_DURATION('I', "interval", struct time_options, interval_ns, "TIME",
		     "a part of the result every TIME (with -o: 10s)"),
	OPT_END,
};

const struct option_def view_option_defs[] = {
	OPT_STRING('f', "format", struct view_option_values, format, "FORMAT",
		   "how to show the result, see the formats below"),
	OPT_STRING('s', "sort", struct view_option_values, sort, "KEYS",
		   "what rows are told apart by: comm,dso,sym,pid,tid,cpu"),
	OPT_FLAG(0, "children", struct view_option_values, children,
		 "add what a function's callees used, and sort by it"),
	OPT_FLAG(0, "idle", struct view_option_values, idle, "show idle time as a row"),
	OPT_COUNT(0, "top", struct view_option_values, top, "N", 0, 0, "show N rows (0: all)"),
	OPT_COUNT(0, "depth", struct view_option_values, depth, "N", 1, 0, "show call trees N functions deep"),
	OPT_PCT(0, "percent-limit", struct view_option_values, min_pct, "PCT", "sum up rows and branches below PCT"),
	OPT_STRING(0, "callers", struct view_option_values, callers, "SYM", "only the function SYM, and who calls it"),
	OPT_STRING(0, "callees", struct view_option_values, callees, "SYM", "only the function SYM, and what it calls"),
	OPT_STRING(0, "hist", struct view_option_values, hist, "NAME", "histograms of NAME: an interrupt, a softirq"),
	OPT_CHOICE(0, "color", struct view_option_values, color, "WHEN", "auto,always,never", "colour the result"),
	OPT_FLAG(0, "no-pager", struct view_option_values, no_pager, "no pager on a terminal"),
	OPT_FLAG('q', "quiet", struct view_option_values, quiet, "only errors on stderr: no progress, books, hints"),
	OPT_END,
};

const struct option_def run_option_defs[] = {
	OPT_STRING('o', "output", struct run_options, out, "FILE", "write a recording (-: to stdout), for 'report'"),
	OPT_PCT(0, "max-loss", struct run_options, max_loss_pct, "PCT", "exit with 3 if more than this was lost"),
	OPT_FLAG(0, "self-cost", struct run_options, self_cost, "show our own cost (taxes all BPF programs)"),
	OPT_BTF(struct run_options),
	OPT_FLAG('v', "verbose", struct run_options, verbose, "show libbpf's log on stderr"),
	OPT_END,
};

struct row {
	const struct option_def *def;
	void *base;
};

struct parser {
	struct row rows[ROWS_MAX];
	size_t n_rows;
	struct option long_options[ROWS_MAX + 2];
	char letters[2 * ROWS_MAX + 4];
	const char *who;
};

static void add_row(struct parser *p, const struct option_def *def, void *base)
{
	struct option *o = &p->long_options[p->n_rows];
	size_t n = strlen(p->letters);

	o->name = def->name;
	o->has_arg = def->argument ? required_argument : no_argument;
	o->val = ROW_BASE + (int)p->n_rows;
	if (def->letter)
		snprintf(p->letters + n, sizeof(p->letters) - n, "%c%s", def->letter, def->argument ? ":" : "");
	p->rows[p->n_rows++] = (struct row){ def, base };
}

static void build(struct parser *p, const struct option_group *groups, size_t n_groups, bool mixed)
{
	/* "+": options end at the first other word; ":": we print the messages */
	strcpy(p->letters, mixed ? ":h" : "+:h");
	for (size_t g = 0; g < n_groups; g++)
		for (const struct option_def *def = groups[g].defs; def && def->name; def++)
			if (p->n_rows < ROWS_MAX)
				add_row(p, def, groups[g].base);
	p->long_options[p->n_rows] = (struct option){ "help", no_argument, NULL, HELP_ROW };
}

static const struct row *find_row(const struct parser *p, int answer)
{
	if (answer >= ROW_BASE)
		return &p->rows[answer - ROW_BASE];
	for (size_t i = 0; i < p->n_rows; i++)
		if (p->rows[i].def->letter == answer)
			return &p->rows[i];
	return NULL;
}

static int store_count(const struct option_def *def, const char *text, uint64_t *to)
{
	int err = units_parse_count(text, to);

	if (!err && *to >= def->min && (!def->max || *to <= def->max))
		return 0;
	if (def->max)
		warnx("--%s %s: must be a number from %" PRIu64 " to %" PRIu64, def->name, text, def->min, def->max);
	else
		warnx("--%s %s: must be a number, %" PRIu64 " or more", def->name, text, def->min);
	return -EINVAL;
}

/* "auto,always,never" as "auto, always or never". */
static void write_choices(char *buf, size_t bytes, const char *choices)
{
	const char *last = strrchr(choices, ',');
	size_t used = 0;

	buf[0] = '\0';
	for (const char *c = choices; *c && used < bytes; c++)
		used += (size_t)snprintf(buf + used, bytes - used, *c != ',' ? "%c" : c == last ? " or " : ", ", *c);
}

static int store_choice(const struct option_def *def, const char *text, const char **to)
{
	char choices[CHOICES_BYTES];

	if (*text && !strchr(text, ',') && options_list_has(def->choices, text)) {
		*to = text;
		return 0;
	}
	write_choices(choices, sizeof(choices), def->choices);
	warnx("--%s %s: %s", def->name, text, choices);
	return -EINVAL;
}

static int store_pct(const struct option_def *def, const char *text, double *to)
{
	char *end;
	double value = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end != text && !*end && value >= 0 && value <= 100) {
		*to = value;
		return 0;
	}
	warnx("--%s %s: must be a percentage from 0 to 100", def->name, text);
	return -EINVAL;
}

static int store_duration(const struct option_def *def, const char *text, uint64_t *to)
{
	if (!units_parse_duration(text, true, to) && *to >= def->min)
		return 0;
	warnx("--%s %s: must be a time such as 10s, 500ms, 200us (a bare number is seconds)", def->name, text);
	return -EINVAL;
}

static int store(const struct row *row, const char *text)
{
	void *to = (char *)row->base + row->def->offset;

	switch (row->def->type) {
	case OPTION_FLAG:
		*(bool *)to = true;
		return 0;
	case OPTION_STRING:
		*(const char **)to = text;
		return 0;
	case OPTION_CHOICE:
		return store_choice(row->def, text, to);
	case OPTION_COUNT:
		return store_count(row->def, text, to);
	case OPTION_PCT:
		return store_pct(row->def, text, to);
	case OPTION_DURATION:
		return store_duration(row->def, text, to);
	case OPTION_IGNORED:
		return 0;
	}
	return -EINVAL;
}

static int refuse(const struct parser *p, int answer, const char *word)
{
	if (answer == ':')
		warnx("%s needs an argument ('%s --help' lists the options)", word, p->who);
	else
		warnx("no option %s ('%s --help' lists the options)", word, p->who);
	return -EINVAL;
}

/* The option as typed, for a message: getopt knows a bad letter in a cluster only by optopt. */
static const char *offender(char **argv, char letter[3])
{
	if (optopt && optopt < ROW_BASE) {
		letter[0] = '-';
		letter[1] = (char)optopt;
		letter[2] = '\0';
		return letter;
	}
	return argv[optind - 1];
}

int options_parse(const struct option_group *groups, size_t n_groups, int argc, char **argv, const char *who,
		  bool mixed, int *rest)
{
	struct parser p = { .who = who };
	char letter[3];
	int answer;

	build(&p, groups, n_groups, mixed);
	optind = 0; /* glibc and musl: start over, "+" is read again */
	while ((answer = getopt_long(argc, argv, p.letters, p.long_options, NULL)) != -1) {
		const struct row *row;
		int err;

		if (answer == 'h' || answer == HELP_ROW)
			return 1;
		if (answer == '?' || answer == ':')
			return refuse(&p, answer, offender(argv, letter));
		row = find_row(&p, answer);
		err = row ? store(row, optarg) : -EINVAL;
		if (err)
			return err;
	}
	*rest = optind;
	return 0;
}

bool options_list_has(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, word, n) && (!at[n] || at[n] == ','))
			return true;
	return false;
}

const char *option_help(char buf[OPTION_HELP_BYTES], const struct option_def *def)
{
	char choices[CHOICES_BYTES];

	if (!def->choices)
		return def->help;
	write_choices(choices, sizeof(choices), def->choices);
	snprintf(buf, OPTION_HELP_BYTES, "%s: %s", def->help, choices);
	return buf;
}

void options_print(const struct option_group *groups, size_t n_groups)
{
	for (size_t g = 0; g < n_groups; g++) {
		if (!groups[g].defs || !groups[g].defs->name)
			continue;
		printf("\n%s:\n", groups[g].title);
		for (const struct option_def *def = groups[g].defs; def->name; def++) {
			char left[64], help[OPTION_HELP_BYTES];
			const char *argument = def->argument ? def->argument : "";

			snprintf(left, sizeof(left), "%c%c%s --%s %s", def->letter ? '-' : ' ',
				 def->letter ? def->letter : ' ', def->letter ? "," : " ", def->name, argument);
			printf("  %-24s %s\n", left, option_help(help, def));
		}
	}
}
