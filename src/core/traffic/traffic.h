// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Who sends to whom, slot by slot: the traffic of the packet experiments. Paper: "Permutation-
// packet Routing" for `permutation`; the others are the usual patterns of interconnection networks.
// Used by the simulator and by the traffic writer. Pure: the caller lends the memory and the random
// numbers; the same generator state gives the same packets.
//
//   text         destination of host h in slot t
//   permutation  image of h under a permutation drawn afresh every slot
//   fixed        image of h under one permutation drawn at the start
//   random       uniformly random, drawn afresh every slot
//   mixed        a random half of the hosts as in `fixed`; the other half share the remaining
//                destinations by a fresh permutation every slot
//   stride:K     (h + K) mod N, 1 <= K < N
//   tornado      (h + N/2 - 1) mod N (1 for N = 2)
//   all-to-all   (h + 1 + t mod (N-1)) mod N
//   transpose    digits (h_l, ..., h_1) rotated by half their number   } read with h_l mod d, and
//   in reversal     digits in opposite order                              } the other half of the
//   tree hotspot:K    half of the packets to a random one of K hot hosts, the rest to random hosts
//   incast:K     K random hosts send to one random host, all others are silent
// No host sends to itself: permutations are drawn without fixed points, random destinations among
// the others, and a hot host that draws itself draws again among all others. Transposed and
// reversed labels lie in the other half of the tree, so that every such packet crosses the core.

#include <stddef.h>
#include <stdint.h>

#include "core/fabric/addresses.h"
#include "core/math/random.h"
#include "core/fabric/tree.h"

enum drb_pattern {
	DRB_PATTERN_PERMUTATION,
	DRB_PATTERN_FIXED,
	DRB_PATTERN_RANDOM,
	DRB_PATTERN_MIXED,
	DRB_PATTERN_STRIDE,
	DRB_PATTERN_TORNADO,
	DRB_PATTERN_ALL_TO_ALL,
	DRB_PATTERN_TRANSPOSE,
	DRB_PATTERN_REVERSAL,
	DRB_PATTERN_HOTSPOT,
	DRB_PATTERN_INCAST,
	DRB_PATTERN_COUNT
};

struct drb_traffic_kind {
	enum drb_pattern pattern;
	uint32_t k; // K of stride, hotspot and incast; 0 for the others
};

#define DRB_TRAFFIC_NAME_MAX 32

// "permutation", "stride:3", ... ; -EINVAL if there is no such pattern or K is missing, zero,
// malformed or given to a pattern without one.
int drb_traffic_parse(const char *text, struct drb_traffic_kind *kind);
// What drb_traffic_parse reads back.
void drb_traffic_format(struct drb_traffic_kind kind, char text[DRB_TRAFFIC_NAME_MAX]);
// "permutation", "stride:K", ...: for help texts; NULL beyond the last.
const char *drb_traffic_usage(enum drb_pattern pattern);

// 0, or -ERANGE if K does not fit this number of hosts.
int drb_traffic_fits(struct drb_traffic_kind kind, uint32_t hosts);

struct drb_traffic {
	struct drb_traffic_kind kind;
	uint32_t hosts;      // N
	uint64_t send_below; // a host sends iff 32 random bits are below: rho 2^32
	uint32_t *map;       // N: destination kept for the whole run, or DRB_NO_LABEL
	uint32_t *fresh;     // N: the permutation drawn anew every slot; with half of them
			     // persistent the free senders, then the free destinations
	uint32_t free;       // hosts that share the fresh permutation
};

// 32-bit words of memory that drb_traffic_init() wants.
#define DRB_TRAFFIC_WORDS(hosts) (2 * (size_t)(hosts))

// Draws what is drawn once. memory: DRB_TRAFFIC_WORDS(t->hosts) words, lent for the lifetime of
// *traffic. 0 <= rho <= 1: each host that has a destination sends with this probability per slot.
// -ERANGE if K does not fit the number of hosts, -EINVAL if rho is out of range.
int drb_traffic_init(struct drb_traffic *traffic, const struct drb_tree *t,
		     struct drb_traffic_kind kind, double rho, uint32_t *memory,
		     struct drb_rng *rng);

// Destination of every host in this slot into dest[0..N-1], DRB_NO_LABEL where a host is silent.
void drb_traffic_slot(struct drb_traffic *traffic, struct drb_rng *rng, uint64_t slot,
		      uint32_t dest[]);
