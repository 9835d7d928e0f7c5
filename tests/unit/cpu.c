/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "core/cpu.h"

static void lists(void **state)
{
	struct cpu_list l;

	(void)state;
	assert_int_equal(cpu_list_parse("0-3,7", &l), 0);
	assert_int_equal(l.n, 5);
	assert_int_equal(l.ids[4], 7);
	assert_true(cpu_list_has(&l, 3));
	assert_false(cpu_list_has(&l, 4));
	cpu_list_free(&l);
	assert_int_equal(cpu_list_parse("7,1,1,0-2", &l), 0); /* sorted, each once */
	assert_int_equal(l.n, 4);
	assert_int_equal(l.ids[0], 0);
	assert_int_equal(l.ids[3], 7);
	cpu_list_free(&l);
	assert_false(cpu_list_has(&l, 0));
}

static void no_lists(void **state)
{
	static const char *const bad[] = { "",	  ",",	"1,",  "a",	  "1-",
					   "3-1", "-1", "1 2", "0-65536", "99999999999999999999",
					   "1;2" };
	struct cpu_list l;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(cpu_list_parse(bad[i], &l), -EINVAL);
		assert_null(l.ids);
	}
}

static void online(void **state)
{
	struct cpu_list l;

	(void)state;
	assert_int_equal(cpu_list_online(&l), 0);
	assert_int_equal(l.n, sysconf(_SC_NPROCESSORS_ONLN));
	cpu_list_free(&l);
}

static void watch(void **state)
{
	struct cpu_watch w;
	struct cpu_list l;

	(void)state;
	assert_int_equal(cpu_watch_open(&w), 0);
	assert_int_equal(w.online.n, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(cpu_watch_look(&w), 0);
	strcpy(w.text, "0-64"); /* as if it had been so */
	assert_int_equal(cpu_watch_look(&w), 1);
	assert_int_equal(cpu_watch_look(&w), 0);
	assert_int_equal(w.online.n, sysconf(_SC_NPROCESSORS_ONLN));
	cpu_watch_close(&w);
	cpu_watch_close(&w); /* fine */
	assert_int_equal(cpu_list_present(&l), 0);
	assert_true(l.n >= (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	cpu_list_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(no_lists),
		cmocka_unit_test(online),
		cmocka_unit_test(watch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
