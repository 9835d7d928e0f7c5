/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that nobody can look at any more, told of by events alone: which file each of their addresses
 * was in, and what is said when that file is not to be had, or may be another.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "fixtures/build.h"

#include "symbols/process.h"

#define GONE  0x3ffffff0 /* above any process number */
#define START 0x400000u
#define FILE_ FIXTURES "/gone"

static uint64_t now_ns(const struct processes *p)
{
	return sideband_now_ns(&p->sideband);
}

/* Everything before is older than what follows by more than the clock of file times ticks. */
static void let_time_pass(void)
{
	usleep(20000);
}

static int setup(void **state)
{
	struct processes *p = malloc(sizeof(*p));

	*state = p;
	run("mkdir -p " FIXTURES " && rm -f " FILE_);
	return processes_init(p);
}

static int teardown(void **state)
{
	processes_free(*state);
	free(*state);
	return 0;
}

/* Makes a file of the program `from`, in the inode that is there if there is one. */
static struct stat make_file(const char *from)
{
	struct stat st;

	run("cat '%s' >" FILE_, from);
	assert_int_equal(stat(FILE_, &st), 0);
	return st;
}

/* A program that maps that file at START. */
static void tell_exec(struct processes *p, int tgid, const struct stat *st)
{
	struct maps_line m = { .start = START,
			       .end = START + 0x10000,
			       .dev = st->st_dev,
			       .inode = st->st_ino,
			       .is_executable = true,
			       .path = FILE_ };

	generations_exec(&p->sideband.generations, tgid, now_ns(p));
	generations_map(&p->sideband.generations, tgid, now_ns(p), &m);
}

static const struct object *object_of(struct processes *p, int tgid, uint32_t exec_id, uint64_t seen_ns)
{
	struct process_id id = { tgid, exec_id, 1 };
	struct process *process = processes_get(p, &id, seen_ns);
	const struct process_map *map;

	assert_non_null(process);
	map = process_map(p, process, START + 0x100, true, seen_ns);
	return map ? map->object : NULL;
}

static void file_is_there(void **state)
{
	struct processes *p = *state;
	struct stat st = make_file("/proc/self/exe");
	uint64_t seen_ns;

	let_time_pass();
	tell_exec(p, GONE, &st);
	seen_ns = now_ns(p);
	generations_exit(&p->sideband.generations, GONE, now_ns(p));
	assert_int_equal(object_of(p, GONE, 1, seen_ns)->why, WHY_NAMED);
	assert_string_equal(object_of(p, GONE, 1, seen_ns)->path, FILE_);
	unlink(FILE_); /* by now it is held */
	assert_int_equal(object_of(p, GONE, 1, seen_ns)->why, WHY_NAMED);
}

static void file_is_gone(void **state)
{
	struct processes *p = *state;
	struct stat st = make_file("/proc/self/exe");

	let_time_pass();
	tell_exec(p, GONE, &st);
	unlink(FILE_);
	assert_int_equal(object_of(p, GONE, 1, now_ns(p))->why, WHY_FILE_GONE);
}

/* The same path and inode, but written since: in whichever order the two are asked for. */
static void file_is_younger(void **state)
{
	struct processes *p = *state;
	struct stat st = make_file("/proc/self/exe");
	uint64_t first_ns, second_ns;

	for (int order = 0; order < 2; order++) {
		int old = GONE + 2 * order, young = old + 1;

		let_time_pass();
		tell_exec(p, old, &st);
		first_ns = now_ns(p);
		generations_exit(&p->sideband.generations, old, now_ns(p));
		let_time_pass();
		st = make_file("/bin/true");
		let_time_pass();
		tell_exec(p, young, &st);
		second_ns = now_ns(p);
		generations_exit(&p->sideband.generations, young, now_ns(p));
		if (order)
			assert_int_equal(object_of(p, young, 1, second_ns)->why, WHY_NAMED);
		assert_int_equal(object_of(p, old, 1, first_ns)->why, WHY_FILE_CHANGED);
		assert_int_equal(object_of(p, young, 1, second_ns)->why, WHY_NAMED);
		assert_int_equal(object_of(p, old, 1, first_ns)->why, WHY_FILE_CHANGED);
		assert_ptr_not_equal(object_of(p, old, 1, first_ns), object_of(p, young, 1, second_ns));
		processes_evict(p, 0);
		objects_collect(&p->objects);
	}
}

/* Two programs of one process, sampled in the order that CPUs are read, which is not that of time. */
static void later_program_first(void **state)
{
	struct processes *p = *state;
	struct stat st = make_file("/proc/self/exe"), other;
	uint64_t first_ns, second_ns;

	assert_int_equal(stat("/bin/true", &other), 0);
	let_time_pass();
	tell_exec(p, GONE, &st);
	first_ns = now_ns(p);
	tell_exec(p, GONE, &other);
	second_ns = now_ns(p);
	assert_int_equal(object_of(p, GONE, 8, second_ns)->inode, other.st_ino);
	assert_int_equal(object_of(p, GONE, 7, first_ns)->inode, st.st_ino);
	assert_int_equal(object_of(p, GONE, 8, second_ns)->inode, other.st_ino);
}

static const struct process *self_at(struct processes *p, uint64_t seen_ns)
{
	struct process_id id = { getpid(), 3, 0 };

	return processes_get(p, &id, seen_ns);
}

/* /proc shows this very program; but a sample older than its exec, or its fork, is of somebody else. */
static void proc_is_of_another(void **state)
{
	struct processes *p = *state;
	uint64_t before_ns = now_ns(p);

	generations_exec(&p->sideband.generations, getpid(), before_ns + 1);
	assert_int_equal(self_at(p, before_ns)->why, WHY_PROCESS_GONE);
	assert_int_equal(self_at(p, before_ns)->n_maps, 0);
}

static void proc_is_right(void **state)
{
	struct processes *p = *state;

	assert_int_equal(self_at(p, now_ns(p))->why, WHY_NAMED);
	assert_true(self_at(p, now_ns(p))->n_maps > 2);
}

/* A child of this process, which no event ever told of: it had what this has. */
static void child_of_an_older_one(void **state)
{
	struct processes *p = *state;
	struct process_id id = { GONE, 3, 1 };
	struct process *process;
	const struct process_map *map;
	char exe[PATH_MAX] = "";
	uint64_t seen_ns;

	generations_fork(&p->sideband.generations, GONE, getpid(), now_ns(p));
	seen_ns = now_ns(p);
	generations_exit(&p->sideband.generations, GONE, now_ns(p));
	process = processes_get(p, &id, seen_ns);
	map = process_map(p, process, (uintptr_t)child_of_an_older_one, true, seen_ns);
	assert_non_null(map);
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_string_equal(map->object->path, exe);
	assert_true(process->is_complete);
	/* One of a parent that has exec'd since: what it had nobody knows. */
	generations_fork(&p->sideband.generations, GONE + 1, GONE + 2, now_ns(p));
	generations_exec(&p->sideband.generations, GONE + 2, now_ns(p));
	id.tgid = GONE + 1;
	assert_int_equal(processes_get(p, &id, now_ns(p))->why, WHY_PROCESS_GONE);
}

/* A library that is loaded later is known as soon as it is asked for. */
static void mapped_later(void **state)
{
	struct processes *p = *state;
	struct stat st = make_file("/proc/self/exe");
	struct process_id id = { GONE, 1, 1 };
	struct process *process;
	struct maps_line m;

	let_time_pass();
	tell_exec(p, GONE, &st);
	process = processes_get(p, &id, now_ns(p));
	assert_null(process_map(p, process, 0x7f0000000000, true, now_ns(p)));
	m = (struct maps_line){ .start = 0x7f0000000000,
				.end = 0x7f0000001000,
				.dev = st.st_dev,
				.inode = st.st_ino,
				.is_executable = true,
				.path = FILE_ };
	generations_map(&p->sideband.generations, GONE, now_ns(p), &m);
	assert_non_null(process_map(p, process, 0x7f0000000000, false, now_ns(p)));
	assert_non_null(process_map(p, process, START, false, now_ns(p)));
}

#define WITH_PROCESSES(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PROCESSES(file_is_there),	       WITH_PROCESSES(file_is_gone),
		WITH_PROCESSES(file_is_younger),       WITH_PROCESSES(later_program_first),
		WITH_PROCESSES(proc_is_of_another),    WITH_PROCESSES(proc_is_right),
		WITH_PROCESSES(child_of_an_older_one), WITH_PROCESSES(mapped_later),
	};

	return cmocka_run_group_tests_name("symbols_gone", tests, NULL, NULL);
}
