// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mean of figures of runs that differ only in their seeds, and its confidence interval.

#include <math.h>
#include <stdint.h>

struct sim_sample {
	uint32_t count;
	double mean;
	double squares; // sum of squared distances from the mean
};

// Makes a sample from its count, mean and standard deviation. `sd` has no effect if count is 1.
struct sim_sample sim_sample_of(uint32_t count, double mean, double sd);

// Adds a figure. A new sample is all zero.
void sim_sample_add(struct sim_sample *s, double value);

// NaN if the sample is empty.
static inline double sim_sample_mean(const struct sim_sample *s)
{
	return s->count ? s->mean : NAN;
}

// Half the width of the interval that holds the true mean in 95 of 100 cases, if the figures are
// normally distributed (Student's t). NaN if there are fewer than two figures.
double sim_sample_half_width(const struct sim_sample *s);
