/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells this program's own doing at the leaf of a kernel stack from what the machine was at. */
#ifndef SYMBOLS_OWN_FRAMES_H
#define SYMBOLS_OWN_FRAMES_H

#include "core/recording.h"

/*
 * Number of frames at the kernel's leaf that are there because the sample was taken: a BPF program
 * of this program and what the kernel needed to call it. 0 where no such program is among them: BPF
 * programs of others, and the same kernel functions when others use them, are work like any other.
 */
unsigned own_frames(const struct recording *r, const struct rec_stack *stack);

#endif
