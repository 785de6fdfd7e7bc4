// SPDX-License-Identifier: BSD-3-Clause
// The study of traffic that persists: which places it has.
#include "fixtures/unit.h"

#include "sim/paper/study.h"

static struct paper plan(bool quick, bool longer)
{
	struct paper p = {
		.common = sim_common_default(), .quick = quick, .longer = longer, .seeds = 3};

	paper_plan_study(&p);
	return p;
}

// Every setup can be simulated.
TEST(all_traffic_fits)
{
	for (int longer = 0; longer <= 1; longer++) {
		struct paper p = plan(false, longer);
		for (uint32_t i = 0; i < p.points; i++) {
			const struct drb_packet_setup *s = &p.point[i].packet;
			assert_int_equal(drb_traffic_fits(s->traffic, s->tree.hosts), 0);
			assert_true(s->stats > 0 && s->stats <= s->slots);
		}
		free(p.point);
	}
}

// A place has each of its schemes three times, with three seeds, which are the same for all; walk is in all of them.
TEST(places_have_their_seeds)
{
	struct paper p = plan(false, true);
	uint32_t walks = 0;

	for (uint32_t i = 0; i < p.points; i++) {
		assert_int_equal(p.point[i].packet.seed, p.common.seed + i % 3);
		assert_int_equal(p.point[i].packet.scheme, p.point[i - i % 3].packet.scheme);
		walks += p.point[i].packet.scheme == DRB_SCHEME_WALK;
	}
	assert_int_equal(walks, 5 * 35 * 6 * 3);
	free(p.point);
}

// The first run of a point is the longest, and all schemes have runs of the same lengths.
TEST(one_run_is_long)
{
	struct paper p = plan(false, false);
	uint32_t shorter = 0;

	for (uint32_t i = 0; i < p.points; i++) {
		const struct drb_packet_setup *s = &p.point[i].packet;
		const struct drb_packet_setup *first = &p.point[i - i % 3].packet;
		assert_int_equal(first->seed, p.common.seed);
		assert_true(s->slots <= first->slots && s->most_slots == 2 * s->slots);
		assert_true(s->rho < 0.98 || s->slots == first->slots);
		shorter += s->slots < first->slots;
	}
	assert_true(shorter > p.points / 3);
	free(p.point);
}

TEST_MAIN(NULL, NULL)
