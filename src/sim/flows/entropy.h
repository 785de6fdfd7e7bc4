// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An entropy is a number in a packet. Switches that hash flows may choose different paths for
// packets of a transfer that have different entropies. Hosts choose entropies by one of these
// rules:
//
//   flow   one entropy for the transfer
//   spray  a random one for each packet
//   reps   REPS (Bonato et al., EuroSys 2026, arXiv 2407.21625, algorithms 1 and 2). Entropies
//          whose packets came through without a mark are reused, each once. Without one, a new one
//          is drawn. After a loss, REPS freezes for `freeze` slots: it uses the entropies in its
//          cache in turn. Then it empties the cache, and draws new entropies for a round trip
//          (buffer_reps.cpp of the authors' simulator).
// REPS does not reuse entropies of trimmed packets (window.h). It freezes after a timeout, but not
// after a trimmed packet. With spray and reps, a packet counts as lost when it is not acknowledged
// for `timeout` slots. The loss takes one packet off the window, which reordering must not do.

#include "sim/flows/transfer.h"

#define DRB_REPS_CACHE 8
#define DRB_REPS_EXPLORES 16 // packets of uec with new entropies after freezing

struct drb_reps {
	uint16_t entropy[DRB_REPS_CACHE];
	uint8_t known, valid; // a bit for each entry; known: in use; valid: not reused yet
	uint8_t head;         // the next entry to be written
	uint8_t valids;
	uint32_t turns;    // reuses of known entries while frozen
	uint32_t explores; // packets that will still take new entropies
	bool frozen;
	uint64_t thaws; // frozen until this slot
};

// With uec, spray takes the entropies of a connection in turn. Their order changes in each round.
// REPS draws from the same entropies.

// The entropy of the next packet of a transfer.
uint16_t drb_entropy_next(struct drb_transfers *t, uint32_t transfer);

uint16_t drb_reps_next(struct drb_reps *r, struct drb_rng *rng, uint32_t entropies);
// A packet with this entropy was acknowledged. bdp: packets in a round trip.
void drb_reps_hear(struct drb_reps *r, uint16_t entropy, uint64_t slot, uint32_t bdp);
// A packet counts as lost: freezes until slot `thaws`, unless it is frozen or explores.
void drb_reps_lose(struct drb_reps *r, uint64_t thaws);
