// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "fixtures/chi2.h"

// Outputs of the authors' splitmix64.c for the state 1234567.
TEST(splitmix64_known_answers)
{
	static const uint64_t expected[] = {
		UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};
	for (uint64_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_true(drb_mix64(1234567 + i * UINT64_C(0x9e3779b97f4a7c15)) == expected[i]);
}

// Outputs of the authors' xoshiro256plusplus.c for the state 1, 2, 3, 4.
TEST(xoshiro256pp_known_answers)
{
	static const uint64_t expected[] = {
		UINT64_C(41943041),
		UINT64_C(58720359),
		UINT64_C(3588806011781223),
		UINT64_C(3591011842654386),
		UINT64_C(9228616714210784205),
		UINT64_C(9973669472204895162),
		UINT64_C(14011001112246962877),
		UINT64_C(12406186145184390807),
		UINT64_C(15849039046786891736),
		UINT64_C(10450023813501588000),
	};
	struct drb_rng r = {{1, 2, 3, 4}};

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_true(drb_rng_next(&r) == expected[i]);
}

// A seed repeats its numbers. Streams and seeds that are near each other have no numbers in common.
TEST(streams_repeat_and_differ)
{
	uint64_t first[16 * 16];
	size_t n = 0;

	for (uint64_t seed = 0; seed < 16; seed++) {
		for (uint64_t stream = 0; stream < 16; stream++) {
			struct drb_rng a = drb_rng_seed(seed, stream);
			struct drb_rng b = drb_rng_seed(seed, stream);
			for (int i = 0; i < 100; i++)
				assert_true(drb_rng_next(&a) == drb_rng_next(&b));
			first[n++] = drb_rng_next(&a);
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			assert_true(first[i] != first[k]);
	}
}

TEST(below_is_in_range)
{
	static const uint32_t bounds[] = {1, 2, 3, 7, 1000, 1u << 31, (1u << 31) + 1, UINT32_MAX};
	struct drb_rng r = drb_rng_seed(20, 0);

	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++) {
		for (int n = 0; n < 10000; n++)
			assert_true(drb_rng_below(&r, bounds[i]) < bounds[i]);
	}
}

// Scaling 32 bits to 3 * 2^30 values without rejection would reach every third value twice as
// often.
TEST(below_has_no_bias)
{
	static const uint32_t bounds[] = {3, 5, 6, 10, 48, 3u << 30, 5u << 29};
	struct drb_rng r = drb_rng_seed(21, 0);

	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++) {
		uint32_t cells = bounds[i] <= 48 ? bounds[i] : bounds[i] % 3 ? 5 : 3;
		uint64_t seen[48] = {0};
		for (int n = 0; n < 200000; n++)
			seen[drb_rng_below(&r, bounds[i]) % cells]++;
		assert_uniform(seen, cells);
	}
}

TEST(unit_is_uniform_in_0_1)
{
	struct drb_rng r = drb_rng_seed(22, 0);
	uint64_t seen[64] = {0};

	for (int n = 0; n < 200000; n++) {
		double u = drb_rng_unit(&r);
		assert_true(u >= 0 && u < 1);
		seen[(int)(u * 64)]++;
	}
	assert_uniform(seen, 64);
	struct drb_rng top = {{UINT64_MAX, 0, 0, 0}}; // next: rotl(2^64 - 1, 23) + 2^64 - 1
	assert_true(drb_rng_unit(&top) < 1);
}

// A permutation of up to 4 elements as a number in base 4.
static uint32_t key_of(const uint32_t p[], uint32_t n)
{
	uint32_t key = 0;

	for (uint32_t i = 0; i < n; i++)
		key = key * 4 + p[i];
	return key;
}

typedef void (*draw_fn)(struct drb_rng *r, uint32_t p[], uint32_t n);

// Draws of n <= 4 elements must be uniform over exactly `kinds` different orders.
static void check_orders(draw_fn draw, uint32_t n, size_t kinds, uint64_t seed)
{
	struct drb_rng r = drb_rng_seed(seed, n);
	uint64_t seen[256] = {0}, counts[256];
	size_t cells = 0;

	for (int i = 0; i < 100000; i++) {
		uint32_t p[4], present = 0;
		draw(&r, p, n);
		for (uint32_t k = 0; k < n; k++) {
			assert_true(p[k] < n);
			present |= 1u << p[k];
		}
		assert_int_equal(present, (1u << n) - 1);
		seen[key_of(p, n)]++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		if (seen[i])
			counts[cells++] = seen[i];
	}
	assert_int_equal(cells, kinds);
	if (cells > 1)
		assert_uniform(counts, cells);
}

TEST(permutations_are_uniform)
{
	check_orders(drb_rng_permutation, 1, 1, 23);
	check_orders(drb_rng_permutation, 2, 2, 23);
	check_orders(drb_rng_permutation, 3, 6, 23);
	check_orders(drb_rng_permutation, 4, 24, 23);
}

static void no_fixed_points(struct drb_rng *r, uint32_t p[], uint32_t n)
{
	drb_rng_derangement(r, p, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_not_equal(p[i], i);
}

TEST(derangements_are_uniform)
{
	check_orders(no_fixed_points, 2, 1, 24);
	check_orders(no_fixed_points, 3, 2, 24);
	check_orders(no_fixed_points, 4, 9, 24);
}

TEST(large_permutations_are_permutations)
{
	struct drb_rng r = drb_rng_seed(25, 0);
	static uint32_t p[100000];
	static uint8_t seen[100000];

	for (int round = 0; round < 4; round++) {
		uint32_t n = (uint32_t)ARRAY_SIZE(p) - (uint32_t)round;
		memset(seen, 0, sizeof(seen));
		(round % 2 ? drb_rng_derangement : drb_rng_permutation)(&r, p, n);
		for (uint32_t i = 0; i < n; i++) {
			assert_true(p[i] < n);
			assert_int_equal(seen[p[i]]++, 0);
			assert_false(round % 2 && p[i] == i);
		}
	}
}

// Several draws share a random number. Each is uniform, and so is each pair of adjacent draws, and
// the first with the last.
TEST(shared_draws_are_uniform_and_independent)
{
	struct drb_rng r = drb_rng_seed(13, 0);

	assert_int_equal(drb_rng_shares(1), 32);
	assert_int_equal(drb_rng_shares(2), 32);
	assert_int_equal(drb_rng_shares(3), 16);
	assert_int_equal(drb_rng_shares(4), 16);
	assert_int_equal(drb_rng_shares(5), 10);
	for (uint32_t n = 1; n <= 16; n++) {
		uint64_t one[16] = {0}, next[256] = {0}, ends[256] = {0};
		uint32_t shares = drb_rng_shares(n), draw[32] = {0};
		assert_true(pow(n, shares) <= 0x1p32);
		for (int k = 0; k < 40000; k++) {
			uint64_t number = drb_rng_next(&r);
			for (uint32_t i = 0; i < shares; i++) {
				draw[i] = drb_scale32(drb_rng_share(&number, n), n);
				one[draw[i]]++;
				if (i > 0)
					next[draw[i - 1] * n + draw[i]]++;
			}
			ends[draw[0] * n + draw[shares - 1]]++;
		}
		if (n == 1)
			continue;
		assert_uniform(one, n);
		assert_uniform(ends, n * n);
		for (uint32_t i = 0; i < n * n; i++)
			assert_true(next[i] > 0);
	}
}

TEST_MAIN(NULL, NULL)
