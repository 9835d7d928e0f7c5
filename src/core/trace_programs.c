/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/trace_programs.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "sched_switch" of "raw_tp/sched_switch"; NULL: no program of one tracepoint, or one of the filter's. */
static const char *tracepoint_of(const struct bpf_program *p)
{
	const char *section = bpf_program__section_name(p);

	return strncmp(bpf_program__name(p), "on_", 3) || strncmp(section, "raw_tp/", 7) ? NULL : section + 7;
}

int trace_programs_choose_types(const struct bpf_object *object)
{
	struct bpf_program *p;
	int err = 0;

	bpf_object__for_each_program(p, object)
	{
		if (!tracepoint_of(p) || !bpf_program__autoload(p))
			continue;
		err = bpf_program__set_type(p, BPF_PROG_TYPE_TRACING);
		if (!err)
			err = bpf_program__set_expected_attach_type(p, BPF_TRACE_RAW_TP);
		if (!err)
			err = bpf_program__set_attach_target(p, 0, tracepoint_of(p));
		if (err) {
			warnx("the tracepoint %s is not in the kernel's BTF: %s", tracepoint_of(p), strerror(-err));
			return -EOPNOTSUPP;
		}
		bpf_program__set_autoattach(p, false);
	}
	return 0;
}

int trace_programs_attach(const struct bpf_object_skeleton *skeleton)
{
	for (int i = 0; i < skeleton->prog_cnt; i++) {
		const struct bpf_prog_skeleton *s = &skeleton->progs[i];

		if (bpf_program__type(*s->prog) != BPF_PROG_TYPE_TRACING || !tracepoint_of(*s->prog) ||
		    !bpf_program__autoload(*s->prog))
			continue;
		*s->link = bpf_program__attach_trace(*s->prog);
		if (*s->link)
			continue;
		warn("cannot attach to the tracepoint %s", tracepoint_of(*s->prog));
		return -EOPNOTSUPP;
	}
	return 0;
}

/* In the order of enum span_vector. */
static const char *const vectors[VECTOR_IPIS] = {
	"local_timer",	    "reschedule",   "call_function",  "call_function_single", "irq_work",
	"x86_platform_ipi", "thermal_apic", "threshold_apic", "error_apic",	      "spurious_apic",
};

static int attach_vector(const struct bpf_program *program, const char *vector, const char *end, struct bpf_link **link)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", vector, end);
	*link = bpf_program__attach_raw_tracepoint(program, name);
	if (*link)
		return 0;
	return errno == ENOENT ? 0 : -errno;
}

int trace_vectors_attach(struct trace_vectors *v, const struct bpf_program *entry, const struct bpf_program *exit)
{
	int err = 0;

	if (!bpf_program__autoload(entry))
		return 0;
	for (unsigned i = 0; i < VECTOR_IPIS && !err; i++) { /* ends first: none is missed of what has a beginning */
		err = attach_vector(exit, vectors[i], "exit", &v->links[2 * i]);
		if (!err && v->links[2 * i])
			err = attach_vector(entry, vectors[i], "entry", &v->links[2 * i + 1]);
	}
	if (err)
		warnx("cannot attach to the tracepoints irq_vectors:*: %s", strerror(-err));
	return err;
}

void trace_vectors_detach(struct trace_vectors *v)
{
	for (unsigned i = 0; i < 2 * VECTOR_IPIS; i++)
		bpf_link__destroy(v->links[i]);
}
