/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages in the wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding/),
 * built in memory: each message is small, the stream of them need not be.
 */
#ifndef CORE_PROTOBUF_H
#define CORE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct protobuf {
	unsigned char *bytes;
	size_t n, capacity;
	bool no_memory; /* what was added since is missing */
};

void protobuf_clear(struct protobuf *p); /* empty again, its memory kept */
void protobuf_free(struct protobuf *p);

/* A number of any integer type; negative ones as two's complement. 0 is the default and is left out. */
void protobuf_uint(struct protobuf *p, unsigned field, uint64_t value);
/* Of type string, bytes, a message, or packed numbers; written even if empty. */
void protobuf_bytes(struct protobuf *p, unsigned field, const void *bytes, size_t n);
void protobuf_message(struct protobuf *p, unsigned field, const struct protobuf *message);
/* An element of packed numbers, without a field. */
void protobuf_element(struct protobuf *p, uint64_t value);

#endif
