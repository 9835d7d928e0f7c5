/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chain32: a program of 32 bits that loops for ever in chain_leaf < chain_inner < chain_outer < _start. Freestanding,
 * so that it needs no library. chain_never never runs; its address lies on the stack as a number.
 */
static volatile unsigned sink, ends;
static void *volatile numbers[4];

void chain_never(void);
void chain_leaf(void);
void chain_inner(void);
void chain_outer(void);
void _start(void);

void chain_never(void)
{
	sink++;
}

__attribute__((noinline)) void chain_leaf(void)
{
	numbers[0] = __builtin_frame_address(0); /* it has one: gcc leaves it out of leaves otherwise */
	while (!ends)
		sink++;
}

__attribute__((noinline)) void chain_inner(void)
{
	void *volatile on_stack[4];

	for (int i = 0; i < 4; i++)
		on_stack[i] = (void *)chain_never;
	chain_leaf();
	for (int i = 0; i < 4; i++)
		numbers[i] = on_stack[i];
}

__attribute__((noinline)) void chain_outer(void)
{
	chain_inner();
	sink++;
}

void _start(void)
{
	chain_outer();
	sink++;
}
