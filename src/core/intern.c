/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/intern.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

uint64_t intern_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM); /* 16 bytes, or NULL */
	uint64_t seed = 0;

	if (random)
		memcpy(&seed, random, sizeof(seed));
	return seed;
}

uint64_t intern_hash(uint64_t seed, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t h = intern_mix(seed, n), word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = intern_mix(h, word);
	}
	if (n) {
		word = 0;
		memcpy(&word, p, n);
		h = intern_mix(h, word);
	}
	return h;
}

/* The high half: a product's low bits depend on few bits of its factors. */
static uint32_t hash_fold(uint64_t hash)
{
	return (uint32_t)(intern_mix(hash, 0) >> 32);
}

int intern_find(const struct intern *t, uint64_t hash, intern_equal *equal, const void *owner, const void *key)
{
	uint32_t folded = hash_fold(hash);

	if (!t->n_slots)
		return -1;
	for (size_t i = folded & (t->n_slots - 1);; i = (i + 1) & (t->n_slots - 1)) {
		const struct intern_slot *slot = &t->slots[i];

		if (!slot->id_plus_1)
			return -1;
		if (slot->hash == folded && equal(owner, slot->id_plus_1 - 1, key))
			return (int)(slot->id_plus_1 - 1);
	}
}

static void put(struct intern_slot *slots, size_t n_slots, struct intern_slot item)
{
	size_t i = item.hash & (n_slots - 1);

	while (slots[i].id_plus_1)
		i = (i + 1) & (n_slots - 1);
	slots[i] = item;
}

static int rehash(struct intern *t)
{
	size_t n_slots = t->n_slots ? 2 * t->n_slots : 64;
	struct intern_slot *slots = calloc(n_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_slots; i++)
		if (t->slots[i].id_plus_1)
			put(slots, n_slots, t->slots[i]);
	free(t->slots);
	t->slots = slots;
	t->n_slots = n_slots;
	return 0;
}

int intern_add(struct intern *t, uint64_t hash, int id)
{
	int err;

	if (4 * (t->n_used + 1) > 3 * t->n_slots) {
		err = rehash(t);
		if (err)
			return err;
	}
	put(t->slots, t->n_slots, (struct intern_slot){ hash_fold(hash), (uint32_t)id + 1 });
	t->n_used++;
	return 0;
}

void intern_free(struct intern *t)
{
	free(t->slots);
	memset(t, 0, sizeof(*t));
}

void *intern_grow(void *items, size_t *capacity, size_t n, size_t item_bytes)
{
	size_t wanted = *capacity ? *capacity : 16;

	if (n <= *capacity)
		return items;
	if (n > INT_MAX)
		return NULL;
	while (wanted < n)
		wanted *= 2;
	if (wanted > INT_MAX)
		wanted = INT_MAX;
	items = reallocarray(items, wanted, item_bytes);
	if (items)
		*capacity = wanted;
	return items;
}
