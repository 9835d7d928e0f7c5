/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for libbpf's header, so that a BPF program compiles for the host; the test that includes it defines the
 * helpers. */
#ifndef HOST_BPF_HELPERS_H
#define HOST_BPF_HELPERS_H

#define SEC(name)
#define __always_inline	     inline __attribute__((always_inline))
#define __noinline	     __attribute__((noinline))
#define __uint(name, value)  int(*name)[value]
#define __type(name, value)  __typeof__(value) *name
#define __array(name, value) value *name[2]

#ifndef barrier /* a test may let interrupts come there */
#define barrier() asm volatile("" : : : "memory")
#endif

static void *bpf_map_lookup_elem(void *map, const void *key);
static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags);
static long bpf_map_delete_elem(void *map, const void *key);
static long bpf_get_stack(void *ctx, void *buf, __u32 bytes, __u64 flags);
static long bpf_get_current_comm(void *buf, __u32 bytes);
static __u64 bpf_get_current_pid_tgid(void);
static __u64 bpf_get_current_task(void);
static __u64 bpf_ktime_get_ns(void);
static __u64 bpf_ktime_get_boot_ns(void);
static __u32 bpf_get_smp_processor_id(void);
static long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from);
static long bpf_probe_read_kernel_str(void *to, __u32 bytes, const void *from);

#endif
