/* SPDX-License-Identifier: GPL-2.0-only */
/* What the samples of a profile refer to: mappings, functions and locations. Private to pprof*.c. */
#ifndef VIEWS_PPROF_PLACES_H
#define VIEWS_PPROF_PLACES_H

#include "core/recording.h"
#include "views/pprof_stream.h"

/* What the samples use of a mapping. */
struct used_mapping {
	bool used, named; /* at least one of its locations */
	uint64_t low, high;
	uint64_t file; /* string */
};

struct function_key {
	uint64_t name, file; /* strings */
};

/* A profile that is being written. Ids of mappings and locations are those of the recording plus one. */
struct pprof {
	const struct recording *r;
	struct pprof_stream out;
	struct protobuf message, part; /* in work */
	bool *stacks, *locations;      /* used by a sample */
	struct used_mapping *mappings;
	struct function_key *functions; /* id of the first: 1 */
	size_t n_functions, capacity;
	struct intern function_ids;
};

/* The message in work becomes a field of the profile, the part in work one of that message. */
void pprof_message(struct pprof *p, unsigned field);
void pprof_part(struct pprof *p, unsigned field);
void pprof_text(struct pprof *p, struct protobuf *to, unsigned field, const char *text);

/* Has it a count, or is it of a baseline alone? */
bool pprof_is_listed(const struct rec_sample *s);

/* In this order. 0 or -ENOMEM; pprof_free() is due either way. */
int pprof_mark_used(struct pprof *p);
void pprof_mappings(struct pprof *p);
int pprof_locations(struct pprof *p);
int pprof_location(struct pprof *p, uint64_t id, uint64_t mapping, uint64_t address, struct function_key key);
void pprof_free(struct pprof *p);

#endif
