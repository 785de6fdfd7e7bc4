// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Beyond the paper: shifted defaults. A packet takes as its default uplink at layer m not the digit
// h_m of its destination but (h_m + e_m) mod d, e_m being digit m of a shift e; threshold-based
// two-choice goes on top as always. All destinations shifted by the same e still have disjoint
// down-paths; shifting a busy one from packet to packet spreads a flow that would fill one path.
//
//   rotate  e = number of the current slot, on a clock all switches share
//   walk    kept by the layer-1 switch of the source; no clock, no messages. In a streak of packets
//           to one destination, each of which follows the previous one within tau, the first two
//           take e = 0, the next ones 1, 2, ... Any other packet takes e = 0 while few packets of
//           the switch walk, and else the number of the packet. The packet carries e to the upper
//           layers.
// Why the exceptions: one packet after another to the same destination is often chance, and to
// shift it already costs fresh traffic 13 % of latency at rho = 0.99. But where flows persist they
// are spread over all down-links, and a destination reached over one of them only would overload
// it. Pure: memory and time come from the caller.

#include <stddef.h>
#include <stdint.h>

#include <drb/tree.h>

// Shifts are counted modulo this: digits 1..l-1 are those of uplinks.
static inline uint32_t drb_shift_count(const struct drb_tree *t)
{
	return t->pow[t->layers - 1];
}

// Digit m of e, 1 <= m < l, e < drb_shift_count().
static inline uint32_t drb_shift_digit(const struct drb_tree *t, uint32_t e, uint32_t m)
{
	uint32_t q = drb_div(e, &t->by[m - 1]);
	return q - drb_div(q, &t->by_arity) * t->arity;
}

// (h_m + e_m) mod d.
static inline uint32_t drb_shifted(uint32_t digit, uint32_t shift_digit, uint32_t arity)
{
	uint32_t sum = digit + shift_digit;
	return sum >= arity ? sum - arity : sum;
}

// The destinations that one layer-1 switch sent to lately. A table of sets of DRB_WALK_WAYS
// entries: in a full set the destination not seen for longest is forgotten, which restarts it at
// e = 0.
#define DRB_WALK_WAYS 8
#define DRB_WALK_TAU 6   // packet times: several of the gaps between packets of a busy flow
#define DRB_WALK_GRACE 1 // packets of a streak, after its first, that keep e = 0
#define DRB_WALK_SHARE (UINT32_MAX / 100) // of walking packets, from which all are shifted

struct drb_walk_entry {
	uint64_t last;   // time of the last packet, in the caller's unit
	uint32_t dest;   // DRB_WALK_FREE: none
	uint32_t streak; // packets that followed the one before within tau
};

#define DRB_WALK_FREE UINT32_MAX

struct drb_walk {
	struct drb_walk_entry *entry; // lent by the caller
	uint32_t sets_mask;           // sets - 1, a power of two - 1
	uint32_t count;               // of shifts
	uint32_t walking;             // moving average of the share of walking packets, in 2^-32
	uint64_t packets;
	uint64_t tau; // in the unit of time
};

// Entries that suit a switch with d hosts and tau packet times: four for each destination that may
// be live at once.
size_t drb_walk_entries(uint32_t arity, uint32_t tau_packets);
// entries: as drb_walk_entries() said; entry stays the caller's.
void drb_walk_init(struct drb_walk *w, const struct drb_tree *t, struct drb_walk_entry *entry,
		   size_t entries, uint64_t tau);
// The shift of a packet to dest that is sent up now; time must not run backwards.
uint32_t drb_walk_next(struct drb_walk *w, uint32_t dest, uint64_t now);
