// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "common/measures/reordering.h"
#include "fixtures/reordering.h"

#define PACKETS 60

// Arrivals of packets 0, 1, ... in their order of arrival, and the expected result.
static const struct {
	uint32_t count, sequence[8];
	struct drb_reordering want;
} streams[] = {
	{0, {0}, {0, 0, 0, 0}},
	{1, {0}, {1, 0, 0, 0}},
	{4, {0, 1, 2, 3}, {4, 0, 0, 0}},
	// 3 comes after 4 and 5.
	{8, {0, 1, 2, 4, 5, 3, 6, 7}, {8, 1, 2, 2}},
	{4, {3, 2, 1, 0}, {4, 3, 3, 3}},
	// 0 is late, and the other packets wait for it.
	{5, {1, 2, 3, 4, 0}, {5, 1, 4, 4}},
	// Two pairs exchange positions: one packet is held at a time.
	{4, {1, 0, 3, 2}, {4, 2, 1, 1}},
	// 1 and 0 are behind 2, by one and by two arrivals.
	{3, {2, 1, 0}, {3, 2, 2, 2}},
};

TEST(streams_by_hand)
{
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
		struct drb_arrival arrival[8];
		struct drb_reordering r = {0};
		for (uint32_t k = 0; k < streams[i].count; k++)
			arrival[streams[i].sequence[k]].at = 100 + 7 * k;
		drb_reordering_add(&r, arrival, streams[i].count);
		assert_memory_equal(&r, &streams[i].want, sizeof(r));
	}
}

TEST(no_packet_has_no_share)
{
	struct drb_reordering none = {0}, some = {.packets = 8, .reordered = 2};

	assert_true(isnan(drb_reordering_share(&none)));
	assert_true(drb_reordering_share(&some) == 0.25);
}

// Several streams together, with times that are near or far apart, some of them equal.
TEST(random_streams_agree_with_the_definitions)
{
	struct drb_rng rng = drb_rng_seed(3, 0);

	for (uint32_t round = 0; round < 300; round++) {
		struct drb_reordering is = {0}, want = {0};
		for (uint32_t stream = 0; stream < 3; stream++) {
			struct drb_arrival arrival[PACKETS];
			struct model_arrival model[PACKETS];
			uint32_t n = drb_rng_below(&rng, PACKETS);
			for (uint32_t k = 0; k < n; k++) {
				model[k].sequence = k;
				model[k].at = k + drb_rng_below(&rng, 1 + round % 40);
				arrival[k].at = model[k].at;
			}
			drb_reordering_add(&is, arrival, n);
			model_reordering_add(&want, model, n);
		}
		assert_memory_equal(&is, &want, sizeof(is));
	}
}

TEST_MAIN(NULL, NULL)
