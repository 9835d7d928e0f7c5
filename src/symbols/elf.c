/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/elf.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTIONS_MAX   4096	    /* libelf allocates some 300 bytes for each */
#define PHDRS_MAX      512	    /* linkers make about a dozen */
#define CHUNK_BYTES    (64 * 1024)  /* of a symbol table, read at a time */
#define NAME_BYTES_MAX 4096	    /* longer names are cut */
#define WORK_MAX       (16u << 20)  /* symbol against address: overlapping symbols make n * m of them ... */
#define WORK_OF_NAMES  64	    /* ... and a look at names in the file costs as much as so many */
#define SYMBOLS_MAX    (256u << 20) /* bytes of one table; the largest known, of a browser, has 100 MB */

/* The best symbol so far for one wanted address. */
struct best {
	uint64_t start, size;
	uint64_t name_at;  /* offset in the file; 0: none yet */
	uint64_t name_end; /* of its string table */
	uint8_t binding, type;
};

struct table {
	uint64_t offset, size; /* of the symbols, in the file */
	uint64_t strings_offset, strings_size;
};

struct sweep {
	int fd;
	const struct wanted *w;
	struct best *best;
	size_t n;
	uint32_t work;
	bool is_arm;
};

/* -ENOEXEC for what libelf would spend much memory on. */
static int check_header(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} h;
	ssize_t n = pread(fd, &h, sizeof(h), 0);
	unsigned sections, phdrs;

	if (n < (ssize_t)sizeof(h.e32) || memcmp(h.ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	if (h.ident[EI_CLASS] == ELFCLASS64 && n == sizeof(h.e64)) {
		sections = h.e64.e_shnum;
		phdrs = h.e64.e_phnum;
		if (!sections && h.e64.e_shoff) /* their number then is in section 0 and above 0xff00 */
			return -ENOEXEC;
	} else if (h.ident[EI_CLASS] == ELFCLASS32) {
		sections = h.e32.e_shnum;
		phdrs = h.e32.e_phnum;
		if (!sections && h.e32.e_shoff)
			return -ENOEXEC;
	} else {
		return -ENOEXEC;
	}
	if (h.ident[EI_DATA] != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)) {
		sections = __builtin_bswap16((uint16_t)sections);
		phdrs = __builtin_bswap16((uint16_t)phdrs);
	}
	return sections <= SECTIONS_MAX && phdrs <= PHDRS_MAX ? 0 : -ENOEXEC;
}

/* NULL: no ELF file of a kind that can run. */
static Elf *elf_of(int fd)
{
	GElf_Ehdr ehdr;
	Elf *elf;

	if (check_header(fd) || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return NULL;
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr) ||
	    (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)) {
		elf_end(elf);
		return NULL;
	}
	return elf;
}

int elf_loads(int fd, struct elf_load loads[ELF_LOADS_MAX])
{
	Elf *elf = elf_of(fd);
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

static struct best best_of(const struct sweep *s, const struct table *t, const GElf_Sym *sym)
{
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
static int consider(struct sweep *s, const struct table *t, const GElf_Sym *sym)
{
	struct best new, beaten = { .name_at = 1 };
	bool better = false;
	uint64_t last;

	if (!is_function(sym) || sym->st_name >= t->strings_size)
		return 0;
	new = best_of(s, t, sym);
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

static GElf_Sym symbol_at(const void *symbols, int class, size_t i)
{
	const Elf32_Sym *s32 = (const Elf32_Sym *)symbols + i;

	if (class == ELFCLASS64)
		return ((const Elf64_Sym *)symbols)[i];
	return (GElf_Sym){ s32->st_name, s32->st_info, s32->st_other, s32->st_shndx, s32->st_value, s32->st_size };
}

static int sweep_table(struct sweep *s, Elf *elf, const struct table *t)
{
	unsigned char encoding = (unsigned char)elf_getident(elf, NULL)[EI_DATA];
	size_t symbol_bytes = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t chunk_bytes = CHUNK_BYTES / symbol_bytes * symbol_bytes;
	uint64_t end = t->offset + t->size / symbol_bytes * symbol_bytes;
	void *chunk = malloc(chunk_bytes);
	int err = chunk ? 0 : -ENOMEM;

	for (uint64_t at = t->offset; !err && at < end; at += chunk_bytes) {
		size_t bytes = end - at < chunk_bytes ? end - at : chunk_bytes;
		Elf_Data data = { .d_buf = chunk, .d_type = ELF_T_SYM, .d_size = bytes, .d_version = EV_CURRENT };

		if (pread(s->fd, chunk, bytes, (off_t)at) != (ssize_t)bytes ||
		    !gelf_xlatetom(elf, &data, &data, encoding))
			err = -ENOEXEC;
		for (size_t i = 0; !err && i < bytes / symbol_bytes; i++) {
			GElf_Sym sym = symbol_at(chunk, gelf_getclass(elf), i);

			err = consider(s, t, &sym);
		}
	}
	free(chunk);
	return err;
}

static bool in_file(const GElf_Shdr *shdr, uint64_t file_bytes)
{
	return shdr->sh_type != SHT_NOBITS && !(shdr->sh_flags & SHF_COMPRESSED) && shdr->sh_offset <= file_bytes &&
	       shdr->sh_size <= file_bytes - shdr->sh_offset;
}

/* 1: found, 0: there is none, -ENOEXEC: there is, damaged. */
static int find_table(Elf *elf, GElf_Word type, uint64_t file_bytes, struct table *t)
{
	GElf_Shdr symbols, strings;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &symbols))
			return -ENOEXEC;
		if (symbols.sh_type == type)
			break;
	}
	if (!scn)
		return 0;
	if (!gelf_getshdr(elf_getscn(elf, symbols.sh_link), &strings) || strings.sh_type != SHT_STRTAB ||
	    !in_file(&symbols, file_bytes) || !in_file(&strings, file_bytes) || symbols.sh_size > SYMBOLS_MAX)
		return -ENOEXEC;
	*t = (struct table){ symbols.sh_offset, symbols.sh_size, strings.sh_offset, strings.sh_size };
	return 1;
}

/* Are all section headers within the file? They come last in it: what was cut short lacks them. */
static bool has_sections(Elf *elf, uint64_t file_bytes)
{
	GElf_Ehdr ehdr;
	size_t entry_bytes = gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT);

	return gelf_getehdr(elf, &ehdr) && (!ehdr.e_shnum || ehdr.e_shentsize == entry_bytes) &&
	       ehdr.e_shoff <= file_bytes && ehdr.e_shnum * entry_bytes <= file_bytes - ehdr.e_shoff;
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
	struct table table;
	struct stat st;
	int err = 0;

	*why = WHY_NOT_ELF;
	if (fstat(s->fd, &st) || !has_sections(elf, (uint64_t)st.st_size))
		return 0;
	*why = WHY_STRIPPED;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]) && !all_found(s); i++) {
		err = find_table(elf, types[i], (uint64_t)st.st_size, &table);
		if (err == 1) {
			if (types[i] == SHT_SYMTAB)
				*why = WHY_NO_SYMBOL;
			err = sweep_table(s, elf, &table);
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
	elf = elf_of(fd);
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
