// SPDX-License-Identifier: BSD-3-Clause
// The decision when some uplinks are dead.
#include "fixtures/unit.h"

#include "core/routing/decide.h"
#include "core/schemes/schemes.h"

#include "fixtures/chi2.h"
#include "fixtures/scheme_switch.h"

#define UPLINKS 5

static struct drb_choice choice_of(enum drb_scheme scheme, uint32_t choices)
{
	return (struct drb_choice){.ops = drb_scheme_ops(scheme),
				   .uplinks = UPLINKS,
				   .choices = choices,
				   .margin = drb_margin(2),
				   .salt = 9};
}

static uint32_t choose(const struct drb_choice *c, uint64_t usable, const uint32_t *load,
		       struct drb_decision d)
{
	const struct drb_decider s = {.choice = *c};

	return drb_decide_among(&s, usable, load, &d);
}

// One decision. With no dead uplink it is as usual; with dead uplinks it never takes one of them.
static void chooses_a_usable_one(struct scheme_switch *at, enum drb_scheme scheme,
				 struct drb_rng *r)
{
	const uint64_t usable = 1 + drb_rng_below(r, (1 << UPLINKS) - 1);
	const struct drb_decision d = {.def = drb_rng_below(r, UPLINKS),
				       .flow = drb_rng_next(r),
				       .draw = drb_rng_next(r),
				       .size = 1};
	uint32_t load[UPLINKS];

	at->s.choice.choices = 2 + drb_rng_below(r, UPLINKS - 1);
	for (uint32_t u = 0; u < UPLINKS; u++)
		load[u] = drb_rng_below(r, 8);
	uint32_t any = switch_tries(at, 0, load, d), up = switch_tries(at, usable, load, d);
	assert_true(up < UPLINKS && (usable >> up & 1));
	if (usable == (1 << UPLINKS) - 1)
		assert_int_equal(up, any);
	// A usable default is left only for an uplink that is shorter by more than T.
	if (drb_scheme_has_threshold(scheme) && up != d.def && (usable >> d.def & 1))
		assert_true(load[up] + at->s.choice.margin <= load[d.def]);
	for (uint32_t u = 0; scheme == DRB_SCHEME_LEAST && u < UPLINKS; u++)
		assert_true(!(usable >> u & 1) || load[up] <= load[u]);
	switch_takes(at, load, d);
}

TEST(never_a_dead_one)
{
	struct drb_rng r = drb_rng_seed(1, 5);

	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		struct scheme_switch at;
		switch_begin(&at, (enum drb_scheme)i, UPLINKS, 9, 2);
		for (int n = 0; n < 40000; n++)
			chooses_a_usable_one(&at, (enum drb_scheme)i, &r);
		switch_end(&at);
	}
}

TEST(dead_default_is_a_random_one)
{
	static const enum drb_scheme schemes[] = {DRB_SCHEME_DRB, DRB_SCHEME_DMODK};
	const uint32_t load[UPLINKS] = {3, 3, 0, 3, 3};
	struct drb_rng r = drb_rng_seed(2, 5);

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		struct drb_choice c = choice_of(schemes[i], 2);
		uint64_t seen[UPLINKS] = {0};
		for (int n = 0; n < 9000; n++)
			seen[choose(&c, 0x1a, load,
				    (struct drb_decision){.def = 2, .draw = drb_rng_next(&r)})]++;
		assert_int_equal(seen[0] + seen[2], 0);
		assert_uniform(((const uint64_t[]){seen[1], seen[3], seen[4]}), 3);
	}
}

// The candidate is drawn among the usable uplinks only.
TEST(candidates_are_uniform)
{
	const uint32_t load[UPLINKS] = {0, 9, 0, 0, 0};
	const struct drb_choice c = choice_of(DRB_SCHEME_DRB, 2);
	struct drb_rng r = drb_rng_seed(3, 5);
	uint64_t seen[UPLINKS] = {0};

	for (int n = 0; n < 9000; n++)
		seen[choose(&c, 0x17, load,
			    (struct drb_decision){.def = 1, .draw = drb_rng_next(&r)})]++;
	assert_int_equal(seen[1] + seen[3], 0);
	assert_uniform(((const uint64_t[]){seen[0], seen[2], seen[4]}), 3);
}

TEST(ecmp_moves_only_flows_of_dead_uplinks)
{
	const uint32_t load[UPLINKS] = {0};
	const struct drb_choice c = choice_of(DRB_SCHEME_ECMP, 2);
	uint64_t moved[UPLINKS] = {0};

	for (uint64_t flow = 0; flow < 40000; flow++) {
		uint64_t hash = drb_mix64(flow);
		uint32_t before = drb_choose(&c, load, 0, hash, 0);
		uint32_t up =
			choose(&c, 0x1e, load, (struct drb_decision){.flow = hash, .draw = flow});
		if (before != 0)
			assert_int_equal(up, before);
		else
			moved[up]++;
		// The new uplink depends on the flow only.
		assert_int_equal(
			up, choose(&c, 0x1e, load,
				   (struct drb_decision){.def = 3, .flow = hash, .draw = ~flow}));
	}
	assert_int_equal(moved[0], 0);
	assert_uniform(moved + 1, UPLINKS - 1);
}

TEST(an_uplink_is_taken_if_it_is_usable)
{
	for (uint64_t usable = 1; usable < 512; usable++) {
		for (uint32_t uplink = 0; uplink < 64; uplink++) {
			// Also with uplink 63, above all others.
			const uint64_t set =
				usable & 256 ? (usable & 255) | UINT64_C(1) << 63 : usable;
			uint32_t lowest = 0;
			while (!(set & UINT64_C(1) << lowest))
				lowest++;
			const bool has = (set & UINT64_C(1) << uplink) != 0;
			assert_int_equal(drb_usable_or_lowest(set, uplink), has ? uplink : lowest);
		}
	}
}

TEST_MAIN(NULL, NULL)
