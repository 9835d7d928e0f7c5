/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/code_maps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/intern.h"

static bool has_room(const struct code_store *store, size_t bytes)
{
	return bytes <= CODE_STORE_BYTES && store->bytes <= CODE_STORE_BYTES - bytes;
}

static size_t file_bytes(const char *path)
{
	return sizeof(struct code_file) + strlen(path) + 1;
}

static struct code_file **bucket_of(struct code_store *store, const struct maps_line *m)
{
	uint64_t hash = intern_mix(intern_mix(0, m->dev), m->inode);

	return &store->buckets[intern_hash(hash, m->path, strlen(m->path)) % CODE_FILE_BUCKETS];
}

/* With one user more. 0 or -errno. */
static int file_get(struct code_store *store, const struct maps_line *m, struct code_file **out)
{
	struct code_file **bucket = bucket_of(store, m), *file;
	size_t bytes = file_bytes(m->path);

	for (file = *bucket; file; file = file->next)
		if (file->dev == m->dev && file->inode == m->inode && !strcmp(file->path, m->path))
			break;
	if (!file) {
		if (!has_room(store, bytes))
			return -ENOSPC;
		file = malloc(bytes);
		if (!file)
			return -ENOMEM;
		*file = (struct code_file){ .next = *bucket, .dev = m->dev, .inode = m->inode };
		strcpy(file->path, m->path);
		*bucket = file;
		store->bytes += bytes;
	}
	file->users++;
	*out = file;
	return 0;
}

static void file_put(struct code_store *store, struct code_file *file)
{
	struct maps_line m = { .dev = file->dev, .inode = file->inode, .path = file->path };
	struct code_file **at;

	if (--file->users)
		return;
	for (at = bucket_of(store, &m); *at != file;)
		at = &(*at)->next;
	*at = file->next;
	store->bytes -= file_bytes(file->path);
	free(file);
}

struct code_maps *code_maps_share(struct code_maps *maps)
{
	if (maps)
		maps->users++;
	return maps;
}

void code_maps_put(struct code_store *store, struct code_maps *maps)
{
	if (!maps || --maps->users)
		return;
	for (unsigned i = 0; i < maps->n; i++)
		file_put(store, maps->list[i].file);
	store->bytes -= sizeof(*maps) + maps->capacity * sizeof(*maps->list);
	free(maps->list);
	free(maps);
}

/* Room for n mappings. 0 or -errno. */
static int reserve(struct code_store *store, struct code_maps *maps, size_t n)
{
	size_t before = maps->capacity;
	void *grown;

	if (n > CODE_MAPS_MAX || (n > before && !has_room(store, n * sizeof(*maps->list))))
		return -ENOSPC;
	grown = intern_grow(maps->list, &maps->capacity, n, sizeof(*maps->list));
	if (!grown)
		return -ENOMEM;
	maps->list = grown;
	store->bytes += (maps->capacity - before) * sizeof(*maps->list);
	return 0;
}

/* A set of one user: *maps itself, a copy of it, or a new one. 0 or -errno. */
static int make_own(struct code_store *store, struct code_maps **maps)
{
	struct code_maps *old = *maps, *own;
	int err;

	if (old && old->users == 1)
		return 0;
	if (!has_room(store, sizeof(*own)))
		return -ENOSPC;
	own = calloc(1, sizeof(*own));
	if (!own)
		return -ENOMEM;
	own->users = 1;
	store->bytes += sizeof(*own);
	err = reserve(store, own, old ? old->n + 1 : 1);
	if (err) {
		code_maps_put(store, own);
		return err;
	}
	for (; old && own->n < old->n; own->n++) {
		own->list[own->n] = old->list[own->n];
		own->list[own->n].file->users++;
	}
	code_maps_put(store, old);
	*maps = own;
	return 0;
}

/* Index of the first mapping that ends behind `address`. */
static unsigned first_behind(const struct code_maps *maps, uint64_t address)
{
	unsigned low = 0, high = maps ? maps->n : 0;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (maps->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct code_map piece(const struct code_map *of, uint64_t start, uint64_t end)
{
	struct code_map map = *of;

	map.start = start;
	map.end = end;
	map.offset += start - of->start;
	return map;
}

/* Puts `map` in place of what it covers of the mappings from `low` on. 0 or -errno. */
static int replace(struct code_store *store, struct code_maps *maps, unsigned low, const struct code_map *map)
{
	struct code_map pieces[3];
	unsigned n = 0, high = low;
	int err;

	while (high < maps->n && maps->list[high].start < map->end)
		high++;
	if (low < high && maps->list[low].start < map->start)
		pieces[n++] = piece(&maps->list[low], maps->list[low].start, map->start);
	pieces[n++] = *map;
	if (low < high && maps->list[high - 1].end > map->end)
		pieces[n++] = piece(&maps->list[high - 1], map->end, maps->list[high - 1].end);
	err = reserve(store, maps, maps->n - (high - low) + n);
	if (err)
		return err;
	for (unsigned i = 0; i < n; i++)
		pieces[i].file->users++;
	for (unsigned i = low; i < high; i++)
		file_put(store, maps->list[i].file);
	memmove(maps->list + low + n, maps->list + high, (maps->n - high) * sizeof(*map));
	memcpy(maps->list + low, pieces, n * sizeof(*map));
	maps->n += n - (high - low);
	return 0;
}

static bool is_there(const struct code_maps *maps, unsigned at, const struct code_map *map)
{
	const struct code_map *known = maps && at < maps->n ? &maps->list[at] : NULL;

	return known && known->file == map->file && known->start == map->start && known->end == map->end &&
	       known->offset == map->offset;
}

int code_maps_add(struct code_store *store, struct code_maps **maps, const struct maps_line *m, uint64_t since_ns)
{
	struct code_map map = { m->start, m->end, m->offset, since_ns, NULL };
	unsigned low = first_behind(*maps, m->start);
	int err = file_get(store, m, &map.file);

	if (err)
		return err;
	if (!is_there(*maps, low, &map)) /* a JIT tells the same again with every mprotect() */
		err = make_own(store, maps);
	if (!err && !is_there(*maps, low, &map))
		err = replace(store, *maps, low, &map);
	file_put(store, map.file);
	return err;
}
