// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The decision of a switch that must send up. Paper: "Threshold-based Two-Choice Scheme",
// Algorithm 1. This is the only implementation of it: switch, simulator and tests call it.
// Pure: the loads, the default uplink and the random bits come from the caller.

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/math/random.h"

enum drb_scheme {
	DRB_SCHEME_DRB,    // threshold-based two-choice against the D-mod-k default
	DRB_SCHEME_DMODK,  // always the default
	DRB_SCHEME_VLB,    // uniformly random uplink
	DRB_SCHEME_MICRO,  // the less loaded of two distinct random uplinks
	DRB_SCHEME_ECMP,   // hash of the flow, salted per switch
	DRB_SCHEME_LEAST,  // least loaded of all, random among ties
	DRB_SCHEME_ROTATE, // as drb, the default shifted by the slot: see drb/shift.h
	DRB_SCHEME_WALK,   // as drb, what goes to busy destinations in turn: see drb/walk.h
	DRB_SCHEME_COUNT
};

// "drb", "dmodk", ... ; NULL beyond the last.
const char *drb_scheme_name(enum drb_scheme scheme);
// 0 and *scheme, or -EINVAL.
int drb_scheme_parse(const char *name, enum drb_scheme *scheme);

// True if the scheme redirects by the threshold T.
static inline bool drb_scheme_has_threshold(enum drb_scheme scheme)
{
	return scheme == DRB_SCHEME_DRB || scheme == DRB_SCHEME_ROTATE || scheme == DRB_SCHEME_WALK;
}

// True if the scheme routes packets, not flows: what shifts defaults or takes turns is the
// caller's, see drb/shift.h and drb/walk.h.
static inline bool drb_scheme_packets_only(enum drb_scheme scheme)
{
	return scheme == DRB_SCHEME_ROTATE || scheme == DRB_SCHEME_WALK;
}

// Loads and thresholds stay below this, so that sums of two fit in 32 bits.
#define DRB_LOAD_MAX (UINT32_C(1) << 30)

// Most ports looked at short of all of them: `choices` is 2..DRB_CHOICES_MAX, or d for all.
#define DRB_CHOICES_MAX 64

struct drb_choice {
	enum drb_scheme scheme;
	uint32_t uplinks; // d
	uint32_t choices; // ports looked at in all by the schemes with a threshold, 2..d (2 = the
			  // paper's)
	uint32_t margin;  // floor(T) + 1: redirect iff load(default) - load(candidate) >= margin
	uint64_t salt;    // of this switch: ECMP's hash, rounds' beginnings
};

// The salt of a switch.
static inline uint64_t drb_salt(uint64_t seed, uint32_t layer, uint32_t label)
{
	return drb_mix64(drb_mix64(seed) ^ (uint64_t)layer << 32 ^ label);
}

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

// The least loaded of choices-1 distinct random uplinks other than def, random among ties.
uint32_t drb_candidate_of_many(uint32_t uplinks, uint32_t choices, uint32_t def,
			       const uint32_t *load, uint64_t draw);
// The least loaded of all uplinks, uniformly random among ties.
uint32_t drb_least_loaded(uint32_t uplinks, const uint32_t *load, uint64_t draw);

// Uniformly random among the uplinks other than def; uplinks >= 2.
static inline uint32_t drb_other(uint32_t uplinks, uint32_t def, uint32_t bits)
{
	uint32_t r = drb_scale32(bits, uplinks - 1);
	return r + (r >= def);
}

// The loads of a decision: an array, or, where at is NULL, a byte for each of at most eight
// uplinks, uplink 0 lowest. Packed loads stay in a register, so that one decision can follow
// another without waiting for memory.
struct drb_loads {
	const uint32_t *at;
	uint64_t packed;
};

#define DRB_PACKED_UPLINKS 8
#define DRB_PACKED_MAX UINT8_MAX

// Where an uplink stands in packed loads.
static inline uint32_t drb_packed_at(uint32_t uplink)
{
	if (uplink >= DRB_PACKED_UPLINKS)
		__builtin_unreachable();
	return 8 * uplink;
}

// One packet (or flow) at an uplink, in packed loads.
static inline uint64_t drb_packed_one(uint32_t uplink)
{
	return UINT64_C(1) << drb_packed_at(uplink);
}

static inline uint32_t drb_load(struct drb_loads loads, uint32_t uplink)
{
	return loads.at ? loads.at[uplink] : (uint8_t)(loads.packed >> drb_packed_at(uplink));
}

// One of two without a branch: whether a packet is redirected is often predicted wrong.
static inline uint32_t drb_select(bool condition, uint32_t yes, uint32_t no)
{
	uint32_t value = __builtin_expect_with_probability(condition, 1, 0.5) ? yes : no;

	__asm__("" : "+r"(value)); // else what depends on it would become two paths
	return value;
}

// TTC proper: the candidate if it is shorter than the default by more than T, else the default.
static inline uint32_t drb_ttc(uint32_t margin, uint32_t def, uint32_t candidate,
			       struct drb_loads loads)
{
	bool redirect = drb_load(loads, candidate) + margin <= drb_load(loads, def);

	return drb_select(redirect, candidate, def);
}

// The uplink that the default is compared with, by schemes that have a threshold.
static inline __attribute__((always_inline)) uint32_t drb_candidate(const struct drb_choice *c,
								    struct drb_loads loads,
								    uint32_t def, uint64_t draw)
{
	return c->choices == 2 ? drb_other(c->uplinks, def, (uint32_t)(draw >> 32))
			       : drb_candidate_of_many(c->uplinks, c->choices, def, loads.at, draw);
}

// The uplink for one packet (or new flow).
//   loads             packets queued (or live flows) per uplink; schemes that look at more than
//                     two uplinks want an array
//   def               D-mod-k uplink h_m (shifted, by rotate)
//   flow              hash of the flow; read by DRB_SCHEME_ECMP only
//   draw              64 fresh random bits; every outcome is a function of them
static inline __attribute__((always_inline)) uint32_t drb_choose_by(const struct drb_choice *c,
								    struct drb_loads loads,
								    uint32_t def, uint64_t flow,
								    uint64_t draw)
{
	uint32_t n = c->uplinks, a, b;

	if (n < 2)
		return def;
	switch (c->scheme) {
	case DRB_SCHEME_DRB:
	case DRB_SCHEME_ROTATE:
	case DRB_SCHEME_WALK:
		return drb_ttc(c->margin, def, drb_candidate(c, loads, def, draw), loads);
	case DRB_SCHEME_DMODK:
		return def;
	case DRB_SCHEME_VLB:
		return drb_scale32((uint32_t)(draw >> 32), n);
	case DRB_SCHEME_MICRO:
		a = drb_scale32((uint32_t)(draw >> 32), n);
		b = drb_other(n, a, (uint32_t)draw);
		return drb_select(drb_load(loads, b) < drb_load(loads, a), b, a);
	case DRB_SCHEME_ECMP:
		return drb_scale32(drb_salted32(flow, c->salt), n);
	case DRB_SCHEME_LEAST:
		return drb_least_loaded(n, loads.at, draw);
	case DRB_SCHEME_COUNT:
		break;
	}
	return def;
}

// The same with loads in an array, load[0..uplinks).
static inline uint32_t drb_choose(const struct drb_choice *c, const uint32_t *load, uint32_t def,
				  uint64_t flow, uint64_t draw)
{
	return drb_choose_by(c, (struct drb_loads){.at = load}, def, flow, draw);
}

// Most uplinks that drb_choose_usable() takes.
#define DRB_USABLE_UPLINKS_MAX 64

// The same when only those uplinks can be used whose bit is set in live, which is not 0: dead ones
// are left out of every choice, and a dead default is a random live one. ECMP moves only the flows
// of dead uplinks.
uint32_t drb_choose_usable(const struct drb_choice *c, uint64_t live, const uint32_t *load,
			   uint32_t def, uint64_t flow, uint64_t draw);
