// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Paper: "Threshold-based Two-Choice Scheme", Algorithm 1, and its thresholds. This is the only
// implementation of it: switch, simulator and tests call it. Pure: the loads, the default uplink
// and the random bits come from the caller.

#include <math.h>

#include "core/routing/choice.h"

// For integer loads, load(candidate) < load(default) - T  <=>  the difference is >= floor(T) + 1.
// T is a real number >= 0; above DRB_LOAD_MAX it never redirects.
static inline uint32_t drb_margin(double threshold)
{
	return threshold < DRB_LOAD_MAX ? (uint32_t)floor(threshold) + 1 : DRB_LOAD_MAX;
}

// T(c) of equation (c_two): flow unit, c flows per uplink, N hosts. c = ln N counts as above.
double drb_threshold_flow(double flows_per_uplink, uint32_t hosts);
// T(rho) of equation (packet_threshold): 1 - ln(1 - rho), 0 <= rho < 1.
double drb_threshold_packet(double rho);
// c + ln ln N / ln 2 + T(c), equation (flow_congestion): the paper's estimate of the maximum load.
double drb_estimate_flow(double flows_per_host, uint32_t hosts, double threshold);

// Uniformly random among the uplinks other than def; uplinks >= 2.
static inline uint32_t drb_other(uint32_t uplinks, uint32_t def, uint32_t bits)
{
	uint32_t r = drb_scale32(bits, uplinks - 1);
	return r + (r >= def);
}

// Beyond the paper, `choices` above 2: the least loaded of choices-1 distinct random uplinks other
// than def, random among ties.
uint32_t drb_candidate_of_many(uint32_t uplinks, uint32_t choices, uint32_t def,
			       const uint32_t *load, uint64_t draw);

// The uplink that the default is compared with. With choices above 2 loads are an array.
static inline __attribute__((always_inline)) uint32_t drb_candidate(const struct drb_choice *c,
								    struct drb_loads loads,
								    uint32_t def, uint64_t draw)
{
	return c->choices == 2 ? drb_other(c->uplinks, def, (uint32_t)(draw >> 32))
			       : drb_candidate_of_many(c->uplinks, c->choices, def, loads.at, draw);
}

// The candidate if it is shorter than the default by more than T, else the default.
static inline uint32_t drb_ttc(uint32_t margin, uint32_t def, uint32_t candidate,
			       struct drb_loads loads)
{
	bool redirect = drb_load(loads, candidate) + margin <= drb_load(loads, def);

	return drb_select(redirect, candidate, def);
}

// Algorithm 1 whole: the uplink of a packet (or new flow) whose default is def.
static inline __attribute__((always_inline)) uint32_t drb_rule_two_choice(
	const struct drb_choice *c, struct drb_loads loads, uint32_t def, uint64_t flow,
	uint64_t draw)
{
	(void)flow;
	return drb_ttc(c->margin, def, drb_candidate(c, loads, def, draw), loads);
}
