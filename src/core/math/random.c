// SPDX-License-Identifier: BSD-3-Clause
#include "core/math/random.h"

struct drb_rng drb_rng_seed(uint64_t seed, uint64_t stream)
{
	struct drb_rng r;
	uint64_t x = drb_mix64(seed) ^ drb_mix64(~stream);

	for (int i = 0; i < 4; i++)
		r.s[i] = drb_mix64(x + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15));
	return r;
}

uint32_t drb_rng_below_rarely(struct drb_rng *r, uint32_t n, uint64_t m)
{
	uint32_t reject = -n % n;

	while ((uint32_t)m < reject)
		m = (drb_rng_next(r) >> 32) * n;
	return (uint32_t)(m >> 32);
}

void drb_rng_permutation(struct drb_rng *r, uint32_t p[], uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = drb_rng_below(r, i + 1);
		p[i] = p[j];
		p[j] = i;
	}
}

void drb_rng_derangement(struct drb_rng *r, uint32_t p[], uint32_t n)
{
	uint32_t i;

	do {
		drb_rng_permutation(r, p, n);
		for (i = 0; i < n && p[i] != i; i++)
			;
	} while (i < n);
}
