/* SPDX-License-Identifier: GPL-2.0-only */
/* On the host the structs of vmlinux.h are the real ones: nothing is relocated. */
#ifndef HOST_BPF_CORE_READ_H
#define HOST_BPF_CORE_READ_H

#define bpf_core_field_exists(...)   1
#define bpf_core_type_exists(type)   0
#define bpf_core_type_size(type)     sizeof(type)
#define bpf_core_field_size(field)   sizeof(field)
#define HOST_OFFSET_2(type, field)   __builtin_offsetof(type, field)
#define HOST_OFFSET_1(expression)    __builtin_offsetof(struct task_struct, comm)
#define HOST_PICK(_1, _2, name, ...) name
#define bpf_core_field_offset(...)   HOST_PICK(__VA_ARGS__, HOST_OFFSET_2, HOST_OFFSET_1)(__VA_ARGS__)

#define HOST_READ_2(s, a)			  ((s)->a)
#define HOST_READ_3(s, a, b)			  ((s)->a->b)
#define HOST_READ_4(s, a, b, c)			  ((s)->a->b->c)
#define HOST_READ_PICK(_1, _2, _3, _4, name, ...) name
#define BPF_CORE_READ(...)			  HOST_READ_PICK(__VA_ARGS__, HOST_READ_4, HOST_READ_3, HOST_READ_2, )(__VA_ARGS__)

#define BPF_CORE_READ_BITFIELD_PROBED(s, field) ((s)->field)

#endif
