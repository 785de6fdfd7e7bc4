// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "sim/models/growth.h"

#define SLOTS 8000
#define ARITY 8

struct stage {
	struct drb_fabric fabric;
	struct drb_growth growth;
	struct drb_rng rng;
	uint64_t inside;
};

static void set_up(struct stage *s, uint32_t arity, double rho)
{
	struct drb_tree t;

	assert_int_equal(drb_tree_init(&t, 3, arity), 0);
	assert_int_equal(drb_fabric_init(&s->fabric, &t, UINT64_C(1) << 30), 0);
	assert_int_equal(drb_growth_init(&s->growth, &t, SLOTS, rho), 0);
	s->rng = drb_rng_seed(1, 0);
	s->inside = 0;
}

static void tear_down(struct stage *s)
{
	drb_fabric_free(&s->fabric);
	drb_growth_free(&s->growth);
}

// A slot of every queue: up to 8 arrivals, of this many on average, and one departure.
static void queues_slot(struct stage *s, double load)
{
	uint32_t below = (uint32_t)(load / 8 * 256);

	for (uint32_t m = 1; m <= 3; m++) {
		struct drb_layer *l = &s->fabric.layer[m];
		for (uint32_t i = 0; i < l->switches * (l->up + l->down); i++) {
			uint64_t bits = drb_rng_next(&s->rng);
			for (int k = 0; k < 8; k++, bits >>= 8) {
				l->len[i] += (bits & 0xff) < below;
				s->inside += (bits & 0xff) < below;
			}
			s->inside -= l->len[i] > 0;
			l->len[i] -= l->len[i] > 0;
		}
	}
}

// Queues of stable links stay queues of stable links, however many there are.
TEST(chance_is_not_growth)
{
	static const double loads[] = {0.5, 0.875, 0.96875};

	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		struct stage s;
		set_up(&s, ARITY, loads[i]);
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			queues_slot(&s, loads[i]);
			drb_growth_slot(&s.growth, &s.fabric, slot, s.inside);
		}
		assert_false(drb_growth_of_sum(&s.growth));
		assert_int_equal(drb_growth_of_links(&s.growth), 0);
		tear_down(&s);
	}
}

// Links that get a packet more than they can send every 40 slots, beside stable ones.
TEST(few_links_that_grow_are_told)
{
	struct stage s;

	set_up(&s, ARITY, 0.875);
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		queues_slot(&s, 0.875);
		for (uint32_t i = 0; i < 3; i++)
			s.fabric.layer[2].len[100 + i] = 1 + slot / 40;
		drb_growth_slot(&s.growth, &s.fabric, slot, s.inside);
	}
	assert_false(drb_growth_of_sum(&s.growth));
	assert_int_equal(drb_growth_of_links(&s.growth), 3);
	tear_down(&s);
}

// Found empty once, it was served as fast as it was fed.
TEST(a_queue_that_empties_does_not_grow)
{
	struct stage s;

	set_up(&s, 2, 0.875);
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		s.fabric.layer[1].len[0] = 1 + slot / 10;
		s.fabric.layer[1].len[1] = slot == SLOTS * 3 / 4 ? 0 : 1 + slot / 10;
		drb_growth_slot(&s.growth, &s.fabric, slot, 0);
	}
	assert_int_equal(drb_growth_of_links(&s.growth), 1);
	tear_down(&s);
}

TEST(the_sum_grows)
{
	struct stage s;

	for (int grows = 0; grows <= 1; grows++) {
		set_up(&s, 2, 0.875);
		for (uint32_t slot = 0; slot < SLOTS; slot++)
			drb_growth_slot(&s.growth, &s.fabric, slot, grows ? slot : 1000);
		assert_int_equal(drb_growth_of_sum(&s.growth), grows);
		tear_down(&s);
	}
}

TEST_MAIN(NULL, NULL)
