// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sizes of flows in packets: published distributions, one size, or a file.
//
//   websearch    Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010
//   datamining   Greenberg et al., "VL2", SIGCOMM 2009
//   fixed:N      N packets each
//   file:PATH    the distribution in a file
// The points of the first two are those that Alizadeh et al., "pFabric", SIGCOMM 2013, simulate, in
// packets of 1460 bytes. Sizes are uniform between two points; the means are 1141 and 5117.
//
// The first line of a file is the heading "packets,share". In each other line, `share` is the share
// of the flows with at most `packets` packets. Both values do not decrease from line to line, and
// the last share is 1. # begins a comment.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/math/random.h"

#define DRB_SIZES_POINTS_MAX 4096
#define DRB_SIZES_PACKETS_MAX 100000000
#define DRB_SIZES_ERROR_MAX 200

struct drb_size_point {
	double packets, share;
};

struct drb_sizes {
	// Points sorted by share. The first one has the size of the smallest flows.
	const struct drb_size_point *point;
	size_t points;
	struct drb_size_point *owned; // freed by drb_sizes_free()
};

// 0, or -EINVAL or -ENOMEM with the cause in `error`: there is no such distribution, or file and
// line.
int drb_sizes_open(const char *text, struct drb_sizes *sizes, char error[DRB_SIZES_ERROR_MAX]);
// Reads such a file, whose bytes need not be valid. `name` is for errors.
int drb_sizes_read(const char *name, FILE *in, struct drb_sizes *sizes,
		   char error[DRB_SIZES_ERROR_MAX]);
void drb_sizes_free(struct drb_sizes *sizes);

double drb_sizes_mean(const struct drb_sizes *sizes);
// The size of the next flow in packets, at least 1.
uint32_t drb_sizes_draw(const struct drb_sizes *sizes, struct drb_rng *rng);
