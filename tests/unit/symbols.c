/* SPDX-License-Identifier: GPL-2.0-only */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "fixtures/build.h"
#include "unit.h"

#include "core/proc.h"
#include "symbols/symbols.h"

#define DEPTH 127

struct env {
	struct symbols *s;
	struct recording *r;
};

static int setup(void **state)
{
	struct env *e = calloc(1, sizeof(*e));

	e->r = recording_new();
	*state = e;
	return e->r && !symbols_open(&e->s) ? 0 : -1;
}

static int teardown(void **state)
{
	struct env *e = *state;

	symbols_close(e->s);
	recording_free(e->r);
	free(e);
	return 0;
}

static struct process_id self(void)
{
	return (struct process_id){ .tgid = getpid() };
}

/* Location of the leaf of a user stack of one frame. */
static size_t locate(struct env *e, struct process_id id, uint64_t address)
{
	struct raw_stack raw = { .process = id, .user = &address, .user_frames = 1, .max_frames = DEPTH };
	int stack = symbols_stack(e->s, e->r, &raw);

	assert_true(stack >= 0);
	assert_int_equal(e->r->stacks[stack].kernel_frames, 0);
	assert_int_equal(e->r->stacks[stack].user_frames, 1);
	return e->r->frames[e->r->stacks[stack].first];
}

static void learn(struct env *e, struct process_id id, uint64_t address)
{
	struct raw_stack raw = { .process = id, .user = &address, .user_frames = 1, .max_frames = DEPTH };

	symbols_learn(e->s, &raw);
}

/* Longer than maps are taken as fresh (PAUSE_MIN_NS of process.c, and two ticks of the coarse clock). */
static void let_maps_age(void)
{
	usleep(50000);
}

static enum why why_located(struct env *e, struct process_id id, uint64_t address)
{
	size_t location = locate(e, id, address);

	return e->r->locations[location].why;
}

static const char *name_at(const struct env *e, size_t location)
{
	assert_int_equal(e->r->locations[location].why, WHY_NAMED);
	return recording_str(e->r, e->r->locations[location].name);
}

static const char *object_at(const struct env *e, size_t location)
{
	return recording_str(e->r, e->r->mappings[e->r->locations[location].mapping].name);
}

static enum mapping_kind kind_at(const struct env *e, size_t location)
{
	return e->r->mappings[e->r->locations[location].mapping].kind;
}

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

struct child {
	struct process_id id;
	uint64_t first, second; /* addresses of its functions */
	FILE *in;
	int out;
};

/* Starts `path`, a sleeper, in `root` if that is not NULL. */
static struct child start_child(const char *path, const char *root)
{
	struct child c = { 0 };
	int in[2], out[2];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	c.id.tgid = fork();
	if (!c.id.tgid) {
		dup2(out[0], 0);
		dup2(in[1], 1);
		if (root && (chroot(root) || chdir("/")))
			_exit(1);
		execl(path, path, NULL);
		_exit(1);
	}
	close(out[0]);
	close(in[1]);
	c.in = fdopen(in[0], "r");
	c.out = out[1];
	assert_int_equal(fscanf(c.in, "%lx %lx", &c.first, &c.second), 2);
	return c;
}

static void end_child(struct child *c)
{
	int status;

	close(c->out);
	assert_int_equal(waitpid(c->id.tgid, &status, 0), c->id.tgid);
	assert_int_equal(status, 0);
	fclose(c->in);
}

static void build_sleeper(void)
{
	run("cc -O1 -fPIE -pie " SOURCES "/sleeper.c -o " FIXTURES "/sleeper");
	run("cc -O1 -static " SOURCES "/sleeper.c -o " FIXTURES "/sleeper-static");
}

static void processes(void **state)
{
	static const char *const paths[] = { FIXTURES "/sleeper", FIXTURES "/sleeper-static" };
	struct env *e = *state;

	build_sleeper();
	for (size_t i = 0; i < 2; i++) {
		struct child c = start_child(paths[i], NULL);
		size_t first, second, late;

		learn(e, c.id, c.first);
		first = locate(e, c.id, c.first);
		end_child(&c);
		second = locate(e, c.id, c.second); /* its maps outlive it */
		assert_int_equal(symbols_resolve(e->s, e->r), 0);
		assert_string_equal(name_at(e, first), "first_function");
		assert_string_equal(name_at(e, second), "second_function");
		assert_string_equal(object_at(e, first), paths[i]);
		let_maps_age();
		late = locate(e, c.id, 0x1000); /* to read again is tried, in vain */
		assert_int_equal(e->r->locations[late].why, WHY_PROCESS_GONE);
	}
}

/* The first thread may end before the others. */
static void leader_ended(void **state)
{
	struct env *e = *state;
	struct child c;
	size_t at;

	run("cc -O1 -DLEADER_ENDS " SOURCES "/sleeper.c -o " FIXTURES "/sleeper-leader -lpthread");
	c = start_child(FIXTURES "/sleeper-leader", NULL);
	let_maps_age();
	at = locate(e, c.id, c.first);
	end_child(&c);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_string_equal(name_at(e, at), "first_function");
}

/* Two processes of one program share its locations. */
static void shared_locations(void **state)
{
	struct env *e = *state;
	struct child a, b;

	build_sleeper();
	a = start_child(FIXTURES "/sleeper", NULL);
	b = start_child(FIXTURES "/sleeper", NULL);
	assert_int_equal(locate(e, a.id, a.first), locate(e, b.id, b.first));
	end_child(&a);
	end_child(&b);
}

static void unknown_processes(void **state)
{
	struct env *e = *state;
	struct process_id gone = { .tgid = 0x3fffffff }, none = { .tgid = 0 };

	assert_int_equal(why_located(e, gone, 0x401000), WHY_PROCESS_GONE);
	assert_int_equal(why_located(e, none, 0x401000), WHY_NO_PERMISSION);
}

/* The number alone does not make it the same process. */
static void reused_number(void **state)
{
	struct env *e = *state;
	uint64_t ticks, here = (uintptr_t)reused_number;
	struct process_id id = self(), other = self(), older = self();

	assert_int_equal(proc_start_ticks(getpid(), &ticks), 0);
	id.start_ns = ticks * 10000000 + 9999999;
	id.exec_id = 5;
	other.start_ns = (ticks - 1) * 10000000;
	older.start_ns = id.start_ns;
	older.exec_id = 4;
	assert_int_equal(why_located(e, id, here), WHY_UNRESOLVED);
	assert_int_equal(why_located(e, other, here), WHY_PROCESS_GONE);
	assert_int_equal(why_located(e, older, here), WHY_PROCESS_GONE); /* it has exec'd since */
	older.exec_id = 6;
	assert_int_equal(why_located(e, older, here), WHY_UNRESOLVED);
}

/* What ends goes; what a stack came from since the last call but one stays. */
static void ageing(void **state)
{
	struct env *e = *state;
	struct child c;

	build_sleeper();
	c = start_child(FIXTURES "/sleeper", NULL);
	locate(e, c.id, c.first);
	end_child(&c);
	symbols_age(e->s);
	assert_int_equal(why_located(e, c.id, c.second), WHY_UNRESOLVED);
	symbols_age(e->s);
	symbols_age(e->s);
	assert_int_equal(why_located(e, c.id, c.second), WHY_PROCESS_GONE);
	assert_int_equal(symbols_resolve(e->s, e->r), 0); /* its file was kept for what was located */
	for (size_t i = 0; i < e->r->n_locations; i++)
		assert_true(e->r->locations[i].why == WHY_NAMED || e->r->locations[i].why == WHY_PROCESS_GONE);
}

/* In a root of its own the same path is another file. */
static void other_roots(void **state)
{
	struct env *e = *state;
	struct child c;
	size_t at;

	if (geteuid())
		skip(); /* chroot(2) */
	build_sleeper();
	run("rm -rf " FIXTURES "/root && mkdir -p " FIXTURES "/root" FIXTURES);
	run("cp " FIXTURES "/sleeper-static " FIXTURES "/root" FIXTURES "/sleeper");
	run("cp " FIXTURES "/sleeper-static " FIXTURES "/root/inside");
	c = start_child("/inside", FIXTURES "/root");
	at = locate(e, c.id, c.second);
	end_child(&c);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_string_equal(name_at(e, at), "second_function");

	c = start_child(FIXTURES "/sleeper", FIXTURES "/root");
	at = locate(e, c.id, c.first);
	end_child(&c);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_string_equal(name_at(e, at), "first_function");
}

#define COPIES 60

/* More programs than files may be open: all are named. The last test, since the limit stays lowered. */
static void few_descriptors(void **state)
{
	struct rlimit low = { 64, 64 };
	struct symbols *s;
	struct env *outer = *state, e = { .r = outer->r };
	size_t at[COPIES];

	build_sleeper();
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(symbols_open(&s), 0);
	e.s = s;
	for (int i = 0; i < COPIES; i++) {
		struct child c;
		char path[PATH_MAX];

		run("cp " FIXTURES "/sleeper-static " FIXTURES "/copy%d", i);
		snprintf(path, sizeof(path), FIXTURES "/copy%d", i);
		c = start_child(path, NULL);
		at[i] = locate(&e, c.id, i % 2 ? c.first : c.second);
		end_child(&c);
		if (i % 10 == 9)
			symbols_age(s);
	}
	assert_int_equal(symbols_resolve(s, e.r), 0);
	for (int i = 0; i < COPIES; i++)
		assert_string_equal(name_at(&e, at[i]), i % 2 ? "first_function" : "second_function");
	symbols_close(s);
}

/* Resolving goes on where it ended, and names what came since. */
static void several_rounds(void **state)
{
	struct env *e = *state;
	size_t first = locate(e, self(), (uintptr_t)several_rounds), second;
	size_t n;

	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	second = locate(e, self(), (uintptr_t)few_descriptors);
	assert_int_equal(locate(e, self(), (uintptr_t)several_rounds), first);
	assert_int_equal(symbols_resolve(e->s, e->r), 0);
	assert_string_equal(name_at(e, first), "several_rounds");
	assert_string_equal(name_at(e, second), "few_descriptors");
	n = e->r->n_locations;
	for (int i = 0; i < 10; i++) {
		symbols_age(e->s);
		assert_int_equal(locate(e, self(), (uintptr_t)several_rounds), first);
		locate(e, self(), (uint64_t)rand() << 12); /* strays take no memory */
	}
	assert_in_range(e->r->n_locations, n, n + 1);
}

#define WITH_SYMBOLS(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SYMBOLS(own_functions),
		WITH_SYMBOLS(callers),
		WITH_SYMBOLS(stack_shapes),
		WITH_SYMBOLS(unnamed),
		WITH_SYMBOLS(vdso),
		WITH_SYMBOLS(kernel),
		WITH_SYMBOLS(loaded_later),
		WITH_SYMBOLS(cpp_names),
		WITH_SYMBOLS(deleted_file),
		WITH_SYMBOLS(changed_file),
		WITH_SYMBOLS(processes),
		WITH_SYMBOLS(leader_ended),
		WITH_SYMBOLS(shared_locations),
		WITH_SYMBOLS(unknown_processes),
		WITH_SYMBOLS(reused_number),
		WITH_SYMBOLS(ageing),
		WITH_SYMBOLS(other_roots),
		WITH_SYMBOLS(several_rounds),
		WITH_SYMBOLS(few_descriptors),
	};

	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
