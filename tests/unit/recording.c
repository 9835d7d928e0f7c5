/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "core/recording.h"

#define MANY 100000

static int new_recording(void **state)
{
	*state = recording_new();
	return *state ? 0 : -1;
}

static int free_recording(void **state)
{
	recording_free(*state);
	return 0;
}

static void strings(void **state)
{
	struct recording *r = *state;
	char text[32], long_text[5001];
	const char *first;
	int a;

	assert_int_equal(recording_string(r, ""), 0);
	a = recording_string(r, "a");
	first = recording_str(r, a);
	assert_int_not_equal(a, 0);
	for (int i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "string %d", i);
		assert_int_equal(recording_string(r, text), a + 1 + i);
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "string %d", i);
		assert_int_equal(recording_string(r, text), a + 1 + i);
		assert_string_equal(recording_str(r, a + 1 + i), text);
	}
	assert_ptr_equal(recording_str(r, a), first); /* stays where it is */
	assert_string_equal(first, "a");

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	a = recording_string(r, long_text);
	assert_int_equal(strlen(recording_str(r, a)), 4096);
	long_text[4096] = '\0';
	assert_int_equal(recording_string(r, long_text), a);
}

static void mappings(void **state)
{
	struct recording *r = *state;
	struct rec_mapping m = { .name = 0, .kind = MAPPING_FILE, .dev = 1, .inode = 2, .changed_ns = 3 };
	struct rec_mapping others[] = { m, m, m, m, m };

	others[0].name = recording_string(r, "name");
	others[1].kind = MAPPING_VDSO;
	others[2].dev = 9;
	others[3].inode = 9;
	others[4].changed_ns = 9;
	assert_int_equal(recording_mapping(r, &m), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(recording_mapping(r, &others[i]), i + 1);
	for (int i = 0; i < 5; i++)
		assert_int_equal(recording_mapping(r, &others[i]), i + 1);
	assert_int_equal(recording_mapping(r, &m), 0);
	assert_int_equal(r->n_mappings, 6);
	assert_int_equal(r->mappings[3].dev, 9);
}

static void locations(void **state)
{
	struct recording *r = *state;
	int name = recording_string(r, "f");

	for (unsigned i = 0; i < MANY; i++) /* neighbours, pages apart and in many mappings */
		assert_int_equal(recording_location(r, (int)(i % 7), i % 3 ? i : (uint64_t)i << 32, WHY_UNRESOLVED), i);
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(recording_location(r, (int)(i % 7), i % 3 ? i : (uint64_t)i << 32, WHY_UNRESOLVED), i);
	assert_int_equal(r->n_locations, MANY);

	/* Named, it is found as it was added; another reason is another location. */
	recording_name(r, 5, name, 17, WHY_NAMED);
	recording_move(r, 5, 3);
	assert_int_equal(recording_location(r, 5, 5, WHY_UNRESOLVED), 5);
	assert_int_equal(recording_location(r, 5, 5, WHY_FILE_GONE), MANY);
	assert_int_equal(r->locations[5].mapping, 3);
	assert_int_equal(r->locations[5].why, WHY_NAMED);
	assert_int_equal(r->locations[5].offset, 17);
	assert_string_equal(recording_str(r, r->locations[5].name), "f");
	assert_int_equal(r->locations[MANY].why, WHY_FILE_GONE);
}

static void stacks(void **state)
{
	struct recording *r = *state;
	uint32_t frames[127];

	/* Every stack differs from the one before in one frame only. */
	for (unsigned i = 0; i < MANY; i++) {
		for (unsigned f = 0; f < 20; f++)
			frames[f] = f == i % 20 ? 1000 + i : f;
		assert_int_equal(recording_stack(r, frames, 5, 15), i);
	}
	for (unsigned i = 0; i < MANY; i++) {
		for (unsigned f = 0; f < 20; f++)
			frames[f] = f == i % 20 ? 1000 + i : f;
		assert_int_equal(recording_stack(r, frames, 5, 15), i);
	}
	assert_int_equal(r->n_stacks, MANY);
	/* The same frames, cut at another place. */
	assert_int_equal(recording_stack(r, frames, 4, 16), MANY);
	assert_int_equal(recording_stack(r, frames, 20, 0), MANY + 1);
	assert_int_equal(recording_stack(r, frames, 0, 0), MANY + 2);
	assert_int_equal(recording_stack(r, NULL, 0, 0), MANY + 2);
	assert_int_equal(recording_stack(r, frames, UINT16_MAX + 1, 0), -E2BIG);
	assert_int_equal(r->stacks[MANY].kernel_frames, 4);
	assert_int_equal(r->stacks[MANY].user_frames, 16);
	assert_memory_equal(r->frames + r->stacks[MANY].first, frames, 20 * sizeof(frames[0]));
}

static void stacks_trimmed(void **state)
{
	struct recording *r = *state;
	const uint32_t frames[] = { 10, 11, 12, 20, 21 };
	int stack = recording_stack(r, frames, 3, 2);
	const struct rec_stack *s;

	recording_trim(r, stack, 2);
	s = &r->stacks[stack];
	assert_int_equal(s->kernel_frames, 1);
	assert_int_equal(s->user_frames, 2);
	assert_int_equal(r->frames[s->first], 12);
	assert_int_equal(r->frames[s->first + 1], 20);
	assert_int_equal(recording_stack(r, frames, 3, 2), stack);
	assert_int_not_equal(recording_stack(r, frames + 2, 1, 2), stack);
	recording_trim(r, stack, 7); /* no more than there are */
	assert_int_equal(r->stacks[stack].kernel_frames, 0);
	assert_int_equal(r->frames[r->stacks[stack].first], 20);
	assert_int_equal(recording_stack(r, frames, 3, 2), stack);
}

static void samples_add_up(void **state)
{
	struct recording *r = *state;
	struct rec_sample s = { .labels = { 1, 2, 3, -1 }, .stack = 4, .fires = 3000000000u, .weight = 5 };
	struct rec_sample others[] = { s, s, s, s, s };

	others[0].labels.comm++;
	others[1].labels.tgid++;
	others[2].labels.tid++;
	others[3].labels.cpu++;
	others[4].stack++;
	for (int round = 0; round < 2; round++) {
		assert_int_equal(recording_add(r, &s), 0);
		for (int i = 0; i < 5; i++)
			assert_int_equal(recording_add(r, &others[i]), 0);
	}
	assert_int_equal(r->n_samples, 6);
	for (int i = 0; i < 6; i++) {
		assert_true(r->samples[i].fires == 6000000000u); /* above 2^31 and 2^32 */
		assert_int_equal(r->samples[i].weight, 10);
	}
	s.fires = 1;
	for (int i = 0; i < MANY; i++) {
		s.stack = 100 + i;
		assert_int_equal(recording_add(r, &s), 0);
	}
	assert_int_equal(r->n_samples, 6 + MANY);
	assert_int_equal(r->samples[6 + MANY - 1].stack, 100 + MANY - 1);
}

static void losses(void **state)
{
	struct recording *r = *state;

	assert_int_equal(recording_lost_sum(r), 0);
	assert_true(recording_lost_pct(r) == 0);
	r->lost.by_cause[LOST_MAP_FULL] = 3000000000u;
	r->lost.by_cause[LOST_COLLISION] = 2000000000u;
	r->sampling.kept = 15000000000u;
	assert_true(recording_lost_sum(r) == 5000000000u);
	assert_true(recording_lost_pct(r) == 25.0);
	r->lost.by_cause[LOST_TARGET_FULL] = 7; /* no sample */
	assert_true(recording_lost_sum(r) == 5000000000u);
	r->lost.by_cause[LOST_SKIPPED] = 7;
	assert_true(recording_lost_sum(r) == 5000000007u);
}

static void names_of_causes(void **state)
{
	(void)state;
	for (int i = 0; i < WHY_CAUSES; i++) {
		assert_string_not_equal(why_name((enum why)i), "?");
		for (int j = 0; j < i; j++)
			assert_string_not_equal(why_name((enum why)i), why_name((enum why)j));
	}
	for (int i = 0; i < LOST_CAUSES; i++) {
		assert_string_not_equal(lost_name((enum lost_cause)i), "?");
		for (int j = 0; j < i; j++)
			assert_string_not_equal(lost_name((enum lost_cause)i), lost_name((enum lost_cause)j));
	}
	assert_string_equal(why_name(WHY_STRIPPED), "stripped");
	assert_string_equal(lost_name(LOST_MAP_FULL), "stack map full");
}

#define WITH_RECORDING(f) cmocka_unit_test_setup_teardown(f, new_recording, free_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RECORDING(strings), WITH_RECORDING(mappings),	    WITH_RECORDING(locations),
		WITH_RECORDING(stacks),	 WITH_RECORDING(stacks_trimmed),    WITH_RECORDING(samples_add_up),
		WITH_RECORDING(losses),	 cmocka_unit_test(names_of_causes),
	};

	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
