/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs on the kernel's tracepoints: in the object raw ones, SEC("raw_tp/NAME") and named on_*, which all kernels
 * can load; made BTF ones where the kernel has BTF of its own, which cost less and may read what arguments point to.
 * The other way round libbpf would seek their tracepoints in the kernel's BTF whatever they are made.
 */
#ifndef CORE_TRACE_PROGRAMS_H
#define CORE_TRACE_PROGRAMS_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "kbpfprof/spans.h"

/* Before load: makes those that are to be loaded BTF ones. 0 or -errno after a message. */
int trace_programs_choose_types(const struct bpf_object *object);
/* After load: attaches those that choose_types() changed, which the skeleton's own attach leaves out. Likewise. */
int trace_programs_attach(const struct bpf_object_skeleton *skeleton);

/* Links of two programs to all of x86's tracepoints irq_vectors:*_entry and *_exit. */
struct trace_vectors {
	struct bpf_link *links[2 * VECTOR_IPIS];
};

/* Not every kernel has every vector. If they are not to be loaded, nothing is done. 0 or -errno after a message. */
int trace_vectors_attach(struct trace_vectors *v, const struct bpf_program *entry, const struct bpf_program *exit);
void trace_vectors_detach(struct trace_vectors *v);

#endif
