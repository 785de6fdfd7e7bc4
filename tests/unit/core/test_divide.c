// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/math/divide.h"
#include "core/math/random.h"

static void check(uint32_t x, uint32_t n)
{
	struct drb_div by = drb_div_by(n);

	if (drb_div(x, &by) != x / n)
		fail_msg("%u / %u gives %u", x, n, drb_div(x, &by));
}

TEST(small_numbers_exhaustively)
{
	for (uint32_t n = 1; n <= 300; n++) {
		for (uint32_t x = 0; x <= 3000; x++)
			check(x, n);
	}
}

// Multiples of n, their neighbours, and the largest numbers: a reciprocal rounds wrongly there
// first.
static void around_multiples(uint32_t n)
{
	uint32_t top = UINT32_MAX / n;

	for (uint32_t i = 0; i < 40; i++) {
		uint32_t q = i < 20 ? (i < top ? i : top) : top - (i - 20 < top ? i - 20 : top);
		check(q * n, n);
		check(q * n - 1, n);
		check(q * n + (n - 1), n);
	}
	check(UINT32_MAX, n);
	check(UINT32_MAX - 1, n);
	check(0, n);
}

TEST(edges_of_every_divisor)
{
	for (uint32_t n = 1; n <= 5000; n++)
		around_multiples(n);
	for (uint32_t bit = 1; bit < 32; bit++) {
		around_multiples((UINT32_C(1) << bit) - 1);
		around_multiples(UINT32_C(1) << bit);
		around_multiples((UINT32_C(1) << bit) + 1);
	}
	around_multiples(UINT32_MAX);
	around_multiples(UINT32_MAX - 1);
}

TEST(random_pairs)
{
	struct drb_rng r = drb_rng_seed(1, 0);

	for (int i = 0; i < 2000000; i++) {
		uint64_t bits = drb_rng_next(&r);
		// Divisors of every size: a random number of leading bits is dropped.
		uint32_t n = (uint32_t)bits >> (drb_rng_next(&r) % 32);
		check((uint32_t)(bits >> 32), n ? n : 1);
	}
}

TEST_MAIN(NULL, NULL)
