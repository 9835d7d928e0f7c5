/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "core/verifier.h"

/* clang-format off */
#define CALL(to)   { .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = to }
#define HELPER(id) { .code = BPF_JMP | BPF_CALL, .imm = id }
#define TAKE(to)   { .code = BPF_LD | BPF_DW | BPF_IMM, .src_reg = BPF_PSEUDO_FUNC, .imm = to }, { .code = 0 }
#define EXIT       { .code = BPF_JMP | BPF_EXIT }
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void without_functions(void **state)
{
	static const struct bpf_insn insns[] = { HELPER(7), EXIT };
	struct verifier_stats stats;

	(void)state;
	/* As 5.10 has it. */
	assert_true(verifier_read_stats("verification time 106 usec\nstack depth 8\n"
					"processed 3121 insns (limit 1000000) max_states_per_insn 4 total_states 180 "
					"peak_states 180 mark_read 12\n",
					insns, COUNT(insns), &stats));
	assert_int_equal(stats.instructions, 3121);
	assert_int_equal(stats.stack_bytes, 32);
}

/* 0 calls 3 (at 4) and 6 (at 8); 4 calls 8, which takes 10's address: all four are one chain. */
static void chain(void **state)
{
	static const struct bpf_insn insns[] = {
		CALL(3),   CALL(6), HELPER(1), EXIT, /* 0: calls 4 and 8 */
		CALL(3),   EXIT,    EXIT,      EXIT, /* 4: calls 8 */
		TAKE(3),   EXIT,    EXIT,	     /* 8: 12 is for a helper to call */
		HELPER(2), EXIT,		     /* 12 */
	};
	struct verifier_stats stats;

	(void)state;
	assert_true(verifier_read_stats("stack depth 64+96+1+0\nprocessed 9 insns\n", insns, COUNT(insns), &stats));
	assert_int_equal(stats.instructions, 9);
	assert_int_equal(stats.stack_bytes, 64 + 96 + 32 + 32);
}

/* The longer way is not the one with the most frames. */
static void deepest(void **state)
{
	static const struct bpf_insn insns[] = { CALL(1), CALL(2), CALL(1), EXIT, EXIT };
	struct verifier_stats stats;

	(void)state;
	assert_true(verifier_read_stats("stack depth 0+32+320\nprocessed 5 insns\n", insns, COUNT(insns), &stats));
	assert_int_equal(stats.stack_bytes, 32 + 32 + 320);
}

/* Of 4 functions the kernel dropped one: 2, since 64 + 96 + 32 of the others is the most that there can be. */
static void dropped(void **state)
{
	static const struct bpf_insn insns[] = {
		CALL(3), CALL(3), CALL(3), EXIT, /* 0: calls 4, 5 and 6 */
		EXIT,				 /* 4 */
		CALL(0),			 /* 5: calls 6, and runs on into it */
		EXIT,				 /* 6 */
	};
	struct verifier_stats stats;

	(void)state;
	assert_true(verifier_read_stats("processed 7 insns\nstack depth 64+96+32\n", insns, COUNT(insns), &stats));
	assert_int_equal(stats.stack_bytes, 64 + 96 + 32);
	assert_true(verifier_read_stats("processed 7 insns\nstack depth 64\n", insns, COUNT(insns), &stats));
	assert_int_equal(stats.stack_bytes, 64);
}

static void no_stats(void **state)
{
	static const struct bpf_insn insns[] = { CALL(0), EXIT };
	static const char *const bad[] = { "",
					   "processed",
					   "processed x insns\nstack depth 8+8\n",
					   "processed 5 insns\n",
					   "processed 5 insns\nstack depth \n",
					   "processed 5 insns\nstack depth 8+\n",
					   "processed 5 insns\nstack depth 8+8+8\n" };
	struct verifier_stats stats;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(verifier_read_stats(bad[i], insns, COUNT(insns), &stats));
}

struct lines {
	unsigned n;
	char first[VERIFIER_LINE_BYTES], last[VERIFIER_LINE_BYTES];
};

static void keep(const char *text, void *arg)
{
	struct lines *l = arg;

	assert_true(strlen(text) < VERIFIER_LINE_BYTES);
	if (!l->n++)
		strcpy(l->first, text);
	strcpy(l->last, text);
}

static void tail(void **state)
{
	struct lines l = { 0 };

	(void)state;
	assert_int_equal(verifier_tail("a\nb\nc\n", 2, keep, &l), 2);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.first, "b");
	assert_string_equal(l.last, "c");
	l = (struct lines){ 0 };
	assert_int_equal(verifier_tail("a\nb\nc", 10, keep, &l), 0);
	assert_int_equal(l.n, 3);
	assert_string_equal(l.last, "c");
	l = (struct lines){ 0 };
	assert_int_equal(verifier_tail("", 10, keep, &l), 0);
	assert_int_equal(l.n, 0);
	assert_int_equal(verifier_tail("\n", 1, keep, &l), 0);
	assert_int_equal(l.n, 1);
	assert_string_equal(l.first, "");
}

static void hostile_lines(void **state)
{
	char log[4096];
	struct lines l = { 0 };

	(void)state;
	memset(log, 'x', sizeof(log) - 1);
	log[sizeof(log) - 1] = '\0';
	verifier_tail(log, 10, keep, &l);
	assert_int_equal(l.n, 1);
	assert_int_equal(strlen(l.first), VERIFIER_LINE_BYTES - 1);
	l = (struct lines){ 0 };
	verifier_tail("1:\t\033[2J\r\x9b\n", 10, keep, &l);
	assert_string_equal(l.first, "1: \\x1b[2J\\x0d\\x9b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_functions), cmocka_unit_test(chain),	 cmocka_unit_test(deepest),
		cmocka_unit_test(dropped),	     cmocka_unit_test(no_stats), cmocka_unit_test(tail),
		cmocka_unit_test(hostile_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
