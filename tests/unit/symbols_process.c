/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of other processes: alive, ended, in another root, and more than files may be open. */
#include <sys/resource.h>
#include <sys/wait.h>

#include "fixtures/symbols_env.h"

#include "core/proc.h"

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

static int build(void **state)
{
	(void)state;
	run("cc -O1 -fPIE -pie " SOURCES "/sleeper.c -o " FIXTURES "/sleeper -lpthread");
	run("cc -O1 -static " SOURCES "/sleeper.c -o " FIXTURES "/sleeper-static -lpthread");
	run("cc -O1 -DLEADER_ENDS " SOURCES "/sleeper.c -o " FIXTURES "/sleeper-leader -lpthread");
	return 0;
}

static void processes(void **state)
{
	static const char *const paths[] = { FIXTURES "/sleeper", FIXTURES "/sleeper-static" };
	struct env *e = *state;

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SYMBOLS(processes),	 WITH_SYMBOLS(leader_ended),	WITH_SYMBOLS(shared_locations),
		WITH_SYMBOLS(unknown_processes), WITH_SYMBOLS(reused_number),	WITH_SYMBOLS(ageing),
		WITH_SYMBOLS(other_roots),	 WITH_SYMBOLS(few_descriptors),
	};

	return cmocka_run_group_tests_name("symbols_process", tests, build, NULL);
}
