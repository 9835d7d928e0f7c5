/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own events of processes, as CPUs come and go. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "symbols/sideband.h"

/* Is it told that a child of this process ended? */
static bool tells_of_a_child(struct sideband *b)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	sideband_read(b);
	for (const struct generation *g = b->generations.ended; g; g = g->next_ended)
		if (g->tgid == child)
			return true;
	return false;
}

/* As if CPUs went offline and came back: all but the last, then all but the first, then all. */
static void other_cpus(void **state)
{
	struct sideband b = { 0 };
	int err = sideband_open(&b);
	struct cpu_list online, some;
	uint64_t now_ns;

	(void)state;
	if (err == -EACCES || err == -EPERM)
		skip();
	assert_int_equal(err, 0);
	assert_int_equal(sideband_start(&b), 0);
	assert_int_equal(cpu_list_online(&online), 0);
	assert_true(tells_of_a_child(&b));
	some = (struct cpu_list){ online.ids, online.n - 1 };
	sideband_follow(&b, &some, 1, false);
	assert_int_equal(b.n, online.n - 1);
	assert_int_equal(b.generations.doubted_ns, 0); /* nothing of what goes on was missed */
	if (online.n > 1) {
		some = (struct cpu_list){ online.ids + 1, online.n - 1 };
		now_ns = sideband_now_ns(&b);
		sideband_follow(&b, &some, now_ns, false);
		assert_int_equal(b.n, online.n - 1);
		assert_in_range(b.generations.doubted_ns, now_ns, sideband_now_ns(&b));
	}
	for (int anew = 0; anew < 2; anew++) {
		now_ns = sideband_now_ns(&b);
		sideband_follow(&b, &online, 1, anew);
		assert_int_equal(b.n, online.n);
		assert_true(b.generations.doubted_ns >= now_ns || !anew);
		assert_true(tells_of_a_child(&b));
	}
	assert_int_equal(b.lost, 0);
	sideband_close(&b);
	cpu_list_free(&online);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
