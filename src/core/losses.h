/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run has lost so far: what its programs counted (bpf/lost.bpf.h), and what the kernel did of them. */
#ifndef CORE_LOSSES_H
#define CORE_LOSSES_H

#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/recording.h"

/* What the kernel says of a program; false: it is not loaded. What this kernel does not tell is 0. */
bool losses_program(const struct bpf_program *program, struct bpf_prog_info *info);

/* How often the kernel has left out a program of the object since it was loaded; 0 before 5.12, which counts none. */
uint64_t losses_skipped(const struct bpf_object *object);

/* All causes but LOST_SKIPPED. 0 or -errno. */
int losses_read(const struct bpf_object *object, struct rec_lost *lost);

#endif
