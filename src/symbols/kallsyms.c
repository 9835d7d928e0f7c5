/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/intern.h"

#define BUFFER_BYTES	     (16 * 1024) /* read(2) gives a page at a time, whatever is asked for */
#define TEXT_BYTES_MAX	     640	 /* name (KSYM_NAME_LEN: 512) and module (MODULE_NAME_LEN: 56) */
#define TRAMPOLINE_BYTES_MAX 4096	 /* of ftrace and kprobes ("__builtin__ftrace"): a page at most */
#define UNKNOWN_BYTES_MAX    65536	 /* of code whose end nobody told, so that nothing far away is taken for it */
#define ZERO_LINES_MAX	     4096	 /* x86 before 6.15 begins with some per-CPU variables at 0 */

/* The highest symbol between the wanted address before and this one. */
struct slot {
	uint64_t start;
	uint32_t text; /* index into pool, NUL-terminated "name\tmodule" or "name"; 0: no symbol */
};

struct scan {
	const struct wanted *w;
	size_t n;
	struct slot *slots; /* n */
	char *pool;
	size_t pool_bytes, pool_max;

	/* The last symbol waits here: mostly the next one is of the same slot and replaces it. */
	size_t at;	    /* slot; n: none waits */
	uint64_t low, high; /* which addresses belong to that slot */
	uint64_t start;
	char text[TEXT_BYTES_MAX];

	uint64_t stext, etext; /* 0: not seen */
	uint64_t last;	       /* address of the line before */
	uint32_t zero_lines;
	bool nonzero, ascending;
	bool has_stext;
	bool only_stext; /* nothing else is wanted */
	bool done;	 /* nothing that follows can matter */
};

/* Puts the waiting symbol where it belongs. */
static int flush(struct scan *s)
{
	struct slot *slot;
	size_t bytes;
	char *grown;

	if (s->at == s->n)
		return 0;
	slot = &s->slots[s->at];
	if (slot->text && slot->start >= s->start)
		return 0;
	bytes = strlen(s->text) + 1;
	grown = intern_grow(s->pool, &s->pool_max, s->pool_bytes + bytes, 1);
	if (!grown)
		return -ENOMEM;
	s->pool = grown;
	memcpy(s->pool + s->pool_bytes, s->text, bytes);
	slot->start = s->start;
	slot->text = (uint32_t)s->pool_bytes;
	s->pool_bytes += bytes;
	return 0;
}

/* The slot of the first wanted address at or above `address` becomes the present one. */
static int seek(struct scan *s, uint64_t address)
{
	int err = flush(s);

	s->start = 0;
	s->at = wanted_lower_bound(s->w, s->n, address);
	s->low = s->at ? s->w[s->at - 1].address + 1 : 0;
	s->high = s->at < s->n ? s->w[s->at].address : UINT64_MAX;
	return err;
}

static int add_symbol(struct scan *s, uint64_t address, const char *text, size_t bytes)
{
	int err = 0;

	if (address < s->low || address > s->high)
		err = seek(s, address);
	if (err || s->at == s->n)
		return err;
	if (s->start && address <= s->start) /* of aliases the first: the kernel puts the better names first */
		return 0;
	if (bytes >= sizeof(s->text))
		bytes = sizeof(s->text) - 1;
	memcpy(s->text, text, bytes);
	s->text[bytes] = '\0';
	s->start = address;
	return 0;
}

/* Hexadecimal digits, then a space. Their number, 0 if it is something else. */
static size_t parse_address(const char *p, size_t bytes, uint64_t *address)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < bytes && i < 16; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c >= '0' && c <= '9')
			value = value << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (c - 'a' + 10u);
		else
			break;
	}
	*address = value;
	return i < bytes && p[i] == ' ' ? i : 0;
}

/* Marks of the assembler in modules of ARM and RISC-V ($x, $d: is_mapping_symbol() of the kernel), no functions. */
static bool is_label(const char *name)
{
	return name[0] == '$';
}

static bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static void note_marks(struct scan *s, uint64_t address, const char *name, size_t bytes)
{
	if (bytes == 6 && !memcmp(name, "_stext", 6)) {
		s->stext = address;
		s->has_stext = true;
		s->done |= s->only_stext;
	}
	if (bytes == 6 && !memcmp(name, "_etext", 6))
		s->etext = address;
}

/*
 * The kernel's own symbols come first, sorted, and its text is of one piece: if all that is wanted lies
 * between _stext and another function of it, the rest need not be read.
 */
static void note_order(struct scan *s, uint64_t address, bool is_own_text)
{
	if (address)
		s->nonzero = true;
	else if (++s->zero_lines > ZERO_LINES_MAX && !s->nonzero)
		s->done = true;
	if (address < s->last)
		s->ascending = false;
	s->last = address;
	if (is_own_text && s->n && s->ascending && s->stext && address > s->w[s->n - 1].address &&
	    s->w[0].address >= s->stext)
		s->done = true;
}

/* ffffffff81000000 T _stext, and of modules ffffffffc0201000 t ext4_init_fs\t[ext4] */
static int parse_line(struct scan *s, const char *line, size_t bytes)
{
	uint64_t address;
	size_t digits = parse_address(line, bytes, &address);
	const char *name = line + digits + 3;

	if (!digits || bytes < digits + 4)
		return 0;
	bytes -= digits + 3;
	note_order(s, address, is_text(name[-2]) && name[bytes - 1] != ']');
	if (name[0] == '_')
		note_marks(s, address, name, bytes);
	return is_text(name[-2]) && address && !is_label(name) ? add_symbol(s, address, name, bytes) : 0;
}

static int parse_lines(struct scan *s, char *buf, size_t n, size_t *rest)
{
	char *line = buf, *newline;
	int err = 0;

	while (!err && !s->done && (newline = memchr(line, '\n', n - (size_t)(line - buf)))) {
		err = parse_line(s, line, (size_t)(newline - line));
		line = newline + 1;
	}
	*rest = (size_t)(line - buf);
	return err;
}

static int read_all(struct scan *s, int fd)
{
	char buf[BUFFER_BYTES];
	size_t have = 0, rest;
	int err = 0;

	while (!err && !s->done) {
		ssize_t n = read(fd, buf + have, sizeof(buf) - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		have += (size_t)n;
		err = parse_lines(s, buf, have, &rest);
		if (!rest && have == sizeof(buf)) /* no kernel writes such a line */
			rest = have;
		have -= rest;
		memmove(buf, buf + rest, have);
	}
	return err ? err : flush(s);
}

/* Splits "name\t[module]"; the module, or NULL. */
static char *split(char *text)
{
	char *module = strchr(text, '\t');

	if (!module || module[1] != '[')
		return NULL;
	*module = '\0';
	module += 2;
	module[strcspn(module, "]")] = '\0';
	return module;
}

static bool is_builtin(const char *module)
{
	return !strncmp(module, "__builtin__", 11);
}

static bool is_in_module(const struct code_ranges *ranges, const char *module, uint64_t start, uint64_t address)
{
	bool is_bpf = !strcmp(module, "bpf");
	bool known = false;

	for (size_t i = 0; i < ranges->n; i++) {
		const struct code_range *r = &ranges->list[i];

		if (strcmp(r->module, is_bpf ? "" : module) != 0)
			continue;
		known |= !is_bpf || r->start == start;
		if (start - r->start < r->bytes && address - r->start < r->bytes)
			return true;
	}
	return !known && address - start < UNKNOWN_BYTES_MAX;
}

/* Does the code that begins at `start` reach to `address`? Behind the kernel's text lies what only boot ran. */
static bool belongs(const struct scan *s, const char *module, uint64_t start, uint64_t address,
		    const struct code_ranges *ranges)
{
	if (!module)
		return !s->etext || address < s->etext;
	if (is_builtin(module))
		return address - start < TRAMPOLINE_BYTES_MAX;
	return is_in_module(ranges, module, start, address);
}

/* The symbol of one address, below which no other is nearer. */
static struct found judge(const struct scan *s, const struct slot *slot, uint64_t address,
			  const struct code_ranges *ranges, char text[TEXT_BYTES_MAX])
{
	struct found f = { .why = s->nonzero ? WHY_NO_SYMBOL : WHY_KPTR_RESTRICT };
	const char *module;

	if (!slot)
		return f;
	strcpy(text, s->pool + slot->text);
	module = split(text);
	if (!belongs(s, module, slot->start, address, ranges))
		return f;
	f.name = text;
	f.module = module && !is_builtin(module) ? module : NULL;
	f.offset = address - slot->start;
	f.why = WHY_NAMED;
	return f;
}

static int emit(const struct scan *s, int (*read_ranges)(struct code_ranges *), found_fn *fn, void *ctx)
{
	const struct slot *nearest = NULL;
	struct code_ranges ranges = { 0 };
	char text[TEXT_BYTES_MAX];
	int err = 0;

	for (size_t i = 0; i < s->n && !err; i++) {
		struct found f;

		if (s->slots[i].text)
			nearest = &s->slots[i];
		if (nearest && read_ranges && strchr(s->pool + nearest->text, '\t')) {
			err = read_ranges(&ranges);
			read_ranges = NULL;
			if (err)
				break;
		}
		f = judge(s, nearest, s->w[i].address, &ranges, text);
		err = fn(ctx, s->w[i].id, &f);
	}
	free(ranges.list);
	return err;
}

int kallsyms_symbols(int fd, const struct wanted *w, size_t n, int (*ranges)(struct code_ranges *), found_fn *fn,
		     void *ctx)
{
	struct scan s = { .w = w, .n = n, .at = n, .low = 1, .ascending = true, .pool_bytes = 1 };
	int err;

	if (!n)
		return 0;
	s.slots = calloc(n, sizeof(*s.slots));
	err = s.slots ? read_all(&s, fd) : -ENOMEM;
	if (!err)
		err = emit(&s, ranges, fn, ctx);
	free(s.slots);
	free(s.pool);
	return err;
}

int kallsyms_stext(int fd, uint64_t *stext)
{
	struct scan s = { .low = 1, .only_stext = true };
	int err = read_all(&s, fd);

	*stext = s.stext;
	if (err || s.has_stext || (s.zero_lines && !s.nonzero))
		return err;
	return -ENOENT;
}
