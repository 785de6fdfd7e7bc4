// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The parameters of a switch's scheme (struct drb_choice), and their limits.

#include "core/math/random.h"

#include "drb/scheme.h"

// The most uplinks that a scheme compares if it does not compare all: `choices` is
// 2..DRB_CHOICES_MAX, or d for all.
#define DRB_CHOICES_MAX 64

// The salt of a switch, which makes its random choices differ from those of others.
static inline uint64_t drb_salt(uint64_t seed, uint32_t layer, uint32_t label)
{
	return drb_mix64(drb_mix64(seed) ^ (uint64_t)layer << 32 ^ label);
}
