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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"
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
	uint64_t seen_ns;	       /* boot time at which it was first seen; 0: not known */
	const uint64_t *kernel, *user; /* leaf first; leaf exact, the rest return addresses */
	unsigned kernel_frames, user_frames;
	unsigned max_frames;		/* a side with this many was cut: it gets a last frame of WHY_TRUNCATED */
	int kernel_failed, user_failed; /* the side should be there and is not: one frame of WHY_STACK_FAILED */
};

/* *out is NULL on error. Reads nothing yet. 0 or -errno. */
int symbols_open(struct symbols **out);
void symbols_close(struct symbols *s); /* NULL is fine */

/*
 * Lets the kernel tell of all processes what they map, so that their stacks have names when they are
 * gone. symbols_watch_open() 0 or -errno, which may be ignored: what /proc shows is left; the events are
 * told from symbols_watch_start() on, which must come before the first stack.
 */
int symbols_watch_open(struct symbols *s);
int symbols_watch_start(struct symbols *s);
/*
 * To be called when another set of CPUs is online, as the kernel tells by each for itself: of those that came nothing
 * is known for the last `blind_ns`. `anew`: of none of them, which were all gone (a suspend).
 */
void symbols_watch_cpus(struct symbols *s, const struct cpu_list *online, uint64_t blind_ns, bool anew);
/* Takes in what was told so far. Called after stacks were gathered, before they are given to the functions below. */
void symbols_watch(struct symbols *s);
/* A process that is older than the watch and will be asked for. */
void symbols_expect(struct symbols *s, int tgid);
/* Events that were not told, or found no room. */
uint64_t symbols_watch_lost(const struct symbols *s);

/*
 * A stack was seen: learns the mappings of its process now, since that may end soon, if they are not
 * known or lack an address of the stack, as that of a library loaded since. False: there is no room;
 * symbols_stack() of all that was seen and symbols_age() make some.
 */
bool symbols_learn(struct symbols *s, const struct raw_stack *raw);
/* All stacks that there are were learnt: what the watch told of processes that are gone is due to be forgotten. */
void symbols_learnt(struct symbols *s);

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
