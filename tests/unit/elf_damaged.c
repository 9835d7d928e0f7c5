/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbol tables that no linker writes, and files that are damaged or hostile. */
#include <elf.h>
#include <errno.h>

#include "fixtures/elf_answers.h"

static int build(void **state)
{
	(void)state;
	run("cc -O1 -g -shared -fPIC " SOURCES "/shapes.c -o " FIXTURES "/damaged.so");
	return 0;
}

struct image {
	unsigned char *bytes;
	size_t n;
};

static struct image read_image(const char *path)
{
	struct image image;
	struct stat st;
	int fd = open_fixture(path);

	assert_int_equal(fstat(fd, &st), 0);
	image.n = (size_t)st.st_size;
	image.bytes = malloc(image.n);
	assert_int_equal(read(fd, image.bytes, image.n), image.n);
	close(fd);
	return image;
}

static int file_of(const unsigned char *bytes, size_t n)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	assert_int_equal(write(fd, bytes, n), n);
	return fd;
}

/* Cut at every 64th byte: section headers come last, so no part may give a name. */
static void cut_short(void **state)
{
	struct image image = read_image(FIXTURES "/damaged.so");
	struct nm nm = nm_read(FIXTURES "/damaged.so");
	uint64_t address = nm_find(&nm, "target")->address;

	(void)state;
	for (size_t n = 0; n < image.n; n += 64) {
		int fd = file_of(image.bytes, n);
		struct elf_load part[ELF_LOADS_MAX];
		int loaded = elf_loads(fd, part);

		assert_true(loaded == -ENOEXEC || loaded > 0);
		assert_int_equal(look_up_one(fd, address).why, WHY_NOT_ELF);
		close(fd);
	}
	free(image.bytes);
	free(nm.list);
}

static enum why why_of(int fd, uint64_t address)
{
	struct elf_load part[ELF_LOADS_MAX];
	int n = elf_loads(fd, part);

	assert_true(n == -ENOEXEC || (n > 0 && n <= ELF_LOADS_MAX));
	return look_up_one(fd, address).why;
}

/* One byte wrong in any header: any answer, but an answer. */
static void wrong_bytes(void **state)
{
	static const unsigned char values[] = { 0x00, 0x7f, 0x80, 0xff };
	struct image image = read_image(FIXTURES "/damaged.so");
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)image.bytes;
	struct nm nm = nm_read(FIXTURES "/damaged.so");
	uint64_t address = nm_find(&nm, "target")->address;
	size_t phdrs_end = ehdr->e_phoff + (size_t)ehdr->e_phnum * sizeof(Elf64_Phdr);
	int fd = file_of(image.bytes, image.n);

	(void)state;
	assert_int_equal(why_of(fd, address), WHY_NAMED);
	for (size_t at = 0; at < image.n; at++) {
		if (at == phdrs_end)
			at = ehdr->e_shoff;
		for (size_t i = 0; i < sizeof(values); i++) {
			assert_int_equal(pwrite(fd, &values[i], 1, (off_t)at), 1);
			assert_in_range(why_of(fd, address), WHY_NAMED, WHY_CAUSES - 1);
		}
		assert_int_equal(pwrite(fd, &image.bytes[at], 1, (off_t)at), 1);
	}
	assert_int_equal(why_of(fd, address), WHY_NAMED);
	close(fd);
	free(image.bytes);
	free(nm.list);
}

static Elf64_Shdr *section(struct image *image, uint32_t type)
{
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)image->bytes;
	Elf64_Shdr *shdr = (Elf64_Shdr *)(image->bytes + ehdr->e_shoff);

	for (unsigned i = 0; i < ehdr->e_shnum; i++)
		if (shdr[i].sh_type == type)
			return &shdr[i];
	fail();
	return NULL;
}

/* Each damage is one assignment to a fresh copy of the headers. */
#define DAMAGE(assignment)                                           \
	do {                                                         \
		int fd_;                                             \
		memcpy(image.bytes, whole.bytes, whole.n);           \
		assignment;                                          \
		fd_ = file_of(image.bytes, image.n);                 \
		assert_int_equal(why_of(fd_, address), WHY_NOT_ELF); \
		close(fd_);                                          \
	} while (0)

static void damaged_headers(void **state)
{
	struct image whole = read_image(FIXTURES "/damaged.so"), image = read_image(FIXTURES "/damaged.so");
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)image.bytes;
	Elf64_Shdr *symtab = section(&image, SHT_SYMTAB);
	Elf64_Shdr *strtab = (Elf64_Shdr *)(image.bytes + ehdr->e_shoff) + symtab->sh_link;
	struct nm nm = nm_read(FIXTURES "/damaged.so");
	uint64_t address = nm_find(&nm, "target")->address;

	(void)state;
	DAMAGE(ehdr->e_shnum = 0xffff);
	DAMAGE(ehdr->e_shnum = 0); /* then their number is that of section 0's size */
	DAMAGE(ehdr->e_shoff = image.n - 64);
	DAMAGE(ehdr->e_shoff = UINT64_MAX - 64);
	DAMAGE(ehdr->e_shentsize = 8);
	DAMAGE(ehdr->e_phnum = 0xffff);
	DAMAGE(ehdr->e_type = ET_REL);
	DAMAGE(ehdr->e_type = ET_CORE);
	DAMAGE(ehdr->e_ident[EI_CLASS] = 3);
	DAMAGE(symtab->sh_offset = image.n + 1);
	DAMAGE(symtab->sh_offset = UINT64_MAX);
	DAMAGE(symtab->sh_size = 1ull << 40);
	DAMAGE(symtab->sh_size = UINT64_MAX);
	DAMAGE(symtab->sh_flags |= SHF_COMPRESSED);
	DAMAGE(symtab->sh_link = 0xffffff);
	DAMAGE(symtab->sh_link = 0);
	DAMAGE(strtab->sh_size = 1ull << 40);
	DAMAGE(strtab->sh_offset = image.n);
	DAMAGE(strtab->sh_type = SHT_NOBITS);
	free(whole.bytes);
	free(image.bytes);
	free(nm.list);
}

#define HOSTILE_SYMBOLS (1u << 20)

struct hostile {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Shdr shdr[3];
	char strings[64];
	Elf64_Sym symbols[];
};

/* A file of two sections, all of whose symbols cover the same megabyte. */
static struct hostile *hostile_new(uint32_t n)
{
	struct hostile *h = calloc(1, sizeof(*h) + n * sizeof(h->symbols[0]));

	memcpy(h->ehdr.e_ident, ELFMAG, SELFMAG);
	h->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	h->ehdr.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	h->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	h->ehdr.e_type = ET_DYN;
	h->ehdr.e_machine = EM_X86_64;
	h->ehdr.e_version = EV_CURRENT;
	h->ehdr.e_ehsize = sizeof(h->ehdr);
	h->ehdr.e_phoff = offsetof(struct hostile, phdr);
	h->ehdr.e_phentsize = sizeof(h->phdr);
	h->ehdr.e_phnum = 1;
	h->ehdr.e_shoff = offsetof(struct hostile, shdr);
	h->ehdr.e_shentsize = sizeof(h->shdr[0]);
	h->ehdr.e_shnum = 3;
	h->phdr = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_X, .p_filesz = 1 << 20, .p_memsz = 1 << 20 };
	h->shdr[1] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				   .sh_offset = offsetof(struct hostile, symbols),
				   .sh_size = n * sizeof(h->symbols[0]),
				   .sh_link = 2,
				   .sh_entsize = sizeof(h->symbols[0]) };
	h->shdr[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
				   .sh_offset = offsetof(struct hostile, strings),
				   .sh_size = sizeof(h->strings) };
	for (uint32_t i = 0; i < n; i++)
		h->symbols[i] = (Elf64_Sym){ .st_name = 1 + i % 40,
					     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					     .st_shndx = 1,
					     .st_size = 1 << 20 };
	memset(h->strings + 1, 'n', sizeof(h->strings) - 1); /* unterminated, too */
	return h;
}

/* The work is given up before the last symbol: what it alone covers is not named, the rest is no lie. */
static void overlapping_symbols(void **state)
{
	struct hostile *h = hostile_new(HOSTILE_SYMBOLS);
	static uint64_t addresses[2000];
	struct answer *answers;
	int fd;

	(void)state;
	h->symbols[HOSTILE_SYMBOLS - 1].st_value = 1 << 20;
	fd = file_of((unsigned char *)h, sizeof(*h) + HOSTILE_SYMBOLS * sizeof(h->symbols[0]));
	for (size_t i = 0; i < 2000; i++)
		addresses[i] = i * 500;
	addresses[1999] = 1 << 20;
	answers = look_up(fd, addresses, 2000);
	for (size_t i = 0; i < 1999; i++)
		assert_int_equal(strncmp(answers[i].name, "nnn", 3), 0);
	assert_int_equal(answers[1999].why, WHY_NOT_ELF);
	free(answers);
	free(h);
	close(fd);
}

/* Cases that no compiler makes at will, one symbol table each. */
static void rules_of_choice(void **state)
{
	static const struct {
		struct {
			const char *name;
			unsigned bind, type, start, bytes;
		} symbols[3];
		const char *want;
	} cases[] = {
		/* All are asked for address 100. */
		{ { { "outer", STB_GLOBAL, STT_FUNC, 0, 200 }, { "inner", STB_LOCAL, STT_FUNC, 90, 20 } }, "inner" },
		{ { { "a", STB_LOCAL, STT_FUNC, 100, 1 }, { "b_", STB_WEAK, STT_FUNC, 100, 1 } }, "b_" },
		{ { { "b_", STB_GLOBAL, STT_FUNC, 100, 1 }, { "a", STB_WEAK, STT_FUNC, 100, 1 } }, "b_" },
		{ { { "a", STB_GLOBAL, STT_NOTYPE, 100, 1 }, { "b_", STB_GLOBAL, STT_FUNC, 100, 1 } }, "b_" },
		{ { { "__a", STB_GLOBAL, STT_FUNC, 100, 1 }, { "long_name", STB_GLOBAL, STT_FUNC, 100, 1 } },
		  "long_name" },
		{ { { "longer", STB_GLOBAL, STT_FUNC, 100, 1 }, { "short", STB_GLOBAL, STT_FUNC, 100, 1 } }, "short" },
		{ { { "bb", STB_GLOBAL, STT_FUNC, 100, 1 }, { "aa", STB_GLOBAL, STT_FUNC, 100, 1 } }, "aa" },
		{ { { "covers", STB_LOCAL, STT_FUNC, 50, 51 }, { "label", STB_GLOBAL, STT_FUNC, 100, 0 } }, "covers" },
		{ { { "ends", STB_GLOBAL, STT_FUNC, 50, 50 }, { "label", STB_LOCAL, STT_NOTYPE, 100, 0 } }, "label" },
		{ { { "$x", STB_LOCAL, STT_NOTYPE, 100, 0 }, { ".L1", STB_LOCAL, STT_NOTYPE, 100, 0 } }, "" },
		{ { { "data", STB_GLOBAL, STT_OBJECT, 0, 200 }, { "tls", STB_GLOBAL, STT_TLS, 0, 200 } }, "" },
		{ { { "versioned@@V_1", STB_GLOBAL, STT_FUNC, 0, 200 } }, "versioned" },
		{ { { "ifunc", STB_GLOBAL, STT_GNU_IFUNC, 0, 200 } }, "ifunc" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int reversed = 0; reversed < 2; reversed++) {
			struct hostile *h = hostile_new(3);
			size_t used = 1;
			int fd;

			memset(h->strings, 0, sizeof(h->strings));
			memset(h->symbols, 0, 3 * sizeof(h->symbols[0]));
			for (int s = 0; s < 3 && cases[i].symbols[s].name; s++) {
				h->symbols[reversed ? 2 - s : s] = (Elf64_Sym){
					.st_name = (unsigned)used,
					.st_info = ELF64_ST_INFO(cases[i].symbols[s].bind, cases[i].symbols[s].type),
					.st_shndx = 1,
					.st_value = cases[i].symbols[s].start,
					.st_size = cases[i].symbols[s].bytes,
				};
				used += strlen(strcpy(h->strings + used, cases[i].symbols[s].name)) + 1;
			}
			fd = file_of((unsigned char *)h, sizeof(*h) + 3 * sizeof(h->symbols[0]));
			assert_string_equal(look_up_one(fd, 100).name, cases[i].want);
			close(fd);
			free(h);
		}
	}
}

static void no_elf(void **state)
{
	static const char *const texts[] = { "", "\177", "\177ELF", "#!/bin/sh\n", "!<arch>\n" };
	struct elf_load part[ELF_LOADS_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		unsigned char bytes[256] = { 0 };
		int fd;

		memcpy(bytes, texts[i], strlen(texts[i]));
		for (size_t n = strlen(texts[i]); n <= sizeof(bytes); n += 83) {
			fd = file_of(bytes, n);
			assert_int_equal(elf_loads(fd, part), -ENOEXEC);
			assert_int_equal(look_up_one(fd, 0x1000).why, WHY_NOT_ELF);
			close(fd);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_short),	   cmocka_unit_test(wrong_bytes),
		cmocka_unit_test(damaged_headers), cmocka_unit_test(overlapping_symbols),
		cmocka_unit_test(rules_of_choice), cmocka_unit_test(no_elf),
	};

	return cmocka_run_group_tests_name("elf_damaged", tests, build, NULL);
}
