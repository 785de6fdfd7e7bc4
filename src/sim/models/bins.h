// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Balls are thrown into bins, one after another, each into the least loaded of `choices` random
// bins. The paper compares its schemes with this process ("Introduction", and equation max_load).

#include <stdint.h>

#define DRB_BINS_RUNS 20

struct drb_bins_setup {
	uint32_t bins, each, choices; // each: balls per bin, at most 200
	uint64_t seed;
};

// Fills in the load of the fullest bin of each of DRB_BINS_RUNS independent runs. 0, -EINVAL or
// -ENOMEM.
int drb_bins_run(const struct drb_bins_setup *setup, double fullest[DRB_BINS_RUNS]);
