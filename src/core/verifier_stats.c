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

#define FUNCTIONS_MAX 256 /* BPF_MAX_SUBPROGS of include/linux/bpf_verifier.h */
#define FRAMES_MAX    8	  /* MAX_CALL_FRAMES there */
#define FRAME_ALIGN   32  /* as check_max_stack_depth() rounds; 16 from 6.8 on, where there is a JIT */

struct calls {
	size_t starts[FUNCTIONS_MAX]; /* ascending: instruction that a function begins with */
	uint64_t depths[FUNCTIONS_MAX];
	size_t n;
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

static void add_start(struct calls *c, size_t start)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->starts[i] == start)
			return;
	if (c->n < FUNCTIONS_MAX)
		c->starts[c->n++] = start;
}

static void find_functions(struct calls *c, const struct bpf_insn *insns, size_t n)
{
	add_start(c, 0);
	for (size_t i = 0; i < n; i++)
		if (is_call(&insns[i]) && callee(insns, i) < n)
			add_start(c, callee(insns, i));
	qsort(c->starts, c->n, sizeof(c->starts[0]), compare);
}

/* The function that an instruction is part of. */
static size_t function_at(const struct calls *c, size_t insn)
{
	size_t i = c->n - 1;

	while (i && c->starts[i] > insn)
		i--;
	return i;
}

static bool read_depths(struct calls *c, const char *log)
{
	static const char label[] = "stack depth ";
	const char *at = strstr(log, label);
	size_t n = 0;

	if (!at)
		return false;
	at += strlen(label) - 1;
	do {
		char *end;
		uint64_t depth = strtoull(at + 1, &end, 10);

		if (end == at + 1 || n == c->n)
			return false;
		c->depths[n++] = depth ? (depth + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN : FRAME_ALIGN;
		at = end;
	} while (*at == '+');
	return n == c->n;
}

/* No chain is longer than FRAMES_MAX: after as many rounds each function has the depth of its deepest one. */
static uint64_t deepest_chain(const struct calls *c, const struct bpf_insn *insns, size_t n)
{
	uint64_t sums[FUNCTIONS_MAX];

	memcpy(sums, c->depths, sizeof(sums));
	for (unsigned round = 0; round < FRAMES_MAX; round++)
		for (size_t i = 0; i < n; i++) {
			size_t caller, called;

			if (!is_call(&insns[i]) || callee(insns, i) >= n)
				continue;
			caller = function_at(c, i);
			called = function_at(c, callee(insns, i));
			if (sums[caller] < c->depths[caller] + sums[called])
				sums[caller] = c->depths[caller] + sums[called];
		}
	return sums[0];
}

bool verifier_read_stats(const char *log, const struct bpf_insn *insns, size_t n_insns, struct verifier_stats *stats)
{
	const char *processed = strstr(log, "processed ");
	struct calls c = { 0 };
	unsigned long long instructions;

	if (!processed || sscanf(processed, "processed %llu insns", &instructions) != 1)
		return false;
	find_functions(&c, insns, n_insns);
	if (!read_depths(&c, log))
		return false;
	*stats = (struct verifier_stats){ instructions, deepest_chain(&c, insns, n_insns) };
	return true;
}
