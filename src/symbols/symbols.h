/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From raw addresses to named locations, in two steps, so that each address is named once and a
 * process may end before its name is looked up:
 *   symbols_stack()    during the run: address -> (mapping, address in the file), files kept open
 *   symbols_resolve()  after the run:  every location of the recording -> function
 * Everything read here was written by somebody else: it is bounded and checked, and what cannot
 * be used costs a name, never the run.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "core/recording.h"

struct symbols;

/* One process that runs one program: exec and reuse of the number make another. */
struct process_id {
	int tgid; /* of the caller's pid namespace; 0: none, no user address can be named */
	uint32_t exec_id;
	uint64_t start_ns; /* boot time */
};

struct raw_stack {
	struct process_id process;
	const uint64_t *kernel, *user; /* leaf first; leaf exact, the rest return addresses */
	unsigned kernel_frames, user_frames;
	unsigned max_frames;		/* a side with this many was cut: it gets a last frame of WHY_TRUNCATED */
	int kernel_failed, user_failed; /* the side should be there and is not: one frame of WHY_STACK_FAILED */
};

/* *out is NULL on error. Reads nothing yet. 0 or -errno. */
int symbols_open(struct symbols **out);
void symbols_close(struct symbols *s); /* NULL is fine */

/*
 * A stack was seen: reads the mappings of its process now, since that may end soon, if they are not
 * known or lack an address of the stack, as that of a library loaded since.
 */
void symbols_learn(struct symbols *s, const struct raw_stack *raw);

/* Id of the stack in the recording, or -ENOMEM. */
int symbols_stack(struct symbols *s, struct recording *r, const struct raw_stack *raw);

/* Forgets processes that no stack came from since the last call but one; files stay while locations need them. */
void symbols_age(struct symbols *s);

/*
 * Names every location that has no name yet. Kernel: /proc/kallsyms, /proc/modules. Files: .symtab
 * and .dynsym, within a symbol's size. Names are demangled (C++, Rust). 0 or -ENOMEM.
 */
int symbols_resolve(struct symbols *s, struct recording *r);

#endif
