// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the rules of schemes are given: the parameters of a switch and the loads of its uplinks.

#include <stdbool.h>
#include <stdint.h>

#include "core/math/random.h"
#include "core/routing/schemes.h"

// Loads and thresholds stay below this, so that sums of two fit in 32 bits.
#define DRB_LOAD_MAX (UINT32_C(1) << 30)

// Most ports looked at short of all of them: `choices` is 2..DRB_CHOICES_MAX, or d for all.
#define DRB_CHOICES_MAX 64

struct drb_choice {
	enum drb_scheme scheme;
	uint32_t uplinks; // d
	uint32_t choices; // ports looked at in all by the schemes with a threshold, 2..d (2 = the
			  // paper's)
	uint32_t margin;  // floor(T) + 1, see drb_margin()
	uint64_t salt;    // of this switch: ECMP's hash, rounds' beginnings
};

// The salt of a switch.
static inline uint64_t drb_salt(uint64_t seed, uint32_t layer, uint32_t label)
{
	return drb_mix64(drb_mix64(seed) ^ (uint64_t)layer << 32 ^ label);
}

// The loads of a decision: packets queued (or live flows) per uplink.
struct drb_loads {
	const uint32_t *at; // NULL: no uplink has any
};

static inline uint32_t drb_load(struct drb_loads loads, uint32_t uplink)
{
	return loads.at ? loads.at[uplink] : 0;
}

// One of two without a branch: whether a packet is redirected is often predicted wrong.
static inline __attribute__((always_inline)) uint32_t drb_select(bool condition, uint32_t yes,
								 uint32_t no)
{
	if (__builtin_constant_p(condition))
		return condition ? yes : no;
	uint32_t value = __builtin_expect_with_probability(condition, 1, 0.5) ? yes : no;

	__asm__("" : "+r"(value)); // else what depends on it would become two paths
	return value;
}
