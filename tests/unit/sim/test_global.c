// SPDX-License-Identifier: BSD-3-Clause
// The references that `drbsim paper` compares its schemes with: best paths, choice of whole paths,
// the worst permutation, balls in bins, and queues before equilibrium.
#include "fixtures/unit.h"

#include "sim/models/bins.h"
#include "sim/models/flow_global.h"
#include "sim/models/flow_worst.h"
#include "sim/models/theory.h"
#include "sim/models/transient.h"

static struct drb_flow_setup setup_of(uint32_t layers, uint32_t arity, enum drb_scheme scheme,
				      uint32_t flows)
{
	struct drb_flow_setup s = {.scheme = scheme, .choices = 2, .flows = flows, .seed = 5};

	assert_int_equal(drb_tree_init(&s.tree, layers, arity), 0);
	return s;
}

TEST(the_best_paths_have_c_on_every_link)
{
	static const uint32_t trees[][2] = {{1, 3}, {2, 3}, {3, 2}, {3, 5}, {4, 3}};

	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		for (uint32_t c = 1; c <= 7; c += 2) {
			struct drb_flow_setup s =
				setup_of(trees[i][0], trees[i][1], DRB_SCHEME_DMODK, c);
			struct drb_flow_work *work = drb_flow_work_new(&s.tree, c);
			struct drb_flow_result r;
			for (uint32_t run = 0; run < 5; run++) {
				drb_flow_draw(&s, run, work);
				assert_int_equal(drb_flow_optimal(&s, work, &r), 0);
				assert_int_equal(r.max_up, c);
				assert_int_equal(r.max_down, c);
			}
			drb_flow_work_free(work);
		}
	}
}

// The better of two paths is better than the single path of VLB.
TEST(two_paths_are_better_than_one)
{
	struct drb_flow_setup s = setup_of(3, 8, DRB_SCHEME_VLB, 4);
	struct drb_flow_work *work = drb_flow_work_new(&s.tree, s.flows);
	uint32_t two = 0, one = 0;

	for (uint32_t run = 0; run < 10; run++) {
		struct drb_flow_result r;
		drb_flow_draw(&s, run, work);
		assert_int_equal(drb_flow_by_path(&s, run, work, &r), 0);
		two += r.max_up > r.max_down ? r.max_up : r.max_down;
		r = drb_flow_assign(&s, run, work);
		one += r.max_up > r.max_down ? r.max_up : r.max_down;
	}
	assert_true(two < one);
	assert_true(two >= 10 * s.flows);
	drb_flow_work_free(work);
}

// With one uplink per switch there is one path, and it is drawn twice.
TEST(paths_go_up_by_uplinks_that_are_there)
{
	struct drb_flow_setup s = setup_of(3, 1, DRB_SCHEME_VLB, 1);
	struct drb_flow_work *work = drb_flow_work_new(&s.tree, s.flows);

	for (uint32_t run = 0; run < 100; run++) {
		struct drb_flow_result r;
		drb_flow_draw(&s, run, work);
		assert_int_equal(drb_flow_by_path(&s, run, work, &r), 0);
		assert_true(r.max_up == 1 && r.max_down == 1);
	}
	drb_flow_work_free(work);
}

// The largest number of flows of any permutation on an uplink, known from trying all permutations
// on small trees.
TEST(the_worst_permutation_is_as_bad_as_said)
{
	static const uint32_t trees[][3] = {{2, 3, 3},   {3, 2, 3}, {3, 3, 5}, {3, 4, 7},
					    {3, 24, 47}, {4, 2, 4}, {4, 3, 9}, {4, 12, 144}};

	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		struct drb_flow_setup s = setup_of(trees[i][0], trees[i][1], DRB_SCHEME_DMODK, 1);
		struct drb_flow_work *work = drb_flow_work_new(&s.tree, 1);
		bool *from = calloc(s.tree.hosts, 1), *to = calloc(s.tree.hosts, 1);
		assert_int_equal(drb_flow_worst(&s.tree), trees[i][2]);
		assert_int_equal(drb_flow_draw_worst(&s, 0, work), 0);
		for (uint32_t f = 0; f < s.tree.hosts; f++) {
			const struct drb_flow *flow = &drb_flow_list(work)[f];
			assert_true(!from[flow->src] && !to[flow->dst] && flow->src != flow->dst);
			from[flow->src] = to[flow->dst] = true;
		}
		assert_int_equal(drb_flow_assign(&s, 0, work).max_up, trees[i][2]);
		free(from);
		free(to);
		drb_flow_work_free(work);
	}
}

// D-mod-k keeps to the default path. A random scheme leaves it with probability 1 - 1/d at each of
// two layers.
TEST(whole_paths_are_counted)
{
	static const enum drb_scheme schemes[] = {DRB_SCHEME_DMODK, DRB_SCHEME_VLB};
	static const double kept[] = {1, 1 / 16.0};

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		struct drb_flow_setup s = setup_of(3, 4, schemes[i], 50);
		struct drb_flow_work *work = drb_flow_work_new(&s.tree, s.flows);
		struct drb_flow_result r = drb_flow_run(&s, 0, work);
		// 15 of the 127 other hosts are in the same pod, which has 16.
		assert_true(fabs((double)r.climbed / (50.0 * 128) - 112.0 / 127) < 0.02);
		assert_true(fabs((double)r.kept / (double)r.climbed - kept[i]) < 0.015);
		assert_true(drb_flow_summarize(&r, 1).kept == (double)r.kept / (double)r.climbed);
		drb_flow_work_free(work);
	}
}

TEST(balls_are_all_thrown)
{
	double most[DRB_BINS_RUNS], two[DRB_BINS_RUNS];

	assert_int_equal(drb_bins_run(&(struct drb_bins_setup){1, 7, 1, 1}, most), 0);
	assert_true(most[0] == 7 && most[DRB_BINS_RUNS - 1] == 7);
	assert_int_equal(drb_bins_run(&(struct drb_bins_setup){4096, 1, 1, 1}, most), 0);
	assert_int_equal(drb_bins_run(&(struct drb_bins_setup){4096, 1, 2, 1}, two), 0);
	for (int i = 0; i < DRB_BINS_RUNS; i++) {
		assert_true(most[i] >= 5 && most[i] <= 12);
		assert_true(two[i] >= 3 && two[i] <= 4);
	}
	assert_int_equal(drb_bins_run(&(struct drb_bins_setup){1, 201, 1, 1}, most), -EINVAL);
}

// Many queues follow the equations, from empty and from full queues; few queues do not.
TEST(many_queues_follow_the_equations)
{
	for (uint32_t start = 0; start <= 10; start += 10) {
		struct drb_transient_setup s = {.queues = 100,
						.lambda = 0.9,
						.threshold = 3,
						.start = start,
						.time = 5,
						.repeats = 4,
						.seed = 1};
		double few, many;
		assert_int_equal(drb_transient_run(&s, &few), 0);
		s.queues = 40000;
		assert_int_equal(drb_transient_run(&s, &many), 0);
		assert_true(many < 0.01 && few > 5 * many && few < 0.3);
	}
}

// In a chain with two queues the lengths are independent if they are never compared; with T = 0
// they are correlated.
TEST(queues_that_are_compared_go_together)
{
	struct drb_ctmc_setup s = {
		.queues = 2, .lambda = 0.5, .threshold = 1000, .warm_up = 100, .time = 200000};
	struct drb_ctmc_result r;

	assert_int_equal(drb_ctmc_run(&s, &r), 0);
	assert_true(fabs(r.correlation) < 0.03);
	s.threshold = 0;
	assert_int_equal(drb_ctmc_run(&s, &r), 0);
	assert_true(r.correlation > 0.3 && r.correlation < 1);
}

TEST_MAIN(NULL, NULL)
