// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Skips random numbers: makes a generator as if it had drawn `count` numbers, in about a
// microsecond. Parts of a run on several threads can thus take their draws from one stream.

#include "core/math/random.h"

#define DRB_SKIP_DIGITS 4 // of a count in base 256; the lowest digit is skipped by drawing
#define DRB_SKIP_MOST (UINT64_C(1) << 8 * DRB_SKIP_DIGITS)

// A polynomial over GF(2) of degree below 256; bit i of word j is the coefficient of x^(64 j + i).
struct drb_skip_poly {
	uint64_t word[4];
};

// x^(digit * 256^(i + 1)) modulo the characteristic polynomial of the generator.
struct drb_skip {
	struct drb_skip_poly by[DRB_SKIP_DIGITS - 1][256];
};

void drb_skip_init(struct drb_skip *skip);
// count < DRB_SKIP_MOST.
void drb_rng_skip(const struct drb_skip *skip, struct drb_rng *r, uint64_t count);
