// SPDX-License-Identifier: BSD-3-Clause
// Means of equal runs and their confidence intervals.
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "sim/engine/sample.h"

static struct sim_sample sample_of(const double value[], uint32_t count)
{
	struct sim_sample s = {0};

	for (uint32_t i = 0; i < count; i++)
		sim_sample_add(&s, value[i]);
	return s;
}

// Textbook figures: mean 4, standard deviation 2, t 4.303 and 3.182.
TEST(known_samples)
{
	static const double three[] = {2, 4, 6}, four[] = {1e9 + 1, 1e9 + 3, 1e9 + 5, 1e9 + 7};
	struct sim_sample s = sample_of(three, 1);

	assert_true(s.mean == 2 && isnan(sim_sample_half_width(&s)));
	s = sample_of(three, 3);
	assert_true(s.mean == 4);
	assert_true(fabs(sim_sample_half_width(&s) - 4.303 * 2 / sqrt(3)) < 1e-9);
	// A large common offset costs no digits.
	s = sample_of(four, 4);
	assert_true(s.mean == 1e9 + 4);
	assert_true(fabs(sim_sample_half_width(&s) - 3.182 * sqrt(20.0 / 3 / 4)) < 1e-6);
}

// The interval of 95 in 100 samples contains the true mean.
TEST(intervals_hold_the_mean)
{
	static const uint32_t counts[] = {2, 3, 10, 16, 17, 40};
	struct drb_rng rng = drb_rng_seed(7, 0);

	for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
		uint32_t held = 0;
		for (uint32_t n = 0; n < 20000; n++) {
			struct sim_sample s = {0};
			for (uint32_t i = 0; i < counts[k]; i++) {
				double normal = -6; // a sum of twelve uniform numbers
				for (int e = 0; e < 12; e++)
					normal += drb_rng_unit(&rng);
				sim_sample_add(&s, 10 + normal);
			}
			held += fabs(s.mean - 10) <= sim_sample_half_width(&s);
		}
		assert_in_range(held, 18900, 19100);
	}
}

TEST_MAIN(NULL, NULL)
