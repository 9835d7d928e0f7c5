/* SPDX-License-Identifier: GPL-2.0-only */
/* irq --off: programs, events and places of bpf/irq_off.bpf.h. */
#ifndef TOOLS_IRQ_OFF_H
#define TOOLS_IRQ_OFF_H

#include "core/recording.h"
#include "core/session.h"

struct btf;
struct irq_off; /* of irq_state; NULL: not asked for */

/* --probe and --off-above into `q->off`, if `--off` is given. 0 or -errno after a message. */
int irq_off_parse(struct session *s);
/*
 * Before load, q->config being set: its programs, maps and settings. Where the kernel tells of each section itself
 * REC_IRQ_OFFS in q->asked and q->measured becomes REC_IRQ_OFFS_EXACT. 0 or -errno.
 */
int irq_off_choose(struct session *s, const struct btf *btf);
/* Why one of its programs is left out; NULL: it is none of its, or it is not. */
const char *irq_off_left_out(const struct session *s, const char *program);
/* After load: opens the timers of the CPUs. 0 or -errno after a message. */
int irq_off_attach(struct session *s);
/* Starts or stops them. Likewise. */
int irq_off_enable(struct session *s, bool on);
/* A timer goes with its CPU, and is made anew when that is back: to be called now and then. */
void irq_off_tick(struct session *s);
/* Takes the places so far; their functions have names after symbols_resolve(). 0 or -errno. */
int irq_off_drain(struct session *s, struct recording *r);
/* Names the places that were taken, adds up those of one name and puts them into the recording, with what else is
 * known. 0 or -ENOMEM. */
int irq_off_settle(struct session *s, struct recording *r);
void irq_off_close(struct session *s);

/* What stands in place of the function where a timer was late in user code: there interrupts are always on. */
#define IRQ_OFF_NOT_KERNEL "[user code: hypervisor or firmware]"

/*
 * The function that a place of this stack is named after, the first one that is no helper: a string, "uart_write",
 * "section_irqs_off [section]"; 0: none has a name. Or -ENOMEM.
 */
int irq_off_name(struct recording *r, int stack);

#endif
