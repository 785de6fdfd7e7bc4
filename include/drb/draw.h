// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Building blocks of schemes: uplinks from random bits, hashes of flows, loads of uplinks.
// Pure: random bits and loads come from the caller.

#include <stdbool.h>
#include <stdint.h>

// Loads and thresholds stay below this, so that sums of two fit in 32 bits.
#define DRB_LOAD_MAX (UINT32_C(1) << 30)

// A small function of a scheme that is inlined into the loops of each host.
#define DRB_RULE static inline __attribute__((always_inline))

// One bijective mixing step of splitmix64; also serves as a hash of 64-bit values.
static inline uint64_t drb_mix64(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

// The product of 128 bits, folded to 64, as in wyhash (Wang Yi).
static inline uint64_t drb_product64(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// 32 bits of a hash of word. Each random salt gives another hash function.
static inline uint32_t drb_salted32(uint64_t word, uint64_t salt)
{
	return (uint32_t)(drb_product64(word ^ UINT64_C(0xa0761d6478bd642f), salt) >> 32);
}

// Maps 32 random bits to [0, n). The probabilities of two values differ by a fraction of at most n
// / 2^32.
static inline uint32_t drb_scale32(uint32_t bits, uint32_t n)
{
	return (uint32_t)(((uint64_t)bits * n) >> 32);
}

// Loads that a decision compares: packets queued (or live flows) per uplink.
struct drb_loads {
	const uint32_t *at; // NULL: all are 0
};

// The load of this uplink.
static inline uint32_t drb_load(struct drb_loads loads, uint32_t uplink)
{
	return loads.at ? loads.at[uplink] : 0;
}

// Selects a value without a branch. The branch would often be mispredicted because redirects are
// random.
DRB_RULE uint32_t drb_select(bool condition, uint32_t yes, uint32_t no)
{
	if (__builtin_constant_p(condition))
		return condition ? yes : no;
	uint32_t value = __builtin_expect_with_probability(condition, 1, 0.5) ? yes : no;

	__asm__("" : "+r"(value)); // keeps the compiler from making two paths of the following code
	return value;
}

// This uplink if it is usable, or else the lowest usable one; usable != 0. GCC 14.2 takes the wrong
// one if this is written as usable >> uplink & 1 ? uplink : __builtin_ctzll(usable).
static inline uint32_t drb_usable_or_lowest(uint64_t usable, uint32_t uplink)
{
	const uint64_t wanted = usable & UINT64_C(1) << uplink;

	return (uint32_t)__builtin_ctzll(wanted ? wanted : usable);
}

// A uniformly random uplink other than def; uplinks >= 2.
static inline uint32_t drb_other(uint32_t uplinks, uint32_t def, uint32_t bits)
{
	uint32_t r = drb_scale32(bits, uplinks - 1);
	return r + (r >= def);
}

// The less loaded of two distinct random uplinks; uplinks >= 2.
DRB_RULE uint32_t drb_two_random(uint32_t uplinks, struct drb_loads loads, uint64_t draw)
{
	uint32_t a = drb_scale32((uint32_t)(draw >> 32), uplinks);
	uint32_t b = drb_other(uplinks, a, (uint32_t)draw);

	return drb_select(drb_load(loads, b) < drb_load(loads, a), b, a);
}
