/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting until every BPF program that is running now has returned. The kernel does so whenever
 * an element of a map of maps is replaced (maybe_wait_bpf_programs() in kernel/bpf/syscall.c, all
 * kernels from 5.10 on), so that one can be sure that programs see a value written before.
 * 10 ms is usual, 0.8 s has been seen.
 */
#ifndef CORE_GRACE_H
#define CORE_GRACE_H

struct grace {
	int inner_fd, outer_fd; /* -1 when closed */
};

int grace_open(struct grace *g); /* 0 or -errno */
int grace_wait(const struct grace *g);
void grace_close(struct grace *g);

#endif
