/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "symbols/demangle.h"

/* Right values: the sources these names were compiled from (Itanium C++ ABI 5.1, Rust RFC 2603). */
static void names(void **state)
{
	static const struct {
		const char *mangled, *name;
	} cases[] = {
		{ "_ZN3foo3barEi", "foo::bar" },
		{ "_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back" },
		{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()" },
		{ "_ZN5shapeD0Ev", "shape::~shape" },
		{ "_ZN3foo3barEv.cold", "foo::bar" },
		{ "_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	};
	char out[DEMANGLE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(demangle(cases[i].mangled, out));
		assert_string_equal(out, cases[i].name);
	}
}

static void not_mangled(void **state)
{
	static const char *const names[] = { "", "main", "_start", "_Z", "_R", "_Zebra", "_Random", "Z3foov" };
	char out[DEMANGLE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(demangle(names[i], out));
}

/* Index of a substitution as the ABI writes it: S_, S0_ ... S9_, SA_ ... SZ_, S10_ ... */
static size_t add_substitution(char *to, unsigned index)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (!index)
		return (size_t)(stpcpy(to, "S_") - to);
	if (--index < 36)
		return (size_t)sprintf(to, "S%c_", digits[index]);
	return (size_t)sprintf(to, "S%c%c_", digits[index / 36], digits[index % 36]);
}

/* f<A<int, int>, B<previous, previous>, ...>: each argument twice as long as the one before, 2^60 in all. */
static void doubling(void **state)
{
	char name[1024] = "_Z1fI1AIiiE", out[DEMANGLE_BYTES];
	size_t n = strlen(name);
	unsigned last = 0;

	(void)state;
	for (int i = 0; i < 60; i++) {
		n += (size_t)(stpcpy(name + n, "1BI") - (name + n));
		n += add_substitution(name + n, i ? last : 0);
		n += add_substitution(name + n, i ? last : 0);
		name[n++] = 'E';
		last = (unsigned)i + 3; /* A, A<int, int>, B, then each B<...> */
	}
	strcpy(name + n, "Evv");
	assert_true(demangle(name, out));
	assert_int_equal(strlen(out), DEMANGLE_BYTES - 1);
	assert_string_equal(out + DEMANGLE_BYTES - 4, "...");
	assert_memory_equal(out, "f<A<int, int>, B<", 17);
}

/* Nesting as deep as a name can be long, of each construct that nests. */
static void deep(void **state)
{
	static const struct {
		const char *start, *repeat, *end;
	} cases[] = {
		{ "_Z1f", "P", "i" },	 { "_Z1f", "PFv", "v" },  { "_Z1fI", "1AI", "i" },
		{ "_ZN", "1a", "E" },	 { "_RNv", "Nv", "C1a" }, { "_RIC1a", "T", "E" },
		{ "_Z1f", "DpT_", "i" }, { "_Z1fI", "X", "E" },	  { "_RM", "B_", "" },
	};
	static char name[1 << 20];
	char out[DEMANGLE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t bytes = 100; bytes < sizeof(name) - 64; bytes = bytes * 3 / 2) {
			char *end = stpcpy(name, cases[i].start);

			while ((size_t)(end - name) < bytes)
				end = stpcpy(end, cases[i].repeat);
			strcpy(end, cases[i].end);
			if (demangle(name, out))
				assert_true(strlen(out) < DEMANGLE_BYTES);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(not_mangled),
		cmocka_unit_test(doubling),
		cmocka_unit_test(deep),
	};

	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
