/* SPDX-License-Identifier: GPL-2.0-only */
#include "db/buckets.h"

#include "db/row.h"

size_t buckets_encode(uint8_t out[BUCKETS_BLOB_BYTES_MAX], const uint64_t buckets[HIST_BUCKETS])
{
	size_t bytes = 0;
	unsigned next = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		if (!buckets[i])
			continue;
		bytes += row_varint_put(out + bytes, i - next);
		bytes += row_varint_put(out + bytes, buckets[i]);
		next = i + 1;
	}
	return bytes;
}

static bool get(const uint8_t *blob, size_t bytes, size_t *at, size_t bytes_max, uint64_t *number)
{
	size_t left = bytes - *at, used = row_varint_get(blob + *at, left < bytes_max ? left : bytes_max, number);

	*at += used;
	return used > 0;
}

bool buckets_decode(uint64_t buckets[HIST_BUCKETS], const uint8_t *blob, size_t bytes, struct buckets_sum *sum)
{
	uint64_t empty, count;
	unsigned next = 0;
	size_t at = 0;

	*sum = (struct buckets_sum){ 0 };
	while (at < bytes) {
		if (!get(blob, bytes, &at, 2, &empty) || !get(blob, bytes, &at, BUCKETS_COUNT_BYTES_MAX, &count))
			return false;
		if (empty >= HIST_BUCKETS - next || !count)
			return false;
		if (!sum->count)
			sum->lowest = (unsigned)empty;
		sum->highest = next + (unsigned)empty;
		sum->count += count;
		if (sum->count > INT64_MAX)
			return false;
		if (buckets)
			buckets[sum->highest] += count;
		next = sum->highest + 1;
	}
	return true;
}
