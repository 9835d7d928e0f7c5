/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel's verifier says of programs: of one that it refuses, the last lines of its log, and of those that it
 * takes, what they cost it. A load that succeeds pays nothing for the first: libbpf asks for a log only once a program
 * has failed, and memory is touched only where the kernel writes to it.
 */
#ifndef CORE_VERIFIER_H
#define CORE_VERIFIER_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VERIFIER_LINES	    10	 /* that a message shows of a log */
#define VERIFIER_LINES_MORE 1000 /* with -v */
#define VERIFIER_LINE_BYTES 160	 /* of each line at most, with its end */

enum verifier_mode {
	VERIFIER_QUIET,	 /* libbpf says nothing on stderr */
	VERIFIER_TALKS,	 /* its warnings go there */
	VERIFIER_COUNTS, /* quiet, and asks the verifier for its statistics of each program */
};

struct verifier_stats {
	uint64_t instructions; /* looked at, those of all paths together: the kernel's limit is a million */
	uint64_t stack_bytes;  /* of the deepest chain of calls, as the kernel counts: its limit is 512 */
};

/* Watches the load of one object. */
struct verifier {
	struct bpf_object *object;
	enum verifier_mode mode;
	char *memory; /* for the log of any program that fails, or for one of each; NULL: there was none */
	size_t bytes, bytes_each;
	char program[64]; /* that could not be loaded; "": it failed elsewhere, or libbpf did not say where */
	char complaint[VERIFIER_LINE_BYTES]; /* libbpf's first word on that program or map; "": none */
	libbpf_print_fn_t print_before;
};

/* Before the load. From here to verifier_close() libbpf's messages come here. */
void verifier_watch(struct verifier *v, struct bpf_object *object, enum verifier_mode mode);
/* Of the program that failed; "" if it got no answer. Valid until verifier_close(). */
const char *verifier_log(const struct verifier *v);
/* VERIFIER_COUNTS, after the load: what the program cost. False: not known. */
bool verifier_stats_of(const struct verifier *v, const struct bpf_program *p, struct verifier_stats *stats);
/* Tells on stderr which program failed with `err` (-errno), on which kernel, why and what to do. */
void verifier_tell(const struct verifier *v, int err);
void verifier_close(struct verifier *v);

#define VERIFIER_HOOK_BYTES 64
/* "tp_btf/sched_switch": the section of a program, or what a tool made of it, as raw tracepoints can be BTF ones. */
void verifier_hook(char hook[VERIFIER_HOOK_BYTES], const struct bpf_program *p);

/*
 * The last `lines` lines of a log, each cut to VERIFIER_LINE_BYTES - 1 and without control characters, to `line`.
 * Returns how many bytes of the log came before.
 */
size_t verifier_tail(const char *log, unsigned lines, void (*line)(const char *text, void *arg), void *arg);

/*
 * Reads what the verifier writes at the log level BPF_LOG_STATS (5.2). `insns`: the program as it was loaded, with its
 * functions, to know who calls whom. False: it is not there.
 */
bool verifier_read_stats(const char *log, const struct bpf_insn *insns, size_t n_insns, struct verifier_stats *stats);

#endif
