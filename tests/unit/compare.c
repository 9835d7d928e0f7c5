/* SPDX-License-Identifier: GPL-2.0-only */
/* Two recordings made one: what is the same in both, by name, and what is not. */
#include <errno.h>

#include "view_build.h"

#include "tools/compare.h"

static struct recording *before(void)
{
	struct recording *r = build_new();

	BUILD(r, "app", 30, USER("hot", "/opt/v1/app"), USER("main", "/opt/v1/app"));
	BUILD(r, "app", 10, USER("old", "/opt/v1/app"), USER("main", "/opt/v1/app"));
	BUILD(r, "app", 5, STRIPPED("/lib/libz.so.1", 0x10), USER("main", "/opt/v1/app"));
	BUILD(r, "app", 5, STRIPPED("/lib/libz.so.1", 0x20), USER("main", "/opt/v1/app"));
	return r;
}

/* Another build at another place: other addresses, same names. */
static struct recording *after(void)
{
	struct recording *r = build_new();

	BUILD(r, "app", 20, USER("new", "/opt/v2/app"), USER("main", "/opt/v2/app"));
	BUILD(r, "app", 60, USER("hot", "/opt/v2/app"), USER("main", "/opt/v2/app"));
	BUILD(r, "app", 7, STRIPPED("/lib/libz.so.1", 0x999), USER("main", "/opt/v2/app"));
	return r;
}

static const struct rec_sample *find(const struct recording *r, const char *leaf)
{
	for (size_t i = 0; i < r->n_samples; i++) {
		const struct rec_location *l = &r->locations[r->frames[r->stacks[r->samples[i].stack].first]];

		if (!strcmp(recording_str(r, l->name), leaf))
			return &r->samples[i];
	}
	return NULL;
}

static void sums_by_name(void **state)
{
	struct recording *a = before(), *b = after(), *c = NULL;

	(void)state;
	assert_int_equal(compare_recordings(a, b, false, &c), 0);
	assert_int_equal(c->n_samples, 4);
	assert_int_equal(find(c, "hot")->base_fires, 30);
	assert_int_equal(find(c, "hot")->fires, 60);
	assert_int_equal(find(c, "old")->base_fires, 10);
	assert_int_equal(find(c, "old")->fires, 0);
	assert_int_equal(find(c, "new")->base_fires, 0);
	assert_int_equal(find(c, "new")->weight, 20 * PERIOD_NS);
	assert_int_equal(find(c, "")->base_fires, 10); /* unnamed, for one reason */
	assert_int_equal(find(c, "")->fires, 7);
	assert_int_equal(c->baseline->sampling.kept, 50);
	assert_int_equal(c->sampling.kept, 87);
	recording_free(a);
	recording_free(b);
	recording_free(c);
}

static void other_events_are_refused(void **state)
{
	struct recording *a = before(), *b = after(), *c = NULL;

	(void)state;
	strcpy(b->sampling.event, "page-faults");
	assert_int_equal(compare_recordings(a, b, false, &c), -EINVAL);
	assert_null(c);
	recording_free(a);
	recording_free(b);
}

static void same_name_in_two_objects(void **state)
{
	struct recording *a = build_new(), *b = build_new(), *c = NULL;

	(void)state;
	BUILD(a, "app", 1, USER("init", "/lib/liba.so"));
	BUILD(b, "app", 1, USER("init", "/lib/libb.so"));
	assert_int_equal(compare_recordings(a, b, true, &c), 0);
	assert_int_equal(c->n_samples, 2);
	assert_true(c->baseline->by_time);
	recording_free(a);
	recording_free(b);
	recording_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_by_name),
		cmocka_unit_test(other_events_are_refused),
		cmocka_unit_test(same_name_in_two_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
