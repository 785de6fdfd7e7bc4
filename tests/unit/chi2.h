// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Pearson's chi-square test. Seeds are fixed, so a result never changes from run to run. The tests
// make some 200 of these comparisons, so that one of them would exceed the usual 0.1 % point by
// chance: the level is 10^-5 each. A candidate that prefers one of 5 ports by 5 % is found with
// 20000 draws.

#include <math.h>
#include <stddef.h>
#include <stdint.h>

// The value exceeded with probability 10^-5 by chance, Wilson and Hilferty's approximation.
static inline double chi2_critical(size_t freedom)
{
	double k = (double)freedom, z = 4.2649, a = 2 / (9 * k);

	return k * pow(1 - a + z * sqrt(a), 3);
}

static inline double chi2_uniform(const uint64_t *seen, size_t cells)
{
	double total = 0, sum = 0;

	for (size_t i = 0; i < cells; i++)
		total += (double)seen[i];
	for (size_t i = 0; i < cells; i++) {
		double diff = (double)seen[i] - total / (double)cells;
		sum += diff * diff / (total / (double)cells);
	}
	return sum;
}

// Fails unless the counts look uniform.
#define assert_uniform(seen, cells)                                                                \
	assert_true(chi2_uniform(seen, cells) < chi2_critical((cells)-1))
