// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include <stdlib.h>

#include "core/routing/rotate.h"

// All destinations shifted by the same e keep disjoint down-paths: the core they turn at and their
// digits tell them apart.
static void equal_shifts_are_a_permutation(void **state)
{
	struct drb_tree t;
	bool *taken = calloc(2 * 27 * 3, sizeof(bool));

	(void)state;
	assert_int_equal(drb_tree_init(&t, 3, 3), 0);
	for (uint32_t e = 0; e < drb_shift_count(&t); e++) {
		for (uint32_t i = 0; i < 54; i++)
			taken[i] = false;
		for (uint32_t h = 0; h < t.hosts; h++) {
			uint32_t core = 0;
			for (uint32_t m = 1; m < 3; m++)
				core += t.pow[m - 1] * drb_shifted(drb_host_digit(&t, h, m),
								   drb_shift_digit(&t, e, m), 3);
			uint32_t link = core * 6 + drb_host_digit(&t, h, 3);
			assert_false(taken[link]);
			taken[link] = true;
		}
	}
	free(taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_shifts_are_a_permutation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
