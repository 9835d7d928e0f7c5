/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring buffer of a perf event, read record by record. The kernel writes it, but names and paths in
 * it are chosen by anybody, so sizes are checked against what is there before a byte is believed.
 *   perf_ring_fetch(), then perf_ring_peek() and perf_ring_take() while there is more, perf_ring_release()
 */
#ifndef CORE_PERF_RING_H
#define CORE_PERF_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed with fd -1: closed. */
struct perf_ring {
	int fd;
	struct perf_event_mmap_page *page; /* shared with the kernel; the data follow the page */
	const char *data;
	uint64_t bytes;	     /* of data, a power of two */
	uint64_t head, tail; /* counted from the beginning of time; between them lies what was fetched */
	uint64_t damaged;    /* how often all that had been fetched was thrown away since it made no sense */
};

/* An event of that kind on a CPU, with a ring of so many bytes (a power of two of pages). 0 or -errno. */
int perf_ring_open(struct perf_ring *ring, const struct perf_event_attr *attr, unsigned cpu, size_t bytes);
void perf_ring_close(struct perf_ring *ring);

/* Sees what the kernel has written until now. */
void perf_ring_fetch(struct perf_ring *ring);
/* Bytes of the next record, its header included, a multiple of 8; 0: there is none. */
size_t perf_ring_peek(struct perf_ring *ring);
/* 8 bytes at `offset` of the next record, which must be within what perf_ring_peek() said. */
uint64_t perf_ring_word(const struct perf_ring *ring, size_t offset);
/*
 * Takes the next record, copied to `buf` where it wraps around. NULL: it does not fit there; it is
 * taken all the same. Valid until perf_ring_release().
 */
const struct perf_event_header *perf_ring_take(struct perf_ring *ring, void *buf, size_t buf_bytes);
/* Gives the kernel back what was taken. */
void perf_ring_release(struct perf_ring *ring);
/* Bytes beside those that were fetched and not taken. */
uint64_t perf_ring_room(const struct perf_ring *ring);

#endif
