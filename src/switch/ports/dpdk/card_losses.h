// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Counts the packets that a card dropped, from its driver's count. The driver adds up a register
// that cards clear on each read. QEMU's 82540EM and similar cards do not clear it: each read
// returns the total. Pure functions.

#include <stdbool.h>
#include <stdint.h>

#define DRB_CARD_READS 3 // reads in a row

struct drb_card_losses {
	uint64_t missed; // packets lost since the first call
	uint64_t said;   // the driver's last count
	uint64_t before; // at the first call: content of a register that is not cleared
	bool begun;
};

// Adds the driver's counts of several reads right after one another, in packets. Packets that were
// lost before the first call do not count.
void drb_card_losses_note(struct drb_card_losses *l, const uint64_t said[DRB_CARD_READS]);
