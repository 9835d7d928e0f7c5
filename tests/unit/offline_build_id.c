/* SPDX-License-Identifier: GPL-2.0-only */
/* Build-ids against what `readelf -n` says, and what live recordings keep for naming elsewhere. */
#include <elf.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "fixtures/symbols_env.h"

#include "symbols/build_id.h"
#include "symbols/kernel_facts.h"

#define AARCH64 "aarch64-linux-gnu-"

/* The build-id in readelf's words, "" if it knows none. */
static void readelf_id(const char *path, char text[256])
{
	char command[PATH_MAX + 128];
	FILE *f;

	snprintf(command, sizeof(command), "readelf -n '%s' 2>/dev/null | sed -n 's/^ *Build ID: *//p' | head -n 1",
		 path);
	f = popen(command, "r");
	assert_non_null(f);
	if (!fgets(text, 256, f))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	pclose(f);
}

static void our_id(const char *path, char text[BUILD_ID_TEXT_BYTES])
{
	int fd = open_fixture(path);
	struct build_id id;

	build_id_of_file(fd, &id);
	build_id_text(&id, text);
	close(fd);
}

static void check(const char *path)
{
	char ours[BUILD_ID_TEXT_BYTES], theirs[256];

	readelf_id(path, theirs);
	our_id(path, ours);
	assert_string_not_equal(theirs, "");
	assert_string_equal(ours, theirs);
}

static bool has_cross(void)
{
	return !system("command -v " AARCH64 "gcc >/dev/null");
}

static int build(void **state)
{
	static const char *const ids[] = { "sha1", "md5", "uuid", "none", "0xab12cd34", "0x", NULL };

	(void)state;
	for (size_t i = 0; ids[i]; i++)
		run("cc -shared -fPIC " SOURCES "/shapes.c -Wl,--build-id=%s -o " FIXTURES "/id-%s.so 2>/dev/null || "
		    "cc -shared -fPIC " SOURCES "/shapes.c -Wl,--build-id=none -o " FIXTURES "/id-%s.so",
		    ids[i], ids[i], ids[i]);
	run("cc -shared -fPIC " SOURCES "/shapes.c -Wl,--build-id=0x$(printf '%%064d' 7) -o " FIXTURES "/id-32.so");
	run("cc -shared -fPIC " SOURCES "/shapes.c -Wl,--build-id=0x$(printf '%%072d' 7) -o " FIXTURES "/id-36.so");
	run("cc -shared -fPIC " SOURCES "/shapes.c -Wl,--build-id=0x$(printf '%%02000d' 7) -o " FIXTURES "/id-1000.so");
	run("objcopy --only-keep-debug " FIXTURES "/id-sha1.so " FIXTURES "/id-sha1.debug");
	run("cp " FIXTURES "/id-sha1.so " FIXTURES "/id-no-sections.so");
#ifdef __x86_64__
	run("cc -m32 -shared -fPIC -nostdlib -Wl,--build-id " SOURCES "/shapes.c -o " FIXTURES "/id-32bit.so");
#endif
	if (has_cross())
		run(AARCH64 "gcc -shared -fPIC -Wl,--build-id " SOURCES "/shapes.c -o " FIXTURES "/id-arm64.so");
	return 0;
}

static void against_readelf(void **state)
{
	(void)state;
	check(FIXTURES "/id-sha1.so");
	check(FIXTURES "/id-md5.so");
	check(FIXTURES "/id-uuid.so");
	check(FIXTURES "/id-0xab12cd34.so");
	check(FIXTURES "/id-32.so");
	check(FIXTURES "/id-sha1.debug");
#ifdef __x86_64__
	check(FIXTURES "/id-32bit.so");
#endif
	if (has_cross())
		check(FIXTURES "/id-arm64.so");
}

/* Without section headers, as some strip them, the program headers still lead to it. */
static void from_segments(void **state)
{
	Elf64_Ehdr ehdr;
	char whole[BUILD_ID_TEXT_BYTES], ours[BUILD_ID_TEXT_BYTES];
	int fd = open(FIXTURES "/id-no-sections.so", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_int_equal(pread(fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	ehdr.e_shoff = 0;
	ehdr.e_shnum = ehdr.e_shstrndx = 0;
	assert_int_equal(pwrite(fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	close(fd);
	our_id(FIXTURES "/id-sha1.so", whole);
	our_id(FIXTURES "/id-no-sections.so", ours);
	assert_string_equal(ours, whole);
}

static void none(void **state)
{
	static const char *const files[] = { "id-none.so", "id-0x.so", "id-36.so", "id-1000.so" };
	char ours[BUILD_ID_TEXT_BYTES], theirs[256], path[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), FIXTURES "/%s", files[i]);
		our_id(path, ours);
		assert_string_equal(ours, "");
	}
	readelf_id(FIXTURES "/id-36.so", theirs); /* it has one, of a length that nobody uses */
	assert_int_equal(strlen(theirs), 72);
}

struct note {
	Elf64_Nhdr head;
	char name[4];
	unsigned char desc[8];
};

/* In the other byte order, behind another note, and with lengths that lead nowhere. */
static void notes(void **state)
{
	struct note n[2] = { { { 4, 8, 1 }, "GNU", "12345678" },
			     { { 4, 8, NT_GNU_BUILD_ID }, "GNU", { 1, 2, 3, 4, 5, 6, 7, 8 } } };
	char text[BUILD_ID_TEXT_BYTES];
	struct build_id id;

	(void)state;
	build_id_of_notes(n, sizeof(n), 4, false, &id);
	assert_string_equal(build_id_text(&id, text), "0102030405060708");
	for (size_t bytes = 0; bytes < sizeof(n); bytes++) {
		build_id_of_notes(n, bytes, 4, false, &id);
		assert_int_equal(id.n, 0);
	}
	for (int i = 0; i < 2; i++) {
		n[i].head.n_namesz = __builtin_bswap32(n[i].head.n_namesz);
		n[i].head.n_descsz = __builtin_bswap32(n[i].head.n_descsz);
		n[i].head.n_type = __builtin_bswap32(n[i].head.n_type);
	}
	build_id_of_notes(n, sizeof(n), 4, true, &id);
	assert_string_equal(build_id_text(&id, text), "0102030405060708");
	build_id_of_notes(n, sizeof(n), 4, false, &id);
	assert_int_equal(id.n, 0);
	memset(n, 0xff, sizeof(n));
	build_id_of_notes(n, sizeof(n), 4, false, &id);
	assert_int_equal(id.n, 0);
	memset(n, 0, sizeof(n));
	build_id_of_notes(n, sizeof(n), 8, false, &id);
	assert_int_equal(id.n, 0);
}

static void equality(void **state)
{
	struct build_id a = { 2, { 1, 2 } }, b = { 2, { 1, 2 } }, c = { 3, { 1, 2, 3 } }, unknown = { 0 };

	(void)state;
	assert_true(build_id_equal(&a, &b));
	assert_false(build_id_equal(&a, &c));
	assert_false(build_id_equal(&unknown, &unknown));
}

/* What a live run says of its own program, against readelf and stat. */
static void live_file(void **state)
{
	struct env *e = *state;
	size_t own = locate(e, self(), (uintptr_t)live_file);
	const struct rec_mapping *m = &e->r->mappings[e->r->locations[own].mapping];
	char text[BUILD_ID_TEXT_BYTES], theirs[256];
	struct stat st;

	readelf_id(object_at(e, own), theirs);
	assert_string_equal(build_id_text(&m->build_id, text), theirs);
	assert_int_equal(stat(object_at(e, own), &st), 0);
	assert_int_equal(m->bytes, st.st_size);
	assert_int_equal(m->start, 0);
}

/* Address of the first line of /proc/kallsyms that awk finds. */
static uint64_t awk_stext(void)
{
	FILE *f = popen("awk '$3 == \"_stext\" { print $1; exit }' /proc/kallsyms", "r");
	unsigned long long address = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llx", &address), 1);
	pclose(f);
	return address;
}

static void live_kernel(void **state)
{
	struct env *e = *state;
	char text[BUILD_ID_TEXT_BYTES];
	const struct rec_mapping *m = NULL;
	uint64_t address = awk_stext();
	struct raw_stack raw = { .kernel = &address, .kernel_frames = 1, .max_frames = DEPTH };
	struct build_id in_notes;
	unsigned char notes[4096];
	FILE *f = fopen("/sys/kernel/notes", "rb");
	size_t n;

	assert_true(symbols_stack(e->s, e->r, &raw) >= 0);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	for (size_t i = 0; i < e->r->n_mappings; i++)
		if (e->r->mappings[i].kind == MAPPING_KERNEL)
			m = &e->r->mappings[i];
	assert_non_null(m);
	assert_int_equal(m->start, awk_stext());
	if (!f)
		skip();
	n = fread(notes, 1, sizeof(notes), f);
	fclose(f);
	assert_true(m->build_id.n); /* its bytes stand in the notes as they are */
	assert_non_null(memmem(notes, n, m->build_id.bytes, m->build_id.n));
	build_id_of_notes(notes, n, 4, false, &in_notes);
	assert_string_equal(build_id_text(&in_notes, text),
			    build_id_text(&m->build_id, (char[BUILD_ID_TEXT_BYTES]){ 0 }));
}

/* The image that the kernel maps, written to a file for readelf. */
static void live_vdso(void **state)
{
	struct env *e = *state;
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	char text[BUILD_ID_TEXT_BYTES], theirs[256];
	const struct rec_mapping *m;
	size_t at;
	FILE *f;

	if (!image)
		skip();
	at = locate(e, self(), (uintptr_t)image + 0x800);
	m = &e->r->mappings[e->r->locations[at].mapping];
	assert_int_equal(m->kind, MAPPING_VDSO);
	f = fopen(FIXTURES "/id-vdso.so", "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(image, 1, 4096, f), 4096);
	fclose(f);
	readelf_id(FIXTURES "/id-vdso.so", theirs);
	assert_string_not_equal(theirs, "");
	assert_string_equal(build_id_text(&m->build_id, text), theirs);
}

static bool put(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	bool ok = fd >= 0 && write(fd, bytes, n) == (ssize_t)n;

	close(fd);
	return ok;
}

#define FAKE_KALLSYMS "ffffffff93000000 T _stext\nffffffff93000000 t a\n"
#define FAKE_MODULES  "fake 16384 1 other, Live 0xffffffffc0201000 (OE)\nhidden 4096 0 - Live 0x0000000000000000\n"

/* /proc and /sys of our own making. */
static bool enter_fake_machine(const void *note, size_t bytes)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", "/proc", "tmpfs", 0, NULL) && !mount("none", "/sys", "tmpfs", 0, NULL) &&
	       !mkdir("/sys/kernel", 0700) && !mkdir("/sys/module", 0700) && !mkdir("/sys/module/fake", 0700) &&
	       !mkdir("/sys/module/fake/notes", 0700) && put("/sys/kernel/notes", note, bytes) &&
	       put("/sys/module/fake/notes/.note.gnu.build-id", note, bytes) &&
	       put("/proc/kallsyms", FAKE_KALLSYMS, strlen(FAKE_KALLSYMS)) &&
	       put("/proc/modules", FAKE_MODULES, strlen(FAKE_MODULES));
}

static int add(struct recording *r, const char *name, enum mapping_kind kind)
{
	struct rec_mapping m = { .name = recording_string(r, name), .kind = kind };

	return recording_mapping(r, &m);
}

static bool is_described(const struct rec_mapping *m, const struct build_id *id, uint64_t start, uint64_t bytes)
{
	return m->build_id.n == id->n && !memcmp(m->build_id.bytes, id->bytes, id->n) && m->start == start &&
	       m->bytes == bytes;
}

/* Modules and kernel of a machine that is known, since it is made up. The child says by its status what is wrong. */
static int look_at_fake_machine(const void *note, size_t bytes, const struct build_id *id)
{
	struct recording *r = recording_new();
	struct build_id none = { 0 };
	int fake = add(r, "fake", MAPPING_MODULE), hidden = add(r, "hidden", MAPPING_MODULE),
	    outside = add(r, "../module/fake", MAPPING_MODULE), kernel = add(r, "[kernel]", MAPPING_KERNEL),
	    file = add(r, "fake", MAPPING_FILE);

	if (!enter_fake_machine(note, bytes))
		return 77;
	if (kernel_facts(r, 0))
		return 1;
	if (!is_described(&r->mappings[fake], id, 0xffffffffc0201000, 16384))
		return 2;
	if (!is_described(&r->mappings[hidden], &none, 0, 0) || !is_described(&r->mappings[outside], &none, 0, 0))
		return 3;
	if (!is_described(&r->mappings[kernel], id, 0xffffffff93000000, 0))
		return 4;
	return is_described(&r->mappings[file], &none, 0, 0) ? 0 : 5;
}

static void modules(void **state)
{
	char note[256], theirs[256], text[BUILD_ID_TEXT_BYTES];
	struct build_id id;
	int status, fd;
	ssize_t n;
	pid_t child;

	(void)state;
	run("objcopy -O binary --only-section=.note.gnu.build-id " FIXTURES "/id-sha1.so " FIXTURES "/id-note");
	fd = open_fixture(FIXTURES "/id-note");
	n = read(fd, note, sizeof(note));
	close(fd);
	assert_true(n > 0);
	readelf_id(FIXTURES "/id-sha1.so", theirs);
	build_id_of_notes(note, (size_t)n, 4, false, &id);
	assert_string_equal(build_id_text(&id, text), theirs);
	child = fork();
	if (!child)
		_exit(look_at_fake_machine(note, (size_t)n, &id));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) /* no right to mount */
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_readelf), cmocka_unit_test(from_segments), cmocka_unit_test(none),
		cmocka_unit_test(notes),	   cmocka_unit_test(equality),	    WITH_SYMBOLS(live_file),
		WITH_SYMBOLS(live_kernel),	   WITH_SYMBOLS(live_vdso),	    cmocka_unit_test(modules),
	};

	return cmocka_run_group_tests_name("offline_build_id", tests, build, NULL);
}
