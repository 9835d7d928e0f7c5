/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/demangle.h"

#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#include <libiberty/demangle.h>

/* Longer ones are refused by libiberty's own limit on recursion as well. */
#define MANGLED_BYTES_MAX 1024

struct output {
	char *out;
	size_t used;
	jmp_buf full;
};

/*
 * A short name can stand for one of gigabytes, each back reference doubling it. The demanglers give
 * out what they have piece by piece and keep all they need on the stack, so they are left by a jump.
 */
static void take(const char *piece, size_t bytes, void *ctx)
{
	struct output *o = ctx;

	if (bytes >= DEMANGLE_BYTES - o->used) {
		memcpy(o->out + o->used, piece, DEMANGLE_BYTES - 1 - o->used);
		strcpy(o->out + DEMANGLE_BYTES - 4, "...");
		longjmp(o->full, 1);
	}
	memcpy(o->out + o->used, piece, bytes);
	o->used += bytes;
}

/* Each demangler by its own entry: the Rust style bit of cplus_demangle() would refuse C++. */
static bool run(const char *name, struct output *o)
{
	if (setjmp(o->full))
		return true;
	if (!rust_demangle_callback(name, DMGL_NO_OPTS, take, o)) {
		o->used = 0;
		if (!cplus_demangle_v3_callback(name, DMGL_NO_OPTS, take, o))
			return false;
	}
	o->out[o->used] = '\0';
	return o->used != 0;
}

bool demangle(const char *name, char out[DEMANGLE_BYTES])
{
	struct output o = { .out = out };

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') ||
	    strnlen(name, MANGLED_BYTES_MAX) == MANGLED_BYTES_MAX)
		return false;
	return run(name, &o);
}
