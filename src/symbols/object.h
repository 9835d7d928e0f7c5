/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that processes run, each once however many processes map it, held open so that its
 * names can still be read when the process and even the file's own name are gone.
 */
#ifndef SYMBOLS_OBJECT_H
#define SYMBOLS_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/recording.h"
#include "symbols/elf.h"
#include "symbols/maps.h"

#define OBJECT_BUCKETS 256

struct object {
	struct object *next; /* in its bucket */
	enum mapping_kind kind;
	enum why why;	     /* WHY_NAMED: usable; else what is said of every address in it */
	uint64_t dev, inode; /* as maps shows them; 0 for those without a file */
	uint64_t file_bytes, changed_ns;
	uint64_t born_ns;   /* ctime of the file when it was opened; 0: it never was, ... */
	uint64_t mapped_ns; /* ... by a mapping of that time (maps_line) */
	char *path;
	int fd;		/* -1: not held */
	unsigned users; /* mappings of known processes */
	bool pending;	/* a location in it has no name yet */
	int mapping;	/* id in the recording in use, -1: not in it */
	unsigned n_loads;
	struct elf_load *loads;
};

struct objects {
	struct object *buckets[OBJECT_BUCKETS];
	struct object *anon, *vsyscall, *vdso; /* without a file; vdso is made when it is first seen */
	unsigned n_open, open_max;
};

int objects_init(struct objects *o); /* 0 or -ENOMEM; raises the soft limit of open files */
void objects_free(struct objects *o);

/* No more files should be opened before others are let go. */
bool objects_full(const struct objects *o);

/*
 * The object of a mapping of that process, with one user more; NULL: no memory. A file that cannot
 * be had is an object too, whose `why` tells the reason.
 */
struct object *objects_get(struct objects *o, int tgid, const struct maps_line *m);
void objects_put(struct objects *o, struct object *object);

/* Frees what has neither users nor pending locations. */
void objects_collect(struct objects *o);
/* With every object that is in a bucket or made of none. */
void objects_each(struct objects *o, void (*fn)(struct object *object, void *ctx), void *ctx);

/* Its mapping in the recording, or -ENOMEM. */
int object_mapping(struct object *object, struct recording *r);
/* Is it still what was opened? Else WHY_FILE_CHANGED or WHY_FILE_GONE. */
enum why object_check(const struct object *object);

#endif
