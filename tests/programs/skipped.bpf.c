// SPDX-License-Identifier: GPL-2.0-only
/* A program that sets itself off: it runs at page faults of the kernel, and makes one. For tests/live/losses.t. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

__u32 wanted_tgid;
__u64 runs;

SEC("raw_tp/page_fault_kernel")
int faults_itself(void *ctx)
{
	char byte;

	if (bpf_get_current_pid_tgid() >> 32 != wanted_tgid)
		return 0;
	runs++;
	bpf_probe_read_user(&byte, sizeof(byte), (void *)4096); /* nothing is mapped there */
	return 0;
}
