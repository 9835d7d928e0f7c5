/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where stacks come from. Programs call these two and know nothing of unwinding: another source,
 * such as .eh_frame tables, replaces a body here. `to` has room for SAMPLE_FRAMES_MAX frames.
 */
#ifndef STACK_BPF_H
#define STACK_BPF_H

#include "kbpfprof/samples.h"
#include <bpf/bpf_helpers.h>

/* Frames, or 0. -EFAULT is also how the kernel says that there is no such side. */
static __always_inline __u32 stack_get(void *ctx, __u64 *to, __u64 flags)
{
	long bytes = bpf_get_stack(ctx, to, SAMPLE_FRAMES_MAX * sizeof(__u64), flags);
	__u32 frames;

	if (bytes <= 0)
		return 0;
	frames = (__u32)bytes / 8;
	return frames > SAMPLE_FRAMES_MAX ? SAMPLE_FRAMES_MAX : frames;
}

/* By the kernel's own unwinder: ORC on x86, frame pointers on arm64. */
static __always_inline __u32 stack_kernel(void *ctx, __u64 *to)
{
	return stack_get(ctx, to, 0);
}

/* By frame pointers: programs built without them give one or two frames. */
static __always_inline __u32 stack_user(void *ctx, __u64 *to)
{
	return stack_get(ctx, to, BPF_F_USER_STACK);
}

#endif
