/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the kernel take the programs of a collector, and at what price? They are loaded as a run would, attached to
 * nothing, and gone again.
 */
#ifndef CORE_PROGRAMS_H
#define CORE_PROGRAMS_H

#include "core/session.h"
#include "core/verifier.h"

enum program_state {
	PROGRAM_LEFT_OUT, /* by the tool, see reason */
	PROGRAM_LOADED,
	PROGRAM_REFUSED,
	PROGRAM_UNTRIED, /* nothing could be loaded: programs.reason */
};

struct program {
	char name[64], hook[VERIFIER_HOOK_BYTES];
	enum program_state state;
	bool counted;		     /* stats are known */
	struct verifier_stats stats; /* of a loaded one */
	unsigned translated_bytes;   /* of a loaded one: instructions as the kernel keeps them */
	unsigned jited_bytes;	     /* machine code; 0: there is no JIT, or it is not told */
	const char *reason;	     /* why left out, a constant; NULL: the tool does not say */
	int err;		     /* of a refused one: -errno */
	char *log;		     /* of a refused one: the last lines, or libbpf's word; never NULL then */
};

struct programs {
	struct program *list;
	size_t n;
	int err;	  /* 0; else why nothing could be loaded: -errno ... */
	char reason[256]; /* ... in words */
};

/*
 * Of a session with tool, options, target, time and run set. One that is refused does not keep the others from being
 * tried. programs_free() is due.
 */
void programs_try(const struct session *s, struct programs *p);
void programs_free(struct programs *p);

#endif
