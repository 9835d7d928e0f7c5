/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash table from content to id: the ids are indexes of an array that the owner keeps, the table
 * holds but their hashes. Open addressing, linear probing, at most 3/4 full; ids never leave it.
 */
#ifndef CORE_INTERN_H
#define CORE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern_slot {
	uint32_t hash;
	uint32_t id_plus_1; /* 0: empty */
};

/* All zero: empty. */
struct intern {
	struct intern_slot *slots;
	size_t n_slots; /* a power of two, or 0 */
	size_t n_used;
};

/* Is the item `id` of `owner` equal to `key`? */
typedef bool intern_equal(const void *owner, uint32_t id, const void *key);

/* The id, or -1. */
int intern_find(const struct intern *t, uint64_t hash, intern_equal *equal, const void *owner, const void *key);
/* 0 or -ENOMEM. The content must not be in the table yet. */
int intern_add(struct intern *t, uint64_t hash, int id);
void intern_free(struct intern *t);

/*
 * Room for `n` items of `item_bytes`, growing by doubling, never above INT_MAX items. Returns the
 * array, moved or not, or NULL with everything as it was.
 */
void *intern_grow(void *items, size_t *capacity, size_t n, size_t item_bytes);

/* Multiplier: the golden ratio in 64 bits, odd (Knuth, TAOCP vol. 3, 6.4). */
static inline uint64_t intern_mix(uint64_t h, uint64_t value)
{
	h = (h ^ value) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 32);
}

/* Of this process: names and addresses are chosen by others, they shall not choose the slots. */
uint64_t intern_seed(void);
uint64_t intern_hash(uint64_t seed, const void *bytes, size_t n);

#endif
