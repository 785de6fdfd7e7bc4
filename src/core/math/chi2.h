// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Pearson's chi-square test of equally likely cells.

#include <math.h>
#include <stddef.h>
#include <stdint.h>

// The value that chance exceeds with probability 10^-5, by Wilson and Hilferty's approximation.
static inline double drb_chi2_critical(size_t freedom)
{
	double k = (double)freedom, z = 4.2649, a = 2 / (9 * k);

	return k * pow(1 - a + z * sqrt(a), 3);
}

static inline double drb_chi2_uniform(const uint64_t *seen, size_t cells)
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
