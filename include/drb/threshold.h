// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Threshold-based two-choice: Algorithm 1 of S. Wang, J. Luo, B. K.-B. Tong and W. S. Wong, "Randomized
// Load-balanced Routing for Fat-tree Networks", 2017, arXiv:1708.09135, and its thresholds. This is the only
// implementation of it: switch, simulator and tests call it.

#include <math.h>

#include "drb/draw.h"

// For integer loads, load(candidate) < load(default) - T  <=>  the difference is >= floor(T) + 1.
// T is a real number >= 0; above DRB_LOAD_MAX it never redirects.
static inline uint32_t drb_margin(double threshold)
{
	return threshold < DRB_LOAD_MAX ? (uint32_t)floor(threshold) + 1 : DRB_LOAD_MAX;
}

// The candidate if it is less loaded than the default by more than T, else the default. margin: drb_margin(T).
static inline uint32_t drb_ttc(uint32_t margin, uint32_t def, uint32_t candidate,
			       struct drb_loads loads)
{
	bool redirect = drb_load(loads, candidate) + margin <= drb_load(loads, def);

	return drb_select(redirect, candidate, def);
}

// Algorithm 1 whole: the uplink of a packet (or new flow) whose default is def. bits: 32 random ones.
static inline uint32_t drb_two_choice(uint32_t uplinks, uint32_t margin, uint32_t def,
				      const uint32_t *load, uint32_t bits)
{
	struct drb_loads loads = {load};

	return uplinks < 2 ? def : drb_ttc(margin, def, drb_other(uplinks, def, bits), loads);
}

// T(c) of equation (c_two): flow unit, c flows per uplink, N hosts. c = ln N belongs to the case c >= ln N.
static inline double drb_threshold_flow(double flows_per_uplink, uint32_t hosts)
{
	double ln_n = log(hosts);

	return flows_per_uplink < ln_n ? ceil(flows_per_uplink / 2) : floor(ln_n / 2);
}

// T(rho) of equation (packet_threshold): 1 - ln(1 - rho), 0 <= rho < 1.
static inline double drb_threshold_packet(double rho)
{
	return 1 - log1p(-rho);
}

// c + ln ln N / ln 2 + T(c), equation (flow_congestion): the paper's estimate of the maximum load.
static inline double drb_estimate_flow(double flows_per_host, uint32_t hosts, double threshold)
{
	return flows_per_host + log(log(hosts)) / log(2) + threshold;
}
