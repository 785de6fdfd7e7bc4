// SPDX-License-Identifier: BSD-3-Clause
#include "unit.h"

#include <stdlib.h>

#include <drb/shift.h>

#define TAU 6

struct stage {
	struct drb_tree t;
	struct drb_walk walk;
	struct drb_walk_entry *entry;
};

static void set_up(struct stage *s, uint32_t layers, uint32_t arity)
{
	size_t entries = drb_walk_entries(arity, TAU);

	assert_int_equal(drb_tree_init(&s->t, layers, arity), 0);
	s->entry = calloc(entries, sizeof(*s->entry));
	drb_walk_init(&s->walk, &s->t, s->entry, entries, TAU);
}

// time, destination -> shift; too few packets for the switch to count as busy
static void streaks_walk(void **state)
{
	static const struct {
		uint64_t now;
		uint32_t dest, shift;
	} steps[] = {
		{0, 5, 0},  {1, 5, 0},  {2, 5, 1},  {2, 6, 0},  {8, 5, 2}, {9, 6, 0},
		{9, 5, 3},  {10, 5, 0}, {11, 6, 0}, {17, 5, 0}, // four shifts; then a gap of 7
		{18, 5, 0}, {19, 5, 1}, {25, 5, 2}, {25, 5, 3},
	};
	struct stage s;

	(void)state;
	set_up(&s, 3, 2);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		assert_int_equal(drb_walk_next(&s.walk, steps[i].dest, steps[i].now),
				 steps[i].shift);
	free(s.entry);
}

static void every_shift_comes_up_equally_often(void **state)
{
	uint32_t count[27] = {0};
	struct stage s;

	(void)state;
	set_up(&s, 4, 3);
	for (uint64_t now = 0; now < 2 + 10 * 27; now++)
		count[drb_walk_next(&s.walk, 7, now)]++;
	assert_int_equal(count[0], 12);
	for (uint32_t e = 1; e < 27; e++)
		assert_int_equal(count[e], 10);
	free(s.entry);
}

// While a tenth of the packets walk, those to rare destinations are spread as well; when none has
// walked for long, they keep their default again.
static void rare_destinations_are_spread_beside_busy_ones(void **state)
{
	struct stage s;
	uint32_t spread = 0, rare = 1000;

	(void)state;
	set_up(&s, 3, 4);
	for (uint64_t now = 0; now < 3000; now++) {
		drb_walk_next(&s.walk, 7, now);
		for (int i = 0; i < 9; i++)
			spread += drb_walk_next(&s.walk, rare++, now) != 0;
	}
	// 15 of 16 shifts are not 0.
	assert_in_range(spread, 27000 * 14 / 16, 27000);
	spread = 0;
	for (uint64_t now = 3000; now < 20000; now++)
		spread += drb_walk_next(&s.walk, rare++, now) != 0;
	assert_in_range(spread, 1, 6000);
	assert_int_equal(drb_walk_next(&s.walk, rare++, 20000), 0);
	assert_int_equal(drb_walk_next(&s.walk, rare++, 20001), 0);
	free(s.entry);
}

// As many destinations as may be live at once are all remembered.
static void live_destinations_are_kept(void **state)
{
	struct stage s;
	uint32_t wrong = 0, live = 24 * TAU;

	(void)state;
	set_up(&s, 3, 24);
	for (uint64_t now = 0; now < 100; now++)
		for (uint32_t dest = 0; dest < live; dest++) {
			uint32_t shift = drb_walk_next(&s.walk, dest * 31, now);
			wrong += now >= 2 && shift != now - 1;
		}
	assert_int_equal(wrong, 0);
	free(s.entry);
}

// All destinations shifted by the same e keep disjoint down-paths: the core they turn at and their
// digits tell them apart.
static void equal_shifts_are_a_permutation(void **state)
{
	struct drb_tree t;
	bool *taken = calloc(2 * 27 * 3, sizeof(bool));

	(void)state;
	assert_int_equal(drb_tree_init(&t, 3, 3), 0);
	for (uint32_t e = 0; e < drb_shift_count(&t); e++) {
		for (uint32_t i = 0; i < 54; i++)
			taken[i] = false;
		for (uint32_t h = 0; h < t.hosts; h++) {
			uint32_t core = 0;
			for (uint32_t m = 1; m < 3; m++)
				core += t.pow[m - 1] * drb_shifted(drb_host_digit(&t, h, m),
								   drb_shift_digit(&t, e, m), 3);
			uint32_t link = core * 6 + drb_host_digit(&t, h, 3);
			assert_false(taken[link]);
			taken[link] = true;
		}
	}
	free(taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streaks_walk),
		cmocka_unit_test(every_shift_comes_up_equally_often),
		cmocka_unit_test(rare_destinations_are_spread_beside_busy_ones),
		cmocka_unit_test(live_destinations_are_kept),
		cmocka_unit_test(equal_shifts_are_a_permutation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
