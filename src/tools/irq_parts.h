/* SPDX-License-Identifier: GPL-2.0-only */
/* What irq_work.c (--work) and irq_ipi.c (--ipi) do for the rest of `irq`. */
#ifndef TOOLS_IRQ_PARTS_H
#define TOOLS_IRQ_PARTS_H

#include <stdint.h>

struct btf;
struct irq_state;
struct recording;
struct symbols;

/*
 * Before load, q->config being set: which of their programs and maps there are and how large, by q->asked, the kernel
 * and the machine. What the kernel lacks goes from q->measured. 0 or -errno.
 */
int irq_work_choose(struct irq_state *q, const struct btf *btf);
int irq_ipi_choose(struct irq_state *q, const struct btf *btf);
/* Why one of their programs is left out; NULL: it is none of theirs, or it is not. btf may be NULL. */
const char *irq_work_left_out(const struct irq_state *q, const struct btf *btf, const char *program);
const char *irq_ipi_left_out(const struct irq_state *q, const struct btf *btf, const char *program);

/*
 * The name of a kernel function at its address: a string of `r`, "nvme_reset_work [nvme]"; without a symbol
 * "0xffffffffc0a01230". What is asked for first costs a look through /proc/kallsyms, for all at once that were
 * expected. The string, or -ENOMEM.
 */
int irq_function_name(struct symbols *s, uint64_t address, struct recording *r);
/* It will be asked for. 0 or -ENOMEM. */
int irq_function_expect(uint64_t address, struct recording *r);
/* Likewise: all functions that have rows now. */
int irq_functions_expect(const struct irq_state *q, struct recording *r);

/* Who sent IPIs, so far. Nothing if none are measured. 0 or -errno. */
int irq_senders_drain(struct irq_state *q, struct recording *r);

#endif
