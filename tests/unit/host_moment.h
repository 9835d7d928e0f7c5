/* SPDX-License-Identifier: GPL-2.0-only */
/* When and where a BPF program runs that is compiled for the host: as fake.now, fake.cpu and fake.current of the test.
 */
#ifndef HOST_MOMENT_H
#define HOST_MOMENT_H

static __u64 bpf_ktime_get_ns(void)
{
	return fake.now;
}

static __u32 bpf_get_smp_processor_id(void)
{
	return fake.cpu;
}

static __u64 bpf_get_current_pid_tgid(void)
{
	return (__u64)fake.current->tgid << 32 | (__u32)fake.current->pid;
}

static __u64 bpf_get_current_task(void)
{
	return (__u64)(uintptr_t)fake.current;
}

#endif
