/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of every size, wherever the ring ends, damaged ones, and the kernel's own ring. */
#include "fixtures/fake_ring.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING_BYTES 4096
#define BUF_BYTES  1024

static int open_ring(void **state)
{
	struct perf_ring *ring = malloc(sizeof(*ring));

	fake_ring_open(ring, RING_BYTES);
	*state = ring;
	return 0;
}

static int close_ring(void **state)
{
	fake_ring_close(*state);
	free(*state);
	return 0;
}

/* A record of n bytes, each of which follows from `number`. */
static void make(char *record, size_t n, unsigned number)
{
	struct perf_event_header header = { .type = number, .size = (uint16_t)n };

	for (size_t i = 0; i < n; i++)
		record[i] = (char)(number * 7 + i);
	memcpy(record, &header, sizeof(header));
}

/* Reads all that is there; they must be `first` and those after it. Returns the number of the next. */
static unsigned expect(struct perf_ring *ring, const size_t *sizes, unsigned first)
{
	char buf[BUF_BYTES], wanted[BUF_BYTES];
	size_t n;

	perf_ring_fetch(ring);
	while ((n = perf_ring_peek(ring))) {
		const void *record;
		uint64_t last;

		assert_int_equal(n, sizes[first]);
		make(wanted, n, first);
		memcpy(&last, wanted + n - 8, 8);
		assert_true(perf_ring_word(ring, n - 8) == last);
		record = perf_ring_take(ring, buf, sizeof(buf));
		assert_non_null(record);
		assert_memory_equal(record, wanted, n);
		first++;
	}
	perf_ring_release(ring);
	return first;
}

static void all_sizes_come_back(void **state)
{
	static size_t sizes[20000];
	struct perf_ring *ring = *state;
	unsigned written = 0, read = 0;
	char record[BUF_BYTES];
	uint64_t seed = 1;

	while (written < 20000) {
		size_t n = 8 + 8 * (fake_random(&seed) % 127);

		sizes[written] = n;
		make(record, n, written);
		if (fake_ring_write(ring, record, n))
			written++;
		else
			read = expect(ring, sizes, read);
	}
	read = expect(ring, sizes, read);
	assert_int_equal(read, 20000);
	assert_int_equal(ring->damaged, 0);
	assert_true(ring->page->data_head > 1000 * RING_BYTES);
	assert_int_equal(ring->page->data_tail, ring->page->data_head);
}

/* What the kernel writes meanwhile is seen at the next fetch, and not before. */
static void fetch_is_a_moment(void **state)
{
	struct perf_ring *ring = *state;
	char record[16], buf[16];

	make(record, 16, 1);
	fake_ring_write(ring, record, 16);
	perf_ring_fetch(ring);
	fake_ring_write(ring, record, 16);
	assert_int_equal(perf_ring_room(ring), RING_BYTES - 16);
	assert_non_null(perf_ring_take(ring, buf, sizeof(buf)));
	assert_int_equal(perf_ring_peek(ring), 0);
	assert_null(perf_ring_take(ring, buf, sizeof(buf)));
	assert_int_equal(ring->page->data_tail, 0);
	perf_ring_release(ring);
	assert_int_equal(ring->page->data_tail, 16);
	perf_ring_fetch(ring);
	assert_int_equal(perf_ring_peek(ring), 16);
}

/* Sizes that cannot be: all that was fetched goes, what comes later is read. */
static void damaged_sizes(void **state)
{
	static const uint16_t sizes[] = { 0, 1, 7, 12, 20, 40, 1024, 65528, 65535 };
	struct perf_ring *ring = *state;
	char record[32], buf[BUF_BYTES];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_event_header header = { .size = sizes[i] };

		make(record, 32, 1);
		memcpy(record, &header, sizeof(header));
		fake_ring_write(ring, record, 32);
		perf_ring_fetch(ring);
		assert_int_equal(perf_ring_peek(ring), 0);
		assert_int_equal(ring->damaged, i + 1);
		assert_null(perf_ring_take(ring, buf, sizeof(buf)));
		perf_ring_release(ring);
		make(record, 32, 2);
		fake_ring_write(ring, record, 32);
		perf_ring_fetch(ring);
		assert_int_equal(perf_ring_peek(ring), 32);
		assert_memory_equal(perf_ring_take(ring, buf, sizeof(buf)), record, 32);
		perf_ring_release(ring);
	}
}

static void damaged_heads(void **state)
{
	struct perf_ring *ring = *state;

	ring->page->data_head = RING_BYTES + 8; /* further than there is room */
	perf_ring_fetch(ring);
	assert_int_equal(perf_ring_peek(ring), 0);
	ring->page->data_head += 4;
	perf_ring_fetch(ring);
	assert_int_equal(perf_ring_peek(ring), 0);
	assert_int_equal(ring->damaged, 2);
	ring->page->data_head = 8; /* back */
	perf_ring_fetch(ring);
	assert_int_equal(perf_ring_peek(ring), 0);
	assert_int_equal(ring->damaged, 3);
}

static void larger_than_the_buffer(void **state)
{
	struct perf_ring *ring = *state;
	char record[64], buf[32];

	ring->tail = ring->page->data_head = ring->page->data_tail = RING_BYTES - 24;
	make(record, 64, 1);
	fake_ring_write(ring, record, 64);
	make(record, 24, 2);
	fake_ring_write(ring, record, 24);
	perf_ring_fetch(ring);
	assert_int_equal(perf_ring_peek(ring), 64);
	assert_null(perf_ring_take(ring, buf, sizeof(buf)));
	assert_memory_equal(perf_ring_take(ring, buf, sizeof(buf)), record, 24);
	assert_int_equal(ring->damaged, 0);
}

/* No bytes whatever lead outside of the ring; AddressSanitizer looks on. */
static void any_bytes(void **state)
{
	struct perf_ring *ring = *state;
	uint64_t seed = 7;
	char buf[256];

	for (unsigned round = 0; round < 3000; round++) {
		size_t n;

		for (size_t i = 0; i < RING_BYTES; i++)
			((char *)ring->data)[i] = (char)(i % 8 == 7 && round % 2 ? 0 : fake_random(&seed));
		ring->page->data_head += 8 * (fake_random(&seed) % (RING_BYTES / 8 + 2));
		perf_ring_fetch(ring);
		while ((n = perf_ring_peek(ring))) {
			assert_true(n <= ring->head - ring->tail);
			perf_ring_word(ring, n - 8);
			perf_ring_take(ring, buf, sizeof(buf));
		}
		perf_ring_release(ring);
		assert_int_equal(ring->page->data_tail, ring->page->data_head);
	}
	assert_true(ring->damaged > 100);
}

/* A ring of one page overflows, and the kernel says by how much. */
static void the_kernels_own(void **state)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = sizeof(attr), .mmap = 1, .mmap2 = 1
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n;
	unsigned maps = 0, lost = 0, told = 300;
	struct perf_ring ring;
	char buf[4096];
	int err;

	(void)state;
	for (unsigned cpu = 0; cpu < 64; cpu++) { /* the one this runs on, whichever that is */
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			continue;
		err = perf_ring_open(&ring, &attr, cpu, page);
		break;
	}
	if (err == -EACCES || err == -EPERM)
		skip();
	assert_int_equal(err, 0);
	for (unsigned i = 0; i < told; i++) {
		void *at = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert_true(at != MAP_FAILED);
		munmap(at, page);
		if (i + 2 != told)
			continue;
		perf_ring_fetch(&ring); /* all but the last find a full ring */
		assert_true(perf_ring_room(&ring) < 512);
		while (perf_ring_peek(&ring)) {
			const struct perf_event_header *header = perf_ring_take(&ring, buf, sizeof(buf));

			maps += header && header->type == PERF_RECORD_MMAP2;
		}
		perf_ring_release(&ring);
	}
	perf_ring_fetch(&ring);
	while ((n = perf_ring_peek(&ring))) {
		uint64_t count = n >= 24 ? perf_ring_word(&ring, 16) : 0;
		const struct perf_event_header *header = perf_ring_take(&ring, buf, sizeof(buf));

		assert_non_null(header);
		maps += header->type == PERF_RECORD_MMAP2;
		if (header->type == PERF_RECORD_LOST)
			lost += (unsigned)count;
	}
	assert_true(maps > 10);
	assert_in_range(maps + lost, told, told + 50); /* others may run on this CPU too */
	perf_ring_close(&ring);
}

#define WITH_RING(f) cmocka_unit_test_setup_teardown(f, open_ring, close_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RING(all_sizes_come_back),	   WITH_RING(fetch_is_a_moment),      WITH_RING(damaged_sizes),
		WITH_RING(damaged_heads),	   WITH_RING(larger_than_the_buffer), WITH_RING(any_bytes),
		cmocka_unit_test(the_kernels_own),
	};

	return cmocka_run_group_tests_name("perf_ring", tests, NULL, NULL);
}
