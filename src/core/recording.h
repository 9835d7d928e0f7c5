/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recording: all that a run learned, in the words of pprof. Collectors add to it, symbols
 * name its locations, views only read it. Everything is interned: adding the same thing twice
 * gives the same id, and memory grows with what is distinct, not with time.
 *
 * Functions that add return an id >= 0, or -ENOMEM. Id 0 of strings is "".
 * A recording has one owner and no locks.
 */
#ifndef CORE_RECORDING_H
#define CORE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kbpfprof/lost.h"

enum mapping_kind {
	MAPPING_NONE,	/* an address of which nothing is known but why (rec_location.why) */
	MAPPING_KERNEL, /* [kernel]: addresses are absolute, as /proc/kallsyms prints them */
	MAPPING_MODULE, /* [module]: likewise */
	MAPPING_BPF,	/* [bpf] programs */
	MAPPING_FILE,	/* an ELF file: addresses are those of its own headers (st_value) */
	MAPPING_VDSO,	/* likewise */
	MAPPING_ANON,	/* memory without a file, as a JIT makes it: addresses are absolute */
};

/* Why a location has no name. Views show the words of why_name(). */
enum why {
	WHY_NAMED,	   /* it has one */
	WHY_UNRESOLVED,	   /* symbols_resolve() has not run */
	WHY_NO_MAPPING,	   /* the process maps nothing there */
	WHY_PROCESS_GONE,  /* the process ended before its mappings could be read */
	WHY_NO_PERMISSION, /* its mappings or the file may not be read (CAP_SYS_PTRACE) */
	WHY_FILE_GONE,	   /* the file can be opened by none of the ways there are */
	WHY_FILE_CHANGED,  /* another file has its path now: never used */
	WHY_NOT_ELF,	   /* damaged, or no ELF file */
	WHY_STRIPPED,	   /* it has no symbol table */
	WHY_NO_SYMBOL,	   /* it has one, but no symbol covers the address */
	WHY_ANON,	   /* memory without a file */
	WHY_KPTR_RESTRICT, /* /proc/kallsyms shows no addresses (kernel.kptr_restrict, CAP_SYSLOG) */
	WHY_STACK_FAILED,  /* not an address: the kernel could not give this side of the stack */
	WHY_TRUNCATED,	   /* not an address: the stack goes on, but its depth limit was reached */
	WHY_CAUSES,
};

#define BUILD_ID_BYTES_MAX 32

/* The NT_GNU_BUILD_ID note: equal for two files only if they were one build. */
struct build_id {
	uint8_t n; /* bytes; 0: it has none, or it is not known */
	uint8_t bytes[BUILD_ID_BYTES_MAX];
};

/* The first five members tell mappings apart, the rest is what is known of them: recording_describe(). */
struct rec_mapping {
	int name; /* string: path as the process sees it, or [kernel], module name, [bpf], [vdso], [anon] */
	enum mapping_kind kind;
	uint64_t dev, inode; /* of the file; 0 when there is none */
	uint64_t changed_ns; /* its mtime: tells files apart that had one inode after another; 0 unknown */

	struct build_id build_id;
	uint64_t start; /* [kernel]: address of _stext; a module's: of its first byte of code; else, or unknown: 0 */
	uint64_t bytes; /* of the file, or of a module's code; 0: unknown */
};

struct rec_location {
	int mapping; /* id */
	int name;    /* string: demangled function; 0 when why != WHY_NAMED */
	enum why why;
	/* In the mapping's terms; for callers already the byte before the return address. 0 where it tells nothing. */
	uint64_t address;
	uint64_t offset; /* from the start of the function; 0 when unnamed */
};

/* Locations leaf first: the kernel's, then the user's. */
struct rec_stack {
	uint32_t first; /* index into recording.frames */
	uint16_t kernel_frames, user_frames;
	uint16_t trimmed; /* frames before `first` that recording_trim() took away */
};

enum rec_label {
	LABEL_TGID = 1 << 0,
	LABEL_TID = 1 << 1,
	LABEL_CPU = 1 << 2,
};

/* What is not told apart is 0 (comm, tgid, tid) or -1 (cpu). */
struct rec_labels {
	int comm; /* string */
	int tgid, tid;
	int cpu;
};

struct rec_sample {
	struct rec_labels labels;
	int stack;
	uint64_t fires;	 /* how often */
	uint64_t weight; /* sum of the periods: ns for the clocks, occurrences for other events; what shares are made of
			  */
	uint64_t base_fires,
		base_weight; /* the same in the recording that this one is compared with: see rec_baseline */
};

/*
 * The balance of a sampling run. In exact arithmetic
 *   expected = kept + idle + filtered + sum of lost + not delivered;
 * not delivered may be slightly negative, a timer's phase at start and stop being unknown.
 */
struct rec_sampling {
	char event[64];	       /* as the user would type it */
	char unit[16];	       /* of weights: "ns", or the event's own name */
	bool is_time;	       /* the weights are nanoseconds of CPU time */
	char fallback[128];    /* why the default event could not be had; "" if it could */
	uint64_t asked_hz;     /* 0 when a period was asked for */
	uint64_t asked_period; /* 0 when a rate was asked for */
	double achieved_hz;    /* programs run per second of running time, of the mean CPU */
	/* From here to enabled_ns/running_ns sums that grow: an interval's are a difference of two. */
	uint64_t expected; /* fires that were due: event count / period */
	uint64_t seen;	   /* the program ran */
	uint64_t kept, idle, filtered;
	int64_t not_delivered; /* expected - seen */
	uint64_t kept_weight, idle_weight;
	uint64_t enabled_ns, running_ns;	 /* of all CPUs' events; running < enabled: the PMU was shared out */
	bool idle_is_guess;			 /* interrupt work in the idle task could not be told from idling */
	uint64_t user_stacks, short_user_stacks; /* samples with a user stack; of them two frames or fewer */
	unsigned max_depth;			 /* frames a side above which a stack is cut */
	uint64_t sideband_lost; /* events of processes (fork, exec, mmap) missed: those may lack names that are gone */
};

struct rec_cost {
	bool known;
	uint64_t bpf_ns, bpf_runs; /* from the kernel's run statistics, all programs of the run */
	uint64_t user_ns;	   /* own user + system CPU time */
};

/* Set by the session. */
struct rec_meta {
	char version[16]; /* of kbpfprof */
	char tool[16];
	char command_line[256]; /* as typed; cut */
	char host[65];
	char target[160]; /* "whole machine", "PID 812", "COMMAND" ..., for the first line */
	char kernel[132]; /* uname: release and machine */
	uint64_t start_unix_ns;
	uint64_t duration_ns; /* from enabling to disabling */
	unsigned cpus;	      /* measured */
};

struct rec_lost {
	uint64_t by_cause[LOST_CAUSES];
};

/* A time in which a CPU was offline, and so not measured. One that goes on is told in parts, one after the other. */
struct rec_gap {
	unsigned cpu;
	uint64_t start_ns, duration_ns; /* from the start of the run */
};

struct rec_gaps {
	struct rec_gap *list; /* from malloc() */
	size_t n, max;
};

/* What a report left out of what was recorded, at its reader's wish (--comm, --dso ...): part of sampling.kept. */
struct rec_selection {
	char text[160]; /* "comm=xz, cpu=0-3"; "": nothing was left out */
	uint64_t fires, weight;
};

/* A recording that compares two has the samples of both, and this of the older one. */
struct rec_baseline {
	struct rec_meta meta;
	struct rec_sampling sampling;
	struct rec_lost lost;
	struct rec_gaps gaps; /* owned by the recording, as the baseline */
	struct rec_selection selection;
	bool by_time; /* compared are weights a second of the run, else shares of all weight */
};

/* A part of the run, as it lies on disk. */
struct rec_interval {
	uint64_t start_ns, duration_ns; /* from the start of the run */
	uint64_t fires;			/* samples kept, or delays */
	bool damaged;			/* not in the result */
};

struct rec_latency; /* core/latency.h */
struct rec_irq;	    /* core/irq.h */

struct recording {
	struct rec_meta meta;
	struct rec_sampling sampling;
	struct rec_cost cost;
	struct rec_lost lost;
	struct rec_gaps gaps; /* recording_gap(); owned */
	struct rec_selection selection;
	struct rec_baseline *baseline;	/* NULL: it compares nothing; owned, from malloc() */
	struct rec_interval *intervals; /* likewise; of a file, if they were asked for */
	size_t n_intervals;
	bool limit_exceeded;	     /* the run is to fail: a limit that the user set was reached */
	struct rec_latency *latency; /* NULL: the tool measures none; owned */
	struct rec_irq *irq;	     /* likewise */

	const struct rec_mapping *mappings;
	const struct rec_location *locations;
	const struct rec_stack *stacks;
	const struct rec_sample *samples;
	const uint32_t *frames; /* location ids, see rec_stack */
	size_t n_mappings, n_locations, n_stacks, n_samples;
	struct recording_tables *tables; /* private to recording.c */
};

struct recording *recording_new(void); /* NULL: no memory */
void recording_free(struct recording *r);

int recording_string(struct recording *r, const char *s);     /* copied; longer than 4096 bytes is cut */
const char *recording_str(const struct recording *r, int id); /* valid as long as the recording */

/* 0 or -ENOMEM. */
int recording_gap(struct recording *r, const struct rec_gap *gap);
/* A copy by CPU and time, in which those that touch are one; free(to->list). 0, or -ENOMEM and it is empty. */
int recording_gaps_join(struct rec_gaps *to, const struct rec_gaps *from);

int recording_mapping(struct recording *r, const struct rec_mapping *m);
/* Tells what is known of a mapping beside its identity; build_id may be NULL. */
void recording_describe(struct recording *r, int mapping, const struct build_id *build_id, uint64_t start,
			uint64_t bytes);
/* Equal are (mapping, address, why as given here); name and offset are not compared. */
int recording_location(struct recording *r, int mapping, uint64_t address, enum why why);
/* Gives a location its name, or the reason why it has none (name 0). */
void recording_name(struct recording *r, int location, int name, uint64_t offset, enum why why);
/* Moves a location to the mapping that proved to be its own; looked up by the old one it is still found. */
void recording_move(struct recording *r, int location, int mapping);
/* At most UINT16_MAX frames a side, or -E2BIG. */
int recording_stack(struct recording *r, const uint32_t *locations, unsigned kernel_frames, unsigned user_frames);
/* Takes the `frames` frames at the kernel's leaf away, for good; looked up whole the stack is still found. */
void recording_trim(struct recording *r, int stack, unsigned frames);
/* Adds fires and weight, the baseline's too, to the sample with these labels and stack; 0 or -errno. */
int recording_add(struct recording *r, const struct rec_sample *s);
/*
 * Leaves the samples out that `keep` refuses, for good, and adds their fires and weight to
 * r->selection. Nothing may be added afterwards.
 */
void recording_select(struct recording *r,
		      bool (*keep)(const struct recording *r, const struct rec_sample *s, void *arg), void *arg);
/* Makes it a comparison with what `baseline` was read from. 0 or -ENOMEM. */
int recording_compare(struct recording *r, const struct rec_baseline *baseline);

/* Samples or events lost. LOST_TARGET_FULL is none: what a child does that is not followed counts as of other tasks. */
uint64_t lost_sum(const struct rec_lost *lost);
uint64_t recording_lost_sum(const struct recording *r);
/*
 * Share of what was due that is in no bucket of the result, in percent: lost / (kept + lost); 0 when nothing was due.
 * Kept are samples, waits, or events of interrupts and their work.
 */
double recording_lost_pct(const struct recording *r);

const char *why_name(enum why w);	  /* "stripped", "process gone" ...: short, for a report */
const char *lost_name(enum lost_cause c); /* "stack map full" ... */

#endif
