/* SPDX-License-Identifier: GPL-2.0-only */
/* BTF files as they come: what is none, and what would lead libbpf astray, is refused with a word; nothing crashes. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "core/btf_file.h"

static char dir[] = "/tmp/kbpfprof-btf-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static const char *file_of(const void *data, size_t bytes)
{
	const char *path = path_of("file");
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, bytes, f), bytes);
	assert_int_equal(fclose(f), 0);
	return path;
}

static void refused(const char *path, const char *word)
{
	struct btf_file_result r;
	struct btf *btf = btf_file_read(path, &r);

	assert_null(btf);
	if (!strstr(r.why, word))
		fail_msg("'%s', not '%s'", r.why, word);
}

/* One of each kind that refers to others. */
static struct btf *make(void)
{
	struct btf *btf = btf__new_empty();
	int number, name;

	assert_non_null(btf);
	number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	name = btf__add_typedef(btf, "pid_t", btf__add_const(btf, number));
	assert_true(btf__add_struct(btf, "task_struct", 16) > 0);
	assert_int_equal(btf__add_field(btf, "pid", name, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "tgid", name, 32, 0), 0);
	assert_true(btf__add_array(btf, number, number, 4) > 0);
	assert_true(btf__add_func_proto(btf, number) > 0);
	assert_int_equal(btf__add_func_param(btf, "task", name), 0);
	assert_true(btf__add_enum(btf, "e", 4) > 0);
	assert_int_equal(btf__add_enum_value(btf, "ONE", 1), 0);
	assert_true(btf__add_var(btf, "runqueues", BTF_VAR_GLOBAL_ALLOCATED, number) > 0);
	assert_true(btf__add_datasec(btf, ".data..percpu", 64) > 0);
	assert_int_equal(btf__add_datasec_var_info(btf, number, 0, 4), 0);
	return btf;
}

static void *bytes_of(__u32 *bytes)
{
	struct btf *btf = make();
	const void *raw = btf__raw_data(btf, bytes);
	void *data = malloc(*bytes);

	assert_non_null(raw);
	assert_non_null(data);
	memcpy(data, raw, *bytes);
	btf__free(btf);
	return data;
}

static void raw_is_read(void **state)
{
	__u32 bytes;
	void *data = bytes_of(&bytes);
	struct btf_file_result r;
	struct btf *btf = btf_file_read(file_of(data, bytes), &r);

	(void)state;
	assert_non_null(btf);
	assert_true(btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT) > 0);
	btf__free(btf);
	free(data);
}

/* An ELF file of a section .BTF and one of names; `at`: where it says that the former begins. */
static const char *elf_of(const void *data, __u32 bytes, uint64_t at, uint64_t size, const char *name)
{
	static const char names[] = "\0.shstrtab\0.BTF";
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_EXEC,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_shoff = sizeof(header),
			      .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = 3,
			      .e_shstrndx = 1 };
	uint64_t end = sizeof(header) + 3 * sizeof(Elf64_Shdr);
	Elf64_Shdr sections[3] = { { 0 },
				   { .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = end, .sh_size = sizeof(names) },
				   { .sh_name = *name ? 11 : 1,
				     .sh_type = SHT_PROGBITS,
				     .sh_offset = at ? at : end + sizeof(names),
				     .sh_size = size ? size : bytes } };
	char *all = calloc(1, end + sizeof(names) + bytes);
	const char *path;

	assert_non_null(all);
	memcpy(all, &header, sizeof(header));
	memcpy(all + sizeof(header), sections, sizeof(sections));
	memcpy(all + end, names, sizeof(names));
	memcpy(all + end + sizeof(names), data, bytes);
	path = file_of(all, end + sizeof(names) + bytes);
	free(all);
	return path;
}

static void elf_is_read(void **state)
{
	__u32 bytes;
	void *data = bytes_of(&bytes);
	struct btf_file_result r;
	struct btf *btf = btf_file_read(elf_of(data, bytes, 0, 0, ".BTF"), &r);

	(void)state;
	assert_non_null(btf);
	btf__free(btf);
	refused(elf_of(data, bytes, 0, 0, ""), "without a section .BTF");
	refused(elf_of(data, bytes, 1 << 20, 0, ".BTF"), "cut short");
	refused(elf_of(data, bytes, 0, UINT64_MAX / 2, ".BTF"), "larger");
	refused(elf_of(data, bytes, UINT64_MAX - 3, 0, ".BTF"), "");
	refused(file_of(ELFMAG "damaged", 11), "ELF");
	free(data);
}

static void no_btf_is_refused(void **state)
{
	char noise[4096];

	(void)state;
	srand(5);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)rand();
	refused(path_of("absent"), "No such file");
	refused(dir, "no regular file");
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	refused(path_of("fifo"), "no regular file");
	unlink(path_of("fifo"));
	refused("/dev/zero", "no regular file");
	refused(file_of("", 0), "no BTF");
	refused(file_of(noise, sizeof(noise)), "no BTF");
	assert_int_equal(truncate(file_of("x", 1), (off_t)4 << 30), 0);
	refused(path_of("file"), "larger");
}

/* Cut anywhere, or with a byte changed anywhere: refused, or harmless to walk through. */
static void damage_is_harmless(void **state)
{
	__u32 bytes;
	unsigned char *data = bytes_of(&bytes);

	(void)state;
	for (__u32 n = 0; n < bytes; n++)
		refused(file_of(data, n), "BTF");
	for (__u32 i = 0; i < bytes; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			struct btf_file_result r;
			struct btf *btf;

			data[i] ^= (unsigned char)(1 << bit);
			btf = btf_file_read(file_of(data, bytes), &r);
			for (__u32 id = 1; btf && id < btf__type_cnt(btf); id++) {
				btf__resolve_size(btf, id);
				assert_non_null(btf__name_by_offset(btf, btf__type_by_id(btf, id)->name_off));
			}
			btf__free(btf);
			data[i] ^= (unsigned char)(1 << bit);
		}
	}
	free(data);
}

static void other_byte_order_is_refused(void **state)
{
	struct btf *btf = make();
	__u32 bytes;
	const void *data;

	(void)state;
	assert_int_equal(btf__set_endianness(btf, BTF_BIG_ENDIAN), 0);
	data = btf__raw_data(btf, &bytes);
	assert_non_null(data);
	refused(file_of(data, bytes), "another byte order");
	btf__free(btf);
}

static void circles_are_refused(void **state)
{
	struct btf *btf = btf__new_empty();
	__u32 bytes;
	const void *data;

	(void)state;
	assert_int_equal(btf__add_typedef(btf, "a", 2), 1);
	assert_int_equal(btf__add_const(btf, 1), 2);
	data = btf__raw_data(btf, &bytes);
	refused(file_of(data, bytes), "circle");
	btf__free(btf);
	btf = btf__new_empty();
	assert_int_equal(btf__add_ptr(btf, 7), 1);
	data = btf__raw_data(btf, &bytes);
	refused(file_of(data, bytes), "leads nowhere");
	btf__free(btf);
}

static int make_dir(void **state)
{
	(void)state;
	libbpf_set_print(NULL);
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path_of("file"));
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_is_read),	       cmocka_unit_test(elf_is_read),
		cmocka_unit_test(no_btf_is_refused),   cmocka_unit_test(damage_is_harmless),
		cmocka_unit_test(circles_are_refused), cmocka_unit_test(other_byte_order_is_refused),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
