// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Seeded random numbers: xoshiro256++ (Blackman and Vigna), seeded through splitmix64.
// The same (seed, stream) gives the same numbers on every machine.

#include <stdint.h>

#include "drb/draw.h"

struct drb_rng {
	uint64_t s[4];
};

// A hash of two words.
static inline uint64_t drb_fold64(uint64_t a, uint64_t b)
{
	return drb_product64(a ^ UINT64_C(0xa0761d6478bd642f), b ^ UINT64_C(0xe7037ed1a0b428db));
}

// Each stream of a seed is independent: one per switch, run or slot.
struct drb_rng drb_rng_seed(uint64_t seed, uint64_t stream);

static inline uint64_t drb_rng_next(struct drb_rng *r)
{
	uint64_t *s = r->s;
	uint64_t sum = s[0] + s[3];
	uint64_t result = ((sum << 23) | (sum >> 41)) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return result;
}

// One random number serves several draws from [0, n): its digits in base n. drb_rng_share() returns
// the next digit as bits for drb_scale32(bits, n) and moves on. drb_rng_shares() returns the number
// of digits. All sequences of that length are equally likely, to about 2^-32.
static inline uint32_t drb_rng_share(uint64_t *number, uint32_t n)
{
	uint32_t bits = (uint32_t)(*number >> 32);

	*number *= n;
	return bits;
}

static inline uint32_t drb_rng_shares(uint32_t n)
{
	return n > 2 ? 32 / (32 - (uint32_t)__builtin_clz(n - 1)) : 32;
}

// Uniform in [0, n), n >= 1, without bias (Lemire's rejection). drb_rng_below() calls
// drb_rng_below_rarely(), which draws again, about n times in 2^32.
uint32_t drb_rng_below_rarely(struct drb_rng *r, uint32_t n, uint64_t m);
static inline uint32_t drb_rng_below(struct drb_rng *r, uint32_t n)
{
	uint64_t m = (drb_rng_next(r) >> 32) * n;

	return __builtin_expect((uint32_t)m < n, 0) ? drb_rng_below_rarely(r, n, m)
						    : (uint32_t)(m >> 32);
}

// Uniform in [0, 1), 53 bits.
static inline double drb_rng_unit(struct drb_rng *r)
{
	return (double)(drb_rng_next(r) >> 11) * 0x1.0p-53;
}

// A uniformly random permutation of 0..n-1 (Fisher-Yates) into p.
void drb_rng_permutation(struct drb_rng *r, uint32_t p[], uint32_t n);
// The same without fixed points. The permutation is drawn again until it has no fixed point, e
// times on average. n >= 2.
void drb_rng_derangement(struct drb_rng *r, uint32_t p[], uint32_t n);
