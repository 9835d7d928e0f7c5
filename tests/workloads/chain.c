/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chain: loops for ever in chain_leaf < chain_inner < chain_outer < main. First it prints "signed N", N being how many
 * of the return addresses on its stack are not plain ones: arm64 programs built with -mbranch-protection=standard keep
 * them with an authentication code in the upper bits.
 */
#include <stdint.h>
#include <stdio.h>

static volatile uint64_t sink;
static const void *plain[3];
static unsigned is_signed;

/* Above its frame pointer lie the caller's and the return address, on x86-64 and arm64. */
static inline __attribute__((always_inline)) void compare(const void *plain_address)
{
	const uint64_t *frame = __builtin_frame_address(0);

	is_signed += frame[1] != (uint64_t)(uintptr_t)plain_address;
}

__attribute__((noinline)) void chain_leaf(void)
{
	plain[0] = __builtin_extract_return_addr(__builtin_return_address(0));
	compare(plain[0]);
	printf("signed %u\n", is_signed);
	fflush(stdout);
	for (;;)
		sink++;
}

__attribute__((noinline)) void chain_inner(void)
{
	plain[1] = __builtin_extract_return_addr(__builtin_return_address(0));
	compare(plain[1]);
	chain_leaf();
	sink++; /* no tail call: the caller stays on the stack */
}

__attribute__((noinline)) void chain_outer(void)
{
	plain[2] = __builtin_extract_return_addr(__builtin_return_address(0));
	compare(plain[2]);
	chain_inner();
	sink++;
}

int main(void)
{
	chain_outer();
	return 0;
}
