/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs are functions of the arguments of their tracepoints. */
#ifndef HOST_BPF_TRACING_H
#define HOST_BPF_TRACING_H

#define BPF_PROG(name, ...) name(void *ctx, __VA_ARGS__)

#endif
