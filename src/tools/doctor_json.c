/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys are for scripts: they may be added to, never renamed. What is not known is null. */
#include <stdio.h>

#include "core/json.h"
#include "core/version.h"
#include "tools/doctor.h"
#include "tools/tools.h"

void doctor_write_kernel(struct json *j, const struct doctor_facts *f)
{
	json_object(j, "kernel");
	json_string(j, "release", f->kernel.release);
	json_string(j, "version", f->kernel.version);
	json_string(j, "machine", f->kernel.machine);
	json_string(j, "preempt", f->preempt);
	json_bool(j, "preempt_dynamic", f->preempt_dynamic);
	if (f->tick_hz)
		json_uint(j, "hz", f->tick_hz);
	else
		json_null(j, "hz");
	json_object_end(j);
}

static void write_privileges(struct json *j, const struct doctor_facts *f)
{
	json_object(j, "privileges");
	json_array(j, "missing_capabilities");
	for (unsigned cap = 1; cap & FEATURES_CAPS; cap <<= 1)
		if (f->missing_caps & cap)
			json_string(j, NULL, features_cap_name(cap));
	json_array_end(j);
	json_bool(j, "user_namespace", f->user_namespace);
	json_bool(j, "pid_namespace", f->pid_namespace);
	json_object_end(j);
}

static void write_settings(struct json *j, const struct doctor_facts *f)
{
	json_object(j, "sysctl");
	for (enum doctor_sysctl id = 0; id < SYSCTLS; id++) {
		if (f->sysctls[id].known)
			json_int(j, doctor_sysctl_name(id), f->sysctls[id].value);
		else
			json_null(j, doctor_sysctl_name(id));
	}
	json_object_end(j);
}

static void write_btf(struct json *j, const struct doctor_report *r)
{
	bool wanted = doctor_wants_btf(r);

	json_object(j, "btf");
	if (r->facts.btf_file && !r->facts.btf_bytes)
		json_null(j, "bytes");
	else
		json_int(j, "bytes", r->facts.btf_bytes);
	json_string(j, "reason", *r->facts.btf_why ? r->facts.btf_why : NULL);
	json_uint(j, "modules", r->facts.btf_modules);
	json_string(j, "file", r->facts.btf_file);
	json_string(j, "how_to_make", wanted ? DOCTOR_BTF_MAKE : NULL);
	json_string(j, "how_to_cut", wanted ? DOCTOR_BTF_CUT : NULL);
	json_object_end(j);
}

static void write_system(struct json *j, const struct doctor_facts *f)
{
	static const char *const psi[] = { [PSI_ON] = "on", [PSI_OFF] = "off", [PSI_ABSENT] = "absent" };

	json_string(j, "lockdown", *f->lockdown ? f->lockdown : f->securityfs ? "absent" : NULL);
	json_string(j, "psi", psi[f->psi]);
	json_object(j, "cgroup");
	json_bool(j, "v1", f->cgroup_v1);
	json_bool(j, "v2", f->cgroup_v2);
	json_object_end(j);
	json_object(j, "memlock");
	if (f->memlock_bytes < 0)
		json_null(j, "limit_bytes");
	else
		json_int(j, "limit_bytes", f->memlock_bytes);
	json_bool(j, "can_be_raised", f->memlock_bytes < 0 || f->memlock_raisable);
	json_object_end(j);
}

static void write_features(struct json *j, const struct doctor_report *r)
{
	json_object(j, "features");
	for (enum feature id = FEATURE_NONE + 1; id < FEATURES; id++) {
		const struct feature_result *result = &r->features[id];

		json_object(j, feature_name(id));
		json_bool(j, "works", !result->err);
		json_string(j, "errno", result->err ? feature_errno_name(result->err) : NULL);
		json_string(j, "reason", result->err ? result->text : NULL);
		json_string(j, "cure", *result->cure ? result->cure : NULL);
		json_object_end(j);
	}
	json_object_end(j);
}

static void write_command(struct json *j, const struct doctor_report *r, const struct tool *tool)
{
	static const char *const words[] = {
		[VERDICT_WORKS] = "works",
		[VERDICT_DEGRADED] = "degraded",
		[VERDICT_CANNOT] = "cannot",
	};

	json_object(j, tool->name);
	json_string(j, "verdict", words[doctor_judge(r, doctor_needs(tool))]);
	json_array(j, "missing");
	for (const struct feature_need *n = doctor_needs(tool); n->feature != FEATURE_NONE; n++) {
		if (!r->features[n->feature].err)
			continue;
		json_object(j, NULL);
		json_string(j, "feature", feature_name(n->feature));
		json_bool(j, "needed", !n->without);
		json_string(j, "without", n->without);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void doctor_print_json(const struct doctor_report *r)
{
	struct json j;

	json_start(&j, stdout, true);
	json_object(&j, NULL);
	json_string(&j, "kbpfprof", KBPFPROF_VERSION);
	doctor_write_kernel(&j, &r->facts);
	write_privileges(&j, &r->facts);
	write_settings(&j, &r->facts);
	write_btf(&j, r);
	write_system(&j, &r->facts);
	write_features(&j, r);
	json_object(&j, "commands");
	for (const struct tool *const *t = tools; *t; t++)
		write_command(&j, r, *t);
	json_object_end(&j);
	json_object_end(&j);
	json_end(&j);
}
