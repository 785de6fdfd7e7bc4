// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The points of `drbsim paper`: one run of a model each, its parameters and its figures.

#include "sim/paper/paper.h"

extern const uint32_t paper_trees[2][2]; // F(3,24) and F(4,12)

// One more point, all of whose parameters are the caller's to set; valid until the next.
struct paper_point *paper_add(struct paper *p, enum paper_kind kind);
// One more point of the packet model, to be changed by its study; valid until the next.
struct paper_point *paper_add_packets(struct paper *p, const uint32_t tree[2],
				      enum drb_scheme scheme, double rho, const char *traffic);

// "drb", "drb T=0", "micro", ...
const char *paper_label(const struct paper_point *point);
