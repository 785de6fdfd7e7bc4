// SPDX-License-Identifier: BSD-3-Clause
// The decision: when it redirects, to which uplink, and with which probabilities.
#include "fixtures/unit.h"

#include "core/routing/candidates.h"
#include "core/routing/decide.h"
#include "core/schemes/schemes.h"

#include "drb/threshold.h"

#include "fixtures/chi2.h"
#include "fixtures/draws.h"

#define PORTS_MAX 16

static struct drb_choice choice_of(enum drb_scheme scheme, uint32_t uplinks, uint32_t choices,
				   double threshold)
{
	return (struct drb_choice){.ops = drb_scheme_ops(scheme),
				   .uplinks = uplinks,
				   .choices = choices,
				   .margin = drb_margin(threshold)};
}

TEST(scheme_names_read_back)
{
	static const char *const bad[] = {"", "DRB", "drb ", "dmod", "dmodkk", "random"};
	enum drb_scheme scheme = DRB_SCHEME_COUNT;

	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		assert_int_equal(drb_scheme_parse(drb_scheme_name((enum drb_scheme)i), &scheme), 0);
		assert_int_equal(scheme, i);
	}
	assert_null(drb_scheme_name(DRB_SCHEME_COUNT));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(drb_scheme_parse(bad[i], &scheme), -EINVAL);
}

// "redirected if and only if l(r) < l(h) - T", in real numbers. The difference of two loads is
// exact in a double, and l(h) - T need not be.
static bool rule(uint32_t candidate, uint32_t def, double threshold)
{
	return (double)((int64_t)def - (int64_t)candidate) > threshold;
}

static const double thresholds[] = {
	0,   0x1p-1074, 0.25, 0.5, 0.999999999, 1,         1.0000000001,  1.5,
	2,   2.302585,  3,    5.5, 7,           19.999999, (1 << 30) - 1, (1 << 30) - 0.5,
	1e9, 1 << 30,   4e9,  5e9, 1e18,        1e300,     INFINITY,
};

TEST(ttc_follows_the_rule)
{
	static const uint32_t loads[] = {0,
					 1,
					 2,
					 3,
					 4,
					 5,
					 6,
					 7,
					 8,
					 9,
					 20,
					 21,
					 1000000,
					 1000001,
					 1u << 29,
					 999999999,
					 1000000000,
					 (1u << 30) - 2,
					 (1u << 30) - 1};

	for (size_t k = 0; k < ARRAY_SIZE(thresholds); k++) {
		uint32_t margin = drb_margin(thresholds[k]);
		for (size_t a = 0; a < ARRAY_SIZE(loads); a++) {
			for (size_t b = 0; b < ARRAY_SIZE(loads); b++) {
				uint32_t load[2] = {loads[a], loads[b]};
				bool redirect = rule(load[1], load[0], thresholds[k]);
				assert_int_equal(
					drb_ttc(margin, 0, 1, (struct drb_loads){.at = load}),
					redirect);
				assert_int_equal(
					drb_ttc(margin, 1, 0,
						(struct drb_loads){
							.at = (uint32_t[]){load[1], load[0]}}),
					!redirect);
			}
		}
	}
}

// The candidate of a draw, found with a full default and all other ports empty.
static uint32_t candidate_of(uint32_t uplinks, uint32_t def, uint64_t draw)
{
	struct drb_choice c = choice_of(DRB_SCHEME_DRB, uplinks, 2, 0);
	uint32_t load[PORTS_MAX] = {0};

	load[def] = DRB_LOAD_MAX - 1;
	return drb_choose(&c, load, def, 0, draw);
}

// The whole decision, for every draw and many loads: the default, unless the rule says redirect.
TEST(drb_redirects_exactly_when_the_rule_says)
{
	struct drb_rng r = drb_rng_seed(5, 0);

	for (uint32_t d = 2; d <= 5; d++) {
		struct draws draws = draws_up_to(d);
		for (int n = 0; n < 400; n++) {
			double threshold = thresholds[drb_rng_below(&r, ARRAY_SIZE(thresholds))];
			struct drb_choice c = choice_of(DRB_SCHEME_DRB, d, 2, threshold);
			uint32_t load[PORTS_MAX], before[PORTS_MAX], def = drb_rng_below(&r, d);
			uint32_t scale = 1u << drb_rng_below(&r, 30);
			for (uint32_t p = 0; p < d; p++)
				before[p] = load[p] = drb_rng_below(&r, scale + 1);
			for (uint32_t i = 0; i < draws_total(&draws); i++) {
				uint64_t draw = draws_at(&draws, i);
				uint32_t other = candidate_of(d, def, draw);
				uint32_t port = drb_choose(&c, load, def, 0, draw);
				assert_int_not_equal(other, def);
				assert_int_equal(port, rule(load[other], load[def], threshold)
							       ? other
							       : def);
			}
			assert_memory_equal(load, before, d * sizeof(*load));
		}
	}
}

// drb_scale32() divides the 2^32 values into n intervals whose lengths differ by at most one.
TEST(scaling_is_uniform_to_one_value)
{
	for (uint32_t n = 1; n <= 4096; n++) {
		uint64_t shortest = UINT64_MAX, longest = 0;
		for (uint32_t j = 0; j < n; j++) {
			uint64_t from = draw_step(j, n);
			uint64_t to = j + 1 < n ? draw_step(j + 1, n) : UINT64_C(1) << 32;
			assert_int_equal(drb_scale32((uint32_t)from, n), j);
			assert_int_equal(drb_scale32((uint32_t)(to - 1), n), j);
			shortest = to - from < shortest ? to - from : shortest;
			longest = to - from > longest ? to - from : longest;
		}
		assert_true(longest - shortest <= 1);
	}
}

// The cell 0..d-2 of a port other than def.
static uint32_t cell_of(uint32_t port, uint32_t def)
{
	return port - (port > def);
}

TEST(the_candidate_is_uniform_over_the_others)
{
	struct drb_rng r = drb_rng_seed(6, 0);

	for (uint32_t d = 3; d <= 12; d += 3) {
		for (uint32_t def = 0; def < d; def++) {
			uint64_t seen[PORTS_MAX] = {0};
			for (int n = 0; n < 100000; n++) {
				uint32_t port = candidate_of(d, def, drb_rng_next(&r));
				assert_int_not_equal(port, def);
				seen[cell_of(port, def)]++;
			}
			assert_uniform(seen, d - 1);
		}
	}
}

// The ports that a draw with `choices` compares with the default, one bit each. Port p is among
// them if and only if it is chosen when it alone is empty.
static uint32_t looked_at(uint32_t d, uint32_t choices, uint32_t def, uint64_t draw)
{
	uint32_t load[PORTS_MAX], ports = 0;

	for (uint32_t p = 0; p < d; p++)
		load[p] = 1;
	for (uint32_t p = 0; p < d; p++) {
		load[p] = 0;
		if (p != def && drb_candidate_of_many(d, choices, def, load, draw) == p)
			ports |= 1u << p;
		load[p] = 1;
	}
	return ports;
}

static uint64_t binomial(uint32_t n, uint32_t k)
{
	return k == 0 ? 1 : binomial(n - 1, k - 1) * n / k;
}

// choices-1 distinct other uplinks, every subset equally likely.
TEST(many_choices_look_at_a_uniform_subset)
{
	struct drb_rng r = drb_rng_seed(7, 0);
	const uint32_t d = 7;

	for (uint32_t choices = 2; choices <= d; choices++) {
		for (uint32_t def = 0; def < d; def += 3) {
			uint64_t seen[1 << 7] = {0}, counts[1 << 7];
			size_t cells = 0;
			for (int n = 0; n < 20000; n++)
				seen[looked_at(d, choices, def, drb_rng_next(&r))]++;
			for (uint32_t set = 0; set < 1u << d; set++) {
				bool fits = !(set >> def & 1) &&
					    (uint32_t)__builtin_popcount(set) == choices - 1;
				if (fits)
					counts[cells++] = seen[set];
				else
					assert_int_equal(seen[set], 0);
			}
			assert_int_equal(cells, binomial(d - 1, choices - 1));
			if (cells > 1)
				assert_uniform(counts, cells);
		}
	}
}

// The candidate is a least-loaded port of the subset, and is taken under the same rule.
TEST(many_choices_take_the_least_loaded_of_them)
{
	struct drb_rng r = drb_rng_seed(8, 0);

	for (int n = 0; n < 50000; n++) {
		uint32_t d = 2 + drb_rng_below(&r, PORTS_MAX - 1);
		uint32_t choices = 3 + drb_rng_below(&r, d), def = drb_rng_below(&r, d);
		uint32_t load[PORTS_MAX], least = UINT32_MAX;
		uint64_t draw = drb_rng_next(&r);
		double threshold = drb_rng_below(&r, 8) / 2.0;
		struct drb_choice c = choice_of(DRB_SCHEME_DRB, d, choices, threshold);
		for (uint32_t p = 0; p < d; p++)
			load[p] = drb_rng_below(&r, 6);
		uint32_t ports = looked_at(d, choices, def, draw);
		for (uint32_t p = 0; p < d; p++) {
			if (ports >> p & 1 && load[p] < least)
				least = load[p];
		}
		uint32_t port = drb_choose(&c, load, def, 0, draw);
		if (rule(least, load[def], threshold)) {
			assert_true(ports >> port & 1);
			assert_int_equal(load[port], least);
		} else {
			assert_int_equal(port, def);
		}
	}
}

TEST(ties_of_many_choices_are_random)
{
	struct drb_rng r = drb_rng_seed(9, 0);
	uint32_t load[9] = {1, 1, 0, 1, 0, 9, 0, 0, 1}; // 2, 4, 6, 7 tie; the default is 5

	for (uint32_t choices = 3; choices <= 9; choices++) {
		struct drb_choice c = choice_of(DRB_SCHEME_DRB, 9, choices, 0);
		uint64_t seen[9] = {0};
		for (int n = 0; n < 40000; n++)
			seen[drb_choose(&c, load, 5, 0, drb_rng_next(&r))]++;
		uint64_t tied[] = {seen[2], seen[4], seen[6], seen[7]};
		assert_uniform(tied, 4);
	}
}

TEST(micro_compares_two_distinct_uniform_ports)
{
	struct drb_rng r = drb_rng_seed(10, 0);

	for (uint32_t d = 2; d <= 8; d++) {
		struct drb_choice c = choice_of(DRB_SCHEME_MICRO, d, 2, 0);
		uint64_t pairs[64] = {0};
		for (int n = 0; n < 40000; n++) {
			uint64_t draw = drb_rng_next(&r);
			uint32_t load[PORTS_MAX] = {0}, second = d;
			// With equal loads the first is taken. A lighter one is taken if it is
			// drawn.
			uint32_t first = drb_choose(&c, load, 0, 0, draw);
			assert_int_equal(first, drb_scale32((uint32_t)(draw >> 32), d));
			for (uint32_t p = 0; p < d; p++) {
				for (uint32_t q = 0; q < d; q++)
					load[q] = q != p;
				if (p != first && drb_choose(&c, load, 0, 0, draw) == p) {
					assert_int_equal(second, d); // there is only one other
					second = p;
				}
			}
			assert_int_not_equal(second, d);
			pairs[first * (d - 1) + cell_of(second, first)]++;
			// With any loads the lighter of the two is taken, the first on a tie.
			for (uint32_t q = 0; q < d; q++)
				load[q] = drb_rng_below(&r, 3);
			assert_int_equal(drb_choose(&c, load, 0, 0, draw),
					 load[second] < load[first] ? second : first);
		}
		assert_uniform(pairs, d * (d - 1));
	}
}

TEST(least_takes_a_random_one_of_the_shortest)
{
	struct drb_rng r = drb_rng_seed(11, 0);

	for (uint32_t d = 2; d <= 10; d++) {
		struct drb_choice c = choice_of(DRB_SCHEME_LEAST, d, 2, 0);
		for (int round = 0; round < 10; round++) {
			uint32_t load[PORTS_MAX], least = UINT32_MAX, def = drb_rng_below(&r, d);
			uint64_t seen[PORTS_MAX] = {0}, tied[PORTS_MAX];
			size_t ties = 0;
			for (uint32_t p = 0; p < d; p++) {
				load[p] = drb_rng_below(&r, 3);
				least = load[p] < least ? load[p] : least;
			}
			for (int n = 0; n < 10000; n++)
				seen[drb_choose(&c, load, def, 0, drb_rng_next(&r))]++;
			for (uint32_t p = 0; p < d; p++) {
				if (load[p] == least)
					tied[ties++] = seen[p];
				else
					assert_int_equal(seen[p], 0);
			}
			if (ties > 1)
				assert_uniform(tied, ties);
		}
	}
}

TEST(vlb_is_uniform_and_blind)
{
	struct drb_rng r = drb_rng_seed(12, 0);

	for (uint32_t d = 2; d <= 16; d += 7) {
		struct drb_choice c = choice_of(DRB_SCHEME_VLB, d, 2, 0);
		uint32_t load[PORTS_MAX] = {1000, 0}, other[PORTS_MAX] = {0, 1000};
		uint64_t seen[PORTS_MAX] = {0};
		for (int n = 0; n < 50000; n++) {
			uint64_t draw = drb_rng_next(&r);
			uint32_t port = drb_choose(&c, load, 0, 1, draw);
			assert_int_equal(drb_choose(&c, other, 1, 2, draw), port);
			seen[port]++;
		}
		assert_uniform(seen, d);
	}
}

TEST(dmodk_is_the_default)
{
	struct drb_rng r = drb_rng_seed(13, 0);

	for (int n = 0; n < 10000; n++) {
		uint32_t load[PORTS_MAX], d = 1 + drb_rng_below(&r, PORTS_MAX);
		uint32_t def = drb_rng_below(&r, d);
		struct drb_choice c = choice_of(DRB_SCHEME_DMODK, d, 2, 0);
		for (uint32_t p = 0; p < d; p++)
			load[p] = drb_rng_below(&r, 100);
		assert_int_equal(drb_choose(&c, load, def, drb_rng_next(&r), drb_rng_next(&r)),
				 def);
	}
}

// A flow keeps one port whatever the loads, flows are spread evenly, and two switches decide
// independently. The same hash at every hop would leave most of the second hop's ports unused.
TEST(ecmp_is_sticky_spread_and_salted)
{
	struct drb_rng r = drb_rng_seed(14, 0);
	const uint32_t d = 6;
	struct drb_choice c = choice_of(DRB_SCHEME_ECMP, d, 2, 0), next = c;
	uint64_t seen[36] = {0};

	c.salt = drb_salt(1, 1, 0);
	next.salt = drb_salt(1, 2, 0);
	for (uint64_t i = 0; i < 60000; i++) {
		uint64_t flow = drb_mix64(i);
		uint32_t empty[PORTS_MAX] = {0}, load[PORTS_MAX];
		for (uint32_t p = 0; p < d; p++)
			load[p] = drb_rng_below(&r, 100);
		uint32_t port = drb_choose(&c, empty, 0, flow, 0);
		assert_int_equal(drb_choose(&c, load, drb_rng_below(&r, d), flow, drb_rng_next(&r)),
				 port);
		seen[port * d + drb_choose(&next, empty, 0, flow, 0)]++;
	}
	assert_uniform(seen, 36);
}

// A single uplink: there is no candidate.
TEST(a_single_uplink_is_always_taken)
{
	uint32_t load[2] = {1000, 0}; // the second is not an uplink

	for (int s = 0; s < DRB_SCHEME_COUNT; s++) {
		struct drb_choice c = choice_of((enum drb_scheme)s, 1, 2, 0);
		assert_int_equal(drb_choose(&c, load, 0, 7, UINT64_MAX), 0);
	}
}

// Equation (c_two). F(3,24): N = 27648, ln N = 10.2.
TEST(flow_thresholds)
{
	static const double t3_24[] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5};

	for (size_t c = 1; c <= ARRAY_SIZE(t3_24); c++)
		assert_true(drb_threshold_flow((double)c, 27648) == t3_24[c - 1]);
	assert_true(drb_threshold_flow(0, 27648) == 0);
	assert_true(drb_threshold_flow(2.1, 27648) == 2); // measured averages are not integers
	assert_true(drb_threshold_flow(1000, 27648) == 5);
	assert_true(drb_threshold_flow(1000, 16) == 1);
	assert_true(drb_threshold_flow(log(128), 128) == 2); // no longer 2.43 rounded up
}

static bool close_to(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

// Equations (packet_threshold) and (flow_congestion).
TEST(packet_thresholds_and_estimate)
{
	assert_true(close_to(drb_threshold_packet(0), 1));
	assert_true(close_to(drb_threshold_packet(0.6), 1.916291));
	assert_true(close_to(drb_threshold_packet(0.9), 3.302585));
	assert_true(close_to(drb_threshold_packet(0.99), 5.605170));
	assert_true(isinf(drb_threshold_packet(1))); // never redirects
	assert_int_equal(drb_margin(drb_threshold_packet(1)), DRB_LOAD_MAX);
	// c = 1 in F(3,24): 1 + ln ln 27648 / ln 2 + 1
	assert_true(close_to(drb_estimate_flow(1, 27648, 1), 5.354355));
	assert_true(close_to(drb_estimate_flow(20, 27648, 5), 28.354355));
}

// NULL instead of an array of loads means the same as an array of zeros.
TEST(no_loads_are_zeros)
{
	static const enum drb_scheme schemes[] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO, DRB_SCHEME_VLB,
						  DRB_SCHEME_DMODK};
	struct drb_rng r = drb_rng_seed(12, 0);

	for (int n = 0; n < 400000; n++) {
		static const uint32_t zeros[9];
		uint32_t d = 1 + drb_rng_below(&r, 9);
		struct drb_choice c = choice_of(schemes[n % 4], d, 2, drb_rng_below(&r, 6));
		uint32_t def = drb_rng_below(&r, d);
		uint64_t draw = drb_rng_next(&r);
		assert_int_equal(drb_choose(&c, NULL, def, 0, draw),
				 drb_choose(&c, zeros, def, 0, draw));
	}
}

TEST_MAIN(NULL, NULL)
