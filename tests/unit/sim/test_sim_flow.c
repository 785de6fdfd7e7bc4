// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "sim/models/flow.h"

#define RUNS 20

struct mean {
	double max, down, redirected;
	uint32_t down_least, down_most;
};

static struct mean repeat(uint32_t layers, uint32_t arity, enum drb_scheme scheme, uint32_t flows,
			  double threshold)
{
	struct drb_flow_setup s = {
		.scheme = scheme, .choices = 2, .threshold = threshold, .flows = flows, .seed = 3};
	struct mean mean = {.down_least = UINT32_MAX};
	uint64_t decided = 0, redirected = 0;

	assert_int_equal(drb_tree_init(&s.tree, layers, arity), 0);
	struct drb_flow_work *work = drb_flow_work_new(&s.tree, flows);
	assert_non_null(work);
	for (uint32_t run = 0; run < RUNS; run++) {
		struct drb_flow_result r = drb_flow_run(&s, run, work);
		mean.max += (double)(r.max_up > r.max_down ? r.max_up : r.max_down) / RUNS;
		mean.down += (double)r.max_down / RUNS;
		mean.down_least = r.max_down < mean.down_least ? r.max_down : mean.down_least;
		mean.down_most = r.max_down > mean.down_most ? r.max_down : mean.down_most;
		decided += r.decided;
		redirected += r.redirected;
	}
	mean.redirected = decided ? (double)redirected / (double)decided : 0;
	drb_flow_work_free(work);
	return mean;
}

TEST(dmodk_down_load_is_c)
{
	static const uint32_t trees[][2] = {{1, 3}, {2, 4}, {3, 5}, {4, 3}, {3, 24}};

	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		for (uint32_t c = 1; c <= 5; c += 2) {
			struct mean m = repeat(trees[i][0], trees[i][1], DRB_SCHEME_DMODK, c, 0);
			assert_int_equal(m.down_least, c);
			assert_int_equal(m.down_most, c);
			assert_true(m.redirected == 0);
		}
	}
}

TEST(the_estimate_is_within_five_percent)
{
	static const uint32_t flows[] = {2, 5, 10};

	for (size_t i = 0; i < ARRAY_SIZE(flows); i++) {
		double t = drb_threshold_flow(flows[i], 27648);
		double estimate = drb_estimate_flow(flows[i], 27648, t);
		struct mean m = repeat(3, 24, DRB_SCHEME_DRB, flows[i], t);
		assert_true(fabs(m.max / estimate - 1) < 0.05);
	}
}

TEST(drb_beats_the_others)
{
	double t = drb_threshold_flow(10, 27648);
	double drb = repeat(3, 24, DRB_SCHEME_DRB, 10, t).max;
	assert_true(drb < repeat(3, 24, DRB_SCHEME_DRB, 10, 0).max);
	assert_true(drb < repeat(3, 24, DRB_SCHEME_MICRO, 10, 0).max);
	assert_true(drb < repeat(3, 24, DRB_SCHEME_VLB, 10, 0).max);
	assert_true(drb < repeat(3, 24, DRB_SCHEME_DMODK, 10, 0).max);
}

TEST(random_schemes_leave_the_default)
{
	assert_true(fabs(repeat(3, 8, DRB_SCHEME_VLB, 3, 0).redirected - 7.0 / 8) < 0.01);
	assert_true(fabs(repeat(3, 8, DRB_SCHEME_ECMP, 3, 0).redirected - 7.0 / 8) < 0.01);
}

// Two hosts send to each other: either may be the first.
TEST(flows_come_in_any_order)
{
	struct drb_flow_setup s = {.flows = 1, .seed = 3};
	uint32_t first = 0;

	assert_int_equal(drb_tree_init(&s.tree, 1, 1), 0);
	struct drb_flow_work *work = drb_flow_work_new(&s.tree, s.flows);
	assert_non_null(work);
	for (uint32_t run = 0; run < 400; run++) {
		drb_flow_draw(&s, run, work);
		first += drb_flow_list(work)[0].src == 0;
	}
	assert_in_range(first, 150, 250); // 200, give or take five times 10
	drb_flow_work_free(work);
}

TEST(summaries)
{
	static const struct drb_flow_result two[] = {
		{.max_up = 2, .max_down = 1, .decided = 3, .redirected = 1, .climbed = 2},
		{.max_up = 3,
		 .max_down = 4,
		 .decided = 5,
		 .redirected = 3,
		 .climbed = 2,
		 .kept = 1},
	};
	struct drb_flow_summary s = drb_flow_summarize(two, 2);

	assert_true(s.max_load == 3 && fabs(s.max_load_sd - sqrt(2)) < 1e-9);
	assert_true(s.max_up == 2.5 && s.max_down == 2.5);
	assert_true(s.redirected == 0.5 && s.kept == 0.25);
	assert_true(isnan(drb_flow_summarize(two, 1).max_load_sd));
}

TEST_MAIN(NULL, NULL)
