/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * objects DIR OBJECTS STACKS ROUNDS: loads DIR/lib0.so to DIR/lib(OBJECTS-1).so, copies of link.c, and makes one page
 * fault in each of STACKS different stacks, ROUNDS times. A stack is DEPTH functions, each in another library.
 */
#include <dlfcn.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "link.h"

#define DEPTH	  12
#define FUNCTIONS 64 /* of a library that are used */

static volatile char *page;
static void (**functions)(struct step *at); /* by library and function */
static unsigned n_objects;

__attribute__((noinline)) void touch(struct step *at);

void touch(struct step *at)
{
	(void)at;
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");
	*page = 1;
}

static void load(const char *folder)
{
	char path[4096], name[64];

	for (unsigned i = 0; i < n_objects; i++) {
		void *library;

		snprintf(path, sizeof(path), "%s/lib%u.so", folder, i);
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!library)
			errx(1, "%s", dlerror());
		for (unsigned j = 0; j < FUNCTIONS; j++) {
			snprintf(name, sizeof(name), "link_function_%u",
				 LINK_FIRST + j * ((LINK_LAST - LINK_FIRST) / FUNCTIONS));
			functions[i * FUNCTIONS + j] = (void (*)(struct step *))dlsym(library, name);
			if (!functions[i * FUNCTIONS + j])
				errx(1, "%s has no %s", path, name);
		}
	}
}

/* The first two libraries are the digits of `stack`, so no two stacks are equal; the rest follows by a hash. */
static void walk(unsigned stack)
{
	unsigned digits[2] = { stack % n_objects, stack / n_objects % n_objects };
	struct step steps[DEPTH + 1];
	unsigned hash = stack;

	for (unsigned i = 0; i < DEPTH; i++) {
		unsigned object;

		hash = hash * 1664525 + 1013904223;
		object = i < 2 ? digits[i] : (hash >> 8) % n_objects;
		steps[i].next = functions[object * FUNCTIONS + (hash >> 20) % FUNCTIONS];
	}
	steps[DEPTH].next = touch;
	steps[0].next(steps + 1);
	madvise((void *)page, 1, MADV_DONTNEED);
}

int main(int argc, char **argv)
{
	unsigned stacks, rounds;

	if (argc != 5)
		errx(2, "usage: objects DIR OBJECTS STACKS ROUNDS");
	n_objects = (unsigned)atoi(argv[2]);
	stacks = (unsigned)atoi(argv[3]);
	rounds = (unsigned)atoi(argv[4]);
	functions = calloc((size_t)n_objects * FUNCTIONS, sizeof(*functions));
	page = mmap(NULL, (size_t)getpagesize(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!functions || page == MAP_FAILED)
		err(1, "no memory");
	load(argv[1]);
	for (unsigned round = 0; round < rounds; round++)
		for (unsigned stack = 0; stack < stacks; stack++)
			walk(stack);
	return 0;
}
