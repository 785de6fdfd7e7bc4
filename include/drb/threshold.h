// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Threshold-based two-choice and its thresholds: Algorithm 1 of S. Wang, J. Luo, B. K.-B. Tong and
// W. S. Wong, "Randomized Load-balanced Routing for Fat-tree Networks", 2017, arXiv:1708.09135.
// Switch, simulator and tests call this implementation; there is no other.

#include <math.h>

#include "drb/draw.h"

// The smallest integer difference of loads that redirects: load(candidate) < load(default) - T is
// equivalent to a difference >= floor(T) + 1 for integer loads. T is a real number >= 0. No packet
// is redirected if T is above DRB_LOAD_MAX.
static inline uint32_t drb_margin(double threshold)
{
	return threshold < DRB_LOAD_MAX ? (uint32_t)floor(threshold) + 1 : DRB_LOAD_MAX;
}

// The candidate if its load is less than the default's by more than T, else the default. margin:
// drb_margin(T).
static inline uint32_t drb_ttc(uint32_t margin, uint32_t def, uint32_t candidate,
			       struct drb_loads loads)
{
	bool redirect = drb_load(loads, candidate) + margin <= drb_load(loads, def);

	return drb_select(redirect, candidate, def);
}

// The whole of Algorithm 1: the uplink of a packet (or new flow) whose default is def. bits: 32
// random bits.
static inline uint32_t drb_two_choice(uint32_t uplinks, uint32_t margin, uint32_t def,
				      const uint32_t *load, uint32_t bits)
{
	struct drb_loads loads = {load};

	return uplinks < 2 ? def : drb_ttc(margin, def, drb_other(uplinks, def, bits), loads);
}

// T(c) of equation (c_two): unit flow, c flows per uplink, N hosts. c = ln N belongs to the case c
// >= ln N.
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

// The paper's estimate of the maximum load: c + ln ln N / ln 2 + T(c), equation (flow_congestion).
static inline double drb_estimate_flow(double flows_per_host, uint32_t hosts, double threshold)
{
	return flows_per_host + log(log(hosts)) / log(2) + threshold;
}
