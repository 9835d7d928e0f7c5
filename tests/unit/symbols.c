/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of this program itself, of the kernel, and of libraries it loads. */
#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "fixtures/symbols_env.h"

/* Two functions, the second right behind the first, which ends with a call that does not return. */
__asm__(".text\n"
	".type ends_with_call, %function\nends_with_call: nop\n nop\n nop\n nop\n.size ends_with_call, . - "
	"ends_with_call\n"
	".type comes_next, %function\ncomes_next: nop\n nop\n nop\n nop\n.size comes_next, . - comes_next\n");
extern char ends_with_call[], comes_next[];

static void own_functions(void **state)
{
	struct env *e = *state;
	char exe[PATH_MAX] = "";
	size_t own = locate(e, self(), (uintptr_t)own_functions);
	void *handle = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	size_t libc = locate(e, self(), (uintptr_t)dlsym(handle, "qsort_r"));

	assert_int_equal(e->r->locations[own].why, WHY_UNRESOLVED);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_string_equal(name_at(e, own), "own_functions");
	assert_int_equal(e->r->locations[own].offset, 0);
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_string_equal(object_at(e, own), exe);
	assert_string_equal(name_at(e, libc), "qsort_r");
	assert_non_null(strstr(object_at(e, libc), "/libc.so"));
	assert_int_equal(kind_at(e, libc), MAPPING_FILE);
	dlclose(handle);
}

/* A return address belongs to the call before it, the leaf's address to itself. */
static void callers(void **state)
{
	struct env *e = *state;
	uint64_t frames[] = { (uintptr_t)comes_next, (uintptr_t)comes_next, (uintptr_t)comes_next + 1 };
	struct raw_stack raw = { .process = self(), .user = frames, .user_frames = 3, .max_frames = DEPTH };
	int stack = symbols_stack(e->s, e->r, &raw);
	const uint32_t *ids;

	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	ids = e->r->frames + e->r->stacks[stack].first;
	assert_string_equal(name_at(e, ids[0]), "comes_next");
	assert_string_equal(name_at(e, ids[1]), "ends_with_call");
	assert_string_equal(name_at(e, ids[2]), "comes_next");
	assert_int_equal(e->r->locations[ids[1]].offset, (uintptr_t)comes_next - 1 - (uintptr_t)ends_with_call);
	assert_int_equal(symbols_stack(e->s, e->r, &raw), stack);
}

static void stack_shapes(void **state)
{
	struct env *e = *state;
	uint64_t frames[4] = { (uintptr_t)comes_next, (uintptr_t)comes_next, (uintptr_t)comes_next, 0 };
	struct raw_stack raw = { .process = self(), .kernel = frames, .user = frames };
	const struct rec_stack *s;
	int stack, side;

	raw.user_frames = 3;
	raw.max_frames = 3;
	raw.kernel_failed = 1;
	stack = symbols_stack(e->s, e->r, &raw);
	s = &e->r->stacks[stack];
	assert_int_equal(s->kernel_frames, 1);
	assert_int_equal(s->user_frames, 4);
	assert_int_equal(e->r->locations[e->r->frames[s->first]].why, WHY_STACK_FAILED);
	assert_int_equal(e->r->locations[e->r->frames[s->first + 4]].why, WHY_TRUNCATED);
	assert_int_equal(kind_at(e, e->r->frames[s->first + 4]), MAPPING_NONE);

	raw = (struct raw_stack){ .process = self(), .user_failed = 1, .max_frames = 3 };
	side = symbols_stack(e->s, e->r, &raw);
	s = &e->r->stacks[side];
	assert_int_equal(s->user_frames, 1);
	assert_int_equal(e->r->locations[e->r->frames[s->first]].why, WHY_STACK_FAILED);

	raw = (struct raw_stack){ .process = self(), .max_frames = 3 };
	side = symbols_stack(e->s, e->r, &raw);
	s = &e->r->stacks[side];
	assert_int_equal(s->kernel_frames + s->user_frames, 0);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_int_equal(e->r->locations[e->r->frames[e->r->stacks[stack].first + 4]].why, WHY_TRUNCATED);
}

static void unnamed(void **state)
{
	struct env *e = *state;
	long page = sysconf(_SC_PAGESIZE);
	char *anon = mmap(NULL, (size_t)page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *data = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int jit = memfd_create("jit", MFD_CLOEXEC);
	char *jit_code, *no_elf;
	size_t at[5];
	FILE *f;

	assert_int_equal(ftruncate(jit, page), 0);
	jit_code = mmap(NULL, (size_t)page, PROT_READ | PROT_EXEC, MAP_SHARED, jit, 0);
	run("dd if=/dev/zero of=" FIXTURES "/no-elf bs=4096 count=1 2>/dev/null");
	f = fopen(FIXTURES "/no-elf", "r");
	no_elf = mmap(NULL, (size_t)page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
	fclose(f);

	at[0] = locate(e, self(), (uintptr_t)anon + 5);
	at[1] = locate(e, self(), (uintptr_t)data + 5);
	at[2] = locate(e, self(), (uintptr_t)jit_code + 5);
	at[3] = locate(e, self(), (uintptr_t)no_elf + 5);
	at[4] = locate(e, self(), 1);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_int_equal(e->r->locations[at[0]].why, WHY_ANON);
	assert_int_equal(e->r->locations[at[0]].address, (uintptr_t)anon + 5);
	assert_string_equal(object_at(e, at[0]), "[anon]");
	assert_int_equal(e->r->locations[at[1]].why, WHY_NO_MAPPING);
	assert_int_equal(e->r->locations[at[2]].why, WHY_ANON);
	assert_int_equal(e->r->locations[at[2]].mapping, e->r->locations[at[0]].mapping);
	assert_int_equal(e->r->locations[at[3]].why, WHY_NOT_ELF);
	assert_int_equal(e->r->locations[at[3]].address, 5);
	assert_int_equal(kind_at(e, at[3]), MAPPING_FILE);
	assert_int_equal(e->r->locations[at[4]].why, WHY_NO_MAPPING);
	assert_int_equal(at[4], at[1]); /* strays share one location */
	munmap(anon, (size_t)page);
	munmap(data, (size_t)page);
	munmap(jit_code, (size_t)page);
	munmap(no_elf, (size_t)page);
	close(jit);
}

static void vdso(void **state)
{
	struct env *e = *state;
	void *handle = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *function = handle ? dlsym(handle, "__vdso_clock_gettime") : NULL;
	size_t at;

	if (!getauxval(AT_SYSINFO_EHDR) || !function)
		skip(); /* a kernel without, or a libc that does not show it */
	at = locate(e, self(), (uintptr_t)function);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_string_equal(name_at(e, at), "__vdso_clock_gettime");
	assert_string_equal(object_at(e, at), "[vdso]");
	assert_int_equal(kind_at(e, at), MAPPING_VDSO);
	dlclose(handle);
}

static void kernel(void **state)
{
	struct env *e = *state;
	uint64_t frames[2] = { 0, 0 };
	struct raw_stack raw = { .kernel = frames, .kernel_frames = 2, .max_frames = DEPTH };
	FILE *f = popen("awk '$3 == \"schedule\" { print $1 }' /proc/kallsyms", "r");
	const uint32_t *ids;
	int stack;

	assert_int_equal(fscanf(f, "%lx", &frames[0]), 1);
	pclose(f);
	frames[1] = frames[0] + 8;
	stack = symbols_stack(e->s, e->r, &raw);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	ids = e->r->frames + e->r->stacks[stack].first;
	assert_int_equal(kind_at(e, ids[0]), MAPPING_KERNEL);
	assert_string_equal(object_at(e, ids[0]), "[kernel]");
	if (!frames[0]) {
		assert_int_equal(e->r->locations[ids[0]].why, WHY_KPTR_RESTRICT);
		return;
	}
	assert_string_equal(name_at(e, ids[0]), "schedule");
	assert_string_equal(name_at(e, ids[1]), "schedule");
	assert_int_equal(e->r->locations[ids[1]].offset, 7);
	assert_int_equal(e->r->locations[ids[1]].address, frames[0] + 7);
}

static void *load(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		fail_msg("%s", dlerror());
	return handle;
}

/* A library that is loaded after the maps were read, seen at first as leaf or as caller, by a look or by a drain. */
static void loaded_later(void **state)
{
	struct env *e = *state;
	uint64_t address, frames[2];
	struct raw_stack raw = { .process = self(), .user = frames, .user_frames = 2, .max_frames = DEPTH };

	for (int i = 0; i < 3; i++) {
		char path[PATH_MAX];
		void *handle;
		size_t at;
		int stack;

		snprintf(path, sizeof(path), FIXTURES "/later%d.so", i);
		run("cc -O1 -shared -fPIC " SOURCES "/shapes.c -o %s", path);
		learn(e, self(), (uintptr_t)loaded_later);
		handle = load(path);
		let_maps_age();
		address = (uintptr_t)dlsym(handle, "right_after");
		frames[0] = i ? (uintptr_t)loaded_later : address;
		frames[1] = address + 1;
		if (i == 2) {
			symbols_learn(e->s, &raw);
			dlclose(handle);
		}
		stack = symbols_stack(e->s, e->r, &raw);
		at = e->r->frames[e->r->stacks[stack].first + 1];
		assert_int_equal(symbols_resolve(e->s, e->r), 0);
		assert_string_equal(name_at(e, at), "right_after");
		assert_string_equal(object_at(e, at), path);
	}
}

static void cpp_names(void **state)
{
	struct env *e = *state;
	void *handle, *(*where)(void);
	size_t feed, walk;

	run("c++ -O1 -shared -fPIC " SOURCES "/shapes.cc -o " FIXTURES "/cpp.so");
	handle = load(FIXTURES "/cpp.so");
	*(void **)&where = dlsym(handle, "cage_feed");
	feed = locate(e, self(), (uintptr_t)where());
	*(void **)&where = dlsym(handle, "keeper_walk");
	walk = locate(e, self(), (uintptr_t)where());
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_string_equal(name_at(e, feed), "zoo::cage<int>::feed");
	assert_string_equal(name_at(e, walk), "zoo::keeper::walk");
	dlclose(handle);
}

/* A file whose path is gone, or another's, by the time it is mapped and when it is named. */
static void deleted_file(void **state)
{
	struct env *e = *state;
	void *handle;
	uint64_t address;
	size_t at;

	if (geteuid())
		skip(); /* map_files needs a capability */
	run("cc -O1 -shared -fPIC " SOURCES "/shapes.c -o " FIXTURES "/deleted.so");
	handle = load(FIXTURES "/deleted.so");
	address = (uintptr_t)dlsym(handle, "right_after");
	run("rm " FIXTURES "/deleted.so; c++ -O1 -shared -fPIC " SOURCES "/shapes.cc -o " FIXTURES "/deleted.so");
	at = locate(e, self(), address);
	dlclose(handle);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_string_equal(name_at(e, at), "right_after");
	assert_non_null(strstr(object_at(e, at), " (deleted)"));
}

/* Written over in place between the sample and its naming: its symbols are no longer those of the sample. */
static void changed_file(void **state)
{
	struct env *e = *state;
	void *handle;
	size_t at;

	run("cc -O1 -shared -fPIC " SOURCES "/shapes.c -o " FIXTURES "/changed.so");
	handle = load(FIXTURES "/changed.so");
	at = locate(e, self(), (uintptr_t)dlsym(handle, "right_after"));
	dlclose(handle);
	run("c++ -O1 -shared -fPIC " SOURCES "/shapes.cc -o " FIXTURES "/other.so");
	run("cat " FIXTURES "/other.so > " FIXTURES "/changed.so");
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_int_equal(e->r->locations[at].why, WHY_FILE_CHANGED);
}

/* Resolving goes on where it ended, and names what came since. */
static void several_rounds(void **state)
{
	struct env *e = *state;
	size_t first = locate(e, self(), (uintptr_t)several_rounds), second;
	size_t n;

	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	second = locate(e, self(), (uintptr_t)vdso);
	assert_int_equal(locate(e, self(), (uintptr_t)several_rounds), first);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_string_equal(name_at(e, first), "several_rounds");
	assert_string_equal(name_at(e, second), "vdso");
	n = e->r->n_locations;
	for (int i = 0; i < 10; i++) {
		symbols_age(e->s);
		assert_int_equal(locate(e, self(), (uintptr_t)several_rounds), first);
		locate(e, self(), (uint64_t)rand() << 12); /* strays take no memory */
	}
	assert_in_range(e->r->n_locations, n, n + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SYMBOLS(own_functions), WITH_SYMBOLS(callers),	   WITH_SYMBOLS(stack_shapes),
		WITH_SYMBOLS(unnamed),	     WITH_SYMBOLS(vdso),	   WITH_SYMBOLS(kernel),
		WITH_SYMBOLS(loaded_later),  WITH_SYMBOLS(cpp_names),	   WITH_SYMBOLS(deleted_file),
		WITH_SYMBOLS(changed_file),  WITH_SYMBOLS(several_rounds),
	};

	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
