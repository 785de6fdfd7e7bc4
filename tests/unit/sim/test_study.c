// SPDX-License-Identifier: BSD-3-Clause
// The study of traffic that persists: which places it has, and what is said of them.
#include "fixtures/unit.h"

#include "sim/paper/points.h"
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

// A place has each scheme three times, with three seeds, which are the same for all.
TEST(places_have_their_seeds)
{
	struct paper p = plan(false, true);
	struct paper_place place;
	uint32_t at = 0, places = 0, runs = 0;

	for (uint32_t i = 0; i < p.points; i++)
		p.point[i].done = true;
	while (paper_place_next(&p, &at, &place)) {
		const struct drb_packet_setup *s = place.setup;
		uint32_t seeds = 3;
		for (int scheme = 0; scheme < DRB_SCHEME_COUNT; scheme++) {
			assert_true(place.of[scheme].runs == 0 || place.of[scheme].runs == seeds);
			runs += place.of[scheme].runs;
		}
		assert_int_equal(place.of[DRB_SCHEME_WALK].runs, seeds);
		assert_int_equal(s->seed, p.common.seed);
		places++;
	}
	assert_int_equal(runs, p.points);
	assert_int_equal(places, 5 * 27 * 6);
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

static void set(struct paper_point *point, double latency, bool growing)
{
	struct drb_packet_result r = {.latency = latency, .tail = 2 * latency, .growing = growing};

	paper_set_packet_result(point, &r);
	point->done = true;
}

// What is said follows from the runs: drb takes 10 slots and more with each seed, micro twice that, walk
// 1 % more than drb; but for one traffic where it takes 20 % more, and one where it grows.
TEST(verdicts_follow_the_runs)
{
	struct paper p = plan(true, false);
	struct paper_verdict v;

	for (uint32_t i = 0; i < p.points; i++) {
		const struct drb_packet_setup *s = &p.point[i].packet;
		bool walk = s->scheme == DRB_SCHEME_WALK, micro = s->scheme == DRB_SCHEME_MICRO;
		bool fixed = s->traffic.pattern == DRB_PATTERN_FIXED;
		bool turns = s->traffic.pattern == DRB_PATTERN_TURNS;
		double latency = 10 + (double)s->seed;
		set(&p.point[i],
		    latency * (micro  ? 2
			       : walk ? (turns ? 1.2 : 1.01)
				      : 1),
		    fixed && s->rho == 0.9 && s->seed == 2 && walk);
	}
	v = paper_verdict(&p, paper_studied[0], true);
	assert_int_equal(v.places, 0);
	v = paper_verdict(&p, paper_studied[0], false);
	assert_int_equal(v.places, 39);
	assert_int_equal(v.compared, 38);
	assert_int_equal(v.within, 35);
	assert_int_equal(v.grows[DRB_SCHEME_WALK], 1);
	assert_int_equal(v.grows_alone, 1);
	assert_int_equal(v.grows[DRB_SCHEME_DRB], 0);
	assert_int_equal(v.worst.setup->traffic.pattern, DRB_PATTERN_TURNS);
	assert_true(fabs(v.worst.ratio.mean - 1.2) < 1e-9);
	assert_int_equal(v.worst.ratio.count, 3);
	assert_true(sim_sample_half_width(&v.worst.ratio) < 1e-9); // each seed says so
	assert_true(fabs(v.fresh - 1.01) < 1e-9 && fabs(v.fresh_tail - 1.01) < 1e-9);
	assert_true(fabs(v.disjoint - 1.01) < 1e-9);

	// A point that was not run takes its place with it; what grows is not the best.
	p.point[0].done = false;
	v = paper_verdict(&p, paper_studied[0], false);
	assert_int_equal(v.places, 38);
	for (uint32_t i = 0; i < p.points; i++) {
		if (p.point[i].packet.scheme != DRB_SCHEME_MICRO)
			set(&p.point[i], 30, p.point[i].packet.scheme != DRB_SCHEME_WALK);
	}
	v = paper_verdict(&p, paper_studied[0], false);
	assert_int_equal(v.compared, 39);
	assert_int_equal(v.worst.best, DRB_SCHEME_MICRO);
	free(p.point);
}

// Where queues of any run grow, only runs of the full length have a mean in common.
TEST(what_grows_counts_by_its_long_run)
{
	struct paper p = plan(false, false);
	struct paper_place place;
	uint32_t at = 0;

	for (uint32_t i = 0; i < p.points; i++)
		set(&p.point[i], i % 3 ? 10 : 100, false);
	assert_true(paper_place_next(&p, &at, &place));
	assert_int_equal(place.of[DRB_SCHEME_DRB].mean.count, 3);
	assert_true(fabs(place.of[DRB_SCHEME_DRB].mean.mean - 40) < 1e-9);
	for (uint32_t i = 0; i < p.points; i += 3)
		set(&p.point[i], 100, true);
	at = 0;
	assert_true(paper_place_next(&p, &at, &place));
	assert_int_equal(place.of[DRB_SCHEME_DRB].growing, 1);
	assert_int_equal(place.of[DRB_SCHEME_DRB].mean.count, 1);
	assert_true(place.of[DRB_SCHEME_DRB].mean.mean == 100);
	free(p.point);
}

TEST_MAIN(NULL, NULL)
