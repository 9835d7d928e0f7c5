/* SPDX-License-Identifier: GPL-2.0-only */
/* `doctor --programs`: every program of every collector is loaded as its tool would, and what the kernel says to it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/exit.h"
#include "core/features.h"
#include "core/json.h"
#include "core/kernel_btf.h"
#include "core/programs.h"
#include "core/text.h"
#include "core/version.h"
#include "tools/doctor.h"
#include "tools/tools.h"

#define COLUMNS	 80
#define DEFAULTS "defaults"

/* Of the text: the widest that there is. */
struct widths {
	int name, hook;
};

struct report {
	const char *btf;   /* of --btf */
	struct json *json; /* NULL: text */
	bool refused;	   /* something was */
};

static struct widths widths_of(const struct programs *p)
{
	struct widths w = { 8, 8 };

	for (size_t i = 0; i < p->n; i++) {
		int name = (int)strlen(p->list[i].name), hook = (int)strlen(p->list[i].hook);

		if (p->list[i].state == PROGRAM_LEFT_OUT)
			continue;
		w.name = name > w.name ? name : w.name;
		w.hook = hook > w.hook ? hook : w.hook;
	}
	return w;
}

static void print_numbers(const struct program *one)
{
	char jited[24] = "-";

	if (one->jited_bytes)
		snprintf(jited, sizeof(jited), "%u", one->jited_bytes);
	if (one->counted)
		printf(" %9" PRIu64 " %5" PRIu64 " %7s\n", one->stats.instructions, one->stats.stack_bytes, jited);
	else
		printf(" %9s %5s %7s\n", "?", "?", jited);
}

static void print_log(const char *log)
{
	char line[VERIFIER_LINE_BYTES];

	while (*log) {
		size_t n = strcspn(log, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, log);
		text_cut(line, COLUMNS - 4);
		printf("    %s\n", line);
		log += n + (log[n] == '\n');
	}
}

static void print_program(const struct program *one, const struct widths *w)
{
	if (one->state == PROGRAM_LEFT_OUT)
		return;
	printf("  %-*s %-*s", w->name, one->name, w->hook, one->hook);
	if (one->state == PROGRAM_LOADED) {
		print_numbers(one);
		return;
	}
	printf(" refused: %s\n", feature_errno_name(one->err));
	print_log(one->log);
}

static bool same_reason(const struct program *a, const struct program *b)
{
	return a->reason == b->reason || (a->reason && b->reason && !strcmp(a->reason, b->reason));
}

/* Has one before it the same reason? Then it was named there. */
static bool is_told(const struct programs *p, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (p->list[i].state == PROGRAM_LEFT_OUT && same_reason(&p->list[i], &p->list[index]))
			return true;
	return false;
}

static void print_left_out(const struct programs *p)
{
	const char *label = "  left out";

	for (size_t i = 0; i < p->n; i++) {
		const struct program *first = &p->list[i];
		char names[512] = "", text[768];
		size_t used = 0;

		if (first->state != PROGRAM_LEFT_OUT || is_told(p, i))
			continue;
		for (size_t j = i; j < p->n && used < sizeof(names); j++)
			if (p->list[j].state == PROGRAM_LEFT_OUT && same_reason(&p->list[j], first))
				used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
							 p->list[j].name);
		snprintf(text, sizeof(text), "%s: %s", names, first->reason ? first->reason : "no reason is known");
		doctor_print_item(label, text);
		label = "";
	}
}

static void print_text(const struct tool *tool, const char *variant, const struct programs *p)
{
	struct widths w = widths_of(p);
	char reason[sizeof(p->reason) + 32];

	printf("\n%s, %s", tool->name, variant);
	if (p->err) {
		printf(": cannot be loaded\n");
		snprintf(reason, sizeof(reason), "%s: %s", feature_errno_name(p->err), p->reason);
		doctor_print_item("  reason", reason);
		return;
	}
	printf("\n  %-*s %-*s %9s %5s %7s\n", w.name, "program", w.hook, "hook", "verified", "stack", "code");
	for (size_t i = 0; i < p->n; i++)
		print_program(&p->list[i], &w);
	print_left_out(p);
}

static void write_log(struct json *j, const char *log)
{
	char line[VERIFIER_LINE_BYTES];

	json_array(j, "log");
	while (*log) {
		size_t n = strcspn(log, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, log);
		json_string(j, NULL, line);
		log += n + (log[n] == '\n');
	}
	json_array_end(j);
}

static void write_count(struct json *j, const char *key, bool known, uint64_t count)
{
	if (known)
		json_uint(j, key, count);
	else
		json_null(j, key);
}

static void write_program(struct json *j, const struct program *one)
{
	static const char *const states[] = {
		[PROGRAM_LEFT_OUT] = "left out",
		[PROGRAM_LOADED] = "loaded",
		[PROGRAM_REFUSED] = "refused",
		[PROGRAM_UNTRIED] = "not tried",
	};

	json_object(j, NULL);
	json_string(j, "name", one->name);
	json_string(j, "hook", one->hook);
	json_string(j, "state", states[one->state]);
	if (one->state == PROGRAM_LOADED) {
		write_count(j, "verified_instructions", one->counted, one->stats.instructions);
		write_count(j, "stack_bytes", one->counted, one->stats.stack_bytes);
		write_count(j, "translated_bytes", one->translated_bytes, one->translated_bytes);
		write_count(j, "jited_bytes", one->jited_bytes, one->jited_bytes);
	} else if (one->state == PROGRAM_LEFT_OUT) {
		json_string(j, "reason", one->reason);
	} else if (one->state == PROGRAM_REFUSED) {
		json_string(j, "errno", feature_errno_name(one->err));
		write_log(j, one->log);
	}
	json_object_end(j);
}

static void write_json(struct json *j, const struct tool *tool, const char *variant, const struct programs *p)
{
	json_object(j, NULL);
	json_string(j, "tool", tool->name);
	json_string(j, "variant", variant);
	json_string(j, "errno", p->err ? feature_errno_name(p->err) : NULL);
	json_string(j, "reason", p->err ? p->reason : NULL);
	json_array(j, "programs");
	for (size_t i = 0; i < p->n; i++)
		write_program(j, &p->list[i]);
	json_array_end(j);
	json_object_end(j);
}

static void tell(struct report *r, const struct tool *tool, const char *variant, const struct programs *p)
{
	r->refused |= p->err != 0;
	for (size_t i = 0; i < p->n; i++)
		r->refused |= p->list[i].state == PROGRAM_REFUSED;
	if (r->json)
		write_json(r->json, tool, variant, p);
	else
		print_text(tool, variant, p);
}

/* variant: NULL for the tool's defaults */
static int try_tool(struct report *r, const struct tool *tool, const struct tool_variant *variant)
{
	struct target_options target = { 0 };
	struct time_options time = { 0 };
	struct run_options run = { .max_loss_pct = -1, .btf = r->btf };
	void *options = calloc(1, tool->options_bytes + 1);
	struct session session = {
		.tool = tool,
		.options = options,
		.target = &target,
		.time = &time,
		.run = &run,
		.quiet = true,
	};
	struct programs programs;

	if (!options)
		return -ENOMEM;
	if (tool->defaults)
		tool->defaults(options);
	if (variant)
		variant->choose(options, &target);
	programs_try(&session, &programs);
	tell(r, tool, variant ? variant->name : DEFAULTS, &programs);
	programs_free(&programs);
	free(options);
	return 0;
}

static int try_tools(struct report *r)
{
	int err = 0;

	for (const struct tool *const *t = tools; *t && !err; t++) {
		if (!(*t)->collector)
			continue;
		err = try_tool(r, *t, NULL);
		for (const struct tool_variant *v = (*t)->variants; v && v->name && !err; v++)
			err = try_tool(r, *t, v);
	}
	return err;
}

static int report_json(struct report *r, const struct doctor_facts *f)
{
	struct json j;
	int err;

	r->json = &j;
	json_start(&j, stdout, true);
	json_object(&j, NULL);
	json_string(&j, "kbpfprof", KBPFPROF_VERSION);
	doctor_write_kernel(&j, f);
	json_array(&j, "tools");
	err = try_tools(r);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
	return err;
}

static void gather_btf(struct doctor_facts *facts, const char *file)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct kernel_btf btf;

	kernel_btf_open(&btf, file);
	libbpf_set_print(print);
	doctor_gather_btf(facts, &btf);
	facts->btf_file = kernel_btf_file(file);
	kernel_btf_close(&btf);
}

int doctor_programs(bool json, const char *btf)
{
	struct report report = { .btf = btf };
	struct doctor_facts facts;
	int err;

	doctor_gather(&facts);
	gather_btf(&facts, btf);
	if (json) {
		err = report_json(&report, &facts);
	} else {
		doctor_print_kernel(&facts);
		err = try_tools(&report);
	}
	if (err)
		return EXIT_FAILED;
	return report.refused ? EXIT_NOT_POSSIBLE : EXIT_DONE;
}
