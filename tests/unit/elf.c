/* SPDX-License-Identifier: GPL-2.0-only */
/* What the symbol tables of sound files say, against nm. */
#include <link.h>

#include "fixtures/elf_answers.h"

static bool nm_knows(const struct nm *nm, const struct answer *a, uint64_t address)
{
	for (size_t i = 0; i < nm->n; i++)
		if (!strcmp(nm->list[i].name, a->name) && nm_covers(&nm->list[i], address) &&
		    nm->list[i].address + a->offset == address)
			return true;
	return false;
}

static bool nm_has_sized(const struct nm *nm, uint64_t address)
{
	for (size_t i = 0; i < nm->n; i++)
		if (nm->list[i].bytes && nm_covers(&nm->list[i], address))
			return true;
	return false;
}

/* First, middle and last byte of every function, and the byte behind it. */
static void check_against_nm(const char *path, const char *nm_arguments)
{
	struct nm nm = nm_read(nm_arguments);
	uint64_t *addresses = calloc(4 * nm.n, sizeof(*addresses));
	int fd = open_fixture(path);
	struct answer *answers;
	size_t n = 0, named = 0;

	for (size_t i = 0; i < nm.n; i++) {
		if (!nm.list[i].bytes)
			continue;
		addresses[n++] = nm.list[i].address;
		addresses[n++] = nm.list[i].address + nm.list[i].bytes / 2;
		addresses[n++] = nm.list[i].address + nm.list[i].bytes - 1;
		addresses[n++] = nm.list[i].address + nm.list[i].bytes;
	}
	answers = look_up(fd, addresses, n);
	for (size_t i = 0; i < n; i++) {
		if (answers[i].why == WHY_NAMED)
			assert_true(nm_knows(&nm, &answers[i], addresses[i]));
		else
			assert_false(nm_has_sized(&nm, addresses[i]));
		named += answers[i].why == WHY_NAMED;
	}
	assert_true(named >= n / 4 * 3);
	close(fd);
	free(answers);
	free(addresses);
	free(nm.list);
}

static int build(void **state)
{
	(void)state;
	run("cc -O1 -g -DMAIN -fPIE -pie " SOURCES "/shapes.c -o " FIXTURES "/pie");
	run("cc -O1 -g -DMAIN -fno-pie -no-pie " SOURCES "/shapes.c -o " FIXTURES "/fixed");
	run("cc -O1 -g -DMAIN -static " SOURCES "/shapes.c -o " FIXTURES "/static");
	run("cc -O1 -g -shared -fPIC " SOURCES "/shapes.c -o " FIXTURES "/shapes.so");
#ifdef __x86_64__
	run("cc -m32 -O1 -nostdlib -shared -fPIC " SOURCES "/shapes.c -o " FIXTURES "/shapes32.so");
#endif
	run("strip -s -o " FIXTURES "/pie-stripped " FIXTURES "/pie");
	run("strip -s -o " FIXTURES "/shapes-stripped.so " FIXTURES "/shapes.so");
	return 0;
}

static void against_nm(void **state)
{
	(void)state;
	check_against_nm(FIXTURES "/pie", FIXTURES "/pie");
	check_against_nm(FIXTURES "/fixed", FIXTURES "/fixed");
	check_against_nm(FIXTURES "/static", FIXTURES "/static");
	check_against_nm(FIXTURES "/shapes.so", FIXTURES "/shapes.so");
	check_against_nm(FIXTURES "/shapes-stripped.so", "-D " FIXTURES "/shapes-stripped.so");
#ifdef __x86_64__
	check_against_nm(FIXTURES "/shapes32.so", FIXTURES "/shapes32.so");
#endif
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	if (strstr(info->dlpi_name, "/libc.so"))
		*(const char **)ctx = info->dlpi_name;
	return 0;
}

/* Thousands of functions with aliases and versions, and .dynsym alone. */
static void libc_against_nm(void **state)
{
	const char *path = NULL;
	char arguments[PATH_MAX];

	(void)state;
	dl_iterate_phdr(find_libc, &path);
	assert_non_null(path);
	snprintf(arguments, sizeof(arguments), "-D %s", path);
	check_against_nm(path, arguments);
}

static void choice(void **state)
{
	struct nm nm = nm_read(FIXTURES "/pie");
	int fd = open_fixture(FIXTURES "/pie");
	const struct nm_symbol *before_gap = nm_find(&nm, "before_gap"), *no_size = nm_find(&nm, "no_size"),
			       *no_type = nm_find(&nm, "no_type");
	struct answer a;

	(void)state;
	a = look_up_one(fd, nm_find(&nm, "weak_target")->address);
	assert_string_equal(a.name, "target"); /* not weak, not local, without underscores */
	a = look_up_one(fd, before_gap->address + before_gap->bytes - 1);
	assert_string_equal(a.name, "before_gap");
	for (uint64_t address = before_gap->address + before_gap->bytes; address < no_size->address; address += 7) {
		a = look_up_one(fd, address);
		assert_int_equal(a.why, WHY_NO_SYMBOL);
	}
	a = look_up_one(fd, no_size->address);
	assert_string_equal(a.name, "no_size");
	a = look_up_one(fd, no_size->address + 1);
	assert_int_equal(a.why, WHY_NO_SYMBOL);
	a = look_up_one(fd, no_type->address + no_type->bytes - 1);
	assert_string_equal(a.name, "no_type");
	a = look_up_one(fd, no_type->address + no_type->bytes);
	assert_string_equal(a.name, "right_after");
	close(fd);
	free(nm.list);
}

static void stripped(void **state)
{
	struct nm whole = nm_read(FIXTURES "/shapes.so");
	uint64_t exported = nm_find(&whole, "right_after")->address,
		 internal = nm_find(&whole, "local_function")->address;
	int so = open_fixture(FIXTURES "/shapes-stripped.so"), pie = open_fixture(FIXTURES "/pie-stripped");
	struct nm whole_pie = nm_read(FIXTURES "/pie");

	(void)state;
	assert_string_equal(look_up_one(so, exported).name, "right_after");
	assert_int_equal(look_up_one(so, internal).why, WHY_STRIPPED);
	assert_int_equal(look_up_one(pie, nm_find(&whole_pie, "main")->address).why, WHY_STRIPPED);
	close(so);
	close(pie);
	free(whole.list);
	free(whole_pie.list);
}

/* Our own program headers, as the loader hands them out, against those in the file. */
static int check_loads(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct elf_load loads[ELF_LOADS_MAX];
	int fd, n, seen = 0;

	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	fd = open_fixture(info->dlpi_name);
	n = elf_loads(fd, loads);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t address;

		if (p->p_type != PT_LOAD)
			continue;
		assert_true(elf_address(loads, (unsigned)n, p->p_offset, &address) && address == p->p_vaddr);
		assert_true(elf_address(loads, (unsigned)n, p->p_offset + p->p_filesz - 1, &address) &&
			    address == p->p_vaddr + p->p_filesz - 1);
		seen++;
	}
	assert_int_equal(seen, n);
	assert_false(elf_address(loads, (unsigned)n, 1ull << 40, &(uint64_t){ 0 }));
	close(fd);
	*(bool *)ctx = true;
	return 0;
}

static void loads(void **state)
{
	bool done = false;

	(void)state;
	dl_iterate_phdr(check_loads, &done);
	assert_true(done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_nm), cmocka_unit_test(libc_against_nm), cmocka_unit_test(choice),
		cmocka_unit_test(stripped),   cmocka_unit_test(loads),
	};

	return cmocka_run_group_tests_name("elf", tests, build, NULL);
}
