// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The time that a transfer takes on an idle fabric, with which slowdowns compare.

#include "sim/flows/transfers.h"

// Set by the caller; `times` is NULL at first.
struct drb_alone {
	const struct drb_transfers_setup *setup;
	// True: with the source of the setup, its window and its handshake. False: with an open
	// source and no handshake.
	bool same_source;
	void *times; // tree of tsearch(): one entry for each size and distance
};

// Returns slots, 1 or more; 0: no memory. With the same source, each size and distance is simulated
// once, for `longest` slots at most.
uint64_t drb_alone_slots(struct drb_alone *alone, const struct drb_transfer *transfer,
			 uint64_t longest);
void drb_alone_free(struct drb_alone *alone);
