/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/elf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/elf_file.h"

#define NAME_BYTES_MAX	4096 /* longer names are cut */
#define NAME_PLACES_MAX 64
#define STRINGS_MAX	(256u << 20) /* searched for a name; a kernel has 10 MB */
#define WORK_MAX	(16u << 20)  /* symbol against address: overlapping symbols make n * m of them ... */
#define WORK_OF_NAMES	64	     /* ... and a look at names in the file costs as much as so many */

/* The best symbol so far for one wanted address. */
struct best {
	uint64_t start, size;
	uint64_t name_at;  /* offset in the file; 0: none yet */
	uint64_t name_end; /* of its string table */
	uint8_t binding, type;
};

struct sweep {
	int fd;
	struct elf_table table; /* in work */
	const struct wanted *w;
	struct best *best;
	size_t n;
	uint32_t work;
	bool is_arm;
};

int elf_loads(int fd, struct elf_load loads[ELF_LOADS_MAX])
{
	Elf *elf = elf_file_begin(fd);
	GElf_Phdr phdr;
	size_t n_phdrs;
	int n = 0;

	if (!elf)
		return -ENOEXEC;
	if (elf_getphdrnum(elf, &n_phdrs))
		n_phdrs = 0;
	for (size_t i = 0; i < n_phdrs && n < ELF_LOADS_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr))
			break;
		if (phdr.p_type == PT_LOAD && phdr.p_filesz && phdr.p_offset + phdr.p_filesz > phdr.p_offset)
			loads[n++] = (struct elf_load){ phdr.p_offset, phdr.p_filesz, phdr.p_vaddr };
	}
	elf_end(elf);
	return n ? n : -ENOEXEC;
}

bool elf_address(const struct elf_load *loads, unsigned n, uint64_t offset, uint64_t *address)
{
	for (unsigned i = 0; i < n; i++) {
		if (offset >= loads[i].offset && offset - loads[i].offset < loads[i].bytes) {
			*address = offset - loads[i].offset + loads[i].address;
			return true;
		}
	}
	return false;
}

/* Name at an offset of the file, cut at `end` and at NAME_BYTES_MAX. Its length; 0 if there is none. */
static size_t read_name(int fd, uint64_t at, uint64_t end, char name[NAME_BYTES_MAX + 1])
{
	size_t room = end - at < NAME_BYTES_MAX ? end - at : NAME_BYTES_MAX, have = 0;

	while (have < room) { /* most names end within the first read */
		size_t step = room - have < 128 ? room - have : have ? room - have : 128;
		ssize_t n = pread(fd, name + have, step, (off_t)(at + have));

		if (n <= 0)
			break;
		if (memchr(name + have, '\0', (size_t)n))
			return strlen(name);
		have += (size_t)n;
	}
	name[have] = '\0';
	return have;
}

/* Below 0: `a` is plainer, as "write" is before "__write", and that before "__libc_write". */
static int compare_names(struct sweep *s, const struct best *a, const struct best *b)
{
	char a_name[NAME_BYTES_MAX + 1], b_name[NAME_BYTES_MAX + 1];
	size_t a_bytes = read_name(s->fd, a->name_at, a->name_end, a_name);
	size_t b_bytes = read_name(s->fd, b->name_at, b->name_end, b_name);
	size_t a_underscores = strspn(a_name, "_"), b_underscores = strspn(b_name, "_");

	s->work += WORK_OF_NAMES;
	if (a_underscores != b_underscores)
		return a_underscores < b_underscores ? -1 : 1;
	if (a_bytes != b_bytes)
		return a_bytes < b_bytes ? -1 : 1;
	return strcmp(a_name, b_name);
}

static int binding_rank(unsigned char binding)
{
	switch (binding) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return 2;
	case STB_WEAK:
		return 1;
	default:
		return 0;
	}
}

static bool is_better(struct sweep *s, const struct best *new, const struct best *old)
{
	if (!old->name_at)
		return true;
	if (!new->size != !old->size)
		return new->size != 0;
	if (new->start != old->start)
		return new->start > old->start;
	if (new->binding != old->binding)
		return binding_rank(new->binding) > binding_rank(old->binding);
	if (new->type != old->type)
		return old->type == STT_NOTYPE;
	return new->name_at != old->name_at &&compare_names(s, new, old) < 0;
}

/* Labels of the assembler, not functions: mapping symbols ($x, $d: ARM ELF ABI) and local labels. */
static bool is_label(struct sweep *s, const struct best *b)
{
	char name[NAME_BYTES_MAX + 1];

	s->work += WORK_OF_NAMES;
	return !read_name(s->fd, b->name_at, b->name_end, name) || name[0] == '$' || name[0] == '.';
}

static bool is_function(const GElf_Sym *sym)
{
	unsigned char type = GELF_ST_TYPE(sym->st_info);

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || sym->st_shndx == SHN_COMMON)
		return false;
	return sym->st_name != 0 && sym->st_value + sym->st_size >= sym->st_value;
}

static struct best best_of(const struct sweep *s, const GElf_Sym *sym)
{
	const struct elf_table *t = &s->table;
	struct best b = {
		.start = sym->st_value,
		.size = sym->st_size,
		.name_at = t->strings_offset + sym->st_name,
		.name_end = t->strings_offset + t->strings_size,
		.binding = GELF_ST_BIND(sym->st_info),
		.type = GELF_ST_TYPE(sym->st_info),
	};

	if (s->is_arm && b.type == STT_FUNC)
		b.start &= ~1ull; /* bit 0 marks Thumb code */
	return b;
}

/* Holds one symbol against the addresses it covers. -ENOEXEC when symbols overlap beyond all reason. */
static int consider(void *ctx, const GElf_Sym *sym)
{
	struct sweep *s = ctx;
	struct best new, beaten = { .name_at = 1 };
	bool better = false;
	uint64_t last;

	if (!is_function(sym) || sym->st_name >= s->table.strings_size)
		return 0;
	new = best_of(s, sym);
	last = new.start + (new.size ? new.size - 1 : 0);
	if (last < s->w[0].address || new.start > s->w[s->n - 1].address)
		return 0;
	for (size_t i = wanted_lower_bound(s->w, s->n, new.start); i < s->n && s->w[i].address <= last; i++) {
		if (++s->work > WORK_MAX)
			return -ENOEXEC;
		if (!new.size && is_label(s, &new))
			break;
		if (s->best[i].name_at != beaten.name_at || s->best[i].start != beaten.start) { /* else as before */
			beaten = s->best[i];
			better = is_better(s, &new, &beaten);
		}
		if (better)
			s->best[i] = new;
	}
	return 0;
}

/* Name for people: without the version that linkers append ("memcpy@@GLIBC_2.14"). */
static void read_best(int fd, const struct best *b, char name[NAME_BYTES_MAX + 1])
{
	char *version;

	read_name(fd, b->name_at, b->name_end, name);
	version = strchr(name, '@');
	if (version && version != name)
		*version = '\0';
}

static int emit(const struct sweep *s, found_fn *fn, void *ctx, enum why why)
{
	char name[NAME_BYTES_MAX + 1] = "";
	uint64_t name_at = 0;
	int err = 0;

	for (size_t i = 0; i < s->n && !err; i++) {
		const struct best *b = &s->best[i];
		struct found f = { .why = why };

		if (b->name_at && b->name_at != name_at)
			read_best(s->fd, b, name);
		if (b->name_at) {
			name_at = b->name_at;
			f = (struct found){ .name = name, .offset = s->w[i].address - b->start, .why = WHY_NAMED };
		}
		err = fn(ctx, s->w[i].id, &f);
	}
	return err;
}

static bool all_found(const struct sweep *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->best[i].name_at)
			return false;
	return true;
}

/* Fills s->best; why those that stay empty have no name. */
static int sweep_file(struct sweep *s, Elf *elf, enum why *why)
{
	static const GElf_Word types[] = { SHT_SYMTAB, SHT_DYNSYM };
	int err = 0;

	*why = WHY_STRIPPED;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]) && !all_found(s); i++) {
		err = elf_file_table(elf, s->fd, types[i], &s->table);
		if (err == 1) {
			if (types[i] == SHT_SYMTAB)
				*why = WHY_NO_SYMBOL;
			err = elf_file_each_symbol(elf, s->fd, &s->table, consider, s);
		}
		if (err)
			break;
	}
	if (err == -ENOEXEC) {
		*why = WHY_NOT_ELF;
		err = 0;
	}
	return err;
}

int elf_symbols(int fd, const struct wanted *w, size_t n, found_fn *fn, void *ctx)
{
	struct sweep s = { .fd = fd, .w = w, .n = n };
	enum why why = WHY_NOT_ELF;
	Elf *elf;
	int err = 0;

	if (!n)
		return 0;
	s.best = calloc(n, sizeof(*s.best));
	if (!s.best)
		return -ENOMEM;
	elf = elf_file_begin(fd);
	if (elf) {
		GElf_Ehdr ehdr;

		s.is_arm = gelf_getehdr(elf, &ehdr) && ehdr.e_machine == EM_ARM;
		err = sweep_file(&s, elf, &why);
		elf_end(elf);
	}
	if (!err)
		err = emit(&s, fn, ctx, why);
	free(s.best);
	return err;
}

int elf_has_symtab(int fd)
{
	Elf *elf = elf_file_begin(fd);
	struct elf_table table;
	int found = elf ? elf_file_table(elf, fd, SHT_SYMTAB, &table) : -ENOEXEC;

	elf_end(elf);
	return found;
}

/* Where a name stands in a string table; linkers let names share their ends, so it may be more than once. */
struct places {
	uint32_t list[NAME_PLACES_MAX];
	size_t n;
	uint64_t address;
	bool found;
};

/* 0 or -ENOEXEC. Chunks overlap by the name's length, so that none hides on their border. */
static int find_places(struct places *p, int fd, const struct elf_table *t, const char *name)
{
	size_t bytes = strlen(name) + 1;
	uint64_t end = t->strings_size < STRINGS_MAX ? t->strings_size : STRINGS_MAX;
	char chunk[16 * 1024];

	for (uint64_t at = 0; at + bytes <= end; at += sizeof(chunk) - (bytes - 1)) {
		size_t n = end - at < sizeof(chunk) ? end - at : sizeof(chunk);
		const char *hit = chunk;

		if (pread(fd, chunk, n, (off_t)(t->strings_offset + at)) != (ssize_t)n)
			return -ENOEXEC;
		while (p->n < NAME_PLACES_MAX && (hit = memmem(hit, n - (size_t)(hit - chunk), name, bytes)))
			p->list[p->n++] = (uint32_t)(at + (size_t)(hit++ - chunk));
	}
	return 0;
}

static int note_address(void *ctx, const GElf_Sym *sym)
{
	struct places *p = ctx;

	for (size_t i = 0; i < p->n && !p->found && sym->st_shndx != SHN_UNDEF; i++) {
		p->found = sym->st_name == p->list[i];
		p->address = sym->st_value;
	}
	return 0;
}

int elf_symbol_address(int fd, const char *name, uint64_t *address)
{
	Elf *elf = elf_file_begin(fd);
	struct places places = { .n = 0 };
	struct elf_table table;
	int err = elf ? elf_file_table(elf, fd, SHT_SYMTAB, &table) : -ENOEXEC;

	if (!err)
		err = -ENOENT;
	else if (err == 1)
		err = find_places(&places, fd, &table, name);
	if (!err && places.n)
		err = elf_file_each_symbol(elf, fd, &table, note_address, &places);
	elf_end(elf);
	if (err)
		return err;
	*address = places.address;
	return places.found ? 0 : -ENOENT;
}
