/* SPDX-License-Identifier: GPL-2.0-only */
/* Names from a root file system: the right build, and all that may be in its place. */
#include <sys/sysmacros.h>

#include "fixtures/offline_env.h"

#define TOP  FIXTURES "/symfs"
#define ROOT TOP "/root"
#define LIB  ROOT "/usr/lib"

#define AARCH64 "aarch64-linux-gnu-"

static bool has_cross(void)
{
	return !system("command -v " AARCH64 "gcc >/dev/null");
}

static int build(void **state)
{
	(void)state;
	run("rm -rf " TOP " && mkdir -p " LIB " " ROOT "/etc " TOP "/etc");
	run("cc -O1 -g -shared -fPIC -Wl,--build-id " SOURCES "/shapes.c -o " LIB "/libright.so");
	run("cc -O2 -g -shared -fPIC -Wl,--build-id " SOURCES "/shapes.c -o " LIB "/libother.so");
	run("cc -O1 -g -shared -fPIC -Wl,--build-id=none " SOURCES "/shapes.c -o " LIB "/libnone.so");
	run("cc -O1 -shared -fPIC -Wl,--build-id=0x01020304 " SOURCES "/shapes.c -o " LIB "/libshort.so");
	run("c++ -O1 -shared -fPIC -Wl,--build-id " SOURCES "/shapes.cc -o " LIB "/libcc.so");
	run("cp " LIB "/libright.so " TOP "/etc/shadow && mkfifo " LIB "/fifo.so && mkdir " LIB "/directory.so");
	run("cd " LIB " && ln -s /usr/lib/libright.so abs.so && ln -s ../../../etc/shadow escape.so && "
	    "ln -s loop.so loop.so && head -c 4000 libright.so >short.so && echo text >text.so && : >empty.so && "
	    "cp libright.so closed.so && chmod 0 closed.so && truncate -s 1T sparse.so && "
	    "cp libright.so grown.so && truncate -s 1T grown.so");
#ifdef __x86_64__
	run("cc -m32 -O1 -nostdlib -shared -fPIC -Wl,--build-id " SOURCES "/shapes.c -o " LIB "/lib32.so");
#endif
	if (has_cross())
		run(AARCH64 "gcc -O1 -shared -fPIC -Wl,--build-id " SOURCES "/shapes.c -o " LIB "/libarm64.so && "
			    "cp " LIB "/libarm64.so " TOP "/arm64.nm");
	return 0;
}

static const struct offline_options symfs = { .symfs = ROOT };

/* The path as recorded, and what must be in the messages ("": none). */
static void check_named(const char *path, const char *file, const char *message)
{
	char messages[MESSAGES_BYTES], recorded[PATH_MAX];
	struct recording *r = recording_new();
	struct nm nm = nm_read(file);
	struct build_id id = readelf_id(file);
	int mapping;

	snprintf(recorded, sizeof(recorded), "/usr/lib/%s", path);
	mapping = add_functions(r, recorded, &nm, &id, bytes_of(file));
	assert_int_equal(resolve(r, &symfs, messages), 0);
	check_names(r, mapping, &nm, 0);
	if (*message)
		assert_non_null(strstr(messages, message));
	else
		assert_string_equal(messages, "");
	recording_free(r);
	free(nm.list);
}

static void right_build(void **state)
{
	(void)state;
	check_named("libright.so", LIB "/libright.so", "");
	check_named("libshort.so", LIB "/libshort.so", "");
	check_named("abs.so", LIB "/libright.so", "");
	check_named("libright.so (deleted)", LIB "/libright.so", "");
	check_named("../../usr/lib/../lib/libright.so", LIB "/libright.so", "");
#ifdef __x86_64__
	check_named("lib32.so", LIB "/lib32.so", "");
#endif
	check_named("libnone.so", LIB "/libnone.so", "unverified");
	check_named("grown.so", LIB "/libright.so", ""); /* bytes behind it do not matter, its build-id is right */
}

/* Of an arm64 machine, here. */
static void foreign(void **state)
{
	(void)state;
	if (!has_cross())
		skip();
	check_named("libarm64.so", LIB "/libarm64.so", "");
}

/* Demangled as live runs do: against c++filt. */
static void cpp_names(void **state)
{
	char messages[MESSAGES_BYTES];
	struct recording *r = recording_new();
	struct nm nm = nm_read(LIB "/libcc.so | c++filt -p");
	struct build_id id = readelf_id(LIB "/libcc.so");
	int mapping = add_functions(r, "/usr/lib/libcc.so", &nm, &id, 0);
	size_t colons = 0;

	(void)state;
	assert_int_equal(resolve(r, &symfs, messages), 0);
	check_names(r, mapping, &nm, 0);
	for (size_t i = 0; i < r->n_locations; i++)
		colons += strstr(recording_str(r, r->locations[i].name), "::") != NULL;
	assert_true(colons >= 2);
	recording_free(r);
	free(nm.list);
}

/* What stands in its place is told once, by name, and not used. */
static void check_refused(const char *path, enum why why, const char *message)
{
	char messages[MESSAGES_BYTES], recorded[PATH_MAX], whole[PATH_MAX + 64];
	struct recording *r = recording_new();
	struct nm nm = nm_read(LIB "/libright.so");
	struct build_id id = readelf_id(LIB "/libright.so");
	struct offline_options quiet = { .symfs = ROOT, .quiet = true };
	int mapping;

	snprintf(recorded, sizeof(recorded), "/usr/lib/%s", path);
	mapping = add_functions(r, recorded, &nm, &id, bytes_of(LIB "/libright.so"));
	alarm(20); /* nothing may wait for a writer */
	assert_int_equal(resolve(r, &symfs, messages), 0);
	alarm(0);
	assert_int_equal(count_named(r, mapping), 0);
	check_whys(r, mapping, why);
	assert_int_equal(count_lines(messages), 1);
	snprintf(whole, sizeof(whole), ": " LIB "/%s: ", path);
	assert_non_null(strstr(messages, whole));
	if (!strstr(messages, message))
		fail_msg("%s: lacks '%s'", messages, message);
	assert_int_equal(resolve(r, &quiet, messages), 0);
	assert_string_equal(messages, "");
	recording_free(r);
	free(nm.list);
}

static void other_files(void **state)
{
	char message[256];
	struct build_id other = readelf_id(LIB "/libother.so"), right = readelf_id(LIB "/libright.so");

	(void)state;
	snprintf(message, sizeof(message), "another build (build-id %02x%02x%02x%02x%02x%02x.., recorded %02x%02x",
		 other.bytes[0], other.bytes[1], other.bytes[2], other.bytes[3], other.bytes[4], other.bytes[5],
		 right.bytes[0], right.bytes[1]);
	check_refused("libother.so", WHY_FILE_CHANGED, message);
	check_refused("libnone.so", WHY_FILE_CHANGED, "build-id none, recorded");
	check_refused("text.so", WHY_FILE_CHANGED, "build-id none");
	check_refused("empty.so", WHY_FILE_CHANGED, "build-id none");
	check_refused("sparse.so", WHY_FILE_CHANGED, "build-id none");
	check_refused("gone.so", WHY_FILE_GONE, "No such file or directory");
	check_refused("escape.so", WHY_FILE_GONE, "No such file or directory"); /* it is there outside */
	check_refused("fifo.so", WHY_FILE_GONE, "no regular file");
	check_refused("directory.so", WHY_FILE_GONE, "no regular file");
	check_refused("loop.so", WHY_FILE_GONE, "symbolic links");
	if (!geteuid() && !mknod(LIB "/device.so", S_IFCHR | 0600, makedev(1, 5)))
		check_refused("device.so", WHY_FILE_GONE, "no regular file");
	if (geteuid())
		check_refused("closed.so", WHY_NO_PERMISSION, "Permission denied");
}

/* Cut off: its build-id is still in the first pages, its symbol table is not. */
static void cut_short(void **state)
{
	char messages[MESSAGES_BYTES];
	struct recording *r = recording_new();
	struct nm nm = nm_read(LIB "/libright.so");
	struct build_id id = readelf_id(LIB "/libright.so");
	int mapping = add_functions(r, "/usr/lib/short.so", &nm, &id, 0);

	(void)state;
	assert_int_equal(resolve(r, &symfs, messages), 0);
	check_whys(r, mapping, WHY_NOT_ELF);
	recording_free(r);
	free(nm.list);
}

/* Without a build-id the size decides; if it is another, or was not recorded, the file is not used. */
static void sizes(void **state)
{
	static const struct {
		int64_t difference;
		bool known;
		const char *message;
	} cases[] = { { 0, true, "unverified" },
		      { 1, true, "another build (" },
		      { 0, false, "neither build-id nor size" } };
	char messages[MESSAGES_BYTES];
	struct nm nm = nm_read(LIB "/libnone.so");
	struct build_id none = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recording *r = recording_new();
		uint64_t bytes = bytes_of(LIB "/libnone.so") + (uint64_t)cases[i].difference;
		int mapping = add_functions(r, "/usr/lib/libnone.so", &nm, &none, cases[i].known ? bytes : 0);

		assert_int_equal(resolve(r, &symfs, messages), 0);
		assert_non_null(strstr(messages, cases[i].message));
		if (i)
			check_whys(r, mapping, WHY_FILE_CHANGED);
		else
			check_names(r, mapping, &nm, 0);
		recording_free(r);
	}
	free(nm.list);
}

/* Names that are there stay; what was looked up where .symtab was, and what no sample needs, is not asked again. */
static void left_alone(void **state)
{
	char messages[MESSAGES_BYTES];
	struct recording *r = recording_new();
	struct nm nm = nm_read(LIB "/libright.so");
	struct build_id id = readelf_id(LIB "/libright.so");
	int mapping = add_mapping(r, "/usr/lib/libright.so", MAPPING_FILE, &id, 0, 0);
	int named = add_location(r, mapping, nm_find(&nm, "target")->address, WHY_UNRESOLVED);
	int asked = add_location(r, mapping, nm_find(&nm, "no_type")->address, WHY_NO_SYMBOL);
	int unused = recording_location(r, mapping, nm_find(&nm, "right_after")->address, WHY_STRIPPED);
	int anon = add_location(r, add_mapping(r, "[anon]", MAPPING_ANON, NULL, 0, 0), 0x1000, WHY_ANON);

	(void)state;
	recording_name(r, named, recording_string(r, "its recorded name"), 7, WHY_NAMED);
	assert_int_equal(resolve(r, &symfs, messages), 0);
	assert_string_equal(recording_str(r, r->locations[named].name), "its recorded name");
	assert_int_equal(r->locations[named].offset, 7);
	assert_int_equal(r->locations[asked].why, WHY_NO_SYMBOL);
	assert_int_equal(r->locations[unused].why, WHY_STRIPPED);
	assert_int_equal(r->locations[anon].why, WHY_ANON);
	recording_free(r);
	free(nm.list);
}

/* Without --symfs: this machine's own files, by build-id alone, and not a word. */
static void own_machine(void **state)
{
	char messages[MESSAGES_BYTES], path[PATH_MAX], none_path[PATH_MAX];
	struct offline_options nothing = { 0 };
	struct recording *r = recording_new();
	struct nm nm = nm_read(LIB "/libright.so");
	struct build_id id = readelf_id(LIB "/libright.so"), none = { 0 };
	int right, other, sized;

	(void)state;
	assert_non_null(realpath(LIB "/libright.so", path));
	assert_non_null(realpath(LIB "/libnone.so", none_path));
	right = add_functions(r, path, &nm, &id, 0);
	sized = add_functions(r, none_path, &nm, &none, bytes_of(none_path));
	strcpy(strrchr(path, '/'), "/libother.so");
	other = add_functions(r, path, &nm, &id, 0);
	add_functions(r, "/nowhere/libgone.so", &nm, &id, 0);
	assert_int_equal(resolve(r, &nothing, messages), 0);
	assert_string_equal(messages, "");
	check_names(r, right, &nm, 0);
	check_whys(r, other, WHY_STRIPPED);
	check_whys(r, sized, WHY_STRIPPED);
	recording_free(r);
	free(nm.list);
}

static void wrong_options(void **state)
{
	static const struct {
		struct offline_options options;
		const char *message;
	} cases[] = {
		{ { .symfs = ROOT "/gone" }, "--symfs " ROOT "/gone: No such file" },
		{ { .symfs = LIB "/text.so" }, "--symfs " LIB "/text.so: Not a directory" },
		{ { .symfs = ROOT, .debug_dir = ROOT "/gone" }, "--debug-dir " ROOT "/gone: No such file" },
	};
	char messages[MESSAGES_BYTES];
	struct recording *r = recording_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(resolve(r, &cases[i].options, messages), -ENOENT);
		assert_non_null(strstr(messages, cases[i].message));
	}
	assert_int_equal(resolve(r, &symfs, messages), 0);
	assert_string_equal(messages, "");
	recording_free(r);
}

/* Paths of a recording that is not ours: no escape sequence reaches the terminal, and no flood. */
static void hostile_paths(void **state)
{
	char messages[MESSAGES_BYTES], path[8200];
	struct recording *r = recording_new();
	struct build_id id = { 20, { 1 } };

	(void)state;
	add_location(r, add_mapping(r, "/\033]0;title\a\n\xc2\x9b", MAPPING_FILE, &id, 0, 0), 1, WHY_STRIPPED);
	add_location(r, add_mapping(r, "relative", MAPPING_FILE, &id, 0, 0), 1, WHY_STRIPPED);
	add_location(r, add_mapping(r, "", MAPPING_FILE, &id, 0, 0), 1, WHY_STRIPPED);
	add_location(r, add_mapping(r, " (deleted)", MAPPING_FILE, &id, 0, 0), 1, WHY_STRIPPED);
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	add_location(r, add_mapping(r, path, MAPPING_FILE, &id, 0, 0), 1, WHY_STRIPPED);
	memset(path + 1, 'x', sizeof(path) - 2);
	add_location(r, add_mapping(r, path, MAPPING_FILE, &id, 0, 0), 1, WHY_STRIPPED);
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "/lib%d.so", i);
		add_location(r, add_mapping(r, path, MAPPING_FILE, &id, 0, 0), 1, WHY_STRIPPED);
	}
	assert_int_equal(resolve(r, &symfs, messages), 0);
	assert_null(strpbrk(messages, "\033\a\xc2\x9b"));
	assert_in_range(count_lines(messages), 2, 30);
	assert_non_null(strstr(messages, "more files were not used"));
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_build),	 cmocka_unit_test(foreign),	cmocka_unit_test(cpp_names),
		cmocka_unit_test(other_files),	 cmocka_unit_test(cut_short),	cmocka_unit_test(sizes),
		cmocka_unit_test(left_alone),	 cmocka_unit_test(own_machine), cmocka_unit_test(wrong_options),
		cmocka_unit_test(hostile_paths),
	};

	return cmocka_run_group_tests_name("offline", tests, build, NULL);
}
