/* SPDX-License-Identifier: GPL-2.0-only */
/* One screen of 80 columns. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/kernel_btf.h"
#include "core/text.h"
#include "tools/doctor.h"
#include "tools/tools.h"

#define COLUMNS 80
#define INDENT	12 /* of what stands beside a label */

/* The label, then the text beside it, broken at blanks. The text is of our own making: one byte a column. */
static __attribute__((format(printf, 2, 3))) void item(const char *label, const char *format, ...)
{
	char text[1024], *save = NULL;
	size_t column = INDENT;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("%-*s", INDENT, label);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		size_t width = strlen(word);

		if (column > INDENT && column + 1 + width > COLUMNS) {
			printf("\n%*s", INDENT, "");
			column = INDENT;
		}
		column += (size_t)printf("%s%s", column > INDENT ? " " : "", word);
	}
	putchar('\n');
}

void doctor_print_item(const char *label, const char *text)
{
	item(label, "%s", text);
}

/* The value of a setting, or "?". */
static const char *sysctl_text(const struct doctor_facts *f, enum doctor_sysctl id, char buf[24])
{
	if (f->sysctls[id].known)
		snprintf(buf, 24, "%" PRId64, f->sysctls[id].value);
	else
		strcpy(buf, "?");
	return buf;
}

/* What to do about a kernel without. The file is for one build: of another one fields lie elsewhere. */
static void print_btf_making(void)
{
	item("", "make a file on the machine that built the kernel, of that build's vmlinux with debug info:");
	item("", DOCTOR_BTF_MAKE);
	item("", "(smaller, with the objects of our build: " DOCTOR_BTF_CUT ")");
	item("", "and name it by " KERNEL_BTF_CURE);
}

static void print_btf(const struct doctor_facts *f)
{
	char name[512];

	if (f->btf_file && *f->btf_why) {
		item("BTF", "refused: %s", f->btf_why);
	} else if (f->btf_file) {
		text_inert(name, sizeof(name), f->btf_file, text_is_utf8());
		item("BTF", "%.1f MB, that of %s", (double)f->btf_bytes / 1e6, name);
	} else if (f->btf_bytes)
		item("BTF", "%.1f MB, modules with their own: %u", (double)f->btf_bytes / 1e6, f->btf_modules);
	else
		item("BTF", "none: %s", f->btf_why);
}

void doctor_print_kernel(const struct doctor_facts *f)
{
	char hz[32] = "unknown";

	if (f->tick_hz)
		snprintf(hz, sizeof(hz), "%" PRIu64 " Hz", f->tick_hz);
	item("kernel", "%s %s, preempt %s%s, tick %s", f->kernel.release, f->kernel.machine,
	     f->preempt ? f->preempt : "unknown", f->preempt_dynamic ? " (dynamic)" : "", hz);
	print_btf(f);
}

static void print_privileges(const struct doctor_facts *f)
{
	char names[128] = "";
	size_t used = 0;

	for (unsigned cap = 1; cap & FEATURES_CAPS; cap <<= 1)
		if (f->missing_caps & cap)
			used += (size_t)snprintf(names + used, sizeof(names) - used, " %s", features_cap_name(cap));
	item("privileges", "%s%s%s%s", used ? "missing:" : "complete", names,
	     f->user_namespace ? "; in a user namespace: BPF and perf ignore them" : "",
	     f->pid_namespace ? "; in a PID namespace: PIDs are those of it" : "");
}

static void print_settings(const struct doctor_facts *f)
{
	char a[24], b[24], c[24];

	item("sampling", "perf_event_max_sample_rate %s, perf_event_max_stack %s, perf_event_paranoid %s",
	     sysctl_text(f, SYSCTL_SAMPLE_RATE, a), sysctl_text(f, SYSCTL_MAX_STACK, b),
	     sysctl_text(f, SYSCTL_PARANOID, c));
	item("policy", "unprivileged_bpf_disabled %s, bpf_jit_enable %s, lockdown %s",
	     sysctl_text(f, SYSCTL_UNPRIVILEGED, a), sysctl_text(f, SYSCTL_JIT, b),
	     *f->lockdown    ? f->lockdown
	     : f->securityfs ? "not built in"
			     : "unknown (securityfs is not mounted)");
}

static void print_memlock(const struct doctor_facts *f)
{
	if (f->memlock_bytes < 0)
		item("memlock", "unlimited");
	else if (f->memlock_raisable)
		item("memlock", "%" PRId64 " KiB, can be raised", f->memlock_bytes / 1024);
	else
		item("memlock", "%" PRId64 " KiB, cannot be raised (a limit for BPF before Linux 5.11)",
		     f->memlock_bytes / 1024);
}

static void print_system(const struct doctor_facts *f)
{
	static const char *const psi[] = {
		[PSI_ON] = "on",
		[PSI_OFF] = "off (boot with psi=1)",
		[PSI_ABSENT] = "not built in (CONFIG_PSI)",
	};

	print_memlock(f);
	item("PSI", "%s", psi[f->psi]);
	item("cgroups", "%s",
	     f->cgroup_v1 && f->cgroup_v2 ? "v1 and v2 mounted"
	     : f->cgroup_v2		  ? "v2 mounted"
	     : f->cgroup_v1		  ? "v1 mounted"
					  : "none mounted");
}

/* "works", or why not and the cure. */
static void print_feature(const char *label, const char *works, const struct feature_result *r)
{
	if (!r->err)
		item(label, "%s", works);
	else
		item(label, "%s%s%s%s", r->text, *r->cure ? " [" : "", r->cure, *r->cure ? "]" : "");
}

static void print_hardware(const struct doctor_report *r)
{
	char kptr[24], shown[64];

	if (r->features[FEATURE_CYCLES].err)
		print_feature("PMU", "", &r->features[FEATURE_CYCLES]);
	else if (r->features[FEATURE_INSTRUCTIONS].err) /* some emulators; in its words: as if there were no PMU */
		item("PMU", "cycles, no instructions (%s)", feature_errno_name(r->features[FEATURE_INSTRUCTIONS].err));
	else
		item("PMU", "cycles and instructions");
	snprintf(shown, sizeof(shown), "kernel addresses are shown, kptr_restrict %s",
		 sysctl_text(&r->facts, SYSCTL_KPTR, kptr));
	print_feature("kallsyms", shown, &r->features[FEATURE_KALLSYMS]);
}

/* Names of the features in `set` (bit n: feature n). */
static const char *set_names(uint64_t set, char *buf, size_t bytes)
{
	size_t used = 0;

	*buf = '\0';
	for (enum feature id = FEATURE_NONE; id < FEATURES; id++)
		if (set >> id & 1 && used < bytes)
			used += (size_t)snprintf(buf + used, bytes - used, "%s%s", used ? " " : "", feature_name(id));
	return buf;
}

/* Of `set`, those that fail as `first` does: they are told together. */
static uint64_t set_alike(const struct doctor_report *r, uint64_t set, enum feature first)
{
	uint64_t alike = 0;

	for (enum feature id = first; id < FEATURES; id++)
		if (set >> id & 1 && strcmp(r->features[id].text, r->features[first].text) == 0)
			alike |= UINT64_C(1) << id;
	return alike;
}

static void print_failures(const struct doctor_report *r, const char *label, uint64_t set)
{
	for (enum feature id = FEATURE_NONE; id < FEATURES; id++) {
		const struct feature_result *result = &r->features[id];
		char names[256];
		uint64_t alike;

		if (!(set >> id & 1))
			continue;
		alike = set_alike(r, set, id);
		set &= ~alike;
		item(label, "%s: %s%s%s%s", set_names(alike, names, sizeof(names)), result->text,
		     *result->cure ? " [" : "", result->cure, *result->cure ? "]" : "");
		label = "";
	}
}

static void print_bpf(const struct doctor_report *r)
{
	uint64_t works = 0, fails = 0;
	char names[256];

	for (enum feature id = FEATURE_NONE; id < FEATURES; id++)
		if (feature_is_bpf(id))
			*(r->features[id].err ? &fails : &works) |= UINT64_C(1) << id;
	printf("\nBPF, as tried here\n");
	item("  works", "%s", works ? set_names(works, names, sizeof(names)) : "nothing");
	print_failures(r, "  fails", fails);
}

static void print_tool(const struct doctor_report *r, const struct tool *tool)
{
	static const char *const words[] = {
		[VERDICT_WORKS] = "works",
		[VERDICT_DEGRADED] = "works, but",
		[VERDICT_CANNOT] = "does not work",
	};
	enum doctor_verdict verdict = doctor_judge(r, doctor_needs(tool));
	uint64_t missing = 0;
	char label[64];

	snprintf(label, sizeof(label), "  %s", tool->name);
	item(label, "%s", words[verdict]);
	for (const struct feature_need *n = doctor_needs(tool); n->feature != FEATURE_NONE; n++) {
		const struct feature_result *result = &r->features[n->feature];

		if (!result->err)
			continue;
		if (!n->without)
			missing |= UINT64_C(1) << n->feature;
		else if (verdict == VERDICT_DEGRADED)
			item("", "%s: %s%s%s%s", n->without, result->text, *result->cure ? " [" : "", result->cure,
			     *result->cure ? "]" : "");
	}
	print_failures(r, "", missing);
}

void doctor_print_text(const struct doctor_report *r)
{
	doctor_print_kernel(&r->facts);
	if (doctor_wants_btf(r))
		print_btf_making();
	print_privileges(&r->facts);
	print_hardware(r);
	print_settings(&r->facts);
	print_system(&r->facts);
	print_bpf(r);
	printf("\nsubcommands\n");
	for (const struct tool *const *t = tools; *t; t++)
		print_tool(r, *t);
}
