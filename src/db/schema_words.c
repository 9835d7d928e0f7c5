/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <string.h>

#include "db/schema.h"

/* What is added to an enum must be given a word here: recordings hold words. */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const kinds[] = {
	[MAPPING_NONE] = "none", [MAPPING_KERNEL] = "kernel", [MAPPING_MODULE] = "module", [MAPPING_BPF] = "bpf",
	[MAPPING_FILE] = "file", [MAPPING_VDSO] = "vdso",     [MAPPING_ANON] = "anon",
};
_Static_assert(COUNT(kinds) == MAPPING_ANON + 1, "a kind of mapping without a word");

static const char *const whys[] = {
	[WHY_NAMED] = "",
	[WHY_UNRESOLVED] = "unresolved",
	[WHY_NO_MAPPING] = "no_mapping",
	[WHY_PROCESS_GONE] = "process_gone",
	[WHY_NO_PERMISSION] = "no_permission",
	[WHY_FILE_GONE] = "file_gone",
	[WHY_FILE_CHANGED] = "file_changed",
	[WHY_NOT_ELF] = "not_elf",
	[WHY_STRIPPED] = "stripped",
	[WHY_NO_SYMBOL] = "no_symbol",
	[WHY_ANON] = "anon",
	[WHY_KPTR_RESTRICT] = "kptr_restrict",
	[WHY_STACK_FAILED] = "stack_failed",
	[WHY_TRUNCATED] = "truncated",
};
_Static_assert(COUNT(whys) == WHY_CAUSES, "a reason without a word");

static const char *const causes[] = {
	[LOST_MAP_FULL] = "map_full",	[LOST_MAP_BUSY] = "map_busy",	    [LOST_MAP_ERROR] = "map_error",
	[LOST_COLLISION] = "collision", [LOST_TARGET_FULL] = "target_full", [LOST_WAIT] = "wait",
	[LOST_SKIPPED] = "skipped",
};
_Static_assert(COUNT(causes) == LOST_CAUSES, "a cause without a word");

static const char *word(const char *const *words, size_t n, unsigned i)
{
	return i < n ? words[i] : NULL;
}

static int index_of(const char *const *words, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (words[i] && !strcmp(words[i], text))
			return (int)i;
	return -1;
}

const char *db_mapping_kind(enum mapping_kind kind)
{
	return word(kinds, COUNT(kinds), kind);
}

int db_mapping_kind_of(const char *text)
{
	return index_of(kinds, COUNT(kinds), text);
}

const char *db_why(enum why why)
{
	return word(whys, COUNT(whys), why);
}

int db_why_of(const char *text)
{
	return index_of(whys, COUNT(whys), text);
}

const char *db_lost_cause(enum lost_cause cause)
{
	return word(causes, COUNT(causes), cause);
}

int db_lost_cause_of(const char *text)
{
	return index_of(causes, COUNT(causes), text);
}

/* The number below `n` whose word it is, or -1. */
#define NUMBER_OF(n, word_of, type, text)                                      \
	({                                                                     \
		int number_ = -1;                                              \
                                                                               \
		for (int i_ = 0; i_ < (int)(n) && number_ < 0; i_++)           \
			number_ = strcmp(word_of((type)i_), (text)) ? -1 : i_; \
		number_;                                                       \
	})

int db_latency_kind_of(const char *text)
{
	return NUMBER_OF(LATENCY_KINDS, latency_kind_word, enum latency_kind, text);
}

int db_wake_cause_of(const char *text)
{
	return NUMBER_OF(WAKE_CAUSES, latency_cause_word, enum wake_cause, text);
}

int db_span_kind_of(const char *text)
{
	return NUMBER_OF(SPAN_UNKNOWN + 1, latency_span_word, enum span_kind, text);
}

int db_wake_count_of(const char *text)
{
	return NUMBER_OF(WAKE_COUNTS, latency_count_word, enum wake_count, text);
}

int db_irq_kind_of(const char *text)
{
	return NUMBER_OF(IRQ_KINDS, irq_kind_word, enum irq_kind, text);
}

int db_irq_measure_of(const char *text)
{
	return NUMBER_OF(IRQ_MEASURES, irq_measure_word, enum irq_measure, text);
}

int db_irq_context_of(const char *text)
{
	return NUMBER_OF(IRQ_CONTEXTS, irq_context_word, enum irq_context, text);
}

int db_irq_list_of(const char *text)
{
	return NUMBER_OF(IRQ_LISTS, irq_list_word, enum irq_list, text);
}

const char *db_irq_count(unsigned count)
{
	static const char *const probe[] = { "probe_fires", "probe_preempt_fires" };

	return count < IRQ_COUNTS ? irq_count_word((enum irq_count)count)
				  : word(probe, COUNT(probe), count - DB_IRQ_PROBE_FIRES);
}

int db_irq_count_of(const char *text)
{
	return NUMBER_OF(DB_IRQ_COUNTS, db_irq_count, unsigned, text);
}

char *db_irq_groups(char buf[DB_IRQ_GROUPS_BYTES], unsigned groups)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned g = 1; g < REC_IRQ_GROUPS_END; g <<= 1)
		if (groups & g)
			n += (size_t)snprintf(buf + n, DB_IRQ_GROUPS_BYTES - n, "%s%s", n ? " " : "",
					      irq_group_word((enum rec_irq_group)g));
	return buf;
}

static unsigned group_of(const char *text, size_t n)
{
	for (unsigned g = 1; g < REC_IRQ_GROUPS_END; g <<= 1) {
		const char *word = irq_group_word((enum rec_irq_group)g);

		if (strlen(word) == n && !memcmp(word, text, n))
			return g;
	}
	return 0;
}

bool db_irq_groups_of(const char *words, unsigned *groups)
{
	*groups = 0;
	while (*words) {
		size_t n = strcspn(words, " ");
		unsigned group = group_of(words, n);

		if (!group)
			return false;
		*groups |= group;
		words += n + (words[n] == ' ');
	}
	return true;
}
