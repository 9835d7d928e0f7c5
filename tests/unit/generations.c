/* SPDX-License-Identifier: GPL-2.0-only */
/* Who ran under a number and when, and what was mapped then, against a model that is slow but plain. */
#include "fixtures/fake_ring.h"

#include "symbols/generations.h"

#define PAGE  0x1000ull
#define PAGES 64

static struct maps_line line(uint64_t start_page, uint64_t pages, uint64_t inode)
{
	return (struct maps_line){ .start = start_page * PAGE,
				   .end = (start_page + pages) * PAGE,
				   .offset = inode * 100 * PAGE,
				   .dev = 1,
				   .inode = inode,
				   .is_executable = true,
				   .path = inode % 2 ? "/bin/odd" : "/bin/even" };
}

static void map(struct generations *gs, int tgid, uint64_t time_ns, uint64_t start_page, uint64_t inode)
{
	struct maps_line m = line(start_page, 1, inode);

	generations_map(gs, tgid, time_ns, &m);
}

/* Inode of what is mapped there, 0: nothing; -1: the generation is not known. */
static int inode_at(const struct generations *gs, int tgid, uint64_t start_ns, uint32_t exec_id, uint64_t seen_ns,
		    uint64_t page, bool *later)
{
	struct process_id id = { tgid, exec_id, start_ns };
	const struct generation *g = generations_find(gs, &id, seen_ns, later);

	if (!g)
		return -1;
	for (unsigned i = 0; g->maps && i < g->maps->n; i++)
		if (g->maps->list[i].start <= page * PAGE && page * PAGE < g->maps->list[i].end)
			return (int)g->maps->list[i].file->inode;
	return 0;
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct generations));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct generations *gs = *state;

	generations_free(gs);
	assert_int_equal(gs->n, 0);
	assert_int_equal(gs->store.bytes, 0); /* everything that was counted was given back */
	free(gs);
	return 0;
}

/* One number, three programs with other code at one address: each moment has its own. */
static void exec_makes_another(void **state)
{
	struct generations *gs = *state;
	bool later;

	generations_fork(gs, 10, 0, 100);
	generations_exec(gs, 10, 110);
	map(gs, 10, 111, 4, 1);
	generations_exec(gs, 10, 200);
	map(gs, 10, 201, 4, 2);
	generations_exec(gs, 10, 300);
	map(gs, 10, 301, 4, 3);
	assert_int_equal(inode_at(gs, 10, 99, 1, 150, 4, &later), 1);
	assert_true(later);
	assert_int_equal(inode_at(gs, 10, 99, 2, 250, 4, &later), 2);
	assert_true(later);
	assert_int_equal(inode_at(gs, 10, 99, 3, 350, 4, &later), 3);
	assert_false(later);
	assert_int_equal(inode_at(gs, 10, 50, 0, 60, 4, &later), -1); /* it is older, but by now somebody else */
	assert_true(later);
	assert_int_equal(inode_at(gs, 11, 50, 0, 400, 4, &later), -1);
	assert_false(later);
}

/* The number is given to another process. */
static void reuse_makes_another(void **state)
{
	struct generations *gs = *state;
	bool later;

	generations_fork(gs, 10, 0, 100);
	generations_exec(gs, 10, 101);
	map(gs, 10, 101, 4, 1);
	generations_exit(gs, 10, 150);
	generations_fork(gs, 10, 0, 151);
	generations_exec(gs, 10, 152);
	map(gs, 10, 152, 4, 2);
	assert_int_equal(inode_at(gs, 10, 99, 7, 149, 4, &later), 1);
	assert_int_equal(inode_at(gs, 10, 150, 7, 160, 4, &later), 2);
	/* One whose beginning was not told, so that the last one told is not it. */
	assert_int_equal(inode_at(gs, 10, 170, 7, 180, 4, &later), -1);
	generations_exit(gs, 10, 190);
	assert_int_equal(inode_at(gs, 10, 150, 7, 195, 4, &later), -1);
	assert_false(later);
}

/* An exec that was not told shows by its number. */
static void exec_untold(void **state)
{
	struct generations *gs = *state;
	bool later;

	generations_exec(gs, 10, 100);
	map(gs, 10, 101, 4, 1);
	assert_int_equal(inode_at(gs, 10, 50, 5, 110, 4, &later), 1);
	assert_int_equal(inode_at(gs, 10, 50, 6, 120, 4, &later), -1);
	assert_int_equal(inode_at(gs, 10, 50, 5, 130, 4, &later), 1);
}

/* A child has what its parent had; what either maps later is its own. */
static void children(void **state)
{
	struct generations *gs = *state;
	struct process_id id = { 11, 0, 110 };
	bool later;

	generations_exec(gs, 10, 100);
	map(gs, 10, 101, 4, 1);
	generations_fork(gs, 11, 10, 110);
	assert_int_equal(inode_at(gs, 11, 110, 0, 111, 4, &later), 1);
	map(gs, 10, 120, 5, 2);
	map(gs, 11, 130, 6, 3);
	map(gs, 11, 131, 4, 4);
	assert_int_equal(inode_at(gs, 10, 50, 0, 140, 4, &later), 1);
	assert_int_equal(inode_at(gs, 10, 50, 0, 140, 5, &later), 2);
	assert_int_equal(inode_at(gs, 10, 50, 0, 140, 6, &later), 0);
	assert_int_equal(inode_at(gs, 11, 110, 0, 140, 4, &later), 4);
	assert_int_equal(inode_at(gs, 11, 110, 0, 140, 5, &later), 0);
	assert_int_equal(inode_at(gs, 11, 110, 0, 140, 6, &later), 3);
	assert_true(generations_find(gs, &id, 140, &later)->is_complete);
	generations_exit(gs, 10, 150); /* the parent's end takes nothing from the child */
	generations_age(gs);
	generations_age(gs);
	assert_int_equal(inode_at(gs, 11, 110, 0, 160, 6, &later), 3);
}

/* Of a parent that is older than the events something is missing, until it is given. */
static void older_parents(void **state)
{
	struct generations *gs = *state;
	struct process_id child = { 11, 0, 110 }, grandchild = { 12, 0, 120 };
	struct code_maps *base = NULL;
	struct generation *g;
	struct maps_line m;
	bool later;

	generations_fork(gs, 11, 10, 110);
	map(gs, 11, 115, 4, 1);
	generations_fork(gs, 12, 11, 120);
	map(gs, 12, 125, 5, 2);
	g = generations_find(gs, &child, 116, &later);
	assert_false(g->is_complete);
	assert_int_equal(g->origin_tgid, 10);
	assert_int_equal(g->origin_ns, 0); /* it is the same since the beginning */
	g = generations_find(gs, &grandchild, 126, &later);
	assert_false(g->is_complete);
	assert_int_equal(g->origin_tgid, 10);
	assert_int_equal(g->origin_ns, 0); /* it is the same since the beginning */
	m = line(0, 10, 9);
	assert_int_equal(code_maps_add(&gs->store, &base, &m, 0), 0);
	generation_complete(gs, g, base);
	assert_true(g->is_complete);
	assert_int_equal(gs->n_adopted, 1); /* the parent, since it may fork again */
	assert_int_equal(gs->adopted[0], 10);
	assert_int_equal(inode_at(gs, 10, 5, 3, 1, 4, &later), 0);
	assert_false(later);
	for (uint64_t page = 0; page < 10; page++)
		assert_int_equal(inode_at(gs, 12, 120, 0, 130, page, &later), page == 4 ? 1 : page == 5 ? 2 : 9);
	assert_int_equal(inode_at(gs, 12, 120, 0, 130, 10, &later), 0);
}

static void unchanged(void **state)
{
	struct generations *gs = *state;

	assert_true(generations_unchanged(gs, 10, 100)); /* nothing was told of it */
	generations_exec(gs, 10, 110);
	assert_false(generations_unchanged(gs, 10, 100));
	assert_true(generations_unchanged(gs, 10, 110));
	generations_exit(gs, 10, 120);
	assert_false(generations_unchanged(gs, 10, 110));
	assert_true(generations_unchanged(gs, 20, 130));
	generations_doubt(gs, 140, 150);
	assert_false(generations_unchanged(gs, 20, 130)); /* who knows */
	assert_true(generations_unchanged(gs, 20, 150));
}

/* A process ends with the last of its threads. */
static void threads(void **state)
{
	struct generations *gs = *state;

	generations_fork(gs, 10, 1, 100);
	generations_thread(gs, 10);
	generations_thread(gs, 10);
	generations_exit(gs, 10, 110);
	generations_exit(gs, 10, 111);
	assert_non_null(generations_current(gs, 10));
	generations_exit(gs, 10, 112);
	assert_null(generations_current(gs, 10));
	generations_exit(gs, 10, 113);
	generations_thread(gs, 10);
	generations_exec(gs, 20, 120); /* an older process: exec ended all threads but one */
	generations_exit(gs, 20, 121);
	assert_null(generations_current(gs, 20));
}

/* What ended is known for two looks more. */
static void ageing(void **state)
{
	struct generations *gs = *state;
	bool later;

	for (int tgid = 1; tgid <= 5000; tgid++) {
		generations_exec(gs, tgid, 100);
		map(gs, tgid, 101, 4, (uint64_t)tgid);
	}
	for (int tgid = 2; tgid <= 5000; tgid++)
		generations_exit(gs, tgid, 200);
	generations_age(gs);
	assert_int_equal(inode_at(gs, 4000, 50, 0, 150, 4, &later), 4000);
	generations_age(gs);
	assert_int_equal(inode_at(gs, 4000, 50, 0, 150, 4, &later), -1);
	assert_int_equal(inode_at(gs, 1, 50, 0, 150, 4, &later), 1);
	assert_int_equal(gs->n, 1);
}

/* Where events are missing, what went on is not trusted; what begins after is. */
static void doubt(void **state)
{
	struct generations *gs = *state;
	bool later;

	generations_exec(gs, 10, 100);
	map(gs, 10, 101, 4, 1);
	generations_exec(gs, 11, 100);
	generations_exit(gs, 11, 150);
	generations_doubt(gs, 200, 220);
	assert_int_equal(inode_at(gs, 10, 50, 0, 199, 4, &later), 1);
	assert_int_equal(inode_at(gs, 10, 50, 0, 201, 4, &later), -1);
	assert_int_equal(inode_at(gs, 11, 50, 0, 140, 4, &later), 0);
	generations_fork(gs, 12, 10, 230); /* of whom nobody knows what it runs */
	assert_int_equal(inode_at(gs, 12, 230, 0, 231, 4, &later), 0);
	generations_exec(gs, 12, 240);
	map(gs, 12, 241, 4, 2);
	assert_int_equal(inode_at(gs, 12, 230, 1, 250, 4, &later), 2);
}

/* However many there are, memory has an end, what finds no room is counted, and nothing is made up. */
static void bounds(void **state)
{
	struct generations *gs = *state;
	struct maps_line m = line(0, 1, 1);
	char path[4096];
	bool later;

	for (int tgid = 1; tgid <= GENERATIONS_MAX + 100; tgid++)
		generations_fork(gs, tgid, 0, 100);
	assert_int_equal(gs->n, GENERATIONS_MAX);
	assert_int_equal(gs->dropped, 100);
	generations_exec(gs, 1, 200); /* no room: then it is not what it was either */
	assert_int_equal(gs->dropped, 101);
	assert_int_equal(inode_at(gs, 1, 99, 0, 250, 4, &later), -1);
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	m.path = path;
	for (uint64_t i = 0; i < 100000; i++) {
		m.inode = i + 1;
		m.start = i * PAGE;
		m.end = m.start + PAGE;
		generations_map(gs, 2 + (int)(i % 1000), 300, &m);
	}
	assert_true(gs->store.bytes <= CODE_STORE_BYTES);
	assert_true(gs->store.bytes > CODE_STORE_BYTES / 2);
	assert_true(gs->dropped > 90000);
	for (uint64_t i = 0; i < CODE_MAPS_MAX + 10; i++) {
		m = line(i * 2, 1, 1);
		generations_map(gs, 5000, 300, &m);
	}
	assert_true(gs->store.bytes <= CODE_STORE_BYTES);
}

/* Mappings over mappings, in any order: page by page the last one told is there. */
static void overlaps(void **state)
{
	struct generations *gs = *state;
	uint64_t seed = 3, model[PAGES] = { 0 }, offset[PAGES] = { 0 };
	struct process_id id = { 10, 0, 50 };
	const struct code_maps *maps;
	bool later;

	generations_exec(gs, 10, 100);
	for (unsigned round = 1; round <= 4000; round++) {
		uint64_t start = fake_random(&seed) % PAGES, pages = 1 + fake_random(&seed) % 12;
		uint64_t inode = 1 + fake_random(&seed) % 5;
		struct maps_line m = line(start, pages, inode);

		if (start + pages > PAGES)
			continue;
		if (round % 50 == 0) /* a child keeps them as they are */
			generations_fork(gs, 100 + (int)round, 10, 100 + round);
		generations_map(gs, 10, 100 + round, &m);
		for (uint64_t i = 0; i < pages; i++) {
			model[start + i] = inode;
			offset[start + i] = inode * 100 * PAGE + i * PAGE;
		}
		maps = generations_find(gs, &id, 100 + round, &later)->maps;
		for (unsigned i = 0, page = 0; page < PAGES; page++) {
			while (i < maps->n && maps->list[i].end <= page * PAGE)
				i++;
			if (i < maps->n && maps->list[i].start <= page * PAGE) {
				assert_int_equal(maps->list[i].file->inode, model[page]);
				assert_true(maps->list[i].offset + page * PAGE - maps->list[i].start == offset[page]);
			} else {
				assert_int_equal(model[page], 0);
			}
		}
		for (unsigned i = 1; i < maps->n; i++)
			assert_true(maps->list[i - 1].end <= maps->list[i].start);
	}
	assert_int_equal(gs->dropped, 0);
}

/* A JIT tells the same mapping again and again: nothing is copied for it. */
static void told_again(void **state)
{
	struct generations *gs = *state;
	size_t bytes;

	generations_exec(gs, 10, 100);
	map(gs, 10, 101, 4, 1);
	generations_fork(gs, 11, 10, 110);
	bytes = gs->store.bytes;
	for (int i = 0; i < 100; i++)
		map(gs, 11, 120, 4, 1);
	assert_int_equal(gs->store.bytes, bytes);
}

#define WITH_GENERATIONS(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_GENERATIONS(exec_makes_another),
		WITH_GENERATIONS(reuse_makes_another),
		WITH_GENERATIONS(exec_untold),
		WITH_GENERATIONS(children),
		WITH_GENERATIONS(older_parents),
		WITH_GENERATIONS(unchanged),
		WITH_GENERATIONS(threads),
		WITH_GENERATIONS(ageing),
		WITH_GENERATIONS(doubt),
		WITH_GENERATIONS(bounds),
		WITH_GENERATIONS(overlaps),
		WITH_GENERATIONS(told_again),
	};

	return cmocka_run_group_tests_name("generations", tests, NULL, NULL);
}
