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

// Shares of queues with at least 1, 2, ... packets that are kept of a chain.
#define PAPER_CHAIN_LEVELS 16

// Figures into point->value and back.
void paper_set_flow_summary(struct paper_point *point, const struct drb_flow_summary *s);
void paper_set_packet_result(struct paper_point *point, const struct drb_packet_result *r);
void paper_set_ctmc_result(struct paper_point *point, const struct drb_ctmc_result *r);
void paper_set_layers_result(struct paper_point *point, const struct drb_ctmc_layers_result *r);
struct drb_flow_summary paper_flow_summary(const struct paper_point *point);
struct drb_packet_result paper_packet_result(const struct paper_point *point);
// "drb", "drb T=0", "micro", ...
const char *paper_label(const struct paper_point *point);
