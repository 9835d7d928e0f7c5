/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel functions by a vmlinux and by kallsyms, wherever the kernel lay; files that are neither. */
#include "fixtures/offline_env.h"

#define TOP   FIXTURES "/kernel"
#define KASLR 0x12400000ull

static int build(void **state)
{
	(void)state;
	run("rm -rf " TOP " && mkdir -p " TOP);
	run("for k in 'vmlinux 0 sha1' 'other 16 sha1' 'none 0 none'; do set -- $k; "
	    "cc -nostdlib -static -no-pie -x assembler -Wa,--defsym,EXTRA=$2 -Wl,--build-id=$3,-e,_stext,-Ttext="
	    "0xffffffff81000000,-Tdata=0xffffffff82000000 -o " TOP "/$1 " SOURCES "/kernel.s || exit 1; done");
	run("cd " TOP " && nm -n vmlinux >System.map && nm -n other >other.map && strip -s -o stripped vmlinux && "
	    "objcopy --only-keep-debug vmlinux vmlinux-dbg && objcopy --strip-symbol=_stext vmlinux no-stext && "
	    "gzip -k vmlinux && xz -k vmlinux && zstd -q vmlinux && echo text >text && mkfifo fifo && "
	    "(head -c 514 /dev/zero; printf HdrS; head -c 4000 /dev/zero) >bzImage && "
	    "(printf 'MZ'; head -c 54 /dev/zero; printf 'ARMd'; head -c 4000 /dev/zero) >Image && "
	    "sed 's/^[0-9a-f]*/0000000000000000/' System.map >zero.map && truncate -s 1T sparse.map && "
	    "sed 's/^ffffffff81/ffffffff93/' System.map >running && "
	    "printf 'ffffffffc0001000 t in_module\\t[ext4]\\nffffffffc0002000 t bpf_prog_1_x\\t[bpf]\\n' >>running");
	return 0;
}

struct kernel {
	struct recording *r;
	struct nm nm;
	int mapping, module, bpf; /* of the locations behind those of the kernel's functions: one each, named */
	int in_module, in_bpf;
};

/* As a live run records it: the names of kallsyms, here shown to be the recorded ones by a mark. */
static struct kernel record(uint64_t stext, const struct build_id *id)
{
	struct kernel k = { .r = recording_new(), .nm = nm_read(TOP "/vmlinux") };
	uint64_t shift = stext ? stext - 0xffffffff81000000 : KASLR;
	char name[64];

	k.mapping = add_mapping(k.r, "[kernel]", MAPPING_KERNEL, id, stext, 0);
	for (size_t i = 0; i < k.nm.n; i++) {
		const struct nm_symbol *s = &k.nm.list[i];
		int location;

		if (!s->bytes)
			continue;
		location = add_location(k.r, k.mapping, s->address + s->bytes / 2 + shift, WHY_UNRESOLVED);
		snprintf(name, sizeof(name), "recorded_%s", s->name);
		recording_name(k.r, location, recording_string(k.r, name), s->bytes / 2, WHY_NAMED);
	}
	k.module = add_mapping(k.r, "ext4", MAPPING_MODULE, NULL, 0xffffffffc0001000, 4096);
	k.bpf = add_mapping(k.r, "[bpf]", MAPPING_BPF, NULL, 0, 0);
	k.in_module = add_location(k.r, k.module, 0xffffffffc0001010, WHY_NO_SYMBOL);
	k.in_bpf = add_location(k.r, k.bpf, 0xffffffff81000010 + shift, WHY_UNRESOLVED); /* it would be found */
	recording_name(k.r, k.in_bpf, recording_string(k.r, "bpf_prog"), 0, WHY_NAMED);
	return k;
}

static void forget(struct kernel *k)
{
	recording_free(k->r);
	free(k->nm.list);
}

/* All are nm's now, or all the recorded ones. */
static void check_replaced(const struct kernel *k, bool replaced, uint64_t shift)
{
	if (replaced)
		check_names(k->r, k->mapping, &k->nm, shift);
	for (size_t i = 0; i < k->r->n_locations && !replaced; i++)
		if (k->r->locations[i].mapping == k->mapping)
			assert_int_equal(strncmp(recording_str(k->r, k->r->locations[i].name), "recorded_", 9), 0);
	assert_string_equal(recording_str(k->r, k->r->locations[k->in_bpf].name), "bpf_prog");
}

static const uint64_t shifts[] = { 0, KASLR, 0x3e000000, (uint64_t)-0x1000000 };

static void by_vmlinux(void **state)
{
	static const char *const files[] = { TOP "/vmlinux", TOP "/vmlinux-dbg" };
	struct build_id id = readelf_id(TOP "/vmlinux");
	char messages[MESSAGES_BYTES];

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(shifts) / sizeof(shifts[0]); i++) {
		struct kernel k = record(0xffffffff81000000 + shifts[i / 2], &id);
		struct offline_options o = { .vmlinux = files[i % 2] };

		assert_int_equal(resolve(k.r, &o, messages), 0);
		assert_string_equal(messages, "");
		check_replaced(&k, true, shifts[i / 2]);
		assert_int_equal(k.r->locations[k.in_module].why, WHY_NO_SYMBOL);
		forget(&k);
	}
}

static void by_kallsyms(void **state)
{
	struct build_id id = readelf_id(TOP "/vmlinux");
	struct offline_options map = { .kallsyms = TOP "/System.map" }, running = { .kallsyms = TOP "/running" };
	char messages[MESSAGES_BYTES];
	struct kernel k;

	(void)state;
	for (size_t i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++) {
		k = record(0xffffffff81000000 + shifts[i], &id);
		assert_int_equal(resolve(k.r, &map, messages), 0);
		assert_string_equal(messages, "");
		check_replaced(&k, true, shifts[i]);
		forget(&k);
	}
	/* Modules lie elsewhere after each boot: only of the same one they can be named. */
	k = record(0xffffffff93000000, &id);
	assert_int_equal(resolve(k.r, &running, messages), 0);
	check_replaced(&k, true, 0x12000000);
	assert_string_equal(recording_str(k.r, k.r->locations[k.in_module].name), "in_module");
	assert_int_equal(k.r->locations[k.in_module].offset, 0x10);
	forget(&k);
	k = record(0xffffffff94000000, &id);
	assert_int_equal(resolve(k.r, &running, messages), 0);
	check_replaced(&k, true, 0x13000000);
	assert_int_equal(k.r->locations[k.in_module].why, WHY_NO_SYMBOL);
	forget(&k);
}

/* Beyond what the file has the recorded name stays, and what had none gets none. */
static void unknown_addresses(void **state)
{
	struct build_id id = readelf_id(TOP "/vmlinux");
	struct offline_options sources[] = { { .vmlinux = TOP "/vmlinux" }, { .kallsyms = TOP "/System.map" } };
	char messages[MESSAGES_BYTES];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct kernel k = record(0xffffffff81000000 + KASLR, &id);
		int named = add_location(k.r, k.mapping, 0xffffffff82000010 + KASLR, WHY_UNRESOLVED);
		int unnamed = add_location(k.r, k.mapping, 0x10, WHY_UNRESOLVED);

		recording_name(k.r, named, recording_string(k.r, "trampoline"), 3, WHY_NAMED);
		assert_int_equal(resolve(k.r, &sources[i], messages), 0);
		assert_string_equal(recording_str(k.r, k.r->locations[named].name), "trampoline");
		assert_int_equal(k.r->locations[named].offset, 3);
		assert_int_equal(k.r->locations[unnamed].why, WHY_NO_SYMBOL);
		forget(&k);
	}
}

static void refused(void **state)
{
	static const struct {
		struct offline_options o;
		int err;
		const char *message;
	} cases[] = {
		{ { .vmlinux = TOP "/gone" }, -ENOENT, "-k " TOP "/gone: No such file" },
		{ { .vmlinux = TOP "/fifo" }, -ENOEXEC, "no regular file" },
		{ { .vmlinux = TOP }, -ENOEXEC, "no regular file" },
		{ { .vmlinux = TOP "/text" }, -ENOEXEC, "no kernel in ELF format" },
		{ { .vmlinux = TOP "/other" }, -ESTALE, "another build of the kernel (build-id " },
		{ { .vmlinux = TOP "/none" }, -ESTALE, "another build of the kernel (build-id none" },
		{ { .vmlinux = TOP "/stripped" }, -ENOEXEC, "no symbol table" },
		{ { .vmlinux = TOP "/no-stext" }, -ENOEXEC, "_stext" },
		{ { .vmlinux = TOP "/vmlinux.gz" }, -ENOEXEC, "gzip -dc" },
		{ { .vmlinux = TOP "/vmlinux.xz" }, -ENOEXEC, "xz -dc" },
		{ { .vmlinux = TOP "/vmlinux.zst" }, -ENOEXEC, "zstd -dc" },
		{ { .vmlinux = TOP "/bzImage" }, -ENOEXEC, "a bzImage" },
		{ { .vmlinux = TOP "/Image" }, -ENOEXEC, "an arm64 Image" },
		{ { .kallsyms = TOP "/gone" }, -ENOENT, "--kallsyms " TOP "/gone: No such file" },
		{ { .kallsyms = TOP "/fifo" }, -ENOEXEC, "no regular file" },
		{ { .kallsyms = TOP "/text" }, -ENOEXEC, "no line for _stext" },
		{ { .kallsyms = TOP "/vmlinux" }, -ENOEXEC, "no line for _stext" },
		{ { .kallsyms = TOP "/zero.map" }, -ENOEXEC, "all addresses in it are 0" },
		{ { .kallsyms = TOP "/sparse.map" }, -ENOEXEC, "too large" },
	};
	struct build_id id = readelf_id(TOP "/vmlinux");
	char messages[MESSAGES_BYTES];
	struct kernel k = record(0xffffffff81000000 + KASLR, &id);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct offline_options quiet = cases[i].o;

		alarm(20);
		assert_int_equal(resolve(k.r, &cases[i].o, messages), cases[i].err);
		assert_int_equal(count_lines(messages), 1);
		if (!strstr(messages, cases[i].message))
			fail_msg("'%s' lacks '%s'", messages, cases[i].message);
		quiet.quiet = true; /* an error is told all the same */
		assert_int_equal(resolve(k.r, &quiet, messages), cases[i].err);
		assert_int_equal(count_lines(messages), 1);
		check_replaced(&k, false, 0);
		alarm(0);
	}
	forget(&k);
}

/* Where the recording has no build-id, the functions it names must begin where the file has them. */
static void unverified(void **state)
{
	static const struct {
		struct offline_options o;
		int err;
		const char *message;
	} cases[] = {
		{ { .vmlinux = TOP "/vmlinux" }, 0, "used unverified" },
		{ { .vmlinux = TOP "/none" }, 0, "used unverified" },
		{ { .vmlinux = TOP "/other" }, 0, "used unverified" }, /* one of five functions begins elsewhere */
		{ { .kallsyms = TOP "/System.map" }, 0, "" },
	};
	struct build_id none = { 0 };
	char messages[MESSAGES_BYTES];
	struct kernel k;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		k = record(0xffffffff81000000 + KASLR, &none);
		assert_int_equal(resolve(k.r, &cases[i].o, messages), cases[i].err);
		if (*cases[i].message)
			assert_non_null(strstr(messages, cases[i].message));
		else
			assert_string_equal(messages, "");
		if (i == 2) { /* that one keeps its name; nm lists them by name */
			assert_string_equal(recording_str(k.r, k.r->locations[0].name), "recorded_after_it");
			assert_string_equal(recording_str(k.r, k.r->locations[1].name), "do_work");
		} else {
			check_replaced(&k, true, KASLR);
		}
		forget(&k);
	}
}

/* Another kernel's map, which has no build-id that would tell. */
static void other_kernel(void **state)
{
	struct offline_options o = { .kallsyms = TOP "/other.map" };
	struct build_id id = readelf_id(TOP "/vmlinux");
	char messages[MESSAGES_BYTES];
	struct kernel k = record(0xffffffff81000000 + KASLR, &id);

	(void)state;
	/* Functions that moved shall be the more: as most do from one build to the next. */
	for (size_t i = 0; i < k.r->n_locations; i++) {
		const struct rec_location *l = &k.r->locations[i];

		if (l->mapping == k.mapping && i % 2)
			recording_name(k.r, (int)i, l->name, l->offset + 16, WHY_NAMED);
	}
	assert_int_equal(resolve(k.r, &o, messages), -ESTALE);
	assert_non_null(strstr(messages, "of another kernel: "));
	check_replaced(&k, false, 0);
	forget(&k);
}

/* Without _stext nothing says how far the kernel was moved. */
static void unknown_place(void **state)
{
	struct offline_options o[] = { { .vmlinux = TOP "/vmlinux" }, { .kallsyms = TOP "/System.map" } };
	struct build_id id = readelf_id(TOP "/vmlinux");
	char messages[MESSAGES_BYTES];
	struct kernel k = record(0, &id);
	struct recording *empty = recording_new();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(resolve(k.r, &o[i], messages), -ENOEXEC);
		assert_non_null(strstr(messages, "does not tell where its kernel lay"));
		check_replaced(&k, false, 0);
		assert_int_equal(resolve(empty, &o[i], messages), 0); /* no kernel in it at all */
	}
	o[0].vmlinux = TOP "/gone";
	assert_int_equal(resolve(empty, &o[0], messages), -ENOENT);
	recording_free(empty);
	forget(&k);
}

/* Given both, vmlinux has the last word. */
static void both(void **state)
{
	struct offline_options o = { .vmlinux = TOP "/vmlinux", .kallsyms = TOP "/renamed.map" };
	struct build_id id = readelf_id(TOP "/vmlinux");
	char messages[MESSAGES_BYTES];
	struct kernel k = record(0xffffffff81000000 + KASLR, &id);

	(void)state;
	run("cd " TOP " && sed '/_[se]text/!s/ \\([^ ]*\\)$/ map_\\1/' System.map >renamed.map");
	assert_int_equal(resolve(k.r, &o, messages), 0);
	check_replaced(&k, true, KASLR);
	o.vmlinux = NULL;
	assert_int_equal(resolve(k.r, &o, messages), 0);
	assert_int_equal(strncmp(recording_str(k.r, k.r->locations[0].name), "map_", 4), 0);
	forget(&k);
}

#define SAMPLED 400

/* This machine's own symbols, as if it had been booted elsewhere; a copy of /proc/kallsyms is the truth. */
static void real_kernel(void **state)
{
	struct offline_options o = { .kallsyms = TOP "/real" };
	struct recording *r = recording_new();
	char messages[MESSAGES_BYTES], line[600], name[512];
	unsigned long long address, last = 0, stext = 0;
	int mapping, n = 0;
	FILE *f;

	(void)state;
	run("cat /proc/kallsyms >" TOP "/real");
	f = popen("awk '$3 == \"_stext\" { print $1 }' " TOP "/real", "r");
	if (!f || fscanf(f, "%llx", &stext) != 1 || !stext)
		skip();
	pclose(f);
	mapping = add_mapping(r, "[kernel]", MAPPING_KERNEL, NULL, stext + KASLR, 0);
	f = fopen(TOP "/real", "r");
	for (int i = 0; n < SAMPLED && fgets(line, sizeof(line), f); i++) {
		char type;

		if (sscanf(line, "%llx %c %511s", &address, &type, name) != 3 || strchr(line, '[') || address < stext ||
		    address == last || !strchr("tT", type) || i % 37)
			continue;
		last = address;
		n += add_location(r, mapping, address + KASLR, WHY_UNRESOLVED) >= 0;
	}
	assert_int_equal(n, SAMPLED);
	assert_int_equal(resolve(r, &o, messages), 0);
	assert_non_null(strstr(messages, "unverified")); /* nothing was named that could be compared */
	for (size_t i = 0; i < r->n_locations; i++) {
		const struct rec_location *l = &r->locations[i];
		bool known = false;

		assert_int_equal(l->why, WHY_NAMED);
		assert_int_equal(l->offset, 0);
		rewind(f);
		while (!known && fgets(line, sizeof(line), f))
			known = sscanf(line, "%llx %*c %511s", &address, name) == 2 && address + KASLR == l->address &&
				!strcmp(name, recording_str(r, l->name));
		assert_true(known);
	}
	fclose(f);
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_vmlinux),	 cmocka_unit_test(by_kallsyms), cmocka_unit_test(unknown_addresses),
		cmocka_unit_test(refused),	 cmocka_unit_test(unverified),	cmocka_unit_test(other_kernel),
		cmocka_unit_test(unknown_place), cmocka_unit_test(both),	cmocka_unit_test(real_kernel),
	};

	return cmocka_run_group_tests_name("offline_kernel", tests, build, NULL);
}
