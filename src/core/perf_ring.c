/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/perf_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int perf_ring_open(struct perf_ring *ring, const struct perf_event_attr *attr, unsigned cpu, size_t bytes)
{
	struct perf_event_attr copy = *attr;
	void *at;
	int err;

	*ring = (struct perf_ring){ .bytes = bytes };
	ring->fd = (int)syscall(SYS_perf_event_open, &copy, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	at = mmap(NULL, page_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (at == MAP_FAILED) {
		err = -errno;
		perf_ring_close(ring);
		return err;
	}
	ring->page = at;
	ring->data = (const char *)at + page_bytes();
	return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, page_bytes() + ring->bytes);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct perf_ring){ .fd = -1 };
}

static void give_up(struct perf_ring *ring)
{
	ring->tail = ring->head;
	ring->damaged++;
}

void perf_ring_fetch(struct perf_ring *ring)
{
	/* Pairs with the kernel's barrier between data and head (perf_output_put_handle()). */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	if (ring->head - ring->tail > ring->bytes || ring->head % 8)
		give_up(ring);
}

/* Copies from the fetched part, which may wrap around. */
static void copy_out(const struct perf_ring *ring, void *to, size_t offset, size_t n)
{
	uint64_t at = (ring->tail + offset) & (ring->bytes - 1);
	size_t first = n;

	if (at + n > ring->bytes)
		first = (size_t)(ring->bytes - at);
	memcpy(to, ring->data + at, first);
	memcpy((char *)to + first, ring->data, n - first);
}

size_t perf_ring_peek(struct perf_ring *ring)
{
	struct perf_event_header header;

	if (ring->head - ring->tail < sizeof(header)) {
		if (ring->head != ring->tail)
			give_up(ring);
		return 0;
	}
	copy_out(ring, &header, 0, sizeof(header));
	if (header.size < sizeof(header) || header.size % 8 || header.size > ring->head - ring->tail) {
		give_up(ring);
		return 0;
	}
	return header.size;
}

uint64_t perf_ring_word(const struct perf_ring *ring, size_t offset)
{
	uint64_t word;

	copy_out(ring, &word, offset, sizeof(word));
	return word;
}

const struct perf_event_header *perf_ring_take(struct perf_ring *ring, void *buf, size_t buf_bytes)
{
	uint64_t at = ring->tail & (ring->bytes - 1);
	size_t n = perf_ring_peek(ring);
	const void *record = NULL;

	if (n && at + n <= ring->bytes) {
		record = ring->data + at;
	} else if (n && n <= buf_bytes) {
		copy_out(ring, buf, 0, n);
		record = buf;
	}
	ring->tail += n;
	return record;
}

void perf_ring_release(struct perf_ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

uint64_t perf_ring_room(const struct perf_ring *ring)
{
	return ring->bytes - (ring->head - ring->tail);
}
