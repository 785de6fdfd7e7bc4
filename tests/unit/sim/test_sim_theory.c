// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "sim/models/ctmc_layers.h"
#include "sim/models/theory.h"

static const double lambdas[] = {0.5, 0.9, 0.95};
static const double thresholds[] = {0, 1, 2, 3, 5};

TEST(two_choices_have_their_closed_form)
{
	for (size_t l = 0; l < ARRAY_SIZE(lambdas); l++) {
		struct drb_theory th;
		assert_int_equal(drb_theory_solve(&th, lambdas[l], 0), 0);
		for (uint32_t i = 0; i < th.count; i++) {
			double exact = pow(lambdas[l], pow(2, i) - 1);
			assert_true(fabs(th.s[i] - exact) < 1e-10);
		}
		drb_theory_free(&th);
	}
}

// The fixed point solves the paper's equation, carries the load, and obeys both bounds.
TEST(fixed_points_hold)
{
	static const double more[] = {0.01, 0.5, 0.9, 0.95, 0.99};

	for (size_t l = 0; l < ARRAY_SIZE(more); l++) {
		for (size_t t = 0; t < ARRAY_SIZE(thresholds); t++) {
			struct drb_theory th;
			int64_t T = (int64_t)thresholds[t];
			assert_int_equal(drb_theory_solve(&th, more[l], thresholds[t]), 0);
			assert_true(fabs(th.s[1] - more[l]) < 1e-9);
			assert_true(fabs((th.alpha - 1) * pow(th.alpha, (double)T) - 1) < 1e-9);
			for (int64_t i = 1; i + T + 1 < th.count; i++) {
				double before = i - T - 1 > 0 ? th.s[i - T - 1] : 1;
				double in =
					more[l] * (th.s[i - 1] - th.s[i]) * (before + th.s[i + T]);
				assert_true(fabs(in - (th.s[i] - th.s[i + 1])) < 1e-11);
			}
			for (uint32_t i = 0; i < th.count; i++) {
				assert_true(th.s[i] <= th.z[i] + 1e-12);
				double decay = pow(more[l], th.c * pow(th.alpha, i) - 1);
				assert_true(th.z[i] <= decay + 1e-12);
			}
			drb_theory_free(&th);
		}
	}
}

TEST(the_chain_agrees_with_the_fixed_point)
{
	for (size_t l = 0; l < ARRAY_SIZE(lambdas); l++) {
		for (size_t t = 0; t < ARRAY_SIZE(thresholds); t++) {
			struct drb_ctmc_setup setup = {.queues = 1000,
						       .lambda = lambdas[l],
						       .threshold = thresholds[t],
						       .warm_up = 500,
						       .time = 1500,
						       .seed = 1};
			struct drb_ctmc_result r;
			struct drb_theory th;
			assert_int_equal(drb_ctmc_run(&setup, &r), 0);
			assert_int_equal(drb_theory_solve(&th, lambdas[l], thresholds[t]), 0);
			assert_true(fabs(r.mean_queue / th.mean_queue - 1) < 0.02);
			assert_true(fabs(r.redirected - th.redirected) < 0.02);
			for (uint32_t i = 0; i < 10 && i < th.count; i++)
				assert_true(fabs(r.s[i] - th.s[i]) < 0.02);
			drb_theory_free(&th);
		}
	}
}

TEST(thresholds_act_as_whole_numbers)
{
	struct drb_theory a, b;

	assert_int_equal(drb_theory_solve(&a, 0.9, 3), 0);
	assert_int_equal(drb_theory_solve(&b, 0.9, 3.3), 0);
	assert_true(a.mean_queue == b.mean_queue);
	drb_theory_free(&a);
	drb_theory_free(&b);
}

// Burke's theorem: without a second choice each uplink is an M/M/1 queue, and its departures are a
// Poisson process.
TEST(layers_of_one_choice_are_burkes)
{
	struct drb_ctmc_layers_setup setup = {.layers = 4,
					      .arity = 4,
					      .lambda = 0.8,
					      .threshold = DRB_THEORY_THRESHOLD_MAX,
					      .warm_up = 500,
					      .time = 3000,
					      .seed = 5};
	struct drb_ctmc_layers_result r;

	assert_int_equal(drb_ctmc_layers_run(&setup, &r), 0);
	for (uint32_t m = 1; m < setup.layers; m++) {
		assert_true(fabs(r.layer[m].mean_queue / 4 - 1) < 0.04);
		assert_true(fabs(r.layer[m].departures_cv2 - 1) < 0.02);
		for (uint32_t i = 0; i < 20; i++)
			assert_true(fabs(r.layer[m].s[i] - pow(0.8, i)) < 0.02);
	}
}

// The uplinks of a switch of layer 1 are a chain of d queues.
TEST(first_layers_are_chains)
{
	struct drb_ctmc_layers_setup setup = {
		.layers = 2, .arity = 6, .lambda = 0.9, .warm_up = 500, .time = 20000, .seed = 5};
	struct drb_ctmc_setup chain = {
		.queues = 6, .lambda = 0.9, .warm_up = 1000, .time = 600000, .seed = 6};

	for (chain.threshold = 0; chain.threshold <= 3; chain.threshold++) {
		struct drb_ctmc_layers_result r;
		struct drb_ctmc_result c;
		setup.threshold = chain.threshold;
		assert_int_equal(drb_ctmc_layers_run(&setup, &r), 0);
		assert_int_equal(drb_ctmc_run(&chain, &c), 0);
		assert_true(fabs(r.layer[1].mean_queue / c.mean_queue - 1) < 0.03);
		for (uint32_t i = 0; i < DRB_CTMC_LEVELS; i++)
			assert_true(fabs(r.layer[1].s[i] - c.s[i]) < 0.015);
	}
}

// A second model for F(3,2): a clock for each link and for each host, where the earliest is found
// by comparing all. A packet is the digits of its destination, and a switch is its label code.
struct naive {
	double arrives[16], leaves[2][16], departed[2][16];
	uint32_t length[2][16], dest[2][16][4096];
	double now, area[2], departures[2], sum[2], squares[2];
	struct drb_rng rng;
};

static double naive_wait(struct naive *n, double mean)
{
	return -log(1 - drb_rng_unit(&n->rng)) * mean;
}

// Host h is h3 h2 h1 in digits 4, 2, 1. The uplinks of switch s (s2 s1) are 2 s and 2 s + 1 in each
// layer.
static void naive_enter(struct naive *n, uint32_t layer, uint32_t label, uint32_t dest, uint32_t t)
{
	uint32_t def = 2 * label + (dest >> layer & 1), other = def ^ 1;
	uint32_t *length = n->length[layer];
	uint32_t at = length[def] > length[other] + t ? other : def;

	assert_true(length[at] < 4096);
	n->dest[layer][at][length[at]++] = dest;
	if (length[at] == 1)
		n->leaves[layer][at] = n->now + naive_wait(n, 1);
}

static void naive_leave(struct naive *n, uint32_t layer, uint32_t link, uint32_t t, bool measures)
{
	uint32_t dest = n->dest[layer][link][0], label = link / 2, port = link % 2;
	double gap = n->now - n->departed[layer][link];

	n->length[layer][link]--;
	memmove(n->dest[layer][link], n->dest[layer][link] + 1,
		n->length[layer][link] * sizeof(uint32_t));
	n->leaves[layer][link] = n->length[layer][link] > 0 ? n->now + naive_wait(n, 1) : INFINITY;
	if (measures) {
		n->departures[layer]++;
		n->sum[layer] += gap;
		n->squares[layer] += gap * gap;
	}
	n->departed[layer][link] = n->now;
	// Component 1 of the switch becomes the port.
	if (layer == 0)
		naive_enter(n, 1, (label & ~1U) | port, dest, t);
}

static void naive_step(struct naive *n, double lambda, uint32_t t, bool measures)
{
	double *first = &n->arrives[0], before = n->now;

	for (uint32_t i = 0; i < 16; i++) {
		first = n->arrives[i] < *first ? &n->arrives[i] : first;
		for (uint32_t m = 0; m < 2; m++)
			first = n->leaves[m][i] < *first ? &n->leaves[m][i] : first;
	}
	n->now = *first;
	for (uint32_t m = 0; measures && m < 2; m++) {
		for (uint32_t i = 0; i < 16; i++)
			n->area[m] += n->length[m][i] * (n->now - before);
	}
	if (first < n->arrives + 16) {
		uint32_t host = (uint32_t)(first - n->arrives), dest;
		do
			dest = drb_rng_below(&n->rng, 16);
		while (dest / 4 == host / 4);
		*first = n->now + naive_wait(n, 1 / lambda);
		naive_enter(n, 0, host / 2, dest, t);
		return;
	}
	uint32_t link = (uint32_t)(first - n->leaves[0]);
	naive_leave(n, link / 16, link % 16, t, measures);
}

TEST(a_naive_model_agrees)
{
	static struct naive n;
	const double lambda = 0.85, time = 60000;
	struct drb_ctmc_layers_setup setup = {.layers = 3,
					      .arity = 2,
					      .lambda = lambda,
					      .threshold = 1,
					      .warm_up = 500,
					      .time = time,
					      .seed = 7};
	struct drb_ctmc_layers_result r;

	n.rng = drb_rng_seed(8, 0);
	for (uint32_t i = 0; i < 16; i++) {
		n.arrives[i] = naive_wait(&n, 1 / lambda);
		n.leaves[0][i] = n.leaves[1][i] = INFINITY;
	}
	while (n.now < 500)
		naive_step(&n, lambda, 1, false);
	const double begun = n.now;
	while (n.now < begun + time)
		naive_step(&n, lambda, 1, true);
	assert_int_equal(drb_ctmc_layers_run(&setup, &r), 0);
	for (uint32_t m = 0; m < 2; m++) {
		const double mean = n.sum[m] / n.departures[m];
		const double queue = n.area[m] / (n.now - begun) / 16;
		assert_true(fabs(r.layer[m + 1].mean_queue / queue - 1) < 0.03);
		assert_true(fabs(r.layer[m + 1].departures_cv2 -
				 (n.squares[m] / n.departures[m] / (mean * mean) - 1)) < 0.02);
	}
}

TEST(impossible_ones_are_refused)
{
	static const double bad[][2] = {{0, 1}, {1, 1}, {-1, 1}, {NAN, 1}, {0.5, -1}, {0.5, 1e6}};
	struct drb_theory th;
	struct drb_ctmc_setup setup = {.queues = 1, .lambda = 0.5, .time = 1};
	struct drb_ctmc_result r;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(drb_theory_solve(&th, bad[i][0], bad[i][1]), -EINVAL);
	assert_int_equal(drb_ctmc_run(&setup, &r), -EINVAL);
	static const struct drb_ctmc_layers_setup layers[] = {
		{1, 2, 0.5, 1, 0, 10, 1},  {2, 1, 0.5, 1, 0, 10, 1},  {2, 2, 1, 1, 0, 10, 1},
		{2, 2, 0.5, -1, 0, 10, 1}, {2, 2, 0.5, 1, -1, 10, 1}, {2, 2, 0.5, 1, 0, 0, 1},
	};
	struct drb_ctmc_layers_result none;
	for (size_t i = 0; i < ARRAY_SIZE(layers); i++)
		assert_int_equal(drb_ctmc_layers_run(&layers[i], &none), -EINVAL);
	assert_int_equal(drb_ctmc_layers_run(
				 &(struct drb_ctmc_layers_setup){3, 700, 0.5, 1, 0, 10, 1}, &none),
			 -EOVERFLOW);
}

TEST_MAIN(NULL, NULL)
