/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The library that tests/bench/objects.c loads many copies of: FUNCTIONS functions that go on with the next element of
 * a path, each with a name of its own, and a symbol table of some size.
 */
#include "link.h"

#define ONE(n)                                                            \
	__attribute__((noinline)) void link_function_##n(struct step *at) \
	{                                                                 \
		at->next(at + 1);                                         \
		__asm__ volatile("" ::: "memory"); /* no tail call */     \
	}
/* clang-format off */
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)

HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8) HUNDRED(9)
HUNDRED(10) HUNDRED(11) HUNDRED(12) HUNDRED(13) HUNDRED(14) HUNDRED(15) HUNDRED(16) HUNDRED(17) HUNDRED(18)
