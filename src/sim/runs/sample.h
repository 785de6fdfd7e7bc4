// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures of equal runs with different seeds: their mean, and how sure it is.

#include <math.h>
#include <stdint.h>

struct sim_sample {
	uint32_t count;
	double mean;
	double squares; // sum of squared distances from the mean
};

// A sample of which only this is known; sd: standard deviation, without effect if there is one figure.
struct sim_sample sim_sample_of(uint32_t count, double mean, double sd);

// Adds a figure; a sample begins as all zero.
void sim_sample_add(struct sim_sample *s, double value);

// NaN of none.
static inline double sim_sample_mean(const struct sim_sample *s)
{
	return s->count ? s->mean : NAN;
}

// Half the width of the interval that holds the true mean in 95 of 100 cases, if the figures are normally
// distributed (Student's t); NaN of fewer than two figures.
double sim_sample_half_width(const struct sim_sample *s);
