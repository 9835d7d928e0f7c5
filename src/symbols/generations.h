/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ran under each process number, and when. A generation is one process that runs one program: it
 * begins with fork, which hands down the parent's mappings, or with exec, which begins without any;
 * it ends with the next exec, the end of its last thread, or when the number is given away again. Only
 * what began under our eyes is here; of older processes /proc knows.
 * Times are boot time, as the kernel has it. All of it is bounded, and what finds no room is counted.
 */
#ifndef SYMBOLS_GENERATIONS_H
#define SYMBOLS_GENERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/code_maps.h"
#include "symbols/symbols.h"

#define GENERATION_BUCKETS 1024
#define GENERATIONS_MAX	   32768
#define GENERATION_NEVER   UINT64_MAX

struct generation {
	struct generation *next;       /* in its bucket, the newest first */
	struct generation *next_ended; /* in the order of their ends */
	int tgid, parent_tgid;	       /* 0: not known */
	uint64_t fork_ns;	       /* when the process began; 0: before our time */
	uint64_t begin_ns, end_ns;     /* 0: before our time, too; GENERATION_NEVER: it has not ended */
	uint64_t doubt_ns;	       /* events were lost from here on: it may have ended or changed; else NEVER */
	unsigned threads;
	unsigned version;  /* raised when the mappings change */
	unsigned end_look; /* its end came with this one */
	bool is_complete;  /* else mappings are missing: those that the process `origin` had at `origin_ns` */
	int origin_tgid;
	uint64_t origin_ns;
	bool is_joined; /* a sample of it came, with this: */
	uint32_t exec_id;
	struct code_maps *maps; /* NULL: none */
};

#define GENERATIONS_ADOPTED_MAX 64

/* All zero: empty. */
struct generations {
	struct generation *buckets[GENERATION_BUCKETS];
	struct generation *ended, **ended_tail;
	unsigned n, look;
	struct code_store store;
	int adopted[GENERATIONS_ADOPTED_MAX]; /* who was, and has no mappings yet; more have to wait for a sample */
	unsigned n_adopted;
	uint64_t dropped;    /* events that found no room */
	uint64_t doubted_ns; /* what was before cannot be known to have gone on until now; 0: nothing was lost */
};

void generations_free(struct generations *gs);

/* The events, in the order of what they tell. */
void generations_fork(struct generations *gs, int tgid, int parent_tgid, uint64_t time_ns);
void generations_thread(struct generations *gs, int tgid);
void generations_exec(struct generations *gs, int tgid, uint64_t time_ns);
void generations_map(struct generations *gs, int tgid, uint64_t time_ns, const struct maps_line *m);
void generations_exit(struct generations *gs, int tgid, uint64_t time_ns);
/* Events between the two were lost: what went on after `since_ns` cannot be relied upon. */
void generations_doubt(struct generations *gs, uint64_t since_ns, uint64_t until_ns);

/*
 * A process that is older than the events, without mappings until generation_complete() gives them; so is
 * everybody who forks. NULL: no room, or it is known.
 */
struct generation *generations_adopt(struct generations *gs, int tgid);

/*
 * The one that a sample seen at `seen_ns` belongs to, or NULL: not known. *later: the number stands for
 * another program or process since, so that what /proc shows now is not it.
 */
struct generation *generations_find(const struct generations *gs, const struct process_id *id, uint64_t seen_ns,
				    bool *later);
/* Did that number, as far as events tell, stand for one process and program from `since_ns` until now? */
bool generations_unchanged(const struct generations *gs, int tgid, uint64_t since_ns);
/* The generation of that number that goes on, or NULL. */
struct generation *generations_current(const struct generations *gs, int tgid);

/* Takes over `base`, the mappings that were missing; its own, which are newer, go over them. */
void generation_complete(struct generations *gs, struct generation *g, struct code_maps *base);

/* A look at the samples is over: those that ended before the one before it will not be asked for again. */
void generations_age(struct generations *gs);

#endif
