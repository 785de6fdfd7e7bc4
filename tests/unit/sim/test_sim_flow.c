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

TEST_MAIN(NULL, NULL)
