// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How large flows are, in packets: published distributions, one size, or a file.
//
//   websearch    Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010
//   datamining   Greenberg et al., "VL2", SIGCOMM 2009
//   fixed:N      N packets each
//   file:PATH    what a file says
// The points of the first two are those with which Alizadeh et al., "pFabric", SIGCOMM 2013, simulates, in
// packets of 1460 bytes. Between two points sizes are spread evenly; the means are 1141 and 5117.
//
// A file has lines "packets,share": this share of the flows has at most so many packets. Both do not
// go down from line to line, the last share is 1; the first line is that heading. # begins a comment.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/math/random.h"

#define DRB_SIZES_POINTS_MAX 4096
#define DRB_SIZES_PACKETS_MAX 100000000
#define DRB_SIZES_ERROR_MAX 160

struct drb_size_point {
	double packets, share;
};

struct drb_sizes {
	const struct drb_size_point *point; // by share; the first has packets of the smallest flow
	size_t points;
	struct drb_size_point *owned; // what drb_sizes_free() frees
};

// 0; -EINVAL or -ENOMEM with what is wrong in error: there is no such distribution, or file and line.
int drb_sizes_open(const char *text, struct drb_sizes *sizes, char error[DRB_SIZES_ERROR_MAX]);
// Such a file, of any bytes; its name is for errors.
int drb_sizes_read(const char *name, FILE *in, struct drb_sizes *sizes,
		   char error[DRB_SIZES_ERROR_MAX]);
void drb_sizes_free(struct drb_sizes *sizes);

double drb_sizes_mean(const struct drb_sizes *sizes);
// Packets of the next flow, 1 or more.
uint32_t drb_sizes_draw(const struct drb_sizes *sizes, struct drb_rng *rng);
