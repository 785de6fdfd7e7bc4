// SPDX-License-Identifier: BSD-3-Clause
// The uplinks of packets that are spread in rounds.
#include "fixtures/unit.h"

#include "core/routing/rounds.h"

// Each uplink gets the same share of a group, to within one packet, whatever the loads. The less
// loaded of the two next uplinks is taken, the first on a tie.
TEST(rounds_are_fair)
{
	struct drb_rng r = drb_rng_seed(1, 1);

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

// An uplink that is slower than the others falls behind by no more than the limit; all others get
// equal shares.
TEST(slow_uplinks_give_turns_up)
{
	for (uint32_t uplinks = 2; uplinks <= 9; uplinks++) {
		uint32_t load[9] = {0}, count[9] = {0}, turn;
		drb_round round = 1 << 16;
		for (uint32_t n = 0; n < 4000 * uplinks; n++) {
			uint32_t u = drb_round_next(&round, uplinks, (struct drb_loads){.at = load},
						    &turn);
			load[u]++;
			count[u]++;
			assert_in_range(load[u], 1, DRB_ROUND_LAG + 2);
			for (uint32_t v = 0; n % uplinks == 0 && v < uplinks; v++) {
				if (v != 1) // the others empty once a round, the slow one after ten
					load[v] = 0;
				else if (n / uplinks % 10 == 0 && load[v])
					load[v]--;
			}
		}
		assert_in_range(count[1], 400, 400 + DRB_ROUND_LAG + 2);
		for (uint32_t u = 0; u < uplinks; u++) {
			uint32_t share = (4000 * uplinks - count[1]) / (uplinks - 1);
			if (u != 1)
				assert_in_range(count[u], share * 9 / 10, share * 11 / 10);
		}
	}
}

// With dead uplinks a round is that of a switch that has only the usable ones. The order is the
// same and the shares are equal, whatever the loads and wherever the round was when they died.
TEST(dead_uplinks_lose_their_turns)
{
	struct drb_rng r = drb_rng_seed(2, 1);

	for (uint32_t run = 0; run < 2000; run++) {
		const uint32_t uplinks = 2 + drb_rng_below(&r, 8);
		const uint64_t usable = 1 + drb_rng_below(&r, (1u << uplinks) - 1);
		const uint32_t dead_load = drb_rng_below(&r, 40);
		uint32_t port[9], of[9] = {0}, count[9] = {0}, left = 0;
		for (uint32_t u = 0; u < uplinks; u++) {
			of[u] = left; // the first usable one that is not before u
			if (usable >> u & 1)
				port[left++] = u;
		}
		const uint32_t first = drb_rng_below(&r, uplinks),
			       next = drb_rng_below(&r, uplinks);
		drb_round round = first | next << 16, few = of[first] % left;
		if (usable >> first & 1)
			few |= of[next] % left << 16;
		else // the next one takes its turn
			few = of[next] % left | (of[next] + 1) % left << 16;
		for (uint32_t n = 0; n < 50 * left; n++) {
			uint32_t load[9], few_load[9], turn, few_turn;
			for (uint32_t u = 0; u < uplinks; u++)
				load[u] = usable >> u & 1 ? drb_rng_below(&r, 20) : dead_load;
			for (uint32_t i = 0; i < left; i++)
				few_load[i] = load[port[i]];
			uint32_t up = drb_round_among(&round, uplinks, usable,
						      (struct drb_loads){.at = load}, &turn);
			uint32_t i = drb_round_next(&few, left, (struct drb_loads){.at = few_load},
						    &few_turn);
			assert_int_equal(up, port[i]);
			assert_int_equal(turn, port[few_turn]);
			count[i]++;
		}
		for (uint32_t i = 0; i < left; i++)
			assert_in_range(count[i], 40, 60);
	}
}

TEST(without_loads_it_is_simpler)
{
	const uint32_t none[9] = {0};

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

// The destinations below one switch of layer m form one group. Rounds begin at any uplink.
TEST(groups_share_down_links)
{
	struct drb_tree t;

	assert_int_equal(drb_tree_init_uplinks(&t, 4, 3, 2), 0);
	for (uint32_t m = 1; m < t.layers; m++) {
		uint32_t begin[3] = {0}, ups = drb_tree_up_ports(&t, m),
			 all = 300 * drb_rounds(&t, m);
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
		for (uint32_t u = 0; u < ups; u++)
			assert_in_range(begin[u], all / ups * 8 / 10, all / ups * 12 / 10);
		assert_int_equal(begin[0] + begin[1] + (ups > 2 ? begin[2] : 0), all);
		free(round);
	}
}

TEST_MAIN(NULL, NULL)
