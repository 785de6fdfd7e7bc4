// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The next hop at one switch. Paper: equations (path_definition) and (determinisitc_dwn).
// A destination h is below switch s of layer m iff h_{i+1} = s_i for all i >= m. These are the d^m
// consecutive labels from (s / d^(m-1)) d^m on, in the core all labels. Digit h_m is both the
// D-mod-k up-port and the only down-port of layer m. If layer 1 has u < d uplinks, its D-mod-k
// up-port is h_1 mod u instead (docs/guide/oversubscription.md).

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"

struct drb_hop {
	uint32_t first;     // smallest host label below this switch
	uint32_t span;      // number of host labels below this switch
	uint32_t hosts;     // N
	uint32_t arity;     // d
	uint32_t digit_mod; // d below the core; 0 in the core, where h_l is not reduced
	uint32_t uplinks;   // u in layer 1, d above it; in the core 2d, the number of its digits
	struct drb_div by_place; // divides by d^(m-1)
	struct drb_div by_arity; // divides by d
};

// The constants of switch (layer, label) of t; both must exist in t.
struct drb_hop drb_hop_at(const struct drb_tree *t, uint32_t layer, uint32_t label);

// True if host is below this switch, so that packets to it go down.
static inline bool drb_hop_below(const struct drb_hop *hop, uint32_t host)
{
	return host - hop->first < hop->span;
}

// h_m: the down-port for a host below this switch.
static inline uint32_t drb_hop_digit(const struct drb_hop *hop, uint32_t host)
{
	uint32_t q = drb_div(host, &hop->by_place);
	return q - drb_div(q, &hop->by_arity) * hop->digit_mod;
}

// The D-mod-k up-port for a host that is not below this switch.
static inline uint32_t drb_hop_default(const struct drb_hop *hop, uint32_t host)
{
	uint32_t digit = drb_hop_digit(hop, host);
	return digit < hop->uplinks ? digit : digit % hop->uplinks;
}
