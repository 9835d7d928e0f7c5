/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of BPF_LOG_STATS, in every kernel from 5.2 to 7.x (print_verification_stats() of kernel/bpf/verifier.c):
 *   stack depth 168+0+32
 *   processed 3121 insns (limit 1000000) max_states_per_insn 4 total_states 180 peak_states 180 mark_read 12
 * The depths are of the program and of its functions, in their order. bpf_prog_info.verified_insns is from 5.16 on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/verifier.h"

#define FUNCTIONS_MAX 32
#define CALLS_MAX     256
#define DROPPED_MAX   3	 /* functions, see try_all() */
#define FRAMES_MAX    8	 /* MAX_CALL_FRAMES of include/linux/bpf_verifier.h */
#define FRAME_ALIGN   32 /* as check_max_stack_depth() rounds; 16 from 6.8 on, where there is a JIT */

struct calls {
	size_t starts[FUNCTIONS_MAX]; /* ascending: instruction that a function begins with */
	size_t n;
	struct {
		size_t caller, callee;
	} list[CALLS_MAX];
	size_t n_calls;
};

/* Is it a call of a function of the program, or does it take the address of one, for a helper to call? */
static bool is_call(const struct bpf_insn *insn)
{
	if (insn->code == (BPF_JMP | BPF_CALL))
		return insn->src_reg == BPF_PSEUDO_CALL;
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM) && insn->src_reg == BPF_PSEUDO_FUNC;
}

static size_t callee(const struct bpf_insn *insns, size_t at)
{
	return (size_t)((int64_t)at + insns[at].imm + 1);
}

static int compare(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool add_start(struct calls *c, size_t start)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->starts[i] == start)
			return true;
	if (c->n == FUNCTIONS_MAX)
		return false;
	c->starts[c->n++] = start;
	return true;
}

/* The function that an instruction is part of. */
static size_t function_at(const struct calls *c, size_t insn)
{
	size_t i = c->n - 1;

	while (i && c->starts[i] > insn)
		i--;
	return i;
}

static bool add_call(struct calls *c, size_t caller, size_t called)
{
	for (size_t i = 0; i < c->n_calls; i++)
		if (c->list[i].caller == caller && c->list[i].callee == called)
			return true;
	if (c->n_calls == CALLS_MAX)
		return false;
	c->list[c->n_calls].caller = caller;
	c->list[c->n_calls++].callee = called;
	return true;
}

/* False: there are too many. */
static bool find_calls(struct calls *c, const struct bpf_insn *insns, size_t n)
{
	bool fits = add_start(c, 0);

	for (size_t i = 0; i < n && fits; i++)
		if (is_call(&insns[i]) && callee(insns, i) < n)
			fits = add_start(c, callee(insns, i));
	qsort(c->starts, c->n, sizeof(c->starts[0]), compare);
	for (size_t i = 0; i < n && fits; i++)
		if (is_call(&insns[i]) && callee(insns, i) < n)
			fits = add_call(c, function_at(c, i), function_at(c, callee(insns, i)));
	return fits;
}

/* How many there are in the line of depths, 0 if it is not as it should be. */
static size_t read_depths(uint64_t depths[FUNCTIONS_MAX], const char *log)
{
	static const char label[] = "stack depth ";
	const char *at = strstr(log, label);
	size_t n = 0;

	if (!at)
		return 0;
	at += strlen(label) - 1;
	do {
		char *end;
		uint64_t depth = strtoull(at + 1, &end, 10);

		if (end == at + 1 || n == FUNCTIONS_MAX)
			return 0;
		depths[n++] = depth ? (depth + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN : FRAME_ALIGN;
		at = end;
	} while (*at == '+');
	return n;
}

/* No chain is longer than FRAMES_MAX: after as many rounds each function has the depth of its deepest one. */
static uint64_t deepest_chain(const struct calls *c, const uint64_t *depths, uint32_t dropped)
{
	uint64_t own[FUNCTIONS_MAX], sums[FUNCTIONS_MAX];

	for (size_t i = 0; i < c->n; i++)
		sums[i] = own[i] = dropped >> i & 1 ? 0 : *depths++;
	for (unsigned round = 0; round < FRAMES_MAX; round++)
		for (size_t i = 0; i < c->n_calls; i++) {
			size_t caller = c->list[i].caller, called = c->list[i].callee;

			if (!(dropped >> caller & 1) && sums[caller] < own[caller] + sums[called])
				sums[caller] = own[caller] + sums[called];
		}
	return sums[0];
}

/*
 * The kernel drops functions that nothing calls once .rodata is known, from the line of depths, too, and does not say
 * which ones. Taken is then what gives the most: a sum that is too large, if it is wrong. 0: too many were dropped.
 */
static uint64_t try_all(const struct calls *c, const uint64_t *depths, size_t n_dropped)
{
	uint64_t end = UINT64_C(1) << c->n, set = (UINT64_C(1) << n_dropped) - 1, most = 0;

	if (!n_dropped)
		return deepest_chain(c, depths, 0);
	/* Each set of so many bits, in ascending order; the program itself, bit 0, stays. */
	for (set <<= 1; set < end && n_dropped <= DROPPED_MAX;) {
		uint64_t sum = deepest_chain(c, depths, (uint32_t)set), low = set & -set, up = set + low;

		most = sum > most ? sum : most;
		set = up | ((set ^ up) / low >> 2);
	}
	return most;
}

bool verifier_read_stats(const char *log, const struct bpf_insn *insns, size_t n_insns, struct verifier_stats *stats)
{
	const char *processed = strstr(log, "processed ");
	struct calls c = { 0 };
	uint64_t depths[FUNCTIONS_MAX];
	unsigned long long instructions;
	size_t n = read_depths(depths, log);

	if (!processed || sscanf(processed, "processed %llu insns", &instructions) != 1)
		return false;
	if (!n || !find_calls(&c, insns, n_insns) || n > c.n)
		return false;
	*stats = (struct verifier_stats){ instructions, try_all(&c, depths, c.n - n) };
	return stats->stack_bytes != 0;
}
