// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "sim/models/growth_meter.h"

#define SLOTS 8000

struct stage {
	struct drb_fabric fabric;
	struct drb_growth_meter growth;
	struct drb_rng rng;
};

static void set_up(struct stage *s, uint32_t arity, struct drb_traffic_kind traffic)
{
	struct drb_tree t;

	assert_int_equal(drb_tree_init(&t, 3, arity), 0);
	assert_int_equal(drb_fabric_init(&s->fabric, &t, &(struct drb_delay){0}, UINT64_C(1) << 30),
			 0);
	assert_int_equal(drb_growth_init(&s->growth, &t, SLOTS, &traffic), 0);
	s->rng = drb_rng_seed(1, 0);
}

static void tear_down(struct stage *s)
{
	drb_fabric_free(&s->fabric);
	drb_growth_free(&s->growth);
}

// A slot of every queue: up to 8 arrivals, with mean `load`, and one departure.
static void queues_slot(struct stage *s, double load)
{
	uint32_t below = (uint32_t)(load / 8 * 256);

	for (uint32_t m = 1; m <= 3; m++) {
		struct drb_layer *l = &s->fabric.layer[m];
		for (uint32_t i = 0; i < l->switches * (l->up + l->down); i++) {
			uint64_t bits = drb_rng_next(&s->rng);
			for (int k = 0; k < 8; k++, bits >>= 8)
				l->len[i] += (bits & 0xff) < below;
			l->len[i] -= l->len[i] > 0;
		}
	}
}

// Queues that are not overloaded do not grow, however many there are. Nearly all of them are empty
// at some time, unless the load equals the capacity.
TEST(chance_is_not_growth)
{
	static const struct {
		double load;
		enum drb_growth most;
	} cases[] = {{0.5, DRB_GROWTH_NO}, {0.875, DRB_GROWTH_NO}, {1, DRB_GROWTH_UNCLEAR}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stage s;
		uint64_t links;
		set_up(&s, 8, (struct drb_traffic_kind){0});
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			queues_slot(&s, cases[i].load);
			drb_growth_slot(&s.growth, &s.fabric, slot);
		}
		assert_int_equal(drb_growth_of_fabric(&s.growth, &links), cases[i].most);
		assert_int_equal(links, 0);
		tear_down(&s);
	}
}

// One queue gets one packet more than it can send in every `every` slots; 79 other queues are
// stable. If `empty`, it is found empty once in between.
static enum drb_growth one_grows(uint32_t every, bool empty, struct drb_traffic_kind traffic)
{
	struct stage s;
	uint64_t links;

	set_up(&s, 2, traffic);
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		queues_slot(&s, 0.875);
		s.fabric.layer[2].len[5] = empty && slot == 5000 ? 0 : 1 + slot / every;
		drb_growth_slot(&s.growth, &s.fabric, slot);
	}
	enum drb_growth growth = drb_growth_of_fabric(&s.growth, &links);
	assert_int_equal(links, growth == DRB_GROWTH_YES);
	tear_down(&s);
	return growth;
}

// A stable queue is at most 4.5 * 63 packets longer 4000 slots after half the run.
TEST(one_link_that_grows_is_told)
{
	const struct drb_traffic_kind fresh = {.pattern = DRB_PATTERN_PERMUTATION};
	const struct drb_traffic_kind lasts = {.pattern = DRB_PATTERN_EPOCH, .k = 4};

	assert_int_equal(one_grows(13, false, fresh), DRB_GROWTH_YES);
	assert_int_equal(one_grows(15, false, fresh), DRB_GROWTH_UNCLEAR);
	assert_int_equal(one_grows(41, false, fresh), DRB_GROWTH_UNCLEAR);
	assert_int_equal(one_grows(43, false, fresh), DRB_GROWTH_NO);
	// A queue that was empty once was served as fast as it was filled.
	assert_int_equal(one_grows(13, true, fresh), DRB_GROWTH_NO);
	// If destinations persist, chance has a larger effect.
	assert_int_equal(one_grows(8, false, lasts), DRB_GROWTH_UNCLEAR);
	assert_int_equal(one_grows(6, false, lasts), DRB_GROWTH_YES);
}

// A slot of all racks: each of 8 hosts sends with this probability, to the shortest queue of the 7
// uplinks that are not dead.
static void racks_slot(struct stage *s, double load)
{
	const struct drb_layer *l = &s->fabric.layer[1];
	const uint64_t below = (uint64_t)(load * 0x1p32);

	for (uint32_t rack = 0; rack < l->switches; rack++) {
		uint32_t *len = l->len + (uint64_t)rack * (l->up + l->down);
		for (uint32_t h = 0; h < l->down; h++) {
			uint32_t shortest = 1;
			for (uint32_t u = 2; u < l->up; u++)
				shortest = len[u] < len[shortest] ? u : shortest;
			len[shortest] += drb_rng_next(&s->rng) >> 32 < below;
		}
		for (uint32_t u = 1; u < l->up; u++)
			len[u] -= len[u] > 0;
	}
}

// Seven of eight uplinks carry 7/8 of what hosts can send. An overload of two percent shows in the
// sum of all of them, but would not show in a single link.
TEST(uplinks_of_a_rack_are_judged_together)
{
	static const struct {
		double load;
		enum drb_growth least, most;
		uint64_t links; // of each rack
	} cases[] = {{0.86, DRB_GROWTH_NO, DRB_GROWTH_NO, 0},
		     {0.875, DRB_GROWTH_NO, DRB_GROWTH_UNCLEAR, 0},
		     {0.8925, DRB_GROWTH_YES, DRB_GROWTH_YES, 7}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stage s;
		uint64_t links;
		set_up(&s, 8, (struct drb_traffic_kind){0});
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			racks_slot(&s, cases[i].load);
			drb_growth_slot(&s.growth, &s.fabric, slot);
		}
		assert_in_range(drb_growth_of_fabric(&s.growth, &links), cases[i].least,
				cases[i].most);
		assert_int_equal(links, cases[i].links * s.fabric.layer[1].switches);
		// Such an overload of one link needs a longer run.
		assert_true(drb_growth_shown(&s.growth) > 0.07 &&
			    drb_growth_shown(&s.growth) < 0.08);
		tear_down(&s);
	}
}

TEST_MAIN(NULL, NULL)
