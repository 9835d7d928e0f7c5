/* SPDX-License-Identifier: GPL-2.0-only */
/* `kbpfprof doctor`: what this machine lets us do, and so which subcommands work here. */
#include <bpf/libbpf.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/exit.h"
#include "core/kernel_btf.h"
#include "core/tool.h"
#include "tools/doctor.h"
#include "tools/tools.h"

struct doctor_options {
	bool json, programs;
	const char *btf;
};

const struct feature_need *doctor_needs(const struct tool *tool)
{
	static const struct feature_need nothing[] = { { FEATURE_NONE, NULL } };

	return tool->needs ? tool->needs : nothing;
}

enum doctor_verdict doctor_judge(const struct doctor_report *r, const struct feature_need *needs)
{
	enum doctor_verdict verdict = VERDICT_WORKS;

	for (; needs->feature != FEATURE_NONE; needs++) {
		if (!r->features[needs->feature].err)
			continue;
		if (!needs->without)
			return VERDICT_CANNOT;
		verdict = VERDICT_DEGRADED;
	}
	return verdict;
}

/* Does any subcommand do its work here, of those that ask for something? */
static bool anything_works(const struct doctor_report *r)
{
	for (const struct tool *const *t = tools; *t; t++)
		if ((*t)->needs && doctor_judge(r, (*t)->needs) != VERDICT_CANNOT)
			return true;
	return false;
}

bool doctor_wants_btf(const struct doctor_report *r)
{
	return r->features[FEATURE_BTF].err && !r->facts.btf_bytes && strcmp(r->facts.btf_why, KERNEL_BTF_NO_SYS) != 0;
}

/* What a file is checked by is libbpf's to load, whose messages are not ours. */
static void probe(const char *file, struct doctor_report *r)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct kernel_btf btf;

	kernel_btf_open(&btf, file);
	libbpf_set_print(print);
	doctor_gather_btf(&r->facts, &btf);
	features_probe_all(&btf, r->features);
	kernel_btf_close(&btf);
}

/* The report itself; an exit code. */
static int examine(const struct doctor_options *o)
{
	struct doctor_report report;

	doctor_gather(&report.facts);
	probe(o->btf, &report);
	if (o->json)
		doctor_print_json(&report);
	else
		doctor_print_text(&report);
	return anything_works(&report) ? EXIT_DONE : EXIT_NOT_POSSIBLE;
}

static int doctor_run(const void *options)
{
	const struct doctor_options *o = options;
	int code = o->programs ? doctor_programs(o->json, o->btf) : examine(o);

	if (fflush(stdout) || ferror(stdout)) {
		warnx("cannot write the report: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return code;
}

static const struct option_def doctor_option_defs[] = {
	OPT_FLAG(0, "json", struct doctor_options, json, "the same facts as JSON"),
	OPT_FLAG(0, "programs", struct doctor_options, programs, "load each BPF program, tell what the kernel says"),
	OPT_BTF(struct doctor_options),
	OPT_END,
};

static const char doctor_help[] = "Loads and attaches a BPF program of each kind for a moment, reads the settings\n"
				  "that matter, and says which subcommands work on this machine, which only in part\n"
				  "and why, with the cure.\n"
				  "Nothing is left behind. Exit status 4: no subcommand can work here.\n"
				  "With --programs: 4 if this kernel refuses a program of some subcommand.\n"
				  "\n"
				  "  kbpfprof doctor                                        one screen\n"
				  "  kbpfprof doctor --programs                             does it all load here?\n"
				  "  kbpfprof doctor --json | jq .commands.profile.verdict  for scripts\n"
				  "  kbpfprof doctor --btf FILE                             is it of this kernel?\n";

const struct tool tool_doctor = {
	.name = "doctor",
	.summary = "what works on this machine, and what to do about the rest",
	.usage = "[--programs] [--json] [--btf FILE]",
	.help = doctor_help,
	.options = doctor_option_defs,
	.options_bytes = sizeof(struct doctor_options),
	.run = doctor_run,
};
