// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What packets of a transfer differ in to switches that hash flows, by the rule of its host:
//
//   flow   nothing: one entropy for the transfer
//   spray  a new one, at random, for each packet
//   reps   REPS (Bonato et al., EuroSys 2026, arXiv 2407.21625, algorithms 1 and 2): those whose packets came through
//          without a mark are used again, each once; without such a one a new one. After a loss it freezes for
//          `timeout` slots: what it has is used over and over, be it less than the cache holds, as in the
//          authors' simulator. Then it explores: a round trip of new ones.
// Where packets are trimmed (window.h), their entropies are not used again; only a timeout freezes.
// With the last two a packet is taken for lost when it is not acknowledged for `timeout` slots, and takes one packet
// off the window, which reordering must not do.

#include "sim/flows/transfer.h"

#define DRB_REPS_CACHE 8

struct drb_reps {
	uint16_t entropy[DRB_REPS_CACHE];
	uint8_t known, valid; // a bit of each; valid: not used again yet
	uint8_t head;         // where the next one goes
	uint8_t valids;
	uint32_t turns;    // of those that are known, while not all places are taken
	uint32_t explores; // packets that take new ones
	bool frozen;
	uint64_t thaws; // slot
};

// Of the next packet of a transfer.
uint16_t drb_entropy_next(struct drb_transfers *t, uint32_t transfer);

uint16_t drb_reps_next(struct drb_reps *r, struct drb_rng *rng);
// An acknowledgement comes, of a packet with this entropy. bdp: packets of a round trip.
void drb_reps_hear(struct drb_reps *r, uint16_t entropy, uint64_t slot, uint32_t bdp);
// A packet is taken for lost.
void drb_reps_lose(struct drb_reps *r, uint64_t thaws);
