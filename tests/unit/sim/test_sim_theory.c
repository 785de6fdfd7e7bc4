// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include <errno.h>
#include <math.h>

#include "sim/models/theory.h"

static const double lambdas[] = {0.5, 0.9, 0.95};
static const double thresholds[] = {0, 1, 2, 3, 5};

static void two_choices_have_their_closed_form(void **state)
{
	(void)state;
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
static void fixed_points_hold(void **state)
{
	static const double more[] = {0.01, 0.5, 0.9, 0.95, 0.99};

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(more); l++) {
		for (size_t t = 0; t < ARRAY_SIZE(thresholds); t++) {
			struct drb_theory th;
			int64_t T = (int64_t)thresholds[t];
			assert_int_equal(drb_theory_solve(&th, more[l], thresholds[t]), 0);
			assert_true(fabs(th.s[1] - more[l]) < 1e-9);
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

static void the_chain_agrees_with_the_fixed_point(void **state)
{
	(void)state;
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

static void thresholds_act_as_whole_numbers(void **state)
{
	struct drb_theory a, b;

	(void)state;
	assert_int_equal(drb_theory_solve(&a, 0.9, 3), 0);
	assert_int_equal(drb_theory_solve(&b, 0.9, 3.3), 0);
	assert_true(a.mean_queue == b.mean_queue);
	drb_theory_free(&a);
	drb_theory_free(&b);
}

static void impossible_ones_are_refused(void **state)
{
	static const double bad[][2] = {{0, 1}, {1, 1}, {-1, 1}, {NAN, 1}, {0.5, -1}, {0.5, 1e6}};
	struct drb_theory th;
	struct drb_ctmc_setup setup = {.queues = 1, .lambda = 0.5, .time = 1};
	struct drb_ctmc_result r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(drb_theory_solve(&th, bad[i][0], bad[i][1]), -EINVAL);
	assert_int_equal(drb_ctmc_run(&setup, &r), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_choices_have_their_closed_form),
		cmocka_unit_test(fixed_points_hold),
		cmocka_unit_test(the_chain_agrees_with_the_fixed_point),
		cmocka_unit_test(thresholds_act_as_whole_numbers),
		cmocka_unit_test(impossible_ones_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
