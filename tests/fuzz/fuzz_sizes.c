// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a file of sizes: refused with a reason, or a distribution with draws and a mean in
// range.
#include "fuzz.h"

#include <stdio.h>

#include "sim/flows/sizes.h"

#define ROUNDING 1e-9

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[DRB_SIZES_ERROR_MAX] = "";
	struct drb_sizes sizes;
	struct drb_rng rng = drb_rng_seed(1, 0);
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!in)
		return 0;
	int rc = drb_sizes_read("sizes", in, &sizes, error);
	fclose(in);
	if (rc < 0) {
		require(*error && memchr(error, '\0', sizeof(error)));
		return 0;
	}
	double least = sizes.point[0].packets, most = sizes.point[sizes.points - 1].packets;
	double mean = drb_sizes_mean(&sizes);
	require(sizes.points <= DRB_SIZES_POINTS_MAX);
	require(least >= 1 && most <= DRB_SIZES_PACKETS_MAX);
	require(mean >= least * (1 - ROUNDING) && mean <= most * (1 + ROUNDING));
	for (int i = 0; i < 20; i++) {
		uint32_t drawn = drb_sizes_draw(&sizes, &rng);
		require(drawn >= least && drawn <= most);
	}
	drb_sizes_free(&sizes);
	return 0;
}
