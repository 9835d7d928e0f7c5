/* SPDX-License-Identifier: GPL-2.0-only */
#include "core/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "core/intern.h"

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
};

void protobuf_clear(struct protobuf *p)
{
	p->n = 0;
}

void protobuf_free(struct protobuf *p)
{
	free(p->bytes);
	*p = (struct protobuf){ 0 };
}

static void add(struct protobuf *p, const void *bytes, size_t n)
{
	unsigned char *grown;

	if (!n)
		return;
	grown = intern_grow(p->bytes, &p->capacity, p->n + n, 1);
	if (!grown) {
		p->no_memory = true;
		return;
	}
	p->bytes = grown;
	memcpy(p->bytes + p->n, bytes, n);
	p->n += n;
}

void protobuf_element(struct protobuf *p, uint64_t value)
{
	unsigned char bytes[10]; /* seven bits each */
	size_t n = 0;

	while (value >= 0x80) {
		bytes[n++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	bytes[n++] = (unsigned char)value;
	add(p, bytes, n);
}

static void add_tag(struct protobuf *p, unsigned field, enum wire_type type)
{
	protobuf_element(p, (uint64_t)field << 3 | type);
}

void protobuf_uint(struct protobuf *p, unsigned field, uint64_t value)
{
	if (!value)
		return;
	add_tag(p, field, WIRE_VARINT);
	protobuf_element(p, value);
}

void protobuf_bytes(struct protobuf *p, unsigned field, const void *bytes, size_t n)
{
	add_tag(p, field, WIRE_BYTES);
	protobuf_element(p, n);
	add(p, bytes, n);
}

void protobuf_message(struct protobuf *p, unsigned field, const struct protobuf *message)
{
	protobuf_bytes(p, field, message->bytes, message->n);
	p->no_memory |= message->no_memory;
}
