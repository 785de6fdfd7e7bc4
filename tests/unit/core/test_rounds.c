// SPDX-License-Identifier: BSD-3-Clause
// Who walks, and where to.
#include "fixtures/unit.h"

#include <stdlib.h>

#include "core/routing/rounds.h"

#define TAU 6

struct stage {
	struct drb_tree t;
	struct drb_walk walk;
	uint32_t *memory;
};

static void set_up_with(struct stage *s, uint32_t layers, uint32_t arity, size_t entries)
{
	assert_int_equal(drb_tree_init(&s->t, layers, arity), 0);
	s->memory = calloc(2 * entries, sizeof(*s->memory));
	drb_walk_init(&s->walk, &s->t, s->memory, entries, TAU);
}

static void set_up(struct stage *s, uint32_t layers, uint32_t arity)
{
	assert_int_equal(drb_tree_init(&s->t, layers, arity), 0);
	set_up_with(s, layers, arity, drb_walk_entries(&s->t, TAU));
}

// time, destination -> walks; too few packets for the others to walk as well
static void streaks_walk(void **state)
{
	static const struct {
		uint32_t now, dest;
		bool walks;
	} steps[] = {
		{0, 5, false},  {1, 5, false},  {2, 5, true},  {2, 6, false},  {8, 5, true},
		{9, 6, false},  {9, 5, true},   {10, 5, true}, {11, 6, false}, {17, 5, false},
		{18, 5, false}, {19, 5, true},  {25, 5, true}, {25, 5, true},  {32, 5, false},
		{33, 0, false}, {33, 0, false}, {33, 0, true},
	};

	(void)state;
	// One entry for every host, and sets; early times and those that turn over.
	for (int i = 0; i < 4; i++) {
		struct stage s;
		set_up_with(&s, 3, 4, i & 1 ? 128 : 64);
		for (size_t k = 0; k < ARRAY_SIZE(steps); k++)
			assert_int_equal(drb_walk_next(&s.walk, steps[k].dest,
						       steps[k].now + (i & 2 ? UINT32_MAX - 9 : 0)),
					 steps[k].walks);
		free(s.memory);
	}
}

// While a tenth of the packets are in streaks, those to rare destinations walk as well, and most of
// the time nothing is remembered; when none has been for long, they no longer do.
static void rare_destinations_walk_beside_busy_ones(void **state)
{
	struct stage s;
	uint32_t walks = 0, rare = 0;

	(void)state;
	set_up(&s, 3, 24);
	for (uint32_t now = 0; now < 3000; now++) {
		drb_walk_next(&s.walk, 7, now);
		for (int i = 0; i < 9; i++)
			walks += drb_walk_next(&s.walk, 1000 + rare++ % 20000, now);
	}
	assert_in_range(walks, 26700, 27000);
	assert_in_range(s.walk.rest, 1, DRB_WALK_REST);
	walks = 0;
	for (uint32_t now = 3000; now < 20000; now++)
		walks += drb_walk_next(&s.walk, 1000 + rare++ % 20000, now);
	assert_in_range(walks, 1, DRB_WALK_REST + 2 * DRB_WALK_LOOK);
	for (uint32_t now = 20000; now < 20100; now++)
		assert_false(drb_walk_next(&s.walk, 1000 + rare++ % 20000, now));
	free(s.memory);
}

// As many destinations as may be live at once are all remembered.
static void live_destinations_are_kept(void **state)
{
	struct stage s;
	uint32_t forgotten = 0, live = 24 * TAU;

	(void)state;
	set_up(&s, 3, 24);
	for (uint32_t now = 0; now < 100; now++) {
		for (uint32_t dest = 0; dest < live; dest++) {
			s.walk.streaks = 0;
			s.walk.all = false;
			forgotten += !drb_walk_next(&s.walk, dest * 31, now) && now >= 2;
		}
	}
	assert_int_equal(forgotten, 0);
	free(s.memory);
}

// The table never needs more entries than there are hosts, and then has one for each.
static void small_fabrics_have_an_entry_for_every_host(void **state)
{
	struct drb_tree t;

	(void)state;
	assert_int_equal(drb_tree_init(&t, 3, 2), 0);
	assert_int_equal(drb_walk_entries(&t, TAU), 16);
	assert_int_equal(drb_tree_init(&t, 3, 24), 0);
	assert_int_equal(drb_walk_entries(&t, TAU), 1024);
}

// Whatever the loads, each uplink gets the same share of a group, to within one packet; of the two
// in question the less loaded is taken, the first on a tie.
static void rounds_are_fair(void **state)
{
	struct drb_rng r = drb_rng_seed(1, 1);

	(void)state;
	for (uint32_t uplinks = 1; uplinks <= 9; uplinks++) {
		uint32_t load[9], count[9] = {0}, swaps = 0;
		drb_round round = uplinks / 2 | (uplinks / 2 + 1) % uplinks << 16;
		for (uint32_t n = 0; n < 1000 * uplinks; n++) {
			for (uint32_t u = 0; u < uplinks; u++)
				load[u] = drb_rng_below(&r, 4);
			uint32_t first = round & UINT16_MAX, second = round >> 16;
			uint32_t turn, u = drb_round_next(&round, uplinks,
							  (struct drb_loads){.at = load}, &turn);
			assert_int_equal(turn, first);
			assert_int_equal(u, load[second] < load[first] ? second : first);
			assert_int_equal(round & UINT16_MAX, u == first ? second : first);
			swaps += u != turn;
			count[u]++;
			for (uint32_t v = 0; v < uplinks; v++)
				assert_in_range(count[v] + 1, n / uplinks, n / uplinks + 3);
		}
		assert_true(uplinks == 1 ? swaps == 0 : swaps > 100 * uplinks);
	}
}

// Packed loads and an array of them are the same.
static void packed_loads_agree(void **state)
{
	struct drb_rng r = drb_rng_seed(2, 2);
	drb_round a = 1 << 16, b = 1 << 16;

	(void)state;
	for (int n = 0; n < 5000; n++) {
		struct drb_loads packed = {.packed = drb_rng_next(&r)};
		uint32_t load[8], turn;
		for (uint32_t u = 0; u < 8; u++)
			load[u] = drb_load(packed, u);
		assert_int_equal(drb_round_next(&a, 8, (struct drb_loads){.at = load}, &turn),
				 drb_round_next(&b, 8, packed, &turn));
	}
}

static void without_loads_it_is_simpler(void **state)
{
	const uint32_t none[9] = {0};

	(void)state;
	for (uint32_t uplinks = 2; uplinks <= 9; uplinks++) {
		drb_round a = 1 << 16, b = 1 << 16;
		for (int n = 0; n < 30; n++) {
			uint32_t turn;
			assert_int_equal(
				drb_round_next(&a, uplinks, (struct drb_loads){.at = none}, &turn),
				drb_round_next(&b, uplinks, (struct drb_loads){0}, &turn));
			assert_int_equal(a, b);
		}
	}
}

// Destinations below one switch of layer m, and no others, are one group; rounds begin anywhere.
static void groups_share_down_links(void **state)
{
	struct drb_tree t;

	(void)state;
	assert_int_equal(drb_tree_init(&t, 4, 3), 0);
	for (uint32_t m = 1; m < t.layers; m++) {
		uint32_t begin[3] = {0};
		drb_round *round = calloc(drb_rounds(&t, m), sizeof(*round));
		for (uint32_t a = 0; a < t.hosts; a++) {
			assert_in_range(drb_round_of(&t.by[m], a), 0, drb_rounds(&t, m) - 1);
			for (uint32_t b = 0; b < t.hosts; b++)
				assert_int_equal(drb_round_of(&t.by[m], a) ==
							 drb_round_of(&t.by[m], b),
						 drb_distance(&t, a, b) <= m);
		}
		for (uint64_t salt = 0; salt < 300; salt++) {
			drb_rounds_init(round, &t, m, drb_salt(salt, m, 0));
			for (uint32_t i = 0; i < drb_rounds(&t, m); i++)
				begin[round[i] & UINT16_MAX]++;
		}
		for (uint32_t u = 0; u < 3; u++)
			assert_in_range(begin[u], 80 * drb_rounds(&t, m), 120 * drb_rounds(&t, m));
		free(round);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streaks_walk),
		cmocka_unit_test(rare_destinations_walk_beside_busy_ones),
		cmocka_unit_test(live_destinations_are_kept),
		cmocka_unit_test(small_fabrics_have_an_entry_for_every_host),
		cmocka_unit_test(rounds_are_fair),
		cmocka_unit_test(packed_loads_agree),
		cmocka_unit_test(without_loads_it_is_simpler),
		cmocka_unit_test(groups_share_down_links),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
