/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records as perf_event.h describes them, written to rings in memory: each field comes through, CPUs
 * are merged by time, and what is damaged, late or lost leads to no name rather than to a wrong one.
 */
#include "fixtures/fake_ring.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/sideband.h"

#define CPUS	   4
#define RING_BYTES 65536

/* --- a writer of its own, byte by byte, so that it shares no structure with the reader */

struct record {
	unsigned char bytes[8192];
	size_t n;
};

static void put(struct record *r, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		r->bytes[r->n++] = (unsigned char)(value >> (8 * i));
}

static struct record start(uint32_t type, uint16_t misc)
{
	struct record r = { .n = 0 };

	put(&r, type, 4);
	put(&r, misc, 2);
	put(&r, 0, 2);
	return r;
}

/* Text with its NUL, filled up to a multiple of 8. */
static void put_text(struct record *r, const char *text)
{
	size_t n = strlen(text) + 1;

	memcpy(r->bytes + r->n, text, n);
	r->n += n;
	while (r->n % 8)
		r->bytes[r->n++] = 0;
}

static void finish(struct record *r, uint64_t time_ns)
{
	put(r, time_ns, 8);
	r->bytes[6] = (unsigned char)r->n;
	r->bytes[7] = (unsigned char)(r->n >> 8);
}

static struct record task(uint32_t type, uint32_t tgid, uint32_t tid, uint32_t parent, uint64_t time_ns)
{
	struct record r = start(type, 0);

	put(&r, tgid, 4);
	put(&r, parent, 4);
	put(&r, tid, 4);
	put(&r, parent, 4);
	put(&r, time_ns, 8);
	finish(&r, time_ns);
	return r;
}

static struct record fork_of(uint32_t tgid, uint32_t parent, uint64_t time_ns)
{
	return task(7 /* FORK */, tgid, tgid, parent, time_ns);
}

static struct record exit_of(uint32_t tgid, uint32_t tid, uint64_t time_ns)
{
	return task(4 /* EXIT */, tgid, tid, 1, time_ns);
}

static struct record comm(uint32_t tgid, bool is_exec, uint64_t time_ns)
{
	struct record r = start(3 /* COMM */, is_exec ? 1 << 13 : 0);

	put(&r, tgid, 4);
	put(&r, tgid, 4);
	put_text(&r, "name");
	finish(&r, time_ns);
	return r;
}

static struct record mmap2(uint32_t tgid, uint64_t address, uint64_t bytes, uint64_t inode, const char *path,
			   uint64_t time_ns)
{
	struct record r = start(10 /* MMAP2 */, 2 /* user */);

	put(&r, tgid, 4);
	put(&r, tgid + 1, 4);
	put(&r, address, 8);
	put(&r, bytes, 8);
	put(&r, 0x5000, 8);
	put(&r, 0x103, 4);
	put(&r, 0x7, 4);
	put(&r, inode, 8);
	put(&r, 99, 8);
	put(&r, PROT_READ | PROT_EXEC, 4);
	put(&r, MAP_PRIVATE, 4);
	put_text(&r, path);
	finish(&r, time_ns);
	return r;
}

static struct record lost(uint64_t n, uint64_t time_ns)
{
	struct record r = start(2 /* LOST */, 0);

	put(&r, 1, 8);
	put(&r, n, 8);
	finish(&r, time_ns);
	return r;
}

static void tell(struct sideband *b, unsigned cpu, struct record r)
{
	assert_true(fake_ring_write(&b->cpus[cpu].ring, r.bytes, r.n));
}

/* --- */

static int setup(void **state)
{
	struct sideband *b = calloc(1, sizeof(*b));

	b->cpus = calloc(CPUS, sizeof(*b->cpus));
	b->record = malloc(SIDEBAND_RECORD_BYTES);
	b->n = CPUS;
	for (size_t i = 0; i < CPUS; i++)
		fake_ring_open(&b->cpus[i].ring, RING_BYTES);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct sideband *b = *state;

	for (size_t i = 0; i < CPUS; i++)
		fake_ring_close(&b->cpus[i].ring);
	b->n = 0;
	sideband_close(b);
	free(b);
	return 0;
}

static const struct generation *find(struct sideband *b, int tgid, uint64_t seen_ns)
{
	struct process_id id = { .tgid = tgid };
	bool later;

	return generations_find(&b->generations, &id, seen_ns, &later);
}

static uint64_t inode_of(struct sideband *b, int tgid, uint64_t seen_ns)
{
	const struct generation *g = find(b, tgid, seen_ns);

	return g && g->maps ? g->maps->list[0].file->inode : 0;
}

static void fields(void **state)
{
	struct sideband *b = *state;
	const struct generation *g;

	tell(b, 0, fork_of(10, 9, 100));
	tell(b, 0, comm(10, true, 110));
	tell(b, 0, mmap2(10, 0x400000, 0x3000, 12345, "/usr/bin/a b", 120));
	tell(b, 0, comm(10, false, 130)); /* a name it gave itself */
	sideband_read(b);
	g = find(b, 10, 140);
	assert_non_null(g);
	assert_int_equal(g->fork_ns, 100);
	assert_int_equal(g->begin_ns, 110);
	assert_int_equal(g->parent_tgid, 9);
	assert_true(g->is_complete);
	assert_int_equal(g->maps->n, 1);
	assert_true(g->maps->list[0].start == 0x400000 && g->maps->list[0].end == 0x403000);
	assert_int_equal(g->maps->list[0].offset, 0x5000);
	assert_int_equal(g->maps->list[0].since_ns, 120);
	assert_true(g->maps->list[0].file->dev == makedev(0x103, 7));
	assert_int_equal(g->maps->list[0].file->inode, 12345);
	assert_string_equal(g->maps->list[0].file->path, "/usr/bin/a b");
	tell(b, 1, exit_of(10, 10, 150));
	sideband_read(b);
	assert_int_equal(g->end_ns, 150);
	assert_int_equal(b->lost, 0);
	assert_int_equal(b->cpus[0].ring.page->data_tail, b->cpus[0].ring.page->data_head);
}

/* Of threads only their number counts; who is in another namespace has none. */
static void threads_and_strangers(void **state)
{
	struct sideband *b = *state;

	tell(b, 0, fork_of(10, 9, 100));
	tell(b, 0, task(7, 10, 11, 10, 110));
	tell(b, 0, exit_of(10, 10, 120));
	tell(b, 0, fork_of(0, 9, 130));
	tell(b, 0, comm(0, true, 131));
	tell(b, 0, fork_of(UINT32_MAX, 9, 132));
	tell(b, 0, mmap2(UINT32_MAX, 0x1000, 0x1000, 1, "/x", 133));
	sideband_read(b);
	assert_int_equal(b->generations.n, 2); /* and its parent */
	assert_non_null(generations_current(&b->generations, 10));
	tell(b, 0, exit_of(10, 11, 140));
	sideband_read(b);
	assert_null(generations_current(&b->generations, 10));
	assert_int_equal(b->lost, 0);
}

/* Two programs and two processes of one number, what is told of them strewn over CPUs: as if on one. */
static void cpus_are_merged_by_time(void **state)
{
	struct sideband *b = *state;
	uint64_t seed = 5;

	for (unsigned round = 0; round < 200; round++) {
		uint64_t t = 1000 * (round + 1);
		struct record records[] = {
			fork_of(10, 9, t),
			comm(10, true, t + 10),
			mmap2(10, 0x1000, 0x1000, 1000 + round, "/a", t + 11),
			comm(10, true, t + 20),
			mmap2(10, 0x1000, 0x1000, 2000 + round, "/b", t + 21),
			exit_of(10, 10, t + 30),
			fork_of(10, 9, t + 31),
			comm(10, true, t + 40),
			mmap2(10, 0x1000, 0x1000, 3000 + round, "/c", t + 41),
			exit_of(10, 10, t + 50),
		};

		for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
			tell(b, fake_random(&seed) % CPUS, records[i]);
		if (round % 3 == 2)
			sideband_read(b);
		if (round % 3 != 2)
			continue;
		for (uint64_t r = round - 2; r <= round; r++) {
			t = 1000 * (r + 1);
			assert_int_equal(inode_of(b, 10, t + 15), 1000 + r);
			assert_int_equal(inode_of(b, 10, t + 25), 2000 + r);
			assert_int_equal(inode_of(b, 10, t + 45), 3000 + r);
		}
		generations_age(&b->generations);
	}
	assert_int_equal(b->lost, 0);
}

/* What is later than the moment stays where it is: another CPU may still tell what was before. */
static void later_ones_wait(void **state)
{
	struct sideband *b = *state;

	tell(b, 0, comm(10, true, 200));
	tell(b, 0, mmap2(10, 0x1000, 0x1000, 1, "/a", 201));
	for (unsigned i = 0; i < CPUS; i++)
		perf_ring_fetch(&b->cpus[i].ring);
	sideband_merge(b, 199);
	assert_null(find(b, 10, 210));
	tell(b, 1, fork_of(10, 9, 190));
	sideband_read(b);
	assert_int_equal(inode_of(b, 10, 210), 1);
	assert_int_equal(find(b, 10, 210)->fork_ns, 190);
}

/* The LOST record stands between what was before and what came after. */
static void losses(void **state)
{
	struct sideband *b = *state;

	tell(b, 0, comm(10, true, 100));
	tell(b, 0, mmap2(10, 0x1000, 0x1000, 1, "/a", 101));
	tell(b, 0, lost(17, 200));
	tell(b, 0, comm(11, true, 201));
	tell(b, 0, mmap2(11, 0x1000, 0x1000, 2, "/a", 202));
	sideband_read(b);
	assert_int_equal(b->lost, 17);
	assert_int_equal(inode_of(b, 10, 101), 0); /* the last that is sure is of 101 */
	assert_int_equal(inode_of(b, 11, 203), 2);
	assert_int_equal(inode_of(b, 10, 203), 0);
}

/* A full ring may have lost what no later record has told yet. */
static void full_ring(void **state)
{
	struct sideband *b = *state;

	tell(b, 1, comm(10, true, 50));
	tell(b, 1, mmap2(10, 0x1000, 0x1000, 1, "/a", 51));
	for (uint64_t t = 100;; t++) {
		struct record r = comm(20, false, t);

		if (!fake_ring_write(&b->cpus[0].ring, r.bytes, r.n))
			break;
	}
	sideband_read(b);
	assert_int_equal(inode_of(b, 10, 52), 1);
	assert_int_equal(inode_of(b, 10, sideband_now_ns(b)), 0);
}

static void damaged_records(void **state)
{
	struct sideband *b = *state;
	struct record r;

	tell(b, 0, comm(10, true, 100));
	r = mmap2(10, 0x1000, 0x1000, 1, "/a", 101);
	memset(r.bytes + 72, 'x', 8); /* no NUL */
	tell(b, 0, r);
	tell(b, 0, mmap2(10, UINT64_MAX - 0xfff, 0x2000, 1, "/a", 102));
	tell(b, 0, mmap2(10, 0x1000, 0, 1, "/a", 103));
	r = mmap2(10, 0x1000, 0x1000, 1, "/a", 104);
	r.bytes[64] = PROT_READ; /* no code */
	tell(b, 0, r);
	for (uint32_t type = 0; type < 30; type++) { /* each too short to be what it says */
		r = start(type, 1 << 13);
		finish(&r, 105 + type);
		tell(b, 0, r);
	}
	sideband_read(b);
	assert_non_null(find(b, 10, 200));
	assert_null(find(b, 10, 200)->maps);
	assert_int_equal(b->lost, 3);
	r = start(3, 1 << 13);
	r.bytes[6] = 8; /* not even a time */
	tell(b, 0, r);
	tell(b, 0, comm(11, true, 300));
	sideband_read(b);
	assert_int_equal(b->lost, 4);
	assert_null(find(b, 11, 310)); /* what was fetched with it is gone, ... */
	tell(b, 0, comm(12, true, 320));
	sideband_read(b);
	assert_non_null(find(b, 12, 330)); /* ... what comes later is not */
}

/* A path as long as the kernel makes them, wrapping around. */
static void long_paths(void **state)
{
	struct sideband *b = *state;
	char path[4096];

	memset(path, 'y', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	tell(b, 0, comm(10, true, 100));
	for (uint64_t i = 0; i < 100; i++) {
		tell(b, 0, mmap2(10, 0x1000, 0x1000, i + 1, path, 101 + i));
		sideband_read(b);
		assert_int_equal(inode_of(b, 10, 500), i + 1);
		assert_string_equal(find(b, 10, 500)->maps->list[0].file->path, path);
	}
	assert_int_equal(b->lost, 0);
}

/* Any bytes in any ring: nothing is read outside of it, memory has an end. */
static void any_bytes(void **state)
{
	struct sideband *b = *state;
	uint64_t seed = 11;

	for (unsigned round = 0; round < 2000; round++) {
		for (unsigned cpu = 0; cpu < CPUS; cpu++) {
			struct record records[] = {
				fork_of(fake_random(&seed) % 5, fake_random(&seed) % 5, fake_random(&seed)),
				comm(fake_random(&seed) % 5, true, fake_random(&seed)),
				mmap2(fake_random(&seed) % 5, fake_random(&seed), fake_random(&seed), 1, "/abc",
				      fake_random(&seed)),
				exit_of(fake_random(&seed) % 5, 1, fake_random(&seed)),
			};
			struct record *r = &records[fake_random(&seed) % 4];

			for (unsigned i = fake_random(&seed) % 4; i > 0; i--)
				r->bytes[fake_random(&seed) % r->n] = (unsigned char)fake_random(&seed);
			fake_ring_write(&b->cpus[cpu].ring, r->bytes, r->n);
		}
		sideband_read(b);
		generations_age(&b->generations);
	}
	assert_true(b->generations.store.bytes <= CODE_STORE_BYTES);
	assert_true(b->lost > 10);
}

/* --- the kernel's own: what this process does is told */

static void the_kernels_own(void **state)
{
	struct sideband b = { 0 };
	int err = sideband_open(&b), status;
	struct process_id id = { 0 };
	const struct generation *g;
	uint64_t exec_ns;
	bool later;

	(void)state;
	if (err == -EACCES || err == -EPERM)
		skip();
	assert_int_equal(err, 0);
	assert_int_equal(sideband_start(&b), 0);
	exec_ns = sideband_now_ns(&b);
	id.tgid = fork();
	if (!id.tgid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(id.tgid, &status, 0), id.tgid);
	assert_int_equal(status, 0);
	sideband_read(&b);
	g = generations_find(&b.generations, &id, sideband_now_ns(&b), &later);
	assert_null(g); /* it is gone */
	for (g = b.generations.ended; g && (g->tgid != id.tgid || !g->maps || !g->is_complete); g = g->next_ended)
		;
	assert_non_null(g);
	assert_int_equal(g->parent_tgid, getpid());
	assert_in_range(g->begin_ns, exec_ns, sideband_now_ns(&b));
	assert_in_range(g->fork_ns, exec_ns, g->begin_ns);
	assert_in_range(g->end_ns, g->begin_ns, sideband_now_ns(&b));
	assert_non_null(strstr(g->maps->list[0].file->path, "true"));
	sideband_close(&b);
}

#define WITH_RINGS(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RINGS(fields),
		WITH_RINGS(threads_and_strangers),
		WITH_RINGS(cpus_are_merged_by_time),
		WITH_RINGS(later_ones_wait),
		WITH_RINGS(losses),
		WITH_RINGS(full_ring),
		WITH_RINGS(damaged_records),
		WITH_RINGS(long_paths),
		WITH_RINGS(any_bytes),
		cmocka_unit_test(the_kernels_own),
	};

	return cmocka_run_group_tests_name("sideband", tests, NULL, NULL);
}
