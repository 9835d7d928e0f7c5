/* SPDX-License-Identifier: GPL-2.0-only */
/* Separate debug files, made by objcopy and strip, in every place they are looked for; wrong ones are told. */
#include "fixtures/offline_env.h"

#define TOP  FIXTURES "/debug"
#define ROOT TOP "/root"
#define LIB  ROOT "/usr/lib"
#define DIR  ROOT "/usr/lib/debug"
#define OWN  TOP "/own-dir"

/* "cd" of a fresh root file system with one stripped library, and its debug file out of everyone's way. */
static void fresh(const char *then)
{
	run("rm -rf " ROOT " " OWN " && mkdir -p " LIB "/.debug " DIR "/usr/lib/.debug " OWN "/usr/lib && cp " TOP
	    "/libx.so " LIB " && cd " TOP " && %s",
	    then);
}

static int build(void **state)
{
	(void)state;
	run("rm -rf " TOP " && mkdir -p " TOP);
	run("cd " TOP " && cc -O1 -g -shared -fPIC -Wl,--build-id -x c -o whole.so - <$OLDPWD/" SOURCES "/shapes.c && "
	    "objcopy --only-keep-debug whole.so libx.debug && strip -s -o libx.so whole.so && "
	    "objcopy --add-gnu-debuglink=libx.debug libx.so && cp libx.so no-link.so && "
	    "objcopy --remove-section .gnu_debuglink no-link.so");
	run("cd " TOP " && cc -O2 -g -shared -fPIC -Wl,--build-id -x c -o other.so - <$OLDPWD/" SOURCES "/shapes.c && "
	    "objcopy --only-keep-debug other.so other.debug");
	run("cd " TOP " && cc -O1 -g -shared -fPIC -Wl,--build-id=none -x c -o whole-none.so - <$OLDPWD/" SOURCES
	    "/shapes.c && objcopy --only-keep-debug whole-none.so none.debug && strip -s -o none.so whole-none.so && "
	    "objcopy --add-gnu-debuglink=none.debug none.so && "
	    "cp libx.debug changed.debug && printf x >>changed.debug");
	return 0;
}

/* Where build-ids lead, with two digits for the folder. */
static const char *id_path(const char *dir, char path[PATH_MAX])
{
	struct build_id id = readelf_id(TOP "/whole.so");
	int n = snprintf(path, PATH_MAX, "%s/.build-id/%02x/", dir, id.bytes[0]);

	for (unsigned i = 1; i < id.n; i++)
		n += snprintf(path + n, PATH_MAX - (size_t)n, "%02x", id.bytes[i]);
	snprintf(path + n, PATH_MAX - (size_t)n, ".debug");
	return path;
}

static void put_by_id(const char *dir, const char *file)
{
	char path[PATH_MAX];

	id_path(dir, path);
	run("mkdir -p $(dirname %s) && cp %s %s", path, file, path);
}

static const struct offline_options symfs = { .symfs = ROOT }, with_dir = { .symfs = ROOT, .debug_dir = OWN };

struct outcome {
	size_t named, unnamed;
	char messages[MESSAGES_BYTES];
};

/* Every name given is nm's of the file before it was stripped. */
static struct outcome look(const struct offline_options *o, const char *whole)
{
	struct outcome out = { 0 };
	struct recording *r = recording_new();
	struct nm nm = nm_read(whole);
	struct build_id id = readelf_id(whole);
	int mapping = add_functions(r, "/usr/lib/libx.so", &nm, &id, bytes_of(TOP "/none.so"));

	alarm(60);
	assert_int_equal(resolve(r, o, out.messages), 0);
	alarm(0);
	out.named = count_named(r, mapping);
	out.unnamed = r->n_locations - out.named;
	if (!out.unnamed)
		check_names(r, mapping, &nm, 0);
	recording_free(r);
	free(nm.list);
	return out;
}

static void expect_all(const struct offline_options *o)
{
	struct outcome out = look(o, TOP "/whole.so");

	assert_int_equal(out.unnamed, 0);
	assert_string_equal(out.messages, "");
}

/* Exported functions have names in the object itself, the others none. */
static void expect_exported(const struct offline_options *o, const char *message)
{
	struct outcome out = look(o, TOP "/whole.so");

	assert_true(out.named && out.unnamed);
	if (*message ? !strstr(out.messages, message) : out.messages[0])
		fail_msg("'%s' instead of '%s'", out.messages, message);
}

static void nowhere(void **state)
{
	(void)state;
	fresh("true");
	expect_exported(&symfs, "");
	expect_exported(&with_dir, "");
}

static void by_build_id(void **state)
{
	(void)state;
	fresh("cp no-link.so root/usr/lib/libx.so");
	put_by_id(DIR, TOP "/libx.debug");
	expect_all(&symfs);
	expect_exported(&with_dir, ""); /* the user's own folder is in its place */
	put_by_id(OWN, TOP "/libx.debug");
	expect_all(&with_dir);
	put_by_id(DIR, TOP "/other.debug");
	expect_exported(&symfs, "another build (build-id");
	put_by_id(DIR, TOP "/none.debug");
	expect_exported(&symfs, "another build (build-id none");
	put_by_id(DIR, TOP "/no-link.so"); /* the right build, but no symbols in it */
	expect_exported(&symfs, "");
}

/* The object need not be there at all, or may be of another build. */
static void debug_file_alone(void **state)
{
	struct outcome out;

	(void)state;
	fresh("rm root/usr/lib/libx.so");
	put_by_id(DIR, TOP "/libx.debug");
	out = look(&symfs, TOP "/whole.so");
	assert_int_equal(out.unnamed, 0);
	assert_non_null(strstr(out.messages, "No such file"));
	run("cp " TOP "/other.so " LIB "/libx.so");
	out = look(&symfs, TOP "/whole.so");
	assert_int_equal(out.unnamed, 0);
	assert_non_null(strstr(out.messages, "another build"));
}

static void by_debuglink(void **state)
{
	(void)state;
	fresh("cp libx.debug root/usr/lib");
	expect_all(&symfs);
	fresh("cp libx.debug root/usr/lib/.debug");
	expect_all(&symfs);
	fresh("cp libx.debug root/usr/lib/debug/usr/lib");
	expect_all(&symfs);
	expect_exported(&with_dir, "");
	fresh("cp libx.debug own-dir/usr/lib");
	expect_all(&with_dir);
	fresh("cp other.debug root/usr/lib/libx.debug && cp libx.debug root/usr/lib/.debug");
	assert_int_equal(look(&symfs, TOP "/whole.so").unnamed, 0); /* the wrong one does not hide the right one */
}

static void wrong_crc(void **state)
{
	(void)state;
	fresh("cp changed.debug root/usr/lib/libx.debug");
	expect_exported(&symfs, LIB "/libx.debug: another build (CRC ");
	fresh("cp other.debug root/usr/lib/.debug/libx.debug");
	expect_exported(&symfs, LIB "/.debug/libx.debug: another build (build-id ");
	fresh("head -c 3000 libx.debug >root/usr/lib/libx.debug");
	expect_exported(&symfs, "damaged, or no ELF file");
	fresh("truncate -s 8T root/usr/lib/libx.debug"); /* nobody reads all of that */
	expect_exported(&symfs, "damaged, or no ELF file");
	fresh("cp libx.debug root/usr/lib && truncate -s 8T root/usr/lib/libx.debug");
	expect_exported(&symfs, "its CRC cannot be had: File too large");
}

/* Without build-ids the CRC alone decides. */
static void crc_alone(void **state)
{
	struct outcome out;

	(void)state;
	fresh("cp none.so root/usr/lib/libx.so && cp none.debug root/usr/lib");
	out = look(&symfs, TOP "/whole-none.so");
	assert_int_equal(out.unnamed, 0);
	run("printf x >>" LIB "/none.debug");
	out = look(&symfs, TOP "/whole-none.so");
	assert_true(out.unnamed);
	assert_non_null(strstr(out.messages, "another build (CRC "));
}

/* Links that lead to themselves, on and on, out of the root or to what is no file. */
static void hostile_links(void **state)
{
	(void)state;
	/* to itself, where no CRC can be right */
	fresh("printf 'libx.so\\0\\1\\2\\3\\4' >link && cp no-link.so root/usr/lib/libx.so && "
	      "objcopy --add-section .gnu_debuglink=link root/usr/lib/libx.so");
	expect_exported(&symfs, "");
	/* a -> b -> c: only c has symbols, b's own link is not followed */
	fresh("cp no-link.so b.so && objcopy --add-gnu-debuglink=libx.debug b.so && cp no-link.so a.so && "
	      "objcopy --add-gnu-debuglink=b.so a.so && cp a.so root/usr/lib/libx.so && cp b.so libx.debug "
	      "root/usr/lib");
	expect_exported(&symfs, "");
	fresh("ln -s ../../../libx.debug root/usr/lib/libx.debug"); /* there is one, outside */
	expect_exported(&symfs, "");
	fresh("mkfifo root/usr/lib/libx.debug && ln -s libx.debug root/usr/lib/.debug/libx.debug");
	expect_exported(&symfs, LIB "/libx.debug: no regular file");
	fresh("ln -s libx.debug root/usr/lib/libx.debug && mkdir root/usr/lib/.debug/libx.debug");
	expect_exported(&symfs, "symbolic links");
	/* a name that goes elsewhere: ../debug in the section */
	fresh("printf '../libx.debug\\0\\0\\0\\0\\0\\0\\0' >link && cp no-link.so root/usr/lib/libx.so && "
	      "objcopy --add-section .gnu_debuglink=link root/usr/lib/libx.so && cp libx.debug root/usr");
	expect_exported(&symfs, "");
	fresh("head -c 300 /dev/zero | tr '\\0' a >link && cp no-link.so root/usr/lib/libx.so && "
	      "objcopy --add-section .gnu_debuglink=link root/usr/lib/libx.so");
	expect_exported(&symfs, "");
	fresh("printf abc >link && cp no-link.so root/usr/lib/libx.so && "
	      "objcopy --add-section .gnu_debuglink=link root/usr/lib/libx.so");
	expect_exported(&symfs, "");
}

/* Without --symfs: beside an object of this machine, silently. */
static void own_machine(void **state)
{
	struct offline_options nothing = { 0 };
	char path[PATH_MAX], messages[MESSAGES_BYTES];
	struct recording *r = recording_new();
	struct nm nm = nm_read(TOP "/whole.so");
	struct build_id id = readelf_id(TOP "/whole.so");
	int mapping;

	(void)state;
	fresh("cp other.debug root/usr/lib/libx.debug && cp libx.debug root/usr/lib/.debug");
	assert_non_null(realpath(LIB "/libx.so", path));
	mapping = add_functions(r, path, &nm, &id, 0);
	assert_int_equal(resolve(r, &nothing, messages), 0);
	assert_string_equal(messages, "");
	check_names(r, mapping, &nm, 0);
	recording_free(r);
	free(nm.list);
}

/* Line information is another reader's source for the same functions. */
static void against_addr2line(void **state)
{
	char messages[MESSAGES_BYTES], command[PATH_MAX + 64], name[512];
	struct recording *r = recording_new();
	struct nm nm = nm_read(TOP "/whole.so");
	struct build_id id = readelf_id(TOP "/whole.so");
	int mapping = add_mapping(r, "/usr/lib/libx.so", MAPPING_FILE, &id, 0, 0);
	static const char *const functions[] = { "target", "local_function" };

	(void)state;
	fresh("cp libx.debug root/usr/lib");
	for (size_t i = 0; i < 2; i++)
		add_location(r, mapping, nm_find(&nm, functions[i])->address + 1, WHY_STRIPPED);
	assert_int_equal(resolve(r, &symfs, messages), 0);
	for (size_t i = 0; i < 2; i++) {
		FILE *f;

		snprintf(command, sizeof(command), "addr2line -f -e " TOP "/libx.debug %#llx",
			 (unsigned long long)r->locations[i].address);
		f = popen(command, "r");
		assert_non_null(f);
		assert_non_null(fgets(name, sizeof(name), f));
		pclose(f);
		name[strcspn(name, "\n")] = '\0';
		assert_string_equal(recording_str(r, r->locations[i].name), name);
	}
	recording_free(r);
	free(nm.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nowhere),	 cmocka_unit_test(by_build_id), cmocka_unit_test(debug_file_alone),
		cmocka_unit_test(by_debuglink),	 cmocka_unit_test(wrong_crc),	cmocka_unit_test(crc_alone),
		cmocka_unit_test(hostile_links), cmocka_unit_test(own_machine), cmocka_unit_test(against_addr2line),
	};

	return cmocka_run_group_tests_name("offline_debug", tests, build, NULL);
}
