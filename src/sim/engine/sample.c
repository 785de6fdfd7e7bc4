// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/sample.h"

#include <math.h>

struct sim_sample sim_sample_of(uint32_t count, double mean, double sd)
{
	return (struct sim_sample){count, mean, count > 1 ? sd * sd * (count - 1) : 0};
}

void sim_sample_add(struct sim_sample *s, double value)
{
	double distance = value - s->mean;

	s->count++;
	s->mean += distance / s->count;
	s->squares += distance * (value - s->mean);
}

// Quantile 0.975 of Student's t.
static double student(uint32_t freedom)
{
	static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
				     2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131};
	const uint32_t known = sizeof(few) / sizeof(few[0]);
	// Cornish-Fisher expansion, correct to three digits from 16 degrees of freedom on.
	const double z = 1.959964;

	if (freedom <= known)
		return few[freedom - 1];
	return z + (z * z * z + z) / (4 * freedom) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96.0 * freedom * freedom);
}

double sim_sample_half_width(const struct sim_sample *s)
{
	if (s->count < 2)
		return NAN;
	return student(s->count - 1) * sqrt(s->squares / (s->count - 1) / s->count);
}
