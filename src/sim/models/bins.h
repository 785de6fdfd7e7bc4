// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Balls thrown into bins, one after another, each into the least loaded of some random bins: what the paper compares
// its schemes with ("Introduction", and equation max_load).

#include <stdint.h>

#define DRB_BINS_RUNS 20

struct drb_bins_setup {
	uint32_t bins, each, choices; // each: balls for each bin, at most 200
	uint64_t seed;
};

// The fullest bin of each of so many independent runs. -EINVAL, -ENOMEM.
int drb_bins_run(const struct drb_bins_setup *setup, double fullest[DRB_BINS_RUNS]);
