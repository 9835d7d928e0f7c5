/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/own_frames.h"

#include <string.h>

enum frame_role { ROLE_OTHER, ROLE_PLUMBING, ROLE_OWN };

/* The functions of bpf/, as BTF names them. */
static const char *const own_programs[] = { "on_sample",   "on_switch",	  "on_waking",	 "on_wakeup_new",
					    "filter_fork", "filter_exec", "filter_exit", "filter_free" };

/* Ways into a BPF program and out of one to its helpers, 5.10 to 6.18: a name, or with '*' how it begins. */
static const char *const plumbing[] = {
	"__bpf_get_stack",	 "__bpf_prog_*",		       /* __bpf_prog_enter, __bpf_prog_run512 */
	"__bpf_trace_*",					       /* of one tracepoint */
	"__perf_event_overflow", "__perf_sw_event", "___bpf_prog_run", /* the interpreter */
	"___perf_sw_event",	 "__traceiter_*",   "bpf_dispatcher_*", "bpf_get_stack*",
	"bpf_overflow_handler",	 "bpf_trace_run*",  "bpf_trampoline_*", "get_perf_callchain",
	"perf_event_overflow",	 "perf_swevent_*",  "perf_tp_event",	"perf_trace_*",
	"trace_call_bpf",
};

/* Up to the suffix of a compiler's clone (".isra.0"). */
static bool matches(const char *name, const char *pattern)
{
	size_t n = strcspn(pattern, "*");

	return !strncmp(name, pattern, n) && (pattern[n] == '*' || !name[n] || name[n] == '.');
}

/* bpf_prog_6deef7357e7b4530_on_sample: the tag, 16 hexadecimal digits, then the name (bpf_get_prog_name()). */
static bool is_own_program(const char *name)
{
	static const char prefix[] = "bpf_prog_";
	size_t prefix_bytes = sizeof(prefix) - 1;

	if (strncmp(name, prefix, prefix_bytes) != 0 || strspn(name + prefix_bytes, "0123456789abcdef") != 16 ||
	    name[prefix_bytes + 16] != '_')
		return false;
	name += prefix_bytes + 17;
	for (size_t i = 0; i < sizeof(own_programs) / sizeof(own_programs[0]); i++)
		if (!strcmp(name, own_programs[i]))
			return true;
	return false;
}

static enum frame_role role_of(const struct recording *r, uint32_t location)
{
	const struct rec_location *l = &r->locations[location];
	enum mapping_kind kind = r->mappings[l->mapping].kind;
	const char *name = recording_str(r, l->name);

	if (kind == MAPPING_BPF && is_own_program(name))
		return ROLE_OWN;
	if (kind == MAPPING_KERNEL || kind == MAPPING_BPF)
		for (size_t i = 0; i < sizeof(plumbing) / sizeof(plumbing[0]); i++)
			if (matches(name, plumbing[i]))
				return ROLE_PLUMBING;
	return ROLE_OTHER;
}

unsigned own_frames(const struct recording *r, const struct rec_stack *stack)
{
	bool own = false;
	unsigned i;

	for (i = 0; i < stack->kernel_frames; i++) {
		enum frame_role role = role_of(r, r->frames[stack->first + i]);

		if (role == ROLE_OTHER)
			break;
		own |= role == ROLE_OWN;
	}
	return own ? i : 0;
}
