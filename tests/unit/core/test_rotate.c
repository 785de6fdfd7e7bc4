// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/routing/rotate.h"

// All destinations shifted by the same e keep disjoint down-paths: the core they turn at and their
// digits tell them apart. With u < d uplinks as many of them share one as without a shift.
static void equal_shifts_are_a_permutation(void **state)
{
	(void)state;
	for (uint32_t uplinks = 1; uplinks <= 3; uplinks++) {
		struct drb_tree t;
		assert_int_equal(drb_tree_init_uplinks(&t, 3, 3, uplinks), 0);
		assert_int_equal(drb_shift_count(&t), 3 * uplinks);
		for (uint32_t e = 0; e < drb_shift_count(&t); e++) {
			uint32_t taken[54] = {0};
			for (uint32_t h = 0; h < t.hosts; h++) {
				uint32_t def = drb_host_digit(&t, h, 1) % uplinks;
				uint32_t core =
					drb_shifted(def, drb_shift_digit(&t, e, 1), uplinks);
				core += uplinks * drb_shifted(drb_host_digit(&t, h, 2),
							      drb_shift_digit(&t, e, 2), 3);
				assert_in_range(core, 0, drb_tree_switches(&t, 3) - 1);
				taken[core * 6 + drb_host_digit(&t, h, 3)]++;
			}
			for (uint32_t i = 0; i < drb_tree_switches(&t, 3) * 6; i++)
				assert_in_range(taken[i], 3 / uplinks, (2 + uplinks) / uplinks);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_shifts_are_a_permutation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
